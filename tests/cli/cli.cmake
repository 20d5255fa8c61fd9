# Tests of the command line: single runs, bad input, interrupts, streams and a processor that is too
# old.
foreach(duty run xml)
  ess_test(experiments_${duty} experiments)
  target_compile_definitions(test_experiments_${duty} PRIVATE ESSBENCH="$<TARGET_FILE:essbench>")
  add_dependencies(test_experiments_${duty} essbench)
endforeach()
ess_test(derivative experiments)
foreach(part RANGE 3) # of the models, side by side
  add_test(NAME derivative_models_${part} COMMAND test_derivative ${part} 4)
endforeach()
target_compile_definitions(test_derivative PRIVATE ESSBENCH="$<TARGET_FILE:essbench>")
add_dependencies(test_derivative essbench)
target_link_libraries(test_experiments_run PRIVATE hybrid)
target_link_libraries(test_experiments_xml PRIVATE LibXml2::LibXml2)

# a killed sweep goes on where it was; the program's figures: tables without rows, names
foreach(duty contacts interrupts refusals streams resume figures run_files)
  add_test(NAME cli_${duty}
           COMMAND ${CMAKE_CURRENT_LIST_DIR}/test_cli_${duty}.sh $<TARGET_FILE:essbench>)
endforeach()

add_test(NAME cli_front COMMAND ${CMAKE_CURRENT_LIST_DIR}/test_cli_front.sh
                                $<TARGET_FILE:essbench> ${CMAKE_SOURCE_DIR}/tools/completion)

# the database, and what the guide says to ask of it
add_test(NAME cli_store COMMAND ${CMAKE_CURRENT_LIST_DIR}/test_cli_store.sh
                                $<TARGET_FILE:essbench> ${CMAKE_SOURCE_DIR})

# a locale with a decimal comma, made here where none is installed
find_program(LOCALEDEF localedef)
set(cli_locales ${CMAKE_CURRENT_BINARY_DIR}/cli_locales)
if(LOCALEDEF AND NOT EXISTS ${cli_locales})
  file(MAKE_DIRECTORY ${cli_locales})
  execute_process(COMMAND ${LOCALEDEF} -i de_DE -f UTF-8 ${cli_locales}/de_DE.UTF-8
                  OUTPUT_QUIET ERROR_QUIET RESULT_VARIABLE ignored)
endif()
set_tests_properties(cli_streams PROPERTIES ENVIRONMENT LOCPATH=${cli_locales})

# sanitizers reserve more memory than an emulator gives
find_program(QEMU_X86_64 qemu-x86_64)
if(QEMU_X86_64 AND CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64" AND NOT ESS_SANITIZE
   AND NOT (ESS_ISA STREQUAL "baseline" AND MUJOCO STREQUAL "system"))
  add_test(NAME cli_cpu COMMAND ${CMAKE_CURRENT_LIST_DIR}/test_cli_cpu.sh $<TARGET_FILE:essbench>
                                ${QEMU_X86_64})
  set_tests_properties(cli_cpu PROPERTIES SKIP_RETURN_CODE 77)
endif()
