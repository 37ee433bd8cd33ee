/* What condition variables and the queues of futexes have in common: places of threads that wait,
 * and reversals of notifications. */
#include "extension/waiters.h"

#include "structure/cut.h"
#include "structure/event.h"
#include "structure/layer.h"
#include "structure/names.h"
#include "structure/relation.h"
#include "structure/sets.h"

bool unfi_begins_wait(const unf_unfolding *u, uint32_t event) {
  return event != 0 && u->effects->actions[action_of(u, event)->kind].waits;
}

static enum waiting waiting_at(const unf_unfolding *u, struct cut cut, const struct waiter *w) {
  uint32_t write = entry_write(u, cut_at(cut, w->site));
  if (unfi_begins_wait(u, write)) return WAITING;
  return write != 0 && action_of(u, write)->thread != w->thread ? NOTIFIED : AWAY;
}

enum waiting unfi_waiting_of(const unf_unfolding *u, struct cut cut, uint32_t object,
                             uint32_t thread) {
  for (uint32_t i = first_waiter(u, object); i != 0; i = next_waiter(u, i))
    if (waiter_at(u, i)->thread == thread) return waiting_at(u, cut, waiter_at(u, i));
  return AWAY;
}

uint32_t unfi_next_waiting(const unf_unfolding *u, struct cut cut, uint32_t number) {
  while (number != 0 && waiting_at(u, cut, waiter_at(u, number)) != WAITING)
    number = next_waiter(u, number);
  return number;
}

bool unfi_anybody_waits(const unf_unfolding *u, struct cut cut, uint32_t object) {
  return unfi_next_waiting(u, cut, first_waiter(u, object)) != 0;
}

unf_status unfi_waiting_set(unf_unfolding *u, struct cut cut, uint32_t object, int64_t *set) {
  uint32_t count = 0, first = unfi_next_waiting(u, cut, first_waiter(u, object));
  if (!vector_reserve(u->context, &u->store.entry_room, u->threads.count))
    return unfi_refused(u->context);
  for (uint32_t i = first; i != 0; i = unfi_next_waiting(u, cut, next_waiter(u, i)))
    u->store.entry_room.data[count++] = waiter_at(u, i)->thread;
  return unf_thread_set(u, u->store.entry_room.data, count, set);
}

bool unfi_use(unf_unfolding *u, uint32_t site, enum access access) {
  if (site == NONE || !vector_reserve(u->context, &u->use_room, (uint64_t)u->use_room.count + 1))
    return false;
  struct use use = {site, access};
  vector_push(&u->use_room, use);
  return true;
}

bool unfi_use_waiter(unf_unfolding *u, uint32_t object, uint32_t thread) {
  return unfi_use(u, unfi_waiter_site(u, object, thread), ACCESS_WRITE);
}

unf_status unfi_use_waiters(unf_unfolding *u, uint32_t object, int64_t set) {
  uint32_t count;
  if (unfi_set(u, set, &count) == NULL && set != 0)
    return unfi_fail(u->context, UNF_UNKNOWN, "set of threads");
  for (uint32_t i = 0; i < count; i++)
    if (!unfi_use_waiter(u, object, unfi_set(u, set, &count)[i])) return unfi_refused(u->context);
  return UNF_OK;
}

uint32_t unfi_last_at_place(unf_unfolding *u, struct cut cut, uint32_t object, uint32_t thread,
                            uint32_t event) {
  for (uint32_t i = first_waiter(u, object); i != 0; i = next_waiter(u, i)) {
    const struct waiter *w = waiter_at(u, i);
    if (w->thread != thread) continue;
    uint32_t entry = event != NONE ? unfi_entry_before(u, event, w->site) : cut_at(cut, w->site);
    return entry_write(u, entry);
  }
  return 0;
}

/* The event of C that ends the wait which stands in P at a waiter's place; 0: none. */
static uint32_t end_of_wait(const struct enumeration *e, uint32_t site, uint32_t wait) {
  const unf_unfolding *u = e->u;
  uint32_t end = entry_write(u, cut_at(e->C, site)), next = 0;
  while (end > wait) {
    next = end;
    end = entry_write(u, unfi_entry_before(u, end, site));
  }
  return end == wait ? next : 0;
}

/* To take the beginning of a wait means to take the end of it too, which is the one event that
 * follows it at the waiter's place; where there is none, it cannot be taken. */
bool unfi_end_waits(struct enumeration *e) {
  const unf_unfolding *u = e->u;
  uint32_t object = e->operation->target;
  for (uint32_t i = first_waiter(u, object); i != 0;) {
    uint32_t site = waiter_at(u, i)->site;
    uint32_t last = entry_write(u, cut_at(unfi_exact_taken(e), site));
    i = next_waiter(u, i);
    if (!unfi_begins_wait(u, last)) continue;
    uint32_t end = end_of_wait(e, site, last);
    if (end == 0 || !unfi_exact_take(e, end)) return false;
    i = first_waiter(u, object); /* its history may have begun other waits */
  }
  return true;
}

static bool is_member(const unf_unfolding *u, int64_t set, uint32_t thread) {
  uint32_t count;
  const uint32_t *members = unfi_set(u, set, &count);
  for (uint32_t i = 0; i < count; i++)
    if (members[i] == thread) return true;
  return false;
}

/* The beginning of the wait of somebody else than the members of a set, from this waiter of the
 * list on, which goes on to the next; 0: there is none. */
static uint32_t other_wait(const unf_unfolding *u, struct cut cut, int64_t set, uint32_t *waiter) {
  uint32_t i = unfi_next_waiting(u, cut, *waiter);
  while (i != 0 && is_member(u, set, waiter_at(u, i)->thread))
    i = unfi_next_waiting(u, cut, next_waiter(u, i));
  *waiter = i == 0 ? 0 : next_waiter(u, i);
  return i == 0 ? 0 : entry_write(u, cut_at(cut, waiter_at(u, i)->site));
}

/* Takes out what waits, round after round, since that may bring others back. */
void unfi_reverse_to_set(unf_unfolding *u, struct reversal *r, uint32_t event, int64_t set) {
  const struct action *a = action_of(u, event);
  uint32_t object = a->target, thread = a->thread, before = event_at(u, event)->before;
  if (!unfi_without_event(r, event)) return;
  for (;;) {
    uint32_t at = first_waiter(u, object), outs = 0, wait;
    while ((wait = other_wait(u, unfi_reversal_P(r), set, &at)) != 0) {
      if (unfi_precedes(u, wait, before) || !unfi_leave_out(r, wait)) return;
      outs++;
    }
    if (outs == 0) break;
    if (!unfi_without(r)) return;
  }
  unfi_at(r, thread, before);
}

uint32_t unfi_taken_by_another(const unf_unfolding *u, uint32_t event, uint32_t end,
                               uint32_t wait) {
  bool ends = unfi_begins_wait(u, wait) && end != event &&
              !unfi_precedes(u, end, event_at(u, event)->before) && !unfi_precedes(u, event, wait);
  return ends ? end : 0;
}

/* A time-out ends the wait of its own thread; so does what it does after it was notified, but that
 * does not follow the beginning of the wait. */
uint32_t unfi_not_begun(const unf_unfolding *u, uint32_t event, uint32_t end, uint32_t wait) {
  bool times_out =
      unfi_begins_wait(u, wait) && action_of(u, end)->thread == action_of(u, wait)->thread;
  bool ends = times_out && unfi_precedes(u, end, event) &&
              !unfi_precedes(u, wait, event_at(u, event)->before);
  return ends ? wait : 0;
}

void unfi_reverse_against(unf_unfolding *u, struct reversal *r, uint32_t event,
                          opponent_function opponent) {
  struct cut M = unfi_reversal_M(r);
  uint32_t object = action_of(u, event)->target;
  for (uint32_t i = first_waiter(u, object); i != 0; i = next_waiter(u, i)) {
    uint32_t site = waiter_at(u, i)->site;
    for (uint32_t end = entry_write(u, cut_at(M, site)), wait; end != 0; end = wait) {
      wait = entry_write(u, unfi_entry_before(u, end, site));
      uint32_t out = opponent(u, event, end, wait);
      if (out == 0) continue;
      if (!unfi_without_event(r, event) || !unfi_leave_out(r, out) || !unfi_without(r)) return;
      unfi_at(r, action_of(u, event)->thread, event_at(u, event)->before);
      if (unfi_reversal_stopped(r)) return;
    }
  }
}
