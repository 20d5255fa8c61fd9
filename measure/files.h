/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Derived files, written whole or not at all: into a temporary file in the same folder, synced to
 * the disk, then renamed over the target. A full disk, a crash or a kill leaves the earlier file as
 * it was. */
#ifndef MEASURE_FILES_H
#define MEASURE_FILES_H

#include <stdbool.h>
#include <stdio.h>

#include "measure.h"

/* Creates a folder and those above it where missing, and makes sure files can be created in it.
 * Returns 0, or -1 with one line. */
int measure_folder_create(const char *path, char message[MEASURE_MESSAGE_SIZE]);

/* Whether both paths lead to the same file; false where one leads nowhere, or is NULL. */
bool measure_is_same_file(const char *a, const char *b);

/* A file being written, not yet visible under its name. */
typedef struct measure_file measure_file;

/*
 * Begins a file at `path`, whose folder must exist. A symbolic link is followed; a target that is
 * no regular file (a device, a folder) is refused. Returns 0 with a *file that ends with either
 * commit or discard, or -1 with one line.
 */
int measure_file_open(measure_file **file, const char *path, char message[MEASURE_MESSAGE_SIZE]);

/* The stream to write to: the file's, never closed by the caller. */
FILE *measure_file_stream(measure_file *file);

/* Makes the file appear under its name with all that was written, and frees `file`. Returns 0, or
 * -1 with one line when any write failed; the earlier file is then untouched and no trace is left.
 */
int measure_file_commit(measure_file *file, char message[MEASURE_MESSAGE_SIZE]);

/* Drops the file and frees `file`; NULL is accepted. */
void measure_file_discard(measure_file *file);

#endif
