# The default method: random systems, stiff floors, hostile systems. `ctest -L tolerance`.
# SPDX-License-Identifier: GPL-3.0-or-later

# random systems against an independent integration; the whole population is not a test
if(ESS_HARNESS)
  set(ESS_RANDOM_SYSTEMS random_systems.c random_systems_draw.c oracle_events.c)
  list(TRANSFORM ESS_RANDOM_SYSTEMS PREPEND ${CMAKE_CURRENT_LIST_DIR}/)
  add_executable(population_systems integrator/population_systems.c ${ESS_RANDOM_SYSTEMS})
  target_link_libraries(population_systems PRIVATE ess::ess GSL::gsl m)
  ess_compile(population_systems)
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
  add_executable(population_bent integrator/population_bent.c ${ESS_BENT_COURSES})
  target_link_libraries(population_bent PRIVATE ess::ess GSL::gsl m)
  ess_compile(population_bent)
  ess_test(bent_courses ess::ess GSL::gsl)
  target_sources(test_bent_courses PRIVATE ${ESS_BENT_COURSES})
  set_tests_properties(bent_courses PROPERTIES LABELS tolerance)
  if(ESS_SANITIZE)
    target_compile_definitions(test_bent_courses PRIVATE BENT_COURSES=2)
  endif()
endif()

# bodies on stiff floors against closed forms
add_executable(population_floors integrator/population_floors.c support/stiff_floors.c)
target_link_libraries(population_floors PRIVATE ess::ess m)
ess_compile(population_floors)
ess_test(stiff_floors ess::ess)
target_sources(test_stiff_floors PRIVATE support/stiff_floors.c)
foreach(target population_floors test_stiff_floors)
  target_compile_definitions(${target} PRIVATE _DEFAULT_SOURCE) # M_PI
endforeach()
set_tests_properties(stiff_floors PROPERTIES LABELS tolerance)

# hostile systems by the tens of thousands; the whole population is not a test
set(ESS_HOSTILE_SYSTEMS hostile_systems.c hostile_systems_draw.c hostile_truth.c)
list(TRANSFORM ESS_HOSTILE_SYSTEMS PREPEND ${CMAKE_CURRENT_LIST_DIR}/)
add_executable(population_hostile integrator/population_hostile.c ${ESS_HOSTILE_SYSTEMS})
target_link_libraries(population_hostile PRIVATE ess::ess m)
ess_compile(population_hostile)
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
add_executable(population_families integrator/population_families.c)
target_link_libraries(population_families PRIVATE families)
ess_compile(population_families)
ess_test(families families)
set_tests_properties(families PROPERTIES LABELS tolerance)
if(ESS_SANITIZE)
  target_compile_definitions(test_families PRIVATE FAMILY_RUNS=50)
endif()
