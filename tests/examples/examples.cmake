# What a user would copy: what the examples print, the README's quotations and ways of linking libess,
# and the skeletons of docs/guide/adding.md.
# SPDX-License-Identifier: GPL-3.0-or-later
function(ess_examples_test name)
  ess_test(${name})
  foreach(example ${ARGN})
    string(TOUPPER ${example} word)
    target_compile_definitions(test_${name} PRIVATE EXAMPLE_${word}="$<TARGET_FILE:example_${example}>")
    add_dependencies(test_${name} example_${example}) # which it runs
  endforeach()
endfunction()
ess_examples_test(examples hopper)
ess_examples_test(examples_derivatives landing slip_gaits throw)
ess_examples_test(examples_hexapod hexapod)
ess_examples_test(examples_neurons numeric_jacobian)
ess_examples_test(examples_short backward bouncing_ball moving_guard no_jacobian stick_slip watch)
add_test(NAME examples_readme
  COMMAND ${CMAKE_CURRENT_LIST_DIR}/test_examples_readme.sh ${CMAKE_SOURCE_DIR}
          $<TARGET_FILE:example_hopper> ${CMAKE_C_COMPILER} ${ESS_ALONE})
set_tests_properties(examples_readme PROPERTIES FIXTURES_SETUP alone)

# a skeleton as it stands in the text, turned into a source file whenever the text changes
function(ess_documented_source name)
  get_filename_component(file ${name} NAME)
  set(text ${CMAKE_SOURCE_DIR}/docs/guide/adding.md)
  set(block ${CMAKE_CURRENT_LIST_DIR}/test_examples_block.sh)
  add_custom_command(OUTPUT engines/${file}
    COMMAND sh ${block} ${text} ${name} > engines/${file}
    DEPENDS ${text} ${block} VERBATIM)
  target_sources(test_examples_engines PRIVATE ${CMAKE_CURRENT_BINARY_DIR}/engines/${file})
endfunction()

if(ESS_HARNESS)
  add_test(NAME examples_pages
    COMMAND ${CMAKE_CURRENT_LIST_DIR}/test_examples_pages.py ${CMAKE_SOURCE_DIR} ${CMAKE_C_COMPILER}
            $<TARGET_FILE:ess::static>)
  file(MAKE_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/engines)
  ess_test(examples_engines experiments)
  target_include_directories(test_examples_engines PRIVATE ${CMAKE_CURRENT_BINARY_DIR}/engines)
  foreach(name models/trampoline.h models/trampoline.c solvers/solver_euler.c experiments/studies/trampoline_cost.c)
    ess_documented_source(${name})
  endforeach()
endif()
