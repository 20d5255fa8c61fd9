# Tests of the experiments room: its parts as functions, and the program as a user runs it.
ess_test(experiments_contacts experiments)
ess_test(search experiments)
ess_test(sweep_summary experiments)
foreach(duty order calibrate run projection sweep xml)
  ess_test(experiments_${duty} experiments)
  target_compile_definitions(test_experiments_${duty} PRIVATE ESSBENCH="$<TARGET_FILE:essbench>")
  add_dependencies(test_experiments_${duty} essbench)
endforeach()
ess_test(speed experiments)
target_compile_definitions(test_speed PRIVATE ESSBENCH="$<TARGET_FILE:essbench>")
add_dependencies(test_speed essbench)
target_sources(test_experiments_run PRIVATE ${CMAKE_CURRENT_LIST_DIR}/oracle_plate.c)
target_link_libraries(test_experiments_xml PRIVATE LibXml2::LibXml2)

# the command line: bad input, an interrupt, streams, and a processor that is too old
foreach(duty refusals speed streams tolerance)
  add_test(NAME cli_${duty}
           COMMAND ${CMAKE_CURRENT_LIST_DIR}/test_cli_${duty}.sh $<TARGET_FILE:essbench>)
endforeach()

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
