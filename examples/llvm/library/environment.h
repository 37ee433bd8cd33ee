/*
 * What a program sees of the system: open files and what stands behind them. A descriptor is a
 * number for an open file; behind that stand bytes of a file (tree.c), pipes and sockets
 * (channels.c, sockets.c), counters, or others' readiness (polls.c).
 *
 * Blocking. All that somebody can wait for has a gate: an atomic that is GATE_HELD while somebody
 * is inside, and else says whether one can read. To enter is to exchange it, as soon as nobody is
 * inside or, for whoever waits, as soon as one can read; to leave is to write it. So the uses of a
 * gate are ordered, each order is one execution, and a wait for what is not there is no event.
 */
#ifndef ENVIRONMENT_H
#define ENVIRONMENT_H

#include "library.h"

#include <sys/types.h>

enum { FILES_MAX = 256, STANDARD = 3 };
enum { GATE_HELD, GATE_EMPTY, GATE_READY };

struct gate;
struct member;

/* Somebody who wants to know when a gate lets read, or write. */
struct watch {
  struct gate *of;
  struct member *member;
  struct watch *next;      /* of the same gate; protected by it, as `told` */
  struct watch *next_told; /* protected by the gate of who waits */
  bool writing;
  bool told;    /* it is in the list of who waits */
  bool dropped; /* what is watched was closed */
};

struct gate {
  int state;
  bool outside; /* who makes it ready is no thread of the program */
  bool readable, writable;
  bool only_end;    /* all that can be read is the end, which poll() does not call POLLIN */
  unsigned also[2]; /* what poll() says besides, of reading and of writing */
  struct watch *watches;
};

/* An epoll instance, or a thread in poll(). */
struct waiting {
  struct gate gate; /* readable: some that are watched were told */
  struct watch *told, *told_last;
  struct member *members; /* protected by the lock of the instance's address, with all in them */
};

/* What is watched. */
struct member {
  struct waiting *by;
  struct open_file *file;
  int number;
  unsigned events;
  uint64_t data;
  bool gone, off; /* off: EPOLLONESHOT was reported */
  struct watch reading, writing;
  struct member *next;
};

/* Bytes on their way from writers to readers, or a counter (eventfd). */
struct channel {
  struct gate gate;
  int room; /* an atomic: 0 if a writer has to wait */
  unsigned char *bytes;
  size_t first, count, allocated;
  int readers, writers;
  bool socket;
  bool counts, one_by_one; /* a counter, which is read whole, or one at a time */
  uint64_t counter;
  int64_t peer, peer_at; /* bytes of the file `peer` come behind those; -1: none */
};

struct listener;

struct node {
  int64_t source; /* a file of unfold-sym; -1: the bytes are here */
  unsigned char *bytes;
  size_t size, allocated;
  bool directory;
  unsigned mode, links, number;
  int64_t modified; /* in nanoseconds of the clock */
  int lock[14];     /* a pthread_rwlock_t: readers do not depend on each other */
};

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

/* descriptors.c */
int __env_fail(int error);
/* The open file of a number; NULL: none, and errno says so. */
struct open_file *__env_file(int number);
struct open_file *__env_new(enum open_kind kind, int flags);
/* The lowest free number for it; -1 with errno. */
int __env_number(struct open_file *file, bool closes_on_exec);
void __env_table_lock(void);
void __env_table_unlock(void);
/* Whether what is written there goes nowhere. */
bool __env_drops(int number);
bool __env_blocks(const struct open_file *file);

/* tree.c */
/* The node of a path; made, emptied as flags of open() say; NULL with errno. */
struct node *__env_open_node(const char *path, int flags, unsigned mode);
ssize_t __env_node_read(struct node *node, void *to, size_t size, off_t offset);
ssize_t __env_node_write(struct node *node, const void *from, size_t size, off_t offset,
                         bool appends, off_t *end);
off_t __env_node_size(struct node *node);
int __env_node_truncate(struct node *node, off_t size);

/* The gates of what it reads from and writes to; NULL: it never waits. */
struct gate *__env_gate(const struct open_file *file, bool writing);

/* channels.c */
void __env_enter(struct gate *gate);
/* Waits until one can read. */
void __env_await(struct gate *gate);
/* Tells whoever watches; what can be done now is in the gate. */
void __env_leave(struct gate *gate);
struct channel *__env_channel(void); /* with a reader and a writer */
ssize_t __env_channel_read(struct channel *c, void *to, size_t size, bool blocks, bool looks);
ssize_t __env_channel_write(struct channel *c, const void *from, size_t size, bool blocks);
void __env_channel_close(struct channel *c, const struct open_file *file, bool reading,
                         bool writing);
void __env_channel_leave(struct channel *c);

/* sockets.c */
void __env_listener_close(struct listener *l, const struct open_file *file);
struct gate *__env_listener_gate(struct listener *l);

/* polls.c */
void __env_poll_close(struct waiting *w, const struct open_file *file);
/* An open file is closed, and nobody watches it any more; inside the gate. */
void __env_drop(struct gate *gate, const struct open_file *file);

#endif
