/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _GNU_SOURCE
#include "files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct measure_file {
  FILE *stream;
  char *name;      /* as the caller gave it, for messages */
  char *target;    /* where it will appear */
  char *temporary; /* where it is written */
};

enum { TEMPORARY_NAMES_MAX = 1000 };

/* ---- folders --------------------------------------------------------------------------------- */

static int is_folder(const char *path) {
  struct stat facts;
  return stat(path, &facts) == 0 && S_ISDIR(facts.st_mode);
}

bool measure_is_same_file(const char *a, const char *b) {
  struct stat of_a, of_b;
  return a && b && !stat(a, &of_a) && !stat(b, &of_b) && of_a.st_dev == of_b.st_dev &&
         of_a.st_ino == of_b.st_ino;
}

/* Creates each folder along `path`, which is cut and mended at its slashes on the way. */
static int create_along(char *path) {
  for (char *slash = strchr(path + 1, '/');; slash = strchr(slash + 1, '/')) {
    if (slash) *slash = '\0';
    const int failed = mkdir(path, 0777) && !is_folder(path);
    if (failed) return -1;
    if (!slash) return 0;
    *slash = '/';
    // a slash at the end names the folder before it
    if (!slash[1]) return 0;
  }
}

int measure_folder_create(const char *path, char message[MEASURE_MESSAGE_SIZE]) {
  if (!path || !*path) return measure_fail(message, "cannot create a folder without a name");
  char *along = strdup(path);
  if (!along) return measure_fail(message, "cannot create folder '%s': out of memory", path);
  if (create_along(along)) {
    const char *reason = errno == EEXIST ? "there is a file of that name" : strerror(errno);
    if (strcmp(along, path)) {
      measure_message(message, "cannot create folder '%s': '%s': %s", path, along, reason);
    } else {
      measure_message(message, "cannot create folder '%s': %s", path, reason);
    }
    free(along);
    return -1;
  }
  free(along);
  if (access(path, W_OK | X_OK))
    return measure_fail(message, "cannot write in folder '%s': %s", path, strerror(errno));
  return 0;
}

/* ---- files ----------------------------------------------------------------------------------- */

static void free_file(measure_file *file) {
  if (!file) return;
  free(file->name);
  free(file->target);
  free(file->temporary);
  free(file);
}

/* Where the file will appear: what a link points to, so that the link survives. */
static char *resolve(const char *path) {
  char *real = realpath(path, NULL);
  return real ? real : strdup(path);
}

/* Length of the folder part of a path, with its slash; 0 when there is none. */
static size_t folder_length(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? (size_t)(slash - path) + 1 : 0;
}

/* Creates a file of a new hidden name beside the target; the name goes into file->temporary. */
static int create_temporary(measure_file *file) {
  const int folder = (int)folder_length(file->target);
  for (int i = 0; i < TEMPORARY_NAMES_MAX; i++) {
    char *name;
    if (asprintf(&name, "%.*s.%s.%ld-%d.tmp", folder, file->target, file->target + folder,
                 (long)getpid(), i) < 0) {
      errno = ENOMEM;
      return -1;
    }
    const int descriptor = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor >= 0) {
      file->temporary = name;
      return descriptor;
    }
    free(name);
    if (errno != EEXIST) return -1;
  }
  return -1;
}

static int open_stream(measure_file *file) {
  const int descriptor = create_temporary(file);
  if (descriptor < 0) return -1;
  file->stream = fdopen(descriptor, "w");
  if (file->stream) return 0;
  close(descriptor);
  unlink(file->temporary);
  return -1;
}

/* Whether what is there already may be replaced. Links like /dev/stdout are not followed: whatever
 * they lead to is open elsewhere. */
static int is_replaceable(const char *path) {
  struct stat facts;
  const int of_system = !strncmp(path, "/dev/", 5) || !strncmp(path, "/proc/", 6);
  const int failed = of_system ? lstat(path, &facts) : stat(path, &facts);
  return failed || S_ISREG(facts.st_mode);
}

int measure_file_open(measure_file **file, const char *path, char message[MEASURE_MESSAGE_SIZE]) {
  *file = NULL;
  if (!is_replaceable(path))
    return measure_fail(message, "cannot write '%s': it is not a regular file", path);
  measure_file *opened = calloc(1, sizeof *opened);
  if (opened) {
    opened->name = strdup(path);
    opened->target = resolve(path);
  }
  errno = ENOMEM;
  if (!opened || !opened->name || !opened->target || open_stream(opened)) {
    measure_message(message, "cannot write '%s': %s", path, strerror(errno));
    free_file(opened);
    return -1;
  }
  *file = opened;
  return 0;
}

FILE *measure_file_stream(measure_file *file) {
  return file->stream;
}

/* Flushes and syncs; a write that failed earlier fails here. */
static int finish_stream(measure_file *file) {
  const int failed_before = ferror(file->stream);
  // what is written no more would say why
  if (failed_before) fputc('\n', file->stream);
  errno = failed_before ? EIO : 0;
  const int failed = fflush(file->stream) || failed_before || fsync(fileno(file->stream));
  const int reason = errno;
  const int not_closed = fclose(file->stream);
  file->stream = NULL;
  if (failed) errno = reason;
  return failed || not_closed ? -1 : 0;
}

/* Makes the rename itself durable; file systems that cannot sync a folder are taken as they are. */
static int sync_folder(const measure_file *file) {
  const size_t length = folder_length(file->target);
  char *folder = length ? strndup(file->target, length) : strdup(".");
  if (!folder) return -1;
  const int descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  free(folder);
  // a folder that may be written but not read cannot be opened; the file is in place all the same
  if (descriptor < 0) return errno == EACCES ? 0 : -1;
  const int failed = fsync(descriptor) && errno != EINVAL && errno != ENOTSUP;
  const int reason = errno;
  close(descriptor);
  errno = reason;
  return failed ? -1 : 0;
}

int measure_file_commit(measure_file *file, char message[MEASURE_MESSAGE_SIZE]) {
  int failed = finish_stream(file) || rename(file->temporary, file->target);
  if (failed) {
    measure_message(message, "cannot write '%s': %s; an earlier file is untouched", file->name,
                    strerror(errno));
    unlink(file->temporary);
  } else if (sync_folder(file)) {
    measure_message(message, "cannot sync the folder of '%s': %s", file->name, strerror(errno));
    failed = 1;
  }
  free_file(file);
  return failed ? -1 : 0;
}

void measure_file_discard(measure_file *file) {
  if (!file) return;
  if (file->stream) fclose(file->stream);
  unlink(file->temporary);
  free_file(file);
}
