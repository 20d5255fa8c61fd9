# libess alone: needs neither GSL nor MuJoCo

# hybrid systems written as text, the truth about them, and cases of them: each file of cases/ is a test, and the
# properties hold of all systems of cases/systems.txt
add_library(hybrid STATIC support/expression.c support/hybrid.c support/taylor.c support/truth_flow.c
            support/truth_instant.c support/truth.c support/cases.c)
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
ess_test(truth hybrid)
ess_test(properties hybrid)
target_compile_definitions(test_properties PRIVATE SYSTEMS="${CMAKE_CURRENT_LIST_DIR}/cases/systems.txt")

# a population of runs (tools/populations), by its sources and libraries; it sees each driver, because these functions
# are wrapped
add_library(population STATIC integrator/population.c)
target_link_libraries(population PUBLIC ess::ess m)
target_link_options(population INTERFACE
  -Wl,--wrap=ess_driver_alloc,--wrap=ess_driver_set_options,--wrap=ess_driver_free)
ess_compile(population)
add_test(NAME populations COMMAND ${CMAKE_CURRENT_LIST_DIR}/test_populations.sh ${CMAKE_SOURCE_DIR}/tools/populations
                                  ${CMAKE_CURRENT_BINARY_DIR})
function(ess_population name)
  add_executable(population_${name} integrator/population_${name}.c)
  target_link_libraries(population_${name} PRIVATE population ${ARGN})
  ess_compile(population_${name})
endfunction()

ess_test(driver ess::static) # not shared: the allocator is wrapped
ess_test(guards ess::ess)
ess_test(dopri5 ess::ess)
ess_test(brief ess::ess)
ess_test(control ess::ess)
ess_test(local_error ess::ess)
ess_test(statuses ess::ess)
ess_test(start_on_event ess::ess)
ess_test(sort ess::ess) # compiles sort.c itself, to count comparisons
foreach(duty adjoint adjoint_known api_arguments api_arm_ahead api_check_jacobian api_sliding api_wrong_jacobian api_dense api_observers armed_beyond
             backward backward_kinds batches idle impacts impacts_resets impacts_stopped impacts_together jump_times moving_guards no_jacobian order_2 parameters rates refusals resets rodas rodas_random ros2 silent small_print tangents tangents_calls tangents_grazes tangents_hostile tangents_kinks tangents_random tangents_refused tangents_steps tangents_stiff tangents_stiff_random stabilised sliding sliding_ends sliding_random sliding_rest sliding_second stopped timed_jumps watch)
  ess_test(${duty} ess::ess)
endforeach()
foreach(duty rodas_random sliding_random tangents_random) # whose systems are populations, too
  target_link_libraries(test_${duty} PRIVATE population)
endforeach()
add_test(NAME refused_builds COMMAND ${CMAKE_CURRENT_LIST_DIR}/test_refused_builds.sh ${CMAKE_C_COMPILER})
if(ESS_SANITIZE) # what sanitizers see is in the code, not in numbers
  target_compile_definitions(test_armed_beyond PRIVATE ARMED_BEYOND_CASES=500)
  target_compile_definitions(test_tangents_random PRIVATE TANGENT_SYSTEMS=100)
  target_compile_definitions(test_sliding_random PRIVATE SLIDING_SYSTEMS=100)
  target_compile_definitions(test_rodas_random PRIVATE RODAS_SYSTEMS=5)
  target_compile_definitions(test_tangents_stiff_random PRIVATE SYSTEMS=20)
endif()
target_link_options(test_driver PRIVATE -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc)

# contacts with curved event functions: a part of each population; all of them by population_misses
add_library(misses STATIC integrator/misses.c)
target_link_libraries(misses PUBLIC ess::ess m)
ess_compile(misses)
ess_population(misses misses)
ess_test(misses misses)
if(ESS_SANITIZE)
  target_compile_definitions(test_misses PRIVATE MISSES_PART=100)
endif()

# systems whose crossings are impacts: a thousand of each family; more by population_impacts
add_library(impact_families STATIC integrator/impact_families.c)
target_link_libraries(impact_families PUBLIC ess::ess m)
ess_compile(impact_families)
ess_population(impacts impact_families)
ess_test(impact_families impact_families)
if(ESS_SANITIZE)
  target_compile_definitions(test_impact_families PRIVATE FAMILY_RUNS=50)
endif()

# runs that start on an event, at rest, at no rate, or beyond one: some of each family
ess_population(starts)
target_compile_definitions(population_starts PRIVATE _DEFAULT_SOURCE) # clock
add_test(NAME starts COMMAND population_starts 300)

# states that are held and let go of by a wave: a hundred of each family; more by population_slips
add_library(slip_families STATIC integrator/slip_families.c)
target_link_libraries(slip_families PUBLIC ess::ess m)
target_compile_definitions(slip_families PRIVATE _DEFAULT_SOURCE) # M_PI
ess_compile(slip_families)
ess_population(slips slip_families)
ess_test(slip_families slip_families)
if(ESS_SANITIZE)
  target_compile_definitions(test_slip_families PRIVATE SLIP_RUNS=10)
endif()
