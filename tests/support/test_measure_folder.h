/*
 * A temporary folder for the tests that write files: set up before and removed after each test.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef TEST_MEASURE_FOLDER_H
#define TEST_MEASURE_FOLDER_H

#include <dirent.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PATH_SIZE = 512 };

static inline int remove_entry(const char *path, const struct stat *facts, int type,
                               struct FTW *at) {
  (void)facts;
  (void)type;
  (void)at;
  return remove(path);
}

/* cmocka's set-up: *state becomes the folder's path. */
static inline int folder_set_up(void **state) {
  char pattern[] = "/tmp/essbench-test-XXXXXX";
  *state = mkdtemp(pattern) ? strdup(pattern) : NULL;
  return *state ? 0 : -1;
}

static inline int folder_tear_down(void **state) {
  const int failed = nftw(*state, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
  free(*state);
  return failed;
}

/* Path of `name` in the folder. */
static inline char *path_in(void **state, const char *name, char path[PATH_SIZE]) {
  snprintf(path, PATH_SIZE, "%s/%s", (const char *)*state, name);
  return path;
}

/* Entries of a folder, hidden ones too. */
static inline int entries_of(const char *path) {
  DIR *folder = opendir(path);
  if (!folder) return -1;
  int count = 0;
  while (readdir(folder)) count++;
  closedir(folder);
  // "." and ".." are no entries
  return count - 2;
}

static inline int write_text(const char *path, const char *text) {
  FILE *stream = fopen(path, "w");
  if (!stream) return -1;
  const int failed = fputs(text, stream) < 0;
  return fclose(stream) || failed ? -1 : 0;
}

/* Start of a file's content, "" when there is none. */
static inline const char *read_text(const char *path, char text[], size_t size) {
  text[0] = '\0';
  FILE *stream = fopen(path, "r");
  if (!stream) return text;
  text[fread(text, 1, size - 1, stream)] = '\0';
  fclose(stream);
  return text;
}

#endif
