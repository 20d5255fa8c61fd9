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
                       .zeno_impacts = 200,
                       .event_cost = 1.0,
                       .projection = {.order = 1, .duration_max = INFINITY}};
}

ess_options ess_options_paper(void) {
  ess_options options = ess_options_default();
  options.projection.epsilon = 1e-3;
  return options;
}

static ess_tolerance tolerance_of(const ess_options *o, size_t i) {
  return o->tolerances ? o->tolerances[i] : (ess_tolerance){.rtol = o->rtol, .atol = o->atol};
}

static const char *check_tolerances(const ess_options *o, size_t n) {
  for (size_t i = 0; i < (o->tolerances ? n : 1); i++) {
    const ess_tolerance of = tolerance_of(o, i);
    if (!(of.rtol >= 0.0 && of.rtol < 1.0))
      return o->tolerances ? "rtol in each of tolerances must be a number in [0, 1)"
                           : "rtol must be a number in [0, 1)";
    if (!(of.atol >= 0.0) || !isfinite(of.atol))
      return o->tolerances ? "atol in each of tolerances must be a finite number >= 0"
                           : "atol must be a finite number >= 0";
    if (of.rtol == 0.0 && of.atol == 0.0)
      return o->tolerances ? "one of rtol and atol in each of tolerances must be > 0"
                           : "one of rtol and atol must be > 0: ess_options_default() has both";
  }
  return NULL;
}

static const char *check_system(const ess_system *s) {
  if (s->dimension < 1) return "dimension must be at least 1";
  if (!s->field) return "field must not be NULL";
  if (s->event_count && !s->event_functions)
    return "event_functions must not be NULL when event_count > 0";
  if (s->time_dependence != ESS_TIME_NONE && s->time_dependence != ESS_TIME_DIFFERENCED &&
      s->time_dependence != ESS_TIME_COLUMN)
    return "time_dependence must be ESS_TIME_NONE, ESS_TIME_DIFFERENCED or ESS_TIME_COLUMN";
  if (s->affine_in_signs && !s->event_count)
    return "affine_in_signs must be false when event_count is 0";
  const char *wrong = ess_field_jumps_check(s);
  if (!wrong) wrong = ess_resets_check(s);
  if (!wrong) wrong = ess_kinds_check(s);
  return wrong ? wrong : ess_impacts_check(s);
}

/* Events may be stepped over if nobody asks for their times, and the mode is that of the state. */
static const char *check_locate(const ess_system *s, const ess_options *o) {
  const ess_observer *const b = &o->observer;
  if (o->locate != ESS_LOCATE_ALL && o->locate != ESS_LOCATE_NONE && o->locate != ESS_LOCATE_CHOSEN)
    return "locate must be ESS_LOCATE_ALL, ESS_LOCATE_NONE or ESS_LOCATE_CHOSEN";
  if (!(o->event_cost > 0.0) || !isfinite(o->event_cost))
    return "event_cost must be a finite number > 0";
  if (o->locate == ESS_LOCATE_ALL) return NULL;
  if (s->impacts) return "locate must be ESS_LOCATE_ALL for a system with impacts";
  if (s->resets) return "locate must be ESS_LOCATE_ALL for a system with resets";
  if (s->start) return "locate must be ESS_LOCATE_ALL for a system with start";
  for (size_t j = 0; s->kinds && j < 2 * s->event_count; j++)
    if (s->kinds[j] != ESS_GUARD_CHANGES_FIELD)
      return "locate must be ESS_LOCATE_ALL unless each of kinds is ESS_GUARD_CHANGES_FIELD";
  if (b->crossing || b->impact || b->event || b->slide)
    return "locate must be ESS_LOCATE_ALL where an observer listens to crossings, impacts, events "
           "or slides";
  return NULL;
}

const char *ess_check(const ess_system *system, const ess_options *o) {
  if (!system) return "system must not be NULL";
  if (!o) return "options must not be NULL";
  const char *wrong = check_system(system);
  if (!wrong) wrong = check_tolerances(o, system->dimension);
  if (wrong) return wrong;
  if (o->base != ESS_BASE_DOPRI5 && o->base != ESS_BASE_RKC && o->base != ESS_BASE_CHOSEN &&
      o->base != ESS_BASE_RODAS && o->base != ESS_BASE_ROS2 && o->base != ESS_BASE_CHOSEN_RODAS &&
      o->base != ESS_BASE_LIT)
    return "base must be ESS_BASE_DOPRI5, ESS_BASE_RKC, ESS_BASE_CHOSEN, ESS_BASE_RODAS, "
           "ESS_BASE_ROS2, ESS_BASE_CHOSEN_RODAS or ESS_BASE_LIT";
  if (o->base == ESS_BASE_ROS2 && !system->field_solve) return "ESS_BASE_ROS2 needs field_solve";
  if (o->base == ESS_BASE_LIT && !system->field_solve) return "ESS_BASE_LIT needs field_solve";
  wrong = check_locate(system, o);
  if (wrong) return wrong;
  if (!(o->h_max > 0.0)) return "h_max must be > 0 (INFINITY is accepted)";
  if (!(o->h_init >= 0.0) || !isfinite(o->h_init)) return "h_init must be a finite number >= 0";
  if (o->max_steps < 1) return "max_steps must be at least 1";
  if (o->max_crossings < 1) return "max_crossings must be at least 1";
  if (!(o->tie >= 0.0) || !isfinite(o->tie)) return "tie must be a finite number >= 0";
  if (o->zeno_impacts < 4) return "zeno_impacts must be at least 4";
  wrong = ess_slide_check(system, o);
  if (!wrong) wrong = ess_projection_check(system, o);
  if (!wrong && o->sliding != ESS_SLIDING_STOP) wrong = ess_refused_with(o, ESS_WITH_SLIDING);
  if (!wrong && ess_projects(o)) wrong = ess_refused_with(o, ESS_WITH_PROJECTION);
  if (!wrong && system->watch.count) wrong = ess_refused_with(o, ESS_WITH_WATCH);
  if (!wrong) wrong = ess_parameters_check(system, o);
  return wrong ? wrong : ess_watched_check(system);
}

void ess_take_options(ess_driver *d, const ess_options *options) {
  const size_t n = ess_caller_states(d);
  d->options = *options;
  d->scheme = ess_projects(options) ? &ess_scheme_projection : &ess_scheme_tolerance;
  ess_base_take(d);
  for (size_t i = 0; i < d->lanes; i++) { // beyond the last state nothing is ever wrong
    const ess_tolerance of =
        i < n ? tolerance_of(options, i) : (ess_tolerance){.rtol = 0.0, .atol = 1.0};
    d->rtol[i] = of.rtol;
    d->atol[i] = of.atol;
  }
  if (d->caller.moves) {
    // time has the tolerance of the first state; if that is absolute alone, it is not to ask of
    // time more than rounding gives
    d->rtol[n] = d->rtol[0] > 0.0 ? d->rtol[0] : 1e-8;
    d->atol[n] = d->atol[0];
  }
  if (d->slides) ess_slides_keep_tolerances(d);
  for (size_t k = 0; k < d->system.event_count; k++) d->grains.of[k] = 0.0;
  ess_projection_take(d);
  d->options.tolerances = NULL;
  d->options.projection.epsilons = NULL;
  d->options.slides = NULL;
  d->options.observer = ess_watched_observer(d, &options->observer);
  ess_caller_dress(d);
}

int ess_driver_set_options(ess_driver *d, const ess_options *options) {
  if (!d) return ESS_EINVAL;
  const char *wrong = NULL;
  if (ess_is_applying(d)) wrong = "options change between applies, not within one";
  if (!wrong && !options) wrong = "options must not be NULL";
  if (!wrong) {
    // arrays are of the caller's event functions, without those that are watched
    ess_system own = d->caller.system;
    ess_options plain = *options;
    own.event_count = d->watched.first;
    plain.slides = NULL; // which is compared with what was chosen
    wrong = ess_check(&own, &plain);
  }
  if (!wrong &&
      ((options->sliding == ESS_SLIDING_STOP) != (d->options.sliding == ESS_SLIDING_STOP) ||
       !ess_slides_stay(d, options)))
    wrong = "sliding and slides are chosen when the driver is allocated";
  if (!wrong && options->base != d->options.base &&
      (ess_may_be_implicit(options->base) || ess_may_be_implicit(d->options.base)))
    wrong = "ESS_BASE_RODAS, ESS_BASE_CHOSEN_RODAS, ESS_BASE_ROS2 and ESS_BASE_LIT are chosen when "
            "the driver is allocated";
  if (!wrong && options->locate != d->options.locate)
    wrong = "locate is chosen when the driver is allocated";
  if (!wrong && d->tangents && d->tangents->tape)
    wrong = ess_refused_with(options, ESS_WITH_RECORDING);
  if (wrong) return ess_refuse(d, wrong);
  ess_take_options(d, options);
  ess_no_failure(d);
  return ESS_SUCCESS;
}
