/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _GNU_SOURCE /* flock, getline */

#include "journal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "json_file.h"

struct measure_journal {
  FILE *reader; /* its own position; the descriptor below only appends */
  int descriptor;
  char *path, *line;
  size_t line_size, line_number;
};

static int complain(const measure_journal *j, const char *what,
                    char message[MEASURE_MESSAGE_SIZE]) {
  return measure_fail(message, "cannot %s '%.300s': %s", what, j->path, strerror(errno));
}

/* cuts what follows the last newline: a line that was being written when the process died */
static int drop_torn_line(measure_journal *j, char message[MEASURE_MESSAGE_SIZE]) {
  off_t size = lseek(j->descriptor, 0, SEEK_END);
  char last = '\n';
  const off_t whole = size;
  while (size > 0 && pread(j->descriptor, &last, 1, size - 1) == 1 && last != '\n') size--;
  if (size < whole && ftruncate(j->descriptor, size)) return complain(j, "repair", message);
  return 0;
}

static int open_reader(measure_journal *j, char message[MEASURE_MESSAGE_SIZE]) {
  j->reader = fopen(j->path, "re");
  return j->reader ? 0 : complain(j, "read", message);
}

static int open_files(measure_journal *j, char message[MEASURE_MESSAGE_SIZE]) {
  j->descriptor = open(j->path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  struct stat facts;
  if (j->descriptor < 0 || fstat(j->descriptor, &facts)) return complain(j, "open", message);
  // a device may be read for ever
  if (!S_ISREG(facts.st_mode))
    return measure_fail(message, "cannot open '%.300s': it is not a regular file", j->path);
  if (flock(j->descriptor, LOCK_EX | LOCK_NB)) {
    if (errno != EWOULDBLOCK) return complain(j, "lock", message);
    return measure_fail(message, "'%.300s' is in use by another run", j->path);
  }
  return drop_torn_line(j, message) ? -1 : open_reader(j, message);
}

int measure_journal_open(measure_journal **journal, const char *path,
                         char message[MEASURE_MESSAGE_SIZE]) {
  measure_journal *const j = calloc(1, sizeof *j);
  if (j) j->descriptor = -1;
  if (!j || !(j->path = strdup(path))) {
    free(j);
    return measure_fail(message, "out of memory");
  }
  if (open_files(j, message)) {
    measure_journal_close(j);
    return -1;
  }
  *journal = j;
  return 0;
}

void measure_journal_close(measure_journal *j) {
  if (!j) return;
  if (j->reader) fclose(j->reader);
  if (j->descriptor >= 0) close(j->descriptor);
  free(j->line);
  free(j->path);
  free(j);
}

int measure_journal_read(measure_journal *j, json_t **entry, char message[MEASURE_MESSAGE_SIZE]) {
  *entry = NULL;
  const ssize_t length = getline(&j->line, &j->line_size, j->reader);
  if (length < 0) return feof(j->reader) ? 0 : complain(j, "read", message);
  j->line_number++;
  json_error_t error;
  *entry = json_loads(j->line, 0, &error);
  if (*entry) return 0;
  return measure_fail(message, "'%.300s', line %zu is no JSON: %.100s", j->path, j->line_number,
                      error.text);
}

int measure_journal_append(measure_journal *j, const json_t *entry,
                           char message[MEASURE_MESSAGE_SIZE]) {
  char *const text = measure_json_text(entry);
  const size_t length = text ? strlen(text) : 0;
  if (!text) return measure_fail(message, "out of memory");
  // the terminating NUL becomes the newline: one write, one line
  text[length] = '\n';
  const off_t before = lseek(j->descriptor, 0, SEEK_END);
  const ssize_t written = write(j->descriptor, text, length + 1);
  free(text);
  if (written == (ssize_t)length + 1) return 0;
  if (written >= 0) errno = ENOSPC;
  const int status = complain(j, "append to", message);
  if (written > 0 && ftruncate(j->descriptor, before)) return -1; // reopening drops the torn line
  return status;
}

void measure_journal_sync(measure_journal *j) {
  fdatasync(j->descriptor);
}

int measure_journal_clear(measure_journal *j, char message[MEASURE_MESSAGE_SIZE]) {
  rewind(j->reader);
  j->line_number = 0;
  return ftruncate(j->descriptor, 0) ? complain(j, "empty", message) : 0;
}
