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
  vector_free(context, &f->groups);
  vector_free(context, &f->lists);
  vector_free(context, &f->modes);
  unfi_table_free(context, &f->list_table);
}

static struct followers *followers_of(const unf_explorer *x) {
  return &qpor_of(x)->followers;
}

/* ---- lists ---- */

/* What follows the end of a site, and can be something else, stands with what reads it. */
static enum access mode_of(struct use use) {
  return use.access == ACCESS_END ? ACCESS_READ : use.access;
}

static uint64_t hash_of(uint32_t site, uint32_t write, enum access access) {
  return mix((uint64_t)access << 32 | site, write);
}

static uint64_t list_hash(const void *followers, uint32_t handle) {
  const struct follower_list *list = &((const struct followers *)followers)->lists.data[handle - 1];
  return hash_of(list->site, list->write, list->access);
}

static inline bool is_list(const struct follower_list *list, uint32_t site, uint32_t write,
                           enum access access) {
  return list->site == site && list->write == write && list->access == access;
}

static NOINLINE uint32_t search_list(struct followers *f, uint32_t site, uint32_t write,
                                     enum access access) {
  const struct table *table = &f->list_table;
  table_each(table, hash_of(site, write, access), handle) {
    if (!is_list(&f->lists.data[handle - 1], site, write, access)) continue;
    f->recent = handle - 1;
    return handle;
  }
  return 0;
}

/* The number + 1 of the list of a site at a write; 0: there is none. */
WITHIN uint32_t find_list(struct followers *f, uint32_t site, uint32_t write, enum access access) {
  if ((f->modes.data[site] >> access & 1) == 0) return 0;
  if (is_list(&f->lists.data[f->recent], site, write, access)) return f->recent + 1;
  return search_list(f, site, write, access);
}

/* Whether what follows a write in a mode is in a list of the table. */
static bool is_in_table(const unf_unfolding *u, uint32_t write, enum access access) {
  return access != ACCESS_WRITE || (write != 0 && !action_of(u, write)->conflicting);
}

/* The list of what follows a write of a site in a mode; NULL: there is none. */
static inline uint32_t *list_at(unf_explorer *x, uint32_t site, uint32_t write,
                                enum access access) {
  struct followers *f = followers_of(x);
  if (!is_in_table(x->u, write, access))
    return write == 0 ? &f->roots.data[site] : &links_at(f, write)->first;
  uint32_t list = find_list(f, site, write, access);
  return list != 0 ? &f->lists.data[list - 1].first : NULL;
}

/* The list of the choices of a thread after an event of it. */
static uint32_t *choices_at(unf_explorer *x, const struct action *a, uint32_t before) {
  struct followers *f = followers_of(x);
  return before == 0 ? &f->roots.data[a->site] : &links_at(f, before)->first;
}

/* The list of an event that is in one, which has room in it. While a site has no list in the table
 * that is one of a write's links or of the root. */
static inline uint32_t *only_list_of(unf_explorer *x, uint32_t event) {
  const unf_unfolding *u = x->u;
  const struct followers *f = followers_of(x);
  const struct event *e = event_at(u, event);
  const struct action *a = &u->actions.data[e->action];
  if (a->count == 0) return choices_at(x, a, e->before);
  uint32_t site = a->first.site, write = entry_write(u, e->follows);
  if (f->modes.data[site] != 0) return list_at(x, site, write, mode_of(a->first));
  return write == 0 ? &f->roots.data[site] : &links_at(f, write)->first;
}

/* The list that an item with a tag belongs to. */
static NOINLINE uint32_t *list_of(unf_explorer *x, uint32_t item) {
  const struct follower_item *i = &followers_of(x)->items.data[item & ~ITEM_TAG];
  const struct event *e = event_at(x->u, i->event);
  const struct action *a = &x->u->actions.data[e->action];
  if (i->use == NONE) return choices_at(x, a, e->before);
  uint32_t count;
  const struct use *uses = uses_of(x->u, a, &count);
  uint32_t write = entry_write(x->u, event_follows(x->u, i->event, &count)[i->use]);
  return list_at(x, uses[i->use].site, write, mode_of(uses[i->use]));
}

void unfi_followers_release(unf_explorer *x, uint32_t items) {
  const struct followers *f = followers_of(x);
  while (items != 0) {
    uint32_t item = items, member = is_group(item) ? group_at(f, item)->member : item;
    items = *item_next(f, item);
    item_put(f, item, member & ITEM_TAG ? list_of(x, member) : only_list_of(x, member));
  }
}

/* ---- groups ---- */

/* The number of a group that is none yet. */
static uint32_t take_number(struct followers *f) {
  uint32_t number = f->free_group;
  if (number == 0) return f->groups.count++;
  f->free_group = f->groups.data[--number].next;
  return number;
}

void unfi_group_begin(struct followers *f, uint32_t *link, struct common_node shared) {
  uint32_t number = take_number(f), item = *link, *next = item_next(f, item);
  struct follower_group group = {item, *next, item, shared};
  *next = 0;
  f->groups.data[number] = group;
  *link = number | GROUP_TAG;
}

void unfi_group_widen(struct followers *f, uint32_t item, struct common_node shared) {
  uint32_t number = take_number(f);
  struct follower_group *group = group_at(f, item), *inner = &f->groups.data[number];
  *inner = *group;
  inner->next = 0;
  group->first = number | GROUP_TAG;
  group->shared = shared;
}

void unfi_group_take(struct followers *f, uint32_t *link) {
  struct follower_group *group = group_at(f, *link);
  uint32_t number = *link & ~GROUP_TAG, item = group->first, *next = item_next(f, item);
  group->first = *next;
  *next = *link;
  *link = item;
  if (group->first != 0) return;
  *next = group->next;
  group->next = f->free_group;
  f->free_group = number + 1;
}

/* ---- entering events ---- */

bool unfi_followers_fit(unf_explorer *x, uint32_t events) {
  struct followers *f = followers_of(x);
  unf_context *context = x->u->context;
  return vector_reserve_zero(context, &f->roots, x->u->sites.count) &&
         vector_reserve_zero(context, &f->modes, x->u->sites.count) &&
         unfi_by_event_reserve(context, &f->links, sizeof(struct follower_links), events - 1);
}

/* The list of what follows a write, which is one of the table. Returns false when refused. */
static bool reserve_list(unf_explorer *x, uint32_t site, uint32_t write, enum access access) {
  unf_context *context = x->u->context;
  struct followers *f = followers_of(x);
  if (find_list(f, site, write, access) != 0) return true;
  if (!unfi_table_reserve_dense(context, &f->list_table, list_hash, f) ||
      !vector_reserve(context, &f->lists, (uint64_t)f->lists.count + 1))
    return false;
  struct follower_list list = {site, write, access, 0};
  vector_push(&f->lists, list);
  f->modes.data[site] |= (uint8_t)(1u << access);
  table_put(&f->list_table, hash_of(site, write, access), f->lists.count);
  return true;
}

static NOINLINE bool reserve_items(unf_explorer *x, uint32_t event) {
  unf_unfolding *u = x->u;
  struct followers *f = followers_of(x);
  uint32_t count;
  const struct use *uses = uses_of(u, action_of(u, event), &count);
  const uint32_t *follows = event_follows(u, event, &count);
  uint64_t items = (uint64_t)f->items.count + count + 1;
  if (items > (GROUP_TAG & ~ITEM_TAG)) return unfi_too_many(u->context, "items of U", items);
  if (!vector_reserve(u->context, &f->items, items)) return false;
  for (uint32_t i = 0; i < count; i++)
    if (is_in_table(u, entry_write(u, follows[i]), mode_of(uses[i])) &&
        !reserve_list(x, uses[i].site, entry_write(u, follows[i]), mode_of(uses[i])))
      return false;
  return true;
}

/* An event that is in one list has an item already. */
bool unfi_followers_reserve(unf_explorer *x, uint32_t event) {
  const unf_unfolding *u = x->u;
  const struct event *e = event_at(u, event);
  const struct action *a = &u->actions.data[e->action];
  if (!a->meets) return reserve_items(x, event);
  if (a->count == 0 || a->first.access == ACCESS_END) return true;
  uint32_t write = entry_write(u, e->follows);
  return !is_in_table(u, write, mode_of(a->first)) ||
         reserve_list(x, a->first.site, write, mode_of(a->first));
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
  const struct action *a = action_of(x->u, event);
  if (a->meets && a->first.access == ACCESS_END) return;
  uint32_t step = step_of(&x->path, event);
  uint32_t *park = step != 0 ? &x->path.steps.data[step - 1].attached : NULL;
  if (!a->meets)
    add_items(x, event, park);
  else
    item_put(followers_of(x), event, park != NULL ? park : only_list_of(x, event));
}

/* ---- reading ---- */

/* By mode: those that a use in it depends on, a bit for each. */
enum { WRITE = 1 << ACCESS_WRITE, READ = 1 << ACCESS_READ, ADD = 1 << ACCESS_ADD };
static const uint8_t dependent[] = {[ACCESS_WRITE] = WRITE | READ | ADD,
                                    [ACCESS_READ] = WRITE | ADD,
                                    [ACCESS_ADD] = WRITE | READ,
                                    [ACCESS_END] = WRITE | READ | ADD};

/* The lists of what follows a write and depends on a use of the site. */
static inline bool visit_dependent(unf_explorer *x, struct use use, uint32_t write,
                                   follower_visitor visit, void *user) {
  unsigned left = (followers_of(x)->modes.data[use.site] | WRITE) & dependent[use.access];
  for (; left != 0; left &= left - 1) {
    uint32_t *list = list_at(x, use.site, write, (enum access)__builtin_ctz(left));
    if (list != NULL && *list != 0 && !visit(user, list)) return false;
  }
  return true;
}

static inline bool visit_choices(unf_explorer *x, const struct action *a, uint32_t before,
                                 follower_visitor visit, void *user) {
  uint32_t *choices = choices_at(x, a, before);
  return *choices == 0 || visit(user, choices);
}

/* The lists of an event that is in several. */
static NOINLINE bool visit_several(unf_explorer *x, uint32_t event, follower_visitor visit,
                                   void *user) {
  unf_unfolding *u = x->u;
  const struct action *a = action_of(u, event);
  uint32_t count;
  const struct use *uses = uses_of(u, a, &count);
  const uint32_t *follows = event_follows(u, event, &count);
  if (!visit_choices(x, a, event_at(u, event)->before, visit, user)) return false;
  for (uint32_t i = 0; i < count; i++)
    if (!visit_dependent(x, uses[i], entry_write(u, follows[i]), visit, user)) return false;
  return true;
}

bool unfi_followers_visit(unf_explorer *x, uint32_t event, follower_visitor visit, void *user) {
  const unf_unfolding *u = x->u;
  const struct event *e = event_at(u, event);
  const struct action *a = &u->actions.data[e->action];
  if (!a->meets) return visit_several(x, event, visit, user);
  if (a->count == 0) return visit_choices(x, a, e->before, visit, user);
  if (a->first.access == ACCESS_END) return true;
  return visit_dependent(x, a->first, entry_write(u, e->follows), visit, user);
}

bool unfi_followers_none(const unf_unfolding *u, const struct followers *f, uint32_t event) {
  const struct event *e = event_at(u, event);
  const struct action *a = &u->actions.data[e->action];
  if (a->count != 1 || !a->meets) return false;
  if (a->first.access == ACCESS_END) return true;
  uint32_t site = a->first.site, write = entry_write(u, e->follows);
  if ((f->modes.data[site] & dependent[a->first.access]) != 0) return false;
  if (is_in_table(u, write, ACCESS_WRITE)) return true;
  uint32_t first = write == 0 ? f->roots.data[site] : links_at(f, write)->first;
  return first == 0 || (first == event && links_at(f, event)->next == 0);
}

struct followers_keeping {
  unf_explorer *x;
  struct compaction *c;
  uint8_t *walked;
};

/* All items of a list have the same list, so its first one says whether it was walked. */
static bool keep_list(void *user, uint32_t *first) {
  struct followers_keeping *k = user;
  struct followers *f = followers_of(k->x);
  while (is_group(*first))
    unfi_group_take(f, first);
  uint32_t number = *first & ITEM_TAG ? k->x->u->store.count + (*first & ~ITEM_TAG) : *first;
  if (k->walked[number]) return true;
  k->walked[number] = true;
  for (uint32_t *link = first; *link != 0; link = item_next(f, *link)) {
    while (is_group(*link))
      unfi_group_take(f, link);
    compaction_keep(k->c, item_event(f, *link));
  }
  return true;
}

void unfi_followers_keep(unf_explorer *x, uint32_t event, struct compaction *c, uint8_t *walked) {
  struct followers_keeping keeping = {x, c, walked};
  unfi_followers_visit(x, event, keep_list, &keeping);
}
