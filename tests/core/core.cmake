# Tests of what every study needs.
ess_test(search experiments)
ess_test(experiments_contacts experiments)
ess_test(race experiments)
ess_test(series experiments)
foreach(duty study study_kept)
  ess_test(${duty} experiments)
  target_compile_definitions(test_${duty} PRIVATE ESSBENCH="")
endforeach()

# schema/ and docs/COLUMNS.md are what the program writes of its studies
add_test(NAME columns COMMAND ${CMAKE_CURRENT_LIST_DIR}/test_columns.sh $<TARGET_FILE:essbench>
                              ${CMAKE_SOURCE_DIR})
