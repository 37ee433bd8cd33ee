/* The run protocol, step by step. The state machine is drawn in explore.h. */
#include "base/null.h"
#include "base/text.h"
#include "exploration/bound.h"
#include "exploration/collect.h"
#include "exploration/cutoffs.h"
#include "exploration/explorer.h"
#include "exploration/finish.h"
#include "exploration/orders/depth_first.h"
#include "exploration/orders/search.h"
#include "exploration/path.h"
#include "exploration/probes/probe.h"
#include "exploration/protocol.h"
#include "exploration/save.h"
#include "exploration/strategies/eager/eager.h"
#include "exploration/strategies/qpor/spikes.h"
#include "structure/action.h"
#include "structure/cut.h"
#include "structure/effect.h"
#include "structure/event.h"
#include "structure/names.h"

#include <string.h>

unf_status unfi_wrong_state(unf_explorer *x, const char *call) {
  static const char *const states[] = {"between executions", "in an execution",
                                       "with a chosen step that was not committed",
                                       "at the end of an execution"};
  return unfi_fail(x->u->context, UNF_STATE, call, " ", states[x->state]);
}

static unf_status begin_run(unf_explorer *x) {
  unf_unfolding *u = x->u;
  if (!unfi_path_reserve(x)) return unfi_refused(u->context);
  x->at = x->resumed = 0;
  for (uint32_t t = 0; t < u->threads.count; t++) {
    x->replayed.data[t] = u->threads.data[t].initial ? 0 : NONE;
    x->blocked.data[t] = 0;
  }
  x->replayed.count = u->threads.count;
  x->leaving = false;
  x->state = RUNNING;
  return UNF_OK;
}

/* The exploration is at its end, for the log. */
static void log_end(const unf_explorer *x) {
  char line[160];
  struct text text = unfi_text(line, sizeof line);
  unfi_text_add(&text, "exploration finished: ");
  unfi_text_u64(&text, x->counts.traces);
  unfi_text_add(&text, " traces, ");
  unfi_text_u64(&text, x->counts.redundant);
  unfi_text_add(&text, " redundant executions, ");
  unfi_text_u64(&text, x->counts.events);
  unfi_text_add(&text, " events");
  unfi_log(x->u->context, line);
}

/* Decides the next branch. The path moves meanwhile, and the last execution is kept apart. */
static unf_status leave_leaf(unf_explorer *x) {
  if (!x->leaving) {
    if (!vector_reserve(x->u->context, &x->last, x->path.count)) return unfi_refused(x->u->context);
    x->last.count = x->path.count;
    for (uint32_t i = 0; i < x->path.count; i++)
      x->last.data[i] = x->path.data[i].event;
    x->leaving = true;
  }
  if (x->search.order != UNF_ORDER_DEPTH_FIRST) return unfi_search(x);
  return x->algorithm == UNF_EAGER ? unfi_eager_branch(x) : unfi_branch(x);
}

/* `probes`: whether it may be one. */
static unf_status next_run(unf_explorer *x, unf_run *run, bool probes) {
  unf_context *context = x->u->context;
  unf_status status = unfi_poll(context);
  if (status != UNF_OK) return status;
  if (x->branch == BRANCH_LEAF) status = leave_leaf(x);
  if (status == UNF_OK && x->branch == BRANCH_NONE && x->cutoffs != NULL) status = unfi_restore(x);
  if (status != UNF_OK) return status;
  memset(run, 0, sizeof *run);
  run->finished = x->branch == BRANCH_NONE;
  if (run->finished) {
    log_end(x);
    return UNF_OK;
  }
  if (x->reversed > x->shared) x->reversed = x->shared;
  status = unfi_admit_run(context);
  if (status == UNF_OK && x->collect > 0) status = unfi_collect(x);
  if (status == UNF_OK && probes && unfi_probe_due(x)) return unfi_probe_begin(x, run);
  if (status == UNF_OK) status = begin_run(x);
  if (status != UNF_OK) return status;
  context->runs++;
  run->number = x->counts.executions + 1;
  run->shared = x->shared < x->probes.shared ? x->shared : x->probes.shared;
  unfi_saves_find(x, run);
  run->decided = (uint64_t)x->base + x->clue.count;
  return UNF_OK;
}

unf_status unfi_next(unf_explorer *x, unf_run *run, bool probes) {
  if (x->state != IDLE) return unfi_wrong_state(x, "next");
  unf_status status = next_run(x, run, probes);
  if (status != UNF_OK) unfi_log(x->u->context, x->u->context->detail.text);
  return status;
}

unf_status unf_explorer_next(unf_explorer *x, unf_run *run) {
  RETURN_IF_NULL(x->u->context, x, run);
  return unfi_next(x, run, true);
}

/* The decided event of the next step, or NONE. */
uint32_t unfi_decided(const unf_explorer *x) {
  if (x->at < x->base) return x->path.data[x->at].event;
  return x->at - x->base < x->clue.count ? x->clue.data[x->at - x->base] : NONE;
}

static void replay(unf_explorer *x) {
  uint32_t event = x->path.data[x->at++].event;
  const struct action *a = action_of(x->u, event);
  x->replayed.data[a->thread] = event;
  if (starts_thread(x->u, a->kind)) x->replayed.data[a->target] = event;
}

unf_status unf_explorer_resume(unf_explorer *x, uint64_t steps) {
  RETURN_IF_NULL(x->u->context, x);
  bool probe = x->probes.running;
  if (x->state != RUNNING || (x->at != 0 && !probe)) return unfi_wrong_state(x, "resume");
  if (steps > (probe ? 0 : x->base))
    return unfi_fail(x->u->context, UNF_INVALID, "more steps than were performed before");
  if (probe) return UNF_OK;
  if (steps == x->base) x->at = x->base; /* from there on C tells what was performed */
  while (x->at < steps)
    replay(x);
  x->resumed = x->at;
  return UNF_OK;
}

unf_status unfi_offer_at(unf_explorer *x, uint32_t thread, const unf_operation *operation) {
  unf_unfolding *u = x->u;
  if (thread >= u->threads.count) return unfi_fail(u->context, UNF_UNKNOWN, "thread");
  uint32_t last = NONE;
  if (x->at >= x->base)
    last = cut_last(u, configuration_cut(&x->C), thread);
  else if (thread < x->replayed.count)
    last = x->replayed.data[thread];
  return unfi_offer(u, thread, last, operation, (uint64_t)x->at + 1);
}

unf_status unf_explorer_offer(unf_explorer *x, unf_thread thread, const unf_operation *operation) {
  RETURN_IF_NULL(x->u->context, x, operation);
  if (x->state != RUNNING) return unfi_wrong_state(x, "offer");
  if (x->probes.running) return unfi_probe_offer(x, thread, operation);
  return unfi_offer_at(x, thread, operation);
}

unf_status unf_explorer_block(unf_explorer *x, unf_thread thread, bool blocked) {
  RETURN_IF_NULL(x->u->context, x);
  if (x->state != RUNNING) return unfi_wrong_state(x, "block");
  if (thread >= x->u->threads.count) return unfi_fail(x->u->context, UNF_UNKNOWN, "thread");
  if (x->algorithm == UNF_DFS || x->algorithm == UNF_EAGER)
    return unfi_fail(x->u->context, UNF_UNSUPPORTED,
                     "blocking by the engine with UNF_DFS or UNF_EAGER");
  if (!unfi_path_reserve(x)) return unfi_refused(x->u->context);
  x->blocked.data[thread] = blocked;
  return UNF_OK;
}

bool unfi_same_action(const unf_action *a, const unf_action *b) {
  return a->kind == b->kind && a->thread == b->thread && a->target == b->target &&
         a->second == b->second && a->value == b->value;
}

struct choosing {
  unf_explorer *x;
  bool asleep, cut_off, found;
  unf_status status;
  unf_action action;
};

static bool choose(void *user, const unf_action *action) {
  struct choosing *c = user;
  if (c->x->cutoffs != NULL) {
    bool cut_off;
    c->status = unfi_action_cut_off(c->x, action, &cut_off);
    if (c->status != UNF_OK) return false;
    c->cut_off = c->cut_off || cut_off;
    if (cut_off) return true;
  }
  if (unfi_asleep(c->x, action)) {
    c->asleep = true;
    return true;
  }
  c->found = true;
  c->action = *action;
  return false;
}

/* With bounds, the thread of the last step goes on when it can. */
static unf_status prefer_last(unf_explorer *x, struct choosing *choosing) {
  struct cut C = configuration_cut(&x->C);
  if (x->path.count == 0) return UNF_OK;
  uint32_t thread = action_of(x->u, x->path.data[x->path.count - 1].event)->thread;
  uint32_t next = next_after(x->u, thread, cut_last(x->u, C, thread));
  if (next == 0 || x->blocked.data[thread]) return UNF_OK;
  unf_status status = unfi_outcomes(x->u, C, thread, next, choose, choosing);
  return status == UNF_OK ? choosing->status : status;
}

/* The first action that is enabled and not asleep; every started thread must have an operation. */
unf_status unfi_free_step(unf_explorer *x) {
  unf_unfolding *u = x->u;
  struct cut C = configuration_cut(&x->C);
  struct choosing choosing = {x, false, false, false, UNF_OK, {0}};
  if (bounded(x)) {
    unf_status status = prefer_last(x, &choosing);
    if (status != UNF_OK) return status;
  }
  for (uint32_t t = 0; t < u->threads.count; t++) {
    uint32_t last = cut_last(u, C, t);
    if (last == NONE) continue;
    uint32_t next = next_after(u, t, last);
    if (next == 0) return unfi_missing(u, t);
    if (choosing.found || (t < x->blocked.capacity && x->blocked.data[t])) continue;
    unf_status status = unfi_outcomes(u, C, t, next, choose, &choosing);
    if (status != UNF_OK) return status;
    if (choosing.status != UNF_OK) return choosing.status;
  }
  x->step.action = choosing.action;
  if (bounded(x) && unfi_bounds_exceeded(x) != UNF_BOUND_NONE)
    x->step.kind = UNF_STEP_TRUNCATED;
  else if (choosing.found)
    x->step.kind = UNF_STEP_ACTION;
  else if (choosing.asleep)
    x->step.kind = UNF_STEP_REDUNDANT;
  else
    x->step.kind = choosing.cut_off ? UNF_STEP_CUTOFF : UNF_STEP_MAXIMAL;
  return UNF_OK;
}

unf_status unf_explorer_step(unf_explorer *x, unf_step *step) {
  RETURN_IF_NULL(x->u->context, x, step);
  if (x->state != RUNNING) return unfi_wrong_state(x, "step");
  if (x->unsaid != 0)
    return unfi_fail(x->u->context, UNF_STATE, "step before what the last one changed was said");
  if (x->probes.running) return unfi_probe_step(x, step);
  bool over = bounded(x) && unfi_bounds_exceeded(x) != UNF_BOUND_NONE;
  uint32_t decided = over ? NONE : unfi_decided(x);
  if (decided != NONE) {
    x->step.kind = UNF_STEP_ACTION;
    x->step.action = unfi_action(x->u, event_at(x->u, decided)->action);
  } else {
    unf_status status = x->algorithm == UNF_EAGER ? unfi_eager_step(x) : unfi_free_step(x);
    if (status != UNF_OK) return status;
  }
  x->step.number = (uint64_t)x->at + 1;
  x->state = x->step.kind == UNF_STEP_ACTION ? CHOSEN : ENDED;
  *step = x->step;
  return UNF_OK;
}

unf_status unfi_divergence(unf_explorer *x, const unf_action *expected, const unf_action *seen) {
  unf_context *context = x->u->context;
  unfi_fail(context, UNF_DIVERGENCE, NULL);
  context->detail.step = (uint64_t)x->at + 1;
  context->detail.thread = expected != NULL ? expected->thread : seen->thread;
  unfi_detail_actions(x->u, expected, seen);
  return UNF_DIVERGENCE;
}

/* Performs one step with an event, which is the decided one, or enabled and not asleep. */
unf_status unfi_advance(unf_explorer *x, uint32_t event, uint64_t cookie) {
  unf_unfolding *u = x->u;
  if (!unfi_path_reserve(x) || !unfi_places_reserve(x, event)) return unfi_refused(u->context);
  if (cookie != 0 && (event >= u->store.cookies.capacity || u->store.cookies.data[event] == 0)) {
    unf_status status = unf_event_set_cookie(u, event, cookie);
    if (status != UNF_OK) return status;
  }
  if (x->at < x->base) {
    replay(x);
    return UNF_OK;
  }
  unf_status status = bounded(x) ? unfi_bounds_spend(x, event) : UNF_OK;
  if (status != UNF_OK) return status;
  if (!unfi_path_push(x, event)) return unfi_refused(u->context);
  x->at++;
  unfi_known_add(x, event);
  struct known *known = known_at(x, event);
  x->counts.events += !known->executed;
  known->executed = 1;
  return UNF_OK;
}

unf_status unf_explorer_commit(unf_explorer *x, const unf_action *happened, uint64_t cookie) {
  RETURN_IF_NULL(x->u->context, x);
  unf_unfolding *u = x->u;
  if (x->state != CHOSEN) return unfi_wrong_state(x, "commit");
  const unf_action *expected = &x->step.action;
  if (happened != NULL && !unfi_same_action(expected, happened))
    return unfi_divergence(x, expected, happened);
  if (x->probes.running) return unfi_probe_commit(x);
  uint32_t event = unfi_decided(x);
  if (event == NONE && x->algorithm == UNF_EAGER) event = x->eager.chosen;
  if (event == NONE) {
    struct causes causes;
    unf_status status = unfi_causes_of_outcome(u, configuration_cut(&x->C), expected, &causes);
    if (status == UNF_OK) status = unfi_event_intern(u, &causes, &event);
    if (status != UNF_OK) return status;
  }
  unf_status status = unfi_advance(x, event, cookie);
  if (status == UNF_OK) x->state = RUNNING;
  if (status == UNF_OK && x->cutoffs != NULL) x->unsaid = event;
  return status;
}

static unf_status report(unf_explorer *x) {
  unf_context *context = x->u->context;
  if (context->progress == NULL || x->counts.executions % context->progress_interval != 0)
    return UNF_OK;
  unf_estimate estimate;
  unf_explorer_estimate(x, &estimate);
  unf_progress progress = {x->counts.executions, x->counts.redundant, x->u->store.count - 1,
                           context->bytes,       estimate.left,       estimate.error};
  if (!context->progress(context->progress_user, &progress)) unf_context_interrupt(context);
  return UNF_OK;
}

unf_status unf_explorer_finish(unf_explorer *x, bool error, unf_verdict *verdict) {
  RETURN_IF_NULL(x->u->context, x);
  if (x->state != ENDED) return unfi_wrong_state(x, "finish");
  if (x->probes.running) return unfi_probe_finish(x, error, verdict);
  unf_status status = unfi_finish(x, error, verdict);
  if (status == UNF_OK) x->probes.shared = NONE;
  return status == UNF_OK ? report(x) : status;
}

void unf_explorer_abandon(unf_explorer *x) {
  if (x == NULL || x->state == IDLE) return;
  struct probes *p = &x->probes;
  if (p->running) {
    p->lost = true;
    unfi_probe_end(x);
    return;
  }
  if (p->shared != NONE && x->at > p->shared) p->shared = x->at;
  unfi_path_rewind(x);
  x->unsaid = 0;
  unfi_saves_drop(x);
  if (x->at > x->shared) x->shared = x->at < x->base ? x->at : x->base;
  x->state = IDLE;
  x->branch = BRANCH_DECIDED;
}
