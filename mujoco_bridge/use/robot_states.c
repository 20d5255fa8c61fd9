/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "robot_states.h"

#include <stdlib.h>

#include "csv.h"
#include "robot_starts.h"
#include "robot_table.h"

static const char *state_name(const robot *r, size_t i, char room[ROBOT_NAME_SIZE]) {
  robot_state_name(r, i, room);
  return room;
}

int robot_states_read(const robot *r, const char *path, robot_states *out,
                      char message[ROBOT_MESSAGE_SIZE]) {
  const robot_table_of of = {"--states", "state", " (positions, velocities and activations)",
                             robot_size(r).dimension, state_name};
  return robot_table_read(r, &of, path, &out->x, &out->count, message);
}

size_t robot_states_count(const char *path) {
  char ignored[MEASURE_MESSAGE_SIZE];
  measure_table *table;
  if (measure_table_read(&table, path, ignored)) return 0;
  const size_t count = measure_table_rows(table);
  measure_table_free(table);
  return count;
}

void robot_states_free(robot_states *s) {
  free(s->x);
  *s = (robot_states){0};
}
