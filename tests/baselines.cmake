# Tests of the other ways to do the same job.
foreach(duty gsl point_mass hybrid)
  ess_test(baselines_${duty} baselines)
endforeach()
