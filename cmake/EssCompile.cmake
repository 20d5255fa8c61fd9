# How every room is compiled: warnings as errors, instruction set, sanitizers. One function,
# ess_compile(target), so that no room can differ by accident.
include(CheckCCompilerFlag)

set(ESS_C_FLAGS
    -Wall -Wextra -Wconversion -Wshadow -Wstrict-prototypes -Wmissing-prototypes
    $<$<BOOL:${ESS_WERROR}>:-Werror>
    # bit-identical counters across compilers; NaN stays visible (no fast-math); libm sets no errno
    # and nobody reads floating-point exception flags, so loops over contacts may vectorise
    -ffp-contract=off -fno-math-errno -fno-trapping-math
    # MinGW's isfinite and its like also convert to float, in a branch that a double does not take
    $<$<BOOL:${MINGW}>:-Wno-float-conversion>
    # four doubles are passed in another way without AVX; none is, from one file to another
    -Wno-psabi)

if(ESS_ISA STREQUAL "avx")
  # aarch64 and others have no such flag: their baseline is what MuJoCo's own build uses there
  check_c_compiler_flag(-mavx ESS_HAVE_MAVX)
  if(ESS_HAVE_MAVX)
    set(ESS_ISA_FLAGS -mavx)
  endif()
elseif(ESS_ISA STREQUAL "native")
  set(ESS_ISA_FLAGS -march=native)
elseif(NOT ESS_ISA STREQUAL "baseline")
  message(FATAL_ERROR "ESS_ISA=${ESS_ISA} is not accepted; it is avx, native or baseline")
endif()

function(ess_compile target)
  target_compile_options(${target} PRIVATE ${ESS_C_FLAGS} ${ESS_ISA_FLAGS} $<$<CONFIG:Release>:-O3>)
  if(ESS_SANITIZE)
    target_compile_options(${target} PRIVATE -fsanitize=${ESS_SANITIZE} -fno-sanitize-recover=all
                                             -fno-omit-frame-pointer)
    target_link_options(${target} PRIVATE -fsanitize=${ESS_SANITIZE})
  endif()
endfunction()
