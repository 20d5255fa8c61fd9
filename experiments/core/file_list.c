/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "file_list.h"

#include "measure.h"
#include "solver.h"

/* how deep a folder is looked through, and how many models there may be */
enum { DEPTH_MAX = 8, MODELS_MAX = 10000, PATH_SIZE = 1024 };

static int fail_at(char *message, const char *path) {
  return SOLVER_FAIL(message, "%.300s: %s", path, strerror(errno));
}

/* "a/b/ant.xml" is "ant"; behind a number, as there are many scene.xml */
static char *folder_name(size_t number, const char *file) {
  const char *const slash = strrchr(file, '/'), *const last = slash ? slash + 1 : file;
  const char *const dot = strrchr(last, '.');
  char name[96];
  snprintf(name, sizeof name, "%02zu-%.*s", number, (int)(dot && dot > last ? dot - last : 64),
           last);
  return strdup(name);
}

static int add(file_list *list, const char *file, const char *options, char *message) {
  if (list->count == MODELS_MAX)
    return SOLVER_REFUSE(message, "more than %d models; shorter lists are accepted", MODELS_MAX);
  listed_file *const grown = measure_grow(list->file, &list->room, list->count, sizeof *grown);
  if (!grown) return SOLVER_FAIL(message, "out of memory");
  list->file = grown;
  listed_file *const m = &list->file[list->count++];
  *m = (listed_file){strdup(file), strdup(options), folder_name(list->count, file)};
  return m->file && m->options && m->name ? 0 : SOLVER_FAIL(message, "out of memory");
}

/* ---- a file ---------------------------------------------------------------------------------- */

/* "FILE --option ..." in a line; empty ones, and what is behind #, are nothing */
static int add_line(file_list *list, char *line, char *message) {
  line += strspn(line, " \t");
  char *end = line + strcspn(line, "\r\n");
  if (*line == '#') end = line;
  while (end > line && (end[-1] == ' ' || end[-1] == '\t')) end--;
  *end = '\0';
  if (!*line) return 0;
  char *const options = strstr(line, " --");
  if (options) *options = '\0';
  return add(list, line, options ? options + 1 : "", message);
}

static int read_file(file_list *list, const char *path, char *message) {
  FILE *const file = fopen(path, "r");
  if (!file) return fail_at(message, path);
  char *line = NULL;
  size_t size = 0;
  int status = 0;
  while (!status && getline(&line, &size, file) >= 0) {
    if (*line == '<')
      status = SOLVER_REFUSE(message,
                             "%.300s is a model; a folder of models is accepted, or a list with "
                             "a file in each line (for one model: essbench robot)",
                             path);
    else
      status = add_line(list, line, message);
  }
  free(line);
  fclose(file);
  return status;
}

/* ---- a folder -------------------------------------------------------------------------------- */

/* what MuJoCo could load: parts that others include have no <mujoco> */
static bool is_model(const char *path) {
  const char *const dot = strrchr(path, '.');
  char begin[4096];
  if (!dot || (strcmp(dot, ".xml") != 0 && strcmp(dot, ".mjb") != 0)) return false;
  if (strcmp(dot, ".mjb") == 0) return true;
  // one that cannot be read has a line that says so
  FILE *const file = fopen(path, "r");
  if (!file) return true;
  begin[fread(begin, 1, sizeof begin - 1, file)] = '\0';
  fclose(file);
  return strstr(begin, "<mujoco>") || strstr(begin, "<mujoco ");
}

/* a folder, and the ones that it is in */
typedef struct folder {
  const struct folder *up;
  dev_t device;
  ino_t number;
} folder;

/* by a link a folder may be in itself */
static bool is_within(const folder *of, const struct stat *info) {
  while (of && (of->device != info->st_dev || of->number != info->st_ino)) of = of->up;
  return of;
}

static int scan(file_list *list, const char *path, const folder *of, size_t depth, char *message) {
  struct dirent **entries;
  const int count = scandir(path, &entries, NULL, alphasort);
  int status = count < 0 ? fail_at(message, path) : 0;
  for (int i = 0; i < count; i++) {
    char file[PATH_SIZE];
    struct stat info = {0};
    const bool fits =
        snprintf(file, sizeof file, "%s/%s", path, entries[i]->d_name) < (int)sizeof file;
    if (!status && fits && *entries[i]->d_name != '.') {
      const bool is_there = !stat(file, &info);
      const folder next = {of, info.st_dev, info.st_ino};
      if (is_there && S_ISDIR(info.st_mode)) {
        if (depth < DEPTH_MAX && !is_within(of, &info))
          status = scan(list, file, &next, depth + 1, message);
      } else if ((!is_there || S_ISREG(info.st_mode)) && is_model(file))
        status = add(list, file, "", message);
    }
    free(entries[i]);
  }
  if (count >= 0) free(entries);
  return status;
}

int file_list_read(file_list *list, const char *operand, char *message) {
  struct stat info;
  if (stat(operand, &info)) return fail_at(message, operand);
  const folder top = {NULL, info.st_dev, info.st_ino};
  const int status = S_ISDIR(info.st_mode) ? scan(list, operand, &top, 0, message)
                                           : read_file(list, operand, message);
  if (status || list->count) return status;
  return SOLVER_FAIL(message, "%.300s names no model (.xml with <mujoco>, or .mjb)", operand);
}

void file_list_free(file_list *list) {
  for (size_t i = 0; i < list->count; i++) {
    free(list->file[i].file);
    free(list->file[i].options);
    free(list->file[i].name);
  }
  free(list->file);
  *list = (file_list){0};
}
