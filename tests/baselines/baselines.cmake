# Tests of the other ways to do the same job.
foreach(duty
    cvode
    dopri5
    gsl
    listing
    location
    hybrid
    smooth
    time_stepping)
  ess_test(baselines_${duty} baselines)
endforeach()
ess_test(baselines_dimension solvers)
