# Tests of the comparison of result folders.
ess_test(compare experiments)

# the program itself
ess_test(compare_command experiments)
target_compile_definitions(test_compare_command PRIVATE ESSBENCH="$<TARGET_FILE:essbench>")
add_dependencies(test_compare_command essbench)
