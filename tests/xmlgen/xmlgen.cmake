# Tests of the xmlgen room, read back with libxml2's parser.
ess_test(mjcf xmlgen LibXml2::LibXml2)

# a locale with a decimal comma, made here where none is installed
find_program(LOCALEDEF localedef)
set(mjcf_locales ${CMAKE_CURRENT_BINARY_DIR}/mjcf_locales)
if(LOCALEDEF AND NOT EXISTS ${mjcf_locales})
  file(MAKE_DIRECTORY ${mjcf_locales})
  execute_process(COMMAND ${LOCALEDEF} -i de_DE -f UTF-8 ${mjcf_locales}/de_DE.UTF-8
                  OUTPUT_QUIET ERROR_QUIET RESULT_VARIABLE ignored)
endif()
set_tests_properties(mjcf PROPERTIES ENVIRONMENT LOCPATH=${mjcf_locales})
