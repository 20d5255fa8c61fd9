# Tests of the command that compares MuJoCo's settings. What it measured once is looked at by several.
add_test(NAME mujoco_results COMMAND essbench mujoco --contacts 3 --trials 2 --restart
                                     --out ${ESS_KEPT_RESULTS}/mujoco)
set_tests_properties(mujoco_results PROPERTIES FIXTURES_SETUP mujoco_results)
ess_test(mujoco_settings experiments)
target_compile_definitions(test_mujoco_settings PRIVATE RESULTS="${ESS_KEPT_RESULTS}/mujoco")
set_tests_properties(mujoco_settings PROPERTIES FIXTURES_REQUIRED mujoco_results)
add_dependencies(test_mujoco_settings essbench)
