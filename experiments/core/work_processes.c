/*
 * Workers that are processes of the same command on this machine, each at the ends of two pipes.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "interrupts.h"
#include "work.h"

extern char **environ;

/* the other end of two pipes */
typedef struct peer {
  pid_t child; /* 0: the one who leads */
  int in, out; /* -1 once it has ended */
  char *text;  /* of what it says, what was not given out yet; owned */
  size_t length, room;
} peer;

typedef struct channel {
  work_channel base;
  pid_t *children; /* owned */
  peer peers[];
} channel;

/* ---- lines ----------------------------------------------------------------------------------- */

static int write_all(int out, const char *text, size_t length) {
  while (length) {
    const ssize_t written = write(out, text, length);
    if (written < 0 && errno != EINTR) return -1;
    if (written < 0) continue;
    text += written;
    length -= (size_t)written;
  }
  return 0;
}

static int tell(work_channel *base, size_t index, const char *line) {
  const int out = ((channel *)base)->peers[index].out;
  return write_all(out, line, strlen(line)) || write_all(out, "\n", 1) ? -1 : 0;
}

/* the first whole line, taken out of the text; false when there is none */
static bool take_line(peer *p, char **line) {
  char *const end = p->length ? memchr(p->text, '\n', p->length) : NULL;
  if (!end) return false;
  *line = strndup(p->text, (size_t)(end - p->text));
  p->length -= (size_t)(end + 1 - p->text);
  memmove(p->text, end + 1, p->length);
  return true;
}

/* what the peer has said by now: WORK_HEARD, or WORK_LOST when there is no more */
static int listen_to(peer *p) {
  enum { CHUNK = 1 << 16 };
  if (p->room < p->length + CHUNK) {
    char *const text = realloc(p->text, p->length + CHUNK);
    if (!text) return WORK_FAILED;
    p->text = text;
    p->room = p->length + CHUNK;
  }
  const ssize_t got = read(p->in, p->text + p->length, CHUNK);
  if (got < 0 && errno == EINTR) return WORK_HEARD;
  if (got <= 0) {
    close(p->in);
    p->in = -1;
    return WORK_LOST;
  }
  p->length += (size_t)got;
  return WORK_HEARD;
}

static int hear(work_channel *base, size_t *index, char **line) {
  channel *const c = (channel *)base;
  struct pollfd looked[base->count];
  for (;;) {
    for (*index = 0; *index < base->count; ++*index) {
      if (take_line(&c->peers[*index], line)) return *line ? WORK_HEARD : WORK_FAILED;
      looked[*index] = (struct pollfd){.fd = c->peers[*index].in, .events = POLLIN};
    }
    if (poll(looked, base->count, -1) < 0) continue;
    for (*index = 0; *index < base->count; ++*index) {
      const int status = looked[*index].revents ? listen_to(&c->peers[*index]) : WORK_HEARD;
      if (status) return status;
    }
  }
}

/* ---- who is led ------------------------------------------------------------------------------ */

static void close_lead(work_channel *base) {
  free(((channel *)base)->peers[0].text);
  free(base);
}

work_channel *work_processes_join(char message[MEASURE_MESSAGE_SIZE]) {
  channel *const c = calloc(1, sizeof *c + sizeof *c->peers);
  if (!c) {
    measure_message(message, "out of memory");
    return NULL;
  }
  // a process does not outlive the study it is of
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  c->base = (work_channel){.count = 1, .tell = tell, .hear = hear, .close = close_lead};
  c->peers[0] = (peer){.in = STDIN_FILENO, .out = STDOUT_FILENO};
  return &c->base;
}

/* ---- who leads ------------------------------------------------------------------------------- */

static void hurry(work_channel *base) {
  const channel *const c = (const channel *)base;
  for (size_t i = 0; i < base->count; i++)
    if (c->peers[i].in >= 0) kill(c->peers[i].child, SIGTERM);
}

/* each ends when there is nothing more to hear */
static void close_all(work_channel *base) {
  channel *const c = (channel *)base;
  for (size_t i = 0; i < base->count; i++) close(c->peers[i].out);
  for (size_t i = 0; i < base->count; i++) {
    while (waitpid(c->peers[i].child, NULL, 0) < 0 && errno == EINTR) {
    }
    if (c->peers[i].in >= 0) close(c->peers[i].in);
    free(c->peers[i].text);
  }
  interrupts_pass_on(NULL, 0);
  free(c->children);
  free(c);
}

/* the ends of a pipe that no other process gets */
static int private_pipe(int ends[2]) {
  return pipe2(ends, O_CLOEXEC);
}

static int spawn(char **argv, int in, int out, pid_t *child) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, in, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
  fflush(stdout);
  errno = posix_spawn(child, "/proc/self/exe", &actions, NULL, argv, environ);
  const int failed = errno;
  posix_spawn_file_actions_destroy(&actions);
  errno = failed;
  return failed ? -1 : 0;
}

/* 0, or -1 with errno */
static int start(char **argv, peer *p) {
  int there[2], back[2];
  if (private_pipe(there)) return -1;
  if (private_pipe(back)) {
    close(there[0]);
    close(there[1]);
    return -1;
  }
  const int status = spawn(argv, there[0], back[1], &p->child);
  close(there[0]);
  close(back[1]);
  p->in = back[0];
  p->out = there[1];
  if (!status) return 0;
  close(p->in);
  close(p->out);
  return -1;
}

/* the same command with --part, count times; those that have started are in the channel's count */
static int start_all(channel *c, const char *command, int argc, char **given, size_t count) {
  char option[32];
  char **const argv = calloc((size_t)argc + 3, sizeof *argv);
  int status = argv ? 0 : -1;
  for (size_t i = 0; !status && i < count; i++) {
    snprintf(option, sizeof option, "--part=%zu", i);
    argv[0] = "essbench";
    argv[1] = (char *)(uintptr_t)command;
    for (int k = 1; k < argc; k++) argv[k + 1] = given[k];
    argv[argc + 1] = option;
    status = start(argv, &c->peers[i]);
    if (status) break;
    c->children[c->base.count++] = c->peers[i].child;
  }
  free(argv);
  return status;
}

work_channel *work_processes_start(const char *command, int argc, char **argv, size_t count,
                                   char message[MEASURE_MESSAGE_SIZE]) {
  channel *const c = calloc(1, sizeof *c + count * sizeof *c->peers);
  if (c) c->children = calloc(count, sizeof *c->children);
  if (!c || !c->children) {
    free(c);
    measure_message(message, "out of memory");
    return NULL;
  }
  c->base = (work_channel){.tell = tell, .hear = hear, .hurry = hurry, .close = close_all};
  if (start_all(c, command, argc, argv, count)) {
    measure_message(message, "cannot start a process: %s", strerror(errno));
    close_all(&c->base);
    return NULL;
  }
  interrupts_pass_on(c->children, count);
  return &c->base;
}
