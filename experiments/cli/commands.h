/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of commands. */
#ifndef COMMANDS_H
#define COMMANDS_H

#include "command.h"

extern const command run_command, derivative_command, xml_command, figures_command,
    counters_command, bench_command, regress_command, regress_time_command, baseline_command,
    compare_command, schema_command, columns_command, completion_command, man_command,
    orbit_command;

/* The command at a place of the help, from 0 on: those of one title together. False behind the
 * last.
 */
bool command_at(size_t index, command *out);

/* False when there is none of that name. */
bool command_find(const char *name, command *out);

/* Where one of the words is a flag that makes the command another one, it is that one, and the word
 * is taken out. */
void command_by_flag(command *chosen, int *argc, char **argv);

#endif
