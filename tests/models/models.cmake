# Tests of the models room. The truth integrates the plate without libess and without models/.
foreach(name contact_models legged rhex model mechanics affine3 plate_projection plate_resets linked refused orbit slip
             trot corner_springs slides)
  ess_test(${name} models)
endforeach()
foreach(name hopper plate plate_reference)
  ess_test(${name} models hybrid)
endforeach()

# a locale with a decimal comma to read numbers under, made here where none is installed
find_program(ESS_LOCALEDEF localedef)
if(ESS_LOCALEDEF AND EXISTS /usr/share/i18n/locales/de_DE)
  set(locale_folder ${CMAKE_CURRENT_BINARY_DIR}/locale)
  if(NOT EXISTS ${locale_folder}/de_DE.UTF-8)
    file(MAKE_DIRECTORY ${locale_folder})
    execute_process(COMMAND ${ESS_LOCALEDEF} -i de_DE -f UTF-8 ${locale_folder}/de_DE.UTF-8)
  endif()
  set_tests_properties(model PROPERTIES ENVIRONMENT LOCPATH=${locale_folder})
endif()

# not a test: what the plate's errors are at a tolerance, to tune and to look at
add_executable(lab_tolerance EXCLUDE_FROM_ALL models/lab_tolerance.c)
target_link_libraries(lab_tolerance PRIVATE models)
target_compile_definitions(lab_tolerance PRIVATE _DEFAULT_SOURCE)
ess_compile(lab_tolerance)

# Siconos, where it is there (libsiconos-kernel-dev), is one more opinion on impacts
find_path(SICONOS_INCLUDE siconos/kernel/SiconosKernel.hpp)
find_library(SICONOS_KERNEL siconos_kernel)
find_library(SICONOS_NUMERICS siconos_numerics)
mark_as_advanced(SICONOS_INCLUDE SICONOS_KERNEL SICONOS_NUMERICS)
if(SICONOS_INCLUDE AND SICONOS_KERNEL AND SICONOS_NUMERICS AND NOT ESS_SANITIZE)
  enable_language(CXX)
  add_library(siconos_block STATIC models/siconos_block.cpp)
  set_target_properties(siconos_block PROPERTIES CXX_STANDARD 17)
  target_include_directories(siconos_block SYSTEM PRIVATE
    ${SICONOS_INCLUDE} ${SICONOS_INCLUDE}/siconos ${SICONOS_INCLUDE}/siconos/kernel
    ${SICONOS_INCLUDE}/siconos/numerics)
  target_link_libraries(siconos_block PRIVATE ${SICONOS_KERNEL} ${SICONOS_NUMERICS})
  ess_test(siconos models siconos_block)
else()
  message(STATUS "Without the test siconos: libsiconos-kernel-dev is not there")
endif()
