# every figure from made-up results: all formats without a warning, odd tables, missing columns
add_test(NAME plots COMMAND ${CMAKE_CURRENT_LIST_DIR}/test_plots.sh)
