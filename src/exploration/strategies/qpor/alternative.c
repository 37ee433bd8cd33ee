/*
 * Another branch at a node: an alternative to its D and the event just left. Without what is in C,
 * in an order of its causes, it is the clue that the next run follows.
 */
#include "exploration/explorer.h"
#include "exploration/strategies/dfs.h"
#include "exploration/strategies/odpor.h"
#include "exploration/strategies/qpor/alternative.h"
#include "exploration/strategies/qpor/spikes.h"
#include "structure/cut.h"

#include <string.h>

/* Whether the comb's last spike is empty: there is no alternative then. */
static bool last_empty(const struct comb *comb) {
  return comb->spikes.data[comb->spikes.count - 1].count == 0;
}

/* Fills the comb for D and `event`, and stops at the first empty spike. The event's own comes
 * first, because it is the one that fails most. */
static bool fill(unf_explorer *x, uint32_t event) {
  struct comb *comb = &x->comb;
  unfi_comb_clear(comb);
  if (!unfi_spike_fill(x, event, event)) return false;
  if (x->options.singleton) return true;
  for (uint32_t i = x->first_sleeper; i != NONE && !last_empty(comb); i = x->D.data[i].next)
    if (!unfi_spike_fill(x, x->D.data[i].event, event)) return false;
  if (last_empty(comb)) return true;
  /* The order of D: the event was added last. */
  struct spike own = comb->spikes.data[0];
  memmove(comb->spikes.data, comb->spikes.data + 1, (comb->spikes.count - 1) * sizeof own);
  comb->spikes.data[comb->spikes.count - 1] = own;
  return true;
}

static bool set_clue(unf_explorer *x) {
  unf_unfolding *u = x->u;
  uint32_t *entries = x->scratch.data;
  memset(entries, 0, u->sites.count * sizeof *entries);
  for (uint32_t i = 0; i < x->comb.chosen.count; i++)
    if (!unfi_cut_merge(u, entries, x->comb.chosen.data[i])) return false;
  struct cut J = {entries, u->sites.count};
  x->clue.count = 0;
  return unfi_cut_events(u, J, configuration_cut(&x->C), &x->clue);
}

/* At the node of the path's end, which `event` just left. */
static unf_status alternative(unf_explorer *x, uint32_t event, bool *found) {
  unf_unfolding *u = x->u;
  unf_alternative_statistics *statistics = &x->counts.alternatives;
  *found = false;
  if (!fill(x, event)) return unfi_refused(u->context);
  statistics->searches++;
  if (last_empty(&x->comb)) return UNF_OK;
  unf_status status = unfi_comb_solve(u, &x->comb, &x->options, statistics, found);
  if (status != UNF_OK || !*found) return status;
  statistics->found++;
  return set_clue(x) ? UNF_OK : unfi_refused(u->context);
}

unf_status unfi_another(unf_explorer *x, uint32_t event, bool *found) {
  if (x->algorithm == UNF_ODPOR) return unfi_wakeup_another(x, found);
  return x->algorithm == UNF_DFS ? unfi_interleaving_another(x, event, found)
                                 : alternative(x, event, found);
}
