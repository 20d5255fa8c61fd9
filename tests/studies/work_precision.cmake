# Tests of work against precision: its parts on made-up samples, the program on small runs, and an
# interrupted run that goes on.
ess_test(work_precision experiments)
ess_test(crossing_cost experiments)
target_compile_definitions(test_crossing_cost PRIVATE ESSBENCH="$<TARGET_FILE:essbench>")
add_dependencies(test_crossing_cost essbench)
foreach(duty work_precision work_precision_points)
  add_test(NAME cli_${duty}
           COMMAND ${CMAKE_CURRENT_LIST_DIR}/test_cli_${duty}.sh $<TARGET_FILE:essbench>)
endforeach()
