/* Whether the path of an explorer is an execution, its D is as Algorithm 1 (CAV 2018) requires, and
 * its counts add up. */
#include "base/null.h"
#include "check/check.h"
#include "check/possible.h"
#include "exploration/explorer.h"
#include "structure/unfolding.h"

struct causes_of {
  struct checker *checker; /* the causes must be in its set */
  uint32_t missing;
};

static bool inside(void *user, unf_event event) {
  struct causes_of *c = user;
  if (!checker_has(c->checker, event)) c->missing = event;
  return c->missing == NONE;
}

/* Checks that all causes of an event are in the checker's set. */
static unf_status check_causes(struct checker *checker, uint32_t event, const char *what) {
  struct causes_of c = {checker, NONE};
  unf_status status = unf_event_predecessors(checker->u, event, inside, &c);
  if (status == UNF_OK && c.missing != NONE) return unfi_broken(checker->u, event, what, c.missing);
  return status;
}

/* Checks an event of D that was added at the node whose C is the checker's set. */
static unf_status check_sleeper(const unf_explorer *x, struct checker *checker, uint32_t event,
                                uint32_t depth) {
  if (checker_has(checker, event)) return unfi_broken(x->u, event, "in D and in C at node", depth);
  unf_status status = check_causes(checker, event, "in D, but C at its node lacks its cause");
  for (uint32_t k = depth; !x->strategy->sleeps_at_node && k < x->path.steps.count; k++)
    if (x->path.steps.data[k].event == event)
      return unfi_broken(x->u, event, "in D, and performed later, at step", k + 1);
  return status;
}

/* Checks all that were added there. */
static unf_status check_sleepers(const unf_explorer *x, struct checker *checker, uint32_t depth) {
  const struct sleepers *D = &x->path.D;
  unf_status status = UNF_OK;
  for (uint32_t i = 0; status == UNF_OK && i < D->entries.count; i++)
    if (D->entries.data[i].depth == depth)
      status = check_sleeper(x, checker, D->entries.data[i].event, depth);
  for (uint32_t i = 0; status == UNF_OK && i < D->siblings.count; i++)
    if (D->siblings.data[i].depth == depth)
      status = check_sleeper(x, checker, D->siblings.data[i].event, depth);
  return status;
}

static unf_status check_path(const unf_explorer *x, struct checker *checker) {
  unf_unfolding *u = x->u;
  handle_vector events = {0};
  unf_status status = UNF_OK;
  if (!vector_reserve(u->context, &events, x->path.steps.count)) return unfi_refused(u->context);
  unfi_checker_empty(checker);
  for (uint32_t i = 0; status == UNF_OK && i <= x->path.steps.count; i++) {
    status = check_sleepers(x, checker, i);
    if (status != UNF_OK || i == x->path.steps.count) break;
    uint32_t event = x->path.steps.data[i].event;
    if (checker_has(checker, event))
      status = unfi_broken(u, event, "performed twice", NONE);
    else
      status = check_causes(checker, event, "performed before its cause");
    if (status == UNF_OK) status = unfi_check_possible(u, events.data, events.count, event);
    if (status != UNF_OK) break;
    checker->stamps.data[event] = checker->stamp;
    vector_push(&events, event);
  }
  /* In any order that respects causes, dependent events of a configuration are
   * ordered by causality. */
  if (status == UNF_OK) status = unfi_check_ordered(checker, &events);
  vector_free(u->context, &events);
  return status;
}

static unf_status check_counts(const unf_explorer *x) {
  const unf_counts *n = &x->counts;
  unf_unfolding *u = x->u;
  if (n->executions != n->traces + n->redundant + n->truncated + n->undecided + n->infeasible)
    return unfi_broken(u, NONE, "executions are not traces and those that are none", NONE);
  /* Of executions that are drawn all are counted for what they came to. */
  uint64_t judged = n->traces + (x->strategy->samples ? n->redundant : 0);
  if (judged != n->complete + n->blocked)
    return unfi_broken(u, NONE, "traces are not complete and blocked ones", NONE);
  if (n->deadlocks > n->blocked)
    return unfi_broken(u, NONE, "more deadlocks than blocked traces", NONE);
  if (n->events > n->extensions || n->extensions >= u->store.count + n->collected)
    return unfi_broken(u, NONE, "more events counted than there are", NONE);
  if (n->alternatives.found > n->alternatives.searches ||
      n->alternatives.kept > n->alternatives.read)
    return unfi_broken(u, NONE, "the statistics of alternatives do not add up", NONE);
  if (n->reversals_inserted > n->reversals || n->turns > n->turns_tested)
    return unfi_broken(u, NONE, "more branches were made than looked at", NONE);
  if (unf_configuration_size(&x->path.C) != x->path.steps.count)
    return unfi_broken(u, NONE, "C has not the size of the path,", x->path.steps.count);
  return UNF_OK;
}

unf_status unf_check_explorer(const unf_explorer *x) {
  RETURN_IF_NULL(x->u->context, x);
  struct checker checker;
  unf_status status = unfi_checker_begin(&checker, x->u);
  if (status != UNF_OK) return status;
  status = check_path(x, &checker);
  if (status == UNF_OK) status = check_counts(x);
  unfi_checker_end(&checker);
  return status == UNF_OK ? unf_check_configuration(&x->path.C) : status;
}
