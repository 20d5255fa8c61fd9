/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "streams.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "command.h"

/* room for the longest help: a write that fails then fails in streams_close, which says why */
enum { OUTPUT_SIZE = 65536 };

void streams_open(void) {
  setvbuf(stdout, NULL, _IOFBF, OUTPUT_SIZE);
  // opened the wrong way round: what is read or written there fails, as the caller asked for
  for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; stream++)
    if (fcntl(stream, F_GETFD) < 0)
      (void)!open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY);
  signal(SIGPIPE, SIG_IGN);
  signal(SIGXFSZ, SIG_IGN);
}

/* whoever read it has left, as `head` does: that is no failure to tell of */
static bool reader_has_left(void) {
  struct pollfd out = {.fd = STDOUT_FILENO, .events = POLLOUT};
  return poll(&out, 1, 0) == 1 && out.revents & POLLERR;
}

int streams_close(int status) {
  errno = 0;
  const bool unwritten = fflush(stdout) != 0, lost = unwritten || ferror(stdout) != 0;
  if (!lost || status != COMMAND_SUCCESS) return status;
  const int why = errno;
  if (reader_has_left()) return COMMAND_FAILURE;
  fprintf(stderr, "essbench: cannot write to the standard output%s%s\n", why ? ": " : "",
          why ? strerror(why) : "");
  return COMMAND_FAILURE;
}
