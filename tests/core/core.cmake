# Tests of what every study needs.
ess_test(choice experiments)
ess_test(histogram experiments)
ess_test(experiments_contacts experiments)
ess_test(study_order experiments)
ess_test(race experiments)
ess_test(draws experiments)
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
foreach(duty workers shares kills)
  add_test(NAME cli_${duty}
           COMMAND ${CMAKE_CURRENT_LIST_DIR}/test_cli_${duty}.sh $<TARGET_FILE:essbench>)
endforeach()

# tables that are derived again from samples that were kept
find_program(PYTHON3 python3)
file(GLOB frozen RELATIVE ${CMAKE_CURRENT_LIST_DIR}/frozen ${CMAKE_CURRENT_LIST_DIR}/frozen/*)
foreach(name ${frozen})
  if(PYTHON3)
    add_test(NAME derive_${name} COMMAND ${PYTHON3} -B ${CMAKE_CURRENT_LIST_DIR}/test_derive.py
                                         $<TARGET_FILE:essbench> ${name})
    set_tests_properties(derive_${name} PROPERTIES LABELS "quick;program")
  endif()
endforeach()
