/*
 * Candidates by index.
 *
 * Let d be an unjustified event of D at C: enabled there. If a is in conflict with d and compatible with C, take a minimal event b of [a] that
 * depends on d and is not in [d]. Everything in [b] that d's second site knows lies in C, so b follows the same write of that site as d: b is a sibling of d, and in
 * conflict with d itself, because [d) lies in C. b is in U when a is, and as good in an alternative, since [b] ⊆ [a]. So the siblings are all the
 * candidates that are needed: for mutexes, the writes and reads after the same write; for a choice, the other values; for a create, the other creates
 * of the thread. A join has none.
 *
 * A sibling that cannot be used now is parked at the reason: at the first step of the path that is in conflict with it (or is it), or at the event of D
 * in its history. There is no use for it before the path is cut back to that step, or that event leaves D, so until then no search reads it.
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

void unfi_release(unf_explorer *x, uint32_t parked) {
  while (parked != 0) {
    uint32_t event = parked;
    struct known *known = &x->known.data[event];
    uint32_t *head = home_of(x, event);
    parked = known->next;
    known->next = *head;
    *head = event;
  }
}

void unfi_known_add(unf_explorer *x, uint32_t event) {
  struct known *known = &x->known.data[event];
  if (known->flags & IN_U) return;
  known->flags |= IN_U;
  x->counts.extensions++;
  uint32_t *head = home_of(x, event);
  if (head == NULL) return;
  if (known->step != 0) head = &x->path.data[known->step - 1].parked;
  known->next = *head;
  *head = event;
}

/* Parent of a write in the tree of a site; 0 for ⊥. */
static uint32_t above(const unf_unfolding *u, uint32_t site, uint32_t write) {
  const struct event *e = event_at(u, write);
  if (u->actions.data[e->action].site == site) return e->before;
  /* The create of a thread follows ⊥ in the thread's tree. */
  return u->sites.data[site].is_thread ? 0 : e->other_before;
}

/* The first step that wrote a site beyond the last write of C that a candidate's history has, or 0 if it has them all: `here` and
   `there` are the last writes in C and in the candidate's history. */
static uint32_t first_beyond(const unf_explorer *x, uint32_t site, uint32_t here, uint32_t there) {
  const unf_unfolding *u = x->u;
  while (there != 0 && x->known.data[there].step == 0) there = above(u, site, there);
  uint32_t step = 0;
  for (; here != there; here = above(u, site, here)) step = x->known.data[here].step;
  return step;
}

/* The first step of the path in conflict with a candidate; 0: none. */
static uint32_t first_conflict(const unf_explorer *x, uint32_t candidate) {
  const unf_unfolding *u = x->u;
  const struct event *e = event_at(u, candidate);
  const struct action *a = &u->actions.data[e->action];
  const uint32_t *record = arena_at(&u->cuts, e->cut);
  uint32_t first = NONE;
  for (uint32_t i = 0; i < u->compared.count; i++) {
    uint32_t site = u->compared.data[i];
    uint32_t here = x->C.entries[site];
    uint32_t there = site < record[0] ? record[1 + site] : 0;
    if (site == a->site || site == a->write) there = candidate;
    if (here == 0 || there == 0 || here == there) continue;
    uint32_t step = 0;
    if ((here | there) & READS_TAG) {
      if (!unfi_conflict_cut(u, configuration_cut(&x->C), candidate)) continue;
      for (step = 1; !unfi_conflict(u, x->path.data[step - 1].event, candidate);) step++;
    } else if (x->known.data[there].step == 0) {
      step = first_beyond(x, site, here, there);
    }
    if (step != 0 && step < first) first = step;
  }
  return first == NONE ? 0 : first;
}

/* Where to park a candidate that cannot be used; NULL when it can. */
static uint32_t *reason(unf_explorer *x, uint32_t candidate) {
  uint32_t step = x->known.data[candidate].step;
  if (step == 0) step = first_conflict(x, candidate);
  if (step != 0) return &x->path.data[step - 1].parked;
  for (uint32_t i = x->first_sleeper; i != NONE; i = x->D.data[i].next)
    if (unfi_precedes(x->u, x->D.data[i].event, candidate)) return &x->D.data[i].parked;
  return NULL;
}

bool unfi_spike_fill(unf_explorer *x, uint32_t event, uint32_t also) {
  unf_unfolding *u = x->u;
  bool reads = action_of(u, event)->write == NONE && action_of(u, event)->other != NONE;
  if (!unfi_comb_begin(u->context, &x->comb, event)) return false;
  x->counts.alternatives.spikes++;
  uint32_t *link = home_of(x, event);
  while (link != NULL && *link != 0) {
    uint32_t a = *link;
    struct known *known = &x->known.data[a];
    x->counts.alternatives.read++;
    /* Two reads commute. */
    if (a == event || (reads && action_of(u, a)->write == NONE)) {
      link = &known->next;
      continue;
    }
    uint32_t *park = reason(x, a);
    if (park != NULL) {
      *link = known->next;
      known->next = *park;
      *park = a;
      continue;
    }
    link = &known->next;
    if (unfi_precedes(u, also, a)) continue;
    x->counts.alternatives.kept++;
    if (!unfi_comb_add(u->context, &x->comb, a)) return false;
  }
  unfi_comb_end(&x->comb, x->options.candidates);
  return true;
}
