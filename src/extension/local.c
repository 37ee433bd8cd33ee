/* Local effects: nothing outside of the thread is touched; data non-determinism is several values
 * after the same causes. */
#include "extension/reversing.h"
#include "extension/siblings.h"
#include "structure/action.h"
#include "structure/cut.h"
#include "structure/effect.h"
#include "structure/event.h"

static unf_status outcomes(unf_unfolding *u, struct cut cut, uint32_t thread,
                           const unf_operation *operation, outcome_visitor visit, void *user) {
  unf_action action = {UNF_DID_LOCAL, thread, 0, 0, operation->low};
  struct siblings siblings;
  (void)cut;
  unfi_siblings(u, operation, &siblings);
  while (visit(user, &action) && action.value != siblings.high)
    action.value = sibling_after(siblings, action.value);
  return UNF_OK;
}

static unf_status possible(unf_unfolding *u, struct cut cut, const unf_action *action) {
  (void)u, (void)cut, (void)action;
  return UNF_OK;
}

/* Every other value; values of an operation that is still to be performed are all enabled. */
static unf_status conflicting(unf_unfolding *u, struct cut cut, uint32_t thread, uint32_t before,
                              const unf_operation *operation, uint32_t event, causes_visitor visit,
                              void *user) {
  struct siblings siblings;
  struct causes causes;
  (void)cut, (void)thread, (void)before;
  if (event == NONE) return UNF_OK;
  unfi_siblings(u, operation, &siblings);
  int64_t taken = action_of(u, event)->value, value = siblings.low;
  do {
    unf_status status = value == taken ? UNF_OK : unfi_sibling(u, event, value, &causes);
    if (status != UNF_OK) return status;
    if (value != taken && !visit(user, &causes)) return UNF_OK;
    value = sibling_after(siblings, value);
  } while (value != siblings.low);
  return UNF_OK;
}

static void reverse(unf_unfolding *u, struct reversal *r, uint32_t event) {
  (void)u;
  unfi_reverse_to_siblings(r, event);
}

static const struct action_row actions[] = {
    {.kind = UNF_DID_LOCAL, .value = VALUE_NUMBER},
};

static const struct operation_row operations[] = {
    {.kind = UNF_LOCAL, .numbers = NUMBERS_RANGE},
};

const struct effect_family unfi_local_family = {
    .actions = ROWS(actions),
    .operations = ROWS(operations),
    .only_target = true,
    .outcomes = outcomes,
    .possible = possible,
    .conflicting = conflicting,
    .blockers = unfi_no_blockers,
    .reverse = reverse,
};
