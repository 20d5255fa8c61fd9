/*
 * A study as a command.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef STUDY_COMMAND_H
#define STUDY_COMMAND_H

#include "command.h"
#include "study.h"

command study_command(const study *s);

#endif
