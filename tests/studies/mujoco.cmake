# Tests of the command that compares MuJoCo's settings. What it measured once is looked at by several.
add_test(NAME cli_mujoco COMMAND ${CMAKE_CURRENT_LIST_DIR}/test_cli_mujoco.sh $<TARGET_FILE:essbench>
                                 ${ESS_KEPT_RESULTS}/mujoco)
set_tests_properties(cli_mujoco PROPERTIES FIXTURES_SETUP mujoco_results)
ess_test(mujoco_settings experiments)
