# The default method: random systems, bent courses, hostile systems. `ctest -L tolerance`.
# SPDX-License-Identifier: GPL-3.0-or-later

# random systems in clusters of crossings
if(ESS_HARNESS) # drawn by GSL
  ess_population(systems hybrid GSL::gsl)
  add_test(NAME random_systems COMMAND population_systems)
  set_tests_properties(random_systems PROPERTIES LABELS tolerance)
  if(ESS_SANITIZE)
    target_compile_definitions(population_systems PRIVATE RANDOM_SYSTEMS=1)
  endif()
endif()

# curved guards on paths that clusters bend
ess_population(bent judge)
add_test(NAME bent_courses COMMAND population_bent)
set_tests_properties(bent_courses PROPERTIES LABELS tolerance)
if(ESS_SANITIZE)
  target_compile_definitions(population_bent PRIVATE BENT_COURSES=1)
endif()

# hostile systems; more by population_hostile
ess_population(hostile judge)
add_test(NAME hostile_systems COMMAND population_hostile)
set_tests_properties(hostile_systems PROPERTIES LABELS tolerance)
if(ESS_SANITIZE)
  target_compile_definitions(population_hostile PRIVATE HOSTILE_SYSTEMS=20)
endif()

# the plate without tilt
if(ESS_HARNESS)
  ess_test(hostile_plate models hybrid)
  set_tests_properties(hostile_plate PROPERTIES LABELS tolerance)
endif()

# families of systems that people bring
ess_population(families hybrid)
add_test(NAME families COMMAND population_families)
set_tests_properties(families PROPERTIES LABELS tolerance)
if(ESS_SANITIZE)
  target_compile_definitions(population_families PRIVATE FAMILY_RUNS=5)
endif()

# hybrid systems whose features are drawn at random
ess_population(pairs judge)
target_compile_definitions(population_pairs PRIVATE _DEFAULT_SOURCE) # M_PI
add_test(NAME pair_systems COMMAND population_pairs)
set_tests_properties(pair_systems PROPERTIES LABELS tolerance)
if(ESS_SANITIZE)
  target_compile_definitions(population_pairs PRIVATE PAIR_RUNS=40)
endif()
