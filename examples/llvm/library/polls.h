/* Who waits for several gates at once: threads in poll() and select(), and epoll. */
#ifndef POLLS_H
#define POLLS_H

#include "gates.h"

struct member;
struct open_file;

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

void __env_poll_close(struct waiting *w, const struct open_file *file);
/* An open file is closed, and nobody watches it any more; inside the gate. */
void __env_drop(struct gate *gate, const struct open_file *file);

#endif
