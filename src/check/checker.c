/* Explicit histories, dependence and the meaning of actions: the definitions, without any of the
 * structures that make them fast. */
#include "base/text.h"
#include "check/check.h"
#include "structure/action.h"
#include "structure/event.h"

#include <string.h>

unf_status unfi_broken(unf_unfolding *u, uint32_t event, const char *what, uint32_t other) {
  unf_detail *detail = &u->context->detail;
  unfi_fail(u->context, UNF_BROKEN, NULL);
  struct text text = unfi_text(detail->text, sizeof detail->text);
  unfi_text_add(&text, unf_status_text(UNF_BROKEN));
  unfi_text_add(&text, ": ");
  if (event != NONE) {
    detail->event = event;
    unfi_text_add(&text, "event ");
    unfi_text_u64(&text, event);
    if (known_event(u, event) && event != 0) {
      unf_action action = unfi_action(u, event_at(u, event)->action);
      unf_action_text(u, &action, detail->seen, sizeof detail->seen);
      unfi_text_add(&text, " (");
      unfi_text_add(&text, detail->seen);
      unfi_text_add(&text, ")");
    }
    unfi_text_add(&text, ": ");
  }
  unfi_text_add(&text, what);
  if (other != NONE) {
    unfi_text_add(&text, " ");
    unfi_text_u64(&text, other);
  }
  return UNF_BROKEN;
}

unf_status unfi_checker_begin(struct checker *checker, unf_unfolding *u) {
  memset(checker, 0, sizeof *checker);
  checker->u = u;
  if (!vector_reserve_zero(u->context, &checker->stamps, u->store.count) ||
      !vector_reserve(u->context, &checker->set, u->store.count)) {
    unfi_checker_end(checker);
    return unfi_refused(u->context);
  }
  return UNF_OK;
}

void unfi_checker_end(struct checker *checker) {
  vector_free(checker->u->context, &checker->stamps);
  vector_free(checker->u->context, &checker->set);
}

void unfi_checker_empty(struct checker *checker) {
  checker->stamp++;
  checker->set.count = 0;
}

/* Room for every event was reserved, and each is in the set once. */
static bool put(void *user, unf_event event) {
  struct checker *checker = user;
  if (checker_has(checker, event)) return true;
  checker->stamps.data[event] = checker->stamp;
  vector_push(&checker->set, event);
  return true;
}

unf_status unfi_checker_add(struct checker *checker, uint32_t event) {
  uint32_t next = checker->set.count;
  unf_status status = UNF_OK;
  put(checker, event);
  for (; status == UNF_OK && next < checker->set.count; next++)
    status = unf_event_predecessors(checker->u, checker->set.data[next], put, checker);
  return status;
}

unf_status unfi_checker_history(struct checker *checker, uint32_t event) {
  unfi_checker_empty(checker);
  return unfi_checker_add(checker, event);
}

unf_status unfi_dependent_events(unf_unfolding *u, uint32_t a, uint32_t b, bool *out) {
  unf_action x = unfi_action(u, event_at(u, a)->action), y = unfi_action(u, event_at(u, b)->action);
  return unf_actions_dependent(u, &x, &y, out);
}

unf_status unfi_check_ordered(struct checker *checker, const handle_vector *events) {
  unf_unfolding *u = checker->u;
  for (uint32_t j = 1; j < events->count; j++) {
    unf_status status = unfi_checker_history(checker, events->data[j]);
    for (uint32_t i = 0; status == UNF_OK && i < j; i++) {
      bool dependent = false;
      if (checker_has(checker, events->data[i])) continue;
      status = unfi_dependent_events(u, events->data[i], events->data[j], &dependent);
      if (dependent)
        return unfi_broken(u, events->data[j], "in conflict with event", events->data[i]);
    }
    if (status != UNF_OK) return status;
  }
  return UNF_OK;
}
