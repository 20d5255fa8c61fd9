# What others get of libess: its manual, and that programs build with what was installed, from a build
# of libess alone and from this one
# SPDX-License-Identifier: GPL-3.0-or-later
ess_test(version ess::ess)
ess_test(defaults ess::ess)
target_compile_definitions(test_defaults PRIVATE MANUAL="${CMAKE_BINARY_DIR}/integrator/man3")
add_dependencies(test_defaults ess_manual)
add_test(NAME manual
  COMMAND ${CMAKE_CURRENT_LIST_DIR}/test_manual.sh ${CMAKE_SOURCE_DIR}
          ${CMAKE_BINARY_DIR}/integrator/man3)
set_tests_properties(manual PROPERTIES SKIP_RETURN_CODE 77)

# nobody installs a library with sanitizers
if(NOT ESS_SANITIZE)
  add_test(NAME install_alone COMMAND ${CMAKE_CURRENT_LIST_DIR}/test_install.sh ${ESS_ALONE})
  set_tests_properties(install_alone PROPERTIES FIXTURES_REQUIRED alone)
  add_test(NAME install COMMAND ${CMAKE_CURRENT_LIST_DIR}/test_install.sh ${CMAKE_BINARY_DIR})
  set_tests_properties(install_alone install PROPERTIES
    SKIP_RETURN_CODE 77 ENVIRONMENT CC=${CMAKE_C_COMPILER})
  # the list of what was installed is one file of the build
  set_tests_properties(install PROPERTIES RESOURCE_LOCK installing)
  if(ESS_HARNESS)
    add_test(NAME install_program COMMAND ${CMAKE_CURRENT_LIST_DIR}/test_program.sh
             ${CMAKE_SOURCE_DIR} ${CMAKE_BINARY_DIR})
    set_tests_properties(install_program PROPERTIES RESOURCE_LOCK installing)
  endif()
endif()
