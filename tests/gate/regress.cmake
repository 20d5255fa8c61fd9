# The regression gate: its deterministic half run on this build, and tests of the gate itself and of the
# comparison of sweeps.
add_test(NAME regress COMMAND essbench regress --out ${CMAKE_SOURCE_DIR}/results)
set_tests_properties(regress PROPERTIES LABELS regress)

find_program(PYTHON3 python3)
if(PYTHON3)
  add_test(NAME judge COMMAND ${PYTHON3} -B ${CMAKE_CURRENT_LIST_DIR}/test_judge.py
                              ${CMAKE_SOURCE_DIR}/tools/judge)
  add_test(NAME compare COMMAND ${PYTHON3} -B ${CMAKE_CURRENT_LIST_DIR}/test_compare.py
                                ${CMAKE_SOURCE_DIR}/tools $<TARGET_FILE:essbench>)
endif()
add_test(NAME regress_script
         COMMAND ${CMAKE_CURRENT_LIST_DIR}/test_regress_script.sh $<TARGET_FILE:essbench>)

# what proves the gate: that its bugs can still be sown
add_test(NAME regress_bugs COMMAND ${CMAKE_SOURCE_DIR}/tools/prove-regress --check)
