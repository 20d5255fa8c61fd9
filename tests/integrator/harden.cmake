# libess under fire: fuzzing, failing allocations, threads, valgrind. `ctest -L harden`.
# SPDX-License-Identifier: GPL-3.0-or-later
include(CheckCSourceCompiles)
include(CheckCSourceRuns)
find_package(Threads REQUIRED)
file(GLOB ESS_ALL_SOURCES CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/integrator/*.c)

# libess and a program in one, all of it built with the sanitizers given
function(ess_instrumented name sanitizers)
  add_executable(${name} ${ARGN} ${ESS_ALL_SOURCES})
  target_include_directories(${name} PRIVATE ${CMAKE_SOURCE_DIR}/integrator)
  target_compile_definitions(${name} PRIVATE _DEFAULT_SOURCE)
  ess_compile(${name})
  target_compile_options(${name} PRIVATE -fsanitize=${sanitizers} -fno-sanitize-recover=all -O1 -g)
  target_link_options(${name} PRIVATE -fsanitize=${sanitizers})
  target_link_libraries(${name} PRIVATE m)
endfunction()

# a test that cannot be run here says why
function(ess_skipped name reason)
  add_test(NAME ${name} COMMAND sh -c "echo 'skipped: ${reason}'; exit 77")
  set_tests_properties(${name} PROPERTIES SKIP_RETURN_CODE 77 LABELS harden)
endfunction()

# whether a program built with a sanitizer links, and whether it runs
function(ess_sanitizer_works sanitizer kind source result)
  set(CMAKE_REQUIRED_FLAGS -fsanitize=${sanitizer})
  set(CMAKE_REQUIRED_QUIET ON)
  if(kind STREQUAL "runs")
    check_c_source_runs("${source}" ${result})
  else()
    check_c_source_compiles("${source}" ${result})
  endif()
endfunction()

# --- fuzzing -------------------------------------------------------------------------------------

# every compiler: random inputs, the same ones always; a population, too
add_executable(population_fuzz ${CMAKE_CURRENT_LIST_DIR}/fuzz_driver.c ${CMAKE_CURRENT_LIST_DIR}/fuzz_main.c)
target_link_libraries(population_fuzz PRIVATE population hybrid)
ess_compile(population_fuzz)
set(runs 2000)
if(ESS_SANITIZE)
  set(runs 1500)
endif()
add_test(NAME fuzz_random COMMAND population_fuzz ${runs})
set_tests_properties(fuzz_random PROPERTIES LABELS harden)

# clang: guided by coverage; a fixed number of inputs, so that the machine's speed decides nothing
if(NOT ESS_SANITIZE)
  ess_sanitizer_works(fuzzer,address,undefined links "
    #include <stddef.h>
    int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);
    int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size) { return data && !size; }"
    ESS_HAVE_LIBFUZZER)
endif()
if(ESS_SANITIZE)
  ess_skipped(fuzz_guided "this build has sanitizers of its own")
elseif(ESS_HAVE_LIBFUZZER)
  ess_instrumented(fuzz_driver_guided fuzzer,address,undefined ${CMAKE_CURRENT_LIST_DIR}/fuzz_driver.c
                   support/hybrid.c support/hybrid_run.c support/expression.c support/taylor.c support/truth.c
                   support/truth_flow.c support/truth_instant.c)
  file(MAKE_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/fuzz)
  add_test(NAME fuzz_guided
           COMMAND fuzz_driver_guided -seed=1 -runs=3000 -max_len=800 -timeout=60 -verbosity=0
                   -artifact_prefix=${CMAKE_CURRENT_BINARY_DIR}/fuzz/)
  set_tests_properties(fuzz_guided PROPERTIES LABELS harden)
else()
  ess_skipped(fuzz_guided "${CMAKE_C_COMPILER_ID} ${CMAKE_C_COMPILER_VERSION} has no libFuzzer")
endif()

# --- allocations and threads ---------------------------------------------------------------------

ess_test(allocation ess::static) # not shared: the allocator is wrapped
target_sources(test_allocation PRIVATE support/hybrid.c support/hybrid_run.c support/expression.c)
target_link_options(test_allocation PRIVATE
  -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=aligned_alloc,--wrap=free)

ess_test(threads ess::ess Threads::Threads)
set_tests_properties(allocation threads PROPERTIES LABELS harden)

# some kernels lay out the address space in a way that ThreadSanitizer refuses
if(NOT ESS_SANITIZE)
  ess_sanitizer_works(thread runs "int main(void) { return 0; }" ESS_HAVE_TSAN)
endif()
if(ESS_SANITIZE)
  ess_skipped(threads_sanitized "this build has sanitizers of its own")
elseif(ESS_HAVE_TSAN)
  ess_instrumented(test_threads_sanitized thread ${CMAKE_CURRENT_LIST_DIR}/test_threads.c support/test.c support/test_main.c)
  target_link_libraries(test_threads_sanitized PRIVATE PkgConfig::CMOCKA Threads::Threads)
  add_test(NAME threads_sanitized COMMAND test_threads_sanitized)
  set_tests_properties(threads_sanitized PROPERTIES LABELS harden)
else()
  ess_skipped(threads_sanitized "no program built with ThreadSanitizer runs here")
endif()

# --- valgrind ------------------------------------------------------------------------------------

# what of libess's own tests it is given; the fuzz target shows it states and options of all kinds
find_program(VALGRIND valgrind)
function(ess_valgrind name)
  if(ESS_SANITIZE)
    ess_skipped(valgrind_${name} "this build has sanitizers, which do not run under valgrind")
  elseif(ESS_ISA STREQUAL "native")
    ess_skipped(valgrind_${name} "ESS_ISA=native: valgrind may not know this machine's instructions")
  elseif(NOT VALGRIND)
    ess_skipped(valgrind_${name} "valgrind is not installed")
  else()
    add_test(NAME valgrind_${name}
             COMMAND ${VALGRIND} --quiet --error-exitcode=1 --leak-check=full
                     --errors-for-leak-kinds=all $<TARGET_FILE:${ARGV1}> ${ARGV2})
    set_tests_properties(valgrind_${name} PROPERTIES LABELS harden)
  endif()
endfunction()
foreach(name guards arguments allocation)
  ess_valgrind(${name} test_${name})
endforeach()
ess_valgrind(fuzz population_fuzz 60)
ess_valgrind(steps check_cases ${CMAKE_CURRENT_LIST_DIR}/cases/steps.txt)
