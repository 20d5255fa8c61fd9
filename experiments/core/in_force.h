/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The settings with which a solver runs, for queries of a database. */
#ifndef IN_FORCE_H
#define IN_FORCE_H

struct sqlite3;

/* Gives a database in_force(model, solver, settings): the settings with which a solver of that name
 * runs on a model of that name, without the members that it does not heed. Those that are not given
 * are the defaults. An SQLite status. */
int in_force_teach(struct sqlite3 *database);

#endif
