/* Pipes, connections, and counters. */
#ifndef CHANNELS_H
#define CHANNELS_H

#include "gates.h"

#include <sys/types.h>

struct open_file;

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

struct channel *__env_channel(void); /* with a reader and a writer */
ssize_t __env_channel_read(struct channel *c, void *to, size_t size, bool blocks, bool looks);
ssize_t __env_channel_write(struct channel *c, const void *from, size_t size, bool blocks);
/* Writes so; who writes where nobody will read gets SIGPIPE, if `signals`. */
ssize_t __env_send(struct channel *c, const void *from, size_t size, bool blocks, bool signals);
void __env_channel_close(struct channel *c, const struct open_file *file, bool reading,
                         bool writing);
void __env_channel_leave(struct channel *c);

#endif
