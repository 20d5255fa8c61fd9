/*
 * The model seam. A model is one file that exports one `const model_type`, and one line in the
 * table of models.c; protocols, solvers and the command line know models only through this header.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MODEL_H
#define MODEL_H

#include <gsl/gsl_rng.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ess.h"

enum {
  MODEL_PARAMETERS_MAX = 24,
  MODEL_DIMENSION_MAX = 512,
  MODEL_MESSAGE_SIZE = 256,
  MODEL_NAME_SIZE = 128
};

/*
 * One number a user may set, by the name it has on the command line (`--name`). A parameter with
 * `choices` is an index into that NULL-terminated list and is written by the choice's name.
 */
typedef struct model_parameter {
  const char *name;
  double initial;             /* default value */
  double min, max;            /* accepted range, both ends included */
  bool integer;               /* whole numbers only */
  const char *const *choices; /* NULL: a number */
  const char *help;           /* one line with the unit, for --help */
} model_parameter;

typedef struct model model;

/* The request is not accepted; any other failure is -1. */
enum { MODEL_REFUSED = -2 };

/* Where a reference solution is wanted, and what it says. All arrays are the caller's. */
typedef struct model_reference {
  const double *times; /* ascending, from 0 */
  size_t count;
  double *states;   /* count*n, row-major; filled in */
  size_t events;    /* filled in: crossings that change the field */
  const char *kind; /* filled in: "exact" or "reference" */

  /* Optional: told from time to time how many of the times have been reached. */
  void (*reached)(size_t count, void *context);
  void *context;
} model_reference;

/*
 * A model as a mechanical system pressed by N equal compliant contacts, for methods that form the
 * contact force themselves instead of taking it from the field. State x = (q, v); contact i,
 * pressed p_i(q) deep, pushes with F_i = k p_i + c dp_i/dt while both p_i > 0 and F_i > 0: dq_j/dt
 * = v_j,   dv_j/dt = free_acceleration[j] - inverse_mass[j] sum_i F_i dp_i/dq_j
 */
typedef struct model_mechanics {
  size_t coordinates, contacts; /* half the dimension; N */
  double inverse_mass[MODEL_DIMENSION_MAX / 2], free_acceleration[MODEL_DIMENSION_MAX / 2];
  double stiffness, damping; /* k, c of each contact */
} model_mechanics;

enum { MODEL_IMPACT_CONTACTS = 10, MODEL_MODE_SIZE = 120 };

/* The effect of simultaneous impacts or releases on a model that has contact modes. */
typedef struct model_impact {
  double t;
  size_t solutions; /* of the problem that chose the mode; 1, or a rule chose */
  size_t count;     /* of contacts that landed */
  struct {
    const char *contact;   /* its name, the model's */
    double speed, impulse; /* of approach; that it pushed with */
  } landed[MODEL_IMPACT_CONTACTS];

  /* modes by the names of their contacts, "{left, right}": before, as the impact leaves it, and as
   * it is when what pulls then has let go */
  char before[MODEL_MODE_SIZE], held[MODEL_MODE_SIZE], after[MODEL_MODE_SIZE];
} model_impact;

typedef struct model_type {
  const char *name, *summary;
  const model_parameter *parameters;
  size_t parameter_count;
  size_t dimension;               /* 0: it is a matter of parameters, system.dimension has it */
  const char *const *state_names; /* `dimension` of them; NULL: state_name knows them */
  const char *(*state_name)(const model *m, size_t i); /* the model's, as long as it is prepared */
  double time_step;                                    /* the paper's output step, s */

  /* Fills m->system and m->data from m->value (already in range). 0; MODEL_REFUSED where there is
   * no such model with these parameters together, or -1, with one line. */
  int (*prepare)(model *m, char message[MODEL_MESSAGE_SIZE]);
  void (*release)(model *m);

  /* The start the parameters name (height, tilt, ...). */
  void (*initial_state)(const model *m, double x0[]);

  /* A start drawn from the paper's distribution; models with a single start return that. */
  void (*random_state)(const model *m, gsl_rng *rng, double x0[]);

  /* Exact or reference solution from x0. 0, or -1 with one line. */
  int (*reference)(const model *m, const double x0[], model_reference *out,
                   char message[MODEL_MESSAGE_SIZE]);

  /* Optional (NULL for a model without contacts): how many contacts there are, and, as one 0/1 per
   * contact, whether its force acts at x. Lets an engine without event functions have its crossings
   * counted on its samples. */
  size_t (*contact_count)(const model *m);
  void (*active_contacts)(const model *m, const double x[], unsigned char active[]);

  /* Optional (NULL for a model that is none): it as a mechanical system, and p[N] at x with its
   * gradient[coordinates*N], row j being dp_i/dq_j of all contacts. */
  void (*mechanics)(const model *m, model_mechanics *out);
  void (*penetrations)(const model *m, const double x[], double p[], double gradient[]);

  /* Optional (NULL for a model without contact modes): an impact that libess tells of in words; the
   * mode it starts in. 0, or -1. */
  int (*describe_impact)(const model *m, const ess_impact *impact, model_impact *out);
  int (*describe_start)(const model *m, const double x0[], char mode[MODEL_MODE_SIZE]);

  /* Optional: one line of what a nonzero value of the system's callbacks means, or NULL. */
  const char *(*reason)(int code);

  /* The resets of the system, where it has some, only say what can be crossed next: the mode is a
   * function of the state, by the signs of all event functions. */
  bool mode_of_state;

  /* its field points back to guards from both sides: libess goes on along them
   * (ESS_SLIDING_SLIDE) */
  bool slides;

  /* Optional, where the mode is a function of the state: the field with the mode read off the state
   * at x, in one pass and without event functions, as who looks for no crossing would write it. */
  int (*field_by_state)(const model *m, const double x[], double dxdt[]);

  /* Optional, likewise: the generalised force of all contacts on the coordinates, which an engine
   * that knows the rest of the dynamics adds to its own. 0, or what its callback failed with. */
  int (*contact_force)(const model *m, const double x[], double force[]);

  /* Optional: names of the system's parameters, which are options of the model by the same names;
   * and what the time is called at which the first event function is crossed, where a derivative's
   * run ends there. */
  const char *const *system_parameters;
  const char *end_name;

  /* Whether the crossing that led to `sign` (event function `guard` just flipped) changes f. */
  bool (*changes_field)(const model *m, size_t guard, const double sign[]);

  /* It is of a file that the user names: model.file is not NULL then. A number that no other file's
   * model has: 0, or -1 with one line. */
  bool from_file;
  int (*content)(const model *m, uint64_t *content, char message[MODEL_MESSAGE_SIZE]);

  /* Optional: who runs it where the solver "mujoco" is asked for, in place of its twin. */
  const struct solver_type *engine;
} model_type;

struct model {
  const model_type *type;
  double value[MODEL_PARAMETERS_MAX]; /* in the order of type->parameters */
  const char *file;                   /* borrowed */
  ess_system system;
  void *data; /* the model's own */
};

/* The table, NULL-terminated. */
extern const model_type *const model_types[];

/* NULL when there is none of that name. */
const model_type *model_find(const char *name);

/* All parameters at their defaults, nothing prepared. */
void model_init(model *m, const model_type *type);

/* Sets a parameter from text, or from a number. 0, or -1 with one line that names the parameter and
 * what is accepted. Text is read in the C locale. */
int model_set_text(model *m, const char *name, const char *text, char message[MODEL_MESSAGE_SIZE]);
int model_set(model *m, const char *name, double value, char message[MODEL_MESSAGE_SIZE]);

/* Value of a parameter; NaN when the model has none of that name. */
double model_get(const model *m, const char *name);

/* What a case of it is called: its file without the folder, or else its type. */
void model_case_name(const model *m, char name[MODEL_NAME_SIZE]);

/* How many contacts a prepared model has; 0 of one that has none. */
size_t model_contacts(const model *m);

/* Name of state i of a prepared model, which lives as long as the model stays so. */
const char *model_state_name(const model *m, size_t i);

/* The place of the state of that name; the dimension where there is none. */
size_t model_state_place(const model *m, const char *name);

/* Whether a guard (ESS_GUARD_UP, ESS_GUARD_DOWN) of a prepared model can be crossed at all. */
static inline bool model_has_guard(const model *m, size_t guard) {
  return !m->system.kinds || m->system.kinds[guard] != ESS_GUARD_NONE;
}

/* Energy at x, J: of motion, of weight, and of the springs that are pressed; `work` has room for (1
 * + coordinates) * contacts numbers. NaN where the model is no mechanical system. */
double model_energy(const model *m, const double x[], double work[]);

/* Prepares, and refuses more than MODEL_DIMENSION_MAX states; releases. Release is safe on a model
 * that was never prepared. */
int model_prepare(model *m, char message[MODEL_MESSAGE_SIZE]);
void model_release(model *m);

#endif
