/*
 * Optimal DPOR with wakeup trees (UNF_ODPOR): "Source Sets" (Abdulla, Aronis, Jonsson, Sagonas,
 * JACM 2017), with the awaits of "Awaiting for Godot" (2022), over events. A step is an event, so
 * that what a thread does at another place is another step. The parts are those of src/wakeup/; the
 * sleep set is that of the path.
 *
 * A reversal of the maximal execution is inserted into the wakeup tree of its node, unless a
 * sleeping event is a weak initial of it: then what begins so was explored. Branches are taken from
 * the trees from the left; at their leaves the execution goes on freely, with an empty sleep set.
 */
#include "exploration/strategies/odpor.h"

#include "exploration/explorer.h"
#include "exploration/path.h"
#include "exploration/strategies/qpor/spikes.h"

void unfi_wakeup_end(unf_explorer *x) {
  unfi_wakeup_empty(&x->wakeup);
  unfi_reversals_free(x->u->context, &x->reversals);
}

/* Whether what begins with the sequence at a node was explored there. */
bool unfi_wakeup_explored(const unf_explorer *x, const struct reversed *r) {
  for (uint32_t i = 0; i < x->D.count && x->D.data[i].depth <= r->position; i++) {
    uint32_t place;
    bool asleep = x->D.data[i].until >= r->position;
    if (asleep && unfi_weak_initial(x->u, x->D.data[i].event, r->sequence, r->count, &place))
      return true;
  }
  return false;
}

struct reversing {
  unf_explorer *x;
  unf_status status;
};

static bool insert(void *user, const struct reversed *reversed) {
  struct reversing *in = user;
  unf_explorer *x = in->x;
  bool inserted;
  if (!unfi_known_reserve(x)) {
    in->status = unfi_refused(x->u->context);
    return false;
  }
  unfi_known_add(x, reversed->event);
  x->counts.alternatives.searches++;
  if (unfi_wakeup_explored(x, reversed)) return true;
  if (!unfi_wakeup_insert(&x->wakeup, reversed->position, reversed->sequence, reversed->count,
                          &inserted)) {
    in->status = unfi_refused(x->u->context);
    return false;
  }
  return true;
}

unf_status unfi_wakeup_races(unf_explorer *x) {
  unf_unfolding *u = x->u;
  struct reversing in = {x, UNF_OK};
  if (!vector_reserve(u->context, &x->events, x->path.count)) return unfi_refused(u->context);
  x->events.count = x->reversed;
  for (uint32_t i = x->reversed; i < x->path.count; i++)
    vector_push(&x->events, x->path.data[i].event);
  /* Races of the last execution too, unless they give the same sequence again: it goes on with what
   * comes after the race, and that may be new though the race is not. */
  struct maximal M = {configuration_cut(&x->C), x->events.data, x->events.count, x->reversed, 0};
  unf_status status = unfi_reversals(u, &x->reversals, &M, insert, &in);
  if (status == UNF_OK) status = in.status;
  x->reversed = status == UNF_OK ? x->path.count : 0;
  if (x->wakeup.size > x->counts.waiting) {
    x->counts.waiting = x->wakeup.size;
    x->counts.waiting_bytes = x->counts.waiting * sizeof(struct wakeup_node);
  }
  return status;
}

/* The leftmost branch of the tree at the end of the path becomes the clue; what is right of it on
 * the way down stays in the trees. */
unf_status unfi_wakeup_another(unf_explorer *x, bool *found) {
  uint32_t depth = x->path.count, count = unfi_wakeup_length(&x->wakeup, depth);
  *found = false;
  if (count == 0) {
    unfi_wakeup_take(&x->wakeup, depth);
    return UNF_OK;
  }
  if (!unfi_wakeup_reach(&x->wakeup, depth + count) ||
      !vector_reserve(x->u->context, &x->clue, count))
    return unfi_refused(x->u->context);
  *found = true;
  x->clue.count = 0;
  for (uint32_t i = 0; i < count; i++)
    vector_push(&x->clue, unfi_wakeup_take(&x->wakeup, depth + i));
  return UNF_OK;
}
