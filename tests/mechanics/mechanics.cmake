# Tests of the mechanics room. The oracle, Lemke's algorithm on dense matrices, knows nothing of it.
foreach(name mechanics_algebra mechanics_modes mechanics_trends mechanics_runs mechanics_theorems
             mechanics_attacks)
  ess_test(${name} mechanics)
  target_sources(test_${name} PRIVATE mechanics/random_mechanism.c mechanics/oracle_lcp.c)
endforeach()
ess_test(contact_system mechanics)
ess_test(contact_friction mechanics)
ess_test(mechanics_long mechanics)
set_tests_properties(contact_friction contact_system mechanics_long mechanics_runs mechanics_algebra mechanics_modes mechanics_trends mechanics_theorems
                     mechanics_attacks PROPERTIES LABELS mechanics)
