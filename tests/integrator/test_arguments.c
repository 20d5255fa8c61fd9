/*
 * What is refused by name: arguments, arrays of options, reset matrices, calls from within a run.
 * Options that are numbers are in cases/api.txt.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <math.h>
#include <string.h>

#include "hybrid.h"
#include "test.h"

enum { EVENTS = 2, GUARDS = 2 * EVENTS, ENTRIES = 3 };

/* A system and options that are accepted, which a test spoils. */
typedef struct spoiled {
  hybrid *h;
  ess_system system;
  ess_options options;
  size_t row_start[GUARDS + 2], guard[ENTRIES];
  signed char effect[ENTRIES];
  ess_reset_matrix resets;
  double array[2];
  ess_tolerance tolerances[2];
} spoiled;

static spoiled s;

static void make(void) {
  hybrid_free(s.h);
  s = (spoiled){.h = hybrid_of("z' = v; v' = -2 - 100*on(a)*z; a: -z; b: v - 9"),
                .options = ess_options_paper(),
                .row_start = {0, 1, 1, 2, 2, 3},
                .guard = {ESS_GUARD_DOWN(0), ESS_GUARD_DOWN(1), ESS_GUARD_UP(0)},
                .effect = {1, -1, 1}};
  s.system = hybrid_system(s.h, HYBRID_GIVES_ALL);
  s.resets = (ess_reset_matrix){.row_start = s.row_start, .guard = s.guard, .effect = s.effect};
  s.system.resets = &s.resets;
}

/* the last one, which no test frees */
__attribute__((destructor)) static void drop(void) {
  hybrid_free(s.h);
}

/* refused with exactly this line, by ess_check and by ess_driver_alloc; NULL: accepted by both */
static void expect(const char *reason) {
  const char *const said = ess_check(&s.system, &s.options);
  int status = -1;
  ess_driver *const d = ess_driver_alloc(&s.system, &s.options, &status);
  if (reason) {
    if (!said || strcmp(said, reason)) fail_msg("not \"%s\", but \"%s\"", reason, said);
    assert_null(d);
    assert_int_equal(status, ESS_EINVAL);
  } else {
    if (said) fail_msg("refused: %s", said);
    assert_non_null(d);
    assert_int_equal(status, ESS_SUCCESS);
  }
  ess_driver_free(d);
}

#define AFTER(change, reason) (make(), (void)(change), expect(reason))

static double *filled(double first, double second) {
  s.array[0] = first;
  s.array[1] = second;
  return s.array;
}

/* of both states */
static bool each_of(double rtol, double second_rtol, double atol, double second_atol) {
  s.tolerances[0] = (ess_tolerance){rtol, atol};
  s.tolerances[1] = (ess_tolerance){second_rtol, second_atol};
  s.options.tolerances = s.tolerances;
  return true;
}

/* ---- systems and options --------------------------------------------------------------------- */

TEST(members_of_systems_and_options_are_named) {
  AFTER(0, NULL);
  AFTER(s.system.dimension = 0, "dimension must be at least 1");
  AFTER(s.system.field = NULL, "field must not be NULL");
  AFTER(s.system.event_functions = NULL, "event_functions must not be NULL when event_count > 0");
  AFTER(s.system.time_dependence = (ess_time_dependence)3,
        "time_dependence must be ESS_TIME_NONE, ESS_TIME_DIFFERENCED or ESS_TIME_COLUMN");
  AFTER((s.options.projection.epsilon = 0.0, s.options.projection.epsilons = filled(1.0, 1.0)),
        "projection.epsilons must be NULL where projection.epsilon is 0");
  AFTER(s.options.base = (ess_base)7,
        "base must be ESS_BASE_DOPRI5, ESS_BASE_RKC, ESS_BASE_CHOSEN, ESS_BASE_RODAS, "
        "ESS_BASE_ROS2, ESS_BASE_CHOSEN_RODAS or ESS_BASE_LIT");
  AFTER(s.options.rtol = s.options.atol = 0.0,
        "one of rtol and atol must be > 0: ess_options_default() has both");
  AFTER((s.system.event_count = 0, s.system.resets = NULL, s.system.affine_in_signs = true),
        "affine_in_signs must be false when event_count is 0");
  static const double epsilons[] = {0.0, -1.0, NAN, INFINITY};
  for (size_t i = 0; i < 4; i++)
    for (int k = 0; k < 2; k++)
      AFTER(s.options.projection.epsilons = filled(k ? 1.0 : epsilons[i], k ? epsilons[i] : 1.0),
            "each of projection.epsilons must be a finite number > 0");
}

TEST(tolerances_are_checked_for_each_state) {
  static const char *const rtols = "rtol in each of tolerances must be a number in [0, 1)",
                           *const atols = "atol in each of tolerances must be a finite number >= 0",
                           *const none = "one of rtol and atol in each of tolerances must be > 0";
  AFTER(each_of(1e-3, 0.0, 1e-3, 1e-3), NULL);
  AFTER((each_of(1e-3, 0.0, 1e-3, 1e-3), s.options.rtol = -1.0), NULL); // replaced
  AFTER(each_of(1e-3, -1e-9, 1e-3, 1e-3), rtols);
  AFTER(each_of(0.5, 1.0, 1e-3, 1e-3), rtols);
  AFTER(each_of(NAN, 0.5, 1e-3, 1e-3), rtols);
  AFTER(each_of(1e-3, 0.0, 1e-3, 0.0), none);
  AFTER(each_of(0.0, 0.0, 0.0, 1e-3), none);
  AFTER(each_of(1e-3, 1e-3, INFINITY, 1.0), atols);
  AFTER(each_of(1e-3, 1e-3, 1.0, NAN), atols);
  AFTER(each_of(1e-3, 1e-3, 1.0, -1.0), atols);
}

/* ---- reset matrices -------------------------------------------------------------------------- */

TEST(rows_of_a_matrix_ascend_from_0) {
  AFTER(s.resets.row_start = NULL, "resets->row_start must not be NULL");
  AFTER(s.row_start[0] = 1, "resets->row_start must begin with 0");
  for (size_t j = 2; j < GUARDS + 2; j++)
    AFTER(s.row_start[j] = s.row_start[j - 1] - 1, "resets->row_start must ascend");
  AFTER(s.row_start[2] = SIZE_MAX, "resets->row_start must ascend"); // wrapped around
  AFTER(s.resets.guard = NULL, "resets->guard and effect must not be NULL");
  AFTER(s.resets.effect = NULL, "resets->guard and effect must not be NULL");
  AFTER((memset(s.row_start, 0, sizeof s.row_start), s.resets.guard = NULL, s.resets.effect = NULL),
        NULL); // no entries, no arrays
}

TEST(entries_of_a_matrix_are_checked_one_by_one) {
  static const size_t guards[] = {GUARDS, GUARDS + 1, SIZE_MAX};
  static const signed char effects[] = {0, 3, -2, 127, -128};
  for (size_t i = 0; i < ENTRIES; i++) {
    for (size_t j = 0; j < 3; j++)
      AFTER(s.guard[i] = guards[j], "each of resets->guard must be below 2 event_count");
    for (size_t j = 0; j < 5; j++)
      AFTER(s.effect[i] = effects[j], "each of resets->effect must be +1, -1 or ESS_ARM_AHEAD");
  }
}

/* in the row of a crossing or of the empty pool; either may name what lies ahead */
TEST(no_row_arms_a_guard_that_is_none) {
  static const char refused[] = "resets must not arm a guard of kind ESS_GUARD_NONE";
  static const ess_guard_kind upward_only[] = {[ESS_GUARD_DOWN(0)] = ESS_GUARD_NONE,
                                               [ESS_GUARD_DOWN(1)] = ESS_GUARD_NONE};
  AFTER(s.system.kinds = upward_only, refused); // its first entry
  for (size_t i = 0; i < ENTRIES; i++) {
    AFTER((s.system.kinds = upward_only, s.effect[0] = -1), NULL);
    s.guard[i] = ESS_GUARD_DOWN(1);
    s.effect[i] = 1;
    expect(refused);
    s.effect[i] = i == 1 ? -1 : ESS_ARM_AHEAD; // the second is in the row of event function 1
    expect(NULL);
    s.guard[i] = ESS_GUARD_UP(1);
    s.effect[i] = 1;
    expect(NULL);
  }
}

TEST(kinds_are_those_that_there_are) {
  static ess_guard_kind kinds[4];
  static const char of_four[] = "each of kinds must be ESS_GUARD_CHANGES_FIELD, "
                                "ESS_GUARD_ARMS_ONLY, ESS_GUARD_IMPACT or ESS_GUARD_NONE";
  for (size_t j = 0; j < 4; j++) {
    memset(kinds, 0, sizeof kinds);
    AFTER((s.system.kinds = kinds, kinds[j] = ESS_GUARD_ARMS_ONLY), NULL);
    AFTER((s.system.kinds = kinds, kinds[j] = (ess_guard_kind)4), of_four);
    AFTER((s.system.kinds = kinds, kinds[j] = ESS_GUARD_IMPACT),
          "a guard of kind ESS_GUARD_IMPACT needs impacts");
  }
}

TEST(a_system_without_guards_has_an_empty_matrix) {
  static const size_t none[] = {0, 0}, one[] = {0, 1};
  AFTER((s.system.event_count = 0, s.resets.row_start = none), NULL);
  AFTER((s.system.event_count = 0, s.resets.row_start = one),
        "each of resets->guard must be below 2 event_count");
}

/* ---- arguments of calls ---------------------------------------------------------------------- */

static ess_driver *good(void) {
  make();
  return ess_driver_alloc(&s.system, &s.options, NULL);
}

/* refused, with a reason that begins so */
static void refused(ess_driver *d, int status, const char *reason) {
  const ess_failure *const failure = ess_driver_failure(d);
  assert_int_equal(status, ESS_EINVAL);
  assert_int_equal(failure->status, ESS_EINVAL);
  if (strncmp(failure->reason, reason, strlen(reason))) fail_msg("%s", failure->reason);
  assert_true(failure->event == SIZE_MAX && failure->other_event == SIZE_MAX);
}

TEST(no_driver_no_system_no_options) {
  double t = 0.0, x[2] = {1.0, 0.0};
  assert_int_equal(ess_driver_apply(NULL, &t, 1.0, x), ESS_EINVAL);
  assert_int_equal(ess_driver_sample(NULL, &t, 1.0, x, NULL, 0, NULL), ESS_EINVAL);
  assert_int_equal(ess_driver_set_options(NULL, NULL), ESS_EINVAL);
  refused(NULL, ESS_EINVAL, "driver must not be NULL");
  assert_true(!ess_driver_counters(NULL) && !ess_driver_sign(NULL));
  ess_driver_reset(NULL);
  ess_driver_free(NULL);
  make();
  assert_string_equal(ess_check(NULL, &s.options), "system must not be NULL");
  assert_string_equal(ess_check(&s.system, NULL), "options must not be NULL");
  for (int i = 0; i < 2; i++) {
    int status = 0;
    assert_null(ess_driver_alloc(i ? NULL : &s.system, i ? &s.options : NULL, &status));
    assert_int_equal(status, ESS_EINVAL);
  }
  assert_null(ess_driver_alloc(NULL, &s.options, NULL));
}

TEST(each_argument_is_named_and_nothing_changes) {
  static const double late[] = {1.5, 2.5}, early[] = {0.5, 1.5}, back[] = {1.5, 1.25},
                      good_times[] = {1.0, 1.5}, unknown[] = {1.0, NAN};
  ess_driver *const d = good();
  double t = 1.0, x[2] = {1.0, 0.0}, states[4], bad_t = INFINITY, bad_x[2];
  refused(d, ess_driver_apply(d, NULL, 2.0, x), "t must not be NULL");
  refused(d, ess_driver_apply(d, &t, 2.0, NULL), "x must not be NULL");
  assert_true(ess_driver_failure(d)->time == 1.0);
  refused(d, ess_driver_apply(d, &t, NAN, x), "t1 must be finite");
  refused(d, ess_driver_apply(d, &t, -INFINITY, x), "t1 must be finite");
  refused(d, ess_driver_apply(d, &bad_t, 2.0, x), "*t must be finite");
  for (int i = 0; i < 6; i++) {
    memcpy(bad_x, x, sizeof bad_x);
    bad_x[i % 2] = i / 2 == 0 ? NAN : i / 2 == 1 ? INFINITY : -INFINITY;
    refused(d, ess_driver_apply(d, &t, 2.0, bad_x), "each of x must be finite");
  }
  refused(d, ess_driver_sample(d, &t, 2.0, x, NULL, 1, states), "times must not be NULL");
  refused(d, ess_driver_sample(d, &t, 2.0, x, good_times, 2, NULL), "states must not be NULL");
  refused(d, ess_driver_sample(d, &t, 2.0, x, early, 2, states), "times must lie within");
  refused(d, ess_driver_sample(d, &t, 2.0, x, late, 2, states), "times must lie within");
  refused(d, ess_driver_sample(d, &t, 2.0, x, back, 2, states), "times must ascend");
  refused(d, ess_driver_sample(d, &t, 2.0, x, unknown, 2, states), "times must");
  double from = 3.0;
  refused(d, ess_driver_sample(d, &from, 1.0, x, good_times, 2, states), "times must descend");
  refused(d, ess_driver_sample(d, &from, 2.0, x, good_times, 1, states), "times must lie within");
  assert_true(ess_driver_failure(d)->time == 3.0);
  assert_true(t == 1.0 && x[0] == 1.0 && x[1] == 0.0);
  assert_int_equal(ess_driver_apply(d, &t, 2.0, x), ESS_SUCCESS);
  assert_int_equal(ess_driver_failure(d)->status, ESS_SUCCESS);
  assert_null(ess_driver_failure(d)->reason);
  ess_driver_free(d);
}

TEST(every_status_has_its_message) {
  for (int i = 0; i < ESS_STATUS_COUNT; i++) {
    assert_true(strlen(ess_strerror(i)) > 5);
    for (int j = 0; j < i; j++) assert_string_not_equal(ess_strerror(i), ess_strerror(j));
  }
  assert_non_null(ess_strerror(-1));
  assert_non_null(ess_strerror(ESS_STATUS_COUNT));
}

/* ---- options between applies, and calls from within one -------------------------------------- */

typedef struct meddler {
  ess_driver *driver;
  size_t refusals;
} meddler;

static int meddle(const ess_step_info *info, void *context) {
  meddler *const m = context;
  const ess_options options = ess_options_default();
  double t = info->t1, x[2] = {0.0, 0.0};
  m->refusals += ess_driver_set_options(m->driver, &options) == ESS_EINVAL;
  m->refusals += ess_driver_apply(m->driver, &t, t + 1.0, x) == ESS_EINVAL;
  ess_driver_reset(m->driver);
  return 0;
}

/* three seconds in six applies; before each, options set anew, or refused */
static hybrid_end bounce(const ess_options *options, const ess_options *anew, bool is_refused) {
  make();
  hybrid_end end = {.x = {1.0, 0.0}};
  s.system.resets = NULL;
  ess_driver *const d = ess_driver_alloc(&s.system, options, NULL);
  for (int i = 1; i <= 6; i++) {
    if (is_refused)
      refused(d, ess_driver_set_options(d, anew), anew ? "atol must be" : "options must not");
    else if (anew)
      assert_int_equal(ess_driver_set_options(d, anew), ESS_SUCCESS);
    assert_int_equal(ess_driver_apply(d, &end.t, 0.5 * i, end.x), ESS_SUCCESS);
  }
  end.counters = *ess_driver_counters(d);
  assert_true(fabs(0.5 * end.x[1] * end.x[1] + 2.0 * end.x[0] - 2.0) < 0.1);
  ess_driver_free(d);
  return end;
}

static void are_same(hybrid_end a, hybrid_end b) {
  assert_memory_equal(a.x, b.x, 2 * sizeof *a.x);
  assert_memory_equal(&a.counters, &b.counters, sizeof a.counters);
}

TEST(options_that_are_set_are_in_force_and_arrays_are_copied_or_forgotten) {
  static double epsilons[] = {1e-6, 1e-6};
  static ess_tolerance tolerances[] = {{1e-4, 1e-4}, {1e-4, 1e-4}};
  ess_options fine = ess_options_paper(), coarse = ess_options_default(), bad = coarse;
  fine.projection.epsilons = epsilons;
  coarse.tolerances = tolerances;
  bad.atol = -1.0;
  const hybrid_end a = bounce(&fine, NULL, false), b = bounce(&coarse, NULL, false);
  assert_true(b.counters.field_evaluations < a.counters.field_evaluations);
  are_same(a, bounce(&coarse, &fine, false));
  are_same(b, bounce(&fine, &coarse, false));
  are_same(a, bounce(&fine, &fine, false));
  are_same(a, bounce(&fine, &bad, true));
  are_same(b, bounce(&coarse, NULL, true));
}

TEST(a_run_is_not_changed_from_within) {
  meddler m = {0};
  make();
  s.options = ess_options_default();
  s.options.observer = (ess_observer){.step = meddle, .context = &m};
  ess_driver *const d = m.driver = ess_driver_alloc(&s.system, &s.options, NULL);
  double t = 0.0, x[2] = {1.0, 0.0};
  assert_int_equal(ess_driver_apply(d, &t, 0.9, x), ESS_SUCCESS);
  assert_true(m.refusals > 4 && ess_driver_counters(d)->steps >= m.refusals / 2);
  assert_int_equal(ess_driver_failure(d)->status, ESS_SUCCESS);
  assert_true(fabs(x[0] - 0.19) < 1e-7);
  ess_driver_free(d);
}

/* two oscillators that know nothing of one another, the second 1000 times as fast */
TEST(a_state_has_its_own_tolerance) {
  hybrid *const h = hybrid_of("x' = v; v' = -x; y' = 1000*w; w' = -1000*y; z' = 0\n"
                              "from 0: x = 1, y = 1");
  static const double of[] = {1e-9, 1e-9, 1e-12, 1e-5}; // alone; the same, finer, coarser for y, w
  hybrid_end end[4];
  double error[4], slow[4];
  for (int i = 0; i < 4; i++) {
    const ess_tolerance each[] = {
        {1e-9, 1e-9}, {1e-9, 1e-9}, {of[i], of[i]}, {of[i], of[i]}, {1e-9, 1e-9}};
    hybrid_plan plan = hybrid_at(1e-9);
    if (i) plan.options.tolerances = each;
    end[i] = hybrid_run(h, &plan);
    assert_int_equal(end[i].status, ESS_SUCCESS);
    slow[i] = fabs(end[i].x[0] - cos(1.0));
    error[i] = fabs(end[i].x[2] - cos(1000.0));
  }
  const uint64_t steps = end[0].counters.steps;
  assert_memory_equal(end[0].x, end[1].x, 5 * sizeof *end[0].x);
  assert_true(end[1].counters.steps == steps);
  assert_true(end[2].counters.steps > 2 * steps && error[2] < 0.02 * error[0]);
  assert_true(end[3].counters.steps < steps / 2 && slow[3] < 1e-9);
  hybrid_free(h);
}
