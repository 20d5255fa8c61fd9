/*
 * Which worker runs which cell, and when: races of a study that times stay together, and each
 * worker has an order of its own.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include <stdlib.h>

#include "study_fixture.h"

enum { RACES = 8, TRIALS = 5, WORKERS = 3, CELLS = RACES * TRIALS };

typedef struct cell {
  size_t race, trial;
} cell;

static study_place place(const void *planned) {
  const cell *const c = planned;
  return (study_place){c->race, c->trial};
}

static int plan(study_run *run, size_t stage) {
  for (size_t i = 0; !stage && i < CELLS; i++) {
    const cell c = {i / TRIALS, i % TRIALS};
    if (study_cell(run, &c, "race=%zu trial=%zu", c.race, c.trial)) return -1;
  }
  return 0;
}

static const column columns[] = {{0}};

/* the turns of a study with these members, cell 7 being known already */
static study_turn *order_of(made_up *u, study *s, size_t workers, size_t *count) {
  s->cell_size = sizeof(cell);
  s->plan = plan;
  s->tables[0] = (study_table){.columns = columns, .row_size = 1};
  make_up(u, s, NULL);
  u->private.known = json_pack("{s:[]}", "race=1 trial=2");
  assert_int_equal(study_cells_plan(&u->run, 0), CELLS);
  study_turn *const turns = study_order(&u->run, workers, count);
  assert_non_null(turns);
  assert_int_equal(*count, CELLS - 1);
  bool seen[CELLS] = {false};
  for (size_t i = 0; i < *count; i++) {
    assert_true(turns[i].cell < CELLS && turns[i].cell != 7 && !seen[turns[i].cell]);
    seen[turns[i].cell] = true;
  }
  return turns;
}

static void end(made_up *u, study_turn *turns) {
  free(turns);
  study_cells_free(&u->run);
  json_decref(u->private.known);
  dispose(u);
}

/* whatever the worker: cells go as they are planned */
static void cells_go_as_planned(void **state) {
  study s = {.name = "counted"};
  made_up u;
  size_t count;
  (void)state;
  study_turn *const turns = order_of(&u, &s, WORKERS, &count);
  for (size_t i = 1; i < count; i++) assert_true(turns[i].cell > turns[i - 1].cell);
  end(&u, turns);
}

static void times_are_taken_worker_by_worker(void **state) {
  study s = {.name = "timed", .pinned = true};
  made_up u;
  size_t count;
  (void)state;
  study_turn *const turns = order_of(&u, &s, WORKERS, &count);
  for (size_t i = 0; i < count; i++) {
    assert_int_equal(turns[i].worker, turns[i].cell % WORKERS);
    if (!i) continue;
    assert_true(turns[i].worker >= turns[i - 1].worker);
    assert_true(turns[i].worker > turns[i - 1].worker || turns[i].cell > turns[i - 1].cell);
  }
  end(&u, turns);
}

static void races_stay_together(void **state) {
  study s = {.name = "raced", .pinned = true, .place = place};
  made_up u;
  size_t count, again, races[WORKERS][RACES], found[WORKERS] = {0};
  (void)state;
  study_turn *const turns = order_of(&u, &s, WORKERS, &count);
  for (size_t i = 0; i < count; i++) {
    const size_t worker = turns[i].worker, race = turns[i].cell / TRIALS;
    assert_int_equal(worker, turns[i].cell % TRIALS % WORKERS);
    assert_true(!i || worker >= turns[i - 1].worker);
    if (found[worker] && races[worker][found[worker] - 1] == race) {
      assert_true(turns[i].cell > turns[i - 1].cell);
      continue;
    }
    for (size_t k = 0; k < found[worker]; k++) assert_true(races[worker][k] != race);
    races[worker][found[worker]++] = race;
  }
  // none of the workers has the order of another, nor that of the plan
  size_t equal = 0, planned = 0;
  for (size_t k = 0; k < RACES; k++) {
    equal += races[0][k] == races[1][k];
    planned += races[0][k] == k;
  }
  assert_true(equal < RACES && planned < RACES);
  // a seed gives it again
  study_turn *const same = study_order(&u.run, WORKERS, &again);
  assert_int_equal(again, count);
  for (size_t i = 0; i < count; i++) assert_int_equal(same[i].cell, turns[i].cell);
  free(same);
  end(&u, turns);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(cells_go_as_planned),
      cmocka_unit_test(times_are_taken_worker_by_worker),
      cmocka_unit_test(races_stay_together),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
