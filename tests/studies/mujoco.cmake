# Tests of the command that compares MuJoCo's settings.
add_test(NAME cli_mujoco COMMAND ${CMAKE_CURRENT_LIST_DIR}/test_cli_mujoco.sh $<TARGET_FILE:essbench>)
ess_test(mujoco_settings experiments)
