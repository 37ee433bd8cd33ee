/* The uses of one thread at one site in one mode are one chain, so what is before something is a
 * first part of it, and what is after something a last part. */
#include "extension/site_uses.h"

#include "base/sort.h"
#include "configuration/walk.h"
#include "structure/action.h"
#include "structure/event.h"
#include "structure/relation.h"

void unfi_site_uses_clear(struct site_uses *uses) {
  uses->listed = false;
  uses->list.count = uses->order.count = 0;
}

void unfi_site_uses_free(unf_context *context, struct site_uses *uses) {
  vector_free(context, &uses->list);
  vector_free(context, &uses->order);
  unfi_sparse_free(context, &uses->room[0]);
  unfi_sparse_free(context, &uses->room[1]);
  uses->listed = false;
}

static int compare(const void *user, uint32_t i, uint32_t j) {
  const struct site_uses *uses = user;
  const struct site_use *a = &uses->list.data[i], *b = &uses->list.data[j];
  if (a->site != b->site) return a->site < b->site ? -1 : 1;
  if (a->access != b->access) return a->access < b->access ? -1 : 1;
  if (a->thread != b->thread) return a->thread < b->thread ? -1 : 1;
  return a->event < b->event ? -1 : a->event > b->event;
}

static bool list(unf_unfolding *u, struct cut cut, struct site_uses *uses) {
  struct cut nothing = {NULL, 0};
  handle_vector events = {0};
  bool enough = unfi_cut_events(u, cut, nothing, &events);
  for (uint32_t i = 0; enough && i < events.count; i++) {
    uint32_t count, event = events.data[i];
    const struct action *a = action_of(u, event);
    const struct use *used = uses_of(u, a, &count);
    enough = vector_reserve(u->context, &uses->list, (uint64_t)uses->list.count + count);
    for (uint32_t j = 0; enough && j < count; j++) {
      struct site_use use = {used[j].site, used[j].access, a->site, event};
      vector_push(&uses->list, use);
    }
  }
  vector_free(u->context, &events);
  enough = enough && vector_reserve(u->context, &uses->order, uses->list.count);
  if (!enough) {
    unfi_site_uses_clear(uses);
    return false;
  }
  for (uint32_t i = 0; i < uses->list.count; i++)
    vector_push(&uses->order, i);
  unfi_sort_by(uses->order.data, uses->order.count, compare, uses);
  uses->listed = true;
  return true;
}

static const struct site_use *use_at(const struct site_uses *uses, uint32_t position) {
  return &uses->list.data[uses->order.data[position]];
}

/* Whether a use comes before what is searched for. */
typedef bool (*search_function)(const unf_unfolding *u, const struct site_use *use,
                                const struct site_use *key);

static bool is_lower_site(const unf_unfolding *u, const struct site_use *use,
                          const struct site_use *key) {
  (void)u;
  return use->site < key->site;
}

static bool is_same_chain(const unf_unfolding *u, const struct site_use *use,
                          const struct site_use *key) {
  (void)u;
  return use->site == key->site && use->access == key->access && use->thread == key->thread;
}

static bool is_in_history(const unf_unfolding *u, const struct site_use *use,
                          const struct site_use *key) {
  return unfi_precedes(u, use->event, key->event);
}

static bool is_not_after(const unf_unfolding *u, const struct site_use *use,
                         const struct site_use *key) {
  return !unfi_precedes(u, key->event, use->event);
}

/* The first position from `low` on, and below `high`, that is not before the key; or `high`. */
static uint32_t search(const unf_unfolding *u, const struct site_uses *uses, uint32_t low,
                       uint32_t high, search_function before, const struct site_use *key) {
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    if (before(u, use_at(uses, middle), key))
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

bool unfi_site_uses_between(unf_unfolding *u, struct cut cut, struct site_uses *uses,
                            struct between between, handle_vector *out) {
  if (!uses->listed && !list(u, cut, uses)) return false;
  const struct site_use site = {.site = between.site}, before = {.event = between.before},
                        after = {.event = between.after};
  uint32_t count = uses->order.count, at = search(u, uses, 0, count, is_lower_site, &site);
  while (at < count && use_at(uses, at)->site == between.site) {
    uint32_t first = at;
    at = search(u, uses, at, count, is_same_chain, use_at(uses, at));
    if (use_at(uses, first)->access == (uint32_t)between.but) continue;
    uint32_t end = at;
    first = search(u, uses, first, end, is_in_history, &before);
    if (between.after != NONE) end = search(u, uses, first, end, is_not_after, &after);
    if (!vector_reserve(u->context, out, (uint64_t)out->count + end - first)) return false;
    for (; first < end; first++)
      vector_push(out, use_at(uses, first)->event);
  }
  return true;
}
