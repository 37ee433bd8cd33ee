/* What random walks and PCT share: draws, the choice of an outcome, and what is kept of a run. */
#include "exploration/strategies/sampling/sampling.h"

#include "base/null.h"
#include "base/table.h"
#include "exploration/explorer.h"
#include "exploration/image/image.h"
#include "extension/adds.h"
#include "structure/cut.h"
#include "structure/effect.h"

static struct sampling *sampling_of(const unf_explorer *x) {
  return x->strategy_state;
}

void unfi_sampling_begin(unf_explorer *x, const unf_explorer_options *options) {
  struct sampling *s = sampling_of(x);
  s->seed = options->seed;
  s->runs = options->runs;
  s->seen.bound = -1;
}

void unfi_sampling_end(unf_explorer *x) {
  struct sampling *s = sampling_of(x);
  vector_free(x->u->context, &s->sketch);
  vector_free(x->u->context, &s->idle);
}

/* ---- drawing ---- */

uint64_t unfi_sampling_draw(const unf_explorer *x, uint64_t step, uint64_t purpose) {
  const struct sampling *s = sampling_of(x);
  return mix(mix(mix(s->seed, s->seen.executions + 1), step + 1), purpose + 1);
}

/* Each thread that is looked at has draws of its own: one for itself, the others for outcomes. */
static uint64_t draw_here(const unf_explorer *x, uint32_t number) {
  return unfi_sampling_draw(x, x->run.at, sampling_of(x)->tries << 32 | number);
}

bool unfi_sampling_is_idle(const unf_explorer *x, uint32_t thread) {
  const struct sampling *s = sampling_of(x);
  uint32_t i = 0;
  while (i < s->idle.count && s->idle.data[i] < thread)
    i++;
  return i < s->idle.count && s->idle.data[i] == thread;
}

uint32_t unfi_sampling_any_thread(unf_explorer *x) {
  const struct sampling *s = sampling_of(x);
  const struct ready *ready = &x->run.ready;
  uint32_t count = unfi_ready_count(ready) - s->idle.count;
  if (count == 0) return NONE;
  uint32_t thread = unfi_ready_nth(ready, (uint32_t)(draw_here(x, 0) % count));
  for (uint32_t i = 0; i < s->idle.count && s->idle.data[i] <= thread; i++)
    thread = unfi_ready_next(ready, thread + 1);
  return thread;
}

/* ---- an outcome ---- */

struct outcome {
  const unf_explorer *x;
  uint32_t count;
  bool first; /* the first one is enough */
  unf_action action;
};

/* The one that is kept is any of those visited so far, with equal chances. */
static bool keep_any(void *user, const unf_action *action) {
  struct outcome *o = user;
  o->count++;
  if (o->count == 1 || draw_here(o->x, o->count) % o->count == 0) o->action = *action;
  return !o->first && o->count < MOST_OUTCOMES;
}

/* Any value of a choice. */
static int64_t draw_value(const unf_explorer *x, const unf_operation *operation) {
  uint64_t between = (uint64_t)operation->high - (uint64_t)operation->low, draw = draw_here(x, 1);
  if (between != UINT64_MAX) draw %= between + 1;
  return (int64_t)((uint64_t)operation->low + draw);
}

/* What a thread does if it is chosen; *any: whether it can do something. */
static unf_status draw_outcome(unf_explorer *x, uint32_t thread, bool *any) {
  unf_unfolding *u = x->u;
  struct cut C = configuration_cut(&x->path.C);
  uint32_t last = cut_last(u, C, thread);
  const unf_operation *operation = &u->operations.data[next_after(u, thread, last)];
  const struct operation_row *row = &u->effects->operations[operation->kind];
  bool value = row->numbers == NUMBERS_RANGE;
  struct outcome o = {.x = x, .first = value};
  unf_status status = row->family->outcomes(u, C, thread, operation, keep_any, &o);
  if (status != UNF_OK) return status;
  unfi_count(u->context, 1 + o.count);
  *any = o.count > 0;
  if (!*any) {
    bool good = unfi_ready_wait(u, &x->run.ready, thread, operation);
    return good ? UNF_OK : unfi_refused(u->context);
  }
  if (value) o.action.value = draw_value(x, operation);
  if (o.count > 1 || (value && operation->low != operation->high))
    sampling_of(x)->seen.drawn = true;
  x->run.step.action = o.action;
  return UNF_OK;
}

/* A thread that cannot act, and may stay in the set, is not looked at again for this step. */
static void set_aside(unf_explorer *x, uint32_t thread) {
  struct sampling *s = sampling_of(x);
  uint32_t i = s->idle.count;
  s->tries++;
  if (!unfi_ready_has(&x->run.ready, thread)) return;
  for (s->idle.count++; i > 0 && s->idle.data[i - 1] > thread; i--)
    s->idle.data[i] = s->idle.data[i - 1];
  s->idle.data[i] = thread;
}

unf_status unfi_sampling_step(unf_explorer *x, thread_chooser choose) {
  struct sampling *s = sampling_of(x);
  bool any = false;
  unf_status status = unfi_ready_update(x->u, &x->run.ready, configuration_cut(&x->path.C));
  x->run.chosen = NONE;
  x->run.step.kind = UNF_STEP_ACTION;
  while (status == UNF_OK && !any) {
    if (!vector_reserve(x->u->context, &s->idle, (uint64_t)s->idle.count + 1))
      return unfi_refused(x->u->context);
    uint32_t thread = choose(x);
    if (thread == NONE) x->run.step.kind = UNF_STEP_MAXIMAL;
    if (thread == NONE) break;
    status = draw_outcome(x, thread, &any);
    if (status == UNF_OK && !any) set_aside(x, thread);
  }
  if (status == UNF_OK) s->tries = s->idle.count = 0;
  return status;
}

/* ---- the end of a run ---- */

/* Names the trace at hand, and counts its threads. */
static unf_status name_trace(unf_explorer *x, uint64_t *name, uint64_t *threads) {
  unf_unfolding *u = x->u;
  struct cut C = configuration_cut(&x->path.C);
  unf_status status = unfi_work(u->context, u->threads.count);
  *name = *threads = 0;
  for (uint32_t t = 0; status == UNF_OK && t < u->threads.count; t++) {
    uint64_t print[2];
    uint32_t last = cut_last(u, C, t);
    if (last == NONE) continue;
    ++*threads;
    if (cut_at(C, u->threads.data[t].site) == 0) continue;
    status = unf_event_fingerprint(u, last, print);
    *name += mix(print[0], print[1]);
  }
  return status;
}

unf_status unfi_sampling_learn(unf_explorer *x, bool *fresh) {
  struct sampling *s = sampling_of(x);
  unf_context *context = x->u->context;
  uint64_t name, threads, steps = x->path.steps.count;
  if (!vector_reserve_zero(context, &s->sketch, SKETCH_BITS / SKETCH_WORD))
    return unfi_refused(context);
  unf_status status = name_trace(x, &name, &threads);
  if (status != UNF_OK) return status;
  uint64_t class = mix(name, threads) % SKETCH_BITS, bit = 1ull << class % SKETCH_WORD;
  uint64_t *word = &s->sketch.data[class / SKETCH_WORD];
  *fresh = (*word & bit) == 0;
  *word |= bit;
  s->seen.executions++;
  if (steps > s->seen.longest) s->seen.longest = steps;
  if (threads > s->seen.threads) s->seen.threads = threads;
  return UNF_OK;
}

unf_status unfi_sampling_leave(unf_explorer *x, bool *found) {
  struct sampling *s = sampling_of(x);
  while (x->path.steps.count > 0) {
    unf_status status = unfi_work(x->u->context, 1);
    if (status != UNF_OK) return status;
    unfi_path_pop(x);
    unfi_done(x->u->context);
  }
  x->run.shared = 0;
  x->run.clue.count = 0;
  x->run.drawn = false;
  *found = s->seen.executions - s->seen.measured < s->runs;
  return UNF_OK;
}

/* ---- writing down ---- */

void unfi_sampling_write(const unf_explorer *x, struct bytes_out *out) {
  const struct sampling *s = sampling_of(x);
  unfi_bytes_put(out, s->seen.executions);
  unfi_bytes_put(out, s->seen.measured);
  unfi_bytes_put(out, s->seen.threads);
  unfi_bytes_put(out, s->seen.longest);
  unfi_bytes_put(out, s->seen.steps);
  unfi_bytes_put(out, s->seen.drawn);
  unfi_bytes_put_double(out, s->seen.bound);
  for (uint32_t i = 0; i < SKETCH_BITS / SKETCH_WORD; i++)
    unfi_bytes_put(out, i < s->sketch.capacity ? s->sketch.data[i] : 0);
}

void unfi_sampling_read(unf_explorer *x, struct bytes_in *in) {
  struct sampling *s = sampling_of(x);
  s->seen.executions = unfi_bytes_get(in);
  s->seen.measured = unfi_bytes_get(in);
  s->seen.threads = unfi_bytes_get(in);
  s->seen.longest = unfi_bytes_get(in);
  s->seen.steps = unfi_bytes_get(in);
  s->seen.drawn = unfi_bytes_get_below(in, 2, "whether outcomes were drawn");
  s->seen.bound = unfi_bytes_get_double(in);
  if (!vector_reserve_zero(x->u->context, &s->sketch, SKETCH_BITS / SKETCH_WORD))
    unfi_bytes_note(in, unfi_refused(x->u->context));
  for (uint32_t i = 0; in->status == UNF_OK && i < SKETCH_BITS / SKETCH_WORD; i++)
    s->sketch.data[i] = unfi_bytes_get(in);
}

/* ---- looking ---- */

unf_status unf_explorer_sampling(const unf_explorer *x, unf_sampling *out) {
  RETURN_IF_NULL(x->u->context, x, out);
  if (!x->strategy->samples)
    return unfi_fail(x->u->context, UNF_UNSUPPORTED, "sampling with algorithm ", x->strategy->name);
  *out = sampling_of(x)->seen;
  return UNF_OK;
}
