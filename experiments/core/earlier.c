/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "earlier.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "json_file.h"
#include "record.h"
#include "store.h"

/* of speed.json or sweep.json, the text that is bound first: libess by either of its methods over
 * MuJoCo. A sweep's model is what the names of its benchmarks begin with. */
static const char ratio[] =
    "SELECT value->>'mujoco_over_this', value->>'mujoco_over_this_lo', "
    "value->>'mujoco_over_this_hi' FROM json_each(?1, '$.rows') "
    "WHERE value->>'solver' IN ('libess', 'projection') AND value->>'model' = ?2 "
    "AND value->>'contacts' = ?3 AND value->>'damping' IS ?4 AND value->>'field' = ?5 "
    "AND value->>'protocol' = ?6 "
    "UNION ALL SELECT value->>'mujoco_over_projection', value->>'$.interval[0]', "
    "value->>'$.interval[1]' FROM json_each(?1, '$.ratios') "
    "WHERE substr(?1->>'$.benchmarks[0].name', 1, length(?2) + 1) = ?2 || '/' AND "
    "value->>'contacts' = ?3 "
    "AND ?1->>'$.model.damping' IS ?4 AND ifnull(?1->>'$.model.field', '') = ?5 "
    "AND value->>'protocol' = ?6 AND ?6 = 'equal-error'";

static const char share[] =
    "WITH slope AS (SELECT value->>'s_per_contact' AS s, value->>'solver' AS solver "
    "FROM json_each(?1, '$.slopes') WHERE value->>'protocol' = 'equal-error') "
    "SELECT value->>'share' FROM json_each(?1, '$.marginals') WHERE value->>'field' = ?2 "
    "UNION ALL SELECT (SELECT s FROM slope WHERE solver IN ('libess', 'projection')) / 1.0 / "
    "(SELECT s FROM slope WHERE solver = 'mujoco') WHERE ?1->>'$.model.field' = ?2";

static int read_folder(json_t *files, const char *folder, char *message) {
  static const char *const names[] = {"speed.json", "sweep.json"};
  for (size_t i = 0; i < 2; i++) {
    char path[RECORD_PATH_SIZE];
    if (access(record_path(path, folder, names[i]), F_OK)) continue;
    json_t *const object = measure_json_read(path, message);
    return object ? json_array_append_new(files, object) : -1;
  }
  return measure_fail(message, "--before: %.200s holds neither speed.json nor sweep.json", folder);
}

json_t *earlier_read(const char *folders, char message[MEASURE_MESSAGE_SIZE]) {
  char *const copy = strdup(folders);
  json_t *const files = json_array();
  int status = copy && files ? 0 : -1;
  if (status) measure_message(message, "out of memory");
  for (char *folder, *rest = copy; !status && (folder = strsep(&rest, ","));)
    status = read_folder(files, folder, message);
  free(copy);
  if (!status) return files;
  json_decref(files);
  return NULL;
}

/* the first row that a file has, up to three numbers; what it is asked with is bound behind it */
static void ask(const json_t *files, const char *sql, json_t *with, double out[3]) {
  char message[MEASURE_MESSAGE_SIZE];
  measure_store *store = NULL;
  json_t *file, *rows;
  size_t i;
  out[0] = out[1] = out[2] = NAN;
  if (files) measure_store_open(&store, NULL, "", message);
  json_array_foreach(files, i, file) {
    json_t *const values = json_pack("[O]", file);
    json_array_extend(values, with);
    if (!store || !isnan(out[0]) || measure_store_run(store, sql, values, &rows, message)) break;
    const json_t *const row = json_array_get(rows, 0);
    for (size_t k = 0; k < json_array_size(row); k++)
      measure_json_value(json_array_get(row, k), &out[k]);
    json_decref(rows);
  }
  json_decref(with);
  measure_store_close(store);
}

measure_interval earlier_ratio(const json_t *files, const char *type, size_t contacts,
                               double damping, const char *field, const char *protocol) {
  double out[3];
  ask(files, ratio,
      json_pack("[s, I, o, s, s]", type, (json_int_t)contacts, measure_json_number(damping), field,
                protocol),
      out);
  return (measure_interval){out[0], out[1], out[2]};
}

double earlier_share(const json_t *files, const char *field) {
  double out[3];
  ask(files, share, json_pack("[s]", field), out);
  return out[0];
}
