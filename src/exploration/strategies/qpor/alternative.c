/*
 * Another branch at a node: an alternative to its D and the event just left. Without what is in C,
 * in an order of its causes, it is the clue that the next run follows.
 */
#include "exploration/strategies/qpor/alternative.h"

#include <string.h>

#include "alternative/comb.h"
#include "configuration/walk.h"
#include "exploration/strategies/qpor/extensions.h"
#include "exploration/strategies/qpor/spikes.h"
#include "structure/action.h"
#include "structure/cut.h"

/* Whether the comb's last spike is empty: there is no alternative then. */
static bool last_empty(const struct comb *comb) {
  return comb->spikes.data[comb->spikes.count - 1].count == 0;
}

/* Whether all that could be chosen against `event` is in conflict with an event of D, too: both
 * write one site, and no other, behind the same write, and whatever their operations could be
 * instead uses it as well. So a candidate stands behind that write, or has an event in its history
 * that does, which is none of D; and with that both are in conflict. */
static bool goes_with(const unf_explorer *x, uint32_t of_D, uint32_t event) {
  const unf_unfolding *u = x->u;
  const struct action *a = action_of(u, of_D), *b = action_of(u, event);
  return a->written == b->written && b->written != NONE && b->on_object &&
         event_at(u, of_D)->follows == event_at(u, event)->follows &&
         u->effects->actions[b->kind].family->only_target;
}

/* Fills the comb for D and `event`, and stops at the first empty spike. The event's own comes
 * first, because it is the one that fails most. */
static unf_status fill(unf_explorer *x, uint32_t event) {
  struct qpor *q = qpor_of(x);
  struct comb *comb = &q->comb;
  const struct sleepers *D = &x->path.D;
  const bool all = q->options.k == UNF_K_OPTIMAL;
  unfi_comb_clear(comb);
  x->run.drawn = false;
  unf_status status = unfi_spike_fill(x, event, event);
  if (status != UNF_OK || q->options.singleton) return status;
  for (uint32_t i = D->first; status == UNF_OK && i != NONE && !last_empty(comb);
       i = D->entries.data[i].next)
    if (!all || !goes_with(x, D->entries.data[i].event, event))
      status = unfi_spike_fill(x, D->entries.data[i].event, event);
  if (status != UNF_OK || last_empty(comb)) return status;
  /* The order of D: the event was added last. */
  struct spike own = comb->spikes.data[0];
  memmove(comb->spikes.data, comb->spikes.data + 1, (comb->spikes.count - 1) * sizeof own);
  comb->spikes.data[comb->spikes.count - 1] = own;
  return UNF_OK;
}

static inline bool is_in_C(const unf_explorer *x, uint32_t event) {
  return event == 0 || step_of(&x->path, event) != 0;
}

/* Whether one look shows that the causes of an event are in C. */
static bool is_enabled(const unf_explorer *x, uint32_t event) {
  const struct event *e = event_at(x->u, event);
  bool one = x->u->actions.data[e->action].count <= 1 && !(e->follows & ROW_TAG);
  return one && is_in_C(x, e->before) && is_in_C(x, e->follows);
}

/* What was chosen, without what is in C, in an order of its causes. */
static bool set_clue(unf_explorer *x) {
  unf_unfolding *u = x->u;
  const handle_vector *chosen = &qpor_of(x)->comb.chosen;
  if (chosen->count == 1 && is_enabled(x, chosen->data[0])) {
    if (!vector_reserve(u->context, &x->run.clue, 1)) return false;
    x->run.clue.data[0] = chosen->data[0];
    x->run.clue.count = 1;
    return true;
  }
  struct sparse *J = &qpor_of(x)->J;
  bool enough = sparse_reserve(u, J);
  unfi_sparse_clear(J);
  for (uint32_t i = 0; enough && i < chosen->count; i++)
    enough = unfi_sparse_merge(u, J, chosen->data[i]);
  x->run.clue.count = 0;
  return enough && unfi_sparse_events(u, J, configuration_cut(&x->path.C), &x->run.clue);
}

static NOINLINE unf_status search(unf_explorer *x, uint32_t event, bool *found) {
  unf_unfolding *u = x->u;
  struct qpor *q = qpor_of(x);
  unf_alternative_statistics *statistics = &x->counts.alternatives;
  unf_status status = fill(x, event);
  if (status != UNF_OK) return status;
  statistics->searches++;
  if (last_empty(&q->comb)) return UNF_OK;
  struct cut C = configuration_cut(&x->path.C);
  status = unfi_comb_solve(u, &q->comb, C, &q->options, statistics, found);
  if (status != UNF_OK || !*found) return status;
  statistics->found++;
  return set_clue(x) ? UNF_OK : unfi_refused(u->context);
}

unf_status unfi_alternative(unf_explorer *x, uint32_t event, bool *found) {
  *found = false;
  if (extended_later(x, x->path.steps.count)) {
    unf_status status = unfi_extend_left(x, event);
    if (status != UNF_OK) return status;
  }
  if (!followers_none(x->u, &qpor_of(x)->followers, event)) return search(x, event, found);
  x->counts.alternatives.searches++;
  x->counts.alternatives.spikes++;
  return UNF_OK;
}
