/* What an action does: who holds what, what semaphores are worth, who was notified; and the virtual
 * clocks, which move forward along what is before what. */
#include "perform.h"

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <unfold/unfold.h>

#include "arena.h"
#include "barrier.h"
#include "engine.h"
#include "objects.h"
#include "ranges.h"
#include "rwlock.h"
#include "scheduler.h"

static void advance(uint64_t *clock, uint64_t to) {
  if (*clock < to) *clock = to;
}

static void hold(struct thread *t, struct object *o) {
  o->owner = t;
  o->place = t->place;
  o->next_held = t->held;
  t->held = o;
  advance(&t->clock, o->clock);
}

static void release(struct thread *t, struct object *o) {
  struct object **at = &t->held;
  while (*at != NULL && *at != o)
    at = &(*at)->next_held;
  if (*at != NULL) *at = o->next_held;
  o->owner = NULL;
  o->clock = t->clock;
}

static void hold_shared(struct thread *t, struct object *o) {
  struct read_hold *r = t->spare_readings;
  if (r != NULL)
    t->spare_readings = r->next;
  else
    r = private_memory(sizeof *r);
  *r = (struct read_hold){o, t->place, 0, t->readings};
  t->readings = r;
  advance(&t->clock, o->clock);
}

static void release_shared(struct thread *t, struct object *o) {
  struct read_hold **at = &t->readings;
  while (*at != NULL && (*at)->object != o)
    at = &(*at)->next;
  struct read_hold *r = *at;
  advance(&o->shared_clock, t->clock);
  if (r == NULL) return;
  *at = r->next;
  r->next = t->spare_readings;
  t->spare_readings = r;
}

static void notify(struct thread *waiting, const struct thread *by) {
  waiting->notified = true;
  waiting->notified_clock = by->clock;
}

static bool waits_at(const struct thread *t, const struct object *o) {
  return t->object == o && !t->notified &&
         (t->operation.kind == UNF_WAKE || t->operation.kind == UNF_TIMED_WAKE);
}

static void broadcast(const struct thread *t) {
  bool lost = true;
  for (struct thread *other = threads; other != NULL; other = other->next)
    if (waits_at(other, t->object)) {
      notify(other, t);
      lost = false;
    }
  if (lost) t->object->lost_place = t->place;
}

static void signal_one(const struct thread *t) {
  struct thread *waiting = t->value == UNF_LOST ? NULL : thread_named((unf_thread)t->value);
  if (waiting != NULL)
    notify(waiting, t);
  else
    t->object->lost_place = t->place;
}

static void wake(struct thread *t) {
  t->notified = false;
  advance(&t->clock, t->notified_clock);
  hold(t, t->mutex);
}

static void join(struct thread *t) {
  const struct thread *joined = thread_named(t->operation.target);
  if (joined == NULL) return;
  advance(&t->clock, joined->clock);
  rounds_learn(t, joined);
}

static void arrive(struct thread *t) {
  struct arrival *arrival = private_memory(sizeof *arrival);
  *arrival = (struct arrival){t, t->object->arrivals};
  t->object->arrivals = arrival;
  t->object->arrived++;
  advance(&t->object->clock, t->clock);
}

static bool overlap(const struct object *a, const struct object *b) {
  return a->address < b->address + b->bits / 8 && b->address < a->address + a->bits / 8;
}

/* An access comes after those that it depends on, on whichever object with one of its bytes. Those
 * that read commute, so that none of them shows in the clock of another; so do those that add. */
static void access_location(struct thread *t, const struct object *o, unf_action_kind kind) {
  const struct object *other = o->word != NULL ? o->word->ranges : o;
  for (; other != NULL; other = other->next_range) {
    if (!overlap(o, other)) continue;
    advance(&t->clock, other->clock);
    if (kind != UNF_DID_READ) advance(&t->clock, other->shared_clock);
    if (kind != UNF_DID_ADD) advance(&t->clock, other->added_clock);
  }
}

static bool wake_futex(void *user, unf_thread waiting) {
  struct thread *t = thread_named(waiting);
  if (t != NULL) notify(t, user);
  return true;
}

/* The comparison reads the word. */
static void compare_futex(struct thread *t) {
  access_location(t, t->mutex, UNF_DID_READ);
  advance(&t->mutex->shared_clock, t->clock);
}

void perform(struct thread *t, const unf_action *action) {
  struct object *o = t->object;
  t->did = action->kind;
  t->value = action->value;
  switch (action->kind) {
  case UNF_DID_WRLOCK:
    advance(&t->clock, o->shared_clock);
    hold(t, o);
    break;
  case UNF_DID_ACQUIRE:
    hold(t, o);
    break;
  case UNF_DID_RELEASE:
  case UNF_DID_WRUNLOCK:
    release(t, o);
    break;
  case UNF_DID_JOIN:
    join(t);
    break;
  case UNF_DID_WAIT:
    release(t, t->mutex);
    break;
  case UNF_DID_WAKE:
    wake(t);
    break;
  case UNF_DID_SIGNAL:
    signal_one(t);
    break;
  case UNF_DID_BROADCAST:
    broadcast(t);
    break;
  case UNF_DID_RDLOCK:
    hold_shared(t, o);
    break;
  case UNF_DID_RDUNLOCK:
    release_shared(t, o);
    break;
  case UNF_DID_POST:
    t->value = o->value == INT_MAX ? POST_OVERFLOWS : 0;
    o->value += t->value == 0;
    advance(&o->clock, t->clock);
    break;
  case UNF_DID_SEM_WAIT:
    o->value--;
    advance(&t->clock, o->clock);
    break;
  case UNF_DID_ARRIVE:
    arrive(t);
    break;
  case UNF_DID_PASS:
    advance(&t->clock, o->clock);
    break;
  case UNF_DID_FUTEX_WAIT:
  case UNF_DID_FUTEX_AGAIN:
    compare_futex(t);
    break;
  case UNF_DID_FUTEX_RETURN:
    t->notified = false;
    advance(&t->clock, t->notified_clock);
    break;
  case UNF_DID_FUTEX_WAKE:
  case UNF_DID_FUTEX_WAKE_ALL:
    unf_thread_set_members(engine_unfolding(), action->value, wake_futex, t);
    break;
  case UNF_DID_READ:
    access_location(t, o, UNF_DID_READ);
    advance(&o->shared_clock, t->clock);
    break;
  case UNF_DID_ADD:
    access_location(t, o, UNF_DID_ADD);
    advance(&o->added_clock, t->clock);
    break;
  case UNF_DID_WRITE:
    access_location(t, o, UNF_DID_WRITE);
    o->clock = t->clock;
    break;
  default:
    break;
  }
}
