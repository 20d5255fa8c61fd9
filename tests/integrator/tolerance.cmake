# The default method: random systems, stiff floors, hostile systems. `ctest -L tolerance`.
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

# curved guards on paths that clusters bend, against an independent integration
if(ESS_HARNESS)
  set(ESS_BENT_COURSES bent_courses.c bent_courses_draw.c bent_truth.c)
  list(TRANSFORM ESS_BENT_COURSES PREPEND ${CMAKE_CURRENT_LIST_DIR}/)
  ess_population(bent GSL::gsl)
  target_sources(population_bent PRIVATE ${ESS_BENT_COURSES})
  ess_test(bent_courses ess::ess GSL::gsl)
  target_sources(test_bent_courses PRIVATE ${ESS_BENT_COURSES})
  set_tests_properties(bent_courses PROPERTIES LABELS tolerance)
  if(ESS_SANITIZE)
    target_compile_definitions(test_bent_courses PRIVATE BENT_COURSES=2)
  endif()
endif()

# bodies on stiff floors against the truth
ess_population(floors hybrid)
add_test(NAME stiff_floors COMMAND population_floors)
set_tests_properties(stiff_floors PROPERTIES LABELS tolerance)

# hostile systems; more by population_hostile
ess_population(hostile hybrid)
add_test(NAME hostile_systems COMMAND population_hostile)
set_tests_properties(hostile_systems PROPERTIES LABELS tolerance)
if(ESS_SANITIZE)
  target_compile_definitions(population_hostile PRIVATE HOSTILE_SYSTEMS=20)
endif()

# hostile systems, each with a stated outcome
foreach(duty aside bent hidden left)
  ess_test(hostile_${duty} ess::ess)
  set_tests_properties(hostile_${duty} PROPERTIES LABELS tolerance)
endforeach()
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

# hybrid systems whose features are drawn at random, pair by pair; more by population_pairs
set(ESS_PAIR_SYSTEMS pair_systems.c pair_draw.c pair_truth.c)
list(TRANSFORM ESS_PAIR_SYSTEMS PREPEND ${CMAKE_CURRENT_LIST_DIR}/)
add_library(pair_systems STATIC ${ESS_PAIR_SYSTEMS})
target_link_libraries(pair_systems PUBLIC ess::ess m)
target_compile_definitions(pair_systems PRIVATE _DEFAULT_SOURCE) # M_PI
ess_compile(pair_systems)
ess_population(pairs pair_systems)
ess_test(pair_systems pair_systems)
target_compile_definitions(test_pair_systems PRIVATE PAIR_PROJECT="${CMAKE_SOURCE_DIR}")
set_tests_properties(pair_systems PROPERTIES LABELS tolerance)
if(ESS_SANITIZE)
  target_compile_definitions(test_pair_systems PRIVATE PAIR_RUNS=40)
endif()
