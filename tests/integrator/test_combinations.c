/*
 * The table of combinations in ess.h: each cell says what libess does, and what is refused names
 * the line.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <stdio.h>
#include <string.h>

#include "hybrid.h"
#include "test.h"

enum { ROWS = 7, COLUMNS = 5, WORD = 16, LINE = 200 };
enum { SLIDING, AFFINE, WATCH, TANGENTS, RECORDING };

static const char TEXT[] = "x' = v; v' = -9 - 200*on(g)*x; y' = 1\n"
                           "g: -x; roof: y - 1.6\n"
                           "from 0: x = 1, y = 1; to 1\n";
static const char HIT[] = "hit up roof: y = 1\n";
static const char WATCHED[] = "watch low: x - 0.2\n";

/* what one row of the table is about: one of these alone */
static const struct {
  double epsilon;
  int bases[4]; /* up to a negative one */
  ess_sliding sliding;
  const char *more;
  bool has_derivatives;
  ess_locate locate;
} rows[ROWS] = {{.epsilon = 1e-3, .bases = {ESS_BASE_DOPRI5, -1}},
                {.bases = {ESS_BASE_RKC, ESS_BASE_CHOSEN, -1}},
                {.bases = {ESS_BASE_RODAS, ESS_BASE_ROS2, ESS_BASE_CHOSEN_RODAS, ESS_BASE_LIT}},
                {.bases = {ESS_BASE_DOPRI5, -1}, .sliding = ESS_SLIDING_SLIDE},
                {.bases = {ESS_BASE_DOPRI5, -1}, .more = HIT},
                {.bases = {ESS_BASE_DOPRI5, -1}, .has_derivatives = true},
                {.bases = {ESS_BASE_DOPRI5, ESS_BASE_RKC, -1}, .locate = ESS_LOCATE_NONE}};

/* the cells, as ess.h has them */
static char cells[ROWS][COLUMNS][WORD];

static bool is_cell(const char *word) {
  return !strcmp(word, "yes") || !strcmp(word, "ignored") || !strcmp(word, "refused") ||
         !strcmp(word, "-");
}

static void read_table(void) {
  FILE *const header = fopen(HEADER, "r");
  char line[LINE];
  size_t row = 0, read = 0;
  assert_non_null(header);
  while (fgets(line, sizeof line, header) && strncmp(line, " * Table of combinations.", 25)) {
  }
  while (row < ROWS && fgets(line, sizeof line, header)) {
    char number[8];
    snprintf(number, sizeof number, " *   %zu ", row + 1);
    if (!read && strncmp(line, number, strlen(number)) && !strstr(line, "CHOSEN_RODAS")) continue;
    for (char *word = strtok(line, " \n"); word; word = strtok(NULL, " \n"))
      if (is_cell(word) && read < COLUMNS) snprintf(cells[row][read++], WORD, "%s", word);
    if (read < COLUMNS) continue;
    read = 0;
    row++;
  }
  fclose(header);
  assert_int_equal(row, ROWS);
}

/* what refuses the combination, or NULL; `end` is where the run ends */
static const char *refusal(size_t row, ess_base base, unsigned with, hybrid_end *end) {
  const bool watches = with & 1u << WATCH;
  hybrid *const h =
      hybrid_of("%s%s%s", TEXT, rows[row].more ? rows[row].more : "", watches ? WATCHED : "");
  static char reason[LINE];
  const ess_system system =
      hybrid_system(h, HYBRID_GIVES_ALL | (with & 1u << AFFINE ? HYBRID_WEIGHTS : 0));
  ess_options options = hybrid_options(1e-4);
  options.base = base;
  options.projection.epsilon = rows[row].epsilon;
  options.locate = rows[row].locate;
  options.sliding = with & 1u << SLIDING ? ESS_SLIDING_SLIDE : rows[row].sliding;
  *end = (hybrid_end){0};
  const char *said = ess_check(&system, &options);
  ess_driver *const d = ess_driver_alloc(&system, &options, NULL);
  assert_true(!said == (d != NULL));
  if (d && with & 1u << TANGENTS) end->status = ess_driver_follow(d, system.dimension, NULL);
  if (d && with & 1u << RECORDING) end->status = ess_driver_record(d, 1 << 20);
  if (d && !end->status) {
    end->t = hybrid_start(h, end->x);
    end->status = ess_driver_apply(d, &end->t, 1.0, end->x);
    end->counters = *ess_driver_counters(d);
    if (end->status)
      fail_msg("line %zu, base %d, with %u: %s", row + 1, base, with, ess_strerror(end->status));
    assert_true(rows[row].locate ? end->counters.unlocated == end->counters.steps
                                 : end->counters.crossings > 0);
  } else if (d)
    said = ess_driver_failure(d)->reason;
  if (said) snprintf(reason, sizeof reason, "%s", said);
  ess_driver_free(d);
  hybrid_free(h);
  return said ? reason : NULL;
}

static void check_cell(size_t row, size_t column, ess_base base, unsigned others) {
  const char *const cell = cells[row][column];
  char line[LINE];
  hybrid_end end, plain;
  if (!strcmp(cell, "-")) return;
  const char *const said = refusal(row, base, others | 1u << column, &end);
  snprintf(line, sizeof line, "(ess.h, table of combinations, line %zu)", row + 1);
  if (!strcmp(cell, "refused")) {
    if (!said || !strstr(said, line))
      fail_msg("line %zu, column %zu: not refused, but %s", row + 1, column, said);
    return;
  }
  if (said) fail_msg("line %zu, column %zu is refused: %s", row + 1, column, said);
  if (strcmp(cell, "ignored")) return;
  assert_null(refusal(row, base, others, &plain));
  assert_memory_equal(end.x, plain.x, sizeof end.x);
  assert_memory_equal(&end.counters, &plain.counters, sizeof end.counters);
}

TEST(each_cell_of_the_table_is_what_libess_does) {
  read_table();
  for (size_t row = 0; row < ROWS; row++)
    for (size_t column = 0; column < COLUMNS; column++)
      for (size_t i = 0; i < 4 && rows[row].bases[i] >= 0; i++) {
        const ess_base base = (ess_base)rows[row].bases[i];
        if (!rows[row].has_derivatives)
          check_cell(row, column, base, 0);
        else
          for (size_t with = TANGENTS; with <= RECORDING; with++)
            check_cell(row, column, base, 1u << with);
      }
}

/* the same when options are set between applies */
TEST(options_that_are_set_do_not_combine_either) {
  hybrid *const h = hybrid_of("%s", TEXT);
  const ess_system system = hybrid_system(h, HYBRID_GIVES_ALL);
  ess_options options = hybrid_options(1e-4);
  ess_driver *const d = ess_driver_alloc(&system, &options, NULL);
  assert_int_equal(ess_driver_record(d, 1 << 20), ESS_SUCCESS);
  options.projection.epsilon = 1e-3;
  assert_int_equal(ess_driver_set_options(d, &options), ESS_EINVAL);
  assert_string_equal(
      ess_driver_failure(d)->reason,
      "projection does not combine with a recording (ess.h, table of combinations, line 1)");
  assert_int_equal(ess_driver_record(d, 0), ESS_SUCCESS);
  assert_int_equal(ess_driver_set_options(d, &options), ESS_SUCCESS);
  ess_driver_free(d);
  hybrid_free(h);
}
