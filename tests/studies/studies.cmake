# Tests of the studies: their parts on made-up samples, the programs as a user runs them, and runs that
# were interrupted and go on.
foreach(duty sweep_summary calibration scale speed tutorial)
  ess_test(${duty} experiments)
endforeach()
ess_test(experiments_projection experiments)
target_compile_definitions(test_experiments_projection PRIVATE ESSBENCH="$<TARGET_FILE:essbench>")
add_dependencies(test_experiments_projection essbench)
foreach(duty calibrate claims verdict ensemble event_times known order rigid_soft scale speed sweep tolerance)
  add_test(NAME cli_${duty}
           COMMAND ${CMAKE_CURRENT_LIST_DIR}/test_cli_${duty}.sh $<TARGET_FILE:essbench>)
endforeach()
if(ESS_ROBOTS)
  add_test(NAME cli_robot
           COMMAND ${CMAKE_CURRENT_LIST_DIR}/test_cli_robot.sh $<TARGET_FILE:essbench>
                   ${CMAKE_SOURCE_DIR}/.deps/robots)
  add_test(NAME cli_robot_error
           COMMAND ${CMAKE_CURRENT_LIST_DIR}/test_cli_robot_error.sh $<TARGET_FILE:essbench>)
  add_test(NAME cli_robot_given
           COMMAND ${CMAKE_CURRENT_LIST_DIR}/test_cli_robot_given.sh $<TARGET_FILE:essbench>)
  add_test(NAME cli_robot_early
           COMMAND ${CMAKE_CURRENT_LIST_DIR}/test_cli_robot_early.sh $<TARGET_FILE:essbench>)
  add_test(NAME cli_robot_derivative
           COMMAND ${CMAKE_CURRENT_LIST_DIR}/test_cli_robot_derivative.sh $<TARGET_FILE:essbench>
                   ${CMAKE_SOURCE_DIR}/.deps/robots)
  add_test(NAME cli_robot_parts
           COMMAND ${CMAKE_CURRENT_LIST_DIR}/test_cli_robot_parts.sh $<TARGET_FILE:essbench>)
  add_test(NAME cli_mjcf COMMAND ${CMAKE_CURRENT_LIST_DIR}/test_cli_mjcf.sh $<TARGET_FILE:essbench>)
  add_test(NAME cli_robots
           COMMAND ${CMAKE_CURRENT_LIST_DIR}/test_cli_robots.sh $<TARGET_FILE:essbench>)
endif()
