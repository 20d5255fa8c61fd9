# Tests of what every study needs.
ess_test(search experiments)
ess_test(experiments_contacts experiments)
ess_test(study experiments)
ess_test(race experiments)
ess_test(series experiments)
target_compile_definitions(test_study PRIVATE ESSBENCH="")

# schema/ and docs/COLUMNS.md are what the program writes of its studies
add_test(NAME columns COMMAND ${CMAKE_CURRENT_LIST_DIR}/test_columns.sh $<TARGET_FILE:essbench>
                              ${CMAKE_SOURCE_DIR})
