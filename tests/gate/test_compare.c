/*
 * The comparison of two sets of results, on made-up sets whose ratios are known.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#define _GNU_SOURCE
#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "compare.h"
#include "compare_sets.h"

/* two sets read from files, and their comparison */
typedef struct pair {
  compare_set set[2];
  json_t *differences;
  compare_result result;
  char message[MEASURE_MESSAGE_SIZE];
  int status;
} pair;

static void compare_made(void **state, const made_set *a, const made_set *b, double effect,
                         pair *p) {
  char path[2][PATH_SIZE];
  made_write(state, "a", a, path[0]);
  made_write(state, "b", b, path[1]);
  for (int i = 0; i < 2; i++)
    if (compare_set_read(&p->set[i], path[i], p->message)) fail_msg("%s", p->message);
  p->differences = compare_differences(&p->set[0], &p->set[1]);
  assert_non_null(p->differences);
  p->status = compare_rows(&p->result, &p->set[0], &p->set[1], p->differences, effect, p->message);
  // what was compared is named by the sets, not by where they came from
  for (int i = 0; i < 2; i++) p->set[i].folder = i ? "b" : "a";
}

static void release(pair *p) {
  compare_result_free(&p->result);
  json_decref(p->differences);
  for (int i = 0; i < 2; i++) compare_set_free(&p->set[i]);
}

/* the row of a solver (over another or NULL), contacts 0 being all */
static const compare_row *row_of(const pair *p, const char *solver, const char *over,
                                 size_t contacts) {
  for (size_t i = 0; i < p->result.count; i++) {
    const compare_row *const row = &p->result.row[i];
    if (row->contacts == contacts && strcmp(row->of.solver, solver) == 0 && !row->of.over == !over)
      return row;
  }
  fail_msg("no row of %s at %zu contacts", solver, contacts);
  return NULL;
}

static void near(double value, double expected) {
  if (!(fabs(value - expected) <= 1e-12 * fabs(expected)))
    fail_msg("%.17g is not %.17g", value, expected);
}

/* ---- ratios and verdicts --------------------------------------------------------------------- */

static void a_slower_set_is_slower_by_the_factor(void **state) {
  const made_set a = made_set_default();
  made_set b = a;
  b.projection = 1.25;
  b.rms = 3e-3;
  pair p;
  compare_made(state, &a, &b, 0.05, &p);
  assert_int_equal(p.status, 0);
  // 2, 10 and all, for each solver and for their quotient
  assert_int_equal(p.result.count, 9);
  for (size_t n = 0; n <= 10; n += n ? 8 : 2) {
    const compare_row *const row = row_of(&p, "projection", NULL, n);
    assert_true(row->paired);
    near(row->ratio.estimate, 1.25);
    near(row->ratio.low, 1.25);
    near(row->ratio.high, 1.25);
    near(row->median[1], 1.25 * row->median[0]);
    near(row->rms[1] / row->rms[0], 3.0);
    assert_int_equal(row->verdict, COMPARE_SLOWER);
    assert_int_equal(row->sizes, n ? 1 : 2);
    // beside an unchanged engine it has lost as much
    near(row_of(&p, "projection", "mujoco", n)->ratio.estimate, 1.25);
    near(row_of(&p, "mujoco", NULL, n)->ratio.estimate, 1.0);
    assert_int_equal(row_of(&p, "mujoco", NULL, n)->verdict, COMPARE_NO_DIFFERENCE);
  }
  release(&p);
}

static void exchanging_the_sets_turns_slower_into_faster(void **state) {
  const made_set a = made_set_default();
  made_set b = a;
  b.projection = 1.25;
  pair p;
  compare_made(state, &b, &a, 0.05, &p);
  near(row_of(&p, "projection", NULL, 0)->ratio.estimate, 0.8);
  assert_int_equal(row_of(&p, "projection", NULL, 0)->verdict, COMPARE_FASTER);
  release(&p);
}

static void a_slower_machine_leaves_the_quotient(void **state) {
  const made_set a = made_set_default();
  made_set b = a;
  b.projection *= 1.3;
  b.mujoco *= 1.3;
  pair p;
  compare_made(state, &a, &b, 0.05, &p);
  assert_int_equal(row_of(&p, "mujoco", NULL, 0)->verdict, COMPARE_SLOWER);
  near(row_of(&p, "projection", "mujoco", 0)->ratio.estimate, 1.0);
  near(row_of(&p, "projection", "mujoco", 2)->median[0], 0.5);
  assert_int_equal(row_of(&p, "projection", "mujoco", 0)->verdict, COMPARE_NO_DIFFERENCE);
  release(&p);
}

static void either_method_is_divided_by_mujoco(void **state) {
  const char *const names[] = {"projection", "libess", "cvode_roots"};
  for (int i = 0; i < 3; i++) {
    made_set a = made_set_default();
    a.ours = names[i];
    pair p;
    compare_made(state, &a, &a, 0.05, &p);
    assert_int_equal(p.result.count, i < 2 ? 9 : 6);
    if (i < 2) near(row_of(&p, names[i], "mujoco", 10)->median[0], 0.5);
    release(&p);
  }
}

static void effects_below_the_minimum_have_no_verdict(void **state) {
  const made_set a = made_set_default();
  made_set b = a;
  b.projection = 1.04;
  const double effects[] = {0.05, 0.03};
  const compare_verdict verdicts[] = {COMPARE_NO_DIFFERENCE, COMPARE_SLOWER};
  for (int i = 0; i < 2; i++) {
    pair p;
    compare_made(state, &a, &b, effects[i], &p);
    assert_int_equal(row_of(&p, "projection", NULL, 2)->verdict, verdicts[i]);
    release(&p);
  }
}

static void few_starts_have_no_verdict(void **state) {
  for (size_t trials = COMPARE_TRIALS_MIN - 1; trials <= COMPARE_TRIALS_MIN; trials++) {
    made_set a = made_set_default();
    a.trials = trials;
    made_set b = a;
    b.projection = 2.0;
    pair p;
    compare_made(state, &a, &b, 0.05, &p);
    near(row_of(&p, "projection", NULL, 2)->ratio.estimate, 2.0);
    assert_int_equal(row_of(&p, "projection", NULL, 2)->verdict,
                     trials < COMPARE_TRIALS_MIN ? COMPARE_NO_DIFFERENCE : COMPARE_SLOWER);
    release(&p);
  }
}

static void all_is_the_geometric_mean_over_contacts(void **state) {
  const made_set a = made_set_default();
  made_set b = a;
  // 1.1^2 at two contacts, 1.1^10 at ten
  b.per_contact = 1.1;
  pair p;
  compare_made(state, &a, &b, 0.05, &p);
  near(row_of(&p, "projection", NULL, 2)->ratio.estimate, pow(1.1, 2));
  near(row_of(&p, "projection", NULL, 10)->ratio.estimate, pow(1.1, 10));
  const compare_row *const all = row_of(&p, "projection", NULL, 0);
  near(all->ratio.estimate, pow(1.1, 6));
  near(all->median[0], sqrt(row_of(&p, "projection", NULL, 2)->median[0] *
                            row_of(&p, "projection", NULL, 10)->median[0]));
  release(&p);
}

/* each start is disturbed at one of six sizes */
static double disturbed(size_t contacts, size_t trial) {
  return contacts % 6 == trial % 6 ? 50.0 : 1.0;
}

static void disturbances_do_not_hide_a_difference(void **state) {
  made_set a = made_set_default();
  a.contacts = "3 4 5 6 7 8";
  a.trials = 30;
  made_set b = a;
  a.noise = disturbed;
  b.projection = 1.25;
  pair p;
  compare_made(state, &a, &b, 0.05, &p);
  const compare_row *const all = row_of(&p, "projection", NULL, 0);
  near(all->ratio.estimate, 1.25);
  assert_int_equal(all->verdict, COMPARE_SLOWER);
  release(&p);
}

/* ---- pairing --------------------------------------------------------------------------------- */

/* half as long again for the first starts, which medians do not see but ratios do */
static double first_slow(size_t contacts, size_t trial) {
  (void)contacts;
  return trial < 7 ? 1.5 : 0.5;
}

static void other_seeds_or_starts_are_not_paired(void **state) {
  const made_set a = made_set_default();
  made_set same = a, other_seed = a, other_trials = a;
  same.noise = other_seed.noise = other_trials.noise = first_slow;
  other_seed.json = "{\"schema\": \"essbench-sweep-1\", \"seed\": 2}";
  other_trials.first_trial = 1;
  const made_set *const b[] = {&same, &other_seed, &other_trials};
  for (int i = 0; i < 3; i++) {
    pair p;
    compare_made(state, &a, b[i], 0.05, &p);
    const compare_row *const row = row_of(&p, "projection", NULL, 10);
    assert_int_equal(row->paired, i == 0);
    near(row->ratio.estimate, i == 0 ? 1.5 : row->median[1] / row->median[0]);
    release(&p);
  }
}

static void only_what_both_have_is_compared(void **state) {
  const made_set a = made_set_default();
  made_set b = a;
  b.contacts = "3 10";
  b.mujoco = 0.0;
  pair p;
  compare_made(state, &a, &b, 0.05, &p);
  assert_int_equal(p.status, 0);
  // the projection at ten contacts, and over all
  assert_int_equal(p.result.count, 2);
  assert_int_equal(row_of(&p, "projection", NULL, 0)->sizes, 1);
  release(&p);
}

static void nothing_in_common_is_refused(void **state) {
  const made_set a = made_set_default();
  made_set b = a;
  b.contacts = "3 11";
  pair p;
  compare_made(state, &a, &b, 0.05, &p);
  assert_int_equal(p.status, -1);
  assert_non_null(strstr(p.message, "nothing to compare"));
  release(&p);
}

/* ---- processes ------------------------------------------------------------------------------- */

/* processes 0 to 4 are slow, 5 to 7 fast */
static double by_process_of_eight(size_t contacts, size_t trial) {
  (void)contacts;
  return trial % 8 < 5 ? 1.1 : 0.9;
}

static void differences_between_processes_widen_the_interval(void **state) {
  made_set a = made_set_default();
  a.trials = 200;
  made_set b = a;
  b.noise = by_process_of_eight;
  for (int known = 0; known < 2; known++) {
    pair p;
    b.processes = known ? 8 : 1;
    compare_made(state, &a, &b, 0.05, &p);
    assert_int_equal(p.set[1].processes, b.processes);
    const compare_row *const row = row_of(&p, "projection", NULL, 2);
    near(row->ratio.estimate, 1.1);
    // of 200 independent starts so few would never be slow; of 8 processes they may well be
    near(row->ratio.low, known ? 0.9 : 1.1);
    assert_int_equal(row->verdict, known ? COMPARE_NO_DIFFERENCE : COMPARE_SLOWER);
    release(&p);
  }
}

enum { COUNT = 48, PROCESSES = 8 };

/* samples with an effect on each process and one on each start */
static void draw_sheet(gsl_rng *rng, bool known, double column[4][COUNT]) {
  double effect[PROCESSES];
  for (size_t k = 0; k < PROCESSES; k++) effect[k] = gsl_ran_gaussian(rng, 0.05);
  for (size_t j = 0; j < COUNT; j++) {
    column[0][j] = (double)j;
    column[1][j] = known ? (double)(j % PROCESSES) : 0.0;
    column[2][j] = exp(effect[j % PROCESSES] + gsl_ran_gaussian(rng, 0.03));
    column[3][j] = 0.0;
  }
}

/* how many of 200 intervals hold the true ratio, which is one */
static int covered(bool known, bool paired) {
  enum { RUNS = 200 };
  gsl_rng *const rng = gsl_rng_alloc(gsl_rng_mt19937);
  int count = 0;
  for (int i = 0; i < RUNS; i++) {
    double x[2][4][COUNT];
    measure_interval ratio;
    for (int s = 0; s < 2; s++) draw_sheet(rng, known, x[s]);
    const compare_sheet a = {1, COUNT, x[0][0], x[0][1], x[0][2], x[0][3]};
    const compare_sheet b = {1, COUNT, x[1][0], x[1][1], x[1][2], x[1][3]};
    assert_int_equal(compare_ratio(&a, &b, paired, 3, &ratio), MEASURE_SUCCESS);
    count += ratio.low <= 1.0 && ratio.high >= 1.0;
  }
  gsl_rng_free(rng);
  return count;
}

static void intervals_hold_the_truth_as_often_as_they_say(void **state) {
  (void)state;
  for (int paired = 0; paired < 2; paired++) {
    const int with = covered(true, paired), without = covered(false, paired);
    // 95 % of 200, give or take; and far from it when processes are not told apart
    if (with < 180 || without > 150) fail_msg("%d with, %d without processes", with, without);
  }
}

/* ---- what must be equal ---------------------------------------------------------------------- */

static void differences_are_named(void **state) {
  const made_set a = made_set_default();
  made_set b = a;
  b.json = "{\"schema\": \"essbench-sweep-1\", \"schema_version\": 1, \"seed\": 1, "
           "\"protocol\": \"free\", \"epsilon\": 0.002, \"model\": {\"contacts\": 20, \"law\": "
           "\"paper\"}, \"settings\": {\"epsilon\": 0.5, \"scaling\": 1, \"new\": 7}, "
           "\"environment\": {\"cpu\": \"y\", \"git_commit\": \"z\", \"mujoco\": {\"version\": "
           "\"2.2.2\"}}}";
  pair p;
  compare_made(state, &a, &b, 0.05, &p);
  char names[512] = "";
  size_t i;
  json_t *difference;
  json_array_foreach(p.differences, i, difference)
      snprintf(names + strlen(names), sizeof names - strlen(names), "%s;",
               json_string_value(json_object_get(difference, "name")));
  assert_string_equal(names, "protocol;epsilon;model law;settings scaling;settings new;"
                             "MuJoCo version;cpu;");
  assert_true(json_is_null(json_object_get(json_array_get(p.differences, 4), "a")));
  // another law has other times at the same starts, but is another model: not paired
  assert_false(row_of(&p, "projection", NULL, 2)->paired);
  release(&p);

  compare_made(state, &a, &a, 0.05, &p);
  assert_int_equal(json_array_size(p.differences), 0);
  release(&p);
}

/* ---- reading --------------------------------------------------------------------------------- */

static const char head[] = "contacts,solver,protocol,trial,seconds,rms_error\n";

/* the message about a set whose samples are `text` */
static const char *refusal(void **state, const char *json, const char *header, const char *text,
                           char message[MEASURE_MESSAGE_SIZE]) {
  char path[PATH_SIZE], file[PATH_SIZE + 32], samples[1024];
  made_set set = made_set_default();
  set.json = json;
  made_write(state, "bad", &set, path);
  snprintf(file, sizeof file, "%s/sweep_samples.csv", path);
  snprintf(samples, sizeof samples, "%s%s", header, text);
  write_text(file, samples);
  compare_set read;
  if (compare_set_read(&read, path, message)) return message;
  compare_set_free(&read);
  return "accepted";
}

static void damaged_sets_are_refused(void **state) {
  const struct {
    const char *json, *header, *text, *expected;
  } cases[] = {
      {NULL, head, "2,projection,paper,0,1e-3,0\n", "accepted"},
      {NULL, head, "2,projection,paper,0,1e-3,0\n2,projection,paper,0,1e-3,0\n",
       "trial 0 of projection, paper at 2 contacts twice"},
      {NULL, head, "2,projection,paper,0,-1e-3,0\n", "row 1: contacts 2, trial 0, seconds -0.001"},
      {NULL, head, "2,projection,paper,0.5,1e-3,0\n", "trial 0.5"},
      {NULL, head, "0,projection,paper,0,1e-3,0\n", "contacts 0"},
      {NULL, head, "2,projection,paper,0,1e-3,nan\n", "rms_error nan"},
      {NULL, head, "2,projection,paper,0,inf,0\n", "seconds inf"},
      {NULL, head, "2,projection,paper,0,fast,0\n", "seconds is 'fast'"},
      {NULL, "contacts,solver,protocol,trial,rms_error\n", "", "has no column 'seconds'"},
      {NULL, "contacts,protocol,trial,seconds,rms_error\n", "", "has no column 'solver'"},
      {"{\"schema\": \"essbench-order-1\"}", head, "", "its schema is essbench-order-1"},
      {"{}", head, "", "its schema is not named"},
      {"{\"schema\": ", head, "", "sweep.json', line 1"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char message[MEASURE_MESSAGE_SIZE];
    const char *const said = refusal(state, cases[i].json, cases[i].header, cases[i].text, message);
    if (!strstr(said, cases[i].expected)) fail_msg("%s, not %s", said, cases[i].expected);
    assert_null(strchr(said, '\n'));
  }
}

static void columns_are_found_by_name_and_gaps_left_out(void **state) {
  char message[MEASURE_MESSAGE_SIZE], path[PATH_SIZE], file[PATH_SIZE + 32];
  const made_set set = made_set_default();
  made_write(state, "moved", &set, path);
  snprintf(file, sizeof file, "%s/sweep_samples.csv", path);
  write_text(file, "new,rms_error,seconds,trial,protocol,solver,contacts\n"
                   "x,0.1,2e-3,3,free,mujoco,7\n"
                   "x,0.1,nan,2,free,mujoco,7\n"
                   "x,0.2,1e-3,1,free,mujoco,7\n");
  compare_set read;
  if (compare_set_read(&read, path, message)) fail_msg("%s", message);
  assert_int_equal(read.count, 2);
  assert_int_equal(read.strands, 1);
  assert_int_equal(read.processes, 1);
  const compare_sample *const one = compare_set_find(&read, 7, "mujoco", "free", 1);
  const compare_sample *const three = compare_set_find(&read, 7, "mujoco", "free", 3);
  assert_true(one && one->seconds == 1e-3 && one->rms == 0.2);
  assert_true(three && three->seconds == 2e-3 && three->rms == 0.1);
  assert_null(compare_set_find(&read, 7, "mujoco", "free", 2));
  assert_null(compare_set_find(&read, 7, "mujoco", "paper", 1));
  compare_set_free(&read);
}

/* start 3 alone was run at both sizes, and by the other solver too */
static void sheets_keep_what_was_run_at_all_sizes(void **state) {
  char message[MEASURE_MESSAGE_SIZE], path[PATH_SIZE], file[PATH_SIZE + 32];
  const made_set set = made_set_default();
  made_write(state, "sheet", &set, path);
  snprintf(file, sizeof file, "%s/sweep_samples.csv", path);
  write_text(file, "contacts,solver,protocol,trial,process,seconds,rms_error\n"
                   "2,libess,paper,4,1,1,1\n2,libess,paper,3,2,8,1\n2,libess,paper,1,0,2,1\n"
                   "5,libess,paper,3,2,2,4\n5,libess,paper,5,0,9,9\n"
                   "2,mujoco,paper,3,0,4,2\n2,mujoco,paper,4,0,3,1\n"
                   "5,mujoco,paper,3,0,1,2\n5,mujoco,paper,5,0,9,9\n");
  compare_set read;
  if (compare_set_read(&read, path, message)) fail_msg("%s", message);
  const compare_strand plain = {"libess", NULL, "paper"}, quotient = {"libess", "mujoco", "paper"};
  const size_t contacts[] = {2, 5};
  compare_sheet one, both, divided;
  assert_int_equal(compare_sheet_make(&one, &read, &plain, contacts, 1), MEASURE_SUCCESS);
  assert_int_equal(compare_sheet_make(&both, &read, &plain, contacts, 2), MEASURE_SUCCESS);
  assert_int_equal(compare_sheet_make(&divided, &read, &quotient, contacts, 2), MEASURE_SUCCESS);
  assert_int_equal(one.count, 3);
  assert_true(one.trial[0] == 1 && one.trial[1] == 3 && one.trial[2] == 4);
  assert_true(one.process[1] == 2 && one.value[1] == 8);
  assert_int_equal(both.count, 1);
  assert_true(both.trial[0] == 3 && both.value[0] == 8 && both.value[1] == 2 && both.rms[1] == 4);
  assert_true(divided.value[0] == 2 && divided.value[1] == 2 && divided.rms[0] == 0.5);
  assert_true(compare_sheet_alike(&both, &divided) && !compare_sheet_alike(&one, &both));
  compare_sheet_free(&one);
  compare_sheet_free(&both);
  compare_sheet_free(&divided);
  compare_set_free(&read);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_slower_set_is_slower_by_the_factor),
      cmocka_unit_test(exchanging_the_sets_turns_slower_into_faster),
      cmocka_unit_test(a_slower_machine_leaves_the_quotient),
      cmocka_unit_test(either_method_is_divided_by_mujoco),
      cmocka_unit_test(effects_below_the_minimum_have_no_verdict),
      cmocka_unit_test(few_starts_have_no_verdict),
      cmocka_unit_test(all_is_the_geometric_mean_over_contacts),
      cmocka_unit_test(disturbances_do_not_hide_a_difference),
      cmocka_unit_test(other_seeds_or_starts_are_not_paired),
      cmocka_unit_test(only_what_both_have_is_compared),
      cmocka_unit_test(nothing_in_common_is_refused),
      cmocka_unit_test(differences_between_processes_widen_the_interval),
      cmocka_unit_test(intervals_hold_the_truth_as_often_as_they_say),
      cmocka_unit_test(differences_are_named),
      cmocka_unit_test(damaged_sets_are_refused),
      cmocka_unit_test(columns_are_found_by_name_and_gaps_left_out),
      cmocka_unit_test(sheets_keep_what_was_run_at_all_sizes),
  };
  return cmocka_run_group_tests(tests, folder_set_up, folder_tear_down);
}
