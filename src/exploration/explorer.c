/* An explorer made, looked at and freed. */
#include "exploration/explorer.h"

#include <string.h>

#include "base/null.h"
#include "configuration/offer.h"
#include "exploration/options.h"
#include "exploration/protocol.h"
#include "exploration/strategies/strategies.h"
#include "extension/adds.h"
#include "structure/event.h"

/* ---- making ---- */

/* An explorer at the root, without the states of its strategy and order. */
static void begin(unf_explorer *x, unf_unfolding *u, const struct strategy *strategy,
                  const unf_explorer_options *options) {
  memset(x, 0, sizeof *x);
  x->u = u;
  x->strategy = strategy;
  x->order = &unfi_orders[options->order];
  x->options = *options;
  x->features = unfi_options_features(options);
  x->state = IDLE;
  x->branch = BRANCH_DECIDED;
  x->path = unfi_path_begin(u);
  x->run.chosen = NONE;
  x->probes.density = options->probes;
  x->probes.seed = options->seed;
  x->probes.shared = NONE;
  x->bounds.max_switches = options->max_switches;
  x->bounds.max_preemptions = options->max_preemptions;
  x->bounds.on = x->features & FEATURE_BOUNDS;
  x->saves.forget = options->forget;
  x->saves.user = options->forget_user;
  x->collecting.every = options->collect;
  x->collecting.percent = options->collect_percent;
}

/* A state of so many bytes, all zero. Returns false when refused. */
static bool make_state(unf_context *context, size_t size, void **out) {
  if (size == 0) return true;
  *out = unfi_reallocate(context, NULL, 0, size);
  if (*out != NULL) memset(*out, 0, size);
  return *out != NULL;
}

bool unfi_strategy_state(unf_explorer *x) {
  return make_state(x->u->context, x->strategy->state, &x->strategy_state);
}

static bool begin_strategy(unf_explorer *x, const unf_explorer_options *options) {
  if (!unfi_strategy_state(x)) return false;
  if (x->strategy->begin != NULL) x->strategy->begin(x, options);
  return true;
}

static bool begin_order(unf_explorer *x, const unf_explorer_options *options) {
  if (!make_state(x->u->context, x->order->state, &x->order_state)) return false;
  return x->order->begin == NULL || x->order->begin(x, options);
}

unf_status unfi_explorer_new(unf_unfolding *u, const struct strategy *strategy,
                             const unf_explorer_options *options, unf_explorer **out) {
  unf_context *context = u->context;
  unf_status status = unfi_options_supported(context, options, strategy);
  if (status == UNF_OK && u->consistency != NULL)
    status = unfi_options_symbolic(context, options, strategy);
  if (status != UNF_OK) return status;
  unf_explorer *x = unfi_reallocate(context, NULL, 0, sizeof *x);
  if (x == NULL) return unfi_refused(context);
  begin(x, u, strategy, options);
  status = unfi_fix(u, x->collecting.every > 0);
  if (status != UNF_OK) {
    unfi_reallocate(context, x, sizeof *x, 0);
    return status;
  }
  status = unfi_cutoffs_begin(x, options->cutoffs);
  if (status == UNF_OK && (!begin_strategy(x, options) || !begin_order(x, options)))
    status = unfi_refused(context);
  if (status != UNF_OK) {
    unf_explorer_free(x);
    return status;
  }
  *out = x;
  return UNF_OK;
}

unf_status unf_explorer_new(unf_unfolding *u, const unf_explorer_options *options,
                            unf_explorer **out) {
  RETURN_IF_NULL(u->context, u, out);
  static const unf_explorer_options defaults = UNF_EXPLORER_OPTIONS_INIT;
  if (options == NULL) options = &defaults;
  unf_status status = unfi_options_check(u->context, options);
  if (status != UNF_OK) return status;
  return unfi_explorer_new(u, unfi_strategies[options->algorithm], options, out);
}

/* ---- freeing ---- */

void unfi_strategy_end(unf_explorer *x) {
  if (x->strategy_state == NULL) return;
  if (x->strategy->end != NULL) x->strategy->end(x);
  x->strategy_state = unfi_reallocate(x->u->context, x->strategy_state, x->strategy->state, 0);
}

static void end_order(unf_explorer *x) {
  if (x->order_state == NULL) return;
  if (x->order->end != NULL) x->order->end(x);
  unfi_reallocate(x->u->context, x->order_state, x->order->state, 0);
}

void unf_explorer_free(unf_explorer *x) {
  if (x == NULL) return;
  unf_context *context = x->u->context;
  x->u->fixed--;
  if (x->collecting.every > 0) x->u->changing = false;
  end_order(x);
  unfi_strategy_end(x);
  unfi_path_end(&x->path);
  unfi_cutoffs_end(x);
  unfi_probe_free(x);
  unfi_item_end(&x->item);
  vector_free(context, &x->saves.entries);
  vector_free(context, &x->bounds.spent);
  vector_free(context, &x->run.clue);
  vector_free(context, &x->run.replayed);
  vector_free(context, &x->run.expected);
  vector_free(context, &x->run.blocked);
  unfi_ready_free(context, &x->run.ready);
  vector_free(context, &x->last.events);
  vector_free(context, &x->consistent.events);
  vector_free(context, &x->consistent.steps);
  unfi_reallocate(context, x, sizeof *x, 0);
}

/* ---- looking ---- */

void unf_explorer_counts(const unf_explorer *x, unf_counts *out) {
  if (x != NULL && out != NULL) *out = x->counts;
}

/* Whether the execution to report is the last one, which is not on the path any more. */
static bool reports_last(const unf_explorer *x) {
  return x->state == IDLE && x->last.left;
}

unf_status unf_explorer_configuration(unf_explorer *x, unf_configuration *out) {
  RETURN_IF_NULL(x->u->context, x, out);
  unf_context *context = x->u->context;
  const handle_vector *events = &x->last.events;
  if (!reports_last(x)) return unf_configuration_assign(out, &x->path.C);
  unf_configuration last = {.u = x->u};
  bool good = unfi_configuration_fit(&last);
  for (uint32_t i = 0; good && i < events->count; i++)
    good = unfi_configuration_push(&last, events->data[i]);
  unf_status status = good ? unf_configuration_assign(out, &last) : unfi_refused(context);
  unfi_configuration_end(&last);
  return status;
}

void unf_explorer_path(const unf_explorer *x, unf_event_visitor visit, void *user) {
  if (x == NULL || visit == NULL) return;
  bool last = reports_last(x);
  uint32_t count = last ? x->last.events.count : x->path.steps.count;
  for (uint32_t i = 0; i < count; i++)
    if (!visit(user, last ? x->last.events.data[i] : x->path.steps.data[i].event)) return;
}

/* The last event of a thread at the point that the run has reached, or NONE. */
static uint32_t last_of(const unf_explorer *x, uint32_t thread) {
  const handle_vector *replayed = &x->run.replayed;
  if (x->run.at >= x->run.base) return cut_last(x->u, configuration_cut(&x->path.C), thread);
  uint32_t step = thread < replayed->count ? replayed->data[thread] : NONE;
  return step == 0 || step == NONE ? step : x->path.steps.data[(step & ~STARTED_TAG) - 1].event;
}

unf_status unf_explorer_operation(unf_explorer *x, unf_thread thread, unf_operation *out) {
  RETURN_IF_NULL(x->u->context, x, out);
  if (x->state == IDLE) return unfi_wrong_state(x, "operation");
  if (x->probes.running)
    return unfi_fail(x->u->context, UNF_STATE, "operation of a thread in a probe");
  if (thread >= x->u->threads.count) return unfi_fail(x->u->context, UNF_UNKNOWN, "thread");
  uint32_t last = last_of(x, thread);
  if (last == NONE) return unfi_fail(x->u->context, UNF_STATE, "the thread has not started");
  uint32_t operation = next_after(x->u, thread, last);
  if (operation == 0) return unfi_missing(x->u, thread);
  *out = x->u->operations.data[operation];
  return UNF_OK;
}

unf_status unf_explorer_asleep(unf_explorer *x, unf_event_visitor visit, void *user) {
  RETURN_IF_NULL(x->u->context, x, visit);
  const struct sleepers *D = &x->path.D;
  const bool finished = x->state == IDLE && x->branch == BRANCH_LEAF && !x->last.left;
  if (x->probes.running || (x->state == IDLE && x->probes.recent)) return UNF_OK;
  if (x->state != ENDED && !finished) return unfi_wrong_state(x, "asleep");
  if (x->run.step.kind != UNF_STEP_REDUNDANT) return UNF_OK;
  for (uint32_t i = D->first; i != NONE; i = D->entries.data[i].next)
    if (!visit(user, D->entries.data[i].event)) break;
  return UNF_OK;
}

unf_event unf_explorer_last(const unf_explorer *x) {
  if (x == NULL) return UNF_EVENT_NONE;
  const handle_vector *last = &x->last.events;
  uint32_t steps = x->state == IDLE ? x->path.steps.count : x->run.at;
  if (x->probes.running) return UNF_EVENT_BOTTOM;
  if (reports_last(x)) return last->count == 0 ? UNF_EVENT_BOTTOM : last->data[last->count - 1];
  return steps == 0 ? UNF_EVENT_BOTTOM : x->path.steps.data[steps - 1].event;
}
