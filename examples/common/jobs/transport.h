/*
 * How a coordinator reaches its workers: processes of this machine, over sockets (local.c), or over
 * those of other machines that MPI began (mpi.c). A worker itself has a socket in either case.
 */
#ifndef COMMON_JOBS_TRANSPORT_H
#define COMMON_JOBS_TRANSPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "options.h"
#include "wire.h"

/* The life of a worker, in a process of its own; its end of the socket reads and writes. */
struct worker_life {
  void (*live)(void *user, unsigned number, int socket);
  /* Of a worker on another machine: what the coordinator knows that it has to know, in front of its
   * life; NULL: nothing. False: no memory. */
  bool (*pack)(void *user, struct wire *known);
  bool (*unpack)(void *user, const char *bytes, size_t size);
  void *user;
};

enum heard { HEARD_NOTHING, HEARD_BYTES, HEARD_END };

struct transport {
  const struct transport_kind *kind;
  struct worker_life life;
  unsigned count;
  struct peer {
    bool there;
    bool full; /* not all could be sent */
    bool over; /* it has closed its end */
    pid_t process;
    int socket;
  } peers[JOBS_MOST];
};

struct transport_kind {
  /* Begins a worker. */
  bool (*begin)(struct transport *t, unsigned number);
  /* Sends what there is room for, and empties that; called again for the rest. What is sent to one
   * that died is lost, which is heard. */
  void (*send)(struct transport *t, unsigned number, struct wire *out);
  /* Until something came, or so many milliseconds. */
  void (*wait)(struct transport *t, int milliseconds);
  /* Takes what came of one. HEARD_END: it is gone, and nothing comes any more. */
  enum heard (*receive)(struct transport *t, unsigned number, struct wire *in);
  /* Has one stop what it is at, if it can. */
  void (*interrupt)(struct transport *t, unsigned number);
  /* Ends one, if it still is there. */
  void (*end)(struct transport *t, unsigned number);
};

extern const struct transport_kind transport_local;

#endif
