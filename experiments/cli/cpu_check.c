/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A processor without AVX gets one clear line instead of an illegal instruction. Runs from the
 * program's pre-initialisation array, before the constructors of any shared library: MuJoCo's own
 * library is compiled for AVX too. This file is compiled without it. */
#include <unistd.h>

#if defined(__x86_64__) && defined(ESSBENCH_NEEDS_AVX)

static void require_avx(int argc, char **argv, char **environment) {
  (void)argc;
  (void)argv;
  (void)environment;
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx")) return;
  static const char line[] = "essbench: this processor has no AVX, for which essbench and MuJoCo's "
                             "own build are compiled; "
                             "configure with -DESS_ISA=baseline -DMUJOCO=system\n";
  const ssize_t written = write(STDERR_FILENO, line, sizeof line - 1);
  _exit(written < 0 ? 3 : 1);
}

typedef void initializer(int, char **, char **);
__attribute__((section(".preinit_array"), used)) static initializer *const check = require_avx;

#else
typedef int cpu_check_has_nothing_to_do;
#endif
