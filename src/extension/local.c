/* Local effects: nothing outside of the thread is touched; data non-determinism is several values
 * after the same causes. */
#include "extension/reversing.h"
#include "structure/action.h"
#include "structure/cut.h"
#include "structure/effect.h"
#include "structure/event.h"

static unf_status outcomes(unf_unfolding *u, struct cut cut, uint32_t thread,
                           const unf_operation *operation, outcome_visitor visit, void *user) {
  (void)u;
  (void)cut;
  unf_action action = {UNF_DID_LOCAL, thread, 0, 0, operation->low};
  while (visit(user, &action) && action.value != operation->high)
    action.value++;
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
  (void)cut;
  if (event == NONE) return UNF_OK;
  int64_t taken = action_of(u, event)->value;
  struct causes causes = {.before = before};
  unf_action action = {UNF_DID_LOCAL, thread, 0, 0, operation->low};
  for (;; action.value++) {
    if (action.value != taken) {
      unf_status status = unfi_action_intern(u, &action, &causes.action);
      if (status != UNF_OK) return status;
      if (!visit(user, &causes)) return UNF_OK;
    }
    if (action.value == operation->high) return UNF_OK;
  }
}

static uint32_t blockers(const unf_unfolding *u, struct cut cut, uint32_t thread,
                         const unf_operation *operation, uint32_t *out) {
  (void)u, (void)cut, (void)thread, (void)operation, (void)out;
  return 0;
}

static void reverse(unf_unfolding *u, struct reversal *r, uint32_t event) {
  (void)u;
  unfi_siblings(r, event);
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
    .blockers = blockers,
    .reverse = reverse,
};
