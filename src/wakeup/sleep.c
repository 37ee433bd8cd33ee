/*
 * Weak initials, and sleep sets along an execution. An event that is asleep at a node is asleep at
 * the nodes below it until a step depends on it. So the sets of all nodes are one list of events,
 * with the first and the last node where each is asleep.
 */
#include "wakeup/sleep.h"

#include <string.h>

#include "base/null.h"
#include "structure/action.h"
#include "structure/event.h"

bool unfi_weak_initial(const unf_unfolding *u, uint32_t event, const uint32_t *sequence,
                       uint32_t count, uint32_t *position) {
  const struct action *a = action_of(u, event);
  *position = NONE;
  for (uint32_t i = 0; i < count; i++) {
    if (sequence[i] == event) {
      *position = i;
      return true;
    }
    if (unfi_dependent(u, a, action_of(u, sequence[i]))) return false;
  }
  return true;
}

unf_status unfi_check_step(const unf_unfolding *u, uint32_t event) {
  if (!known_event(u, event)) return unfi_fail(u->context, UNF_UNKNOWN, "event");
  if (event == 0) return unfi_fail(u->context, UNF_INVALID, "⊥ as a step");
  return UNF_OK;
}

static unf_status check_sequence(const unf_unfolding *u, const unf_event *sequence,
                                 uint64_t count) {
  if (count >= NONE) return unfi_fail(u->context, UNF_INVALID, "sequence");
  unf_status status = UNF_OK;
  for (uint64_t i = 0; i < count && status == UNF_OK; i++)
    status = unfi_check_step(u, sequence[i]);
  return status;
}

unf_status unf_weak_initial(const unf_unfolding *u, unf_event event, const unf_event *sequence,
                            uint64_t count, bool *out) {
  RETURN_IF_NULL(u->context, u, out);
  RETURN_IF_NULL_ARRAY(u->context, sequence, count);
  uint32_t position;
  unf_status status = unfi_check_step(u, event);
  if (status == UNF_OK) status = check_sequence(u, sequence, count);
  if (status == UNF_OK) *out = unfi_weak_initial(u, event, sequence, (uint32_t)count, &position);
  return status;
}

struct asleep {
  uint32_t event, from, until; /* first and last node where it is asleep; NONE: still asleep */
};

struct unf_sleep_sets {
  unf_unfolding *u;
  VECTOR(struct asleep) asleep; /* by ascending `from` */
  handle_vector steps;
};

unf_status unf_sleep_new(unf_unfolding *u, unf_sleep_sets **out) {
  RETURN_IF_NULL(u->context, u, out);
  unf_sleep_sets *sleep = unfi_reallocate(u->context, NULL, 0, sizeof *sleep);
  if (sleep == NULL) return unfi_refused(u->context);
  memset(sleep, 0, sizeof *sleep);
  sleep->u = u;
  *out = sleep;
  return UNF_OK;
}

void unf_sleep_free(unf_sleep_sets *sleep) {
  if (sleep == NULL) return;
  unf_context *context = sleep->u->context;
  vector_free(context, &sleep->asleep);
  vector_free(context, &sleep->steps);
  unfi_reallocate(context, sleep, sizeof *sleep, 0);
}

unf_status unf_sleep_add(unf_sleep_sets *sleep, unf_event event) {
  RETURN_IF_NULL(sleep->u->context, sleep);
  unf_context *context = sleep->u->context;
  unf_status status = unfi_check_step(sleep->u, event);
  if (status != UNF_OK) return status;
  if (!vector_reserve(context, &sleep->asleep, (uint64_t)sleep->asleep.count + 1))
    return unfi_refused(context);
  struct asleep added = {event, sleep->steps.count, NONE};
  vector_push(&sleep->asleep, added);
  return UNF_OK;
}

unf_status unf_sleep_push(unf_sleep_sets *sleep, unf_event event) {
  RETURN_IF_NULL(sleep->u->context, sleep);
  const unf_unfolding *u = sleep->u;
  unf_status status = unfi_check_step(u, event);
  if (status != UNF_OK) return status;
  if (!vector_reserve(u->context, &sleep->steps, (uint64_t)sleep->steps.count + 1))
    return unfi_refused(u->context);
  for (uint32_t i = 0; i < sleep->asleep.count; i++) {
    struct asleep *a = &sleep->asleep.data[i];
    if (a->until == NONE && unfi_dependent(u, action_of(u, event), action_of(u, a->event)))
      a->until = sleep->steps.count;
  }
  vector_push(&sleep->steps, event);
  return UNF_OK;
}

unf_status unf_sleep_pop(unf_sleep_sets *sleep) {
  RETURN_IF_NULL(sleep->u->context, sleep);
  if (sleep->steps.count == 0) return unfi_fail(sleep->u->context, UNF_STATE, "back from the root");
  uint32_t depth = --sleep->steps.count;
  while (sleep->asleep.count > 0 && sleep->asleep.data[sleep->asleep.count - 1].from > depth)
    sleep->asleep.count--;
  for (uint32_t i = 0; i < sleep->asleep.count; i++)
    if (sleep->asleep.data[i].until == depth) sleep->asleep.data[i].until = NONE;
  return UNF_OK;
}

unf_event unf_sleep_last(const unf_sleep_sets *sleep) {
  if (sleep == NULL) return UNF_EVENT_NONE;
  return sleep->steps.count == 0 ? UNF_EVENT_BOTTOM : sleep->steps.data[sleep->steps.count - 1];
}

unf_status unf_sleep_contains(const unf_sleep_sets *sleep, unf_event event, bool *out) {
  RETURN_IF_NULL(sleep->u->context, sleep, out);
  if (!known_event(sleep->u, event)) return unfi_fail(sleep->u->context, UNF_UNKNOWN, "event");
  *out = false;
  for (uint32_t i = 0; i < sleep->asleep.count && !*out; i++)
    *out = sleep->asleep.data[i].until == NONE && sleep->asleep.data[i].event == event;
  return UNF_OK;
}

static unf_status check_depth(const unf_sleep_sets *sleep, uint64_t depth) {
  if (depth <= sleep->steps.count) return UNF_OK;
  return unfi_fail(sleep->u->context, UNF_INVALID, "depth of a sleep set");
}

unf_status unf_sleep_initial(const unf_sleep_sets *sleep, uint64_t depth, const unf_event *sequence,
                             uint64_t count, bool *out) {
  RETURN_IF_NULL(sleep->u->context, sleep, out);
  RETURN_IF_NULL_ARRAY(sleep->u->context, sequence, count);
  const unf_unfolding *u = sleep->u;
  unf_status status = check_depth(sleep, depth);
  if (status == UNF_OK) status = check_sequence(u, sequence, count);
  if (status != UNF_OK) return status;
  *out = false;
  for (uint32_t i = 0; i < sleep->asleep.count && !*out; i++) {
    const struct asleep *a = &sleep->asleep.data[i];
    uint32_t position;
    if (a->from > depth) break;
    *out =
        a->until >= depth && unfi_weak_initial(u, a->event, sequence, (uint32_t)count, &position);
  }
  return UNF_OK;
}

unf_status unf_sleep_visit(const unf_sleep_sets *sleep, uint64_t depth, unf_event_visitor visit,
                           void *user) {
  RETURN_IF_NULL(sleep->u->context, sleep, visit);
  unf_status status = check_depth(sleep, depth);
  if (status != UNF_OK) return status;
  for (uint32_t i = 0; i < sleep->asleep.count && sleep->asleep.data[i].from <= depth; i++)
    if (sleep->asleep.data[i].until >= depth && !visit(user, sleep->asleep.data[i].event)) break;
  return UNF_OK;
}
