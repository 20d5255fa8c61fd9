# The awkward cases, one CTest each (ctest -L awkward), and the property tests (ctest -L property).
function(ess_awkward name)
  add_executable(awkward_${name} ${CMAKE_CURRENT_LIST_DIR}/awkward_${name}.c)
  target_link_libraries(awkward_${name} PRIVATE ess::ess test_program m)
  target_compile_definitions(awkward_${name} PRIVATE _DEFAULT_SOURCE) # M_PI
  ess_compile(awkward_${name})
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/awkward_${name}.c)
  file(READ ${CMAKE_CURRENT_LIST_DIR}/awkward_${name}.c source)
  string(REGEX MATCHALL "CASE(_OF)?\\([a-z0-9_]+" entries "${source}")
  foreach(entry IN LISTS entries)
    string(REGEX REPLACE "CASE(_OF)?\\(" "" case "${entry}")
    add_test(NAME awkward_${case} COMMAND awkward_${name} ${case})
    set_tests_properties(awkward_${case} PROPERTIES LABELS awkward)
  endforeach()
endfunction()

foreach(name clusters ends touches)
  ess_awkward(${name})
endforeach()

# against exact solutions by GSL's matrix exponential
if(ESS_HARNESS)
  ess_awkward(orders)
  ess_test(property ess::ess)
  foreach(target awkward_orders test_property)
    target_sources(${target} PRIVATE integrator/exact_affine.c integrator/random_affine.c)
    target_link_libraries(${target} PRIVATE GSL::gsl)
  endforeach()
  set_tests_properties(property PROPERTIES LABELS property)
  if(ESS_SANITIZE) # each size of system once: what its sanitizers see is in the code, not in numbers
    target_compile_definitions(test_property PRIVATE PROPERTY_SYSTEMS=96)
  endif()
endif()
