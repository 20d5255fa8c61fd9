/*
 * The one matrix of a mode, on thousands of random mechanisms: its blocks (10), (11), what it
 * says where inertia is regular (Lemmas 5 and 8), what a plastic impact does, and where it exists
 * (Lemma 4).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "kkt.h"
#include "oracle_lcp.h"
#include "random_mechanism.h"

enum { DRAWS = 3000, MAX = RANDOM_MAX };

static double worst;

static void note(double residual) {
  worst = fmax(worst, fabs(residual));
}

static contact_mode any_mode(gsl_rng *rng, const mechanism *m) {
  return (contact_mode)gsl_rng_uniform_int(rng, 1UL << m->constraints);
}

static double kinetic(const kkt *s, const double v[]) {
  const size_t n = s->m->coordinates;
  double energy = 0;
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < n; j++) energy += 0.5 * v[i] * s->M[i * n + j] * v[j];
  return energy;
}

/* calls for each draw, of mechanisms with and without massless limbs */
static void on_draws(void (*check)(kkt *, const random_mechanism *, gsl_rng *), size_t limbs_max) {
  gsl_rng *const rng = gsl_rng_alloc(gsl_rng_mt19937);
  worst = 0;
  for (size_t i = 0; i < DRAWS; i++) {
    random_mechanism r;
    random_mechanism_draw(&r, rng, i % (limbs_max + 1));
    assert_null(mechanism_refused(&r.m));
    kkt *const s = kkt_alloc(&r.m);
    assert_non_null(s);
    kkt_at(s, r.q, r.v);
    check(s, &r, rng);
    kkt_free(s);
  }
  gsl_rng_free(rng);
}

static void check_blocks(kkt *s, const random_mechanism *r, gsl_rng *rng) {
  const contact_mode mode = any_mode(rng, &r->m);
  const kkt_inverse *const f = kkt_in(s, mode);
  assert_non_null(f);
  const size_t n = r->m.coordinates;
  double size = 1;
  for (size_t i = 0; i < f->order * f->order; i++) size = fmax(size, fabs(f->entry[i]));
  for (size_t i = 0; i < f->order; i++) {
    for (size_t j = 0; j < f->order; j++) {
      double product = i == j ? -1 : 0;
      for (size_t l = 0; l < f->order; l++) {
        const bool up = l < f->coordinates, across = j < f->coordinates;
        const double K = up && across ? s->M[f->of[l] * n + f->of[j]]
                         : up         ? s->A[f->of[j] * n + f->of[l]]
                         : across     ? s->A[f->of[l] * n + f->of[j]]
                                      : 0;
        product += f->entry[i * f->order + l] * K;
      }
      note(product / size);
    }
  }
}

static void the_inverse_has_the_blocks_of_the_paper(void **state) {
  (void)state;
  on_draws(check_blocks, 2);
  print_message("%d mechanisms, (10) and (11): worst %.1e of the inverse\n", DRAWS, worst);
  assert_true(worst < 1e-12);
}

/* G = A M^-1 A', and w = A M^-1 b + c, of the constraints of a mode, by the oracle alone */
static size_t oracle_reduced(const kkt *s, contact_mode mode, const double b[], const double c[],
                             double G[], double w[]) {
  const size_t n = s->m->coordinates;
  size_t of[MAX], count = 0;
  double M[MAX * MAX], X[MAX * (MAX + 1)] = {0};
  for (size_t k = 0; k < s->m->constraints; k++)
    if (mode & CONTACT(k)) of[count++] = k;
  memcpy(M, s->M, n * n * sizeof *M);
  for (size_t j = 0; j < n; j++) {
    for (size_t k = 0; k < count; k++) X[j * (count + 1) + k] = s->A[of[k] * n + j];
    X[j * (count + 1) + count] = b[j];
  }
  assert_true(oracle_solve(n, count + 1, M, X));
  for (size_t i = 0; i < count; i++) {
    w[i] = c ? c[of[i]] : 0;
    for (size_t j = 0; j < n; j++) w[i] += s->A[of[i] * n + j] * X[j * (count + 1) + count];
    for (size_t k = 0; k < count; k++) {
      G[i * count + k] = 0;
      for (size_t j = 0; j < n; j++)
        G[i * count + k] += s->A[of[i] * n + j] * X[j * (count + 1) + k];
    }
  }
  return count;
}

static void compare_multipliers(const kkt *s, contact_mode mode, const double b[], const double c[],
                                const kkt_multipliers *found) {
  double G[MAX * MAX], w[MAX];
  const size_t count = oracle_reduced(s, mode, b, c, G, w);
  if (count == 0) return;
  assert_true(oracle_solve(count, 1, G, w));
  size_t i = 0;
  for (size_t k = 0; k < s->m->constraints; k++)
    if (mode & CONTACT(k)) note((found->value[k] - w[i++]) / fmax(1, found->size[k]));
}

static void check_lemmas(kkt *s, const random_mechanism *r, gsl_rng *rng) {
  const contact_mode mode = any_mode(rng, &r->m);
  double zero[MAX] = {0}, acceleration[MAX];
  kkt_multipliers found;
  assert_true(kkt_flow(s, mode, acceleration, &found));
  compare_multipliers(s, mode, r->force, s->bend, &found);
  assert_true(kkt_impact(s, mode, acceleration, &found));
  compare_multipliers(s, mode, s->momentum, zero, &found);
  assert_true(kkt_pseudo_impulse(s, mode, &found));
  compare_multipliers(s, mode, r->force, zero, &found);
}

static void regular_inertia_gives_the_usual_equations(void **state) {
  (void)state;
  on_draws(check_lemmas, 0);
  print_message("%d mechanisms, Lemmas 5 and 8: worst %.1e\n", DRAWS, worst);
  assert_true(worst < 1e-9);
}

/* A' v against the derivative of A v along v of a_k that is quadratic: bow v^2 */
static void check_bend(kkt *s, const random_mechanism *r, gsl_rng *rng) {
  (void)rng;
  const size_t n = r->m.coordinates;
  for (size_t k = 0; k < r->m.constraints; k++) {
    double bend = 0;
    for (size_t j = 0; j < n; j++) bend += r->bow[k * n + j] * r->v[j] * r->v[j];
    note(s->bend[k] - bend);
  }
}

static void rows_are_differentiated(void **state) {
  (void)state;
  on_draws(check_bend, 2);
  print_message("A' v: worst %.1e\n", worst);
  assert_true(worst < 1e-10);
}

/* a bowl, whose distance is stated, and a clock */
typedef struct bowl {
  double at, radius;
} bowl;

static void bowl_inertia(const double q[], double M[], void *params) {
  (void)q, (void)params;
  memset(M, 0, 9 * sizeof *M);
  M[0] = M[4] = 1;
}

static void bowl_gap(const double q[], double a[], void *params) {
  const bowl *const b = params;
  a[0] = b->radius - hypot(q[0] - b->at, q[1]);
}

static void bowl_row(const double q[], double A[], void *params) {
  const bowl *const b = params;
  const double distance = hypot(q[0] - b->at, q[1]);
  A[0] = -(q[0] - b->at) / distance;
  A[1] = -q[1] / distance;
  A[2] = 0;
}

/* How far off the mechanism is, how late it is, and how finely it is curved are no part of how a
 * row bends. */
static void rows_are_differentiated_wherever_they_are(void **state) {
  (void)state;
  static const struct {
    bowl b;
    double clock, error;
  } at[] = {{{0, 1}, 0, 1e-11},    {{1e2, 1}, 0, 1e-9},  {{1e6, 1}, 0, 1e-6}, {{0, 1}, 1e6, 1e-11},
            {{0, 1e-2}, 1, 1e-10}, {{0, 1e-4}, 0, 1e-8}, {{0, 1e-5}, 0, 1e-7}};
  static const mechanism_constraint contact = {.normal = 0};
  static const size_t limb[] = {MECHANISM_BODY, MECHANISM_BODY, MECHANISM_ALONE};
  for (size_t i = 0; i < sizeof at / sizeof *at; i++) {
    bowl b = at[i].b;
    const mechanism m = {.coordinates = 3,
                         .constraints = 1,
                         .constraint = &contact,
                         .limb = limb,
                         .inertia = bowl_inertia,
                         .gaps = bowl_gap,
                         .rows = bowl_row,
                         .params = &b};
    kkt *const s = kkt_alloc(&m);
    assert_non_null(s);
    kkt_at(s, (double[]){b.at, -b.radius, at[i].clock}, (double[]){1.3, 0, 1});
    assert_true(fabs(s->bend[0] * b.radius / -1.69 - 1) < at[i].error);
    kkt_free(s);
  }
}

static void check_impact(kkt *s, const random_mechanism *r, gsl_rng *rng) {
  const contact_mode mode = any_mode(rng, &r->m);
  const size_t n = r->m.coordinates;
  double after[MAX];
  kkt_multipliers impulse;
  assert_true(kkt_impact(s, mode, after, &impulse));
  for (size_t k = 0; k < r->m.constraints; k++) {
    if (!(mode & CONTACT(k))) continue;
    double speed = 0;
    for (size_t j = 0; j < n; j++) speed += s->A[k * n + j] * after[j];
    note(speed);
  }
  const double before = kinetic(s, r->v);
  assert_true(kinetic(s, after) <= before * (1 + 1e-10));
}

static void an_impact_stops_its_contacts_and_gains_no_energy(void **state) {
  (void)state;
  on_draws(check_impact, 2);
  print_message("%d impacts: A_J q'+ at most %.1e\n", DRAWS, worst);
  assert_true(worst < 1e-9);
}

/* A limb that nothing holds leaves the equations; told that it has inertia, there is no inverse. */
static void check_limbs(kkt *s, const random_mechanism *r, gsl_rng *rng) {
  (void)rng;
  random_mechanism heavy = *r;
  heavy.m.constraint = heavy.constraint;
  heavy.m.limb = NULL;
  heavy.m.params = &heavy;
  kkt *const wrong = kkt_alloc(&heavy.m);
  kkt_at(wrong, r->q, r->v);
  const size_t limbs = r->m.coordinates - r->bodies;
  const contact_mode held = ((contact_mode)1 << limbs) - 1;
  assert_true(kkt_in(s, 0) != NULL && kkt_in(s, 0)->order == r->bodies);
  assert_true(kkt_in(s, held) != NULL);
  assert_true((kkt_in(wrong, 0) != NULL) == (limbs == 0));
  assert_true(kkt_in(wrong, held) != NULL);
  kkt_free(wrong);
}

static void massless_limbs_are_held_or_leave(void **state) {
  (void)state;
  on_draws(check_limbs, 2);
}

static void a_mode_is_factorised_once(void **state) {
  (void)state;
  gsl_rng *const rng = gsl_rng_alloc(gsl_rng_mt19937);
  random_mechanism r;
  random_mechanism_draw(&r, rng, 0);
  kkt *const s = kkt_alloc(&r.m);
  kkt_at(s, r.q, r.v);
  double out[MAX];
  assert_true(kkt_flow(s, 1, out, NULL) && kkt_impact(s, 1, out, NULL));
  r.v[0] += 1;
  kkt_at(s, r.q, r.v);
  assert_true(kkt_flow(s, 1, out, NULL));
  assert_int_equal(s->factorised, 1);
  r.q[0] += 0.1;
  kkt_at(s, r.q, r.v);
  assert_true(kkt_flow(s, 1, out, NULL));
  assert_int_equal(s->factorised, 2);
  kkt_free(s);
  gsl_rng_free(rng);
}

static void wrong_mechanisms_are_refused(void **state) {
  (void)state;
  gsl_rng *const rng = gsl_rng_alloc(gsl_rng_mt19937);
  random_mechanism r;
  random_mechanism_draw(&r, rng, 1);
  assert_null(mechanism_refused(&r.m));
  r.constraint[0].normal = 9;
  assert_string_equal(mechanism_refused(&r.m),
                      "a constraint's normal must be one of the constraints");
  r.constraint[0].normal = 0;
  r.limb[0] = 9;
  assert_string_equal(mechanism_refused(&r.m),
                      "a massless coordinate must be held by a normal constraint");
  gsl_rng_free(rng);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_inverse_has_the_blocks_of_the_paper),
      cmocka_unit_test(regular_inertia_gives_the_usual_equations),
      cmocka_unit_test(rows_are_differentiated),
      cmocka_unit_test(rows_are_differentiated_wherever_they_are),
      cmocka_unit_test(an_impact_stops_its_contacts_and_gains_no_energy),
      cmocka_unit_test(massless_limbs_are_held_or_leave),
      cmocka_unit_test(a_mode_is_factorised_once),
      cmocka_unit_test(wrong_mechanisms_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
