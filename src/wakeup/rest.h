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
 *
 * Of an execution of few steps a word says what is left of the rest.
 */
#ifndef WAKEUP_REST_H
#define WAKEUP_REST_H

#include "structure/relation.h"
#include "wakeup/few_steps.h"

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
  const struct few_steps *few; /* of an execution of few steps, else NULL */
  uint64_t left;               /* then: what is left of the steps */
  uint32_t position, count;    /* where the rest begins, and the execution ends */
  uint32_t event;              /* f */
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
  if (rest->few != NULL) return rest->left >> step & 1;
  const struct placed *p = &rest->steps[step];
  return step >= rest->threads[p->thread].at && !is_left_out(rest, p->event, p->thread);
}

/* Where an event is in the execution, or NONE. */
static inline uint32_t step_with(const struct rest *rest, uint32_t event) {
  uint32_t step = rest->position < rest->count ? rest->events[event].step : NONE;
  return step < rest->count && rest->steps[step].event == event ? step : NONE;
}

/* Whether an event that is no step of the rest, nor f, is a weak initial of what is left of it. It
 * does not depend on the steps in front of `from`. */
bool unfi_rest_begins(const struct rest *rest, uint32_t event, uint32_t from);
WITHIN bool rest_begins(const struct rest *rest, uint32_t event, uint32_t from) {
  if (rest->few == NULL) return unfi_rest_begins(rest, event, from);
  const struct action *a = action_of(rest->u, event);
  if ((few_dependent(rest->u, rest->few, a) & rest->left) != 0) return false;
  return rest->event_done || !unfi_dependent(rest->u, a, action_of(rest->u, rest->event));
}

/* How an event that is enabled stands to what is left of a rest: it is no weak initial, or one that
 * is part of it, or another one. */
enum weak { WEAK_NOT, WEAK_INSIDE, WEAK_OUTSIDE };
enum weak unfi_rest_initial(const struct rest *rest, uint32_t event);
WITHIN enum weak rest_initial(const struct rest *rest, uint32_t event) {
  if (rest->few == NULL) return unfi_rest_initial(rest, event);
  if (event == rest->event) return WEAK_INSIDE;
  uint32_t step = rest->events[event].step;
  if (step < rest->count && rest->steps[step].event == event)
    return rest->left >> step & 1 ? WEAK_INSIDE : WEAK_NOT;
  return rest_begins(rest, event, rest->position) ? WEAK_OUTSIDE : WEAK_NOT;
}

/* Takes an event that is inside out of the rest. */
static inline void rest_perform(struct rest *rest, uint32_t event) {
  uint32_t step = step_with(rest, event);
  if (step == NONE)
    rest->event_done = true;
  else if (rest->few != NULL)
    rest->left &= ~((uint64_t)1 << step);
  else
    rest->threads[rest->steps[step].thread].at = step + 1;
}

/* Lists what is left of a rest, for the steps and f of which there is room; how many. */
uint32_t unfi_rest_list(const struct rest *rest, uint32_t *sequence);

/* Returning false ends the enumeration. A rest is the visitor's, and valid until it returns. */
typedef bool (*rest_visitor)(void *user, struct rest *rest);

#endif
