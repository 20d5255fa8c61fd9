/*
 * Memory: every allocation of ess_driver_alloc fails in turn, and from there to ess_driver_free
 * nothing is allocated or freed. Linked with --wrap, so that libess's calls come here.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ess_tangents.h"
#include "hybrid.h"
#include "test.h"

/* what libess has asked for, and which request is refused (1: the first; 0: none) */
static size_t requests, refused, blocks, frees;

/* more than this is refused as any system would, but at once */
static const size_t MEMORY = (size_t)1 << 30;

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *block, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
void __real_free(void *block);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *block, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);
void __wrap_free(void *block);

static bool granted(size_t count, size_t size) {
  return ++requests != refused && count <= MEMORY / (size ? size : 1);
}

static void *counted(void *block) {
  blocks += block != NULL;
  return block;
}

void *__wrap_malloc(size_t size) {
  return granted(1, size) ? counted(__real_malloc(size)) : NULL;
}

void *__wrap_calloc(size_t count, size_t size) {
  return granted(count, size) ? counted(__real_calloc(count, size)) : NULL;
}

void *__wrap_realloc(void *block, size_t size) {
  if (!granted(1, size)) return NULL;
  return block ? __real_realloc(block, size) : counted(__real_realloc(block, size));
}

void *__wrap_aligned_alloc(size_t alignment, size_t size) {
  return granted(1, size) ? counted(__real_aligned_alloc(alignment, size)) : NULL;
}

void __wrap_free(void *block) {
  frees++;
  blocks -= block != NULL;
  __real_free(block);
}

/* ---- what a driver's memory depends on ------------------------------------------------------- */

/* a ball on a spring; its impacts change nothing, and it goes on in the mode of its crossing */
static const char BALL[] = "k = 50; z' = v; v' = -2 - k*on(s)*z; s: -z; from 0: z = 1";
static const char PASSING[] = "hit up s: +s; hit down s: -s";
static const char MOVING[] = "late: t - 1000";
static const char WATCHING[] = "watch top: v";

static const struct kind {
  const char *more;
  unsigned gives;
  ess_base base;
  ess_sliding sliding;
  bool has_epsilons;
} kinds[] = {
    {"", 1u << HYBRID_GUARD_JACOBIAN, ESS_BASE_DOPRI5, 0, false},
    {"", 1u << HYBRID_GUARD_RATES, ESS_BASE_DOPRI5, 0, false},
    {"", 1u << HYBRID_GUARD_JACOBIAN, ESS_BASE_DOPRI5, 0, true},
    {PASSING, 1u << HYBRID_GUARD_JACOBIAN, ESS_BASE_DOPRI5, 0, false},
    {"", 0, ESS_BASE_DOPRI5, 0, false},
    {MOVING, 1u << HYBRID_GUARD_JACOBIAN, ESS_BASE_DOPRI5, 0, false},
    {MOVING, 0, ESS_BASE_RKC, 0, false},
    {"", 1u << HYBRID_FIELD_JACOBIAN, ESS_BASE_RODAS, 0, false},
    {"", 0, ESS_BASE_CHOSEN_RODAS, 0, false},
    {"", 0, ESS_BASE_CHOSEN, 0, false},
    {WATCHING, 0, ESS_BASE_DOPRI5, 0, false},
    {"", 0, ESS_BASE_DOPRI5, ESS_SLIDING_SLIDE, false},
    {PASSING, 0, ESS_BASE_DOPRI5, ESS_SLIDING_SLIDE, false},
    {"", 1u << HYBRID_GUARD_RATES | 1u << HYBRID_IDLE, ESS_BASE_DOPRI5, 0, false},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

static hybrid *ball_of(const struct kind *k) {
  hybrid *const h = hybrid_of("%s\n%s", BALL, k->more);
  hybrid_read(h);
  return h;
}

static ess_driver *allocate(const struct kind *k, hybrid *h, size_t event_count, int *status) {
  static const double epsilons[] = {1e-4};
  const bool by_tolerance = k->sliding || k->more == WATCHING;
  ess_system system = hybrid_system(h, k->gives);
  ess_options options = by_tolerance ? ess_options_default() : ess_options_paper();
  options.base = k->base;
  options.sliding = k->sliding;
  if (k->has_epsilons) options.projection.epsilons = epsilons;
  if (event_count < system.event_count) system.event_count = event_count;
  return ess_driver_alloc(&system, &options, status);
}

TEST(each_allocation_that_fails_leaves_nothing_behind) {
  for (size_t i = 0; i < 2 * KINDS; i++) {
    const struct kind *const k = &kinds[i / 2];
    if (i % 2 && (*k->more || k->has_epsilons || k->gives >> HYBRID_IDLE)) continue;
    hybrid *const h = ball_of(k);
    const size_t before = blocks, guards = i % 2 ? 0 : SIZE_MAX;
    requests = refused = 0;
    ess_driver_free(allocate(k, h, guards, NULL));
    const size_t needed = requests;
    assert_true(needed > 0);
    assert_int_equal(blocks, before);
    for (size_t at = 1; at <= needed; at++) {
      int status = -1;
      requests = 0;
      refused = at;
      assert_null(allocate(k, h, guards, &status));
      assert_int_equal(status, ESS_ENOMEM);
      assert_int_equal(blocks, before);
      requests = 0;
      assert_null(allocate(k, h, guards, NULL)); // the status is optional
      assert_int_equal(blocks, before);
    }
    refused = 0;
    hybrid_free(h);
  }
}

TEST(sizes_that_no_machine_has_are_out_of_memory) {
  static const size_t sizes[] = {
    SIZE_MAX,
    SIZE_MAX / 2,
    SIZE_MAX / 8,
    SIZE_MAX / 64,
#if SIZE_MAX > UINT32_MAX
    (size_t)1 << 32,
#endif
  };
  const ess_options options = ess_options_paper();
  hybrid *const h = ball_of(&kinds[0]);
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes * 3 * 2; i++) {
    const size_t size = sizes[i / 6], which = i % 3 + 1, before = blocks;
    ess_system system = hybrid_system(h, 1u << HYBRID_GUARD_JACOBIAN);
    if (i / 3 % 2) system = hybrid_system(h, 1u << HYBRID_GUARD_RATES);
    if (which & 1) system.dimension = size;
    if (which & 2) system.event_count = size;
    int status = -1;
    assert_null(ess_driver_alloc(&system, &options, &status));
    assert_int_equal(status, ESS_ENOMEM);
    assert_int_equal(blocks, before);
  }
  hybrid_free(h);
}

/* ---- runs allocate nothing ------------------------------------------------------------------- */

/* all that a driver can be asked to do, failures included */
static void use(ess_driver *d, hybrid *h) {
  double x[2] = {1.0, 0.0}, t = 0.0, times[50], states[100];
  for (int i = 0; i < 50; i++) times[i] = 3.0 + 0.02 * i;
  assert_int_equal(ess_driver_apply(d, &t, 3.0, x), ESS_SUCCESS);
  assert_int_equal(ess_driver_sample(d, &t, 4.0, x, times, 50, states), ESS_SUCCESS);
  assert_int_equal(ess_driver_dense(d, ess_driver_step_start(d), states), ESS_SUCCESS);
  assert_int_equal(ess_driver_apply(d, &t, NAN, x), ESS_EINVAL);
  assert_int_equal(ess_driver_apply(d, &t, 3.5, x), ESS_SUCCESS);
  h->parameter[0] = NAN;
  ess_driver_reset(d);
  assert_int_not_equal(ess_driver_apply(d, &t, 9.0, x), ESS_SUCCESS);
  h->parameter[0] = 50.0;
  ess_driver_reset(d);
  x[0] = 1.0;
  x[1] = 0.0;
  assert_int_equal(ess_driver_apply(d, &t, 9.0, x), ESS_SUCCESS);
  assert_true(ess_driver_counters(d)->steps > 0);
  assert_true(fabs(ess_driver_sign(d)[0]) == 1.0);
  assert_non_null(ess_strerror((int)ess_driver_failure(d)->status));
}

TEST(nothing_is_allocated_while_a_driver_lives) {
  for (size_t i = 0; i < KINDS; i++) {
    hybrid *const h = ball_of(&kinds[i]);
    const size_t before = blocks;
    ess_driver *const d = allocate(&kinds[i], h, SIZE_MAX, NULL);
    assert_non_null(d);
    requests = frees = 0;
    use(d, h);
    assert_true(requests == 0 && frees == 0);
    ess_driver_free(d);
    assert_int_equal(blocks, before);
    hybrid_free(h);
  }
}

/* a mass on twelve springs: crossings in quick succession, and steps through them */
static hybrid *bed(void) {
  hybrid *const h = hybrid_of("k = 20; z' = v; v' = k*sum(12: on(s@)*(0.0008*@*@ - z)) - 2\n"
                              "each 12: s@: 0.0008*@*@ - z");
  hybrid_read(h);
  return h;
}

TEST(nothing_is_allocated_among_crossings) {
  static const ess_base bases[] = {ESS_BASE_DOPRI5, ESS_BASE_RKC, ESS_BASE_CHOSEN, ESS_BASE_RODAS,
                                   ESS_BASE_CHOSEN_RODAS};
  for (int i = 0; i < 5; i++) {
    hybrid *const h = bed();
    const size_t before = blocks;
    const ess_system system = hybrid_system(h, 1u << HYBRID_GUARD_JACOBIAN | HYBRID_WEIGHTS);
    ess_options options = hybrid_options(1e-2), observed;
    options.base = bases[i];
    observed = options;
    static hybrid_log log;
    observed.observer = hybrid_observer(h, &log);
    ess_driver *const d = ess_driver_alloc(&system, &options, NULL);
    double x[2] = {0.7, 0.0}, t = 0.0, times[50], states[100];
    for (int j = 0; j < 50; j++) times[j] = 3.0 + 0.02 * j;
    requests = frees = 0;
    assert_int_equal(ess_driver_apply(d, &t, 1.5, x), ESS_SUCCESS);
    assert_int_equal(ess_driver_set_options(d, &observed), ESS_SUCCESS);
    assert_int_equal(ess_driver_sample(d, &t, 4.0, x, times, 50, states), ESS_SUCCESS);
    const ess_counters *const c = ess_driver_counters(d);
    const uint64_t made[] = {c->through, c->stabilised, c->entries, c->implicit, c->entries};
    assert_true(log.count > 0 && made[i] > 0);
    h->parameter[0] = NAN;
    ess_driver_reset(d);
    assert_int_not_equal(ess_driver_apply(d, &t, 9.0, x), ESS_SUCCESS);
    assert_true(requests == 0 && frees == 0);
    ess_driver_free(d);
    assert_int_equal(blocks, before);
    hybrid_free(h);
  }
}

/* directions and recordings allocate in the call that asks for them, and there alone */
TEST(tangents_allocate_when_they_are_asked_for) {
  hybrid *const h = bed();
  const size_t none = blocks;
  const ess_system system = hybrid_system(h, 1u << HYBRID_GUARD_JACOBIAN | HYBRID_WEIGHTS);
  const ess_options options = hybrid_options(1e-2);
  ess_driver *const d = ess_driver_alloc(&system, &options, NULL);
  const size_t before = blocks;
  requests = 0;
  assert_int_equal(ess_driver_follow(d, 2, NULL), ESS_SUCCESS);
  const size_t needed = requests;
  assert_true(needed > 0);
  for (refused = 1; refused <= needed; refused++) {
    requests = 0;
    assert_int_equal(ess_driver_follow(d, 2, NULL), ESS_ENOMEM);
    assert_int_equal(blocks, before);
    assert_null(ess_driver_tangent(d));
  }
  refused = 0;
  assert_int_equal(ess_driver_follow(d, SIZE_MAX / 8, (const double[]){1.0}), ESS_EINVAL);
  assert_int_equal(ess_driver_follow(d, 2, NULL), ESS_SUCCESS);
  double x[2] = {0.7, 0.0}, t = 0.0, Dt[2], Dx[4];
  requests = frees = 0;
  assert_int_equal(ess_driver_apply(d, &t, 4.0, x), ESS_SUCCESS);
  assert_true(ess_driver_counters(d)->crossings > 12);
  assert_int_equal(ess_driver_section(d, 0, Dt, Dx), ESS_SUCCESS);
  assert_int_equal(ess_driver_choose_piece(d, 0), ESS_SUCCESS);
  assert_true(requests == 0 && frees == 0);
  ess_driver_free(d);
  assert_int_equal(blocks, none);
  hybrid_free(h);
}
