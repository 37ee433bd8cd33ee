/* The slow reference: every interleaving, with the maximal configurations remembered to tell how
 * many of them are one trace. */
#include "exploration/explorer.h"
#include "exploration/path.h"
#include "exploration/protocol.h"
#include "exploration/strategies/dfs.h"
#include "structure/cut.h"
#include "structure/event.h"
#include "structure/names.h"

#include <string.h>

/* The first action at this node that was not taken yet, as a clue; *found tells whether there is
 * one. */
static unf_status next_sibling(unf_explorer *x, bool *found) {
  unf_unfolding *u = x->u;
  struct causes causes;
  uint32_t event;
  unf_step ended = x->step;
  unf_status status = unfi_free_step(x);
  unf_action action = x->step.action;
  *found = status == UNF_OK && x->step.kind == UNF_STEP_ACTION;
  x->step = ended;
  if (!*found) return status;
  if (!vector_reserve(u->context, &x->clue, 1)) return unfi_refused(u->context);
  status = unfi_causes(u, configuration_cut(&x->C), &action, &causes);
  if (status == UNF_OK) status = unfi_event_intern(u, &causes, &event);
  if (status != UNF_OK) return status;
  x->clue.data[0] = event;
  x->clue.count = 1;
  return UNF_OK;
}

unf_status unfi_interleaving_another(unf_explorer *x, uint32_t event, bool *found) {
  unfi_sleep(x, event);
  unf_status status = next_sibling(x, found);
  unfi_unsleep(x);
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

unf_status unfi_interleaving_new(unf_explorer *x, bool *fresh) {
  unf_unfolding *u = x->u;
  unf_context *context = u->context;
  struct table *table = &x->trace_table;
  struct cut C = configuration_cut(&x->C);
  uint32_t count = count_acting(u, C);
  if (!unfi_table_reserve(context, table, trace_hash, &x->traces)) return unfi_refused(context);
  /* Written to the end of the arena, and given back when it turns out to be known. */
  uint32_t next = x->traces.next;
  uint32_t handle = unfi_arena_take(context, &x->traces, count + 1);
  if (handle == 0) return unfi_refused(context);
  uint32_t *record = arena_at(&x->traces, handle);
  record[0] = count;
  for (uint32_t t = 0; t < count; t++)
    record[1 + t] = cut_at(C, u->threads.data[t].site);
  uint64_t hash = trace_hash(&x->traces, handle);
  *fresh = false;
  for (uint32_t i = (uint32_t)hash & table->mask; table->slots[i] != 0; i = (i + 1) & table->mask) {
    const uint32_t *other = arena_at(&x->traces, table->slots[i]);
    if (memcmp(other, record, (count + 1) * sizeof *record) == 0) {
      if (handle == next && next != 0) x->traces.next = next;
      return UNF_OK;
    }
  }
  table_put(table, hash, handle);
  *fresh = true;
  return UNF_OK;
}
