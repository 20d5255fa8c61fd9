/*
 * Memory: every allocation of ess_driver_alloc fails in turn, and from there to ess_driver_free
 * nothing is allocated or freed. Linked with --wrap, so that libess's calls come here.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "bed.h"
#include "ess_tangents.h"

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

GUARD_RATES_CODE(ball_rates) {
  rate[0] = -v[0];
  return ball_guards(t, x, h, params);
}

/* nothing jumps at these impacts: the ball goes on in the mode that its crossing leads to */
IMPACT_MAP(pass) {
}

/* a driver's memory depends on how rates are had, on whether there are guards, impacts, own
 * epsilons, and on the base */
enum { KINDS = 8 };
static const ess_impacts IMPACTS = {.map = pass};
static const double EPSILONS[1] = {1e-4};

static ess_driver *allocate_kind(int kind, toy_ball *ball, int *status) {
  ess_system system = ball_system(ball);
  ess_options options = ess_options_paper();
  if (kind == 1) system.guard_rates = ball_rates;
  if (kind == 2) system.guard_count = 0;
  if (kind == 3) options.guard_epsilons = EPSILONS;
  if (kind == 4) system.impacts = &IMPACTS;
  if (kind == 5) system.guard_jacobian = NULL;
  if (kind == 6) system.guards_move = true;
  if (kind == 7) options.base = ESS_BASE_RODAS;
  return ess_driver_alloc(&system, &options, status);
}

TEST(each_allocation_that_fails_leaves_nothing_behind) {
  toy_ball ball = {.stiffness = 50.0};
  for (int kind = 0; kind < KINDS; kind++) {
    requests = refused = 0;
    ess_driver_free(allocate_kind(kind, &ball, NULL));
    const size_t needed = requests;
    assert_true(needed > 0);
    assert_int_equal(blocks, 0);
    for (size_t k = 1; k <= needed; k++) {
      int status = -1;
      requests = 0;
      refused = k;
      assert_null(allocate_kind(kind, &ball, &status));
      assert_int_equal(status, ESS_ENOMEM);
      assert_int_equal(blocks, 0);
      // the status is optional
      requests = 0;
      assert_null(allocate_kind(kind, &ball, NULL));
      assert_int_equal(blocks, 0);
    }
  }
  refused = 0;
}

TEST(sizes_no_machine_has_are_out_of_memory) {
  toy_ball ball = {.stiffness = 50.0};
  const size_t sizes[] = {SIZE_MAX, SIZE_MAX / 2, SIZE_MAX / 8, SIZE_MAX / 64, (size_t)1 << 32};
  const ess_options options = ess_options_paper();
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
    for (int which = 1; which <= 3; which++)
      for (int rates = 0; rates < 2; rates++) {
        int status = -1;
        ess_system system = ball_system(&ball);
        if (rates) system.guard_rates = ball_rates;
        if (which & 1) system.dimension = sizes[i];
        if (which & 2) system.guard_count = sizes[i];
        assert_null(ess_driver_alloc(&system, &options, &status));
        assert_int_equal(status, ESS_ENOMEM);
        assert_int_equal(blocks, 0);
      }
}

/* everything a driver can be asked to do, failures included */
static void use(ess_driver *d, toy_ball *ball) {
  double x[2] = {1.0, 0.0}, t = 0.0, times[50], states[100];
  for (int i = 0; i < 50; i++) times[i] = 3.0 + 0.02 * i;
  assert_int_equal(ess_driver_apply(d, &t, 3.0, x), ESS_SUCCESS);
  assert_int_equal(ess_driver_sample(d, &t, 4.0, x, times, 50, states), ESS_SUCCESS);
  assert_int_equal(ess_driver_apply(d, &t, NAN, x), ESS_EINVAL);
  assert_int_equal(ess_driver_apply(d, &t, 3.5, x), ESS_SUCCESS);
  ball->stiffness = NAN;
  ess_driver_reset(d);
  assert_int_equal(ess_driver_apply(d, &t, 9.0, x), ESS_EFIELD);
  ball->stiffness = 50.0;
  ess_driver_reset(d);
  assert_int_equal(ess_driver_apply(d, &t, 9.0, x), ESS_SUCCESS);
  assert_true(ess_driver_counters(d)->steps > 0);
  assert_true(fabs(ess_driver_sign(d)[0]) == 1.0);
  assert_non_null(ess_strerror((int)ess_driver_failure(d)->status));
}

TEST(nothing_is_allocated_while_a_driver_lives) {
  toy_ball ball = {.stiffness = 50.0};
  const int kinds[] = {0, 1, 3, 4, 5, 6, 7};
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    ess_driver *const d = allocate_kind(kinds[i], &ball, NULL);
    assert_non_null(d);
    requests = frees = 0;
    use(d, &ball);
    assert_int_equal(requests, 0);
    assert_int_equal(frees, 0);
    ess_driver_free(d);
    assert_int_equal(blocks, 0);
  }
  ess_driver_free(NULL);
}

/* by one tolerance, crossings in quick succession among others; observed, sampled and stopped */
static void check_crossings(ess_base base) {
  bed b = make_bed();
  const ess_system system = bed_system(&b, false);
  ess_options options = bed_options(ESS_METHOD_TOLERANCE);
  options.base = base;
  ess_options observed = options;
  toy_log log = {0};
  observed.observer = toy_observer(&log);
  ess_driver *const d = ess_driver_alloc(&system, &options, NULL);
  double x[2] = {0.7, 0.0}, t = 0.0, times[50], states[100];
  for (int i = 0; i < 50; i++) times[i] = 3.0 + 0.02 * i;
  requests = frees = 0;
  assert_int_equal(ess_driver_apply(d, &t, 1.5, x), ESS_SUCCESS);
  assert_int_equal(ess_driver_set_options(d, &observed), ESS_SUCCESS);
  assert_int_equal(ess_driver_sample(d, &t, 4.0, x, times, 50, states), ESS_SUCCESS);
  assert_int_equal(ess_driver_dense(d, ess_driver_step_start(d), states), ESS_SUCCESS);
  const ess_counters *const c = ess_driver_counters(d);
  const uint64_t made[] = {c->through, c->stabilised, c->entries, c->implicit, 0, c->entries};
  assert_true(log.count > 0 && made[base] > 0);
  b.stiffness = NAN;
  ess_driver_reset(d);
  assert_int_not_equal(ess_driver_apply(d, &t, 9.0, x), ESS_SUCCESS);
  assert_int_equal(requests, 0);
  assert_int_equal(frees, 0);
  ess_driver_free(d);
  assert_int_equal(blocks, 0);
}

TEST(nothing_is_allocated_among_crossings) {
  for (int base = ESS_BASE_DOPRI5; base <= ESS_BASE_RODAS; base++) check_crossings((ess_base)base);
  check_crossings(ESS_BASE_CHOSEN_RODAS);
}

/* directions allocate where they are asked for, and there alone */
TEST(directions_allocate_when_they_are_given) {
  bed b = make_bed();
  const ess_system system = bed_system(&b, false);
  const ess_options options = bed_options(ESS_METHOD_TOLERANCE);
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
  assert_true(ess_driver_counters(d)->crossings > SPRINGS);
  assert_int_equal(ess_driver_section(d, 0, Dt, Dx), ESS_SUCCESS);
  assert_int_equal(ess_driver_choose_piece(d, 0), ESS_SUCCESS);
  assert_int_equal(requests, 0);
  assert_int_equal(frees, 0);
  ess_driver_free(d);
  assert_int_equal(blocks, 0);
}
