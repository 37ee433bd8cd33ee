/* Freeing events: the causes of what is kept, and the copy. */
#include "structure/compaction.h"

#include <string.h>

#include "structure/action.h"
#include "structure/event.h"
#include "structure/layer.h"
#include "structure/sets.h"
#include "structure/tree.h"

bool unfi_compaction_begin(struct compaction *c, unf_unfolding *u) {
  memset(c, 0, sizeof *c);
  c->u = u;
  c->made = *u;
  c->made.store = (struct store){0};
  if (!vector_reserve(u->context, &c->now, u->store.count)) return false;
  memset(c->now.data, 0, u->store.count * sizeof *c->now.data);
  return true;
}

/* ---- causes ---- */

static void keep_entry(struct compaction *c, uint32_t entry) {
  if (!(entry & ROW_TAG)) {
    compaction_keep(c, entry);
    return;
  }
  const struct layer *layer = layer_at(c->u, entry);
  for (uint32_t i = 0; i < layer_count(layer); i++)
    compaction_keep(c, layer->members[i]);
}

/* An event follows those at the top of its entries, and they what is below. */
static void keep_causes(struct compaction *c) {
  const unf_unfolding *u = c->u;
  for (uint32_t event = u->store.count; --event > 0;) {
    uint32_t count;
    if (c->now.data[event] == 0) continue;
    compaction_keep(c, event_at(u, event)->before);
    const uint32_t *follows = event_follows(u, event, &count);
    for (uint32_t i = 0; i < count; i++)
      keep_entry(c, follows[i]);
  }
}

/* ---- the copy ---- */

static uint64_t layer_hash(const void *compaction, uint32_t handle) {
  return mix(((const struct compaction *)compaction)->layers.data[handle - 1].from, 0);
}

/* The new name of a layer that was met before; NONE. */
static uint32_t find_layer(const struct compaction *c, uint32_t entry) {
  const struct table *table = &c->layer_table;
  table_each(table, mix(entry, 0), handle) {
    const struct moved *moved = &c->layers.data[handle - 1];
    if (moved->from == entry) return moved->to;
  }
  return NONE;
}

static bool copy_entry(struct compaction *c, uint32_t entry, uint32_t *out);

/* Its members are there already. What is below them is an entry that they follow, so it was copied
 * with them: this goes one layer down at most. */
static bool copy_layer(struct compaction *c, uint32_t entry, uint32_t *out) {
  unf_context *context = c->u->context;
  const struct layer *layer = layer_at(c->u, entry);
  uint32_t count = layer_count(layer), floor;
  if (!copy_entry(c, layer->floor, &floor) || !vector_reserve(context, &c->members, count) ||
      !vector_reserve(context, &c->layers, (uint64_t)c->layers.count + 1) ||
      !unfi_table_reserve_dense(context, &c->layer_table, layer_hash, c))
    return false;
  for (uint32_t i = 0; i < count; i++)
    c->members.data[i] = c->now.data[layer->members[i]];
  enum access access = (enum access)layer->access;
  if (!unfi_layer_intern(&c->made, floor, access, c->members.data, count, out)) return false;
  struct moved moved = {entry, *out};
  vector_push(&c->layers, moved);
  table_put(&c->layer_table, mix(entry, 0), c->layers.count);
  return true;
}

static bool copy_entry(struct compaction *c, uint32_t entry, uint32_t *out) {
  if (!(entry & ROW_TAG)) {
    *out = c->now.data[entry];
    return true;
  }
  *out = find_layer(c, entry);
  return *out != NONE || copy_layer(c, entry, out);
}

static bool copy_tuple(struct compaction *c, uint32_t follows, uint32_t *out) {
  const uint32_t *tuple = row_at(c->u, follows);
  if (!vector_reserve(c->u->context, &c->tuple, tuple[0])) return false;
  for (uint32_t i = 0; i < tuple[0]; i++)
    if (!copy_entry(c, tuple[1 + i], &c->tuple.data[i])) return false;
  return unfi_row_intern(&c->made, c->tuple.data, tuple[0], out);
}

/* Tables up to this size are as large as they were. What is left now is less, but as much comes
 * before events are freed again, and growing again each time is a part of the work in explorations
 * that keep little. */
enum { ROOM = 1 << 16, GROUPS = 2 * ROOM / INDEX_GROUP };

static uint32_t room_of(uint32_t before) {
  return before < ROOM ? before : ROOM;
}

static bool keep_room(struct compaction *c) {
  unf_context *context = c->u->context;
  const struct store *old = &c->u->store;
  struct store *made = &c->made.store;
  uint32_t mask = old->index.mask < GROUPS ? old->index.mask : GROUPS - 1;
  return unfi_index_fit(context, &made->index, mask) &&
         vector_reserve(context, &made->branches, room_of(old->branches.count)) &&
         vector_reserve_zero(context, &made->cookies, room_of(old->cookies.capacity));
}

/* The sets of threads have the same numbers, though other rows; the same sites are compared. */
static bool begin_store(struct compaction *c) {
  const struct store *old = &c->u->store;
  if (!unfi_store_begin(&c->made) || !unfi_sets_copy(c->u, &c->made) || !keep_room(c)) return false;
  memcpy(c->made.store.compared.data, old->compared.data,
         old->compared.count * sizeof *old->compared.data);
  return true;
}

/* What an event has beside its name: the operation of its thread after it, that of the thread that
 * it creates, and its cookie. */
static unf_status copy_event(struct compaction *c, uint32_t event) {
  unf_unfolding *made = &c->made;
  const struct event *e = event_at(c->u, event);
  struct causes causes = {.action = e->action, .before = c->now.data[e->before]};
  bool several = c->u->actions.data[e->action].count > 1;
  if (!(several ? copy_tuple : copy_entry)(c, e->follows, &causes.follows))
    return unfi_refused(made->context);
  uint32_t now;
  unf_status status = unfi_event_intern(made, &causes, &now);
  if (status != UNF_OK) return status;
  const uint32_t *start = unfi_start_slot(c->u, event);
  if (start != NULL) *unfi_start_slot(made, now) = *start;
  event_at(made, now)->next = e->next;
  c->now.data[event] = now;
  uint64_t cookie = event < c->u->store.cookies.capacity ? c->u->store.cookies.data[event] : 0;
  return unf_event_set_cookie(made, now, cookie);
}

unf_status unfi_compaction_make(struct compaction *c) {
  unf_unfolding *u = c->u;
  unf_context *context = u->context;
  uint64_t events = context->events;
  keep_causes(c);
  c->now.data[0] = 0;
  unf_status status = begin_store(c) ? UNF_OK : unfi_refused(context);
  /* A limit on events concerns those that there will be. */
  context->events -= u->store.count - 1;
  for (uint32_t event = 1; status == UNF_OK && event < u->store.count; event++)
    if (c->now.data[event] != 0 && (status = unfi_work(context, 1)) == UNF_OK)
      status = copy_event(c, event);
  context->events = events;
  return status;
}

void unfi_compaction_commit(struct compaction *c) {
  unf_unfolding *u = c->u;
  for (struct holder *h = u->holders; h != NULL; h = h->next)
    h->renumber(h->user, c->now.data);
  u->context->events -= u->store.count - c->made.store.count;
  unfi_store_free(u);
  u->store = c->made.store;
  c->made.store = (struct store){0};
}

void unfi_compaction_free(struct compaction *c) {
  unf_context *context = c->u->context;
  unfi_store_free(&c->made);
  vector_free(context, &c->now);
  vector_free(context, &c->layers);
  unfi_table_free(context, &c->layer_table);
  vector_free(context, &c->members);
  vector_free(context, &c->tuple);
}
