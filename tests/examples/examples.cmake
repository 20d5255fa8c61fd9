# What a user would copy: what the examples print, the README's quotations and ways of linking libess,
# and the skeletons of docs/guide/adding.md.
# SPDX-License-Identifier: GPL-3.0-or-later
ess_test(examples)
ess_test(examples_derivatives)
ess_test(examples_hexapod)
ess_test(examples_neurons)
ess_test(examples_short)
target_compile_definitions(test_examples_short PRIVATE
                           EXAMPLE_BACKWARD="$<TARGET_FILE:example_backward>"
                           EXAMPLE_BOUNCING_BALL="$<TARGET_FILE:example_bouncing_ball>"
                           EXAMPLE_MOVING_GUARD="$<TARGET_FILE:example_moving_guard>"
                           EXAMPLE_NO_JACOBIAN="$<TARGET_FILE:example_no_jacobian>"
                           EXAMPLE_STICK_SLIP="$<TARGET_FILE:example_stick_slip>"
                           EXAMPLE_WATCH="$<TARGET_FILE:example_watch>")
target_compile_definitions(test_examples PRIVATE EXAMPLE_HOPPER="$<TARGET_FILE:example_hopper>")
target_compile_definitions(test_examples_hexapod PRIVATE
                           EXAMPLE_HEXAPOD="$<TARGET_FILE:example_hexapod>")
target_compile_definitions(test_examples_neurons PRIVATE
                           EXAMPLE_NEURONS="$<TARGET_FILE:example_numeric_jacobian>")
target_compile_definitions(test_examples_derivatives PRIVATE
                           EXAMPLE_LANDING="$<TARGET_FILE:example_landing>"
                           EXAMPLE_SLIP_GAITS="$<TARGET_FILE:example_slip_gaits>"
                           EXAMPLE_THROW="$<TARGET_FILE:example_throw>")
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
  file(MAKE_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/engines)
  ess_test(examples_engines experiments)
  target_include_directories(test_examples_engines PRIVATE ${CMAKE_CURRENT_BINARY_DIR}/engines)
  foreach(name models/trampoline.h models/trampoline.c solvers/solver_euler.c)
    ess_documented_source(${name})
  endforeach()
endif()
