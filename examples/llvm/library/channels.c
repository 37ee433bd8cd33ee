/*
 * Pipes, both directions of a connection, and counters, with a gate each (gates.h). What a peer
 * outside of the program sends is there from the beginning, and is read packet by packet.
 */
#define _GNU_SOURCE
#include "channels.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "descriptors.h"
#include "polls.h"

enum { CAPACITY = 65536 };

struct channel *__env_channel(void) {
  struct channel *c = __unfold_allocate(sizeof *c);
  *c = (struct channel){.gate = {.state = GATE_EMPTY, .writable = true},
                        .room = 1,
                        .readers = 1,
                        .writers = 1,
                        .peer = -1};
  return c;
}

static int64_t peer_left(const struct channel *c) {
  return c->peer >= 0 ? __unfold_file_size(c->peer) - c->peer_at : 0;
}

static bool can_read(const struct channel *c) {
  if (c->counts) return c->counter > 0;
  return c->count > 0 || peer_left(c) > 0 || c->writers == 0;
}

static void settle(struct channel *c) {
  c->gate.readable = can_read(c);
  c->gate.writable = c->counts || c->count < CAPACITY || c->readers == 0;
  const bool ended = c->writers == 0 && !c->counts;
  c->gate.also[0] = !ended ? 0 : c->socket ? EPOLLRDHUP : POLLHUP;
  c->gate.only_end = ended && !c->socket && c->count == 0;
  c->gate.also[1] = c->readers == 0 ? POLLERR : 0;
}

void __env_channel_leave(struct channel *c) {
  settle(c);
  if (c->gate.writable && c->room == 0) __atomic_store_n(&c->room, 1, __ATOMIC_SEQ_CST);
  __env_leave(&c->gate);
}

static ssize_t read_counter(struct channel *c, void *to, size_t size) {
  const uint64_t value = c->one_by_one ? 1 : c->counter;
  if (size < sizeof value) return __env_fail(EINVAL);
  c->counter -= value;
  memcpy(to, &value, sizeof value);
  return sizeof value;
}

/* A read ends with the packet that it begins in. */
static ssize_t read_peer(struct channel *c, void *to, size_t size, bool looks) {
  const int64_t end = __unfold_packet_end(c->peer, c->peer_at), left = end - c->peer_at;
  const int64_t count = (uint64_t)left < size ? left : (int64_t)size;
  __unfold_file_read(c->peer, c->peer_at, to, count);
  if (!looks) c->peer_at += count;
  return count;
}

static ssize_t read_bytes(struct channel *c, void *to, size_t size, bool looks) {
  const size_t count = c->count < size ? c->count : size;
  memcpy(to, c->bytes + c->first, count);
  if (looks) return (ssize_t)count;
  c->first += count;
  c->count -= count;
  if (c->count == 0) c->first = 0;
  return (ssize_t)count;
}

ssize_t __env_channel_read(struct channel *c, void *to, size_t size, bool blocks, bool looks) {
  if (size == 0) return 0;
  if (blocks)
    __env_await(&c->gate);
  else
    __env_enter(&c->gate);
  ssize_t count;
  if (!can_read(c))
    count = __env_fail(EAGAIN);
  else if (c->counts)
    count = read_counter(c, to, size);
  else if (c->count == 0 && peer_left(c) > 0)
    count = read_peer(c, to, size, looks);
  else
    count = read_bytes(c, to, size, looks);
  __env_channel_leave(c);
  return count;
}

/* Makes room behind the bytes that are there. */
static void grow(struct channel *c, size_t more) {
  if (c->first + c->count + more <= c->allocated) return;
  const size_t size = 2 * (c->count + more) + 64;
  unsigned char *bytes = __unfold_allocate(size);
  memcpy(bytes, c->bytes + c->first, c->count);
  free(c->bytes);
  c->bytes = bytes;
  c->first = 0;
  c->allocated = size;
}

static ssize_t add(struct channel *c, const void *from, size_t size) {
  uint64_t value;
  if (c->counts) {
    if (size < sizeof value) return __env_fail(EINVAL);
    memcpy(&value, from, sizeof value);
    c->counter += value;
    return sizeof value;
  }
  if (c->readers == 0) return __env_fail(EPIPE);
  const size_t room = CAPACITY - c->count, count = size < room ? size : room;
  grow(c, count);
  memcpy(c->bytes + c->first + c->count, from, count);
  c->count += count;
  return (ssize_t)count;
}

/* What does not fit waits until somebody reads; bytes of others may come in between, but not into
 * PIPE_BUF bytes. */
ssize_t __env_channel_write(struct channel *c, const void *from, size_t size, bool blocks) {
  enum { WHOLE = 4096 };
  size_t done = 0;
  for (;;) {
    __env_enter(&c->gate);
    const size_t left = size - done, room = CAPACITY - c->count;
    const bool fits = c->counts || c->readers == 0 || (size > WHOLE ? room > 0 : room >= left);
    const ssize_t count = fits ? add(c, (const char *)from + done, left) : 0;
    settle(c);
    if (!fits && blocks) __atomic_store_n(&c->room, 0, __ATOMIC_SEQ_CST);
    __env_leave(&c->gate);
    if (count < 0) return done > 0 ? (ssize_t)done : -1;
    done += (size_t)count;
    if (done == size || c->counts) return (ssize_t)done;
    if (!blocks) return done > 0 ? (ssize_t)done : __env_fail(EAGAIN);
    __unfold_await(&c->room, sizeof c->room, UNEQUAL, 0, false, 0);
  }
}

ssize_t __env_send(struct channel *c, const void *from, size_t size, bool blocks, bool signals) {
  const ssize_t count = __env_channel_write(c, from, size, blocks);
  return count < 0 && errno == EPIPE ? __env_broken(signals) : count;
}

void __env_channel_close(struct channel *c, const struct open_file *file, bool reading,
                         bool writing) {
  __env_enter(&c->gate);
  if (file != NULL) __env_drop(&c->gate, file);
  if (reading) c->readers--;
  if (writing && c->writers > 0) c->writers--; /* shutdown() may have said that none is left */
  if (c->readers == 0 && !c->counts) c->count = 0;
  __env_channel_leave(c);
}

/* ---- functions ---- */

int pipe2(int ends[2], int flags) {
  struct channel *c = __env_channel();
  struct open_file *from = __env_new(OPEN_CHANNEL, (flags & O_NONBLOCK) | O_RDONLY);
  struct open_file *to = __env_new(OPEN_CHANNEL, (flags & O_NONBLOCK) | O_WRONLY);
  from->reads = to->writes = true;
  from->in = to->out = c;
  ends[0] = __env_number(from, (flags & O_CLOEXEC) != 0);
  ends[1] = ends[0] >= 0 ? __env_number(to, (flags & O_CLOEXEC) != 0) : -1;
  return ends[1] >= 0 ? 0 : -1;
}

int pipe(int ends[2]) {
  return pipe2(ends, 0);
}

int eventfd(unsigned value, int flags) {
  struct channel *c = __env_channel();
  struct open_file *f = __env_new(OPEN_CHANNEL, (flags & EFD_NONBLOCK) | O_RDWR);
  c->counts = true;
  c->one_by_one = (flags & EFD_SEMAPHORE) != 0;
  f->reads = f->writes = true;
  f->in = f->out = c;
  const int number = __env_number(f, (flags & EFD_CLOEXEC) != 0);
  if (value > 0) {
    const uint64_t first = value;
    write(number, &first, sizeof first);
  }
  return number;
}

int eventfd_read(int number, eventfd_t *value) {
  return read(number, value, sizeof *value) == sizeof *value ? 0 : -1;
}

int eventfd_write(int number, eventfd_t value) {
  return write(number, &value, sizeof value) == sizeof value ? 0 : -1;
}
