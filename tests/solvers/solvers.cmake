# Tests of the other ways to do the same job.
foreach(duty
    cvode
    dimension
    dopri5
    gsl
    listing
    location
    plain
    hybrid
    sliding
    smooth
    stiff
    time_stepping
    worker)
  ess_test(baselines_${duty} solvers)
endforeach()
if(TARGET PkgConfig::ODE)
  ess_test(baselines_ode solvers)
else()
  ess_test(baselines_ode_absent solvers)
endif()
# what tools/counts plain-cost counts: vectorised as far as a compiler can, which may add in any order
add_executable(plain_by_hand ${CMAKE_CURRENT_LIST_DIR}/plain_by_hand.c)
target_link_libraries(plain_by_hand PRIVATE solvers m)
ess_compile(plain_by_hand)
target_compile_options(plain_by_hand PRIVATE -ffast-math)
# what tools/counts race counts
add_executable(equal_error ${CMAKE_CURRENT_LIST_DIR}/equal_error.c)
target_link_libraries(equal_error PRIVATE experiments m)
ess_compile(equal_error)
