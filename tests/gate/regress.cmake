# The regression gate: its deterministic half run on this build, and tests of the gate itself.
add_test(NAME regress COMMAND essbench regress --out ${CMAKE_SOURCE_DIR}/results)
set_tests_properties(regress PROPERTIES LABELS regress)

ess_test(regress_counters experiments)
ess_test(regress_time experiments)
add_test(NAME regress_script
         COMMAND ${CMAKE_CURRENT_LIST_DIR}/test_regress_script.sh $<TARGET_FILE:essbench>)

# what proves the gate: that its bugs can still be sown
add_test(NAME regress_bugs COMMAND ${CMAKE_SOURCE_DIR}/tools/prove-regress --check)
