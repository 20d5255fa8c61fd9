/*
 * ess_check_jacobian of the field and of impacts: both are checked as event functions are, as
 * systems whose event functions are their components.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdlib.h>
#include <string.h>

#include "check.h"

/* what such a system's callbacks need */
typedef struct part {
  const ess_system *system;
  double t;
  size_t event; /* of the impact; SIZE_MAX: the field */
  double *sign, *mode, *after;
  bool *armed;
} part;

/* an impact at x of one event alone, in the mode before it */
static ess_impact impact_at(part *p, const double x[], double after[]) {
  const size_t n = p->system->dimension, m = p->system->guard_count, k = p->event;
  memcpy(after, x, n * sizeof *after);
  memcpy(p->mode, p->sign, m * sizeof *p->mode);
  memset(p->armed, 0, 2 * m * sizeof *p->armed);
  p->mode[k] = -p->sign[k];
  return (ess_impact){.t = p->t,
                      .count = 1,
                      .events = &p->event,
                      .x = x,
                      .sign = p->sign,
                      .after = after,
                      .mode = p->mode,
                      .armed = p->armed};
}

static int part_values(double t, const double x[], double h[], void *params) {
  part *const p = params;
  const ess_system *const s = p->system;
  if (p->event == SIZE_MAX) return s->field(t, x, p->sign, h, s->params);
  ess_impact impact = impact_at(p, x, h);
  return s->impacts->map(&impact, s->params);
}

static int part_jacobian(double t, const double x[], double Dh[], void *params) {
  part *const p = params;
  const ess_system *const s = p->system;
  if (p->event == SIZE_MAX) return s->field_jacobian(t, x, p->sign, Dh, s->params);
  ess_impact impact = impact_at(p, x, p->after);
  const int code = s->impacts->map(&impact, s->params);
  return code ? code : s->impacts->jacobian(&impact, Dh, s->params);
}

static int part_field(double t, const double x[], const double sign[], double dxdt[],
                      void *params) {
  const part *const p = params;
  (void)sign;
  return p->system->field(t, x, p->sign, dxdt, p->system->params);
}

static int check_part(part *p, const double x[], ess_jacobian_of of, ess_jacobian_check *worst) {
  const ess_system *const s = p->system;
  const ess_system as_events = {.dimension = s->dimension,
                                .guard_count = s->dimension,
                                .field = part_field,
                                .guards = part_values,
                                .guard_jacobian = part_jacobian,
                                .params = p};
  ess_jacobian_check found;
  if (s->mode_changed && s->mode_changed(p->sign, s->guard_count, s->params)) return ESS_ECALLBACK;
  const int status = ess_check_events(&as_events, p->t, x, &found);
  if (status != ESS_EJACOBIAN || !worst) return status;
  *worst = found;
  worst->of = of;
  worst->event = p->event;
  return status;
}

/* the field, then each impact */
static int check_parts(part *p, const double x[], ess_jacobian_check *worst) {
  const ess_system *const s = p->system;
  const size_t m = s->guard_count;
  if (m && s->guards(p->t, x, p->sign, s->params)) return ESS_ECALLBACK;
  for (size_t k = 0; k < m; k++) p->sign[k] = p->sign[k] >= 0.0 ? 1.0 : -1.0;
  int status = ESS_SUCCESS;
  if (s->field_jacobian) status = check_part(p, x, ESS_JACOBIAN_OF_FIELD, worst);
  if (!s->impacts || !s->impacts->jacobian) return status;
  for (size_t j = 0; !status && j < 2 * m; j++) {
    if ((s->impacts->at && !s->impacts->at[j]) || (j % 2 && s->one_way)) continue;
    p->event = j / 2;
    const double held = p->sign[p->event];
    p->sign[p->event] = j % 2 ? 1.0 : -1.0;
    status = check_part(p, x, ESS_JACOBIAN_OF_IMPACT, worst);
    p->sign[p->event] = held;
  }
  return status;
}

int ess_check_jacobian(const ess_system *system, double t, const double x[],
                       ess_jacobian_check *worst) {
  const int status = ess_check_events(system, t, x, worst);
  if (status || !(system->field_jacobian || system->impacts)) return status;
  const size_t n = system->dimension, m = system->guard_count;
  if (n > SIZE_MAX / sizeof(double) / 16 || m > SIZE_MAX / sizeof(double) / 16) return ESS_ENOMEM;
  double *const memory = calloc(1, (n + 2 * m) * sizeof(double) + 2 * m * sizeof(bool));
  if (!memory) return ESS_ENOMEM;
  part p = {.system = system,
            .t = t,
            .event = SIZE_MAX,
            .sign = memory,
            .mode = memory + m,
            .after = memory + 2 * m,
            .armed = (bool *)(memory + 2 * m + n)};
  const int found = check_parts(&p, x, worst);
  free(memory);
  return found;
}
