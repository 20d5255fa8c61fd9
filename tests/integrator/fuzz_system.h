/*
 * Random event-selected systems made of bytes, with callbacks that check what libess hands them,
 * write down every call, and fail where the bytes say so.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef FUZZ_SYSTEM_H
#define FUZZ_SYSTEM_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "ess.h"

enum {
  FUZZ_STATES = 6,
  FUZZ_GUARDS = 40, /* event functions: more than two of libess's blocks */
  FUZZ_OWN = 8,     /* those with bytes of their own; the others are copies */
  FUZZ_FAULTS = 3,
  FUZZ_ROWS = 2 * FUZZ_GUARDS + 1, /* of the reset matrix */
  FUZZ_ENTRIES = 3                 /* of each row, at most */
};

/* a contract of ess.h that does not hold ends the program, for the fuzzer to keep the input */
#define FUZZ_REQUIRE(condition, ...)                                                               \
  do {                                                                                             \
    if (!(condition)) {                                                                            \
      fprintf(stderr, "%s:%d: not so: %s; ", __FILE__, __LINE__, #condition);                      \
      fprintf(stderr, __VA_ARGS__);                                                                \
      fputc('\n', stderr);                                                                         \
      abort();                                                                                     \
    }                                                                                              \
  } while (0)

/* what is left of the input; zeros follow its end */
typedef struct fuzz_bytes {
  const uint8_t *next;
  size_t left;
} fuzz_bytes;

uint8_t fuzz_byte(fuzz_bytes *b);

/* one of 0 .. count-1 */
size_t fuzz_choice(fuzz_bytes *b, size_t count);

/* a multiple of 1/32 in [-4, 4); with `wild`, one in sixteen is extreme or not finite */
double fuzz_number(fuzz_bytes *b, bool wild);

/* an event function, of s = normal.x + offset where nothing else is said */
typedef enum fuzz_shape {
  FUZZ_COORDINATE, /* s, along one axis */
  FUZZ_AFFINE,     /* s */
  FUZZ_DUPLICATE,  /* another's, up to sign, moved by a little or not at all */
  FUZZ_SPHERE,     /* offset - |x - normal|^2 */
  FUZZ_WAVE,       /* sin 3s */
  FUZZ_CUBIC,      /* s^3: not live on the guard */
  FUZZ_PLATEAU,    /* max(0, s): identically zero on one side */
  FUZZ_ZERO,       /* identically zero */
  FUZZ_SHAPES
} fuzz_shape;

typedef struct fuzz_guard {
  fuzz_shape shape;
  double normal[FUZZ_STATES], offset, scale;
  double rate_factor; /* 1, or a rate that is not the derivative: a caller's mistake */
  /* what its sign being +1 adds to the field: push + pull * s */
  double push[FUZZ_STATES], pull[FUZZ_STATES];
} fuzz_guard;

typedef enum fuzz_callback {
  FUZZ_FIELD,
  FUZZ_EVENTS,
  FUZZ_JACOBIAN,
  FUZZ_RATES,
  FUZZ_SOME_RATES,
  FUZZ_MODE,
  FUZZ_START,
  FUZZ_CALLBACKS
} fuzz_callback;

/* at its `call`-th call, or from then on, a callback fails or gives this value */
typedef struct fuzz_fault {
  fuzz_callback callback;
  uint64_t call;
  bool lasting;
  int code;     /* nonzero: it fails */
  double value; /* else one of its outputs, number `place` modulo how many there are */
  size_t place;
} fuzz_fault;

/* a reset matrix, and which guards its start disarms */
typedef struct fuzz_resets {
  ess_reset_matrix matrix; /* of the arrays below */
  size_t row_start[FUZZ_ROWS + 1], guard[FUZZ_ROWS * FUZZ_ENTRIES];
  signed char effect[FUZZ_ROWS * FUZZ_ENTRIES];
  bool silent[FUZZ_ROWS], unarmed[FUZZ_ROWS]; /* the last row has no guard */
} fuzz_resets;

/* the system as data; constant while runs are made */
typedef struct fuzz_model {
  size_t dimension, guard_count, fault_count;
  double matrix[FUZZ_STATES][FUZZ_STATES], constant[FUZZ_STATES], drive;
  fuzz_guard guard[FUZZ_GUARDS];
  fuzz_fault fault[FUZZ_FAULTS];
  bool one_way, jacobian, rates, some_rates, mode_changed, has_resets;
  fuzz_resets resets;
} fuzz_model;

/* what one run's callbacks have seen */
typedef struct fuzz_calls {
  const fuzz_model *model;
  uint64_t count[FUZZ_CALLBACKS], limit; /* more calls than the limit are an endless loop */
  uint64_t hash;                         /* of every argument of every call, but */
  uint64_t told;                         /* of mode_changed, this */
  int code;                              /* the last one returned that was not 0 */
  bool lost[FUZZ_CALLBACKS];             /* its latest output is not finite, and was to stay so */
  double swiftest;                       /* largest |dxdt| of any component */
  double time_limit;                     /* the field has no business beyond */
  double sign[FUZZ_GUARDS];              /* as last told by mode_changed */
  double largest[FUZZ_GUARDS];           /* of the terms of each h */
  double fastest[FUZZ_GUARDS];           /* of the terms of each rate */
} fuzz_calls;

/* `wild`: extreme numbers, and rates that are no derivatives; `faulty`: callbacks that fail */
void fuzz_model_read(fuzz_model *model, fuzz_bytes *b, bool wild, bool faulty);

/* damages the reset matrix in one place, so that it is no longer accepted, most often */
void fuzz_resets_damage(fuzz_model *model, fuzz_bytes *b);

/* takes from a system what it cannot be without, or something that it can */
void fuzz_system_damage(ess_system *system, uint8_t which);

/* a state, finite unless `wild`, some of its components exactly on a guard */
void fuzz_state_read(const fuzz_model *model, fuzz_bytes *b, bool wild, double x[]);

/* the system whose callbacks write to *calls */
ess_system fuzz_system(const fuzz_model *model, fuzz_calls *calls);

/* nothing called yet */
void fuzz_calls_start(fuzz_calls *calls, const fuzz_model *model);

/* adds bytes to a hash */
uint64_t fuzz_hash(uint64_t hash, const void *data, size_t size);

/* exactly -1 or +1, each of them */
bool fuzz_signs_exact(const double sign[], size_t count);

/* what a failing input means, for the person who reads it */
void fuzz_numbers_print(const char *name, const double v[], size_t count, FILE *out);
void fuzz_model_print(const fuzz_model *model, FILE *out);

#endif
