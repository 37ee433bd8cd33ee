/* Rests of executions. O(steps) where an event is outside or the rest is listed, else O(1). */
#include "wakeup/rest.h"

bool unfi_rest_begins(const struct rest *rest, uint32_t event, uint32_t from) {
  const unf_unfolding *u = rest->u;
  const struct action *a = action_of(u, event);
  if (!rest->event_done && unfi_dependent(u, a, action_of(u, rest->event))) return false;
  for (uint32_t i = from; i < rest->count; i++) {
    if (unfi_dependent(u, a, &u->actions.data[rest->steps[i].action]) && remains(rest, i))
      return false;
  }
  return true;
}

/* The step of the execution that stands for an enabled event: what its thread did there after the
 * event before it. NONE: there is none, or that event was not performed there. */
static uint32_t step_instead(const struct rest *rest, uint32_t event) {
  uint32_t before = event_at(rest->u, event)->before;
  if (rest->position == rest->count || before == rest->event) return NONE;
  return step_after(rest, action_of(rest->u, event)->thread, before);
}

enum weak unfi_rest_initial(const struct rest *rest, uint32_t event) {
  if (event == rest->event) return WEAK_INSIDE;
  uint32_t step = step_with(rest, event);
  if (step != NONE) {
    /* What comes after an event that no step of the rest is cannot be enabled. */
    bool kept = rest->out != 0 || !is_left_out(rest, event, rest->steps[step].thread);
    return kept ? WEAK_INSIDE : WEAK_NOT;
  }
  step = step_instead(rest, event);
  if (step != NONE && remains(rest, step)) return WEAK_NOT;
  return unfi_rest_begins(rest, event, rest->position) ? WEAK_OUTSIDE : WEAK_NOT;
}

uint32_t unfi_rest_list(const struct rest *rest, uint32_t *sequence) {
  uint32_t count = 0;
  for (uint64_t left = rest->left; rest->few != NULL && left != 0; left &= left - 1)
    sequence[count++] = rest->steps[__builtin_ctzll(left)].event;
  for (uint32_t i = rest->position; rest->few == NULL && i < rest->count; i++)
    if (remains(rest, i)) sequence[count++] = rest->steps[i].event;
  if (!rest->event_done) sequence[count++] = rest->event;
  return count;
}
