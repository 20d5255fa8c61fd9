/*
 * Statements of the paper that other tests do not hold, on random mechanisms: when the matrix of a
 * mode exists (Lemma 4), what ties forces and impulses to what a contact does without them
 * (Theorems 1 and 2), that a start in any mode leads to one execution (Theorem 9), where impacts
 * accumulate (Theorem 10, Corollary 1), and that pseudo-impulses prevent that (Theorem 11).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <gsl/gsl_linalg.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "contact_system.h"
#include "random_mechanism.h"

enum { MAX = RANDOM_MAX, STATES = 2 * RANDOM_MAX };

/* The smallest singular value of H' M H, H a basis of the null space of A (the first rows):
 * inertia in reduced coordinates. NaN where rows depend on each other (A2). */
static double reduced_inertia(const kkt *s, size_t rows) {
  const size_t n = s->m->coordinates, free = n - rows;
  gsl_matrix *const U = gsl_matrix_calloc(n, n), *const V = gsl_matrix_alloc(n, n);
  gsl_vector *const values = gsl_vector_alloc(n), *const work = gsl_vector_alloc(n);
  for (size_t i = 0; i < rows * n; i++) gsl_matrix_set(U, i / n, i % n, s->A[i]);
  gsl_linalg_SV_decomp(U, V, values, work);
  const bool independent = rows == 0 || gsl_vector_get(values, rows - 1) > 1e-6;
  const size_t room = free > 0 ? free : 1;
  gsl_matrix *const reduced = gsl_matrix_calloc(room, room), *const W =
                                                                 gsl_matrix_alloc(room, room);
  for (size_t a = 0; a < free; a++) {
    for (size_t b = 0; b < free; b++) {
      double sum = 0;
      for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
          sum += gsl_matrix_get(V, i, rows + a) * s->M[i * n + j] * gsl_matrix_get(V, j, rows + b);
      gsl_matrix_set(reduced, a, b, sum);
    }
  }
  gsl_vector_view of = gsl_vector_subvector(values, 0, room),
                  w = gsl_vector_subvector(work, 0, room);
  gsl_linalg_SV_decomp(reduced, W, &of.vector, &w.vector);
  const double smallest = free > 0 ? gsl_vector_get(&of.vector, free - 1) : 1;
  gsl_matrix_free(U);
  gsl_matrix_free(V);
  gsl_matrix_free(W);
  gsl_matrix_free(reduced);
  gsl_vector_free(values);
  gsl_vector_free(work);
  return independent ? smallest : NAN;
}

/* Lemma 4: inertia of any rank, contacts of which some do not touch what has none */
static void a_mode_exists_where_its_reduced_inertia_is_regular(void **state) {
  (void)state;
  gsl_rng *const rng = gsl_rng_alloc(gsl_rng_mt19937);
  size_t exist = 0, miss = 0;
  for (size_t draw = 0; draw < 3000; draw++) {
    random_mechanism r;
    random_mechanism_draw(&r, rng, 0);
    const size_t n = r.m.coordinates, lost = gsl_rng_uniform_int(rng, n);
    for (size_t i = 0; i < n * n; i++) // the last coordinates have no inertia
      if (i / n >= n - lost || i % n >= n - lost) r.root[i] = 0;
    for (size_t j = n - lost; j < n; j++) r.sway[j] = 0;
    for (size_t k = 0; k < r.m.constraints; k++)
      for (size_t j = n - lost; j < n; j++)
        if (gsl_rng_uniform(rng) < 0.4) r.slope[k * n + j] = r.bow[k * n + j] = 0;
    kkt *const s = kkt_alloc(&r.m);
    kkt_at(s, r.q, r.v);
    const size_t rows = gsl_rng_uniform_int(rng, r.m.constraints + 1);
    const bool exists = kkt_in(s, ((contact_mode)1 << rows) - 1) != NULL;
    const double reduced = reduced_inertia(s, rows);
    kkt_free(s);
    if (isnan(reduced) || (reduced > 1e-13 && reduced < 1e-6)) continue;
    assert_int_equal(exists, reduced > 1e-8);
    exist += exists;
    miss += !exists;
  }
  gsl_rng_free(rng);
  print_message("Lemma 4: %zu modes exist, %zu do not\n", exist, miss);
  assert_true(exist > 500 && miss > 500);
}

/* (45) and (54): what k does in J is minus its share of A_k M+_J A_k' times its multiplier in K */
static void forces_say_what_contacts_would_do_without_them(void **state) {
  (void)state;
  gsl_rng *const rng = gsl_rng_alloc(gsl_rng_mt19937);
  double worst = 0;
  for (size_t draw = 0; draw < 3000; draw++) {
    random_mechanism r;
    random_mechanism_draw(&r, rng, draw % 3);
    const size_t n = r.m.coordinates, limbs = n - r.bodies;
    if (r.m.constraints == limbs) continue;
    const size_t k = limbs + gsl_rng_uniform_int(rng, r.m.constraints - limbs);
    const contact_mode held = ((contact_mode)1 << limbs) - 1; // A5
    const contact_mode J =
        ((contact_mode)gsl_rng_uniform_int(rng, 1UL << r.m.constraints) | held) & ~CONTACT(k);
    kkt *const s = kkt_alloc(&r.m);
    kkt_at(s, r.q, r.v);
    const kkt_inverse *const f = kkt_in(s, J);
    assert_non_null(f);
    double share = 0, acceleration[MAX], after[MAX], away = s->bend[k], leaving = 0;
    kkt_multipliers force, impulse;
    for (size_t i = 0; i < f->coordinates; i++)
      for (size_t j = 0; j < f->coordinates; j++)
        share += s->A[k * n + f->of[i]] * f->entry[i * f->order + j] * s->A[k * n + f->of[j]];
    assert_true(share > 0);
    assert_true(kkt_flow(s, J, acceleration, NULL) && kkt_impact(s, J, after, NULL));
    assert_true(kkt_flow(s, J | CONTACT(k), NULL, &force));
    assert_true(kkt_impact(s, J | CONTACT(k), NULL, &impulse));
    for (size_t j = 0; j < n; j++) {
      away += s->A[k * n + j] * acceleration[j];
      leaving += s->A[k * n + j] * after[j];
    }
    worst =
        fmax(worst, fabs(away + share * kkt_cone(s, k, force.value)) / (1 + share * force.size[k]));
    worst = fmax(worst, fabs(leaving + share * kkt_cone(s, k, impulse.value)) /
                            (1 + share * impulse.size[k]));
    kkt_free(s);
  }
  gsl_rng_free(rng);
  print_message("(45) and (54): worst %.1e\n", worst);
  assert_true(worst < 1e-10);
}

/* gaps moved so that all contacts touch, at rest on those in `still` */
static void touch(random_mechanism *r, double x[STATES]) {
  const size_t n = r->m.coordinates;
  double a[MAX];
  memset(r->offset, 0, sizeof r->offset);
  r->m.gaps(r->q, a, r->m.params);
  for (size_t k = 0; k < r->m.constraints; k++) r->offset[k] = -a[k];
  memcpy(x, r->q, n * sizeof *x);
  kkt *const s = kkt_alloc(&r->m);
  kkt_at(s, r->q, r->v);
  assert_true(kkt_impact(s, ((contact_mode)1 << r->m.constraints) - 1, x + n, NULL));
  kkt_free(s);
}

/* Theorem 9: of all consistent modes those that hold what FA keeps lead to FA's by one transition
 */
static void any_consistent_mode_leads_to_one(void **state) {
  (void)state;
  gsl_rng *const rng = gsl_rng_alloc(gsl_rng_mt19937);
  size_t starts = 0;
  for (size_t draw = 0; draw < 300; draw++) {
    random_mechanism r;
    double x[STATES];
    random_mechanism_draw(&r, rng, 0);
    touch(&r, x);
    contact_system s;
    contact_mode kept;
    assert_int_equal(contact_system_prepare(&s, &r.m, 0.03), 0);
    assert_int_equal(contact_system_start(&s, x, &kept), 0);
    const contact_mode all = ((contact_mode)1 << r.m.constraints) - 1;
    for (contact_mode mode = 0; mode <= all; mode++) {
      if (kept & ~mode) continue;
      contact_transition made;
      assert_int_equal(contact_system_transition(&s, x, mode, 0, &made), 0);
      assert_int_equal(made.after, kept);
      const size_t n = r.m.coordinates;
      for (size_t j = 0; j < n; j++) {
        assert_true(fabs(made.q[j] - x[j]) < 1e-10);
        assert_true(fabs(made.v[j] - x[n + j]) < 1e-9);
      }
      starts++;
    }
    contact_system_release(&s);
  }
  gsl_rng_free(rng);
  print_message("Theorem 9: %zu starts\n", starts);
  assert_true(starts > 1000);
}

typedef struct watched {
  random_mechanism r;
  contact_system s;
  contact_mode latest[4]; /* what was active or landed at the last impacts */
  size_t impacts;
  double x[STATES];
} watched;

static int watch(const ess_impact *impact, void *context) {
  watched *const w = context;
  contact_transition made;
  if (contact_system_replay(&w->s, impact, &made)) return -1;
  w->latest[w->impacts++ % 4] = made.before | made.landed;
  return 0;
}

/* pressed onto two contacts, from some way off them */
static int press(watched *w, gsl_rng *rng, double delta_t) {
  random_mechanism *const r = &w->r;
  do random_mechanism_draw(r, rng, 0);
  while (r->m.constraints < 2);
  r->m.constraints = 2;
  const size_t n = r->m.coordinates;
  double a[MAX], t = 0;
  memset(r->force, 0, sizeof r->force);
  for (size_t j = 0; j < n; j++) r->force[j] = -4 * (r->slope[j] + r->slope[n + j]);
  r->m.gaps(r->q, a, r->m.params);
  for (size_t k = 0; k < 2; k++) r->offset[k] = 0.1 - a[k];
  memcpy(w->x, r->q, n * sizeof *w->x);
  memset(w->x + n, 0, n * sizeof *w->x);
  w->impacts = 0;
  memset(w->latest, 0, sizeof w->latest);
  assert_int_equal(contact_system_prepare(&w->s, &r->m, delta_t), 0);
  ess_options options = ess_options_default();
  options.observer = (ess_observer){.impact = watch, .context = w};
  options.max_steps = 2000;
  ess_driver *const d = ess_driver_alloc(&w->s.system, &options, NULL);
  const int status = ess_driver_apply(d, &t, 1, w->x);
  ess_driver_free(d);
  return status;
}

/* (96), (97) and (99) at the limit: it is on all contacts of the last impacts, at rest; with a
 * pseudo-impulse none that forces press on is among two */
static void impacts_accumulate_on_their_contacts(void **state) {
  (void)state;
  gsl_rng *const rng = gsl_rng_alloc(gsl_rng_mt19937);
  static watched w;
  size_t zeno[2] = {0, 0}, whole[2] = {0, 0}, pressed = 0;
  for (size_t draw = 0; draw < 120; draw++) {
    const bool cut = draw % 2;
    const int status = press(&w, rng, cut ? 0.03 : 0);
    if (status == ESS_EZENO) {
      const contact_mode together = w.latest[0] | w.latest[1] | w.latest[2] | w.latest[3];
      kkt *const s = w.s.c.here;
      kkt_multipliers force;
      kkt_at(s, w.x, w.x + w.r.m.coordinates);
      for (size_t k = 0; k < 2; k++) {
        if (!(together & CONTACT(k))) continue;
        assert_true(fabs(s->a[k]) < 1e-6 && fabs(s->speed[k]) < 1e-5);
      }
      assert_true(kkt_pseudo_impulse(s, together, &force));
      for (size_t k = 0; cut && k < 2; k++)
        pressed += (together & CONTACT(k)) && -force.value[k] > 1e-9;
      zeno[cut]++;
    }
    whole[cut] += status == ESS_SUCCESS;
    contact_system_release(&w.s);
  }
  gsl_rng_free(rng);
  print_message("without a pseudo-impulse impacts accumulate in %zu of 60 runs, and %zu take more "
                "than 2000 steps; with one, %zu run to the end\n",
                zeno[0], 60 - zeno[0] - whole[0], whole[1]);
  assert_true(zeno[0] > 5);
  assert_int_equal(pressed, 0);
  assert_int_equal(whole[1], 60);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_mode_exists_where_its_reduced_inertia_is_regular),
      cmocka_unit_test(forces_say_what_contacts_would_do_without_them),
      cmocka_unit_test(any_consistent_mode_leads_to_one),
      cmocka_unit_test(impacts_accumulate_on_their_contacts),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
