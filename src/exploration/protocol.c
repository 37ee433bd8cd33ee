/* The run protocol, step by step. The state machine is drawn in explore.h. */
#include "exploration/protocol.h"

#include <string.h>

#include "base/null.h"
#include "base/text.h"
#include "configuration/offer.h"
#include "exploration/explorer.h"
#include "exploration/finish.h"
#include "exploration/options.h"
#include "extension/adds.h"
#include "structure/action.h"
#include "structure/effect.h"
#include "structure/event.h"

unf_status unfi_wrong_state(const unf_explorer *x, const char *call) {
  static const char *const states[] = {"between executions", "in an execution",
                                       "with a chosen step that was not committed",
                                       "at the end of an execution"};
  return unfi_fail(x->u->context, UNF_STATE, call, " ", states[x->state]);
}

/* ---- next ---- */

static NOINLINE bool enlarge_threads(unf_explorer *x, uint64_t threads) {
  unf_context *context = x->u->context;
  bool room = vector_reserve_zero(context, &x->run.blocked, threads) &&
              vector_reserve_zero(context, &x->run.replayed, threads) &&
              vector_reserve_zero(context, &x->run.expected, threads);
  if (room) x->run.threads = threads;
  return room;
}

/* Room for all threads that have names, and for performing an event; false: refused. */
static inline bool reserve_threads(unf_explorer *x) {
  uint64_t threads = x->u->threads.count;
  return (threads <= x->run.threads || enlarge_threads(x, threads)) &&
         unfi_ready_reserve(x->u->context, &x->run.ready, threads);
}

void unfi_run_rewind(unf_explorer *x) {
  struct run *run = &x->run;
  while (x->path.steps.count > run->base)
    unfi_path_pop(x);
  run->at = 0;
  run->number++;
  run->judged = false;
  run->ready.made = false;
  for (uint32_t t = 0; t < run->replayed.count; t++) {
    run->replayed.data[t] = x->u->threads.data[t].initial ? 0 : NONE;
    run->expected.data[t] = 0;
  }
}

static unf_status begin_run(unf_explorer *x) {
  if (!unfi_path_reserve(x) || !reserve_threads(x)) return unfi_refused(x->u->context);
  for (uint32_t t = 0; x->run.blocking && t < x->run.blocked.capacity; t++)
    x->run.blocked.data[t] = 0;
  x->run.blocking = false;
  x->run.resumed = 0;
  x->run.plain = !x->bounds.on && x->cutoffs.table == NULL;
  x->run.replayed.count = x->u->threads.count;
  unfi_run_rewind(x);
  unfi_consistent_begin(x);
  x->last.left = x->probes.recent = false;
  x->state = RUNNING;
  return UNF_OK;
}

/* Writes to the log that the exploration is at its end. */
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

/* The path moves meanwhile, and the last execution is kept apart. */
unf_status unfi_leave_leaf(unf_explorer *x) {
  if (!x->last.left && !unfi_path_keep_last(x)) return unfi_refused(x->u->context);
  x->last.left = true;
  return x->order->next(x);
}

/* Describes the run that begins, for the front-end. */
static void describe_run(const unf_explorer *x, unf_run *run) {
  const struct saved *saved = x->order->saved(x);
  run->number = x->counts.executions + 1;
  run->shared = x->run.shared < x->probes.shared ? x->run.shared : x->probes.shared;
  run->decided = (uint64_t)x->run.base + x->run.clue.count;
  if (saved == NULL) return;
  run->saved = saved->depth;
  run->state = saved->state;
}

/* From the leaf of the last run to the beginning of the next one. Each phase can be refused and
 * made again. `probes`: whether it may be one. */
static unf_status next_run(unf_explorer *x, unf_run *run, bool probes) {
  unf_context *context = x->u->context;
  unf_status status = unfi_poll(context);
  if (status == UNF_OK) status = unfi_learn_rest(x);
  unfi_behind_run_begin(x);
  if (status == UNF_OK && x->branch == BRANCH_LEAF) status = unfi_leave_leaf(x);
  if (status == UNF_OK && x->branch == BRANCH_NONE) status = unfi_restore(x);
  unfi_behind_run_end(context);
  if (status != UNF_OK) return status;
  memset(run, 0, sizeof *run);
  run->finished = x->branch == BRANCH_NONE;
  if (run->finished) {
    log_end(x);
    return UNF_OK;
  }
  status = unfi_admit_run(context);
  if (status == UNF_OK) status = unfi_collect(x);
  if (status == UNF_OK && probes && unfi_probe_due(x)) return unfi_probe_begin(x, run);
  if (status == UNF_OK) status = begin_run(x);
  if (status != UNF_OK) return status;
  context->runs++;
  describe_run(x, run);
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

/* ---- resume, offer, block ---- */

uint32_t unfi_decided(const unf_explorer *x) {
  const struct run *run = &x->run;
  if (run->at < run->base) return x->path.steps.data[run->at].event;
  return run->at - run->base < run->clue.count ? run->clue.data[run->at - run->base] : NONE;
}

/* Notes the next step of the path, which has this action, with its threads. */
static inline void note_step(struct run *run, const struct frame *frame, const struct action *a) {
  run->replayed.data[a->thread] = run->at + 1;
  run->expected.data[a->thread] = frame->next[0];
  if (!a->starts) return;
  run->replayed.data[a->target] = (run->at + 1) | STARTED_TAG;
  run->expected.data[a->target] = frame->next[1];
}

/* Goes to the next node of the path. */
static inline void replay(unf_explorer *x) {
  const struct frame *frame = &x->path.steps.data[x->run.at];
  note_step(&x->run, frame, &x->u->actions.data[frame->action]);
  x->run.at++;
}

unf_status unf_explorer_resume(unf_explorer *x, uint64_t steps) {
  RETURN_IF_NULL(x->u->context, x);
  bool probe = x->probes.running;
  if (x->state != RUNNING || (x->run.at != 0 && !probe)) return unfi_wrong_state(x, "resume");
  if (steps > (probe ? 0 : x->run.base))
    return unfi_fail(x->u->context, UNF_INVALID, "more steps than were performed before");
  if (probe) return UNF_OK;
  if (steps == x->run.base) x->run.at = x->run.base; /* from there on C says what was performed */
  while (x->run.at < steps)
    replay(x);
  x->run.resumed = x->run.at;
  return UNF_OK;
}

/* While steps of the path are performed again, for the first time since they are there. */
static NOINLINE unf_status offer_replayed(unf_explorer *x, uint32_t thread,
                                          const unf_operation *operation) {
  uint32_t step = thread < x->run.replayed.count ? x->run.replayed.data[thread] : NONE, last = step;
  struct frame *frame = NULL;
  if (step != 0 && step != NONE) {
    frame = &x->path.steps.data[(step & ~STARTED_TAG) - 1];
    last = frame->event;
  }
  unf_status status = unfi_offer(x->u, thread, last, operation, (uint64_t)x->run.at + 1);
  if (status != UNF_OK || frame == NULL) return status;
  x->run.expected.data[thread] = frame->next[step >> 31] = next_after(x->u, thread, last);
  return UNF_OK;
}

static inline unf_status offer_at(unf_explorer *x, uint32_t thread,
                                  const unf_operation *operation) {
  unf_unfolding *u = x->u;
  const struct run *run = &x->run;
  bool replaying = run->at < run->base;
  if (replaying && thread < run->replayed.count) {
    uint32_t next = run->expected.data[thread];
    if (next != 0 && is_operation(u, next, operation)) return UNF_OK;
  }
  if (thread >= u->threads.count) return unfi_fail(u->context, UNF_UNKNOWN, "thread");
  if (replaying) return offer_replayed(x, thread, operation);
  uint32_t last = cut_last(u, configuration_cut(&x->path.C), thread);
  return unfi_offer(u, thread, last, operation, (uint64_t)run->at + 1);
}

unf_status unfi_offer_at(unf_explorer *x, uint32_t thread, const unf_operation *operation) {
  return offer_at(x, thread, operation);
}

unf_status unf_explorer_offer(unf_explorer *x, unf_thread thread, const unf_operation *operation) {
  RETURN_IF_NULL(x->u->context, x, operation);
  if (x->state != RUNNING) return unfi_wrong_state(x, "offer");
  if (!x->run.plain && x->probes.running) return unfi_probe_offer(x, thread, operation);
  return offer_at(x, thread, operation);
}

unf_status unf_explorer_block(unf_explorer *x, unf_thread thread, bool blocked) {
  RETURN_IF_NULL(x->u->context, x);
  if (x->state != RUNNING) return unfi_wrong_state(x, "block");
  if (thread >= x->u->threads.count) return unfi_fail(x->u->context, UNF_UNKNOWN, "thread");
  unf_status status = unfi_feature_supported(x, FEATURE_BLOCKING, "blocking by the engine");
  if (status != UNF_OK) return status;
  if (!reserve_threads(x)) return unfi_refused(x->u->context);
  x->run.blocked.data[thread] = blocked;
  x->run.blocking = x->run.blocking || blocked;
  return UNF_OK;
}

bool unfi_same_action(const unf_action *a, const unf_action *b) {
  return a->kind == b->kind && a->thread == b->thread && a->target == b->target &&
         a->second == b->second && a->value == b->value;
}

/* ---- step ---- */

/* A step that is decided, with this action. */
static inline unf_status take_decided(unf_explorer *x, uint32_t event, const struct action *a,
                                      unf_step *step) {
  struct run *run = &x->run;
  run->chosen = event;
  run->step.kind = step->kind = UNF_STEP_ACTION;
  run->step.number = step->number = (uint64_t)run->at + 1;
  memcpy(&step->action, a, sizeof step->action);
  memcpy(&run->step.action, a, sizeof step->action);
  x->state = CHOSEN;
  return UNF_OK;
}

/* A step that the strategy chooses. */
static NOINLINE unf_status take_free(unf_explorer *x, unf_step *step) {
  x->run.chosen = NONE;
  unf_status status = x->strategy->choose(x);
  if (status != UNF_OK) return status;
  x->run.step.number = (uint64_t)x->run.at + 1;
  x->state = x->run.step.kind == UNF_STEP_ACTION ? CHOSEN : ENDED;
  step->kind = x->run.step.kind;
  step->number = x->run.step.number;
  action_copy(&step->action, &x->run.step.action);
  return UNF_OK;
}

/* A step that may be a free one. */
static NOINLINE unf_status take_any(unf_explorer *x, unf_step *step) {
  bool over = x->bounds.on && unfi_bounds_exceeded(x) != UNF_BOUND_NONE;
  x->run.chosen = over ? NONE : unfi_decided(x);
  if (x->run.chosen != NONE)
    return take_decided(x, x->run.chosen, action_of(x->u, x->run.chosen), step);
  return take_free(x, step);
}

unf_status unf_explorer_step(unf_explorer *x, unf_step *step) {
  RETURN_IF_NULL(x->u->context, x, step);
  if (x->state != RUNNING) return unfi_wrong_state(x, "step");
  if (!x->run.plain && x->run.unsaid != 0)
    return unfi_fail(x->u->context, UNF_STATE, "step before what the last one changed was said");
  if (!x->run.plain && x->probes.running) return unfi_probe_step(x, step);
  if (!x->run.plain) return take_any(x, step);
  if (x->run.at >= x->run.base)
    return x->run.at - x->run.base < x->run.clue.count ? take_any(x, step) : take_free(x, step);
  const struct frame *frame = &x->path.steps.data[x->run.at];
  const struct action *a = &x->u->actions.data[frame->action];
  note_step(&x->run, frame, a);
  return take_decided(x, frame->event, a, step);
}

/* ---- commit ---- */

unf_status unfi_divergence(unf_explorer *x, const unf_action *expected, const unf_action *seen) {
  unf_context *context = x->u->context;
  unfi_fail(context, UNF_DIVERGENCE, NULL);
  context->detail.step = (uint64_t)x->run.at + 1;
  context->detail.thread = expected != NULL ? expected->thread : seen->thread;
  unfi_detail_actions(x->u, expected, seen);
  return UNF_DIVERGENCE;
}

/* Room for one more step of the path, but for what the strategy needs. Returns false when refused.
 */
static inline bool reserve_step(unf_explorer *x) {
  return unfi_path_reserve(x) && reserve_threads(x) &&
         bounds_reserve(x->u->context, &x->bounds, x->path.steps.count);
}

/* The first number that a front-end attaches to an event stays. */
static unf_status keep_cookie(unf_unfolding *u, uint32_t event, uint64_t cookie) {
  if (event >= u->store.cookies.capacity) return unf_event_set_cookie(u, event, cookie);
  if (u->store.cookies.data[event] == 0) u->store.cookies.data[event] = cookie;
  return UNF_OK;
}

/* Makes an event the next step of the path. */
static inline unf_status perform(unf_explorer *x, uint32_t event, uint64_t cookie) {
  unf_status status = UNF_OK;
  if (unfi_is_symbolic(x)) status = unfi_discover_outcomes(x, event);
  if (status != UNF_OK) return status;
  if (!reserve_step(x)) return unfi_refused(x->u->context);
  struct mark *mark = mark_at(&x->path, event);
  if (!(mark->word & MARK_DISCOVERED) && x->strategy->reserve != NULL &&
      !x->strategy->reserve(x, event))
    return unfi_refused(x->u->context);
  if (cookie != 0) status = keep_cookie(x->u, event, cookie);
  if (status == UNF_OK && x->bounds.on) status = unfi_bounds_spend(x, event);
  if (status != UNF_OK) return status;
  if (!unfi_path_push(x, event)) return unfi_refused(x->u->context);
  x->run.at++;
  unfi_ready_performed(x->u, &x->run.ready, event);
  if (!(mark->word & MARK_DISCOVERED)) unfi_discover_marked(x, event, mark);
  x->counts.events += !(mark->word & MARK_EXECUTED);
  mark->word |= MARK_EXECUTED;
  return UNF_OK;
}

static inline unf_status advance(unf_explorer *x, uint32_t event, uint64_t cookie) {
  if (x->run.at >= x->run.base) return perform(x, event, cookie);
  unf_status status = cookie != 0 ? keep_cookie(x->u, event, cookie) : UNF_OK;
  if (status == UNF_OK) replay(x);
  return status;
}

unf_status unfi_advance(unf_explorer *x, uint32_t event, uint64_t cookie) {
  return advance(x, event, cookie);
}

/* The event of a chosen step that is not at hand. */
static unf_status intern_chosen(unf_explorer *x) {
  struct causes causes;
  struct cut C = configuration_cut(&x->path.C);
  unf_status status = unfi_causes_of_outcome(x->u, C, &x->run.step.action, &causes);
  return status == UNF_OK ? unfi_event_intern(x->u, &causes, &x->run.chosen) : status;
}

static inline unf_status committed(unf_explorer *x) {
  if (!x->run.plain && x->cutoffs.table != NULL) x->run.unsaid = x->run.chosen;
  x->state = RUNNING;
  return UNF_OK;
}

/* A step that is not one of the path yet, or has a number attached. */
static NOINLINE unf_status commit_new(unf_explorer *x, uint64_t cookie) {
  unf_status status = x->run.chosen == NONE ? intern_chosen(x) : UNF_OK;
  if (status == UNF_OK) status = advance(x, x->run.chosen, cookie);
  return status == UNF_OK ? committed(x) : status;
}

unf_status unf_explorer_commit(unf_explorer *x, const unf_action *happened, uint64_t cookie) {
  RETURN_IF_NULL(x->u->context, x);
  if (x->state != CHOSEN) return unfi_wrong_state(x, "commit");
  if (happened != NULL && !unfi_same_action(&x->run.step.action, happened))
    return unfi_divergence(x, &x->run.step.action, happened);
  if (!x->run.plain && x->probes.running) return unfi_probe_commit(x);
  if (x->run.at >= x->run.base || cookie != 0) return commit_new(x, cookie);
  if (x->run.plain)
    x->run.at++; /* it was noted when the step was given */
  else
    replay(x);
  return committed(x);
}

/* ---- finish, abandon ---- */

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
  if (p->shared != NONE && x->run.at > p->shared) p->shared = x->run.at;
  while (x->path.steps.count > x->run.base)
    unfi_path_pop(x);
  x->run.unsaid = 0;
  unfi_saves_drop(x);
  if (x->run.at > x->run.shared) x->run.shared = x->run.at < x->run.base ? x->run.at : x->run.base;
  x->collecting.dropped = true;
  x->state = IDLE;
  x->branch = BRANCH_DECIDED;
}
