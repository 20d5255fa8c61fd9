# Tests of MuJoCo's flags and timers, and of the command that compares its settings.
ess_test(bridge_profile mujoco_bridge MuJoCo::MuJoCo)

ess_test(mujoco_settings experiments)
target_compile_definitions(test_mujoco_settings PRIVATE ESSBENCH="$<TARGET_FILE:essbench>")
add_dependencies(test_mujoco_settings essbench)
