/*
 * The other door: executions that ran elsewhere, taken as whole traces under the schedule that was
 * given out. Each step goes through the same path as in the run protocol, with the same operations
 * known: what a thread does next is its next step in the trace, or what it has pending at the end.
 *
 * Beyond the prefix such an execution goes where it likes, also to an action that is asleep, though
 * others at the same node are not (in optimal mode that cannot happen). It is then cut there, and
 * the next prefix leads on from that node.
 */
#include "base/null.h"
#include "exploration/explorer.h"
#include "exploration/free_step.h"
#include "exploration/options.h"
#include "exploration/protocol.h"
#include "extension/adds.h"
#include "structure/action.h"
#include "structure/cut.h"
#include "structure/effect.h"
#include "structure/event.h"

unf_status unf_explorer_prefix(unf_explorer *x, unf_action_visitor visit, void *user,
                               unf_run *run) {
  RETURN_IF_NULL(x->u->context, x, visit);
  unf_run ignored;
  if (run == NULL) run = &ignored;
  unf_status status = unfi_next(x, run, false);
  if (status != UNF_OK || run->finished) return status;
  for (uint32_t i = 0; i < x->run.base + x->run.clue.count; i++) {
    uint32_t event =
        i < x->run.base ? x->path.steps.data[i].event : x->run.clue.data[i - x->run.base];
    unf_action action = unfi_action(x->u, event_at(x->u, event)->action);
    if (!visit(user, &action)) break;
  }
  return UNF_OK;
}

static unf_status at_step(unf_explorer *x, unf_status status) {
  if (status != UNF_OK && x->u->context->detail.step == 0)
    x->u->context->detail.step = (uint64_t)x->run.at + 1;
  return status;
}

/* A fed execution, and for each of its steps and threads what comes next: 0 nothing, i + 1 step i,
 * count + i + 1 pending entry i. */
struct fed {
  const unf_traced *trace;
  const unf_pending *pending;
  uint32_t count, pending_count;
  handle_vector after, first; /* by step; by thread */
};

static unf_status index_trace(unf_explorer *x, struct fed *fed) {
  unf_context *context = x->u->context;
  uint32_t threads = x->u->threads.count;
  if (!vector_reserve_zero(context, &fed->first, threads) ||
      !vector_reserve(context, &fed->after, fed->count))
    return unfi_refused(context);
  for (uint32_t i = fed->pending_count; i-- > 0;) {
    if (fed->pending[i].thread >= threads)
      return unfi_fail(context, UNF_UNKNOWN, "thread of a pending operation");
    fed->first.data[fed->pending[i].thread] = fed->count + i + 1;
  }
  for (uint32_t i = fed->count; i-- > 0;) {
    uint32_t thread = fed->trace[i].action.thread;
    if (thread >= threads) return unfi_fail(context, UNF_UNKNOWN, "thread of a traced action");
    fed->after.data[i] = fed->first.data[thread];
    fed->first.data[thread] = i + 1;
  }
  return UNF_OK;
}

static unf_status offer_next(unf_explorer *x, const struct fed *fed, uint32_t thread,
                             uint32_t next) {
  if (next == 0) return UNF_OK; /* found missing when it is needed */
  const unf_operation *operation = next <= fed->count
                                       ? &fed->trace[next - 1].operation
                                       : &fed->pending[next - fed->count - 1].operation;
  return unfi_offer_at(x, thread, operation);
}

static unf_status offer_first(unf_explorer *x, const struct fed *fed) {
  unf_status status = UNF_OK;
  for (uint32_t t = 0; status == UNF_OK && t < x->u->threads.count; t++)
    if (x->u->threads.data[t].initial) status = offer_next(x, fed, t, fed->first.data[t]);
  return status;
}

/* The event of a step that is not decided; *asleep when it goes where everything was explored. */
static unf_status free_event(unf_explorer *x, const unf_traced *traced, bool *asleep,
                             uint32_t *event) {
  unf_unfolding *u = x->u;
  struct cut C = configuration_cut(&x->path.C);
  struct causes causes;
  unf_status status = unfi_causes(u, C, &traced->action, &causes);
  if (status == UNF_OK) status = unfi_check_offered(u, C, &traced->action);
  if (status != UNF_OK) return status;
  status = unfi_asleep(x, &traced->action, asleep);
  return status != UNF_OK || *asleep ? status : unfi_event_intern(u, &causes, event);
}

static unf_status take(unf_explorer *x, const struct fed *fed, uint32_t i, bool *asleep) {
  const unf_traced *traced = &fed->trace[i];
  const unf_action *seen = &traced->action;
  unf_status status = UNF_OK;
  uint32_t event = unfi_decided(x);
  if (event == NONE) {
    status = free_event(x, traced, asleep, &event);
  } else {
    unf_action expected = unfi_action(x->u, event_at(x->u, event)->action);
    if (!unfi_same_action(&expected, seen)) return unfi_divergence(x, &expected, seen);
  }
  if (status == UNF_OK && !*asleep) status = unfi_advance(x, event, traced->cookie);
  if (status != UNF_OK || *asleep) return status;
  status = offer_next(x, fed, seen->thread, fed->after.data[i]);
  if (status == UNF_OK && starts_thread(x->u, seen->kind))
    status = offer_next(x, fed, seen->target, fed->first.data[seen->target]);
  return status;
}

/* The trace must be maximal: no thread can go on. */
static unf_status check_end(unf_explorer *x) {
  uint32_t decided = unfi_decided(x);
  if (decided != NONE && unfi_bounds_exceeded(x) == UNF_BOUND_NONE) {
    unf_action expected = unfi_action(x->u, event_at(x->u, decided)->action);
    return unfi_divergence(x, &expected, NULL);
  }
  unf_status status = unfi_free_step(x);
  if (status != UNF_OK || x->run.step.kind != UNF_STEP_ACTION) return status;
  return unfi_divergence(x, &x->run.step.action, NULL);
}

static unf_status take_all(unf_explorer *x, struct fed *fed, bool *more) {
  bool asleep = false;
  unf_status status = index_trace(x, fed);
  if (status == UNF_OK) status = at_step(x, offer_first(x, fed));
  for (uint32_t i = 0;
       status == UNF_OK && !asleep && i < fed->count && unfi_bounds_exceeded(x) == UNF_BOUND_NONE;
       i++)
    status = at_step(x, take(x, fed, i, &asleep));
  if (status == UNF_OK && !asleep) return at_step(x, check_end(x));
  if (status != UNF_OK) return status;
  /* Where the trace was cut the next execution may have to go on. */
  status = at_step(x, unfi_free_branch(x, more));
  if (status == UNF_OK && *more) x->run.base = x->run.shared = x->path.steps.count;
  x->run.step.kind = UNF_STEP_REDUNDANT;
  return status;
}

unf_status unf_explorer_feed(unf_explorer *x, const unf_traced *trace, uint64_t count,
                             const unf_pending *pending, uint64_t pending_count, bool error,
                             unf_verdict *verdict) {
  RETURN_IF_NULL(x->u->context, x);
  RETURN_IF_NULL_ARRAY(x->u->context, trace, count);
  RETURN_IF_NULL_ARRAY(x->u->context, pending, pending_count);
  unf_context *context = x->u->context;
  if (x->state != RUNNING || x->run.at != 0) return unfi_wrong_state(x, "feed");
  unf_status status = unfi_feature_supported(x, FEATURE_TRACES, "whole traces");
  if (status != UNF_OK) return status;
  if (count >= MAX_STEPS || pending_count >= MAX_STEPS)
    return unfi_fail(context, UNF_LIMIT, "more steps of a trace than the library can hold");
  struct fed fed = {trace, pending, (uint32_t)count, (uint32_t)pending_count, {0}, {0}};
  bool more = false;
  status = take_all(x, &fed, &more);
  vector_free(context, &fed.first);
  vector_free(context, &fed.after);
  if (status == UNF_OK) {
    x->state = ENDED;
    status = unf_explorer_finish(x, error, verdict);
  }
  if (status == UNF_OK) {
    if (more) x->branch = BRANCH_DECIDED;
    return UNF_OK;
  }
  /* Back to where unf_explorer_prefix() left it; what was learned of operations stays true. */
  unfi_run_rewind(x);
  x->state = RUNNING;
  return status;
}
