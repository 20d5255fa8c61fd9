# the order of the house: studies are data, no circle of files
add_test(NAME house COMMAND ${CMAKE_CURRENT_LIST_DIR}/test_house.sh ${CMAKE_SOURCE_DIR})

# what the Makefile would do
add_test(NAME makefile COMMAND ${CMAKE_CURRENT_LIST_DIR}/test_makefile.sh ${CMAKE_SOURCE_DIR})

# tools/setup on made-up machines: no network, no rights, damaged wheels
add_test(NAME setup COMMAND ${CMAKE_CURRENT_LIST_DIR}/test_setup.sh)

# the source archive
add_test(NAME dist COMMAND ${CMAKE_CURRENT_LIST_DIR}/test_dist.sh ${CMAKE_SOURCE_DIR})
set_tests_properties(dist PROPERTIES SKIP_RETURN_CODE 77)

# CMake without packages
add_test(NAME packages COMMAND ${CMAKE_CURRENT_LIST_DIR}/test_packages.sh ${CMAKE_SOURCE_DIR})

# the races against Drake and Simbody without these
add_test(NAME engines COMMAND ${CMAKE_CURRENT_LIST_DIR}/test_engines.sh ${CMAKE_SOURCE_DIR})

# numbers of other engines, without these
add_test(NAME outside COMMAND ${CMAKE_CURRENT_LIST_DIR}/test_outside.sh ${CMAKE_SOURCE_DIR})

# where the Python package's build finds Python.h; and make python, from a clone that has nothing
add_test(NAME python_headers COMMAND ${CMAKE_CURRENT_LIST_DIR}/test_python_headers.sh ${CMAKE_SOURCE_DIR})
add_test(NAME python_install COMMAND ${CMAKE_CURRENT_LIST_DIR}/test_python_install.sh ${CMAKE_SOURCE_DIR}
                                     ${CMAKE_CURRENT_BINARY_DIR}/python_install.passed)
set_tests_properties(python_install PROPERTIES SKIP_RETURN_CODE 77)

# the trip of a step, and how the library is built
add_test(NAME structure COMMAND ${CMAKE_CURRENT_LIST_DIR}/test_structure.sh ${CMAKE_SOURCE_DIR})
set_tests_properties(structure PROPERTIES SKIP_RETURN_CODE 77)

# the program at the top of ess.h
if(NOT ESS_SANITIZE)
  add_test(NAME header_example COMMAND ${CMAKE_CURRENT_LIST_DIR}/test_header_example.sh ${CMAKE_SOURCE_DIR}
                                       $<TARGET_FILE:ess_static>)
endif()

# mutants of a library of one file
add_test(NAME mutants COMMAND ${CMAKE_CURRENT_LIST_DIR}/test_mutants.sh ${CMAKE_SOURCE_DIR})

# tables of results that tools write
add_test(NAME tables COMMAND ${CMAKE_CURRENT_LIST_DIR}/test_tables.sh ${CMAKE_SOURCE_DIR})

# what plain methods cost beside loops by hand; counted with the compiler and flags that are published
if(ESS_HARNESS)
  set(counted none)
  if(CMAKE_BUILD_TYPE STREQUAL Release AND CMAKE_C_COMPILER_ID STREQUAL GNU AND NOT ESS_SANITIZE AND ESS_HAVE_MAVX)
    set(counted ${CMAKE_BINARY_DIR})
  endif()
  add_test(NAME counts COMMAND ${CMAKE_CURRENT_LIST_DIR}/test_counts.sh ${CMAKE_SOURCE_DIR} ${counted})
endif()

# the report from made-up results; make test-report looks at one in a browser
add_test(NAME report COMMAND ${CMAKE_CURRENT_LIST_DIR}/test_report.sh ${CMAKE_SOURCE_DIR})

# what make results measures, writes and commits: claims are the program's; and whole, as short as it can be
if(ESS_HARNESS)
  add_test(NAME results COMMAND ${CMAKE_CURRENT_LIST_DIR}/test_results.sh ${CMAKE_SOURCE_DIR}
                                $<TARGET_FILE:essbench>)
  add_test(NAME results_small COMMAND ${CMAKE_CURRENT_LIST_DIR}/test_results_small.sh
                                      ${CMAKE_SOURCE_DIR} $<TARGET_FILE:essbench>)
  set_tests_properties(results_small PROPERTIES SKIP_RETURN_CODE 77 LABELS once)
endif()

# links of pages, old names of pages
find_package(Python3 COMPONENTS Interpreter)
if(Python3_FOUND)
  add_test(NAME links COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/test_links.py
           ${CMAKE_SOURCE_DIR})
  # the method's thresholds are those of the code
  add_test(NAME thresholds COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/test_thresholds.py
           ${CMAKE_SOURCE_DIR})
endif()
