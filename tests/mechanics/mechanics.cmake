# Tests of the mechanics room. The oracle, Lemke's algorithm on dense matrices, knows nothing of it.
foreach(name mechanics_algebra mechanics_modes mechanics_trends mechanics_runs)
  ess_test(${name} mechanics)
  target_sources(test_${name} PRIVATE mechanics/random_mechanism.c mechanics/oracle_lcp.c)
endforeach()
ess_test(contact_system mechanics)
set_tests_properties(contact_system mechanics_runs mechanics_algebra mechanics_modes mechanics_trends PROPERTIES LABELS mechanics)
