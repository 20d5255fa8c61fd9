/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Workers: processes of the same command on this machine, each at the end of a socket; or ranks of
 * MPI, by a module that is loaded. */
#include <dlfcn.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "process.h"
#include "work.h"

extern char **environ;

/* the other end of a socket */
typedef struct peer {
  int socket; /* to tell by */
  FILE *said; /* what it says */
  bool ended;
} peer;

typedef struct channel {
  work_channel base;
  pid_t *child; /* of each peer, where this is the one who leads; owned */
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
  const int out = ((channel *)base)->peers[index].socket;
  return write_all(out, line, strlen(line)) || write_all(out, "\n", 1) ? -1 : 0;
}

/* the next line of a peer, or that there is no more */
static int listen_to(peer *p, char **line) {
  size_t size = 0;
  *line = NULL;
  for (;;) {
    const ssize_t length = getline(line, &size, p->said);
    if (length > 0 && (*line)[length - 1] == '\n') return WORK_HEARD;
    if (length >= 0 || errno != EINTR) break;
    clearerr(p->said);
  }
  free(*line);
  *line = NULL;
  p->ended = true;
  return WORK_LOST;
}

/* a worker says one line to each cell it is told to run: none waits in a buffer beside the socket
 */
static int hear(work_channel *base, size_t *index, char **line) {
  channel *const c = (channel *)base;
  struct pollfd looked[base->count];
  *index = 0;
  if (base->count == 1) return listen_to(c->peers, line);
  for (;;) {
    for (size_t i = 0; i < base->count; i++)
      looked[i] =
          (struct pollfd){.fd = c->peers[i].ended ? -1 : c->peers[i].socket, .events = POLLIN};
    if (poll(looked, base->count, -1) < 0) continue;
    for (*index = 0; *index < base->count; ++*index)
      if (looked[*index].revents) return listen_to(&c->peers[*index], line);
  }
}

/* ---- who is led ------------------------------------------------------------------------------ */

static void close_lead(work_channel *base) {
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
  c->peers[0] = (peer){.socket = STDOUT_FILENO, .said = stdin};
  return &c->base;
}

/* ---- who leads ------------------------------------------------------------------------------- */

static void hurry(work_channel *base) {
  const channel *const c = (const channel *)base;
  for (size_t i = 0; i < base->count; i++)
    if (!c->peers[i].ended) kill(c->child[i], SIGTERM);
}

/* each ends when there is nothing more to hear */
static void close_all(work_channel *base) {
  channel *const c = (channel *)base;
  for (size_t i = 0; i < base->count; i++) shutdown(c->peers[i].socket, SHUT_WR);
  for (size_t i = 0; i < base->count; i++) {
    process_wait(c->child[i]);
    fclose(c->peers[i].said);
  }
  interrupts_pass_on(NULL, 0);
  free(c->child);
  free(c);
}

/* 0, or an error number */
static int spawn(char **argv, int socket, pid_t *child) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, socket, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, socket, STDOUT_FILENO);
  fflush(stdout);
  const int error = posix_spawn(child, "/proc/self/exe", &actions, NULL, argv, environ);
  posix_spawn_file_actions_destroy(&actions);
  return error;
}

/* 0, or -1 with errno */
static int start(char **argv, peer *p, pid_t *child) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends)) return -1;
  *p = (peer){.socket = ends[0], .said = fdopen(ends[0], "r")};
  const int error = p->said ? spawn(argv, ends[1], child) : errno;
  close(ends[1]);
  if (!error) return 0;
  if (p->said)
    fclose(p->said);
  else
    close(ends[0]);
  errno = error;
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
    status = start(argv, &c->peers[i], &c->child[i]);
    c->base.count += !status;
  }
  free(argv);
  return status;
}

work_channel *work_processes_start(const char *command, int argc, char **argv, size_t count,
                                   char message[MEASURE_MESSAGE_SIZE]) {
  channel *const c = calloc(1, sizeof *c + count * sizeof *c->peers);
  if (c) c->child = calloc(count, sizeof *c->child);
  if (!c || !c->child) {
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
  interrupts_pass_on(c->child, count);
  return &c->base;
}

/* ---- ranks of MPI ---------------------------------------------------------------------------- */

#ifdef ESSBENCH_MPI
/* it stays loaded: MPI is begun once in a program's life */
work_channel *work_ranks_join(bool quiet, char message[MEASURE_MESSAGE_SIZE]) {
  char path[RECORD_PATH_SIZE];
  void *const library =
      dlopen(place_of("lib/essbench/essbench_mpi.so", ESSBENCH_MPI, path), RTLD_NOW | RTLD_GLOBAL);
  const work_module *const module = library ? dlsym(library, "mpi_work_module") : NULL;
  work_channel *const c = module ? module->begin(quiet) : NULL;
  if (!module)
    measure_message(message, "cannot load MPI: %s", dlerror());
  else if (!c)
    measure_message(message, "cannot begin MPI");
  else
    ranks_speak();
  return c;
}
#else
work_channel *work_ranks_join(bool quiet, char message[MEASURE_MESSAGE_SIZE]) {
  (void)quiet;
  measure_message(message, "this essbench was built without MPI; run it without mpirun, or "
                           "configure it again with libopenmpi-dev installed");
  return NULL;
}
#endif
