/* Whether every event of an unfolding is one, and is there once. */
#include "base/null.h"
#include "base/sort.h"
#include "check/check.h"
#include "check/possible.h"
#include "structure/event.h"

struct predecessor_list {
  const unf_unfolding *u;
  handle_vector predecessors; /* with room for all of an event */
};

static bool predecessor(void *user, unf_event event) {
  struct predecessor_list *past = user;
  if (event != 0) vector_push(&past->predecessors, event);
  return true;
}

static unf_status list(struct predecessor_list *past, uint32_t event) {
  unf_context *context = past->u->context;
  past->predecessors.count = 0;
  if (!vector_reserve(context, &past->predecessors, unfi_predecessor_bound(past->u, event)))
    return unfi_refused(context);
  return unf_event_predecessors(past->u, event, predecessor, past);
}

/* Checks that predecessors have smaller handles, that the event depends on them, and that none is
 * in the history of another. */
static unf_status check_predecessors(struct checker *checker, const struct predecessor_list *past,
                                     uint32_t event) {
  const handle_vector *p = &past->predecessors;
  for (uint32_t i = 0; i < p->count; i++) {
    bool dependent = false;
    if (p->data[i] >= event)
      return unfi_broken(checker->u, event, "it does not come after its predecessor", p->data[i]);
    unf_status status = unfi_dependent_events(checker->u, p->data[i], event, &dependent);
    if (status == UNF_OK && !dependent)
      return unfi_broken(checker->u, event, "it does not depend on its predecessor", p->data[i]);
    if (status == UNF_OK) status = unfi_checker_history(checker, p->data[i]);
    if (status != UNF_OK) return status;
    for (uint32_t j = 0; j < p->count; j++)
      if (j != i && checker_has(checker, p->data[j]))
        return unfi_broken(checker->u, event, "a predecessor is a cause of predecessor",
                           p->data[i]);
  }
  return UNF_OK;
}

static unf_status check_event(struct checker *checker, struct predecessor_list *past,
                              handle_vector *history, uint32_t event) {
  unf_context *context = checker->u->context;
  unf_status status = list(past, event);
  if (status == UNF_OK) status = check_predecessors(checker, past, event);
  if (status == UNF_OK) status = unfi_checker_history(checker, event);
  if (status != UNF_OK) return status;
  history->count = 0;
  if (!vector_reserve(context, history, checker->set.count)) return unfi_refused(context);
  for (uint32_t i = 0; i < checker->set.count; i++)
    vector_push(history, checker->set.data[i]);
  unfi_sort(history->data, history->count);
  status = unfi_check_possible(checker->u, history->data, history->count - 1, event);
  /* The history of a single predecessor was checked when that event was. */
  if (status == UNF_OK && past->predecessors.count > 1)
    status = unfi_check_ordered(checker, history);
  return status;
}

/* Whether an event with the same action has the same predecessors. */
static unf_status check_name(struct predecessor_list *past, struct predecessor_list *other,
                             unf_unfolding *u, uint32_t event) {
  unf_status status = list(past, event);
  for (uint32_t e = 1; status == UNF_OK && e < event; e++) {
    if (event_at(u, e)->action != event_at(u, event)->action) continue;
    status = list(other, e);
    const handle_vector *a = &past->predecessors, *b = &other->predecessors;
    bool same = a->count == b->count;
    for (uint32_t i = 0; same && i < a->count; i++)
      same = a->data[i] == b->data[i];
    if (status == UNF_OK && same) return unfi_broken(u, event, "it has the same name as event", e);
  }
  return status;
}

unf_status unf_check_unfolding(unf_unfolding *u) {
  RETURN_IF_NULL(u->context, u);
  struct checker checker;
  struct predecessor_list past = {u, {0}}, other = {u, {0}};
  handle_vector history = {0};
  uint32_t count = u->store.count;
  unf_status status = unfi_checker_begin(&checker, u);
  if (status != UNF_OK) return status;
  for (uint32_t e = 1; status == UNF_OK && e < count; e++) {
    status = check_event(&checker, &past, &history, e);
    if (status == UNF_OK) status = check_name(&past, &other, u, e);
  }
  vector_free(u->context, &history);
  vector_free(u->context, &past.predecessors);
  vector_free(u->context, &other.predecessors);
  unfi_checker_end(&checker);
  return status;
}
