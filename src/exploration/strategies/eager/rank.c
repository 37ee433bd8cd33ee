/*
 * UNF_EAGER: the order of all events that there can be, by depth, thread and name.
 *
 * Events that are freed and met again stand where they stood: nothing but their names counts.
 * Siblings (extension/siblings.h) stand together, by their values.
 */
#include "exploration/strategies/eager/rank.h"

#include "base/table.h"
#include "exploration/strategies/eager/eager.h"
#include "extension/adds.h"
#include "structure/action.h"
#include "structure/event.h"

/* Events without a use are siblings, if they follow the same one. */
static bool has_siblings(const struct action *a) {
  return a->count == 0;
}

bool unfi_rank(unf_explorer *x) {
  const unf_unfolding *u = x->u;
  struct eager *e = eager_of(x);
  struct rank bottom = {0, 0};
  if (!vector_reserve(u->context, &e->ranks, u->store.count)) return false;
  if (e->ranks.count == 0) vector_push(&e->ranks, bottom);
  while (e->ranks.count < u->store.count) {
    uint32_t event = e->ranks.count, depth = 0;
    const struct action *a = action_of(u, event);
    uint64_t name = has_siblings(a) ? mix(a->kind, a->thread) : event_at(u, event)->action;
    if (!vector_reserve(u->context, &e->causes, 2ull * unfi_predecessor_bound(u, event)))
      return false;
    uint32_t count = unfi_followed_events(u, event, e->causes.data);
    for (uint32_t i = 0; i < count; i++) {
      struct rank cause = e->ranks.data[e->causes.data[i]];
      if (cause.depth > depth) depth = cause.depth;
      name = mix(name, cause.name);
    }
    struct rank rank = {depth + 1, (uint32_t)mix(name, 0)};
    vector_push(&e->ranks, rank);
  }
  return true;
}

static int compare_words(uint32_t a, uint32_t b) {
  return a < b ? -1 : a > b;
}

/* Both are ranked, so there is room for their causes. */
int unfi_rank_compare(const void *user, uint32_t a, uint32_t b) {
  const unf_explorer *x = user;
  const unf_unfolding *u = x->u;
  const struct eager *e = eager_of(x);
  while (a != b) {
    struct rank first = e->ranks.data[a], second = e->ranks.data[b];
    if (first.depth != second.depth) return compare_words(first.depth, second.depth);
    uint32_t thread = action_of(u, a)->thread, other = action_of(u, b)->thread;
    if (thread != other) return compare_words(thread, other);
    if (first.name != second.name) return compare_words(first.name, second.name);
    const struct action *action = action_of(u, a), *another = action_of(u, b);
    if (has_siblings(action) != has_siblings(another)) return has_siblings(action) ? -1 : 1;
    if (has_siblings(action)) {
      if (event_at(u, a)->before == event_at(u, b)->before)
        return action->value < another->value ? -1 : 1;
      a = event_at(u, a)->before;
      b = event_at(u, b)->before;
      continue;
    }
    uint32_t i = 0;
    if (action != another) return action < another ? -1 : 1;
    uint32_t *left = e->causes.data, *right = left + e->causes.capacity / 2;
    uint32_t some = unfi_followed_events(u, a, left), others = unfi_followed_events(u, b, right);
    while (i < some && i < others && left[i] == right[i])
      i++;
    if (i == some || i == others) return compare_words(some, others);
    a = left[i];
    b = right[i];
  }
  return 0;
}

bool unfi_is_before(const unf_explorer *x, uint32_t a, uint32_t b) {
  return unfi_rank_compare(x, a, b) < 0;
}
