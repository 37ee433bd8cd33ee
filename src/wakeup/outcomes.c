/*
 * The other outcomes of the branches of an execution, as reversals: each alone at the node of its
 * branch, if it is consistent with what comes before (doc/consistency.md, "odpor").
 */
#include "wakeup/outcomes.h"

#include "configuration/branches.h"
#include "extension/siblings.h"
#include "structure/cut.h"

/* Visits the other outcomes of the branch event at a position; `before` has the branch events of
 * the execution up to there, and room for one more. Unsets *more when the visitor ends it. */
static unf_status visit_others(unf_unfolding *u, const struct maximal *M, uint32_t position,
                               handle_vector *before, rest_visitor visit, void *user, bool *more) {
  uint32_t event = M->events[position], other, known = before->count;
  uint32_t next = next_after(u, action_of(u, event)->thread, event_at(u, event)->before);
  int64_t count = u->operations.data[next].high;
  for (int64_t value = 0; *more && value < count; value++) {
    struct causes causes;
    unf_answer answer;
    unf_status status = unfi_work(u->context, 1);
    if (status == UNF_OK) status = unfi_sibling(u, event, value, &causes);
    if (status == UNF_OK) status = unfi_event_intern(u, &causes, &other);
    if (status != UNF_OK) return status;
    if (other == event) continue;
    before->data[known] = other;
    status = unfi_ask(u, before->data, known + 1, known, &answer);
    if (status != UNF_OK) return status;
    struct rest rest = rest_of_one(u, other, position);
    if (answer != UNF_ANSWER_NO) *more = visit(user, &rest);
  }
  return UNF_OK;
}

unf_status unfi_outcome_reversals(unf_unfolding *u, const struct maximal *M, rest_visitor visit,
                                  void *user) {
  handle_vector before = {0};
  bool more = true;
  unf_status status = UNF_OK;
  if (u->consistency == NULL) return UNF_OK;
  if (!vector_reserve(u->context, &before, (uint64_t)M->count + 1)) return unfi_refused(u->context);
  for (uint32_t i = 0; more && status == UNF_OK && i < M->count; i++) {
    if (!is_branch(u, M->events[i])) continue;
    status = visit_others(u, M, i, &before, visit, user, &more);
    vector_push(&before, M->events[i]);
  }
  vector_free(u->context, &before);
  return status;
}
