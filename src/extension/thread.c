/*
 * Threads: create writes the site of the thread that it starts, before the thread's own first
 * event; join reads the end of it. Two creates of one thread are in conflict. To finish, or to
 * halt, is no event: a join is possible where the target's next operation is EXIT.
 */
#include "configuration/configuration.h"
#include "structure/action.h"
#include "structure/cut.h"
#include "structure/effect.h"
#include "structure/event.h"
#include "structure/names.h"

static bool finished(unf_unfolding *u, struct cut cut, uint32_t thread) {
  uint32_t last = cut_last(u, cut, thread);
  if (last == NONE) return false;
  uint32_t next = next_after(u, thread, last);
  return next != 0 && u->operations.data[next].kind == UNF_EXIT;
}

static bool startable(unf_unfolding *u, struct cut cut, uint32_t thread) {
  return cut_last(u, cut, thread) == NONE;
}

static unf_status outcomes(unf_unfolding *u, struct cut cut, uint32_t thread,
                           const unf_operation *operation, outcome_visitor visit, void *user) {
  bool create = operation->kind == UNF_CREATE;
  uint32_t target = operation->target;
  if (operation->kind == UNF_EXIT || operation->kind == UNF_HALT) return UNF_OK;
  if (target == thread || !(create ? startable(u, cut, target) : finished(u, cut, target)))
    return UNF_OK;
  unf_action action = {create ? UNF_DID_CREATE : UNF_DID_JOIN, thread, target, 0, 0};
  visit(user, &action);
  return UNF_OK;
}

static unf_status possible(unf_unfolding *u, struct cut cut, const unf_action *action) {
  bool create = action->kind == UNF_DID_CREATE;
  bool possible = (create ? startable : finished)(u, cut, action->target);
  return possible ? UNF_OK : UNF_DISABLED;
}

/*
 * A create that was performed, and a join, have one set of causes. A create that is still to be
 * performed, of a thread that another has created, could have come first, unless it knows of the
 * other.
 */
static unf_status conflicting(unf_unfolding *u, struct cut cut, uint32_t thread, uint32_t before,
                              const unf_operation *operation, uint32_t event, causes_visitor visit,
                              void *user) {
  uint32_t target = operation->target;
  if (operation->kind != UNF_CREATE || event != NONE || target == thread) return UNF_OK;
  const struct thread *t = &u->threads.data[target];
  if (t->initial || cut_at(cut, t->site) == 0) return UNF_OK;
  if (before != 0 && cut_entry(u, before, t->site) != 0) return UNF_OK;
  unf_action action = {UNF_DID_CREATE, thread, target, 0, 0};
  struct causes causes = {.before = before};
  unf_status status = unfi_action_intern(u, &action, &causes.action);
  if (status == UNF_OK) visit(user, &causes);
  return status;
}

/* The create that came first; a join is ordered after what it waits for. */
static uint32_t blockers(const unf_unfolding *u, struct cut cut, uint32_t thread,
                         const unf_operation *operation, uint32_t *out) {
  (void)thread;
  uint32_t event = cut_at(cut, u->threads.data[operation->target].site);
  if (operation->kind != UNF_CREATE || event == 0) return 0;
  while (event != 0 && action_of(u, event)->thread == operation->target)
    event = event_at(u, event)->before;
  out[0] = event;
  return event != 0;
}

static uint32_t awaited(const unf_unfolding *u, struct cut cut, const unf_operation *operation) {
  (void)u, (void)cut;
  return operation->kind == UNF_JOIN ? operation->target : NONE;
}

static const struct action_row actions[] = {
    {.kind = UNF_DID_CREATE, .access = ACCESS_WRITE, .sole = true},
    {.kind = UNF_DID_JOIN, .access = ACCESS_END, .sole = true},
};

static const struct operation_row operations[] = {
    {.kind = UNF_EXIT, .ends = true},
    {.kind = UNF_HALT, .ends = true},
    {.kind = UNF_CREATE},
    {.kind = UNF_JOIN},
};

const struct effect_family unfi_thread_family = {
    .actions = ROWS(actions),
    .operations = ROWS(operations),
    .only_target = true,
    .outcomes = outcomes,
    .possible = possible,
    .conflicting = conflicting,
    .blockers = blockers,
    .awaited = awaited,
};
