# Tests of what every study needs.
ess_test(choice experiments)
ess_test(histogram experiments)
ess_test(experiments_contacts experiments)
ess_test(study_order experiments)
ess_test(race experiments)
ess_test(draws experiments)
ess_test(series experiments)
ess_test(record experiments)
ess_test(same_system experiments)
ess_test(names experiments)
ess_test(impacts_told experiments)
foreach(duty study study_kept)
  ess_test(${duty} experiments)
  target_compile_definitions(test_${duty} PRIVATE ESSBENCH="")
endforeach()

# what the program says of its studies' columns, robots among them
if(ESS_ROBOTS)
  add_test(NAME columns COMMAND ${CMAKE_CURRENT_LIST_DIR}/test_columns.sh $<TARGET_FILE:essbench>)
endif()

# a study in several processes, and in shares
foreach(duty workers shares)
  add_test(NAME cli_${duty}
           COMMAND ${CMAKE_CURRENT_LIST_DIR}/test_cli_${duty}.sh $<TARGET_FILE:essbench>)
endforeach()
