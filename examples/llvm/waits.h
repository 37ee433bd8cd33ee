/*
 * Memory that was freed and whose own thread does not know that yet (freed.h), as a part of the
 * state for cutoffs. What follows depends on when that thread comes to know of it: by which of the
 * events to come the free is in its past. That is no state of a thread or object, but follows from
 * the causes of an event: an event to come has the free in its past if it depends on one that has.
 * An action depends on what was done before to the thread and the objects that it uses, in ways
 * that do not commute with it. So of each such free the state has what was done, and to which
 * thread or object, by events that have it in their past: two states in which that is the same are
 * told of the free by the same events.
 */
#ifndef LLVM_WAITS_H
#define LLVM_WAITS_H

#include <unfold/unfold.h>

#include "uses.h"

/* A free of which an event told who has it in its past; or `over`: the memory's own thread has
 * looked, and can have it again. */
struct wait {
  uint64_t spot;
  unf_thread freed_by;
  bool over;
};

/* Those of an event: from `first` - 1 on; 0: it has none. */
struct event_waits {
  uint32_t first, count;
};

struct waits {
  const struct knowledge *knowledge;
  struct wait *list;
  uint32_t count, room, first; /* those from `first` on are of the step at hand */
  struct event_waits *events;
  uint32_t event_room;
  struct uses open; /* how many are not over, as of one input */
  struct walk *walk;
  bool failed; /* there was no memory */
};

void waits_make(struct waits *waits, struct knowledge *knowledge);
void waits_free(struct waits *waits);
/* The step at hand begins. */
void waits_begin(struct waits *waits);
/* The event of the step tells of a free; the thread of the memory can have it again. */
void waits_tell(struct waits *waits, uint64_t spot, unf_thread freed_by);
void waits_end(struct waits *waits, uint64_t spot);
/* The step is this event: adds what its causes, and it, leave waiting, at a location. Where that is
 * much, or lies far back, the state is like no other. O(events since the first of these frees that
 * is not over, at most 4,096). */
unf_status waits_condition(struct waits *waits, unf_event event, unf_hash hash, uint64_t location,
                           unf_fingerprint *condition);

#endif
