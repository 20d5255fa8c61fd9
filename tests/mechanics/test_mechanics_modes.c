/*
 * Which contacts stay, on thousands of random mechanisms: impulses and forces against Lemke's
 * algorithm, pseudo-impulses against an enumeration of dense matrices.
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

#include "complementarity.h"
#include "oracle_lcp.h"
#include "random_mechanism.h"

enum { DRAWS = 2000, MAX = RANDOM_MAX };

static contact_mode all_of(const mechanism *m) {
  return ((contact_mode)1 << m->constraints) - 1;
}

/* G = A M^-1 A' and w = A M^-1 b + c of all constraints */
static void problem(const kkt *s, const double b[], const double c[], double G[], double w[]) {
  const size_t n = s->m->coordinates, contacts = s->m->constraints;
  double M[MAX * MAX], X[MAX * (MAX + 1)];
  memcpy(M, s->M, n * n * sizeof *M);
  for (size_t j = 0; j < n; j++) {
    for (size_t k = 0; k < contacts; k++) X[j * (contacts + 1) + k] = s->A[k * n + j];
    X[j * (contacts + 1) + contacts] = b[j];
  }
  assert_true(oracle_solve(n, contacts + 1, M, X));
  for (size_t i = 0; i < contacts; i++) {
    w[i] = c ? c[i] : 0;
    for (size_t j = 0; j < n; j++) w[i] += s->A[i * n + j] * X[j * (contacts + 1) + contacts];
    for (size_t k = 0; k < contacts; k++) {
      G[i * contacts + k] = 0;
      for (size_t j = 0; j < n; j++)
        G[i * contacts + k] += s->A[i * n + j] * X[j * (contacts + 1) + k];
    }
  }
}

static contact_mode lemke(const kkt *s, const double b[], const double c[]) {
  double G[MAX * MAX], w[MAX], z[MAX];
  problem(s, b, c, G, w);
  assert_true(oracle_lcp(s->m->constraints, G, w, z));
  contact_mode mode = 0;
  for (size_t k = 0; k < s->m->constraints; k++)
    if (z[k] > 0) mode |= CONTACT(k);
  return mode;
}

static void on_draws(void (*check)(complementarity *, const random_mechanism *, gsl_rng *),
                     size_t draws, size_t limbs_max) {
  gsl_rng *const rng = gsl_rng_alloc(gsl_rng_mt19937);
  for (size_t i = 0; i < draws; i++) {
    random_mechanism r;
    random_mechanism_draw(&r, rng, i % (limbs_max + 1));
    complementarity c = complementarity_alloc(&r.m);
    assert_non_null(c.here);
    kkt_at(c.here, r.q, r.v);
    check(&c, &r, rng);
    complementarity_free(&c);
  }
  gsl_rng_free(rng);
}

static void check_impulses(complementarity *c, const random_mechanism *r, gsl_rng *rng) {
  (void)rng;
  const complementarity_choice found = complementarity_impulses(c, all_of(&r->m));
  assert_int_equal(found.solutions, 1);
  assert_int_equal(found.mode, lemke(c->here, c->here->momentum, NULL));

  // Theorem 2: what leaves does not go in, so that a second impact cannot follow at once
  double after[MAX];
  assert_true(kkt_impact(c->here, found.mode, after, NULL));
  kkt_at(c->here, r->q, after);
  for (size_t k = 0; k < r->m.constraints; k++)
    assert_true(c->here->speed[k] >= (found.mode & CONTACT(k) ? -1e-10 : 0));
}

static void impulses_choose_as_lemke_does(void **state) {
  (void)state;
  on_draws(check_impulses, DRAWS, 0);
}

static void check_forces(complementarity *c, const random_mechanism *r, gsl_rng *rng) {
  (void)rng;
  const complementarity_choice found = complementarity_forces(c, all_of(&r->m));
  assert_int_equal(found.solutions, 1);
  assert_int_equal(found.mode, lemke(c->here, r->force, c->here->bend));

  // Theorem 1: what leaves accelerates away
  double acceleration[MAX];
  assert_true(kkt_flow(c->here, found.mode, acceleration, NULL));
  for (size_t k = 0; k < r->m.constraints; k++) {
    if (found.mode & CONTACT(k)) continue;
    double away = c->here->bend[k];
    for (size_t j = 0; j < r->m.coordinates; j++)
      away += c->here->A[k * r->m.coordinates + j] * acceleration[j];
    assert_true(away > 0);
  }
}

static void forces_choose_as_lemke_does(void **state) {
  (void)state;
  on_draws(check_forces, DRAWS, 0);
}

static unsigned long tried, none, several, asked; /* counts of what the tests print */

/* Lemma 10: an impact of one contact, at other speeds (60), keeps the same ones */
static void check_speeds(complementarity *c, const random_mechanism *r, gsl_rng *rng) {
  const size_t n = r->m.coordinates, landing = gsl_rng_uniform_int(rng, r->m.constraints);
  const contact_mode all = all_of(&r->m);
  double before[MAX], held[MAX];
  assert_true(kkt_impact(c->here, all & ~CONTACT(landing), before, NULL));
  kkt_at(c->here, r->q, before);
  if (c->here->speed[landing] > 0)
    for (size_t j = 0; j < n; j++) before[j] = -before[j];
  kkt_at(c->here, r->q, before);
  assert_true(kkt_impact(c->here, all, held, NULL));
  const contact_mode mode = complementarity_impulses(c, all).mode;
  for (int e = -4; e <= 6; e += 2) {
    double v[MAX];
    for (size_t j = 0; j < n; j++) v[j] = held[j] + pow(10, e) * (before[j] - held[j]);
    kkt_at(c->here, r->q, v);
    assert_int_equal(complementarity_impulses(c, all).mode, mode);
  }

  // Theorem 3: one constraint that would leave, and is pressed on, stays at small speeds
  const contact_mode left = all & ~mode;
  if (mechanism_count(left) != 1 || !(mode & CONTACT(landing))) return;
  size_t i = 0;
  while (!(left & CONTACT(i))) i++;
  kkt_multipliers pressed;
  kkt_at(c->here, r->q, held);
  assert_true(kkt_pseudo_impulse(c->here, all, &pressed));
  for (size_t k = 0; k < r->m.constraints; k++)
    if (!(pressed.value[k] < 0)) return;
  tried++;
  double slow[MAX];
  for (size_t j = 0; j < n; j++) slow[j] = held[j] + 1e-7 * (before[j] - held[j]);
  kkt_at(c->here, r->q, slow);
  assert_true(complementarity_pseudo(c, all, 0.03).mode & CONTACT(i));
  assert_false(complementarity_pseudo(c, all, 0).mode & CONTACT(i));
}

static void the_speed_of_an_impact_matters_to_pseudo_impulses_alone(void **state) {
  (void)state;
  tried = 0;
  on_draws(check_speeds, DRAWS, 0);
  print_message("Theorem 3 held in the %lu of %d mechanisms that it is said of\n", tried, DRAWS);
  assert_true(tried > DRAWS / 50);
}

static bool oracle_keeps(const double G[], const double w[], const double f[], size_t contacts,
                         contact_mode mode, size_t k) {
  double part[MAX * MAX], both[MAX * 2];
  size_t of[MAX], count = 0, row = 0;
  for (size_t i = 0; i < contacts; i++)
    if (mode & CONTACT(i)) of[count++] = i;
  for (size_t i = 0; i < count; i++) {
    if (of[i] == k) row = i;
    both[2 * i] = w[of[i]];
    both[2 * i + 1] = f[of[i]];
    for (size_t j = 0; j < count; j++) part[i * count + j] = G[of[i] * contacts + of[j]];
  }
  assert_true(oracle_solve(count, 2, part, both));
  const double impulse = -both[2 * row], resisted = -both[2 * row + 1];
  return impulse >= 0 || impulse + resisted >= 0;
}

/* rows turned round so that all constraints land */
static void land_all(complementarity *c, const random_mechanism *r) {
  random_mechanism *const turned = r->m.params;
  const size_t n = r->m.coordinates;
  for (size_t i = 0; i < r->m.constraints * n; i++) {
    if (c->here->speed[i / n] <= 0) continue;
    turned->slope[i] = -turned->slope[i];
    turned->bow[i] = -turned->bow[i];
  }
  c->here->configuration = 0;
  kkt_at(c->here, r->q, r->v);
}

/* (58) with delta_t = 1, its least mode by Lemke */
static void check_pseudo(complementarity *c, const random_mechanism *r, gsl_rng *rng) {
  (void)rng;
  const size_t contacts = r->m.constraints;
  land_all(c, r);
  const contact_mode all = all_of(&r->m);
  double G[MAX * MAX], w[MAX], f[MAX];
  problem(c->here, r->force, NULL, G, f);
  problem(c->here, c->here->momentum, NULL, G, w);
  const contact_mode least = lemke(c->here, c->here->momentum, NULL);
  contact_mode first = least;
  size_t solutions = 0, fewest = MAX + 1;
  for (contact_mode mode = 0; mode <= all; mode++) {
    if (least & ~mode) continue;
    bool solved = true;
    for (size_t k = 0; k < contacts && solved; k++)
      solved = oracle_keeps(G, w, f, contacts, mode | CONTACT(k), k) == !!(mode & CONTACT(k));
    if (!solved) continue;
    solutions++;
    if (mechanism_count(mode) < fewest) {
      fewest = mechanism_count(mode);
      first = mode;
    }
  }
  const complementarity_choice found = complementarity_pseudo(c, all, 1);
  assert_int_equal(found.solutions, solutions);
  if (solutions <= 1) assert_int_equal(found.mode, first);
  assert_int_equal(mechanism_count(found.mode), mechanism_count(first));
  if (solutions > 0) assert_true(complementarity_is_pseudo(c, all, found.mode, 1));
  if (contacts <= 2) assert_int_equal(solutions, 1);
  none += solutions == 0;
  several += solutions > 1;
  asked++;
}

static void pseudo_impulses_choose_as_enumeration_does(void **state) {
  (void)state;
  none = several = asked = 0;
  on_draws(check_pseudo, 2 * DRAWS, 0);
  print_message("PIV of %lu random mechanisms: %lu without a solution, %lu with several\n", asked,
                none, several);
  assert_true(none > 0 && several > 0 && none + several < asked / 50);
}

static complementarity_choice pseudo_of(const double A[9], const double v[3], const double f[3],
                                        contact_mode *impulses) {
  random_mechanism r;
  random_mechanism_plain(&r, 3, 3, A, v, f);
  complementarity c = complementarity_alloc(&r.m);
  kkt_at(c.here, r.q, r.v);
  *impulses = complementarity_impulses(&c, 7).mode;
  const complementarity_choice found = complementarity_pseudo(&c, 7, 1);
  complementarity_free(&c);
  return found;
}

static void pseudo_impulses_may_have_no_solution_or_several(void **state) {
  (void)state;
  contact_mode impulses;
  const double none_A[9] = {2, -1, 2, 1, -2, 2, 2, 0, -1};
  complementarity_choice found =
      pseudo_of(none_A, (double[]){-2, -1, -2}, (double[]){3, 2, 1}, &impulses);
  assert_int_equal(impulses, CONTACT(0) | CONTACT(2));
  assert_int_equal(found.solutions, 0);
  assert_int_equal(found.mode, impulses);

  const double several_A[9] = {-2, 1, 0, -1, 1, -1, -2, 2, 0};
  found = pseudo_of(several_A, (double[]){0, -2, 2}, (double[]){0, 3, 3}, &impulses);
  assert_int_equal(found.solutions, 2);
  assert_int_equal(found.mode, CONTACT(1));
}

/* With massless limbs there is no velocity to compare: the modes of the limit of small masses. */
static void check_limbs(complementarity *c, const random_mechanism *r, gsl_rng *rng) {
  (void)rng;
  const contact_mode all = all_of(&r->m);
  const complementarity_choice forces = complementarity_forces(c, all);
  const complementarity_choice impulses = complementarity_impulses(c, all);
  assert_int_equal(forces.solutions, 1);
  assert_int_equal(impulses.solutions, 1);
  kkt light = *c->here;
  const size_t n = r->m.coordinates;
  for (size_t j = r->bodies; j < n; j++) light.M[j * n + j] = 1e-7;
  assert_int_equal(forces.mode, lemke(&light, r->force, light.bend));

  // a limb that only its own frictionless contact holds takes no impulse, and stays
  kkt_multipliers impulse;
  assert_true(kkt_impact(c->here, impulses.mode, NULL, &impulse));
  for (size_t k = 0; k < n - r->bodies; k++) {
    assert_true(impulses.mode & CONTACT(k));
    assert_true(fabs(impulse.value[k]) < 1e-10);
  }
}

static void massless_limbs_choose_as_light_ones_do(void **state) {
  (void)state;
  on_draws(check_limbs, DRAWS, 2);
}

/* A body of unit mass in the plane, on a massless foot that slides at 45 degrees to it, and that
 * sticks to the ground (rows 0 and 1) while the body meets a wall. Held, the foot is pulled. */
static contact_mode foot_after_wall(double friction, double press, double delta_t) {
  const double A[9] = {0, 1, 1, 1, 0, 1, -1, 0, 0};
  random_mechanism r;
  random_mechanism_plain(&r, 3, 3, A, (double[]){1, 1, -1}, (double[]){0, -press, 0});
  r.root[8] = 0;
  r.limb[2] = 0;
  if (friction > 0) r.constraint[1] = (mechanism_constraint){.normal = 0, .friction = friction};
  if (friction == 0) r.m.constraints = 1;
  assert_null(mechanism_refused(&r.m));
  complementarity c = complementarity_alloc(&r.m);
  kkt_at(c.here, r.q, r.v);
  const complementarity_choice found = complementarity_pseudo(&c, all_of(&r.m), delta_t);
  assert_int_equal(found.solutions, 1);
  complementarity_free(&c);
  return found.mode;
}

/* (49) and 2.8: normal and tangent go together; without a tangent the foot stays, at no impulse */
static void a_foot_that_would_be_pulled_lets_go_whole(void **state) {
  (void)state;
  assert_int_equal(foot_after_wall(10, 0, 0), CONTACT(2));
  assert_int_equal(foot_after_wall(10, 0, 1), CONTACT(2));
  assert_int_equal(foot_after_wall(10, 6, 0), CONTACT(2));
  assert_int_equal(foot_after_wall(10, 6, 1), 7);
  assert_int_equal(foot_after_wall(0, 0, 0), CONTACT(0));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(impulses_choose_as_lemke_does),
      cmocka_unit_test(forces_choose_as_lemke_does),
      cmocka_unit_test(the_speed_of_an_impact_matters_to_pseudo_impulses_alone),
      cmocka_unit_test(pseudo_impulses_choose_as_enumeration_does),
      cmocka_unit_test(pseudo_impulses_may_have_no_solution_or_several),
      cmocka_unit_test(massless_limbs_choose_as_light_ones_do),
      cmocka_unit_test(a_foot_that_would_be_pulled_lets_go_whole),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
