/*
 * Optimal DPOR with wakeup trees (UNF_ODPOR): "Source Sets" (Abdulla, Aronis, Jonsson, Sagonas,
 * JACM 2017), with the awaits of "Awaiting for Godot" (2023), over events. A step is an event, so
 * that what a thread does at another place is another step.
 *
 * A maximal execution E gives events f that could have happened instead (extension/reversal.c). Let
 * K be the events of E that depend on f and are not among its causes, e the first of them in E.
 * Where e was taken, v could have been: all events of E from e on without K and its successors, and
 * then f. v is inserted into the wakeup tree of that node, unless a sleeping event is a weak
 * initial of v: then what begins so was explored. q is a weak initial of v when, from the left, q
 * itself is met in v before any event that depends on it, or neither is met.
 *
 * Of a wakeup tree only what is still to come is kept: the branches right of the path, at each of
 * its nodes. Events are taken from it from the left; at its leaves the execution goes on freely,
 * with an empty sleep set.
 */
#include <string.h>

#include "exploration/explorer.h"

void unfi_wakeup_free(unf_explorer *x) {
  unf_context *context = x->u->context;
  vector_free(context, &x->wakeup.nodes);
  vector_free(context, &x->wakeup.pending);
  vector_free(context, &x->wakeup.sequence);
  vector_free(context, &x->wakeup.against);
  vector_free(context, &x->wakeup.stamps);
}

static struct wakeup_node *node_at(unf_explorer *x, uint32_t node) {
  return &x->wakeup.nodes.data[node - 1];
}

/* Whether an event is a weak initial of the sequence; its place in it, or NONE if it is not there.
 */
static bool weak_initial(const unf_explorer *x, uint32_t event, uint32_t *place) {
  const unf_unfolding *u = x->u;
  const struct action *a = action_of(u, event);
  *place = NONE;
  for (uint32_t i = 0; i < x->wakeup.sequence.count; i++) {
    if (x->wakeup.sequence.data[i] == event) {
      *place = i;
      return true;
    }
    if (unfi_dependent(u, a, action_of(u, x->wakeup.sequence.data[i]))) return false;
  }
  return true;
}

static void drop(unf_explorer *x, uint32_t place) {
  handle_vector *v = &x->wakeup.sequence;
  memmove(v->data + place, v->data + place + 1, (v->count - place - 1) * sizeof *v->data);
  v->count--;
}

/* Appends the sequence as a chain of new nodes behind a list, which is named by its last node, or
 * by the node above it (as its first child), or as the list of a depth. */
static void append_chain(unf_explorer *x, uint32_t last, uint32_t above, uint32_t depth) {
  struct wakeup *w = &x->wakeup;
  for (uint32_t i = 0; i < w->sequence.count; i++) {
    struct wakeup_node node = {w->sequence.data[i], 0, 0};
    uint32_t index = w->free;
    if (index != 0) {
      w->free = node_at(x, index)->next;
      *node_at(x, index) = node;
    } else {
      vector_push(&w->nodes, node);
      index = w->nodes.count;
    }
    if (last != 0)
      node_at(x, last)->next = index;
    else if (above != 0)
      node_at(x, above)->first = index;
    else
      w->pending.data[depth] = index;
    last = 0;
    above = index;
  }
}

/* Inserts the sequence into the tree of the node at a depth of the path; room was reserved. */
static void insert(unf_explorer *x, uint32_t depth) {
  uint32_t above = 0, last = 0, node = x->wakeup.pending.data[depth];
  while (node != 0) {
    uint32_t place;
    if (!weak_initial(x, node_at(x, node)->event, &place)) {
      last = node;
      node = node_at(x, node)->next;
      continue;
    }
    if (place == NONE) return;
    drop(x, place);
    if (x->wakeup.sequence.count == 0 || node_at(x, node)->first == 0) return;
    above = node;
    last = 0;
    node = node_at(x, node)->first;
  }
  append_chain(x, last, above, depth);
}

/* Whether what begins with the sequence at a node was explored there. */
static bool explored(const unf_explorer *x, uint32_t depth) {
  for (uint32_t i = 0; i < x->D.count && x->D.data[i].depth <= depth; i++) {
    uint32_t place;
    bool asleep = x->D.data[i].until >= depth;
    if (asleep && weak_initial(x, x->D.data[i].event, &place)) return true;
  }
  return false;
}

/* The events of the path that depend on f and are no causes of it, by their positions. */
static bool list_against(unf_explorer *x, uint32_t f) {
  unf_unfolding *u = x->u;
  const struct action *a = action_of(u, f);
  handle_vector *against = &x->wakeup.against;
  against->count = 0;
  if (!vector_reserve(u->context, against, x->path.count)) return false;
  for (uint32_t i = 0; i < x->path.count; i++) {
    uint32_t event = x->path.data[i].event;
    if (unfi_dependent(u, a, action_of(u, event)) && !unfi_precedes(u, event, f))
      vector_push(against, i);
  }
  return true;
}

/* What could have been done from the first of `against` on, with f at its end. */
static bool make_sequence(unf_explorer *x, uint32_t f) {
  unf_unfolding *u = x->u;
  const handle_vector *against = &x->wakeup.against;
  handle_vector *v = &x->wakeup.sequence;
  uint32_t first = against->data[0];
  v->count = 0;
  if (!vector_reserve(u->context, v, (uint64_t)x->path.count - first + 1)) return false;
  for (uint32_t i = first; i < x->path.count; i++) {
    uint32_t event = x->path.data[i].event;
    bool after = false;
    for (uint32_t j = 0; !after && j < against->count && against->data[j] <= i; j++)
      after = unfi_precedes(u, x->path.data[against->data[j]].event, event);
    if (!after) vector_push(v, event);
  }
  vector_push(v, f);
  return true;
}

/* Lists of all depths up to one; false: refused. */
static bool reach(unf_explorer *x, uint32_t depth) {
  struct wakeup *w = &x->wakeup;
  if (!vector_reserve(x->u->context, &w->pending, (uint64_t)depth + 1)) return false;
  while (w->pending.count <= depth)
    vector_push(&w->pending, 0);
  return true;
}

static bool reverse(unf_explorer *x, uint32_t f) {
  unf_context *context = x->u->context;
  if (!list_against(x, f)) return false;
  if (x->wakeup.against.count == 0) return true;
  uint32_t depth = x->wakeup.against.data[0];
  if (!make_sequence(x, f) || !reach(x, depth)) return false;
  x->counts.alternatives.searches++;
  if (explored(x, depth)) return true;
  uint64_t nodes = (uint64_t)x->wakeup.nodes.count + x->wakeup.sequence.count;
  if (!vector_reserve(context, &x->wakeup.nodes, nodes)) return false;
  insert(x, depth);
  return true;
}

struct reversing {
  unf_explorer *x;
  unf_status status;
};

static bool reverse_to(void *user, const struct causes *causes) {
  struct reversing *in = user;
  unf_explorer *x = in->x;
  unf_unfolding *u = x->u;
  uint32_t f;
  in->status = unfi_event_intern(u, causes, &f);
  if (in->status != UNF_OK) return false;
  if (!vector_reserve_zero(u->context, &x->wakeup.stamps, u->event_count) ||
      !unfi_known_reserve(x)) {
    in->status = unfi_refused(u->context);
    return false;
  }
  unfi_known_add(x, f);
  /* Each event once in a run, also when the call is made again after a refusal. */
  uint32_t stamp = (uint32_t)x->counts.executions + 1;
  if (x->wakeup.stamps.data[f] == stamp || unfi_in_cut(u, configuration_cut(&x->C), f)) return true;
  if (!reverse(x, f)) {
    in->status = unfi_refused(u->context);
    return false;
  }
  x->wakeup.stamps.data[f] = stamp;
  return true;
}

unf_status unfi_wakeup_races(unf_explorer *x) {
  unf_unfolding *u = x->u;
  struct reversing in = {x, UNF_OK};
  /* What was tried in another run is tried again: what else there was in it counts too. */
  unfi_attempts_free(u->context, &x->attempts);
  if (!vector_reserve(u->context, &x->events, x->path.count)) return unfi_refused(u->context);
  x->events.count = 0;
  for (uint32_t i = 0; i < x->path.count; i++)
    vector_push(&x->events, x->path.data[i].event);
  /* All of it, each time: the sequence that a race gives goes on with what comes after the race,
   * and that is new though the race is not. */
  struct maximal M = {configuration_cut(&x->C), x->events.data, x->events.count, 0};
  unf_status status = unfi_reverse_all(u, &M, &x->attempts, reverse_to, &in);
  return status != UNF_OK ? status : in.status;
}

/* The leftmost branch of the tree at the end of the path becomes the clue; what is right of it on
 * the way down stays pending. */
unf_status unfi_wakeup_another(unf_explorer *x, bool *found) {
  struct wakeup *w = &x->wakeup;
  uint32_t depth = x->path.count, count = 0;
  *found = depth < w->pending.count && w->pending.data[depth] != 0;
  if (!*found) {
    if (w->pending.count > depth) w->pending.count = depth;
    return UNF_OK;
  }
  for (uint32_t node = w->pending.data[depth]; node != 0; node = node_at(x, node)->first)
    count++;
  if (!reach(x, depth + count) || !vector_reserve(x->u->context, &x->clue, count))
    return unfi_refused(x->u->context);
  x->clue.count = 0;
  for (uint32_t node = w->pending.data[depth]; node != 0; depth++) {
    struct wakeup_node taken = *node_at(x, node);
    vector_push(&x->clue, taken.event);
    w->pending.data[depth] = taken.next;
    w->pending.data[depth + 1] = taken.first;
    node_at(x, node)->next = w->free;
    w->free = node;
    node = taken.first;
  }
  w->pending.count = depth + 1;
  return UNF_OK;
}
