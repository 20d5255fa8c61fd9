/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Private to the core: the parts of a study under way. */
#ifndef STUDY_RUN_H
#define STUDY_RUN_H

#include "progress.h"
#include "store.h"
#include "study.h"

enum { STUDY_TABLE_NAME_SIZE = 96 };

/* Which share of how many a process measures; a count of 0: all cells. */
typedef struct study_share {
  size_t number, count; /* 1 <= number <= count */
} study_share;

/* What the command line says beside the study's own options. */
typedef struct study_request {
  const char *folder;
  unsigned long seed;
  bool restart, strict, table, json;
  const char *operand;
  size_t processes, part; /* part < processes: this is a worker, started by another */
  study_share share;
  int argc; /* the command's own words, for processes */
  char **argv;
  const model *m;
  study_racers racers;
  void *settings;
} study_request;

/* A cell of the plan. */
typedef struct study_planned {
  char *name;          /* owned */
  void *what;          /* owned */
  size_t first, count; /* its samples */
} study_planned;

/* Rows of a table; owned. */
typedef struct study_row_list {
  char *row;
  size_t *parent; /* index of the row that each belongs to */
  size_t count, room;
} study_row_list;

struct study_private {
  const study_request *request;
  char failure[MEASURE_MESSAGE_SIZE]; /* the first that was noted; "": none */
  json_t *environment;                /* as it was before measuring; owned */
  json_t *known;                      /* rows by the names of their cells; owned */
  json_t *measured;                   /* rows of the cell that is being run; owned */
  json_t *parts;                      /* of the cell that is being run, by their names; owned */
  const char *parts_cell;
  measure_progress *progress; /* of the cells, where they are run in this process; or NULL */
  bool goes_on;               /* what a cell began is kept by another */
  json_t *texts;              /* of rows; owned */
  json_t *recalled;           /* rows read back, from which those of tables borrow texts; owned */
  json_t *heads;              /* of the cases that were read back; owned */
  measure_store *store;       /* NULL: not opened yet, or not there */
  json_int_t number;          /* of the run in it; 0: none */
  int core;
  bool worker;   /* this is one of several processes, started by another */
  bool waits;    /* the next stage needs cells of shares that do not run */
  int turn;      /* the file by which shares of a machine take turns; -1: not open */
  size_t stages; /* planned */
  size_t cells, room;
  size_t settled;      /* cells that have their samples in table 0 */
  study_planned *cell; /* owned */
  study_row_list rows[STUDY_TABLES_MAX];
  struct case_made *cases; /* the first of those made; owned */
  bool refused;            /* the last that could not be made was: it did not fail */
};

/* The life of a study: measures what is missing, and writes and prints its results. 0; -1 with one
 * line in `message`, SOLVER_REFUSED likewise; 1 when interrupted. */
int study_execute(const study *s, const study_request *request, char *message);

/* study_rows.c: a row into a table, table 0 too. 0, or -1 with one line. */
int study_rows_append(study_run *run, size_t table, const void *row);

/* Notes a failure that nobody waits for: the line in the run's message. -1. */
int study_note_failure(study_run *run);

/* The status, or -1 with its line where a failure was noted. */
int study_noted(study_run *run, int status);

/* Forgets the rows of all tables from `first` on. */
void study_rows_clear(study_run *run, size_t first);

/* study_cells.c: a cell's rows as the database or a process has them, reference taken. False when
 * they are none of this study's. */
bool study_cells_take(study_run *run, const json_t *entry);

/* The entry of a cell that was run: a new reference. */
json_t *study_cells_entry(const study_run *run, const study_planned *cell);

/* Plans a stage: the number of cells it added, or -1 with one line. */
long study_cells_plan(study_run *run, size_t stage);

/* Whether a cell's rows are known. */
bool study_cells_known(const study_run *run, size_t index);

/* Runs a cell in this process. 0, or -1 with one line. */
int study_cells_run(study_run *run, size_t index);

/* Samples of all cells that are planned and known, into table 0. 0, or -1 with one line. */
int study_cells_settle(study_run *run);
void study_cells_free(study_run *run);

/* A cell, and the worker that runs it: indices. */
typedef struct study_turn {
  size_t cell, worker; /* indices */
} study_turn;

/*
 * The cells that are not known, in the order they are run: *count of them, to be
 * freed. Those of a study that times go worker by worker, each with the cells that are its own; a
 * worker takes one race after the other, in an order of its own, so that a slow spell of the
 * machine falls on races that have nothing in common. All other cells go as they are planned, by
 * any worker. NULL with one line.
 */
study_turn *study_order(const study_run *run, size_t workers, size_t *count);

/* study_share.c: the share that a text names, or the environment for "auto"; whether a cell belongs
 * to this process's share. */
int study_share_parse(const char *text, study_share *share, char *message);
bool study_share_has(const study_run *run, size_t cell);

/* Before and after cells are measured: a share waits for its turn. 0; -1 with one line; or 1 when
 * interrupted. */
int study_share_begin(study_run *run);
void study_share_pause(study_run *run);

/* Cells that are not known, of all shares; and takes in those that other shares have. */
size_t study_share_unknown(const study_run *run);
int study_share_take(study_run *run);

/* Writes into the share's database how far it is. */
int study_share_note(study_run *run, bool is_done);

/* Takes in the cells of all shares, between stages: waits for those that measure, and sets `waits`
 * if others do not. Then the end of a share, which says so. As study_share_begin. */
int study_share_meet(study_run *run);
int study_share_end(study_run *run);

/* Puts the cells of all shares in a folder into its database. `commands` receives the words of each
 * study's command, which then finds nothing missing, and `files` the shares' files. */
int study_share_merge(const char *folder, const study *(*find)(const char *name), json_t *commands,
                      json_t *files, char *message);

/* study_work.c: finds out whether this is a worker, or has workers that are there already. 0, or -1
 * with one line, SOLVER_REFUSED likewise. */
int study_work_join(study_run *run);

/* Runs the cells of the plan that are not known, here or by workers, and keeps them. 0; -1 with
 * one line; or 1 when interrupted. */
int study_work(study_run *run);

/* Runs, as a worker, the cells that it is told to. 0, or -1 where nobody leads any more. */
int study_work_serve(study_run *run);

/* study_store.c: opens the database, finds the run or begins one, and takes in what it holds; only
 * looks, where there may be none; keeps a cell, whose reference it takes. Each 0, or -1 with one
 * line. */
int study_store_open(study_run *run);
int study_store_look(study_run *run);
int study_store_take(study_run *run);

/* Fails with one line where the results that --table would show are of another operand. */
int study_store_check_operand(study_run *run);

/* The name of the database: the folder's, or that of a share. */
const char *study_share_database(study_share share, char name[STUDY_TABLE_NAME_SIZE]);

/* Takes in the cells of the same run in another database of the folder, if there is one. */
int study_store_take_from(study_run *run, const char *name);

/* Opens the folder's database for a run of these settings: its number is 0 where there is none. */
int study_store_enter(study_run *run, const char *place, const char *settings, const char *host);
int study_store_keep(study_run *run, json_t *entry);

/* One statement, and the end of several, as measure_store_run and _end do it; whether a table of
 * the study is there, and its name; its rows, to be among this run's; and the values of a cell's
 * rows, or of all of a run's where it is NULL, and behind these what each is within: a new
 * reference, or NULL with one line. */
int study_store_ask(study_run *run, const char *sql, json_t *values, json_t **rows);
int study_store_end(study_run *run, int status);
const char *study_table_name(const study *s, size_t table, char name[STUDY_TABLE_NAME_SIZE]);
bool study_store_keeps(const study *s, size_t table);

/* Derives the tables whose columns say their SQL, and keeps the rows of all. */
int study_store_tables(study_run *run);

/* What a cell has kept is taken in; it is run no more; whether any has kept
 * something; and what has been kept, on the screen. */
int study_parts_begin(study_run *run, const char *cell);
void study_parts_end(study_run *run);
bool study_parts_kept(study_run *run);
int study_parts_show(study_run *run, bool *shown);

/* study_files.c: all tables into the database and the folder of results, so that the run has ended.
 * 0, or -1 with one line. */
int study_write(study_run *run);

/* The results that the folder has of runs which have ended into all tables but that
 * of samples, in place of what they have: of each case the last, or of one run. 0, or -1 with one
 * line. */
int study_recall(study_run *run);
int study_recall_run(study_run *run, json_int_t number);

/* What the files of the study hold, as Markdown. */
void study_reference(const study *s, FILE *stream);

#endif
