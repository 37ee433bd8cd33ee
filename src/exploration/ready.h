/*
 * Threads that may be able to act at the end of the path, so that a free step need not look at all.
 *
 * A thread whose operation cannot be performed is left out until an event uses what the operation
 * is about: its target, its second object, or, where it waits for a thread, what that one does. So
 * can a thread be of which it is kept what its operation can become, since that does not change
 * before. Where that is not known (families of a front-end's own, locations that share bytes) the
 * thread is looked at each time. The set is made when a run takes its first free step, and lives as
 * long as the run; so does that of all threads that have not come to their end, whether they can
 * act or not.
 */
#ifndef EXPLORATION_READY_H
#define EXPLORATION_READY_H

#include "configuration/configuration.h"
#include "structure/action.h"
#include "structure/event.h"

/* A set of numbers: a bit for each, and above 64 bits one that says if any is set, in as many
 * levels as end with one word. */
#define SET_LEVELS 6
struct number_set {
  VECTOR(uint64_t) levels[SET_LEVELS];
  unsigned height; /* levels in use */
  uint64_t room;   /* numbers below this one can be in it */
};

/* Enters a number into the levels above the first. */
void unfi_set_add_above(struct number_set *set, uint32_t number);
static inline void set_add(struct number_set *set, uint32_t number) {
  set->levels[0].data[number / 64] |= 1ull << number % 64;
  if (set->height > 1) unfi_set_add_above(set, number);
}

/* The least number from one on, or NONE. */
uint32_t unfi_set_next(const struct number_set *set, uint32_t number);
static inline uint32_t set_next(const struct number_set *set, uint32_t number) {
  if (set->height > 1 || number >= 64) return unfi_set_next(set, number);
  uint64_t word = set->levels[0].data[0] >> number;
  return word != 0 ? number + (uint32_t)__builtin_ctzll(word) : NONE;
}

/* A thread that waits, and the next one that waits for the same. */
struct waiting_thread {
  uint32_t thread, next; /* numbers in `waiting`, from 1 */
};

struct ready {
  bool made;
  bool halted; /* a thread has ended by another operation than an exit */
  struct number_set threads, live;
  VECTOR(uint32_t)
  next;                                    /* by thread: the operation of one that is in a set;
                                              there is room for all that `threads` has room for */
  VECTOR(uint32_t) fresh;                  /* events after which it may not be known yet */
  VECTOR(uint32_t) for_object, for_thread; /* the first one that waits for it, or 0 */
  VECTOR(struct waiting_thread) waiting;
  uint32_t free; /* the first of them that is not in use, or 0 */
  uint32_t used; /* so many of them are in use */
};

RARE bool unfi_ready_enlarge(unf_context *context, struct ready *ready, uint64_t threads);
/* Room for so many threads, and for performing an event; returns false when refused. */
static inline bool unfi_ready_reserve(unf_context *context, struct ready *ready, uint64_t threads) {
  bool room = threads <= ready->threads.room && ready->fresh.count < ready->fresh.capacity;
  return room || unfi_ready_enlarge(context, ready, threads);
}
void unfi_ready_free(unf_context *context, struct ready *ready);

/* Brings the set up to date at a cut: at first it is made of all threads that run and have not come
 * to their end. What they do next must be known. */
unf_status unfi_ready_update(unf_unfolding *u, struct ready *ready, struct cut C);
/* The first thread of the set from a number on, or NONE. */
static inline uint32_t unfi_ready_next(const struct ready *ready, uint32_t from) {
  return set_next(&ready->threads, from);
}
/* How many there are, and the one with a place among them, from 0. O(threads / 64). */
uint32_t unfi_ready_count(const struct ready *ready);
uint32_t unfi_ready_nth(const struct ready *ready, uint32_t place);
static inline bool unfi_ready_has(const struct ready *ready, uint32_t thread) {
  return set_next(&ready->threads, thread) == thread;
}
/* The operation that a thread of the set is about to perform. */
static inline const unf_operation *
unfi_ready_operation(const unf_unfolding *u, const struct ready *ready, uint32_t thread) {
  return &u->operations.data[ready->next.data[thread]];
}
/* The first thread from a number on that has started and not come to its end, or NONE; where the
 * set is made and up to date, as it is at the end of a run that was found by looking who can act.
 */
static inline uint32_t unfi_ready_live(const struct ready *ready, uint32_t from) {
  return set_next(&ready->live, from);
}
/* Takes a thread out until what it can do with its operation may be something else; returns false
 * when refused. */
bool unfi_ready_wait(const unf_unfolding *u, struct ready *ready, uint32_t thread,
                     const unf_operation *operation);
/* Wakes what waits for an action; enters the thread that it starts. */
void unfi_ready_wake(const unf_unfolding *u, struct ready *ready, const struct action *a);
/* An event was performed, for which room was made. */
static inline void unfi_ready_performed(const unf_unfolding *u, struct ready *ready,
                                        uint32_t event) {
  if (!ready->made) return;
  const struct action *a = action_of(u, event);
  set_add(&ready->threads, a->thread);
  vector_push(&ready->fresh, event);
  if (ready->used > 0 || a->starts) unfi_ready_wake(u, ready, a);
}

#endif
