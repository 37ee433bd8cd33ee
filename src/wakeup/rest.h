/*
 * The rest of an execution for the reversal of a race: the steps from a position on that are not
 * left out, and behind them the event f that could have happened instead of what is. Left out are
 * the steps that depend on f and are no causes of it, and all that come after one of these.
 *
 * Most rests are of no use: what begins so was explored, or waits in the wakeup tree. So a rest is
 * asked about steps before they are listed. Let an event be enabled where a rest begins, with some
 * of it already performed:
 * - if it is f, or a step of the rest, it is a weak initial of what is left of the rest. What
 * stands before it there and depends on it is among its causes, and these were performed;
 * - if it is another one, it is a weak initial if no step of what is left depends on it, nor f.
 */
#ifndef WAKEUP_REST_H
#define WAKEUP_REST_H

#include "structure/action.h"
#include "structure/event.h"
#include "structure/relation.h"

/* An event of an execution, with what is asked of it often. */
struct placed {
  uint32_t event, action, thread, before;
  uint32_t next; /* the step of its thread after it, if that is one: it may be left from a longer
                    execution */
};

/* What is known of an event. */
struct noted {
  uint32_t stamp; /* of the last execution that had it as a reversal */
  uint32_t step;  /* where it was in the last execution that had it */
};

/* How a thread stands to the rest at hand. All zero at first. */
struct standing {
  uint32_t kept;     /* its last event that is known not to be left out */
  uint32_t not_kept; /* the complement of its first event that is known to be left out */
  uint32_t at;       /* its steps in front of here were performed */
};

struct rest {
  unf_unfolding *u;
  const struct placed *steps;
  const struct noted *events;
  const uint32_t *firsts; /* by thread: its first step, if it has one */
  struct standing *threads;
  uint32_t position, count; /* where the rest begins, and the execution ends */
  uint32_t event;           /* f */
  uint32_t out; /* left out are this event and all that comes after it; 0: the threads know all */
  bool event_done; /* f was performed */
};

/* Only an event, which can be at a position. */
static inline struct rest rest_of_one(unf_unfolding *u, uint32_t event, uint32_t position) {
  return (struct rest){.u = u, .position = position, .count = position, .event = event};
}

/* The step of a thread that follows an event, which may be the one that starts it; NONE: there is
 * none. */
static inline uint32_t step_after(const struct rest *rest, uint32_t thread, uint32_t before) {
  bool first = before == 0 || action_of(rest->u, before)->thread != thread;
  uint32_t step = first ? rest->firsts[thread] : rest->steps[rest->events[before].step].next;
  if (step >= rest->count) return NONE;
  const struct placed *p = &rest->steps[step];
  return p->thread == thread && p->before == before ? step : NONE;
}

/* Whether an event of the execution, behind the position, is left out. On each thread these are all
 * from one on. */
static inline bool is_left_out(const struct rest *rest, uint32_t event, uint32_t thread) {
  struct standing *standing = &rest->threads[thread];
  if (event >= ~standing->not_kept) return true;
  if (event <= standing->kept || rest->out == 0) return false;
  bool out = unfi_precedes(rest->u, rest->out, event);
  *(out ? &standing->not_kept : &standing->kept) = out ? ~event : event;
  return out;
}

/* Whether a step is still part of the rest. */
static inline bool remains(const struct rest *rest, uint32_t step) {
  const struct placed *p = &rest->steps[step];
  return step >= rest->threads[p->thread].at && !is_left_out(rest, p->event, p->thread);
}

/* Whether an event that is no step of the rest, nor f, is a weak initial of what is left of it. It
 * does not depend on the steps in front of `from`. */
bool unfi_rest_begins(const struct rest *rest, uint32_t event, uint32_t from);

/* How an event that is enabled stands to what is left of a rest: it is no weak initial, or one that
 * is part of it, or another one. */
enum weak { WEAK_NOT, WEAK_INSIDE, WEAK_OUTSIDE };
enum weak unfi_rest_initial(const struct rest *rest, uint32_t event);

/* Takes an event that is inside out of the rest. */
void unfi_rest_perform(struct rest *rest, uint32_t event);

/* Lists what is left of a rest, for the steps and f of which there is room; how many. */
uint32_t unfi_rest_list(const struct rest *rest, uint32_t *sequence);

#endif
