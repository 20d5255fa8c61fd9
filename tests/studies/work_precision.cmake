# Tests of work against precision: its parts on made-up samples, the program on small runs, and an
# interrupted run that goes on.
ess_test(work_precision experiments)
foreach(duty work_precision_command crossing_cost)
  ess_test(${duty} experiments)
  target_compile_definitions(test_${duty} PRIVATE ESSBENCH="$<TARGET_FILE:essbench>")
  add_dependencies(test_${duty} essbench)
endforeach()
add_test(NAME cli_work_precision
         COMMAND ${CMAKE_CURRENT_LIST_DIR}/test_cli_work_precision.sh $<TARGET_FILE:essbench>)
