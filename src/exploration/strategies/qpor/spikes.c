/*
 * Candidates by index.
 *
 * Let d be an unjustified event of D at C: enabled there. If a is in conflict with d and compatible
 * with C, take a minimal event b of [a] that depends on d and is not in [d]. Everything in [b] that
 * depends on d lies in [d], so in C. If b is of d's thread, it follows the same event of it as d.
 * Else they share a site, and the last write before b there lies in C; it is the last write before
 * d too, since b is not in C and would follow any later write of C. So b is a sibling of d, and in
 * conflict with d itself. b is in U when a is, and as good in an alternative, since [b] ⊆ [a]. So
 * the siblings are all the candidates that are needed: for mutexes, the writes and reads after the
 * same write; for a choice, the other values; for a create, the other creates of the thread. A join
 * has none.
 *
 * A sibling that cannot be used now is parked at the reason: at the first step of the path that is
 * in conflict with it (or is it), or at the event of D in its history. There is no use for it
 * before the path is cut back to that step, or that event leaves D, so until then no search reads
 * it.
 */
#include "exploration/explorer.h"
#include "exploration/strategies/qpor/spikes.h"
#include "structure/action.h"
#include "structure/compaction.h"
#include "structure/effect.h"
#include "structure/event.h"
#include "structure/layer.h"
#include "structure/relation.h"
#include "structure/tree.h"

static uint32_t event_of(const unf_explorer *x, uint32_t place) {
  return place & PLACE_TAG ? x->places.data[place & ~PLACE_TAG].event : place;
}

static uint32_t *next_of(unf_explorer *x, uint32_t place) {
  return place & PLACE_TAG ? &x->places.data[place & ~PLACE_TAG].next : &known_at(x, place)->next;
}

static uint64_t head_hash(const void *explorer, uint32_t handle) {
  const struct head *head = &((const unf_explorer *)explorer)->heads.data[handle - 1];
  return mix(head->site, head->write);
}

/* The number + 1 of the list of a site at a write with several uses; 0: there is none. */
static uint32_t find_head(const unf_explorer *x, uint32_t site, uint32_t write) {
  const struct table *table = &x->head_table;
  if (table->slots == NULL) return 0;
  for (uint32_t i = (uint32_t)mix(site, write) & table->mask; table->slots[i] != 0;
       i = (i + 1) & table->mask) {
    const struct head *head = &x->heads.data[table->slots[i] - 1];
    if (head->site == site && head->write == write) return table->slots[i];
  }
  return 0;
}

/* First place of what follows a write of a site; NULL: nothing does. */
static uint32_t *list_at(unf_explorer *x, uint32_t site, uint32_t write) {
  if (write == 0) return &x->roots.data[site];
  if (has_conflicting(x->u, action_of(x->u, write))) return &known_at(x, write)->home;
  uint32_t head = find_head(x, site, write);
  return head != 0 ? &x->heads.data[head - 1].first : NULL;
}

/* The list of the choices of a thread after an event of it. */
static uint32_t *choices_at(unf_explorer *x, const struct action *a, uint32_t before) {
  return before == 0 ? &x->roots.data[a->site] : &known_at(x, before)->home;
}

/* The list that an event belongs to which is in one; NULL: it is in none. */
static uint32_t *home_of(unf_explorer *x, uint32_t event) {
  unf_unfolding *u = x->u;
  const struct event *e = event_at(u, event);
  const struct action *a = &u->actions.data[e->action];
  if (a->count == 0) return choices_at(x, a, e->before);
  if (a->first.access == ACCESS_END) return NULL;
  return list_at(x, a->first.site, entry_write(u, e->follows));
}

/* The list with which a place begins anew. */
static uint32_t *home_of_place(unf_explorer *x, uint32_t place) {
  if (!(place & PLACE_TAG)) return home_of(x, place);
  const struct place *p = &x->places.data[place & ~PLACE_TAG];
  const struct event *e = event_at(x->u, p->event);
  const struct action *a = &x->u->actions.data[e->action];
  if (p->head == NONE) return choices_at(x, a, e->before);
  uint32_t count;
  const struct use *uses = uses_of(x->u, a, &count);
  uint32_t write = entry_write(x->u, event_follows(x->u, p->event, &count)[p->head]);
  return list_at(x, uses[p->head].site, write);
}

static bool reserve_several(unf_explorer *x, uint32_t event) {
  unf_unfolding *u = x->u;
  unf_context *context = u->context;
  uint32_t count;
  const struct use *uses = uses_of(u, action_of(u, event), &count);
  const uint32_t *follows = event_follows(u, event, &count);
  if (!vector_reserve(context, &x->places, (uint64_t)x->places.count + count + 1)) return false;
  for (uint32_t i = 0; i < count; i++) {
    uint32_t site = uses[i].site, write = entry_write(u, follows[i]);
    if (uses[i].access == ACCESS_END || write == 0 || has_conflicting(u, action_of(u, write)) ||
        find_head(x, site, write) != 0)
      continue;
    if (!unfi_table_reserve_dense(context, &x->head_table, head_hash, x) ||
        !vector_reserve(context, &x->heads, (uint64_t)x->heads.count + 1))
      return false;
    struct head head = {site, write, 0};
    vector_push(&x->heads, head);
    table_put(&x->head_table, mix(site, write), x->heads.count);
  }
  return true;
}

/* An event that is in one list, at a write that is, has its place in what is known of it. */
bool unfi_places_reserve(unf_explorer *x, uint32_t event) {
  if (known_at(x, event)->in_U || by_reversal(x)) return true;
  const struct event *e = event_at(x->u, event);
  const struct action *a = &x->u->actions.data[e->action];
  bool one = has_conflicting(x->u, a);
  if (one && a->count == 1) {
    uint32_t write = entry_write(x->u, e->follows);
    one = write == 0 || has_conflicting(x->u, action_of(x->u, write));
  }
  return one || reserve_several(x, event);
}

/* Puts a place at the front of a list. */
static void put_place(unf_explorer *x, uint32_t place, uint32_t *list) {
  *next_of(x, place) = *list;
  *list = place;
}

void unfi_release(unf_explorer *x, uint32_t parked) {
  while (parked != 0) {
    uint32_t place = parked;
    parked = *next_of(x, place);
    put_place(x, place, home_of_place(x, place));
  }
}

static void add_places(unf_explorer *x, uint32_t event, uint32_t *park) {
  uint32_t count;
  uses_of(x->u, action_of(x->u, event), &count);
  for (uint32_t i = 0; i <= count; i++) {
    struct place p = {event, 0, i < count ? i : NONE};
    uint32_t place = x->places.count | PLACE_TAG;
    vector_push(&x->places, p);
    put_place(x, place, park != NULL ? park : home_of_place(x, place));
  }
}

void unfi_known_add(unf_explorer *x, uint32_t event) {
  struct known *known = known_at(x, event);
  if (known->in_U) return;
  known->in_U = 1;
  x->counts.extensions++;
  if (by_reversal(x)) return;
  uint32_t *park = known->step != 0 ? &x->path.data[known->step - 1].parked : NULL;
  if (!has_conflicting(x->u, action_of(x->u, event))) {
    add_places(x, event, park);
    return;
  }
  uint32_t *home = home_of(x, event);
  if (home == NULL) return;
  put_place(x, event, park != NULL ? park : home);
}

/* The first step that wrote a site beyond what the candidate's history has of it, or 0 if one of
   `here` and `there`, the last writes in C and in the history, is above the other: the step of C
   below their lowest common ancestor. */
static uint32_t first_beyond(const unf_explorer *x, uint32_t site, uint32_t here, uint32_t there) {
  const unf_unfolding *u = x->u;
  const struct branch *branches = u->store.branches.data;
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
  const uint32_t *record = arena_at(&u->store.cuts, e->cut);
  uint32_t first = NONE;
  for (uint32_t i = 0; i < u->store.compared.count; i++) {
    uint32_t site = u->store.compared.data[i];
    uint32_t here = x->C.entries[site];
    uint32_t there = site < record[0] ? record[1 + site] : 0;
    if (site == a->site || site == a->written) there = candidate;
    if (here == 0 || there == 0 || here == there) continue;
    uint32_t step = 0;
    if ((here | there) & ROW_TAG) {
      if (!unfi_conflict_cut(u, configuration_cut(&x->C), candidate)) return 0;
      for (step = 1;; step++) {
        uint32_t event = x->path.data[step - 1].event;
        if (!unfi_precedes(u, event, candidate) && unfi_conflict(u, event, candidate)) return step;
      }
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

/* Adds the usable candidates of one list to the spike of d, and parks the others. */
static bool read_list(unf_explorer *x, uint32_t *link, uint32_t event, uint32_t also) {
  unf_unfolding *u = x->u;
  const struct action *d = action_of(u, event);
  while (link != NULL && *link != 0) {
    uint32_t place = *link, a = event_of(x, place);
    uint32_t *next = next_of(x, place);
    x->counts.alternatives.read++;
    if (a == event || !unfi_dependent(u, d, action_of(u, a))) {
      link = next;
      continue;
    }
    bool cut_off = false;
    if (x->cutoffs != NULL && unfi_cut_off(x->cutoffs, a, &cut_off) != UNF_OK) return false;
    if (cut_off) {
      *link = *next;
      put_place(x, place, &x->cut_off);
      continue;
    }
    uint32_t *park = reason(x, a);
    if (park != NULL) {
      *link = *next;
      put_place(x, place, park);
      continue;
    }
    link = next;
    if (unfi_precedes(u, also, a)) continue;
    x->counts.alternatives.kept++;
    if (!unfi_comb_add(u->context, &x->comb, a)) return false;
  }
  return true;
}

/* All places of a list have the same list, so its first one tells whether it was walked. */
static void keep_list(unf_explorer *x, const uint32_t *list, struct compaction *c,
                      uint8_t *walked) {
  if (list == NULL || *list == 0) return;
  uint32_t first = *list & PLACE_TAG ? x->u->store.count + (*list & ~PLACE_TAG) : *list;
  if (walked[first]) return;
  walked[first] = true;
  for (uint32_t place = *list; place != 0; place = *next_of(x, place))
    compaction_keep(c, event_of(x, place));
}

void unfi_siblings_keep(unf_explorer *x, uint32_t event, struct compaction *c, uint8_t *walked) {
  unf_unfolding *u = x->u;
  const struct event *e = event_at(u, event);
  const struct action *a = &u->actions.data[e->action];
  if (has_conflicting(u, a)) {
    keep_list(x, home_of(x, event), c, walked);
    return;
  }
  uint32_t count;
  const struct use *uses = uses_of(u, a, &count);
  keep_list(x, choices_at(x, a, e->before), c, walked);
  const uint32_t *follows = event_follows(u, event, &count);
  for (uint32_t i = 0; i < count; i++) {
    uint32_t write = entry_write(u, follows[i]);
    keep_list(x, list_at(x, uses[i].site, write), c, walked);
  }
}

bool unfi_spike_fill(unf_explorer *x, uint32_t event, uint32_t also) {
  unf_unfolding *u = x->u;
  const struct event *e = event_at(u, event);
  const struct action *d = &u->actions.data[e->action];
  if (!unfi_comb_begin(u->context, &x->comb, event)) return false;
  x->counts.alternatives.spikes++;
  if (has_conflicting(u, d)) {
    if (!read_list(x, home_of(x, event), event, also)) return false;
  } else {
    uint32_t count;
    const struct use *uses = uses_of(u, d, &count);
    if (!read_list(x, choices_at(x, d, e->before), event, also)) return false;
    const uint32_t *follows = event_follows(u, event, &count);
    for (uint32_t i = 0; i < count; i++) {
      uint32_t write = entry_write(u, follows[i]);
      if (!read_list(x, list_at(x, uses[i].site, write), event, also)) return false;
    }
  }
  unfi_comb_end(&x->comb, x->options.candidates);
  return true;
}
