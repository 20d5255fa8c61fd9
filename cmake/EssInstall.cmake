# Installs libess: headers, both libraries, the CMake package `ess`, ess.pc, manual, examples, licence.
# Everything can be moved with its prefix. Included by integrator/.
# SPDX-License-Identifier: Apache-2.0
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

install(FILES ${ESS_HEADERS} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(TARGETS ess_static ess_shared EXPORT ess-targets
        INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})

# find_package(ess)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/ess)
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/ess-config.cmake.in ess-config.cmake
                              INSTALL_DESTINATION ${package_dir} NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(ess-config-version.cmake COMPATIBILITY SameMinorVersion)
install(EXPORT ess-targets NAMESPACE ess:: DESTINATION ${package_dir})
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/ess-config.cmake
              ${CMAKE_CURRENT_BINARY_DIR}/ess-config-version.cmake DESTINATION ${package_dir})

# pkg-config: paths relative to where ess.pc lies, unless a folder was given as an absolute one
file(RELATIVE_PATH up /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
string(REGEX REPLACE "/$" "" ESS_PC_PREFIX "\${pcfiledir}/${up}")
if(IS_ABSOLUTE "${CMAKE_INSTALL_LIBDIR}")
  set(ESS_PC_PREFIX ${CMAKE_INSTALL_PREFIX})
endif()
cmake_path(APPEND ESS_PC_LIBDIR "\${prefix}" "${CMAKE_INSTALL_LIBDIR}")
cmake_path(APPEND ESS_PC_INCLUDEDIR "\${prefix}" "${CMAKE_INSTALL_INCLUDEDIR}")
configure_file(${CMAKE_CURRENT_LIST_DIR}/ess.pc.in ess.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/ess.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

# manual pages, written anew whenever what they are made of changes; Debian always has Perl
set(manual ${CMAKE_CURRENT_BINARY_DIR}/man3)
set(manual_sources ${PROJECT_SOURCE_DIR}/examples/hopper.c ${CMAKE_CURRENT_SOURCE_DIR}/options.c ${ESS_HEADERS})
list(TRANSFORM manual_sources PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/ REGEX "^ess")
find_program(ESS_PERL perl)
if(ESS_PERL)
  add_custom_command(OUTPUT ${manual}/libess.3
    COMMAND ${ESS_PERL} ${PROJECT_SOURCE_DIR}/tools/manual ${manual} ${manual_sources}
    DEPENDS ${manual_sources} ${PROJECT_SOURCE_DIR}/tools/manual
    VERBATIM)
  add_custom_target(ess_manual ALL DEPENDS ${manual}/libess.3)
  install(DIRECTORY ${manual} DESTINATION ${CMAKE_INSTALL_MANDIR})
else()
  message(STATUS "perl is not installed: no manual is written")
endif()

# licence, and examples that build where they lie
set(doc_dir ${CMAKE_INSTALL_DATAROOTDIR}/doc/libess)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${doc_dir})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/examples DESTINATION ${doc_dir})
