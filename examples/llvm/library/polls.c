/*
 * Waiting for one of several: poll, select, epoll. Who waits has a gate of its own, and watches
 * those of the others: whoever makes one of these ready, tells. What was told is looked at, under
 * the gate of what is watched, and stays told as long as it is ready (without EPOLLET). A time
 * limit is over exactly where the thread would wait.
 */
#define _GNU_SOURCE
#include "polls.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/select.h>

#include "descriptors.h"

enum { MILLISECOND = 1000000 };

/* ---- watching ---- */

static void watch(struct watch *w) {
  if (w->of == NULL) return;
  __env_enter(w->of);
  w->next = w->of->watches;
  w->of->watches = w;
  __env_leave(w->of);
}

static void unwatch(struct watch *w) {
  if (w->of == NULL) return;
  __env_enter(w->of);
  struct watch **at = &w->of->watches;
  while (*at != NULL && *at != w)
    at = &(*at)->next;
  if (*at != NULL) *at = w->next;
  __env_leave(w->of);
  w->of = NULL;
}

static void begin(struct member *m) {
  m->reading = (struct watch){.of = __env_gate(m->file, false), .member = m};
  m->writing = (struct watch){.of = __env_gate(m->file, true), .member = m, .writing = true};
  if ((m->events & (POLLIN | POLLRDNORM)) == 0) m->reading.of = NULL;
  if ((m->events & (POLLOUT | POLLWRNORM)) == 0) m->writing.of = NULL;
  watch(&m->reading);
  watch(&m->writing);
}

static void end(struct member *m) {
  unwatch(&m->reading);
  unwatch(&m->writing);
}

/* What there is of one direction now. A watch that was told stays so while there is something, or
 * is told the next time. */
static unsigned look(struct gate *gate, struct watch *w, unsigned events, bool writing) {
  if (gate == NULL) return events & (writing ? POLLOUT | POLLWRNORM : POLLIN | POLLRDNORM);
  __env_enter(gate);
  const bool ready = writing ? gate->writable : gate->readable;
  unsigned seen = gate->also[writing] & (events | POLLHUP | POLLERR);
  if (ready && (writing || !gate->only_end))
    seen |= events & (writing ? POLLOUT | POLLWRNORM : POLLIN | POLLRDNORM);
  if (w != NULL) w->told = false;
  if (w != NULL && w->dropped) seen = 0;
  if (w == NULL || w->dropped || (events & EPOLLET) != 0) {
    /* as it is, for whoever watches: nothing was changed */
    __atomic_store_n(&gate->state, gate->readable ? GATE_READY : GATE_EMPTY, __ATOMIC_SEQ_CST);
  } else {
    __env_leave(gate); /* it is told again */
  }
  return seen;
}

static unsigned look_both(struct open_file *file, unsigned events) {
  unsigned seen = 0;
  if ((events & (POLLIN | POLLRDNORM)) != 0)
    seen |= look(__env_gate(file, false), NULL, events, false);
  if ((events & (POLLOUT | POLLWRNORM)) != 0)
    seen |= look(__env_gate(file, true), NULL, events, true);
  return seen;
}

static struct waiting *waiting_new(void) {
  struct waiting *w = __unfold_allocate(sizeof *w);
  *w = (struct waiting){.gate = {.state = GATE_EMPTY}};
  return w;
}

/* All that was told so far. */
static struct watch *take_told(struct waiting *by) {
  struct watch *all = by->told;
  by->told = by->told_last = NULL;
  by->gate.readable = false;
  __env_leave(&by->gate);
  return all;
}

/* ---- poll ---- */

static int scan(struct pollfd *all, nfds_t count) {
  int ready = 0;
  for (nfds_t i = 0; i < count; i++) {
    all[i].revents = 0;
    if (all[i].fd < 0) continue;
    struct open_file *file = __env_file(all[i].fd);
    all[i].revents =
        file != NULL ? (short)look_both(file, (unsigned short)all[i].events) : POLLNVAL;
    ready += all[i].revents != 0;
  }
  return ready;
}

/* Until one of them may be ready. */
static void wait_for_any(const struct pollfd *all, nfds_t count) {
  struct waiting *by = waiting_new();
  struct member *members = calloc(count, sizeof *members);
  bool outside = false;
  for (nfds_t i = 0; i < count; i++) {
    struct open_file *file = all[i].fd >= 0 ? __env_file(all[i].fd) : NULL;
    if (file == NULL) continue;
    members[i] = (struct member){.by = by, .file = file, .events = (unsigned short)all[i].events};
    begin(&members[i]);
    const struct gate *gate = members[i].reading.of;
    outside |= gate != NULL && gate->outside;
  }
  by->gate.outside = outside;
  __env_await(&by->gate);
  take_told(by);
  for (nfds_t i = 0; i < count; i++)
    if (members[i].by != NULL) end(&members[i]);
}

/* Where nothing is ready. False: the limit is over. */
static bool waits(int64_t nanoseconds) {
  if (nanoseconds < 0 || !__unfold_times_out()) return true;
  __unfold_time(nanoseconds);
  return false;
}

/* One alone, to be read: no more than the wait for it. */
static bool poll_one(struct pollfd *one) {
  struct open_file *file = __env_file(one->fd);
  struct gate *gate = file != NULL && one->events == POLLIN ? __env_gate(file, false) : NULL;
  if (gate == NULL) return false;
  __env_await(gate);
  one->revents = (short)(gate->also[0] & POLLHUP) | (gate->only_end ? 0 : POLLIN);
  __env_leave(gate);
  return true;
}

static int poll_for(struct pollfd *all, nfds_t count, int64_t nanoseconds) {
  if (count == 1 && nanoseconds < 0 && all[0].fd >= 0 && poll_one(all)) return 1;
  for (;;) {
    const int ready = scan(all, count);
    if (ready > 0 || nanoseconds == 0 || !waits(nanoseconds)) return ready;
    wait_for_any(all, count);
  }
}

int poll(struct pollfd *all, nfds_t count, int milliseconds) {
  return poll_for(all, count, milliseconds < 0 ? -1 : (int64_t)milliseconds * MILLISECOND);
}

static int64_t nanoseconds_of(const struct timespec *limit) {
  return limit != NULL ? limit->tv_sec * 1000 * MILLISECOND + limit->tv_nsec : -1;
}

int ppoll(struct pollfd *all, nfds_t count, const struct timespec *limit, const sigset_t *mask) {
  (void)mask;
  return poll_for(all, count, nanoseconds_of(limit));
}

static int select_for(int count, fd_set *reading, fd_set *writing, fd_set *except, int64_t limit) {
  struct pollfd all[FD_SETSIZE];
  nfds_t used = 0;
  for (int i = 0; i < count; i++) {
    const bool in = reading != NULL && FD_ISSET(i, reading);
    const bool out = writing != NULL && FD_ISSET(i, writing);
    if (in || out)
      all[used++] = (struct pollfd){i, (short)((in ? POLLIN : 0) | (out ? POLLOUT : 0)), 0};
  }
  poll_for(all, used, limit);
  int ready = 0;
  if (reading != NULL) FD_ZERO(reading);
  if (writing != NULL) FD_ZERO(writing);
  if (except != NULL) FD_ZERO(except);
  for (nfds_t i = 0; i < used; i++) {
    const bool in = (all[i].events & POLLIN) != 0 && (all[i].revents & (POLLIN | POLLHUP)) != 0;
    const bool out = (all[i].events & POLLOUT) != 0 && (all[i].revents & (POLLOUT | POLLERR)) != 0;
    if (in) FD_SET(all[i].fd, reading);
    if (out) FD_SET(all[i].fd, writing);
    ready += in + out;
  }
  return ready;
}

int select(int count, fd_set *reading, fd_set *writing, fd_set *except, struct timeval *limit) {
  return select_for(count, reading, writing, except,
                    limit != NULL ? (limit->tv_sec * 1000000 + limit->tv_usec) * 1000 : -1);
}

int pselect(int count, fd_set *reading, fd_set *writing, fd_set *except,
            const struct timespec *limit, const sigset_t *mask) {
  (void)mask;
  return select_for(count, reading, writing, except, nanoseconds_of(limit));
}

/* ---- epoll ---- */

int epoll_create1(int flags) {
  struct open_file *f = __env_new(OPEN_POLL, O_RDWR);
  f->waiting = waiting_new();
  return __env_number(f, (flags & EPOLL_CLOEXEC) != 0);
}

int epoll_create(int size) {
  return size > 0 ? epoll_create1(0) : __env_fail(EINVAL);
}

static struct waiting *instance(int number) {
  struct open_file *f = __env_file(number);
  if (f == NULL) return NULL;
  if (f->kind != OPEN_POLL) __env_fail(EINVAL);
  return f->kind == OPEN_POLL ? f->waiting : NULL;
}

static struct member *find(struct waiting *by, int number, const struct open_file *file) {
  struct member *m = by->members;
  while (m != NULL && (m->gone || m->number != number || m->file != file))
    m = m->next;
  return m;
}

static int change(struct waiting *by, int operation, int number, struct open_file *file,
                  const struct epoll_event *event) {
  struct member *m = find(by, number, file);
  if (operation == EPOLL_CTL_ADD && m != NULL) return __env_fail(EEXIST);
  if (operation != EPOLL_CTL_ADD && m == NULL) return __env_fail(ENOENT);
  if (m != NULL) end(m);
  if (m != NULL) m->gone = true; /* it may have been told */
  if (operation == EPOLL_CTL_DEL) return 0;
  struct member *fresh = __unfold_allocate(sizeof *fresh);
  *fresh = (struct member){.by = by,
                           .file = file,
                           .number = number,
                           .events = event->events,
                           .data = event->data.u64,
                           .next = by->members};
  by->members = fresh;
  begin(fresh);
  const struct gate *gate = fresh->reading.of;
  if (gate != NULL && gate->outside) by->gate.outside = true;
  return 0;
}

int epoll_ctl(int epoll, int operation, int number, struct epoll_event *event) {
  struct waiting *by = instance(epoll);
  struct open_file *file = by != NULL ? __env_file(number) : NULL;
  if (file == NULL) return -1;
  if (file->kind == OPEN_FILE || file->kind == OPEN_DROPS) return __env_fail(EPERM);
  __unfold_lock(&by->members);
  const int result = change(by, operation, number, file, event);
  __unfold_unlock(&by->members);
  return result;
}

/* One that was told, and what there is now. */
static unsigned look_again(struct watch *w) {
  struct member *m = w->member;
  if (m->gone || m->off || w->of == NULL) return 0;
  const unsigned seen = look(w->of, w, m->events, w->writing);
  if (seen != 0 && (m->events & EPOLLONESHOT) != 0) m->off = true;
  return seen;
}

/* Both directions of one file are one entry. */
static int enter_event(struct epoll_event *events, int count, const struct member *m,
                       unsigned seen) {
  for (int i = 0; i < count; i++)
    if (events[i].data.u64 == m->data) {
      events[i].events |= seen;
      return count;
    }
  events[count].events = seen;
  events[count].data.u64 = m->data;
  return count + 1;
}

static int collect(struct waiting *by, struct watch *told, struct epoll_event *events, int most) {
  int count = 0;
  __unfold_lock(&by->members);
  for (struct watch *w = told, *next; w != NULL; w = next) {
    next = w->next_told; /* it may be told again */
    if (count == most) {
      __env_enter(&by->gate); /* left for the next time, in front */
      w->next_told = by->told;
      if (by->told == NULL) by->told_last = w;
      by->told = w;
      by->gate.readable = true;
      __env_leave(&by->gate);
      continue;
    }
    const unsigned seen = look_again(w);
    if (seen != 0) count = enter_event(events, count, w->member, seen);
  }
  __unfold_unlock(&by->members);
  return count;
}

static int wait_in(int epoll, struct epoll_event *events, int most, int64_t nanoseconds) {
  struct waiting *by = instance(epoll);
  if (by == NULL) return -1;
  if (most <= 0) return __env_fail(EINVAL);
  bool limited = nanoseconds >= 0;
  for (;;) {
    if (limited)
      __env_enter(&by->gate);
    else
      __env_await(&by->gate);
    struct watch *told = take_told(by);
    const int count = told != NULL ? collect(by, told, events, most) : 0;
    if (count > 0 || nanoseconds == 0 || (limited && !waits(nanoseconds))) return count;
    limited = false; /* its limit will not be over */
  }
}

int epoll_wait(int epoll, struct epoll_event *events, int most, int milliseconds) {
  return wait_in(epoll, events, most, milliseconds < 0 ? -1 : (int64_t)milliseconds * MILLISECOND);
}

int epoll_pwait(int epoll, struct epoll_event *events, int most, int milliseconds,
                const sigset_t *mask) {
  (void)mask;
  return epoll_wait(epoll, events, most, milliseconds);
}

/* ---- ends ---- */

void __env_drop(struct gate *gate, const struct open_file *file) {
  struct watch **at = &gate->watches;
  while (*at != NULL) {
    (*at)->dropped |= (*at)->member->file == file;
    if ((*at)->dropped)
      *at = (*at)->next;
    else
      at = &(*at)->next;
  }
}

void __env_poll_close(struct waiting *by, const struct open_file *file) {
  __env_enter(&by->gate);
  __env_drop(&by->gate, file);
  __env_leave(&by->gate);
  __unfold_lock(&by->members);
  for (struct member *m = by->members; m != NULL; m = m->next) {
    if (!m->gone) end(m);
    m->gone = true;
  }
  __unfold_unlock(&by->members);
}
