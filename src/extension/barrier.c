/*
 * Rounds of barriers. Arrivals add: they commute. To pass reads the end of the round, which nobody
 * changes any more. That holds only while no more threads than the round needs arrive at it; else
 * it depends on their order who is in the round, so that is refused.
 */
#include "configuration/configuration.h"
#include "structure/action.h"
#include "structure/cut.h"
#include "structure/effect.h"
#include "structure/names.h"

static int64_t arrivals(const unf_unfolding *u, struct cut cut, uint32_t round) {
  return entry_sum(u, cut_at(cut, u->objects.data[round].site));
}

static int64_t amount(unf_unfolding *u, uint32_t event) {
  (void)u, (void)event;
  return 1;
}

static unf_status contended(unf_unfolding *u) {
  return unfi_fail(u->context, UNF_UNSUPPORTED,
                   "contended barrier: more threads than a round needs arrive at it");
}

/* All operations on a round say the same number. */
static unf_status admit(unf_unfolding *u, const unf_operation *operation) {
  struct object *o = &u->objects.data[operation->target];
  if (operation->low <= 0) return unfi_fail(u->context, UNF_INVALID, "arrivals of a round");
  if (o->fixed && o->initial != operation->low)
    return unfi_fail(u->context, UNF_INVALID, "another number of arrivals for one round");
  o->initial = operation->low;
  o->fixed = true;
  return UNF_OK;
}

/* UNF_DISABLED: blocked. */
static unf_status possible(unf_unfolding *u, struct cut cut, const unf_action *action) {
  const struct object *o = &u->objects.data[action->target];
  bool full = arrivals(u, cut, action->target) >= o->initial;
  if (!o->fixed) return UNF_DISABLED;
  if (action->kind == UNF_DID_ARRIVE) return full ? contended(u) : UNF_OK;
  return full ? UNF_OK : UNF_DISABLED;
}

static unf_status outcomes(unf_unfolding *u, struct cut cut, uint32_t thread,
                           const unf_operation *operation, outcome_visitor visit, void *user) {
  unf_action action = {operation->kind == UNF_ARRIVE ? UNF_DID_ARRIVE : UNF_DID_PASS, thread,
                       operation->target, 0, 0};
  unf_status status = possible(u, cut, &action);
  if (status == UNF_OK) visit(user, &action);
  return status == UNF_DISABLED ? UNF_OK : status;
}

/* A pass has the causes of its round only. */
static unf_status shapes(unf_unfolding *u, struct cut cut, uint32_t thread,
                         const unf_operation *operation, shape_visitor visit, void *user) {
  struct shape shape = {.action = {UNF_DID_ARRIVE, thread, operation->target, 0, 0}};
  (void)u;
  (void)cut;
  if (operation->kind == UNF_ARRIVE) visit(user, &shape);
  return UNF_OK;
}

static const struct action_row actions[] = {
    {.kind = UNF_DID_ARRIVE, .access = ACCESS_ADD},
    {.kind = UNF_DID_PASS, .access = ACCESS_END},
};

static const struct operation_row operations[] = {
    {.kind = UNF_ARRIVE, .numbers = NUMBERS_LOW},
    {.kind = UNF_PASS, .numbers = NUMBERS_LOW},
};

const struct effect_family unfi_barrier_family = {
    .actions = ROWS(actions),
    .operations = ROWS(operations),
    .only_target = true,
    .once = true,
    .admit = admit,
    .outcomes = outcomes,
    .possible = possible,
    .shapes = shapes,
    .blockers = unfi_no_blockers,
    .amount = amount,
};
