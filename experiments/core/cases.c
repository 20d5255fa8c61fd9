/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cases.h"

#include <math.h>
#include <stdlib.h>

#include "study_run.h"

enum { CHANGES_MAX = 4 };

/* one of a list */
typedef struct case_made {
  struct case_made *next;
  size_t changes;
  double value[CHANGES_MAX]; /* by which it is known: those of all changes, in their order */
  model m;
  contest_starts starts, own; /* drawn, and its own; trials 0: none yet */
} case_made;

static bool is_of(const case_made *c, const model_type *type, const case_change changes[]) {
  size_t i = 0;
  if (c->m.type != type) return false;
  while (changes[i].name && i < c->changes && c->value[i] == changes[i].value) i++;
  return i == c->changes && !changes[i].name;
}

static int prepare(study_run *run, case_made *c, const model_type *type,
                   const case_change changes[]) {
  c->m = *run->m;
  c->m.data = NULL;
  if (c->m.type != type) model_init(&c->m, type);
  for (const case_change *change = changes; change->name; change++) {
    c->value[c->changes++] = change->value;
    if (!isnan(model_get(&c->m, change->name)) &&
        model_set(&c->m, change->name, change->value, run->message))
      return -1;
  }
  return model_prepare(&c->m, run->message);
}

static void release(case_made *c) {
  contest_starts_free(&c->starts);
  contest_starts_free(&c->own);
  model_release(&c->m);
  free(c);
}

static case_made *find(study_run *run, const model_type *type, const case_change changes[]) {
  static const case_change none[] = {{0}};
  if (!changes) changes = none;
  for (case_made *c = run->private->cases; c; c = c->next)
    if (is_of(c, type, changes)) return c;
  case_made *const c = calloc(1, sizeof *c);
  if (!c) {
    measure_message(run->message, "out of memory");
    return NULL;
  }
  if (prepare(run, c, type, changes)) {
    release(c);
    return NULL;
  }
  c->next = run->private->cases;
  return run->private->cases = c;
}

const model *case_model_of(study_run *run, const model_type *type, const case_change changes[]) {
  case_made *const c = find(run, type, changes);
  return c ? &c->m : NULL;
}

const model *case_model(study_run *run, const case_change changes[]) {
  return case_model_of(run, run->m->type, changes);
}

contest_starts *case_starts_of(study_run *run, const model_type *type, const case_change changes[],
                               size_t trials) {
  case_made *const c = find(run, type, changes);
  if (!c) return NULL;
  if (!c->starts.trials &&
      contest_starts_alloc(&c->starts, &c->m, trials, true, run->seed, run->message))
    return NULL;
  return &c->starts;
}

contest_starts *case_own_start_of(study_run *run, const model_type *type,
                                  const case_change changes[]) {
  case_made *const c = find(run, type, changes);
  if (!c) return NULL;
  if (!c->own.trials && contest_starts_alloc(&c->own, &c->m, 1, false, 0, run->message))
    return NULL;
  return &c->own;
}

contest_starts *case_starts(study_run *run, const case_change changes[], size_t trials) {
  return case_starts_of(run, run->m->type, changes, trials);
}

void cases_free(study_run *run) {
  for (case_made *c = run->private->cases, *next; c; c = next) {
    next = c->next;
    release(c);
  }
}
