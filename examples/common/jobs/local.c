/* Workers that are processes of this machine: forked, with a socket for each. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "transport.h"

enum { PATIENCE_MS = 1000, MICROSECONDS = 1000, PAUSES = 20 /* in a millisecond */ };

/* In the new process. Of a coordinator that dies its workers die too. */
static void become_worker(struct transport *t, unsigned number, int socket) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  for (unsigned i = 0; i < t->count; i++)
    if (t->peers[i].there) close(t->peers[i].socket);
  t->life.live(t->life.user, number, socket);
  _exit(0);
}

static bool begin(struct transport *t, unsigned number) {
  struct peer *peer = &t->peers[number];
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return false;
  fflush(stdout);
  fflush(stderr);
  const pid_t process = fork();
  if (process == 0) {
    close(ends[0]);
    become_worker(t, number, ends[1]);
  }
  close(ends[1]);
  if (process < 0) {
    close(ends[0]);
    return false;
  }
  fcntl(ends[0], F_SETFL, O_NONBLOCK);
  *peer = (struct peer){.there = true, .process = process, .socket = ends[0]};
  return true;
}

/* What there is no room for is sent later: a worker that waits for room itself reads nothing. */
static void send_some(struct transport *t, unsigned number, struct wire *out) {
  struct peer *peer = &t->peers[number];
  peer->full =
      peer->there && !wire_write(out, peer->socket) && (errno == EAGAIN || errno == EWOULDBLOCK);
  if (!peer->full) out->size = out->at = 0;
}

static void wait_for_any(struct transport *t, int milliseconds) {
  struct pollfd sockets[JOBS_MOST];
  for (unsigned i = 0; i < t->count; i++) {
    const struct peer *peer = &t->peers[i];
    const short events = peer->full ? POLLIN | POLLOUT : POLLIN;
    sockets[i] = (struct pollfd){.fd = peer->there ? peer->socket : -1, .events = events};
  }
  poll(sockets, t->count, milliseconds);
}

static enum heard receive(struct transport *t, unsigned number, struct wire *in) {
  if (!t->peers[number].there) return HEARD_NOTHING;
  const long got = wire_read(in, t->peers[number].socket);
  if (got > 0) return HEARD_BYTES;
  t->peers[number].over = got == 0 || (errno != EAGAIN && errno != EWOULDBLOCK);
  return t->peers[number].over ? HEARD_END : HEARD_NOTHING;
}

static void interrupt(struct transport *t, unsigned number) {
  if (t->peers[number].there) kill(t->peers[number].process, SIGTERM);
}

static bool has_ended(pid_t process) {
  siginfo_t information = {.si_pid = 0};
  return waitid(P_PID, (id_t)process, &information, WEXITED | WNOHANG | WNOWAIT) != 0 ||
         information.si_pid != 0;
}

static void end(struct transport *t, unsigned number) {
  const struct timespec pause = {0, MICROSECONDS * 1000 / PAUSES};
  struct peer *peer = &t->peers[number];
  if (!peer->there) return;
  /* One that ends by itself waits for its own children, so that their time is counted. */
  for (int i = 0; peer->over && i < PATIENCE_MS * PAUSES && !has_ended(peer->process); i++)
    nanosleep(&pause, NULL);
  kill(peer->process, SIGKILL);
  while (waitpid(peer->process, NULL, 0) < 0 && errno == EINTR)
    continue;
  close(peer->socket);
  peer->there = false;
}

const struct transport_kind transport_local = {begin,   send_some, wait_for_any,
                                               receive, interrupt, end};
