# every figure from made-up results: all formats without a warning, odd tables, missing columns
add_test(NAME plots COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/test_plots.sh)
# the program's figures: tables without rows, names
add_test(NAME cli_figures
         COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/test_cli_figures.sh $<TARGET_FILE:essbench>)
