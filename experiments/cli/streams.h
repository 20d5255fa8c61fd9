/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The standard streams of the program, which may be closed, full, or a pipe that nobody reads. */
#ifndef STREAMS_H
#define STREAMS_H

/* Before anything else: puts something in the place of a stream the caller closed, so that no file
 * opened later takes it, and lets writes that cannot succeed fail instead of ending the program. */
void streams_open(void);

/* At the end: whether all that was printed has arrived. Returns `status`, or after a success whose
 * output was lost COMMAND_FAILURE, with one line. */
int streams_close(int status);

#endif
