/*
 * How many values of a state depend on each input, by what events changed: an event adds to the
 * numbers or takes from them, and those behind it are the sums over its causes.
 */
#ifndef TERMS_USES_H
#define TERMS_USES_H

#include "knowledge.h"

/* How many values of the state depend on an input, more than before an event. */
struct use {
  uint32_t input;
  int32_t more;
};

/* The uses of an event: those from `first` - 1 on; 0: it is not known. */
struct event_uses {
  uint32_t first, count;
};

/* Sums over an event and its causes, by input; `begun`: they are of one. */
struct event_sums {
  bool begun;
  unf_event event;
  int64_t *sums;
  uint32_t room;
};

struct uses {
  struct knowledge *knowledge;
  const uint32_t *inputs; /* how many there are; of something else that is counted, so many of it */
  struct event_uses *events;
  uint32_t event_room;
  struct use *list;
  uint32_t count, room, first; /* those from `first` on are of the step at hand */
  int32_t *initial;            /* by input, at the beginning */
  uint32_t initial_room;
  /* The event that was asked about last, of each thread and of none: the next one differs from it
   * by what happened since. */
  struct event_sums *behind;
  uint32_t behind_room;
  const int64_t *sums; /* those of the event that was asked about, by input */
  /* While events are looked through: which were, and which are to come. */
  uint32_t *marks;
  uint32_t mark, mark_room;
  unf_event *stack;
  uint32_t stack_count, stack_room;
  bool failed; /* there was no memory */
};

void uses_make(struct uses *uses, struct knowledge *knowledge, const uint32_t *inputs);
void uses_free(struct uses *uses);
uint64_t uses_bytes(const struct uses *uses);
/* What was added so far is there at the beginning, and is no step. */
void uses_initially(struct uses *uses);
/* The step at hand made so many more values that depend on an input, or on those of a term. */
void uses_add(struct uses *uses, uint32_t input, int32_t more);
void uses_add_term(struct uses *uses, term a, int32_t more);
/* The step at hand is this event. If it is known, it is the same again. Whether it was new. */
bool uses_keep(struct uses *uses, unf_event event);
/* Sums over an event and its causes, of those that are known, in uses->sums by input. False: no
 * memory. O(inputs + events between it and the last one of its thread that was asked about). */
bool uses_sum(struct uses *uses, unf_event event);

#endif
