/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What stands in every result file beside the numbers: environment, MuJoCo, seed, model. */
#ifndef RECORD_H
#define RECORD_H

#include <jansson.h>
#include <limits.h>

#include "bridge.h"
#include "csv.h"

/* The environment as it is now, with what the machine itself cannot tell: a new reference, or NULL
 * when memory is out. */
json_t *record_environment_now(int pinned_core);

/* The same, to be looked at right before measuring; prints each of its warnings
 * on one line of the standard error. 0 and a new reference; or -1 with one line, when there is a
 * warning and `strict` is true, or memory is out and *environment NULL. */
int record_environment(int pinned_core, bool strict, json_t **environment,
                       char message[MEASURE_MESSAGE_SIZE]);

/* A new object: schema name and version, program, command, seed, environment (whose reference it
 * takes). NULL when memory is out. */
json_t *record_head(const char *schema, const char *name, unsigned long seed, json_t *environment);

/* A new object of what was compiled: commit, compiler, flags, instruction set. */
json_t *record_build(void);

/* A new object with every parameter of the model by name; and the same behind the name of the
 * model. */
json_t *record_model(const model *m);
json_t *record_named_model(const model *m);

/* A new object of solver settings; null where one is not known. */
json_t *record_settings(const solver_settings *s);

/* "DIR/NAME", which is returned. One that does not fit is cut to what is longer still than any path
 * that the system opens: who opens it says so. */
enum { RECORD_PATH_SIZE = PATH_MAX + 1 };
const char *record_path(char path[RECORD_PATH_SIZE], const char *folder, const char *name);

#endif
