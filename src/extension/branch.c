/*
 * Branches: a thread goes on in one of several ways, by data that are not known. As a choice, a
 * branch touches nothing outside of its thread; whether an outcome can be together with what others
 * did is no matter of causes and conflicts, but of the predicate of the unfolding
 * (structure/consistency.h). So all outcomes are outcomes here, and who adds one to a configuration
 * asks.
 */
#include "structure/action.h"
#include "structure/effect.h"
#include "structure/event.h"
#include "extension/siblings.h"

static unf_status admit(unf_unfolding *u, const unf_operation *operation) {
  if (u->consistency == NULL)
    return unfi_fail(u->context, UNF_UNSUPPORTED,
                     "a branch without unf_unfolding_set_consistency()");
  if (operation->high < 1 || operation->high >= UINT32_MAX)
    return unfi_fail(u->context, UNF_INVALID, "number of outcomes of a branch");
  return UNF_OK;
}

static unf_status outcomes(unf_unfolding *u, struct cut cut, uint32_t thread,
                           const unf_operation *operation, outcome_visitor visit, void *user) {
  unf_action action = {UNF_DID_BRANCH, thread, 0, 0, 0};
  int64_t count = operation->high;
  (void)u, (void)cut;
  for (; action.value < count; action.value++)
    if (!visit(user, &action)) break;
  return UNF_OK;
}

static unf_status possible(unf_unfolding *u, struct cut cut, const unf_action *action) {
  (void)u, (void)cut;
  return action->value >= 0 ? UNF_OK : UNF_DISABLED;
}

/* The other outcomes; none of them is in conflict with what was not decided yet. */
static unf_status conflicting(unf_unfolding *u, struct cut cut, uint32_t thread, uint32_t before,
                              const unf_operation *operation, uint32_t event, causes_visitor visit,
                              void *user) {
  int64_t count = operation->high;
  struct causes causes;
  (void)cut, (void)thread, (void)before;
  for (int64_t value = 0; event != NONE && value < count; value++) {
    if (value == action_of(u, event)->value) continue;
    unf_status status = unfi_sibling(u, event, value, &causes);
    if (status != UNF_OK) return status;
    if (!visit(user, &causes)) break;
  }
  return UNF_OK;
}

static const struct action_row actions[] = {
    {.kind = UNF_DID_BRANCH, .value = VALUE_NUMBER},
};

static const struct operation_row operations[] = {
    {.kind = UNF_BRANCH, .numbers = NUMBERS_BOTH},
};

const struct effect_family unfi_branch_family = {
    .actions = ROWS(actions),
    .operations = ROWS(operations),
    .only_target = true,
    .admit = admit,
    .outcomes = outcomes,
    .possible = possible,
    .conflicting = conflicting,
    .blockers = unfi_no_blockers,
};
