# The default method: random systems, stiff floors, hostile systems. `ctest -L tolerance`.
# SPDX-License-Identifier: GPL-3.0-or-later

# random systems against an independent integration; the whole population is not a test
if(ESS_HARNESS)
  set(ESS_RANDOM_SYSTEMS random_systems.c random_systems_draw.c oracle_events.c)
  list(TRANSFORM ESS_RANDOM_SYSTEMS PREPEND ${CMAKE_CURRENT_LIST_DIR}/)
  ess_population(systems GSL::gsl)
  target_sources(population_systems PRIVATE ${ESS_RANDOM_SYSTEMS})
  ess_test(random_systems ess::ess GSL::gsl)
  target_sources(test_random_systems PRIVATE ${ESS_RANDOM_SYSTEMS})
  set_tests_properties(random_systems PROPERTIES LABELS tolerance)
  if(ESS_SANITIZE) # what sanitizers see is in the code, not in numbers
    target_compile_definitions(test_random_systems PRIVATE RANDOM_SYSTEMS=1)
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

# bodies on stiff floors against closed forms
ess_population(floors)
ess_test(stiff_floors ess::ess)
foreach(target population_floors test_stiff_floors)
  target_sources(${target} PRIVATE support/stiff_floors.c)
  target_compile_definitions(${target} PRIVATE _DEFAULT_SOURCE) # M_PI
endforeach()
set_tests_properties(stiff_floors PROPERTIES LABELS tolerance)

# hostile systems by the tens of thousands; the whole population is not a test
set(ESS_HOSTILE_SYSTEMS hostile_systems.c hostile_systems_draw.c hostile_truth.c)
list(TRANSFORM ESS_HOSTILE_SYSTEMS PREPEND ${CMAKE_CURRENT_LIST_DIR}/)
ess_population(hostile)
target_sources(population_hostile PRIVATE ${ESS_HOSTILE_SYSTEMS})
ess_test(hostile_systems ess::ess)
target_sources(test_hostile_systems PRIVATE ${ESS_HOSTILE_SYSTEMS})
set_tests_properties(hostile_systems PROPERTIES LABELS tolerance)
if(ESS_SANITIZE)
  target_compile_definitions(test_hostile_systems PRIVATE HOSTILE_SYSTEMS=50)
endif()

# steps through crossings
ess_test(kinks ess::ess)
ess_test(kinks_choice ess::ess)
target_sources(test_kinks PRIVATE ${ESS_HOSTILE_SYSTEMS})
set_tests_properties(kinks kinks_choice PROPERTIES LABELS tolerance)
if(ESS_SANITIZE)
  target_compile_definitions(test_kinks PRIVATE HOSTILE_SYSTEMS=50)
endif()

# hostile systems, each with a stated outcome
foreach(duty aside bent bowls callbacks cut hidden late left meet rows runs sizes stuck touches)
  ess_test(hostile_${duty} ess::ess)
  set_tests_properties(hostile_${duty} PROPERTIES LABELS tolerance)
endforeach()
if(ESS_SANITIZE)
  target_compile_definitions(test_hostile_sizes PRIVATE HOSTILE_GUARDS=1000)
endif()
if(ESS_HARNESS)
  ess_test(hostile_plate models)
  target_sources(test_hostile_plate PRIVATE support/stiff_floors.c)
  set_tests_properties(hostile_plate PROPERTIES LABELS tolerance)
endif()

# families of systems that people bring; the whole of them by population_families
set(ESS_FAMILIES families.c families_carrier.c families_cradle.c families_pulse.c)
list(TRANSFORM ESS_FAMILIES PREPEND ${CMAKE_CURRENT_LIST_DIR}/)
add_library(families STATIC ${ESS_FAMILIES})
target_link_libraries(families PUBLIC ess::ess m)
ess_compile(families)
ess_population(families families)
ess_test(families families)
set_tests_properties(families PROPERTIES LABELS tolerance)
if(ESS_SANITIZE)
  target_compile_definitions(test_families PRIVATE FAMILY_RUNS=50)
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
