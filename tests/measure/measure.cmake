# Tests of the measure room.
foreach(duty clock repeat turns statistics fit environment files csv json progress journal)
  ess_test(measure_${duty} measure)
endforeach()

# Locales whose decimal point is a comma, or two bytes long: made here, for few machines have them.
# Without localedef or its sources the test uses what the system has, and says what it skips.
ess_test(measure_locale measure)
find_program(LOCALEDEF localedef)
set(locales ${CMAKE_CURRENT_BINARY_DIR}/locales)
if(LOCALEDEF AND NOT EXISTS ${locales})
  file(MAKE_DIRECTORY ${locales})
  foreach(name de_DE ps_AF)
    execute_process(COMMAND ${LOCALEDEF} -i ${name} -f UTF-8 ${locales}/${name}.UTF-8
                    OUTPUT_QUIET ERROR_QUIET RESULT_VARIABLE ignored)
  endforeach()
endif()
set_tests_properties(measure_locale PROPERTIES ENVIRONMENT LOCPATH=${locales})
