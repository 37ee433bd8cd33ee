/*
 * Candidates by index.
 *
 * Let d be an unjustified event of D at C: enabled there. If a is in conflict with d and compatible
 * with C, take a minimal event b of [a] that depends on d and is not in [d]. Everything in [b] that
 * d's second site knows lies in C, so b follows the same write of that site as d: b is a sibling of
 * d, and in conflict with d itself, because [d) lies in C. b is in U when a is, and as good in an
 * alternative, since [b] ⊆ [a]. So the siblings are all the candidates that are needed: for
 * mutexes, the writes and reads after the same write; for a choice, the other values; for a create,
 * the other creates of the thread. A join has none.
 *
 * A sibling that cannot be used now is parked at the reason: at the first step of the path that is
 * in conflict with it (or is it), or at the event of D in its history. There is no use for it
 * before the path is cut back to that step, or that event leaves D, so until then no search reads
 * it.
 */
#include "exploration/explorer.h"

/* Head of the list that an event belongs to; NULL: to none. */
static uint32_t *home_of(unf_explorer *x, uint32_t event) {
  unf_unfolding *u = x->u;
  const struct event *e = event_at(u, event);
  const struct action *a = &u->actions.data[e->action];
  if (a->other == NONE)
    return e->before == 0 ? &x->roots.data[a->site] : &known_at(x, e->before)->home;
  if (u->sites.data[a->other].is_thread) return a->write != NONE ? &x->roots.data[a->other] : NULL;
  return e->other_before == 0 ? &x->roots.data[a->other] : &known_at(x, e->other_before)->home;
}

void unfi_release(unf_explorer *x, uint32_t parked) {
  while (parked != 0) {
    uint32_t event = parked;
    struct known *known = known_at(x, event);
    uint32_t *head = home_of(x, event);
    parked = known->next;
    known->next = *head;
    *head = event;
  }
}

void unfi_known_add(unf_explorer *x, uint32_t event) {
  struct known *known = known_at(x, event);
  if (known->in_U) return;
  known->in_U = 1;
  x->counts.extensions++;
  uint32_t *head = home_of(x, event);
  if (head == NULL) return;
  if (known->step != 0) head = &x->path.data[known->step - 1].parked;
  known->next = *head;
  *head = event;
}

/* The first step that wrote a site beyond what the candidate's history has of it, or 0 if one of
   `here` and `there`, the last writes in C and in the history, is above the other: the step of C
   below their lowest common ancestor. */
static uint32_t first_beyond(const unf_explorer *x, uint32_t site, uint32_t here, uint32_t there) {
  const unf_unfolding *u = x->u;
  const struct branch *branches = u->branches.data;
  struct node end_a = node_in(u, here, site), end_b = node_in(u, there, site);
  struct node a = end_a, b = end_b;
  while (a.branch != b.branch) {
    uint32_t level_a = branches[a.branch].level, level_b = branches[b.branch].level;
    if (level_a >= level_b)
      a = (struct node){branches[a.branch].parent, branches[a.branch].fork_depth};
    if (level_b >= level_a)
      b = (struct node){branches[b.branch].parent, branches[b.branch].fork_depth};
  }
  uint32_t common = a.depth < b.depth ? a.depth : b.depth;
  if (common == end_a.depth || common == end_b.depth) return 0;
  return known_at(x, x->chains.data[site].data[common + 1])->step;
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
      for (step = 1; !unfi_conflict(u, x->path.data[step - 1].event, candidate);)
        step++;
    } else if (known_at(x, there)->step == 0) {
      step = first_beyond(x, site, here, there);
    }
    if (step != 0 && step < first) first = step;
  }
  return first == NONE ? 0 : first;
}

/* Where to park a candidate that cannot be used; NULL when it can. */
static uint32_t *reason(unf_explorer *x, uint32_t candidate) {
  uint32_t step = known_at(x, candidate)->step;
  if (step == 0) step = first_conflict(x, candidate);
  if (step != 0) return &x->path.data[step - 1].parked;
  for (uint32_t i = x->first_sleeper; i != NONE; i = x->D.data[i].next)
    if (unfi_precedes(x->u, x->D.data[i].event, candidate)) return &x->D.data[i].parked;
  return NULL;
}

bool unfi_spike_fill(unf_explorer *x, uint32_t event, uint32_t also) {
  unf_unfolding *u = x->u;
  const struct action *d = action_of(u, event);
  if (!unfi_comb_begin(u->context, &x->comb, event)) return false;
  x->counts.alternatives.spikes++;
  uint32_t *link = home_of(x, event);
  while (link != NULL && *link != 0) {
    uint32_t a = *link;
    struct known *known = known_at(x, a);
    x->counts.alternatives.read++;
    if (a == event || !unfi_dependent(d, action_of(u, a))) {
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
