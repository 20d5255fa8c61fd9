# Finds SUNDIALS' CVODE and makes the target CVODE::CVODE of it. Sets CVODE_FOUND and CVODE_VERSION.
# SPDX-License-Identifier: GPL-3.0-or-later
#
# SUNDIALS' own config package is not used: Debian's wants MPI, OpenMP, PETSc and hypre of whoever
# links the serial library, and clang without libomp fails it.
find_path(CVODE_INCLUDE_DIR cvode/cvode.h)
find_library(CVODE_LIBRARY sundials_cvode)
mark_as_advanced(CVODE_INCLUDE_DIR CVODE_LIBRARY)

if(CVODE_INCLUDE_DIR AND EXISTS ${CVODE_INCLUDE_DIR}/sundials/sundials_config.h)
  file(STRINGS ${CVODE_INCLUDE_DIR}/sundials/sundials_config.h cvode_line
       REGEX "define +SUNDIALS_VERSION +\"")
  if(cvode_line MATCHES "\"([0-9.]+)")
    set(CVODE_VERSION ${CMAKE_MATCH_1})
  endif()
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(
  CVODE
  REQUIRED_VARS CVODE_LIBRARY CVODE_INCLUDE_DIR
  VERSION_VAR CVODE_VERSION
  HANDLE_VERSION_RANGE
  REASON_FAILURE_MESSAGE "install libsundials-dev, or configure with -DESS_HARNESS=OFF for libess alone")

if(CVODE_FOUND AND NOT TARGET CVODE::CVODE)
  add_library(CVODE::CVODE SHARED IMPORTED)
  set_target_properties(CVODE::CVODE PROPERTIES
    IMPORTED_LOCATION ${CVODE_LIBRARY}
    INTERFACE_INCLUDE_DIRECTORIES "${CVODE_INCLUDE_DIR}")
endif()
