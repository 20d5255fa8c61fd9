# Tests of the comparison of result folders, and of the look at the environment before measuring.
ess_test(compare experiments)
ess_test(compare_strict experiments)

# the program itself
ess_test(compare_command experiments)
target_compile_definitions(test_compare_command PRIVATE ESSBENCH="$<TARGET_FILE:essbench>")
add_dependencies(test_compare_command essbench)
