# a killed sweep goes on where it was
add_test(NAME cli_resume COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/test_cli_resume.sh $<TARGET_FILE:essbench>)
