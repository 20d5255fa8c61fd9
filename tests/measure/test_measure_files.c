/*
 * Folders, and files that appear whole or not at all.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#define _GNU_SOURCE
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <cmocka.h>

#include "files.h"
#include "test_measure_folder.h"

static void assert_content(const char *path, const char *expected) {
  char text[256];
  assert_string_equal(read_text(path, text, sizeof text), expected);
}

static void file_appears_only_when_committed(void **state) {
  char path[PATH_SIZE], message[MEASURE_MESSAGE_SIZE];
  path_in(state, "a.csv", path);
  measure_file *file;
  assert_int_equal(measure_file_open(&file, path, message), 0);
  fputs("new", measure_file_stream(file));
  fflush(measure_file_stream(file));
  assert_int_not_equal(access(path, F_OK), 0);
  assert_int_equal(measure_file_commit(file, message), 0);
  assert_content(path, "new");
  assert_int_equal(entries_of(*state), 1);
}

static void commit_replaces_and_discard_does_not(void **state) {
  char path[PATH_SIZE], message[MEASURE_MESSAGE_SIZE];
  path_in(state, "a.csv", path);
  assert_int_equal(write_text(path, "earlier and longer"), 0);
  measure_file *file;
  assert_int_equal(measure_file_open(&file, path, message), 0);
  fputs("new", measure_file_stream(file));
  measure_file_discard(file);
  assert_content(path, "earlier and longer");
  assert_int_equal(measure_file_open(&file, path, message), 0);
  fputs("new", measure_file_stream(file));
  assert_content(path, "earlier and longer");
  assert_int_equal(measure_file_commit(file, message), 0);
  assert_content(path, "new");
  assert_int_equal(entries_of(*state), 1);
  measure_file_discard(NULL);
}

static void two_writers_do_not_mix(void **state) {
  char path[PATH_SIZE], message[MEASURE_MESSAGE_SIZE];
  path_in(state, "a.csv", path);
  measure_file *one, *two;
  assert_int_equal(measure_file_open(&one, path, message), 0);
  assert_int_equal(measure_file_open(&two, path, message), 0);
  fputs("one", measure_file_stream(one));
  fputs("two", measure_file_stream(two));
  assert_int_equal(measure_file_commit(two, message), 0);
  assert_content(path, "two");
  assert_int_equal(measure_file_commit(one, message), 0);
  assert_content(path, "one");
  assert_int_equal(entries_of(*state), 1);
}

/* Writes more than the limit on a file's size allows, and expects that to be noticed, even when
 * there is room again by the time of the commit. */
static void write_too_much(const char *path, bool room_again, char message[MEASURE_MESSAGE_SIZE]) {
  struct rlimit before, small;
  assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
  small = before;
  small.rlim_cur = 10000;
  void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
  assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);

  measure_file *file;
  const int opened = measure_file_open(&file, path, message);
  for (int i = 0; !opened && i < 5000; i++) fprintf(measure_file_stream(file), "row %d\n", i);
  // so that nothing is left that the commit could fail to write
  if (!opened) fflush(measure_file_stream(file));
  if (room_again) setrlimit(RLIMIT_FSIZE, &before);
  const int committed = opened ? 0 : measure_file_commit(file, message);

  // before anything is asserted: a failing assertion must be able to write, too
  setrlimit(RLIMIT_FSIZE, &before);
  signal(SIGXFSZ, handler);
  assert_int_equal(opened, 0);
  assert_int_equal(committed, -1);
}

static void full_disk_leaves_the_earlier_file(void **state) {
  char path[PATH_SIZE], message[MEASURE_MESSAGE_SIZE];
  path_in(state, "a.csv", path);
  write_too_much(path, false, message);
  assert_int_equal(entries_of(*state), 0);
  assert_int_equal(write_text(path, "earlier"), 0);
  write_too_much(path, true, message);
  assert_content(path, "earlier");
  write_too_much(path, false, message);
  assert_content(path, "earlier");
  assert_int_equal(entries_of(*state), 1);
  assert_non_null(strstr(message, "cannot write '"));
  assert_non_null(strstr(message, "a.csv': "));
  assert_non_null(strstr(message, strerror(EFBIG)));
  assert_non_null(strstr(message, "untouched"));
  assert_null(strchr(message, '\n'));
}

static void killed_writer_leaves_the_earlier_file(void **state) {
  char path[PATH_SIZE], message[MEASURE_MESSAGE_SIZE];
  path_in(state, "a.csv", path);
  assert_int_equal(write_text(path, "earlier"), 0);
  const pid_t child = fork();
  assert_true(child >= 0);
  if (child == 0) {
    measure_file *file;
    if (measure_file_open(&file, path, message)) _exit(1);
    fputs("half a ", measure_file_stream(file));
    fflush(measure_file_stream(file));
    raise(SIGKILL);
  }
  int status;
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
  assert_content(path, "earlier");
}

static void link_survives(void **state) {
  char path[PATH_SIZE], target[PATH_SIZE], message[MEASURE_MESSAGE_SIZE];
  path_in(state, "link.csv", path);
  path_in(state, "target.csv", target);
  assert_int_equal(write_text(target, "earlier"), 0);
  assert_int_equal(symlink("target.csv", path), 0);
  measure_file *file;
  assert_int_equal(measure_file_open(&file, path, message), 0);
  fputs("new", measure_file_stream(file));
  assert_int_equal(measure_file_commit(file, message), 0);
  struct stat facts;
  assert_int_equal(lstat(path, &facts), 0);
  assert_true(S_ISLNK(facts.st_mode));
  assert_content(target, "new");
}

static void what_is_no_file_is_refused(void **state) {
  char message[MEASURE_MESSAGE_SIZE], missing[PATH_SIZE];
  const char *const wrong[] = {"/dev/full", "/dev/stdout", *state,
                               path_in(state, "nowhere/a.csv", missing)};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    measure_file *file = (measure_file *)1;
    assert_int_equal(measure_file_open(&file, wrong[i], message), -1);
    assert_null(file);
    assert_non_null(strstr(message, wrong[i]));
  }
  assert_int_equal(entries_of(*state), 0);
}

static void name_without_a_folder_is_in_the_present_one(void **state) {
  char message[MEASURE_MESSAGE_SIZE], before[4096], path[PATH_SIZE];
  assert_non_null(getcwd(before, sizeof before));
  assert_int_equal(chdir(*state), 0);
  measure_file *file;
  const int opened = measure_file_open(&file, "plain.csv", message);
  if (!opened) fputs("new", measure_file_stream(file));
  const int committed = opened ? -1 : measure_file_commit(file, message);
  assert_int_equal(chdir(before), 0);
  assert_int_equal(committed, 0);
  assert_content(path_in(state, "plain.csv", path), "new");
}

static void folders_are_created_along_the_way(void **state) {
  char path[PATH_SIZE], message[MEASURE_MESSAGE_SIZE];
  assert_int_equal(measure_folder_create(path_in(state, "a/b//c/", path), message), 0);
  assert_int_equal(measure_folder_create(path, message), 0);
  assert_int_equal(entries_of(path_in(state, "a/b/c", path)), 0);
  assert_int_equal(measure_folder_create("/", message) == 0, access("/", W_OK | X_OK) == 0);
  assert_int_equal(measure_folder_create(".", message) == 0, access(".", W_OK | X_OK) == 0);
}

static void folder_that_cannot_be_is_one_clear_line(void **state) {
  char path[PATH_SIZE], message[MEASURE_MESSAGE_SIZE];
  assert_int_equal(write_text(path_in(state, "file", path), ""), 0);
  assert_int_equal(measure_folder_create(path, message), -1);
  assert_non_null(strstr(message, "there is a file of that name"));
  path_in(state, "file/below", path);
  assert_int_equal(measure_folder_create(path, message), -1);
  assert_non_null(strstr(message, path));
  assert_non_null(strstr(message, "there is a file of that name"));
  assert_int_equal(measure_folder_create("", message), -1);
  assert_int_equal(measure_folder_create("/proc/essbench/results", message), -1);
  assert_non_null(strstr(message, "cannot create folder '/proc/essbench/results'"));
  assert_null(strchr(message, '\n'));
}

static void folder_without_permission_is_one_clear_line(void **state) {
  char path[PATH_SIZE], message[MEASURE_MESSAGE_SIZE];
  path_in(state, "locked", path);
  assert_int_equal(mkdir(path, 0555), 0);
  // root may write anywhere: a child without root's rights tries
  const pid_t child = fork();
  assert_true(child >= 0);
  if (child == 0) {
    if (geteuid() == 0 && (chmod(*state, 0755) || setuid(65534))) _exit(2);
    const int refused = measure_folder_create(path, message) == -1;
    _exit(refused && strstr(message, "cannot write in folder") ? 0 : 1);
  }
  int status;
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_true(WIFEXITED(status));
  assert_int_equal(WEXITSTATUS(status), 0);
}

#define IN_A_FOLDER(test) cmocka_unit_test_setup_teardown(test, folder_set_up, folder_tear_down)

int main(void) {
  const struct CMUnitTest tests[] = {
      IN_A_FOLDER(file_appears_only_when_committed),
      IN_A_FOLDER(commit_replaces_and_discard_does_not),
      IN_A_FOLDER(two_writers_do_not_mix),
      IN_A_FOLDER(full_disk_leaves_the_earlier_file),
      IN_A_FOLDER(killed_writer_leaves_the_earlier_file),
      IN_A_FOLDER(link_survives),
      IN_A_FOLDER(what_is_no_file_is_refused),
      IN_A_FOLDER(name_without_a_folder_is_in_the_present_one),
      IN_A_FOLDER(folders_are_created_along_the_way),
      IN_A_FOLDER(folder_that_cannot_be_is_one_clear_line),
      IN_A_FOLDER(folder_without_permission_is_one_clear_line),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
