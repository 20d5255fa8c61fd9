# Tests of the plate at scale: its parts on made-up samples, the program on a few contacts, and an
# interrupted run that goes on.
ess_test(scale experiments)
target_compile_definitions(test_scale PRIVATE ESSBENCH="$<TARGET_FILE:essbench>")
add_dependencies(test_scale essbench)
add_test(NAME cli_scale
         COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/test_cli_scale.sh $<TARGET_FILE:essbench>)
