/*
 * Candidates by index.
 *
 * Let d be an unjustified event of D at C: enabled there. If a is in conflict with d and compatible with C, take a minimal event b of [a] that
 * depends on d and is not in [d]. Everything in [b] that d's second site knows lies in C, so b follows the same write of that site as d: b is a sibling of d, and in
 * conflict with d itself, because [d) lies in C. b is in U when a is, and as good in an alternative, since [b] ⊆ [a]. So the siblings are all the
 * candidates that are needed: for mutexes, the writes and reads after the same write; for a choice, the other values; for a create, the other creates
 * of the thread. A join has none.
 */
#include "exploration/explorer.h"

/* Head of the list that an event belongs to; NULL: to none. */
static uint32_t *home_of(unf_explorer *x, uint32_t event) {
  unf_unfolding *u = x->u;
  const struct event *e = event_at(u, event);
  const struct action *a = &u->actions.data[e->action];
  if (a->other == NONE) {
    if (e->before == 0) return &x->roots.data[a->site];
    bool own = action_of(u, e->before)->site == a->site;
    return own ? &x->known.data[e->before].choices : &x->known.data[e->before].home;
  }
  if (u->sites.data[a->other].is_thread) return a->write != NONE ? &x->roots.data[a->other] : NULL;
  return e->other_before == 0 ? &x->roots.data[a->other] : &x->known.data[e->other_before].home;
}

void unfi_known_add(unf_explorer *x, uint32_t event) {
  struct known *known = &x->known.data[event];
  if (known->flags & IN_U) return;
  known->flags |= IN_U;
  x->counts.extensions++;
  uint32_t *head = home_of(x, event);
  if (head == NULL) return;
  known->next = *head;
  *head = event;
}

/* Whether no event of D (nor `also`, if not NONE) is in the history; only unjustified ones can be, where C is compatible. */
static bool avoids_D(const unf_explorer *x, uint32_t candidate, uint32_t also) {
  if (also != NONE && unfi_precedes(x->u, also, candidate)) return false;
  for (uint32_t i = x->first_sleeper; i != NONE; i = x->D.data[i].next)
    if (unfi_precedes(x->u, x->D.data[i].event, candidate)) return false;
  return true;
}

bool unfi_spike_fill(unf_explorer *x, uint32_t event, uint32_t also) {
  unf_unfolding *u = x->u;
  struct cut C = configuration_cut(&x->C);
  bool reads = action_of(u, event)->write == NONE && action_of(u, event)->other != NONE;
  if (!unfi_comb_begin(u->context, &x->comb, event)) return false;
  x->counts.alternatives.spikes++;
  const uint32_t *head = home_of(x, event);
  for (uint32_t a = head == NULL ? 0 : *head; a != 0; a = x->known.data[a].next) {
    if (a == event) continue;
    x->counts.alternatives.read++;
    /* Two reads commute. */
    if (reads && action_of(u, a)->write == NONE) continue;
    if (unfi_in_cut(u, C, a) || unfi_conflict_cut(u, C, a) || !avoids_D(x, a, also)) continue;
    x->counts.alternatives.kept++;
    if (!unfi_comb_add(u->context, &x->comb, a)) return false;
  }
  unfi_comb_end(&x->comb, x->options.candidates);
  return true;
}
