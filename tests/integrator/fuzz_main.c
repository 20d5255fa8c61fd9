/*
 * Runs a fuzz target without a fuzzer: on a number of random inputs, which a seed determines; on
 * the files given; or as a population (population.h).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "draws.h"
#include "population.h"

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
static void run_random(uint64_t seed) {
  uint8_t input[INPUT_MAX];
  uint64_t state = seed;
  const size_t size = (size_t)(draw_bits(&state) % (INPUT_MAX + 1));
  for (size_t i = 0; i < size; i++) input[i] = (uint8_t)(draw_bits(&state) >> 56);
  if (getenv("FUZZ_PRINT")) fprintf(stderr, "input %llu\n", (unsigned long long)seed);
  LLVMFuzzerTestOneInput(input, size);
}

/* The target judges a run itself, and aborts: the row has its status, counters and nodes. */
static void row_of(uint64_t seed) {
  run_random(seed);
  population_row("input", seed, 0.0, POPULATION_RIGHT, 0.0);
}

int main(int argc, char *argv[]) {
  int status = EXIT_SUCCESS;
  char *end;
  if (population_rows(argc, argv, row_of, &status)) return status;
  const uint64_t runs = argc > 1 ? strtoull(argv[1], &end, 10) : 1000;
  if (argc < 2 || !*end) {
    const uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 0;
    for (uint64_t run = 0; run < runs; run++) run_random(seed + run);
    printf("%llu random inputs\n", (unsigned long long)runs);
  } else {
    for (int i = 1; i < argc && !status; i++) status = run_file(argv[i]);
  }
  return status;
}
