/*
 * Threads that wait at an object until another thread notifies them: at a condition variable, in
 * the queue of a futex. A thread has a place there, a site of its own, which is written by what
 * begins its waiting (a row of actions that `waits`), by what notifies it, and by what else ends
 * it.
 */
#ifndef EXTENSION_WAITERS_H
#define EXTENSION_WAITERS_H

#include "extension/exact.h"
#include "extension/reversing.h"
#include "structure/action.h"
#include "structure/effect.h"

enum waiting { AWAY, WAITING, NOTIFIED };

/* Waiters are numbered from 1 for all objects; 0: none. */
static inline const struct waiter *waiter_at(const unf_unfolding *u, uint32_t number) {
  return &u->waiters.data[number - 1];
}

/* The first waiter of an object, and the next one. */
static inline uint32_t first_waiter(const unf_unfolding *u, uint32_t object) {
  return u->objects.data[object].waiters;
}

static inline uint32_t next_waiter(const unf_unfolding *u, uint32_t number) {
  return waiter_at(u, number)->next;
}

/* Whether an event begins the waiting of its thread. */
bool unfi_begins_wait(const unf_unfolding *u, uint32_t event);
enum waiting unfi_waiting_of(const unf_unfolding *u, struct cut cut, uint32_t object,
                             uint32_t thread);
/* The first waiter of the list from this one on that waits and is not notified; 0: none. */
uint32_t unfi_next_waiting(const unf_unfolding *u, struct cut cut, uint32_t number);
bool unfi_anybody_waits(const unf_unfolding *u, struct cut cut, uint32_t object);
/* The set of all that wait. */
unf_status unfi_waiting_set(unf_unfolding *u, struct cut cut, uint32_t object, int64_t *set);

/* Appends a use to u->use_room; false when refused, or for the site NONE. */
bool unfi_use(unf_unfolding *u, uint32_t site, enum access access);
/* Appends a write of the place of a thread. Returns false when refused. */
bool unfi_use_waiter(unf_unfolding *u, uint32_t object, uint32_t thread);
/* Appends writes of the places of a set's members. */
unf_status unfi_use_waiters(unf_unfolding *u, uint32_t object, int64_t set);

/* The last write before an event, or in the cut (event NONE), at the place of a thread. */
uint32_t unfi_last_at_place(unf_unfolding *u, struct cut cut, uint32_t object, uint32_t thread,
                            uint32_t event);

/* The `complete` of a shape that needs nobody to wait at the operation's target. */
bool unfi_end_waits(struct enumeration *e);

/* Reversal of a notification to one where at most the members of a set wait. */
void unfi_reverse_to_set(unf_unfolding *u, struct reversal *r, uint32_t event, int64_t set);

/* The event that is left out beside a notification, if `end` and `wait` are writes in M at a
 * place with none between; 0: none. */
typedef uint32_t (*opponent_function)(const unf_unfolding *u, uint32_t event, uint32_t end,
                                      uint32_t wait);
/* Its wait was ended by something else, which is left out. */
uint32_t unfi_taken_by_another(const unf_unfolding *u, uint32_t event, uint32_t end, uint32_t wait);
/* Its wait timed out before: the beginning is left out. */
uint32_t unfi_not_begun(const unf_unfolding *u, uint32_t event, uint32_t end, uint32_t wait);
/* Reversals of a notification against each opponent. */
void unfi_reverse_against(unf_unfolding *u, struct reversal *r, uint32_t event,
                          opponent_function opponent);

#endif
