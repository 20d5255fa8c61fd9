/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "file_list.h"

#include "measure.h"
#include "solver.h"

/* how deep a folder is looked through, and how many models there may be */
enum { DEPTH_MAX = 8, MODELS_MAX = 10000, PATH_SIZE = 1024 };

static int fail_at(char *message, const char *path) {
  return SOLVER_FAIL(message, "%.300s: %s", path, strerror(errno));
}

const char *const file_classes[] = {"legged", "arm", "other", NULL};

static int add(file_list *list, const char *class, const char *in, const char *listed,
               const char *options, char *message) {
  char file[PATH_SIZE];
  if (list->count == MODELS_MAX)
    return SOLVER_REFUSE(message, "more than %d models; shorter lists are accepted", MODELS_MAX);
  listed_file *const grown = measure_grow(list->file, &list->room, list->count, sizeof *grown);
  if (!grown) return SOLVER_FAIL(message, "out of memory");
  list->file = grown;
  const bool within = in && *listed != '/';
  snprintf(file, sizeof file, "%s%s%s", within ? in : "", within ? "/" : "", listed);
  listed_file *const m = &list->file[list->count++];
  *m = (listed_file){
      .class = class, .listed = strdup(listed), .file = strdup(file), .options = strdup(options)};
  return m->listed && m->file && m->options ? 0 : SOLVER_FAIL(message, "out of memory");
}

/* ---- names ----------------------------------------------------------------------------------- */

/* A name is a part of a path, up to an end that is left out. */
typedef struct part {
  const char *from, *end;
} part;

/* with the folder that it is in; as it is where there is none */
static part with_folder(const char *path, part p) {
  if (p.from <= path + 1) return p;
  const char *from = p.from - 1;
  while (from > path && from[-1] != '/') from--;
  return (part){from, p.end};
}

/* "a/b/ant.xml" is "ant"; but "a/go2/scene.xml", "scene_flat.xml" or "robot.xml" is "go2" */
static part shortest(const char *path) {
  const char *const slash = strrchr(path, '/'), *const last = slash ? slash + 1 : path;
  const char *const dot = strrchr(last, '.');
  const part p = {last, dot && dot > last ? dot : last + strlen(last)};
  const bool is_common = strncmp(last, "scene.", 6) == 0 || strncmp(last, "scene_", 6) == 0 ||
                         strncmp(last, "robot.", 6) == 0;
  return is_common && slash > path ? (part){with_folder(path, p).from, slash} : p;
}

static bool is_alike(part a, part b) {
  const size_t length = (size_t)(a.end - a.from);
  return length == (size_t)(b.end - b.from) && strncmp(a.from, b.from, length) == 0;
}

/* of all that are called alike each gets a folder more, as long as there are any */
static bool part_names(const file_list *list, part name[]) {
  bool alike[list->count], any = false;
  for (size_t i = 0; i < list->count; i++) {
    alike[i] = false;
    for (size_t k = 0; k < list->count && !alike[i]; k++)
      alike[i] = k != i && is_alike(name[i], name[k]);
  }
  for (size_t i = 0; i < list->count; i++) {
    const part more = alike[i] ? with_folder(list->file[i].listed, name[i]) : name[i];
    any = any || more.from != name[i].from;
    name[i] = more;
  }
  return any;
}

/* and folders of results, behind a number, as a list may have a file twice */
static int name_all(file_list *list, char *message) {
  part *const name = calloc(list->count + 1, sizeof *name);
  if (!name) return SOLVER_FAIL(message, "out of memory");
  for (size_t i = 0; i < list->count; i++) name[i] = shortest(list->file[i].listed);
  while (part_names(list, name)) continue;
  int status = 0;
  for (size_t i = 0; i < list->count; i++) {
    listed_file *const m = &list->file[i];
    char folder[96];
    m->name = strndup(name[i].from, (size_t)(name[i].end - name[i].from));
    snprintf(folder, sizeof folder, "%02zu-%.64s", i + 1, m->name ? m->name : "");
    for (char *at = folder; *at; at++)
      if (*at == '/') *at = '-';
    m->folder = strdup(folder);
    if (!m->name || !m->folder) status = SOLVER_FAIL(message, "out of memory");
  }
  free(name);
  return status;
}

/* ---- a file ---------------------------------------------------------------------------------- */

/* Where a line's first word is of letters alone, and more follows, it is a class: *class is it, and
 * *line behind it. */
static int take_class(const char *path, size_t number, char **line, const char **class,
                      char *message) {
  const size_t length = strspn(*line, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ");
  char *const rest = *line + length + strspn(*line + length, " \t");
  *class = "";
  for (size_t i = 0; !*rest && file_classes[i]; i++)
    if (strcmp(file_classes[i], *line) == 0)
      return SOLVER_REFUSE(message, "%.300s, line %zu: %s is followed by no file", path, number,
                           file_classes[i]);
  if (!length || rest == *line + length || !*rest || !strncmp(rest, "--", 2)) return 0;
  for (size_t i = 0; file_classes[i]; i++)
    if (strlen(file_classes[i]) == length && !strncmp(*line, file_classes[i], length))
      *class = file_classes[i];
  if (!**class)
    return SOLVER_REFUSE(message,
                         "%.300s, line %zu: %.*s is no class; legged, arm and other are accepted "
                         "(if it is a file: ./%.60s)",
                         path, number, (int)(length < 60 ? length : 60), *line, *line);
  *line = rest;
  return 0;
}

/* "CLASS FILE --option ..." in a line, of which the class may be absent; empty ones, and what is
 * behind #, are nothing */
static int add_line(file_list *list, const char *path, size_t number, const char *in, char *line,
                    char *message) {
  const char *class;
  line += strspn(line, " \t");
  char *end = line + strcspn(line, "\r\n");
  if (*line == '#') end = line;
  while (end > line && (end[-1] == ' ' || end[-1] == '\t')) end--;
  *end = '\0';
  if (!*line) return 0;
  const int status = take_class(path, number, &line, &class, message);
  if (status) return status;
  char *const options = strstr(line, " --");
  if (options) *options = '\0';
  end = line + strlen(line);
  while (end > line && (end[-1] == ' ' || end[-1] == '\t')) *--end = '\0';
  const int added = add(list, class, in, line, options ? options + 1 : "", message);
  if (added || access(list->file[list->count - 1].file, R_OK) == 0) return added;
  return SOLVER_FAIL(message, "%.150s, line %zu: %.200s: %s", path, number,
                     list->file[list->count - 1].file, strerror(errno));
}

static int read_file(file_list *list, const char *path, const char *in, char *message) {
  FILE *const file = fopen(path, "r");
  if (!file) return fail_at(message, path);
  char *line = NULL;
  size_t size = 0, number = 0;
  int status = 0;
  while (!status && getline(&line, &size, file) >= 0) {
    if (*line == '<')
      status = SOLVER_REFUSE(message,
                             "%.300s is a model; a folder of models is accepted, or a list with "
                             "a file in each line (for one model: essbench robot)",
                             path);
    else
      status = add_line(list, path, ++number, in, line, message);
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
        status = add(list, "", NULL, file, "", message);
    }
    free(entries[i]);
  }
  if (count >= 0) free(entries);
  return status;
}

int file_list_read(file_list *list, const char *operand, const char *in, char *message) {
  struct stat info;
  if (in && (stat(in, &info) || !S_ISDIR(info.st_mode)))
    return SOLVER_REFUSE(message, "--folder %.300s is no folder; that of the list's files is", in);
  if (stat(operand, &info)) return fail_at(message, operand);
  const folder top = {NULL, info.st_dev, info.st_ino};
  if (in && S_ISDIR(info.st_mode))
    return SOLVER_REFUSE(message, "--folder is where a list's files are; %.300s is no list",
                         operand);
  const int status = S_ISDIR(info.st_mode) ? scan(list, operand, &top, 0, message)
                                           : read_file(list, operand, in, message);
  if (status) return status;
  if (list->count) return name_all(list, message);
  return SOLVER_FAIL(message, "%.300s names no model (.xml with <mujoco>, or .mjb)", operand);
}

void file_list_free(file_list *list) {
  for (size_t i = 0; i < list->count; i++) {
    free(list->file[i].listed);
    free(list->file[i].file);
    free(list->file[i].options);
    free(list->file[i].name);
    free(list->file[i].folder);
  }
  free(list->file);
  *list = (file_list){0};
}
