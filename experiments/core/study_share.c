/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A share of a study's cells. mpirun, srun, Slurm arrays and GNU parallel start as many processes
 * as there are shares, on one machine or several. Each measures its cells into a database of its
 * own in the folder of results; merging puts the cells of all into the folder's database. */
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "json_file.h"
#include "option.h"
#include "process.h"
#include "record.h"
#include "study_run.h"

enum { SHARES_MAX = 100000, SQL_COLUMNS_SIZE = 4096, TURN_SIZE = 256 };

/* the lock of a share that measures, or is about to */
static const char measuring[] = "its cells";

/* ---- which share ----------------------------------------------------------------------------- */

/* Variables that say which process of how many this is. */
static const struct {
  const char *number, *count, *first, *step;
} exported[] = {
    {"SLURM_ARRAY_TASK_ID", "SLURM_ARRAY_TASK_COUNT", "SLURM_ARRAY_TASK_MIN",
     "SLURM_ARRAY_TASK_STEP"},
    {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", NULL, NULL},
    {"PMI_RANK", "PMI_SIZE", NULL, NULL},
    {"SLURM_PROCID", "SLURM_NTASKS", NULL, NULL},
};

static bool read_exported(const char *name, size_t *value) {
  const char *const text = name ? getenv(name) : NULL;
  char *end;
  if (!text) return false;
  *value = strtoull(text, &end, 10);
  return end != text && !*end;
}

/* one of several processes, or else the only one of those that were started */
static int find_exported(study_share *share, char *message) {
  *share = (study_share){0};
  for (size_t i = 0; i < sizeof exported / sizeof *exported; i++) {
    size_t number, count, first = 0, step = 1;
    if (!read_exported(exported[i].number, &number) || !read_exported(exported[i].count, &count))
      continue;
    (void)read_exported(exported[i].first, &first);
    (void)read_exported(exported[i].step, &step);
    if (number < first || !step || (number - first) / step >= count) continue;
    if (count > share->count) *share = (study_share){(number - first) / step + 1, count};
    if (count > 1) break;
  }
  return share->count ? 0
                      : measure_fail(message, "--share auto is not accepted here: mpirun, srun and "
                                              "Slurm arrays number their processes; elsewhere it "
                                              "is a share such as 1/3");
}

int study_share_parse(const char *text, study_share *share, char *message) {
  char *end;
  if (strcmp(text, "auto") == 0) return find_exported(share, message);
  share->number = strtoull(text, &end, 10);
  const bool has_two = end != text && *end == '/' && end[1] >= '0' && end[1] <= '9';
  share->count = has_two ? strtoull(end + 1, &end, 10) : 0;
  if (*text >= '0' && *text <= '9' && has_two && !*end && share->number >= 1 &&
      share->number <= share->count && share->count <= SHARES_MAX)
    return 0;
  return measure_fail(message,
                      "--share %.60s is not accepted; it is K/N with 1 <= K <= N <= %d, or auto",
                      text, SHARES_MAX);
}

bool study_share_has(const study_run *run, size_t cell) {
  const study_share share = run->private->request->share;
  return !share.count || cell % share.count == share.number - 1;
}

/* ---- the database of a share ----------------------------------------------------------------- */

/* the command's words without those that name the share */
static json_t *words_of(const study_run *run) {
  const study_request *const q = run->private->request;
  json_t *const words = json_pack("[s]", run->study->name);
  for (int k = 1; k < q->argc; k++) {
    if (strcmp(q->argv[k], "--share") == 0)
      k++;
    else if (strncmp(q->argv[k], "--share=", 8))
      json_array_append_new(words, json_string(q->argv[k]));
  }
  return words;
}

int study_share_note(study_run *run, bool is_done) {
  const struct study_private *const p = run->private;
  const study_share share = p->request->share;
  if (!share.count || p->worker) return 0;
  return study_store_ask(run,
                         "INSERT OR REPLACE INTO share (run, number, count, words, stage, done) "
                         "VALUES (?, ?, ?, ?, ?, ?)",
                         json_pack("[I, I, I, o, I, b]", p->number, (json_int_t)share.number,
                                   (json_int_t)share.count, words_of(run), (json_int_t)p->stages,
                                   is_done),
                         NULL);
}

/* ---- measuring ------------------------------------------------------------------------------- */

/* Times are taken by one share of a machine at a time: those of others wait for their turn here. */
static int wait_for_turn(study_run *run) {
  char name[TURN_SIZE], path[RECORD_PATH_SIZE];
  struct flock lock = {.l_type = F_WRLCK};
  if (!run->study->pinned) return 0;
  snprintf(name, sizeof name, "essbench.%.200s.turn", process_host());
  run->private->turn =
      open(record_path(path, run->folder, name), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (run->private->turn < 0)
    return measure_fail(run->message, "cannot open '%.300s': %s", path, strerror(errno));
  while (fcntl(run->private->turn, F_OFD_SETLKW, &lock))
    if (errno != EINTR || *run->interrupted) return 1;
  return 0;
}

int study_share_begin(study_run *run) {
  if (!run->private->request->share.count) return 0;
  const int status = measure_store_lock(run->private->store, measuring, run->message);
  return status ? status : wait_for_turn(run);
}

void study_share_pause(study_run *run) {
  struct study_private *const p = run->private;
  if (!p->request->share.count) return;
  if (p->turn >= 0) close(p->turn);
  p->turn = -1;
  if (p->store) measure_store_unlock(p->store, measuring);
}

size_t study_share_unknown(const study_run *run) {
  size_t count = 0;
  for (size_t i = 0; i < run->private->cells; i++) count += !study_cells_known(run, i);
  return count;
}

/* takes the cells that the others have; whether any of them still measures */
static int take_others(study_run *run, bool *measures) {
  const study_share own = run->private->request->share;
  char name[STUDY_TABLE_NAME_SIZE], path[RECORD_PATH_SIZE];
  int status = 0;
  *measures = false;
  for (study_share other = {1, own.count}; !status && other.number <= own.count; other.number++) {
    if (other.number == own.number) continue;
    study_share_database(other, name);
    *measures |= measure_store_is_locked(record_path(path, run->folder, name), measuring);
    status = study_store_take_from(run, name);
  }
  return status;
}

int study_share_take(study_run *run) {
  bool measures;
  return run->private->request->share.count ? take_others(run, &measures) : 0;
}

/* the next stage depends on the cells of all shares */
int study_share_meet(study_run *run) {
  enum { PATIENCE = 100 }; // tenths of a second for those that have not begun
  int status = 0;
  for (int idle = 0; !status && study_share_unknown(run);) {
    bool measures;
    status = take_others(run, &measures);
    idle = measures ? 0 : idle + 1;
    if (status || !study_share_unknown(run)) break;
    if (*run->interrupted) return 1;
    if (idle > PATIENCE) {
      run->private->waits = true;
      break;
    }
    nanosleep(&(struct timespec){.tv_nsec = 100000000}, NULL);
  }
  return status;
}

int study_share_end(study_run *run) {
  const struct study_private *const p = run->private;
  const study_share share = p->request->share;
  const int status = study_share_note(run, !p->waits);
  if (status) return status;
  if (p->waits)
    printf("share %zu of %zu of %s: its part of stage %zu is measured; the next stage needs the "
           "other shares\n",
           share.number, share.count, run->study->name, p->stages);
  else
    printf("share %zu of %zu of %s is measured; essbench merge --out %s takes in all shares\n",
           share.number, share.count, run->study->name, run->folder);
  return 0;
}

/* ---- merging --------------------------------------------------------------------------------- */

/* a run of a share */
typedef struct part {
  char *path;
  json_int_t run;
  study_share share;
  bool is_done;
  json_t *row; /* study, place, settings, host, words */
} part;

typedef struct parts {
  part *part;
  size_t count, room;
} parts;

static const char *text_of(const part *p, size_t index) {
  const char *const text = json_string_value(json_array_get(p->row, index));
  return text ? text : "";
}

enum { STUDY, PLACE, SETTINGS, HOST, WORDS, NUMBER, COUNT, DONE, RUN };

static void free_parts(parts *all) {
  for (size_t i = 0; i < all->count; i++) {
    free(all->part[i].path);
    json_decref(all->part[i].row);
  }
  free(all->part);
}

/* the runs of one share's database that have not been merged; it must not be in use */
static int list_runs(parts *all, const char *path, char *message) {
  measure_store *store;
  json_t *rows = NULL, *row;
  size_t i;
  if (measure_store_open(&store, path, NULL, message)) return -1;
  if (!store) return measure_fail(message, "'%.300s' is gone", path);
  int status = measure_store_run(
      store,
      "SELECT study, place, settings, host, words, number, count, done, id FROM run "
      "JOIN share ON share.run = run.id ORDER BY id",
      NULL, &rows, message);
  if (status) (void)measure_fail(message, "'%.300s' holds no share of a study; move it away", path);
  json_array_foreach(rows, i, row) {
    part *const grown = measure_grow(all->part, &all->room, all->count, sizeof *grown);
    if (grown) all->part = grown;
    char *const copy = strdup(path);
    if (!grown || !copy) {
      free(copy);
      status = measure_fail(message, "out of memory");
      break;
    }
    all->part[all->count++] =
        (part){.path = copy,
               .run = json_integer_value(json_array_get(row, RUN)),
               .share = {(size_t)json_integer_value(json_array_get(row, NUMBER)),
                         (size_t)json_integer_value(json_array_get(row, COUNT))},
               .is_done = json_integer_value(json_array_get(row, DONE)),
               .row = json_incref(row)};
  }
  json_decref(rows);
  if (!status && measure_store_is_locked(path, measuring))
    status = measure_fail(message, "'%.300s' is in use: its share still measures", path);
  measure_store_close(store);
  return status;
}

static int list_parts(parts *all, const char *folder, char *message) {
  char pattern[RECORD_PATH_SIZE];
  glob_t found = {0};
  int status = 0;
  glob(record_path(pattern, folder, "essbench.*-of-*.sqlite"), 0, NULL, &found);
  for (size_t i = 0; !status && i < found.gl_pathc; i++)
    status = list_runs(all, found.gl_pathv[i], message);
  globfree(&found);
  if (!status && !all->count)
    status = measure_fail(
        message, "%.300s holds no shares to merge; a study with --share K/N makes one", folder);
  return status;
}

static bool is_same_run(const part *a, const part *b) {
  return strcmp(text_of(a, STUDY), text_of(b, STUDY)) == 0 &&
         strcmp(text_of(a, PLACE), text_of(b, PLACE)) == 0 &&
         strcmp(text_of(a, SETTINGS), text_of(b, SETTINGS)) == 0;
}

/* "essbench scale --contacts 2" */
static void command_line(const part *p, char *line, size_t size) {
  json_t *const words = measure_json_parse(text_of(p, WORDS)), *word;
  size_t i, used = (size_t)snprintf(line, size, "essbench");
  json_array_foreach(words, i, word) if (used < size) used +=
      (size_t)snprintf(line + used, size - used, " %s", json_string_value(word));
  json_decref(words);
}

/* whether the shares of one run belong together and are all there */
static int check_run(const study *s, const parts *all, const part *first, char *message) {
  char line[MEASURE_MESSAGE_SIZE / 2];
  command_line(first, line, sizeof line);
  if (!s) return measure_fail(message, "'%.200s' is of an unknown study", first->path);
  json_t *const settings = measure_json_parse(text_of(first, SETTINGS)), *const build =
                                                                             record_build();
  const bool is_ours = json_equal(json_object_get(settings, "build"), build);
  json_decref(settings);
  json_decref(build);
  if (!is_ours)
    return measure_fail(message, "'%.200s' is of another build of essbench; merge it with that one",
                        first->path);
  for (size_t number = 1; number <= first->share.count; number++) {
    const part *found = NULL;
    for (size_t i = 0; i < all->count; i++) {
      const part *const p = &all->part[i];
      if (!is_same_run(p, first)) continue;
      if (p->share.count != first->share.count)
        return measure_fail(message,
                            "'%.200s' and '%.200s' are not shares of one run: it has %zu or %zu",
                            first->path, p->path, first->share.count, p->share.count);
      if (s->pinned && strcmp(text_of(p, HOST), text_of(first, HOST)))
        return measure_fail(message,
                            "the shares of a study that times are of one host; these are of %.60s "
                            "and %.60s",
                            text_of(first, HOST), text_of(p, HOST));
      if (p->share.number != number) continue;
      if (found)
        return measure_fail(message, "'%.200s' and '%.200s' hold the same share; move one away",
                            found->path, p->path);
      found = p;
    }
    if (!found || !found->is_done)
      return measure_fail(message, "share %zu of %zu is not complete; run %s --share %zu/%zu",
                          number, first->share.count, line, number, first->share.count);
  }
  return 0;
}

/* ", `a`, `b`", or with `of` "theirs." before each */
static void list_columns(const study *s, const char *of, char *columns, size_t size) {
  size_t used = 0;
  *columns = '\0';
  for (const column *c = s->tables[STUDY_SAMPLES].columns; c->name && used < size; c++)
    used +=
        (size_t)snprintf(columns + used, size - used, ", %s`%s`", of, *c->name ? c->name : "value");
}

/* the run of the database that is attached as `other`, if it is not there, and its cells that are
 * not: a merge that was interrupted goes on */
static int copy_run(study_run *run, const part *p) {
  char mine[SQL_COLUMNS_SIZE], theirs[SQL_COLUMNS_SIZE], sql[3 * SQL_COLUMNS_SIZE],
      table[STUDY_TABLE_NAME_SIZE];
  json_int_t *const to = &run->private->number;
  list_columns(run->study, "", mine, sizeof mine);
  list_columns(run->study, "theirs.", theirs, sizeof theirs);
  study_table_name(run->study, STUDY_SAMPLES, table);
  int status = 0;
  if (!*to) {
    status = study_store_ask(
        run,
        "INSERT INTO run (study, place, settings, git_commit, host, load, seed, begun) "
        "SELECT study, place, settings, git_commit, host, load, seed, begun FROM other.run "
        "WHERE id = ?",
        json_pack("[I]", p->run), NULL);
    *to = measure_store_inserted(run->private->store);
  }
  if (!status)
    status =
        study_store_ask(run,
                        "INSERT INTO cell (run, name) SELECT ?, name FROM other.cell WHERE run = ? "
                        "AND name NOT IN (SELECT name FROM main.cell WHERE run = ?) ORDER BY id",
                        json_pack("[I, I, I]", *to, p->run, *to), NULL);
  snprintf(sql, sizeof sql,
           "INSERT INTO `%s` (run, row, within%s) SELECT ?, theirs.row, mine.id%s FROM other.`%s` "
           "AS theirs "
           "JOIN other.cell AS named ON named.id = theirs.within "
           "JOIN main.cell AS mine ON mine.run = ? AND mine.name = named.name "
           "WHERE theirs.run = ? AND mine.id NOT IN (SELECT within FROM main.`%s` WHERE run = ?) "
           "ORDER BY theirs.rowid",
           table, mine, theirs, table, table);
  return status ? status
                : study_store_ask(run, sql, json_pack("[I, I, I, I]", *to, *to, p->run, *to), NULL);
}

/* all shares of one run */
static int merge_run(study_run *run, const parts *all, const part *first) {
  int status =
      study_store_enter(run, text_of(first, PLACE), text_of(first, SETTINGS), text_of(first, HOST));
  for (size_t i = 0; !status && i < all->count; i++) {
    const part *const p = &all->part[i];
    if (!is_same_run(p, first)) continue;
    status = study_store_ask(run, "ATTACH ? AS other", json_pack("[s]", p->path), NULL);
    if (status) break;
    status = study_store_ask(run, "BEGIN IMMEDIATE", NULL, NULL);
    if (!status) status = study_store_end(run, copy_run(run, p));
    const int detached = study_store_ask(run, "DETACH other", NULL, NULL);
    if (!status) status = detached;
  }
  measure_store_close(run->private->store);
  return status;
}

/* whether no earlier part is of the same run */
static bool is_first(const parts *all, size_t index) {
  for (size_t i = 0; i < index; i++)
    if (is_same_run(&all->part[i], &all->part[index])) return false;
  return true;
}

int study_share_merge(const char *folder, const study *(*find)(const char *name), json_t *commands,
                      json_t *files, char *message) {
  parts all = {0};
  char path[RECORD_PATH_SIZE], turn[TURN_SIZE];
  int status = list_parts(&all, folder, message);
  for (size_t i = 0; !status && i < all.count; i++)
    if (is_first(&all, i))
      status = check_run(find(text_of(&all.part[i], STUDY)), &all, &all.part[i], message);
  for (size_t i = 0; !status && i < all.count; i++) {
    const part *const p = &all.part[i];
    const study_request request = {.folder = folder};
    struct study_private private = {.request = &request, .turn = -1};
    study_run run = {.study = find(text_of(p, STUDY)),
                     .folder = folder,
                     .message = message,
                     .private = &private};
    json_array_append_new(files, json_string(p->path));
    snprintf(turn, sizeof turn, "essbench.%.200s.turn", text_of(p, HOST));
    json_array_append_new(files, json_string(record_path(path, folder, turn)));
    if (!is_first(&all, i)) continue;
    status = merge_run(&run, &all, p);
    json_array_append_new(commands, measure_json_parse(text_of(p, WORDS)));
  }
  free_parts(&all);
  return status;
}
