/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The models that a folder holds, or that a file lists, each with a class and options of its own.
 */
#ifndef FILE_LIST_H
#define FILE_LIST_H

#include <stddef.h>

/* What a model may be, the last NULL. */
extern const char *const file_classes[];

/* A model of the list; texts are owned. */
typedef struct listed_file {
  const char *class; /* one of those above; "": the list does not say */
  char *listed;      /* as the list has it */
  char *file;        /* where it is */
  char *options;     /* of the command that it is for; "" */
  char *name;   /* as much of its path as tells it from the others: "ant", "go2", "hand/reach" */
  char *folder; /* of its results */
} listed_file;

typedef struct file_list {
  size_t count, room;
  listed_file *file;
} file_list;

/* Reads a folder, or a list, whose files are in the folder `in` unless that is NULL. 0, or a
 * solver_status with one line. Free with file_list_free, also behind a failure. */
int file_list_read(file_list *list, const char *operand, const char *in, char *message);
void file_list_free(file_list *list);

#endif
