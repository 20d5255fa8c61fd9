# The default method: random systems, bent courses, hostile systems. `ctest -L tolerance`.
# SPDX-License-Identifier: GPL-3.0-or-later
function(ess_tolerance test name)
  ess_population(${name} ${ARGN})
  add_test(NAME ${test} COMMAND population_${name})
  set_tests_properties(${test} PROPERTIES LABELS tolerance)
endfunction()

if(ESS_HARNESS)
  # random systems in clusters of crossings, drawn by GSL
  ess_tolerance(random_systems systems 1 1 hybrid GSL::gsl)

  # the plate without tilt
  ess_test(hostile_plate models hybrid)
  set_tests_properties(hostile_plate PROPERTIES LABELS tolerance)
endif()
# curved guards on paths that clusters bend
ess_tolerance(bent_courses bent 15 1 judge)
# more by population_hostile
ess_tolerance(hostile_systems hostile 100 20 judge)
# families of systems that people bring
ess_tolerance(families families 100 5 hybrid)
# hybrid systems whose features are drawn at random
ess_tolerance(pair_systems pairs 60 40 judge)
