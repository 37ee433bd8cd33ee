/* The path: steps forward and back, each in O(sleepers + 1), with D as a list that dances. */
#include "exploration/explorer.h"
#include "exploration/path.h"
#include "exploration/strategies/qpor/spikes.h"
#include "structure/action.h"
#include "structure/event.h"

#include <string.h>

bool unfi_known_reserve(unf_explorer *x) {
  unf_context *context = x->u->context;
  size_t size = sizeof(struct known) << EVENT_SHIFT;
  while (x->known.count <= x->u->store.count >> EVENT_SHIFT) {
    if (!vector_reserve(context, &x->known, (uint64_t)x->known.count + 1)) return false;
    struct known *chunk = unfi_reallocate(context, NULL, 0, size);
    if (chunk == NULL) return false;
    memset(chunk, 0, size);
    vector_push(&x->known, chunk);
  }
  return true;
}

/* Whether the chain of a site has room for a node of its tree. */
static bool chain_reserve(unf_explorer *x, uint32_t site, uint32_t depth) {
  chain_vector *chain = &x->chains.data[site];
  return vector_reserve(x->u->context, chain, (uint64_t)depth + 1);
}

bool unfi_path_reserve(unf_explorer *x) {
  unf_context *context = x->u->context;
  uint64_t threads = x->u->threads.count;
  context->out_of_bytes = true; /* the only refusal here that is none of the allocator */
  return x->path.count < MAX_STEPS && unfi_configuration_fit(&x->C) &&
         vector_reserve(context, &x->path, (uint64_t)x->path.count + 1) &&
         vector_reserve(context, &x->D, (uint64_t)x->D.count + 1) && unfi_known_reserve(x) &&
         vector_reserve_zero(context, &x->chains, x->u->sites.count) &&
         vector_reserve_zero(context, &x->roots, x->u->sites.count) &&
         vector_reserve(context, &x->scratch, x->u->sites.count) &&
         (!bounded(x) || vector_reserve(context, &x->bounds.spent, (uint64_t)x->path.count + 2)) &&
         vector_reserve_zero(context, &x->blocked, threads) &&
         vector_reserve_zero(context, &x->replayed, threads);
}

static void unlink_sleeper(unf_explorer *x, uint32_t index) {
  const struct sleeper *d = &x->D.data[index];
  if (d->prev == NONE)
    x->first_sleeper = d->next;
  else
    x->D.data[d->prev].next = d->next;
  if (d->next == NONE)
    x->last_sleeper = d->prev;
  else
    x->D.data[d->next].prev = d->prev;
}

static void relink_sleeper(unf_explorer *x, uint32_t index) {
  struct sleeper *d = &x->D.data[index];
  d->until = NONE;
  if (d->prev == NONE)
    x->first_sleeper = index;
  else
    x->D.data[d->prev].next = index;
  if (d->next == NONE)
    x->last_sleeper = index;
  else
    x->D.data[d->next].prev = index;
}

void unfi_sleep(unf_explorer *x, uint32_t event) {
  struct sleeper d = {event, x->path.count, x->last_sleeper, NONE, NONE, NONE, 0};
  vector_push(&x->D, d);
  relink_sleeper(x, x->D.count - 1);
}

void unfi_unsleep(unf_explorer *x) {
  unlink_sleeper(x, --x->D.count);
}

uint32_t unfi_wake(unf_explorer *x, uint32_t depth) {
  uint32_t count = x->D.count;
  while (x->D.count > 0 && x->D.data[x->D.count - 1].depth == depth) {
    unlink_sleeper(x, x->D.count - 1);
    unfi_release(x, x->D.data[--x->D.count].parked);
  }
  return count - x->D.count;
}

/* Room for an event in the chains, which only searches for alternatives read; false: refused. */
static bool reserve_chains(unf_explorer *x, uint32_t event, const struct action *a) {
  uint32_t count;
  if (by_reversal(x)) return true;
  if (!chain_reserve(x, a->site, own_node(x->u, event)->depth)) return false;
  const struct use *uses = uses_of(x->u, a, &count);
  for (uint32_t i = 0; i < count; i++)
    if (uses[i].access == ACCESS_WRITE &&
        !chain_reserve(x, uses[i].site, node_in(x->u, event, uses[i].site).depth))
      return false;
  return true;
}

static void enter_chains(unf_explorer *x, uint32_t event, const struct action *a) {
  uint32_t count;
  chain_vector *chains = x->chains.data;
  if (by_reversal(x)) return;
  chains[a->site].data[own_node(x->u, event)->depth] = event;
  const struct use *uses = uses_of(x->u, a, &count);
  for (uint32_t i = 0; i < count; i++)
    if (uses[i].access == ACCESS_WRITE)
      chains[uses[i].site].data[node_in(x->u, event, uses[i].site).depth] = event;
}

/* Puts what an event with several uses changes behind what is kept for taking events back; *count
 * of them. False: refused. */
static bool save_several(unf_explorer *x, const struct action *a, uint32_t *count) {
  unf_unfolding *u = x->u;
  const struct use *uses = uses_of(u, a, count);
  if (!vector_reserve(u->context, &x->undo, (uint64_t)x->undo.count + *count)) return false;
  for (uint32_t i = 0; i < *count; i++)
    x->undo.data[x->undo.count + i] = x->C.entries[uses[i].site];
  return true;
}

static void restore_several(unf_explorer *x, const struct action *a) {
  uint32_t count;
  const struct use *uses = uses_of(x->u, a, &count);
  x->undo.count -= count;
  for (uint32_t i = 0; i < count; i++)
    x->C.entries[uses[i].site] = x->undo.data[x->undo.count + i];
}

bool unfi_path_push(unf_explorer *x, uint32_t event) {
  unf_unfolding *u = x->u;
  const struct action *a = action_of(u, event);
  uint32_t saved = 0;
  uint32_t other = a->count == 1 ? x->C.entries[a->first.site] : 0;
  struct frame frame = {event, x->C.entries[a->site], other, NONE, 0};
  if (!reserve_chains(x, event, a)) return false;
  if (a->count > 1 && !save_several(x, a, &saved)) return false;
  if (!unfi_configuration_push(&x->C, event)) return false;
  enter_chains(x, event, a);
  x->undo.count += saved;
  for (uint32_t i = x->first_sleeper; i != NONE; i = x->D.data[i].next) {
    struct sleeper *d = &x->D.data[i];
    if (!unfi_dependent(u, a, action_of(u, d->event))) continue;
    unlink_sleeper(x, i);
    d->chain = frame.unlinked;
    d->until = x->path.count;
    frame.unlinked = i;
  }
  vector_push(&x->path, frame);
  known_at(x, event)->step = x->path.count & (MAX_STEPS + 1);
  return true;
}

uint32_t unfi_path_pop(unf_explorer *x) {
  const struct frame *frame = &x->path.data[--x->path.count];
  const struct action *a = action_of(x->u, frame->event);
  for (uint32_t i = frame->unlinked; i != NONE; i = x->D.data[i].chain)
    relink_sleeper(x, i);
  x->C.entries[a->site] = frame->old_own;
  if (a->count == 1) x->C.entries[a->first.site] = frame->old_other;
  if (a->count > 1) restore_several(x, a);
  x->C.size--;
  known_at(x, frame->event)->step = 0;
  unfi_release(x, frame->parked);
  return frame->event;
}

void unfi_path_rewind(unf_explorer *x) {
  while (x->path.count > x->base)
    unfi_path_pop(x);
}

static bool sleeps(const unf_explorer *x, uint32_t index, const unf_action *action) {
  const struct action *a = action_of(x->u, x->D.data[index].event);
  return a->thread == action->thread && a->kind == (uint32_t)action->kind &&
         a->target == action->target && a->value == action->value;
}

bool unfi_asleep(const unf_explorer *x, const unf_action *action) {
  if (x->algorithm == UNF_DFS) {
    for (uint32_t i = x->D.count; i > 0 && x->D.data[i - 1].depth == x->path.count; i--)
      if (sleeps(x, i - 1, action)) return true;
    return false;
  }
  for (uint32_t i = x->first_sleeper; i != NONE; i = x->D.data[i].next)
    if (sleeps(x, i, action)) return true;
  return false;
}
