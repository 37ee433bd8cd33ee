/* The slow reference: every interleaving, with the maximal configurations remembered to count how
 * many of them are one trace. */
#include <string.h>

#include "base/arena.h"
#include "base/table.h"
#include "exploration/explorer.h"
#include "exploration/free_step.h"
#include "exploration/image/image.h"
#include "exploration/options.h"
#include "exploration/strategies/strategies.h"
#include "extension/adds.h"
#include "structure/cut.h"

struct dfs {
  struct arena traces; /* maximal configurations, by last events of the threads */
  struct table table;
};

static struct dfs *dfs_of(const unf_explorer *x) {
  return x->strategy_state;
}

static void end(unf_explorer *x) {
  unfi_arena_free(x->u->context, &dfs_of(x)->traces);
  unfi_table_free(x->u->context, &dfs_of(x)->table);
}

/* The first action at this node that was not taken yet. */
static unf_status another(unf_explorer *x, uint32_t event, bool *found) {
  unfi_sleep(x, event);
  unf_status status = unfi_free_branch(x, found);
  unfi_unsleep(x, event);
  return status;
}

static uint64_t trace_hash(const void *traces, uint32_t handle) {
  const uint32_t *record = arena_at(traces, handle);
  uint64_t hash = record[0];
  for (uint32_t i = 0; i < record[0]; i++)
    hash = mix(hash, record[1 + i]);
  return hash;
}

/* Threads up to the last one that did something: more of them may be named in a later run. */
static uint32_t count_acting(unf_unfolding *u, struct cut C) {
  uint32_t count = u->threads.count;
  while (count > 0 && cut_at(C, u->threads.data[count - 1].site) == 0)
    count--;
  return count;
}

/* Remembers the maximal configuration at hand, unless it is known. What goes over a bound is none.
 */
static unf_status learn(unf_explorer *x, bool *fresh) {
  unf_unfolding *u = x->u;
  unf_context *context = u->context;
  struct arena *traces = &dfs_of(x)->traces;
  struct table *table = &dfs_of(x)->table;
  if (x->run.step.kind == UNF_STEP_TRUNCATED) return UNF_OK;
  struct cut C = configuration_cut(&x->path.C);
  unf_status status = unfi_work(context, u->threads.count);
  if (status != UNF_OK) return status;
  uint32_t count = count_acting(u, C);
  if (!unfi_table_reserve(context, table, trace_hash, traces)) return unfi_refused(context);
  /* Written to the end of the arena, and freed when it turns out to be known. */
  uint32_t next = traces->next;
  uint32_t handle = unfi_arena_take(context, traces, count + 1);
  if (handle == 0) return unfi_refused(context);
  uint32_t *record = arena_at(traces, handle);
  record[0] = count;
  for (uint32_t t = 0; t < count; t++)
    record[1 + t] = cut_at(C, u->threads.data[t].site);
  uint64_t hash = trace_hash(traces, handle);
  table_each(table, hash, known) {
    const uint32_t *other = arena_at(traces, known);
    if (other[0] == count && memcmp(other, record, (count + 1) * sizeof *record) == 0) {
      if (handle == next && next != 0) traces->next = next;
      *fresh = false;
      return UNF_OK;
    }
  }
  table_put(table, hash, handle);
  return UNF_OK;
}

/* ---- writing down ---- */

static void write_state(const unf_explorer *x, struct bytes_out *out) {
  const struct arena *traces = &dfs_of(x)->traces;
  const struct table *table = &dfs_of(x)->table;
  unfi_bytes_put(out, table->count);
  for (uint32_t i = 0; table->count > 0 && i <= table->mask; i++) {
    if (table->slots[i] == 0) continue;
    const uint32_t *record = arena_at(traces, table->slots[i] & table->handles);
    for (uint32_t j = 0; j <= record[0]; j++)
      unfi_bytes_put(out, record[j]);
  }
}

/* Reads a trace, by the last events of threads. */
static void read_trace(unf_explorer *x, struct bytes_in *in) {
  unf_context *context = x->u->context;
  struct arena *traces = &dfs_of(x)->traces;
  struct table *table = &dfs_of(x)->table;
  uint32_t count = unfi_bytes_get_below(in, (uint64_t)x->u->threads.count + 1, "threads");
  uint32_t handle = 0;
  if (unfi_table_reserve(context, table, trace_hash, traces))
    handle = unfi_arena_take(context, traces, count + 1);
  if (handle == 0) {
    unfi_bytes_note(in, unfi_refused(context));
    return;
  }
  uint32_t *record = arena_at(traces, handle);
  record[0] = count;
  for (uint32_t t = 1; t <= count; t++)
    record[t] = unfi_bytes_get_below(in, x->u->store.count, "last event of a thread");
  table_put(table, trace_hash(traces, handle), handle);
}

static void read_state(unf_explorer *x, struct bytes_in *in) {
  uint64_t count = unfi_bytes_get(in);
  for (uint64_t i = 0; in->status == UNF_OK && i < count; i++)
    read_trace(x, in);
}

/* D holds what was taken at each node, and means nothing to the nodes below. */
const struct strategy unfi_dfs = {
    .name = "dfs",
    .supports = FEATURE_ORDERS | FEATURE_BOUNDS | FEATURE_CUTOFFS | FEATURE_PROBES | FEATURE_TRACES,
    .state = sizeof(struct dfs),
    .sleeps_at_node = true,
    .names_traces = true,
    .end = end,
    .choose = unfi_free_step,
    .learn = learn,
    .another = another,
    .write = write_state,
    .read = read_state,
};
