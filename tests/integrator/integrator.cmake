# libess alone: needs neither GSL nor MuJoCo

# hybrid systems written as text, the truth about them, and cases of them: each file of cases/ is a test, and the
# properties hold of all systems of cases/systems.txt
add_library(hybrid STATIC support/expression.c support/hybrid.c support/hybrid_run.c support/taylor.c support/truth_flow.c
            support/truth_instant.c support/truth.c support/cases.c support/plate_truth.c)
target_link_libraries(hybrid PUBLIC ess::ess m)
ess_compile(hybrid)
add_executable(check_cases integrator/check_cases.c)
target_link_libraries(check_cases PRIVATE hybrid)
ess_compile(check_cases)
file(GLOB case_files CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/cases/*.txt)
foreach(file ${case_files})
  get_filename_component(name ${file} NAME_WE)
  add_test(NAME cases_${name} COMMAND check_cases ${file})
  list(APPEND ESS_CASES cases_${name})
endforeach()
foreach(duty api arguments bases check_jacobian combinations control guards impacts matrices properties resets sliding stopped tangents
             timed_jumps truth watch)
  ess_test(${duty} hybrid)
endforeach()
target_compile_definitions(test_combinations PRIVATE HEADER="${CMAKE_SOURCE_DIR}/integrator/ess.h")
target_compile_definitions(test_properties PRIVATE SYSTEMS="${CMAKE_CURRENT_LIST_DIR}/cases/systems.txt")

# a population of runs (tools/populations), by its sources and libraries; it sees each driver, because these functions
# are wrapped
add_library(population STATIC integrator/population.c)
target_link_libraries(population PUBLIC ess::ess m)
target_link_options(population INTERFACE
  -Wl,--wrap=ess_driver_alloc,--wrap=ess_driver_set_options,--wrap=ess_driver_free)
ess_compile(population)
add_library(judge STATIC integrator/population_judge.c)
target_link_libraries(judge PUBLIC population hybrid)
ess_compile(judge)
add_test(NAME populations COMMAND ${CMAKE_CURRENT_LIST_DIR}/test_populations.sh ${CMAKE_SOURCE_DIR}/tools/populations
                                  ${CMAKE_CURRENT_BINARY_DIR})
# seeds of its test, and of that in a build with sanitizers, which see what is in the code
function(ess_population name seeds sanitized)
  add_executable(population_${name} integrator/population_${name}.c)
  target_link_libraries(population_${name} PRIVATE population ${ARGN})
  if(ESS_SANITIZE)
    set(seeds ${sanitized})
  endif()
  target_compile_definitions(population_${name} PRIVATE _DEFAULT_SOURCE SEEDS=${seeds}) # M_PI
  ess_compile(population_${name})
endfunction()

ess_test(affine ess::ess)
ess_test(sort ess::ess) # compiles sort.c itself, to count comparisons
add_test(NAME refused_builds COMMAND ${CMAKE_CURRENT_LIST_DIR}/test_refused_builds.sh ${CMAKE_C_COMPILER})
if(ESS_SANITIZE) # what sanitizers see is in the code, not in numbers
  target_compile_definitions(test_resets PRIVATE RESETS_PART=10)
endif()

# the random runs of case files as populations
foreach(population impacts:impact_families misses:contacts tangents:tangents_random rodas:stiff_random
                   starts:starts_random clusters:clusters floors:floors through:through_random)
  string(REPLACE ":" ";" names ${population})
  list(GET names 0 name)
  list(GET names 1 file)
  add_executable(population_${name} integrator/population_cases.c)
  target_link_libraries(population_${name} PRIVATE population hybrid)
  target_compile_definitions(population_${name} PRIVATE CASES="${CMAKE_CURRENT_LIST_DIR}/cases/${file}.txt")
  ess_compile(population_${name})
endforeach()

# random systems with one to six surfaces
ess_population(slides 1000 100 hybrid)
add_test(NAME slide_systems COMMAND population_slides)

# states that are held and let go of by a wave
ess_population(slips 100 10 hybrid)
add_test(NAME slips COMMAND population_slips)
