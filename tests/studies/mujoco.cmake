# Tests of the command that compares MuJoCo's settings.
ess_test(mujoco_settings experiments)
target_compile_definitions(test_mujoco_settings PRIVATE ESSBENCH="$<TARGET_FILE:essbench>")
add_dependencies(test_mujoco_settings essbench)
