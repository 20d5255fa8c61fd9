/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The models that a folder holds, or that a file lists, each with options of its own. */
#ifndef FILE_LIST_H
#define FILE_LIST_H

#include <stddef.h>

/* A model of the list; texts are owned. */
typedef struct listed_file {
  char *file;
  char *options; /* of the command that it is for; "" */
  char *name;    /* of its folder of results */
} listed_file;

typedef struct file_list {
  size_t count, room;
  listed_file *file;
} file_list;

/* 0, or a solver_status with one line. Free with file_list_free, also behind a failure. */
int file_list_read(file_list *list, const char *operand, char *message);
void file_list_free(file_list *list);

#endif
