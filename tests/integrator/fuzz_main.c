/*
 * Runs a fuzz target without a fuzzer: on a number of random inputs, always the same ones, or on
 * the files given.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "draws.h"

#include <stdio.h>
#include <stdlib.h>

enum { INPUT_MAX = 800 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int run_file(const char *name) {
  uint8_t input[4096];
  FILE *const file = fopen(name, "rb");
  if (!file) {
    perror(name);
    return EXIT_FAILURE;
  }
  const size_t size = fread(input, 1, sizeof input, file);
  fclose(file);
  LLVMFuzzerTestOneInput(input, size);
  return EXIT_SUCCESS;
}

/* the number of the input that fails is the last one printed */
static void run_random(uint64_t runs, uint64_t seed) {
  uint8_t input[INPUT_MAX];
  for (uint64_t run = 0; run < runs; run++) {
    uint64_t state = seed + run;
    const size_t size = (size_t)(draw_bits(&state) % (INPUT_MAX + 1));
    for (size_t i = 0; i < size; i++) input[i] = (uint8_t)(draw_bits(&state) >> 56);
    if (getenv("FUZZ_PRINT")) fprintf(stderr, "input %llu\n", (unsigned long long)(seed + run));
    LLVMFuzzerTestOneInput(input, size);
  }
}

int main(int argc, char **argv) {
  int status = EXIT_SUCCESS;
  char *end;
  const uint64_t runs = argc > 1 ? strtoull(argv[1], &end, 10) : 1000;
  if (argc < 2 || !*end) {
    run_random(runs, argc > 2 ? strtoull(argv[2], NULL, 10) : 0);
    printf("%llu random inputs\n", (unsigned long long)runs);
  } else {
    for (int i = 1; i < argc && !status; i++) status = run_file(argv[i]);
  }
  return status;
}
