/*
 * Sliding: where the field points back to a guard from either side the run ends, soon and by name;
 * where it only comes back often it does not.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "toy.h"

enum { METHODS = 5, TOLERANCES = 10 };

/* one tolerance; the paper's method by tangents and parabolas; and as location */
static ess_options options_of(int method) {
  ess_options options = method ? ess_options_paper() : ess_options_default();
  options.order = method == 2 ? 2 : 1;
  if (method == 3) options.epsilon = 1e-10;
  if (method == 4) options.epsilon = 1e-15;
  return options;
}

/* ---- sliding --------------------------------------------------------------------------------- */

/* a surface y = height(x), flat or wavy, that attracts from either side; the state moves along it
 */
typedef struct surface {
  double wave, speed, pull, growth;
  size_t calls;
} surface;

static double height(const surface *s, double x) {
  return s->wave * sin(3.0 * x);
}

FIELD(surface_field) {
  surface *const s = params;
  s->calls++;
  dxdt[0] = s->speed;
  dxdt[1] = -s->pull * sign[0] * (1.0 + s->growth * x[0] * x[0] + 0.3 * s->growth * x[1]);
}

GUARDS(surface_guards) {
  h[0] = x[1] - height(params, x[0]);
  h[1] = x[0] - 50.0; // never reached
}

GUARD_JACOBIAN(surface_jacobian) {
  const surface *const s = params;
  Dh[0] = -3.0 * s->wave * cos(3.0 * x[0]);
  Dh[1] = 1.0;
  Dh[2] = 1.0;
  Dh[3] = 0.0;
}

/* slides with these options; |h| at the end is below `off` */
static void check_surfaces(int method, const ess_options *options, double off) {
  const double starts[] = {-1.0, -1e-3, 0.0, 1e-5, 0.7};
  for (int i = 0; i < 5 * 2 * 2 * 2 * 2; i++) {
    surface s = {.wave = i / 5 % 2 ? 0.2 : 0.0,
                 .speed = i / 10 % 2 ? 1.0 : 0.0,
                 .pull = i / 20 % 2 ? 300.0 : 2.0,
                 .growth = i / 40 ? 0.7 : 0.0};
    const ess_system system = {
        .dimension = 2, .guard_count = 2, OF_JACOBIAN(surface), .params = &s};
    ess_driver *const d = ess_driver_alloc(&system, options, NULL);
    double t = 0.0, x[2] = {0.4, 0.0}, h[2];
    x[1] = height(&s, x[0]) + starts[i % 5];
    const int status = ess_driver_apply(d, &t, 20.0, x);
    surface_guards(0.0, x, h, &s);
    if (status != ESS_ESLIDING || s.calls >= 2000)
      fail_msg("%d %d: %s, %zu calls, t %g, h %g", method, i, ess_strerror(status), s.calls, t,
               h[0]);
    // where it began to slide, and no further
    assert_int_equal(ess_driver_failure(d)->guard, 0);
    assert_true(ess_driver_failure(d)->other_guard == SIZE_MAX);
    assert_true(ess_driver_failure(d)->time == t);
    // straight on onto what is flat projections are exact
    const bool is_exact = (method == 1 || method == 2) && s.wave == 0.0 && s.growth == 0.0;
    assert_true(fabs(h[0]) < (is_exact ? 1e-12 : off) && t < 1.0);
    ess_driver_free(d);
  }
}

TEST(a_surface_that_attracts_ends_the_run) {
  for (int method = 0; method < METHODS; method++) {
    const ess_options options = options_of(method);
    check_surfaces(method, &options, method == 1 || method == 2 ? 1e-5 : 1e-8);
  }
}

TEST(at_every_tolerance) {
  ess_options options = ess_options_default();
  for (int i = 1; i <= TOLERANCES; i++) {
    options.rtol = options.atol = pow(10.0, -i);
    check_surfaces(0, &options, 1e-8);
  }
}

/* ---- chatter --------------------------------------------------------------------------------- */

enum { BODIES = 3 };

/* bodies on the ground, which pushes with a force that does not vanish where they just touch: they
 * come to rest in ever shorter bounces, and have no place there but between both fields */
typedef struct pushed {
  double push, damping;
  size_t bodies, calls;
} pushed;

FIELD(pushed_field) {
  pushed *const p = params;
  p->calls++;
  for (size_t i = 0; i < p->bodies; i++) {
    const double height = x[2 * i], speed = x[2 * i + 1], weight = 9.81 + (double)i;
    dxdt[2 * i] = speed;
    dxdt[2 * i + 1] = -weight + (sign[i] > 0.0 ? p->push - p->damping * speed : 0.0);
    dxdt[2 * i + 1] -= 0.1 * height;
  }
}

PLANES_EACH(pushed, 2 * AS(pushed)->bodies, AS(pushed)->bodies, -x[2 * k], 0.0);

static ess_system pushed_system(pushed *p) {
  return (ess_system){
      .dimension = 2 * p->bodies, .guard_count = p->bodies, OF_RATES(pushed), .params = p};
}

/* looser ones have them grow, by errors of their own, until they are few enough */
TEST(bounces_below_the_tolerance_without_end_are_sliding) {
  for (int i = 0; i < 2 * BODIES; i++)
    for (double tolerance = 1e-6; tolerance > 0.5e-10; tolerance *= 0.01) {
      pushed p = {.push = 30.0, .damping = i % 2 ? 20.0 : 3.0, .bodies = 1 + (size_t)i / 2};
      const ess_system system = pushed_system(&p);
      ess_options options = toy_options(tolerance);
      options.max_steps = 100000;
      ess_driver *const d = ess_driver_alloc(&system, &options, NULL);
      double t = 0.0, x[2 * BODIES] = {0.0};
      // the first one starts at rest on the ground, others fall onto it
      for (size_t k = 1; k < p.bodies; k++) x[2 * k] = 1e-3 * (double)k;
      const int status = ess_driver_apply(d, &t, 1e5, x);
      if (status != ESS_ESLIDING)
        fail_msg("%d, %g: %s at %g after %zu calls", i, tolerance, ess_strerror(status), t,
                 p.calls);
      const size_t guard = ess_driver_failure(d)->guard;
      assert_true(guard < p.bodies && fabs(x[2 * guard]) < 2.0 * tolerance);
      ess_driver_free(d);
    }
}

/* bounces of a billionth of a metre: 25 000 in a second */
static int bounce_little(double tolerance, double end, uint64_t *crossings) {
  pushed p = {.push = 30.0, .bodies = 1};
  const ess_system system = pushed_system(&p);
  ess_options options = toy_options(tolerance);
  options.max_crossings = 10000;
  double x[2] = {1e-9, 0.0};
  const toy_end made = toy_run(&system, &options, 0.0, end, x);
  *crossings = made.counters.crossings;
  return made.status;
}

TEST(bounces_that_end_or_are_above_the_tolerance_are_not) {
  uint64_t crossings;
  // an end to them is in sight
  assert_int_equal(bounce_little(1e-4, 0.1, &crossings), ESS_SUCCESS);
  assert_true(crossings > 3 * 1000);
  assert_int_equal(bounce_little(1e-4, 10.0, &crossings), ESS_ESLIDING);
  assert_true(crossings < 8 * 1000);
  // they are followed
  assert_int_equal(bounce_little(1e-11, 10.0, &crossings), ESS_EMAXCROSSINGS);
}

/* ---- no sliding ------------------------------------------------------------------------------ */

/* a mass on a stiff floor, or thrown back by a constant force, which steps of any length follow */
typedef struct bouncer {
  double stiffness, damping, force;
  size_t crossings;
} bouncer;

FIELD(bouncer_field) {
  const bouncer *const b = params;
  const bool touches = sign[0] < 0.0;
  dxdt[0] = x[1];
  dxdt[1] = -9.81 - (touches ? b->stiffness * x[0] + b->damping * x[1] - b->force : 0.0);
}

PLANES(bouncer, 2, (x[0]), (0.0));

TEST(to_bounce_is_not_to_slide) {
  // stiff floors, damped ones on which it comes to rest; forces, for times that are as nothing
  // beside the time to go
  static const struct {
    bouncer b;
    double drop, end;
  } cases[] = {{{.stiffness = 1e4}, 0.5, 2.0},
               {{.stiffness = 1e7}, 1e-2, 2.0},
               {{.stiffness = 1e7}, 1e-6, 0.02},
               {{.stiffness = 1e5, .damping = 20.0}, 0.1, 2.0},
               {{.stiffness = 1e6, .damping = 100.0}, 1e-2, 2.0},
               {{.force = 30.0}, 1e-3, 2.0},
               {{.force = 2e4}, 1e-2, 1.0}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    for (int method = 0; method < METHODS; method += 3) {
      bouncer b = cases[i].b;
      const ess_system system = {
          .dimension = 2, .guard_count = 1, OF_JACOBIAN(bouncer), .params = &b};
      toy_log log;
      ess_options options = options_of(method);
      options.observer = toy_observer(&log);
      ess_driver *const d = ess_driver_alloc(&system, &options, NULL);
      double t = 0.0, x[2] = {cases[i].drop, 0.0};
      const int status = ess_driver_apply(d, &t, cases[i].end, x);
      if (status) fail_msg("%d %zu: %s at %g", method, i, ess_strerror(status), t);
      assert_true(log.count > 1);
      ess_driver_free(d);
    }
}

ON_CROSSING_CODE(count_to_hundred) {
  bouncer *const b = context;
  return ++b->crossings == 100;
}

/* steps as long as all of the time left, a billion bounces */
TEST(short_bounces_in_a_long_time_are_not_sliding) {
  for (int method = 0; method < METHODS; method += 3) {
    bouncer b = {.force = 30.0};
    const ess_system system = {
        .dimension = 2, .guard_count = 1, OF_JACOBIAN(bouncer), .params = &b};
    ess_options options = options_of(method);
    options.observer = (ess_observer){.crossing = count_to_hundred, .context = &b};
    double x[2] = {1e-2, 0.0};
    assert_int_equal(toy_run(&system, &options, 0.0, 1e8, x).status, ESS_ESTOP);
  }
}

/* which may be slid on is chosen with sliding; arrays have no room for what is watched */
TEST(slides_stay_as_they_were_chosen) {
  surface s = {.speed = 1.0, .pull = 1.0};
  const ess_system system = {.dimension = 2,
                             .guard_count = 2,
                             OF(surface),
                             .watch = {.count = 2, .values = surface_guards},
                             .params = &s};
  bool *const slides = malloc(2 * sizeof *slides);
  double *const epsilons = malloc(2 * sizeof *epsilons);
  slides[0] = true;
  slides[1] = false;
  epsilons[0] = epsilons[1] = 1e-3;
  ess_options options = ess_options_default();
  options.sliding = ESS_SLIDING_FILIPPOV;
  options.slides = slides;
  options.guard_epsilons = epsilons;
  ess_driver *const d = ess_driver_alloc(&system, &options, NULL);
  assert_non_null(d);
  assert_int_equal(ess_driver_set_options(d, &options), ESS_SUCCESS);
  epsilons[1] = 0.0;
  assert_int_equal(ess_driver_set_options(d, &options), ESS_EINVAL);
  epsilons[1] = 1e-3;
  slides[1] = true;
  assert_int_equal(ess_driver_set_options(d, &options), ESS_EINVAL);
  assert_non_null(strstr(ess_driver_failure(d)->reason, "slides"));
  options.slides = NULL;
  assert_int_equal(ess_driver_set_options(d, &options), ESS_EINVAL);
  ess_driver_free(d);
  free(slides);
  free(epsilons);
}

/* whose rows are silent, or whose crossings are impacts, is not slid on: the options are the same
 */
IMPACT_MAP(let_be) {
  (void)impact;
}

TEST(the_same_options_are_accepted_again) {
  static const size_t row[] = {0, 1, 2, 3, 4, 4}, guard[] = {1, 0, 3, 2};
  static const signed char effect[] = {1, 1, 1, 1};
  static const bool second[] = {false, false, true, true};
  const ess_reset_matrix resets[] = {
      {.row_start = row, .guard = guard, .effect = effect},
      {.row_start = row, .guard = guard, .effect = effect, .silent = second}};
  const ess_impacts impacts = {.map = let_be, .at = second};
  surface s = {.speed = 1.0, .pull = 1.0};
  for (int i = 0; i < 4; i++) {
    const ess_system system = {.dimension = 2,
                               .guard_count = 2,
                               OF(surface),
                               .resets = i == 1 || i == 2 ? &resets[i - 1] : NULL,
                               .impacts = i == 3 ? &impacts : NULL,
                               .params = &s};
    ess_options options = ess_options_default();
    options.sliding = ESS_SLIDING_FILIPPOV;
    ess_driver *const d = ess_driver_alloc(&system, &options, NULL);
    assert_non_null(d);
    assert_int_equal(ess_driver_set_options(d, &options), ESS_SUCCESS);
    ess_driver_free(d);
  }
}
