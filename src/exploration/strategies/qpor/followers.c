/* The lists of U. */
#include "exploration/strategies/qpor/followers.h"

#include "base/table.h"
#include "exploration/strategies/qpor/qpor.h"
#include "extension/adds.h"
#include "structure/action.h"
#include "structure/effect.h"
#include "structure/event.h"
#include "structure/layer.h"

void unfi_followers_free(unf_context *context, struct followers *f) {
  unfi_by_event_free(context, &f->links, sizeof(struct follower_links));
  vector_free(context, &f->roots);
  vector_free(context, &f->items);
  vector_free(context, &f->lists);
  unfi_table_free(context, &f->list_table);
}

static struct followers *followers_of(const unf_explorer *x) {
  return &qpor_of(x)->followers;
}

/* ---- lists ---- */

static uint64_t list_hash(const void *followers, uint32_t handle) {
  const struct follower_list *list = &((const struct followers *)followers)->lists.data[handle - 1];
  return mix(list->site, list->write);
}

/* The number + 1 of the list of a site at a write; 0: there is none. */
static uint32_t find_list(const struct followers *f, uint32_t site, uint32_t write) {
  const struct table *table = &f->list_table;
  if (table->slots == NULL) return 0;
  for (uint32_t i = (uint32_t)mix(site, write) & table->mask; table->slots[i] != 0;
       i = (i + 1) & table->mask) {
    const struct follower_list *list = &f->lists.data[table->slots[i] - 1];
    if (list->site == site && list->write == write) return table->slots[i];
  }
  return 0;
}

/* The list of what follows a write of a site; NULL: there is none. */
static uint32_t *list_at(unf_explorer *x, uint32_t site, uint32_t write) {
  struct followers *f = followers_of(x);
  if (write == 0) return &f->roots.data[site];
  if (has_conflicting(x->u, action_of(x->u, write))) return &links_at(f, write)->first;
  uint32_t list = find_list(f, site, write);
  return list != 0 ? &f->lists.data[list - 1].first : NULL;
}

/* The list of the choices of a thread after an event of it. */
static uint32_t *choices_at(unf_explorer *x, const struct action *a, uint32_t before) {
  struct followers *f = followers_of(x);
  return before == 0 ? &f->roots.data[a->site] : &links_at(f, before)->first;
}

/* The list of an event that is in one at most; NULL: it is in none. */
static uint32_t *only_list_of(unf_explorer *x, uint32_t event) {
  unf_unfolding *u = x->u;
  const struct event *e = event_at(u, event);
  const struct action *a = &u->actions.data[e->action];
  if (a->count == 0) return choices_at(x, a, e->before);
  if (a->first.access == ACCESS_END) return NULL;
  return list_at(x, a->first.site, entry_write(u, e->follows));
}

/* The list that an item belongs to. */
static uint32_t *list_of(unf_explorer *x, uint32_t item) {
  if (!(item & ITEM_TAG)) return only_list_of(x, item);
  const struct follower_item *i = &followers_of(x)->items.data[item & ~ITEM_TAG];
  const struct event *e = event_at(x->u, i->event);
  const struct action *a = &x->u->actions.data[e->action];
  if (i->use == NONE) return choices_at(x, a, e->before);
  uint32_t count;
  const struct use *uses = uses_of(x->u, a, &count);
  uint32_t write = entry_write(x->u, event_follows(x->u, i->event, &count)[i->use]);
  return list_at(x, uses[i->use].site, write);
}

void unfi_followers_release(unf_explorer *x, uint32_t items) {
  const struct followers *f = followers_of(x);
  while (items != 0) {
    uint32_t item = items;
    items = *item_next(f, item);
    item_put(f, item, list_of(x, item));
  }
}

/* ---- entering events ---- */

bool unfi_followers_fit(unf_explorer *x) {
  struct followers *f = followers_of(x);
  unf_context *context = x->u->context;
  return vector_reserve_zero(context, &f->roots, x->u->sites.count) &&
         unfi_by_event_reserve(context, &f->links, sizeof(struct follower_links),
                               x->u->store.count);
}

/* Room for the items of an event, and for the lists that they will be in. */
static bool reserve_items(unf_explorer *x, uint32_t event) {
  unf_unfolding *u = x->u;
  unf_context *context = u->context;
  struct followers *f = followers_of(x);
  uint32_t count;
  const struct use *uses = uses_of(u, action_of(u, event), &count);
  const uint32_t *follows = event_follows(u, event, &count);
  if (!vector_reserve(context, &f->items, (uint64_t)f->items.count + count + 1)) return false;
  for (uint32_t i = 0; i < count; i++) {
    uint32_t site = uses[i].site, write = entry_write(u, follows[i]);
    if (uses[i].access == ACCESS_END || write == 0 || has_conflicting(u, action_of(u, write)) ||
        find_list(f, site, write) != 0)
      continue;
    if (!unfi_table_reserve_dense(context, &f->list_table, list_hash, f) ||
        !vector_reserve(context, &f->lists, (uint64_t)f->lists.count + 1))
      return false;
    struct follower_list list = {site, write, 0};
    vector_push(&f->lists, list);
    table_put(&f->list_table, mix(site, write), f->lists.count);
  }
  return true;
}

/* An event that is in one list, at a write that is, needs no more than its links. */
bool unfi_followers_reserve(unf_explorer *x, uint32_t event) {
  if (!unfi_followers_fit(x)) return false;
  const struct event *e = event_at(x->u, event);
  const struct action *a = &x->u->actions.data[e->action];
  bool one = has_conflicting(x->u, a);
  if (one && a->count == 1) {
    uint32_t write = entry_write(x->u, e->follows);
    one = write == 0 || has_conflicting(x->u, action_of(x->u, write));
  }
  return one || reserve_items(x, event);
}

static void add_items(unf_explorer *x, uint32_t event, uint32_t *park) {
  struct followers *f = followers_of(x);
  uint32_t count;
  uses_of(x->u, action_of(x->u, event), &count);
  for (uint32_t i = 0; i <= count; i++) {
    struct follower_item added = {event, 0, i < count ? i : NONE};
    uint32_t item = f->items.count | ITEM_TAG;
    vector_push(&f->items, added);
    item_put(f, item, park != NULL ? park : list_of(x, item));
  }
}

void unfi_followers_add(unf_explorer *x, uint32_t event) {
  uint32_t step = mark_at(&x->path, event)->step;
  uint32_t *park = step != 0 ? &x->path.steps.data[step - 1].attached : NULL;
  if (!has_conflicting(x->u, action_of(x->u, event))) {
    add_items(x, event, park);
    return;
  }
  uint32_t *list = only_list_of(x, event);
  if (list == NULL) return;
  item_put(followers_of(x), event, park != NULL ? park : list);
}

/* ---- reading ---- */

bool unfi_followers_visit(unf_explorer *x, uint32_t event, follower_visitor visit, void *user) {
  unf_unfolding *u = x->u;
  const struct event *e = event_at(u, event);
  const struct action *a = &u->actions.data[e->action];
  if (has_conflicting(u, a)) {
    uint32_t *only = only_list_of(x, event);
    return only == NULL || visit(user, only);
  }
  uint32_t count;
  const struct use *uses = uses_of(u, a, &count);
  const uint32_t *follows = event_follows(u, event, &count);
  if (!visit(user, choices_at(x, a, e->before))) return false;
  for (uint32_t i = 0; i < count; i++) {
    uint32_t *list = list_at(x, uses[i].site, entry_write(u, follows[i]));
    if (list != NULL && !visit(user, list)) return false;
  }
  return true;
}

struct keeping {
  unf_explorer *x;
  struct compaction *c;
  uint8_t *walked;
};

/* All items of a list have the same list, so its first one tells whether it was walked. */
static bool keep_list(void *user, uint32_t *first) {
  struct keeping *k = user;
  if (*first == 0) return true;
  uint32_t number = *first & ITEM_TAG ? k->x->u->store.count + (*first & ~ITEM_TAG) : *first;
  if (k->walked[number]) return true;
  k->walked[number] = true;
  const struct followers *f = followers_of(k->x);
  for (uint32_t item = *first; item != 0; item = *item_next(f, item))
    compaction_keep(k->c, item_event(f, item));
  return true;
}

void unfi_followers_keep(unf_explorer *x, uint32_t event, struct compaction *c, uint8_t *walked) {
  struct keeping keeping = {x, c, walked};
  unfi_followers_visit(x, event, keep_list, &keeping);
}
