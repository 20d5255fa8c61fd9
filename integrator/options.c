/*
 * Options: their defaults, what is refused, what is copied of those in force, and what of the
 * trajectory follows them when others are taken between applies.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>

#include "core.h"
#include "events.h"
#include "impacts.h"
#include "slides.h"
#include "tangents.h"

ess_options ess_options_default(void) {
  return (ess_options){.rtol = 1e-8,
                       .atol = 1e-10,
                       .h_max = INFINITY,
                       .max_steps = 10000000,
                       .max_crossings = 10000000,
                       .method = ESS_METHOD_TOLERANCE,
                       .zeno_impacts = 200,
                       .epsilon = 1e-3,
                       .order = 1,
                       .projection_max = INFINITY};
}

ess_options ess_options_paper(void) {
  ess_options options = ess_options_default();
  options.method = ESS_METHOD_PAPER;
  return options;
}

static const char *check_tolerances(const ess_options *o, size_t n) {
  const bool by_state = o->rtols || o->atols;
  for (size_t i = 0; i < (by_state ? n : 1); i++) {
    const double rtol = o->rtols ? o->rtols[i] : o->rtol, atol = o->atols ? o->atols[i] : o->atol;
    if (!(rtol >= 0.0 && rtol < 1.0))
      return o->rtols ? "each of rtols must be a number in [0, 1)"
                      : "rtol must be a number in [0, 1)";
    if (!(atol >= 0.0) || !isfinite(atol))
      return o->atols ? "each of atols must be a finite number >= 0"
                      : "atol must be a finite number >= 0";
    if (rtol == 0.0 && atol == 0.0)
      return by_state ? "for each state, one of its rtol and atol must be > 0"
                      : "one of rtol and atol must be > 0: ess_options_default() has both";
  }
  return NULL;
}

static const char *check_system(const ess_system *s) {
  if (s->dimension < 1) return "dimension must be at least 1";
  if (!s->field) return "field must not be NULL";
  if (s->guard_count && !s->guards) return "guards must not be NULL when guard_count > 0";
  if (s->guard_time != ESS_TIME_NONE && s->guard_time != ESS_TIME_DIFFERENCED &&
      s->guard_time != ESS_TIME_COLUMN)
    return "guard_time must be ESS_TIME_NONE, ESS_TIME_DIFFERENCED or ESS_TIME_COLUMN";
  if (s->affine_in_signs && !s->guard_count)
    return "affine_in_signs must be false when guard_count is 0";
  const char *wrong = ess_field_jumps_check(s);
  if (!wrong) wrong = ess_resets_check(s);
  if (!wrong) wrong = ess_kinds_check(s);
  return wrong ? wrong : ess_impacts_check(s);
}

const char *ess_check(const ess_system *system, const ess_options *o) {
  if (!system) return "system must not be NULL";
  if (!o) return "options must not be NULL";
  const char *wrong = check_system(system);
  if (!wrong) wrong = check_tolerances(o, system->dimension);
  if (wrong) return wrong;
  if (o->method != ESS_METHOD_TOLERANCE && o->method != ESS_METHOD_PAPER)
    return "method must be ESS_METHOD_TOLERANCE or ESS_METHOD_PAPER";
  if (o->base != ESS_BASE_DOPRI5 && o->base != ESS_BASE_RKC && o->base != ESS_BASE_CHOSEN &&
      o->base != ESS_BASE_RODAS && o->base != ESS_BASE_ROS2 && o->base != ESS_BASE_CHOSEN_RODAS)
    return "base must be ESS_BASE_DOPRI5, ESS_BASE_RKC, ESS_BASE_CHOSEN, ESS_BASE_RODAS, "
           "ESS_BASE_ROS2 or ESS_BASE_CHOSEN_RODAS";
  if (o->base == ESS_BASE_ROS2 && !system->field_solve) return "ESS_BASE_ROS2 needs field_solve";
  if (!(o->h_max > 0.0)) return "h_max must be > 0 (INFINITY is accepted)";
  if (!(o->h_init >= 0.0) || !isfinite(o->h_init)) return "h_init must be a finite number >= 0";
  if (o->max_steps < 1) return "max_steps must be at least 1";
  if (o->max_crossings < 1) return "max_crossings must be at least 1";
  if (!(o->tie >= 0.0) || !isfinite(o->tie)) return "tie must be a finite number >= 0";
  if (o->zeno_impacts < 4) return "zeno_impacts must be at least 4";
  wrong = ess_slide_check(system, o);
  if (!wrong) wrong = ess_projection_check(system, o);
  if (!wrong) wrong = ess_parameters_check(system, o);
  return wrong ? wrong : ess_watched_check(system);
}

/* by state, that of time as the first; beyond the last nothing is ever wrong */
static void copy_tolerances(ess_driver *d, const ess_options *o) {
  const size_t n = ess_caller_states(d);
  for (size_t i = 0; i < d->lanes; i++) {
    d->rtol[i] = i >= n ? 0.0 : o->rtols ? o->rtols[i] : o->rtol;
    d->atol[i] = i >= n ? 1.0 : o->atols ? o->atols[i] : o->atol;
  }
  if (!d->caller.moves) return;
  // an absolute tolerance alone, of a state, is not to ask of time what rounding does not give
  d->rtol[n] = d->rtol[0] > 0.0 ? d->rtol[0] : 1e-8;
  d->atol[n] = d->atol[0];
}

void ess_take_options(ess_driver *d, const ess_options *options) {
  d->options = *options;
  d->scheme = options->method == ESS_METHOD_PAPER ? &ess_scheme_projection : &ess_scheme_tolerance;
  ess_base_take(d);
  copy_tolerances(d, options);
  if (d->slides) ess_slides_keep_tolerances(d);
  for (size_t k = 0; k < d->system.guard_count; k++) d->grain[k] = 0.0;
  ess_projection_take(d);
  d->options.rtols = d->options.atols = d->options.guard_epsilons = NULL;
  d->options.slides = NULL;
  d->options.observer = ess_watched_observer(d, &options->observer);
  ess_caller_dress(d);
}

/* arrays are of the caller's event functions, without those that are watched */
static const char *check_anew(const ess_driver *d, const ess_options *options) {
  if (!options) return "options must not be NULL";
  ess_system own = d->caller.system;
  ess_options plain = *options;
  own.guard_count = d->watched.first;
  plain.slides = NULL; // of which nothing is left that could be checked
  return ess_check(&own, &plain);
}

int ess_driver_set_options(ess_driver *d, const ess_options *options) {
  if (!d) return ESS_EINVAL;
  const char *wrong = NULL;
  if (d->applying) wrong = "options change between applies, not within one";
  if (!wrong) wrong = check_anew(d, options);
  if (!wrong &&
      ((options->sliding == ESS_SLIDING_STOP) != (d->options.sliding == ESS_SLIDING_STOP) ||
       !ess_slides_stay(d, options)))
    wrong = "sliding and slides are chosen when the driver is allocated";
  if (!wrong && options->base != d->options.base &&
      (ess_may_be_implicit(options->base) || ess_may_be_implicit(d->options.base)))
    wrong = "ESS_BASE_RODAS, ESS_BASE_CHOSEN_RODAS and ESS_BASE_ROS2 are chosen when the driver is "
            "allocated";
  if (!wrong && options->method == ESS_METHOD_PAPER && d->tangents && d->tangents->tape)
    wrong = "ESS_METHOD_PAPER has no adjoint: end the recording first";
  if (wrong) return ess_refuse(d, wrong);
  ess_take_options(d, options);
  ess_no_failure(d);
  return ESS_SUCCESS;
}
