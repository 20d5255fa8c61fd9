# What others get of libess: its manual, the symbols it shows, and that programs build with what was
# installed
# SPDX-License-Identifier: GPL-3.0-or-later
ess_test(version ess::ess)
add_test(NAME manual
  COMMAND ${CMAKE_CURRENT_LIST_DIR}/test_manual.sh ${CMAKE_SOURCE_DIR}
          ${CMAKE_BINARY_DIR}/integrator/man3)
set_tests_properties(manual PROPERTIES SKIP_RETURN_CODE 77)
