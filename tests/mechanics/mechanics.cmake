# Tests of the mechanics room. The oracle, Lemke's algorithm on dense matrices, knows nothing of it.
foreach(name mechanics_algebra mechanics_modes mechanics_trends)
  ess_test(${name} mechanics)
  target_sources(test_${name} PRIVATE mechanics/random_mechanism.c mechanics/oracle_lcp.c)
endforeach()
set_tests_properties(mechanics_algebra mechanics_modes mechanics_trends PROPERTIES LABELS mechanics)
