/*
 * Event functions and rates that are no numbers once, or from a call on, where no step looks at
 * them before they decide: at an impact, in the field of a slide, and in the rate that a direction
 * is divided by. A run ends with a status, or is what it is without the fault.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "ess_tangents.h"
#include "hostile.h"

enum { MOST = 8 };

typedef enum derivative { NONE, TANGENTS, ADJOINT, DERIVATIVES } derivative;

/* what is at fault: of the event functions, and then their rates, this one */
typedef struct fault {
  size_t which, from, calls;
  bool lasting;
  double value;
} fault;

static const fault NOWHERE = {.from = SIZE_MAX};
static fault plan;

static void spoil(size_t m, double h[], double rate[]) {
  const size_t call = plan.calls++;
  if (plan.lasting ? call < plan.from : call != plan.from) return;
  *(plan.which < m ? &h[plan.which] : &rate[plan.which - m]) = plan.value;
}

typedef struct hurt {
  size_t n, m;
  int (*field)(double, const double[], const double[], double[], void *);
  int (*rates)(double, const double[], const double[], double[], double[], void *);
  const ess_impacts *impacts;
  bool slides;
  double start[2], until;
} hurt;

/* a ball on a floor, and a wind below a height */
FIELD(ball_in_wind) {
  dxdt[0] = x[1];
  dxdt[1] = sign[1] < 0.0 ? -1.5 : -2.0;
}

static int heights(double t, const double x[], const double v[], double h[], double rate[],
                   void *params) {
  h[0] = x[0];
  h[1] = x[0] - 0.3;
  rate[0] = rate[1] = v[0];
  spoil(2, h, rate);
  return 0;
}

static int bounce(ess_impact *impact, void *params) {
  impact->after[1] *= -0.8;
  return toy_stays_above(impact, 0);
}

/* a block that a belt drags along, until a spring holds it back */
FIELD(block_on_belt) {
  dxdt[0] = x[1];
  dxdt[1] = -x[0] - 0.6 * sign[0] * (1.0 + 0.1 * x[1]);
}

static int slips(double t, const double x[], const double v[], double h[], double rate[],
                 void *params) {
  h[0] = x[1] - 0.3 - 0.1 * x[0] * x[0];
  rate[0] = v[1] - 0.2 * x[0] * v[0];
  spoil(1, h, rate);
  return 0;
}

static int no_rates(double t, const double x[], double h[], void *params) {
  const hurt *const s = params;
  const double v[2] = {0.0};
  double rate[2];
  const size_t calls = plan.calls, from = plan.from;
  plan.from = SIZE_MAX;
  s->rates(t, x, v, h, rate, params);
  plan.from = from;
  plan.calls = calls;
  return 0;
}

static const ess_impacts BOUNCES = {.at = (const bool[]){false, true, false, false}, .map = bounce};
static hurt BALL = {.n = 2,
                    .m = 2,
                    .field = ball_in_wind,
                    .rates = heights,
                    .impacts = &BOUNCES,
                    .start = {1.0},
                    .until = 3.1};
static hurt BLOCK = {.n = 2,
                     .m = 1,
                     .field = block_on_belt,
                     .rates = slips,
                     .slides = true,
                     .start = {-0.3, 0.1},
                     .until = 2.0};

typedef struct outcome {
  int status;
  double x[2], by[4];
} outcome;

static outcome run(hurt *s, derivative wanted, fault f) {
  const ess_system system = {.dimension = s->n,
                             .guard_count = s->m,
                             .field = s->field,
                             .guards = no_rates,
                             .guard_rates = s->rates,
                             .impacts = s->impacts,
                             .params = s};
  ess_options options = toy_options(1e-7);
  if (s->slides) options.sliding = ESS_SLIDING_FILIPPOV;
  ess_driver *const d = hostile_driver(&system, &options);
  outcome o = {.x = {s->start[0], s->start[1]}};
  const double units[4] = {1.0, 0.0, 0.0, 1.0};
  double t = 0.0;
  plan = f;
  if (wanted == TANGENTS) assert_int_equal(ess_driver_follow(d, 2, NULL), ESS_SUCCESS);
  if (wanted == ADJOINT) assert_int_equal(ess_driver_record(d, 1 << 20), ESS_SUCCESS);
  o.status = ess_driver_apply(d, &t, s->until, o.x);
  if (!o.status && wanted == TANGENTS) memcpy(o.by, ess_driver_tangent(d), sizeof o.by);
  if (!o.status && wanted == ADJOINT) {
    double start[4];
    o.status = ess_driver_adjoint(d, 2, units, start, NULL);
    for (size_t i = 0; !o.status && i < 4; i++) o.by[i] = start[i % 2 * 2 + i / 2];
  }
  ess_driver_free(d);
  return o;
}

static void each_call(hurt *s) {
  const double values[] = {NAN, INFINITY, -INFINITY};
  for (derivative wanted = NONE; wanted < DERIVATIVES; wanted++) {
    const outcome clean = run(s, wanted, NOWHERE);
    assert_int_equal(clean.status, ESS_SUCCESS);
    const size_t calls = plan.calls;
    for (size_t i = 0; i < calls * 6 * 2 * s->m; i++) {
      const fault f = {.which = i % (2 * s->m),
                       .from = i / (2 * s->m) / 6,
                       .lasting = i / (2 * s->m) % 2,
                       .value = values[i / (2 * s->m) / 2 % 3]};
      const outcome o = run(s, wanted, f);
      if (o.status) continue;
      const double off = toy_apart(o.x, clean.x, 2), off_by = toy_apart(o.by, clean.by, 4);
      if (!(off < 1e-4 && off_by < 1e-2))
        fail_msg("%g of %zu from call %zu%s, derivatives %d: off by %g, %g", f.value, f.which,
                 f.from, f.lasting ? " on" : "", (int)wanted, off, off_by);
    }
  }
}

TEST_OF(at_an_impact, each_call(&BALL));
TEST_OF(in_the_field_of_a_slide, each_call(&BLOCK));
