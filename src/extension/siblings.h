/*
 * Siblings: the actions that an operation can have where data choose a number of a range. They
 * differ in their value alone, and nothing else in a configuration depends on which it is. There
 * can be 2^64 of them, so they are drawn one by one, ascending, with the least after the greatest.
 */
#ifndef EXTENSION_SIBLINGS_H
#define EXTENSION_SIBLINGS_H

#include "structure/action.h"
#include "structure/effect.h"
#include "structure/event.h"

struct siblings {
  int64_t low, high; /* the least and the greatest value */
};

/* Whether an operation has siblings; *out is their range. */
static inline bool unfi_siblings(const unf_unfolding *u, const unf_operation *operation,
                                 struct siblings *out) {
  *out = (struct siblings){operation->low, operation->high};
  return u->effects->operations[operation->kind].numbers == NUMBERS_RANGE;
}

/* As unfi_siblings(), for the operation that became an event. An event that uses a site has none:
 * nothing else in a configuration depends on which of them it is. */
static inline bool unfi_siblings_of(unf_unfolding *u, uint32_t event, struct siblings *out) {
  const struct action *a = action_of(u, event);
  *out = (struct siblings){0, 0};
  if (a->count > 0) return false;
  uint32_t next = *unfi_next_slot(u, a->thread, event_at(u, event)->before);
  return unfi_siblings(u, &u->operations.data[next], out);
}

/* How many there are beside any of them. */
static inline uint64_t sibling_others(struct siblings s) {
  return (uint64_t)s.high - (uint64_t)s.low;
}

/* The value of the sibling with a number from 0 on, at most that of the others. */
static inline int64_t sibling_value(struct siblings s, uint64_t number) {
  return (int64_t)((uint64_t)s.low + number);
}

/* The value of the next one after that with a value. */
static inline int64_t sibling_after(struct siblings s, int64_t value) {
  return value == s.high ? s.low : value + 1;
}

/* What the sibling of an event with another value follows. */
unf_status unfi_sibling(unf_unfolding *u, uint32_t event, int64_t value, struct causes *out);

#endif
