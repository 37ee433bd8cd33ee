/* An explorer made, looked at and freed. */
#include "base/null.h"
#include "exploration/explorer.h"
#include "exploration/options.h"
#include "exploration/orders/search.h"
#include "exploration/probes/probe.h"
#include "exploration/save.h"
#include "exploration/strategies/eager/eager.h"
#include "exploration/strategies/odpor.h"
#include "structure/event.h"

#include <string.h>

unf_status unf_explorer_new(unf_unfolding *u, const unf_explorer_options *options,
                            unf_explorer **out) {
  RETURN_IF_NULL(u->context, u, out);
  static const unf_explorer_options defaults = UNF_EXPLORER_OPTIONS_INIT;
  if (options == NULL) options = &defaults;
  unf_status status = unfi_explorer_options_check(u->context, options);
  if (status != UNF_OK) return status;
  unf_explorer *x = unfi_reallocate(u->context, NULL, 0, sizeof *x);
  if (x == NULL) return unfi_refused(u->context);
  memset(x, 0, sizeof *x);
  x->u = u;
  x->C.u = u;
  x->wakeup.u = u;
  x->algorithm = options->algorithm;
  x->options = options->alternative;
  if (x->algorithm == UNF_SDPOR) {
    x->options.singleton = true;
    x->options.k = 1;
  }
  x->state = IDLE;
  x->branch = BRANCH_DECIDED;
  x->first_sleeper = x->last_sleeper = NONE;
  x->probes.density = options->probes;
  x->probes.seed = options->seed;
  x->probes.shared = NONE;
  x->bounds.max_switches = options->max_switches;
  x->bounds.max_preemptions = options->max_preemptions;
  x->bounds.on =
      options->max_switches != UNF_UNBOUNDED || options->max_preemptions != UNF_UNBOUNDED;
  x->saves.forget = options->forget;
  x->saves.user = options->forget_user;
  x->collect = options->collect;
  x->collect_percent = options->collect_percent;
  status = unfi_fix(u, x->collect > 0);
  if (status != UNF_OK) {
    unfi_reallocate(u->context, x, sizeof *x, 0);
    return status;
  }
  if (options->cutoffs != UNF_CUTOFFS_NONE)
    status = unf_cutoffs_new(u, options->cutoffs, &x->cutoffs);
  if (status == UNF_OK && !unfi_search_begin(x, options)) status = unfi_refused(u->context);
  if (status != UNF_OK) {
    unf_explorer_free(x);
    return status;
  }
  *out = x;
  return UNF_OK;
}

void unfi_explorer_clear(unf_explorer *x) {
  unf_context *context = x->u->context;
  unfi_reallocate(context, x->C.entries, x->C.room * sizeof *x->C.entries, 0);
  vector_free(context, &x->path);
  vector_free(context, &x->undo);
  vector_free(context, &x->replayed);
  vector_free(context, &x->blocked);
  vector_free(context, &x->D);
  for (uint32_t i = 0; i < x->known.count; i++)
    unfi_reallocate(context, x->known.data[i], sizeof(struct known) << EVENT_SHIFT, 0);
  vector_free(context, &x->known);
  for (uint32_t i = 0; i < x->chains.capacity; i++)
    vector_free(context, &x->chains.data[i]);
  vector_free(context, &x->chains);
  vector_free(context, &x->roots);
  vector_free(context, &x->places);
  vector_free(context, &x->heads);
  unfi_table_free(context, &x->head_table);
  vector_free(context, &x->scratch);
}

void unf_explorer_free(unf_explorer *x) {
  if (x == NULL) return;
  unf_context *context = x->u->context;
  x->u->fixed--;
  if (x->collect > 0) x->u->changing = false;
  unfi_explorer_clear(x);
  unfi_saves_free(x);
  unfi_search_free(x);
  vector_free(context, &x->bounds.spent);
  unfi_probe_free(x);
  vector_free(context, &x->clue);
  vector_free(context, &x->last);
  unfi_comb_free(context, &x->comb);
  vector_free(context, &x->events);
  unfi_attempts_free(context, &x->attempts);
  unfi_wakeup_end(x);
  unfi_eager_end(x);
  unfi_arena_free(context, &x->traces);
  unfi_table_free(context, &x->trace_table);
  unf_cutoffs_free(x->cutoffs);
  vector_free(context, &x->restored);
  unfi_reallocate(context, x, sizeof *x, 0);
}

void unf_explorer_counts(const unf_explorer *x, unf_counts *out) {
  if (x != NULL && out != NULL) *out = x->counts;
}

/* Whether the execution to tell of is the last one, which is not on the path any more. */
static bool tells_last(const unf_explorer *x) {
  return x->state == IDLE && x->leaving;
}

unf_status unf_explorer_configuration(unf_explorer *x, unf_configuration *out) {
  RETURN_IF_NULL(x->u->context, x, out);
  unf_context *context = x->u->context;
  if (!tells_last(x)) return unf_configuration_assign(out, &x->C);
  unf_configuration last = {x->u, NULL, 0, 0};
  bool good = unfi_configuration_fit(&last);
  for (uint32_t i = 0; good && i < x->last.count; i++)
    good = unfi_configuration_push(&last, x->last.data[i]);
  unf_status status = good ? unf_configuration_assign(out, &last) : unfi_refused(context);
  unfi_reallocate(context, last.entries, last.room * sizeof *last.entries, 0);
  return status;
}

void unf_explorer_path(const unf_explorer *x, unf_event_visitor visit, void *user) {
  if (x == NULL || visit == NULL) return;
  bool last = tells_last(x);
  uint32_t count = last ? x->last.count : x->path.count;
  for (uint32_t i = 0; i < count; i++)
    if (!visit(user, last ? x->last.data[i] : x->path.data[i].event)) return;
}

unf_event unf_explorer_last(const unf_explorer *x) {
  if (x == NULL) return UNF_EVENT_NONE;
  uint32_t steps = x->state == IDLE ? x->path.count : x->at;
  if (x->probes.running) return UNF_EVENT_BOTTOM;
  if (tells_last(x)) return x->last.count == 0 ? UNF_EVENT_BOTTOM : x->last.data[x->last.count - 1];
  return steps == 0 ? UNF_EVENT_BOTTOM : x->path.data[steps - 1].event;
}
