# tools/setup on made-up machines: no network, no rights, damaged wheels
add_test(NAME setup COMMAND ${CMAKE_CURRENT_LIST_DIR}/test_setup.sh)
