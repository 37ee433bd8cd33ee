/*
 * What a program sees of the system: open files and what stands behind them. A descriptor is a
 * number for an open file; behind that stand bytes of a file (tree.h), pipes and sockets
 * (channels.h, sockets.h), counters, or others' readiness (polls.h).
 */
#ifndef DESCRIPTORS_H
#define DESCRIPTORS_H

#include "library.h"

#include <sys/types.h>

enum { FILES_MAX = 256, STANDARD = 3 };

struct channel;
struct gate;
struct listener;
struct node;
struct waiting;

enum open_kind {
  OPEN_DROPS, /* what is written goes nowhere, and nothing can be read */
  OPEN_INPUT, /* the standard input */
  OPEN_FILE,
  OPEN_CHANNEL, /* a pipe, a socket, a counter */
  OPEN_SOCKET,  /* one that is not connected */
  OPEN_LISTENER,
  OPEN_POLL
};

struct open_file {
  enum open_kind kind;
  int references; /* protected by the lock of the table, as `flags` */
  int flags;      /* of open() */
  bool reads, writes;
  off_t offset; /* protected by the lock of its address */
  struct node *node;
  struct channel *in, *out;
  struct listener *listener;
  struct waiting *waiting;
  int family, port; /* of a socket; the port it is bound to */
};

/* -1, with errno. */
int __env_fail(int error);
/* The open file of a number; NULL: none, and errno says so. */
struct open_file *__env_file(int number);
/* What a write to where nobody will read comes to: -1 and EPIPE, behind SIGPIPE if it `signals`. */
int __env_broken(bool signals);
struct open_file *__env_new(enum open_kind kind, int flags);
/* The lowest free number for it; -1 with errno. */
int __env_number(struct open_file *file, bool closes_on_exec);
void __env_table_lock(void);
void __env_table_unlock(void);
/* Whether what is written there goes nowhere. */
bool __env_drops(int number);
void __env_drop_bytes(const void *from, size_t size);
bool __env_blocks(const struct open_file *file);
/* The gates of what it reads from and writes to; NULL: it never waits. */
struct gate *__env_gate(const struct open_file *file, bool writing);

#endif
