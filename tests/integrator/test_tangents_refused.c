/*
 * What is refused of tangents and of the adjoint at the end of a run: sections without a rate,
 * events that meet there, and questions that make no sense.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "ess_tangents.h"
#include "toy.h"

/* a clock beside a state that rests; as many event functions as wanted at 1, or one that rests on
 * its zero */
enum { MANY = 9, BYTES = 1 << 20 };

typedef struct plan {
  size_t count;
  bool rests;
} plan;

FIELD(field) {
  dxdt[0] = 1.0;
  dxdt[1] = 0.0;
}

PLANES_EACH(plan, 2, AS(plan)->count, AS(plan)->rests ? x[1] : x[0], AS(plan)->rests ? 0.0 : 1.0);

/* stops a run when all have been crossed, and asks of it what is to be asked between applies */
typedef struct watcher {
  ess_driver *driver;
  size_t crossings, until, refusals;
} watcher;

ON_CROSSING_CODE(stop_at_last) {
  watcher *const w = context;
  double Dt[2];
  w->refusals += ess_driver_section(w->driver, 0, Dt, NULL) == ESS_EINVAL;
  w->refusals += ess_driver_follow(w->driver, 2, NULL) == ESS_EINVAL;
  w->refusals += ess_driver_record(w->driver, BYTES) == ESS_EINVAL;
  return ++w->crossings == w->until;
}

static ess_driver *ended(plan *p, bool records, watcher *w) {
  const ess_system system = {.dimension = 2,
                             .guard_count = p->count,
                             .field = field,
                             .guards = plan_guards,
                             .guard_jacobian = plan_jacobian,
                             .params = p};
  ess_options options = ess_options_default();
  *w = (watcher){.until = p->count};
  options.observer = (ess_observer){.crossing = stop_at_last, .context = w};
  ess_driver *const d = w->driver = ess_driver_alloc(&system, &options, NULL);
  assert_non_null(d);
  assert_int_equal(records ? ess_driver_record(d, BYTES) : ess_driver_follow(d, 2, NULL),
                   ESS_SUCCESS);
  double t = 0.0, x[2] = {0.0, 0.0};
  assert_int_equal(ess_driver_apply(d, &t, 2.0, x), p->rests ? ESS_SUCCESS : ESS_ESTOP);
  return d;
}

static void refused(ess_driver *d, int status, const char *words) {
  assert_int_equal(status, ESS_EINVAL);
  assert_int_equal(ess_driver_failure(d)->status, ESS_EINVAL);
  if (!strstr(ess_driver_failure(d)->reason, words)) fail_msg("%s", ess_driver_failure(d)->reason);
}

TEST(a_section_has_a_rate) {
  plan p = {.count = 1, .rests = true};
  watcher w;
  double Dt[2], Dx[4], start[2];
  const double time = 1.0;
  ess_driver *d = ended(&p, false, &w);
  assert_int_equal(ess_driver_section(d, 0, Dt, Dx), ESS_EGRAZING);
  assert_int_equal(ess_driver_failure(d)->status, ESS_EGRAZING);
  assert_int_equal(ess_driver_failure(d)->guard, 0);
  ess_driver_free(d);
  d = ended(&p, true, &w);
  assert_int_equal(ess_driver_adjoint_section(d, 0, 1, NULL, &time, start, NULL), ESS_EGRAZING);
  assert_int_equal(ess_driver_failure(d)->guard, 0);
  ess_driver_free(d);
}

/* of nine events at one instant each has its time, the first eight their states, and none an
 * adjoint */
TEST(of_many_events_not_all_is_known) {
  plan p = {.count = MANY};
  watcher w;
  double Dt[2], Dx[4], start[2];
  const double outcome[2] = {0.0, 1.0};
  ess_driver *d = ended(&p, false, &w);
  assert_int_equal(w.refusals, 3 * w.crossings);
  assert_int_equal(ess_driver_smoothness(d)->count, MANY);
  assert_int_equal(ess_driver_section(d, MANY - 1, Dt, NULL), ESS_SUCCESS);
  assert_true(Dt[0] == -1.0 && Dt[1] == 0.0);
  refused(d, ess_driver_section(d, 0, NULL, Dx), "among more than 8 events");
  refused(d, ess_driver_section(d, MANY - 1, Dt, Dx), "among more than 8 events");
  refused(d, ess_driver_section(d, MANY, Dt, Dx), "k must be below");
  ess_driver_free(d);
  d = ended(&p, true, &w);
  refused(d, ess_driver_adjoint_section(d, 0, 1, outcome, NULL, start, NULL), "several events");
  ess_driver_free(d);
}

TEST(nothing_is_followed_at_first) {
  plan p = {.count = 1};
  watcher w;
  double Dt[2], start[2];
  const double outcome[2] = {1.0, 0.0}, endless[4] = {1.0, INFINITY, 0.0, 1.0};
  ess_driver *const d = ended(&p, false, &w);
  refused(d, ess_driver_follow(d, 1, NULL), "count must be the dimension");
  refused(d, ess_driver_follow(d, 2, endless), "each of directions must be finite");
  refused(d, ess_driver_follow_parameters(d, 2, NULL, NULL), "no parameters");
  refused(d, ess_driver_follow(d, SIZE_MAX / 4, endless), "more directions");
  assert_non_null(ess_driver_tangent(d));
  assert_int_equal(ess_driver_choose_piece(d, 0), ESS_SUCCESS);
  assert_int_equal(ess_driver_follow(d, 0, NULL), ESS_SUCCESS);
  assert_null(ess_driver_tangent(d));
  assert_null(ess_driver_smoothness(d));
  refused(d, ess_driver_choose_piece(d, 0), "no directions are followed");
  refused(d, ess_driver_section(d, 0, Dt, NULL), "no directions are followed");
  refused(d, ess_driver_adjoint(d, 1, outcome, start, NULL), "no run is recorded");
  ess_driver_free(d);
  assert_null(ess_driver_tangent(NULL));
  assert_null(ess_driver_smoothness(NULL));
  assert_int_equal(ess_driver_choose_piece(NULL, 0), ESS_EINVAL);
  assert_int_equal(ess_driver_section(NULL, 0, Dt, NULL), ESS_EINVAL);
}
