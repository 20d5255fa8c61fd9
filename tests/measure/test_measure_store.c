/*
 * The store: values come back, a transaction is whole or not at all however the process ends and
 * however full the disk is, two runs never mix, and other files are refused.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#define _GNU_SOURCE /* nftw */
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <cmocka.h>

#include "store.h"
#include "test_measure_folder.h"

static const char tables[] =
    "CREATE TABLE IF NOT EXISTS cell (id INTEGER PRIMARY KEY, number INTEGER UNIQUE);"
    "CREATE TABLE IF NOT EXISTS row (cell INTEGER REFERENCES cell, value)";

static char path[PATH_SIZE], message[MEASURE_MESSAGE_SIZE];

static measure_store *open_store(void **state) {
  measure_store *s;
  path_in(state, "essbench.sqlite", path);
  if (measure_store_open(&s, path, tables, message)) fail_msg("%s", message);
  return s;
}

/* the rows of a statement without values, as JSON */
static void expect(measure_store *s, const char *sql, const char *wanted) {
  json_t *rows;
  if (measure_store_run(s, sql, NULL, &rows, message)) fail_msg("%s", message);
  char *const text = json_dumps(rows, JSON_COMPACT | JSON_REAL_PRECISION(17));
  assert_string_equal(text, wanted);
  free(text);
  json_decref(rows);
}

/* a cell of three rows, as one transaction */
static int keep(measure_store *s, int number) {
  int status = measure_store_run(s, "BEGIN IMMEDIATE", NULL, NULL, message);
  if (!status)
    status = measure_store_run(s, "INSERT INTO cell (number) VALUES (?)", json_pack("[i]", number),
                               NULL, message);
  const json_int_t cell = measure_store_inserted(s);
  for (int i = 0; !status && i < 3; i++)
    status = measure_store_run(s, "INSERT INTO row VALUES (?, ?)", json_pack("[I, i]", cell, i),
                               NULL, message);
  return measure_store_end(s, status, message);
}

static const char broken[] = "SELECT count(*) FROM (SELECT cell.id FROM cell LEFT JOIN row "
                             "ON cell = id GROUP BY id HAVING count(value) != 3)";
static const char orphans[] = "SELECT count(*) FROM row WHERE cell NOT IN (SELECT id FROM cell)";

static int count(measure_store *s) {
  json_t *rows;
  if (measure_store_run(s, "SELECT count(*) FROM cell", NULL, &rows, message))
    fail_msg("%s", message);
  const int number = (int)json_integer_value(json_array_get(json_array_get(rows, 0), 0));
  json_decref(rows);
  expect(s, broken, "[[0]]");
  expect(s, orphans, "[[0]]");
  return number;
}

static void values_come_back(void **state) {
  measure_store *s = open_store(state);
  json_t *const values =
      json_pack("[f, i, s, n, b, [i, f]]", 1.0 / 3.0, -7, "it's \"so\"", 1, 2, 0.1);
  assert_int_equal(
      measure_store_run(s, "CREATE TABLE t (a REAL, b, c, d, e, f)", NULL, NULL, message), 0);
  assert_int_equal(
      measure_store_run(s, "INSERT INTO t VALUES (?, ?, ?, ?, ?, ?)", values, NULL, message), 0);
  measure_store_close(s);
  assert_int_equal(measure_store_open(&s, path, NULL, message), 0);
  expect(s, "SELECT * FROM t",
         "[[0.33333333333333331,-7,\"it's \\\"so\\\"\",null,1,"
         "\"[2,0.10000000000000001]\"]]");
  measure_store_close(s);
}

static void what_fails_leaves_nothing(void **state) {
  measure_store *const s = open_store(state);
  assert_int_equal(keep(s, 1), 0);
  assert_int_equal(keep(s, 1), -1);
  assert_non_null(strstr(message, "essbench.sqlite': UNIQUE constraint failed: cell.number"));
  assert_int_equal(keep(s, 2), 0);
  assert_int_equal(count(s), 2);
  measure_store_close(s);
}

/* by another process, for two that write */
static void a_second_run_is_kept_out(void **state) {
  measure_store *const first = open_store(state);
  assert_int_equal(measure_store_lock(first, "sweep", message), 0);
  assert_int_equal(keep(first, 1), 0);
  const pid_t child = fork();
  if (!child) {
    execl("/proc/self/exe", "test", path, NULL);
    _exit(9);
  }
  int status;
  waitpid(child, &status, 0);
  assert_true(WIFEXITED(status));
  assert_int_equal(WEXITSTATUS(status), 0);
  assert_int_equal(keep(first, 3), 0);
  assert_int_equal(count(first), 3);
  measure_store_close(first);
}

/* the other process */
static int second_run(const char *there) {
  measure_store *s;
  if (measure_store_open(&s, there, tables, message)) return 1;
  if (measure_store_lock(s, "sweep", message) != -1) return 2;
  if (!strstr(message, "is in use by another run of sweep")) return 3;
  if (measure_store_lock(s, "scale", message) || keep(s, 2)) return 4;
  measure_store_close(s);
  return 0;
}

/* one file, which is read where nothing can be written */
static void a_closed_one_is_one_file(void **state) {
  measure_store *s = open_store(state);
  char beside[PATH_SIZE];
  assert_int_equal(keep(s, 1), 0);
  assert_int_equal(access(path_in(state, "essbench.sqlite-wal", beside), F_OK), 0);
  measure_store_close(s);
  assert_int_equal(access(beside, F_OK), -1);
  assert_int_equal(chmod(*state, 0555), 0);
  // root may write anywhere: a child without root's rights reads
  const pid_t child = fork();
  if (!child) {
    if (geteuid() == 0 && setuid(65534)) _exit(2);
    if (measure_store_open(&s, path, NULL, message)) _exit(3);
    _exit(count(s) == 1 && access(beside, F_OK) &&
                  measure_store_open(&s, path, tables, message) == -1 &&
                  strstr(message, "Permission denied")
              ? 0
              : 1);
  }
  int status;
  waitpid(child, &status, 0);
  assert_true(WIFEXITED(status));
  assert_int_equal(WEXITSTATUS(status), 0);
  assert_int_equal(chmod(*state, 0755), 0);
  assert_int_equal(measure_store_open(&s, "/nowhere/essbench.sqlite", NULL, message), 0);
  assert_null(s);
}

/* ---- ends of a process ----------------------------------------------------------------------- */

/* keeps cells from the first that is not there, and tells of each that is done */
static void work(void **state, int tell) {
  measure_store *const s = open_store(state);
  for (int number = count(s);; number++) {
    if (keep(s, number)) _exit(1);
    if (write(tell, &number, sizeof number) != sizeof number) _exit(2);
  }
}

static void a_killed_process_loses_nothing(void **state) {
  enum { KILLS = 100 };
  int told = -1;
  srand(28);
  for (int i = 0; i < KILLS; i++) {
    int ends[2], number;
    assert_int_equal(pipe(ends), 0);
    const pid_t child = fork();
    if (!child) work(state, ends[1]);
    close(ends[1]);
    // as soon as it works, or in the middle of it
    struct pollfd first = {.fd = ends[0], .events = POLLIN};
    if (rand() % 4) poll(&first, 1, 10000);
    usleep((useconds_t)(rand() % 10000));
    kill(child, SIGKILL);
    while (read(ends[0], &number, sizeof number) == sizeof number) {
      assert_int_equal(number, told + 1);
      told = number;
    }
    close(ends[0]);
    waitpid(child, NULL, 0);
    measure_store *const s = open_store(state);
    // one more may be there that it had no time to tell
    const int there = count(s);
    assert_in_range(there, told + 1, told + 2);
    told = there - 1;
    measure_store_close(s);
  }
  assert_true(told > KILLS);
}

/* a disk that takes no more than so many bytes of a file: one line, and what was told is kept */
static void a_full_disk_keeps_what_was_told(void **state) {
  for (rlim_t room = 0; room < 400000; room += 23456) {
    int ends[2], number, told = -1, status;
    assert_int_equal(pipe(ends), 0);
    const pid_t child = fork();
    if (!child) {
      signal(SIGXFSZ, SIG_IGN);
      setrlimit(RLIMIT_FSIZE, &(struct rlimit){room, room});
      measure_store *s;
      path_in(state, "essbench.sqlite", path);
      if (measure_store_open(&s, path, tables, message)) _exit(strchr(message, '\n') ? 2 : 0);
      for (number = count(s); !keep(s, number); number++)
        if (write(ends[1], &number, sizeof number) != sizeof number) _exit(3);
      _exit(strstr(message, "cannot use '") && !strchr(message, '\n') ? 0 : 4);
    }
    close(ends[1]);
    while (read(ends[0], &number, sizeof number) == sizeof number) told = number;
    close(ends[0]);
    waitpid(child, &status, 0);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
    measure_store *const s = open_store(state);
    if (told >= 0) assert_int_equal(count(s), told + 1);
    assert_int_equal(measure_store_run(s, "DELETE FROM row", NULL, NULL, message), 0);
    assert_int_equal(measure_store_run(s, "DELETE FROM cell", NULL, NULL, message), 0);
    measure_store_close(s);
  }
}

/* ---- other files ----------------------------------------------------------------------------- */

static void refused(void **state, const char *words) {
  measure_store *s;
  for (int look = 0; look < 2; look++) {
    path_in(state, "essbench.sqlite", path);
    assert_int_equal(measure_store_open(&s, path, look ? NULL : tables, message), -1);
    if (!strstr(message, words)) fail_msg("no '%s' in '%s'", words, message);
    assert_null(strchr(message, '\n'));
  }
}

static void change(void **state, const char *sql) {
  measure_store *const s = open_store(state);
  assert_int_equal(measure_store_run(s, sql, NULL, NULL, message), 0);
  measure_store_close(s);
}

static void others_are_refused(void **state) {
  measure_store *s;
  path_in(state, "essbench.sqlite", path);
  assert_int_equal(write_text(path, "earlier results, which are no database at all\n"), 0);
  refused(state, "file is not a database; move it away");
  remove(path);
  change(state, "PRAGMA application_id = 1234");
  refused(state, "is another program's; move it away");
  remove(path);
  change(state, "PRAGMA user_version = 2");
  refused(state, "is of a newer essbench; use that one, or move it away");
  assert_int_equal(measure_store_open(&s, "/dev/full", tables, message), -1);
  assert_string_equal(message, "cannot open '/dev/full': it is not a regular file");
  assert_int_equal(measure_store_open(&s, *state, tables, message), -1);
  assert_non_null(strstr(message, "Is a directory"));
}

/* pages behind the first that are lost are told of when they are read */
static void damage_is_told(void **state) {
  measure_store *s = open_store(state);
  for (int i = 0; i < 2000; i++) assert_int_equal(keep(s, i), 0);
  measure_store_close(s);
  FILE *const file = fopen(path, "r+");
  fseek(file, 4096, SEEK_SET);
  for (int i = 0; i < 30000; i++) fputc('x', file);
  fclose(file);
  s = open_store(state);
  assert_int_equal(measure_store_run(s, broken, NULL, NULL, message), -1);
  assert_non_null(strstr(message, "malformed; move it away"));
  measure_store_close(s);
}

#define IN_A_FOLDER(test) cmocka_unit_test_setup_teardown(test, folder_set_up, folder_tear_down)

int main(int argc, char **argv) {
  if (argc > 1) return second_run(argv[1]);
  const struct CMUnitTest tests[] = {
      IN_A_FOLDER(values_come_back),
      IN_A_FOLDER(what_fails_leaves_nothing),
      IN_A_FOLDER(a_second_run_is_kept_out),
      IN_A_FOLDER(a_closed_one_is_one_file),
      IN_A_FOLDER(a_killed_process_loses_nothing),
      IN_A_FOLDER(a_full_disk_keeps_what_was_told),
      IN_A_FOLDER(others_are_refused),
      IN_A_FOLDER(damage_is_told),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
