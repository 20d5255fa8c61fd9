# Tests of the other ways to do the same job.
foreach(duty
    cvode
    dopri5
    gsl
    listing
    location
    plain
    hybrid
    smooth
    time_stepping)
  ess_test(baselines_${duty} baselines)
endforeach()
ess_test(baselines_dimension solvers)
if(TARGET PkgConfig::ODE)
  ess_test(baselines_ode baselines)
else()
  ess_test(baselines_ode_absent baselines)
endif()
