/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What anyone would write first: no crossing is looked for. The mode is read off the state, as the
 * signs of all event functions, at every call of the field.
 *
 * That is right where the mode is a function of the state. Where the state jumps, or a reset
 * remembers what has been crossed, the model is refused. */
#ifndef PLAIN_H
#define PLAIN_H

#include "solver.h"

typedef struct plain_mode {
  const model *m;
  double *sign, *before; /* before: only of a model that is told of changes */
  bool known;            /* the model has been told all signs */
  double width; /* of the tanh that stands for each sign, in its event function's unit; 0: none */
  uint64_t evaluations; /* of the field, and as many of the event functions */
} plain_mode;

/* Refuses a model whose mode is no function of its state: 0, or SOLVER_REFUSED with one line. */
int plain_check(const char *solver, const model *m, char message[SOLVER_MESSAGE_SIZE]);

/* And one whose tolerance is not accepted. */
int plain_check_tolerance(const char *solver, const model *m, const solver_settings *settings,
                          char message[SOLVER_MESSAGE_SIZE]);

/* Allocates for a prepared model. 0, or a solver_status with one line. Free with plain_free. */
int plain_alloc(plain_mode *mode, const char *solver, const model *m,
                char message[SOLVER_MESSAGE_SIZE]);
void plain_free(plain_mode *mode);

/* Forgets the run before. */
void plain_start(plain_mode *mode);

/* Into mode->sign: the signs of all event functions at x, or tanh(h / width), of which a model that
 * asks for it is told; and the field in this mode. 0, or what a callback returned. */
int plain_read(plain_mode *mode, double t, const double x[]);
int plain_field_by_signs(plain_mode *mode, double t, const double x[], double dxdt[]);

/* The field in the mode that x has, counted. Here, since a step of Euler is little more than its
 * call. 0, or what a callback returned. */
static inline int plain_field(plain_mode *mode, double t, const double x[], double dxdt[]) {
  const model_type *const type = mode->m->type;
  mode->evaluations++;
  return type->field_by_state && mode->width == 0.0 ? type->field_by_state(mode->m, x, dxdt)
                                                    : plain_field_by_signs(mode, t, x, dxdt);
}

/* Copies the counters to the report. */
void plain_report(const plain_mode *mode, solver_report *report);

/* Counts the crossings that change the field by the samples, as those of other engines without
 * event functions are counted. 0, or SOLVER_FAILED with one line. */
int plain_inspect(plain_mode *mode, const solver_output *output, solver_report *report);

/* A solver of a file that has run_, inspect and release; `prepared` is a call that prepares it, of
 * m, settings, output, instance and message. */
#define PLAIN_SOLVER(id, called, says, run_, prepared)                                             \
  static int prepare_##id(const model *m, const solver_settings *settings,                         \
                          const solver_output *output, void **instance,                            \
                          char message[SOLVER_MESSAGE_SIZE]) {                                     \
    (void)output;                                                                                  \
    return prepared;                                                                               \
  }                                                                                                \
  const solver_type plain_##id##_solver = {.name = called,                                         \
                                           .summary = says,                                        \
                                           .prepare = prepare_##id,                                \
                                           .run = run_,                                            \
                                           .inspect = inspect,                                     \
                                           .release = release}

#endif
