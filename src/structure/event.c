/*
 * Interning of events. The key is the action and what it follows on its sites; since the rest of
 * the causes is implied by these, that is a bijection with (action, set of maximal causes), the
 * canonical name. Expected O(1) for a known event; a new one costs its cut.
 *
 * Everything that can be refused is taken before anything is changed.
 */
#include "structure/event.h"

#include <string.h>

#include "structure/action.h"
#include "structure/cut.h"
#include "structure/effect.h"
#include "structure/layer.h"
#include "structure/names.h"
#include "structure/relation.h"
#include "structure/tree.h"

static uint32_t hash_of(const struct causes *causes) {
  return (uint32_t)mix(((uint64_t)causes->action << 32) | causes->before, causes->follows);
}

/* Where an event with siblings is found without the index, if it was the first: at the event that
 * it follows. NULL: it follows several, or what is in layers. */
static inline uint32_t *first_follower(const unf_unfolding *u, const struct causes *causes) {
  return causes->follows & ROW_TAG ? NULL : follower_at(u, causes->follows);
}

/* The event near which events with these causes stand in the index. */
static inline uint32_t near_event(const struct causes *causes) {
  uint32_t follows = causes->follows;
  return follows != 0 && !(follows & ROW_TAG) ? follows : causes->before;
}

uint32_t unfi_sibling_search(const unf_unfolding *u, const struct causes *causes) {
  const uint32_t *follower = first_follower(u, causes);
  if (follower != NULL) {
    if (*follower == 0) return NONE;
    if (is_event(event_at(u, *follower & ~SIBLINGS), causes)) return *follower & ~SIBLINGS;
    if (!(*follower & SIBLINGS)) return NONE;
  }
  const struct index *index = &u->store.index;
  const struct index_group *group = index_near(index, near_event(causes));
  uint32_t hash = hash_of(causes), at = hash;
  if (group == NULL || index_group_lacks(group, hash)) return NONE;
  for (;;) {
    for (uint32_t i = 0; i < INDEX_GROUP && group->events[i] != 0; i++) {
      uint32_t event = group->events[i];
      if (group->hashes[i] == hash && is_event(event_at(u, event), causes)) return event;
    }
    if (!index_group_is_full(group)) return NONE;
    group = &index->groups[at++ & index->mask];
  }
}

uint32_t unfi_event_find(const unf_unfolding *u, const struct causes *causes) {
  return event_find(u, causes);
}

static uint64_t start_hash(const void *unfolding, uint32_t handle) {
  return mix(((const unf_unfolding *)unfolding)->store.starts.data[handle - 1].event, 0);
}

/* Most threads are created by one event again and again. */
static NOINLINE uint32_t *search_start(unf_unfolding *u, uint32_t event, uint32_t thread) {
  const struct table *table = &u->store.start_table;
  table_each(table, mix(event, 0), handle) {
    struct start *start = &u->store.starts.data[handle - 1];
    if (start->event != event) continue;
    u->threads.data[thread].start = handle;
    return &start->operation;
  }
  return NULL;
}

uint32_t *unfi_start_slot(unf_unfolding *u, uint32_t event) {
  const struct action *a = action_of(u, event);
  /* Where all events are gone through, most create nothing, and a place of the table is far away.
   */
  if (!a->starts) return NULL;
  uint32_t number = u->threads.data[a->target].start;
  if (number == 0 || number > u->store.starts.count) return search_start(u, event, a->target);
  struct start *start = &u->store.starts.data[number - 1];
  return start->event == event ? &start->operation : search_start(u, event, a->target);
}

static struct node add_to_root(unf_unfolding *u, uint32_t site) {
  struct node root = {u->store.roots.data[site], 0};
  return tree_add(u, &root);
}

/* The node of a new write of a site, after its last write or ⊥. */
static struct node add_node(unf_unfolding *u, uint32_t last, uint32_t site) {
  return last == 0 ? add_to_root(u, site) : tree_add(u, node_in(u, last, site));
}

static uint32_t written_sites(const unf_unfolding *u, const struct action *a) {
  uint32_t count, writes = 0;
  const struct use *uses = uses_of(u, a, &count);
  for (uint32_t i = 0; i < count; i++)
    writes += uses[i].access == ACCESS_WRITE;
  return writes;
}

/* The record of an event that has one: a node for each site that it writes, and what it carries,
 * which is behind the nodes of all that it uses if these are writes. */
static struct node *record_of(const unf_unfolding *u, uint32_t event) {
  return (struct node *)arena_at(&u->store.nodes, other_node(u, event)->depth);
}

static inline struct node *carried_of(const unf_unfolding *u, uint32_t event) {
  const struct action *a = action_of(u, event);
  return record_of(u, event) + (a->first.access == ACCESS_WRITE ? a->count : 0);
}

int64_t unfi_carried(const unf_unfolding *u, uint32_t event) {
  int64_t value;
  memcpy(&value, carried_of(u, event), sizeof value);
  return value;
}

int64_t unfi_value_written(unf_unfolding *u, uint32_t event) {
  if (other_node(u, event)->branch == SEVERAL) return unfi_carried(u, event);
  return u->effects->actions[action_of(u, event)->kind].family->written(u, event);
}

static void carry(unf_unfolding *u, uint32_t event, int64_t value) {
  memcpy(carried_of(u, event), &value, sizeof value);
}

/* Branches were reserved. */
static void place_several(unf_unfolding *u, uint32_t event, const struct action *a) {
  uint32_t count;
  const struct use *uses = uses_of(u, a, &count);
  const uint32_t *follows = event_follows(u, event, &count);
  struct node *node = record_of(u, event);
  for (uint32_t i = 0; i < count; i++) {
    if (uses[i].access != ACCESS_WRITE) continue;
    uint32_t write = entry_write(u, follows[i]);
    *node++ = add_node(u, write, uses[i].site);
  }
  if (a->first.access == ACCESS_WRITE && a->carries)
    carry(u, event, u->effects->actions[a->kind].family->written(u, event));
}

struct node *unfi_node_of_several(const unf_unfolding *u, uint32_t event, uint32_t site) {
  const struct action *a = action_of(u, event);
  if (a->count == 1) return record_of(u, event);
  return record_of(u, event) + unfi_writes_before(u, a, unfi_use_of(u, a, site));
}

/* Gives the node of an event its value, if that has one use and carries one. */
static inline void place_value(unf_unfolding *u, uint32_t event, const struct causes *causes,
                               const struct action *a) {
  if (a->written == NONE) return;
  uint32_t write = entry_write(u, causes->follows);
  struct node *node = (struct node *)arena_at(&u->store.nodes, u->store.nodes_taken);
  *node = write == 0 ? add_to_root(u, a->written) : tree_add(u, object_node(u, write, a->written));
  int64_t value = u->effects->actions[a->kind].family->written(u, event);
  memcpy(node + 1, &value, sizeof value);
}

/* Whether a fork of a thread's tree shows at no other site: by another choice of data, or where the
 * operation is not known or can have actions on different sites. */
static bool forks_alone(unf_unfolding *u, const struct action *a, uint32_t before) {
  uint32_t operation = *unfi_next_slot(u, a->thread, before);
  if (operation == 0 || !a->conflicting) return true;
  return u->effects->operations[u->operations.data[operation].kind].target == TARGET_NONE;
}

/* A thread whose tree forks by itself is noted (see relation.c). */
static void note_fork(unf_unfolding *u, const struct action *a, uint32_t before) {
  if (!is_compared(u, a->site) && forks_alone(u, a, before)) unfi_tree_compare(u, a->site);
}

static void note_start(unf_unfolding *u, uint32_t event, const struct action *a) {
  if (is_twig(*other_node(u, event))) unfi_tree_compare(u, a->written);
  struct start start = {event, 0};
  vector_push(&u->store.starts, start);
  table_put(&u->store.start_table, mix(event, 0), u->store.starts.count);
}

/* Places the event in the trees that it writes to: that of its thread, where the one before it is
 * by the same thread or created it, and others. */
static inline void place(unf_unfolding *u, uint32_t event, const struct causes *causes,
                         const struct action *a) {
  uint32_t before = causes->before;
  struct node own;
  /* ⊥ is at no site. */
  if (action_of(u, before)->site == a->site)
    own = tree_add(u, own_node(u, before));
  else
    own = add_node(u, before, a->site);
  *own_node(u, event) = own;
  if (is_twig(own)) note_fork(u, a, before);
  if (u->store.nodes_taken != 0) {
    if (a->count == 1)
      place_value(u, event, causes, a);
    else
      place_several(u, event, a);
  } else if (a->starts) {
    *other_node(u, event) = add_node(u, entry_write(u, causes->follows), a->written);
    note_start(u, event, a);
  } else if (a->written != NONE) {
    uint32_t write = entry_write(u, causes->follows);
    *other_node(u, event) =
        write == 0 ? add_to_root(u, a->written) : tree_add(u, object_node(u, write, a->written));
  }
}

/* The nodes of the sites that are written have a record of their own if there are several, or with
 * what the event carries. */
static bool reserve_nodes(unf_unfolding *u, const struct action *a) {
  uint32_t writes = a->count == 1 ? a->written != NONE : written_sites(u, a);
  if (writes > 0 && !tree_reserve(u, writes)) return false;
  if (writes == 0 && !a->carries) return true;
  u->store.nodes_taken = unfi_arena_take(u->context, &u->store.nodes, 2 * (writes + a->carries));
  return u->store.nodes_taken != 0;
}

static bool reserve_start(unf_unfolding *u) {
  return vector_reserve(u->context, &u->store.starts, (uint64_t)u->store.starts.count + 1) &&
         unfi_table_reserve_dense(u->context, &u->store.start_table, start_hash, u);
}

/* What an event needs of which others have nothing. */
static NOINLINE bool reserve_more(unf_unfolding *u, const struct action *a) {
  return ((a->count <= 1 && !a->carries) || reserve_nodes(u, a)) &&
         (!a->starts || reserve_start(u));
}

/* The record of an event that carries a value and has one use, unless its operation says it. */
static inline bool reserve_value(unf_unfolding *u, const struct action *a, uint32_t before) {
  uint32_t operation = a->written != NONE ? *unfi_next_slot(u, a->thread, before) : 0;
  if (operation != 0 && u->effects->operations[u->operations.data[operation].kind].replaces)
    return true;
  uint32_t nodes = a->written != NONE ? 2 : 1;
  u->store.nodes_taken = unfi_arena_take(u->context, &u->store.nodes, 2 * nodes);
  return u->store.nodes_taken != 0;
}

static bool add_chunk(unf_unfolding *u) {
  if (!vector_reserve(u->context, &u->store.chunks, (uint64_t)u->store.chunks.count + 1))
    return false;
  struct event_chunk *events = unfi_reallocate(u->context, NULL, 0, sizeof *events);
  if (events == NULL) return false;
  vector_push(&u->store.chunks, events);
  return true;
}

/* Room for entering an event that is not the first child. Returns false when refused. */
static bool reserve_sibling(unf_unfolding *u, const struct causes *causes) {
  const uint32_t *follower = first_follower(u, causes);
  if (follower != NULL && *follower == 0) return true;
  return index_reserve(u->context, &u->store.index, near_event(causes));
}

static inline bool reserve(unf_unfolding *u, const struct action *a, const struct causes *causes) {
  uint32_t before = causes->before;
  u->store.nodes_taken = 0;
  return (*child_at(u, before) == 0 || reserve_sibling(u, causes)) && tree_reserve(u, 0) &&
         (a->count > 1 || a->starts ? reserve_more(u, a)
                                    : !a->carries || reserve_value(u, a, before)) &&
         (u->store.count >> EVENT_SHIFT < u->store.chunks.count || add_chunk(u));
}

static unf_status admit(const unf_unfolding *u) {
  if (u->store.count >= ROW_TAG - 1)
    return unfi_fail(u->context, UNF_LIMIT, "more events than an unfolding can hold");
  return u->uncounted || u->context->limits.events == 0 ? UNF_OK : unfi_admit_event(u->context);
}

/* Enters a new event that is not the first child. */
static inline void enter_sibling(unf_unfolding *u, const struct causes *causes, uint32_t event) {
  uint32_t *follower = first_follower(u, causes);
  if (follower != NULL && *follower == 0) {
    *follower = event;
    return;
  }
  if (follower != NULL) *follower |= SIBLINGS;
  index_put(&u->store.index, near_event(causes), hash_of(causes), event);
}

/* Enters a new event where event_find() finds it. */
static inline void enter_child(unf_unfolding *u, const struct causes *causes, uint32_t event) {
  uint32_t *child = child_at(u, causes->before);
  if (*child != 0) {
    *child |= SIBLINGS;
    enter_sibling(u, causes, event);
  } else {
    *child = event;
  }
}

unf_status unfi_event_add(unf_unfolding *u, const struct causes *causes, uint32_t *out) {
  uint32_t event = u->store.count, record;
  const struct action *a = &u->actions.data[causes->action];
  unf_status status = admit(u);
  if (status != UNF_OK) return status;
  if (!reserve(u, a, causes)) return unfi_refused(u->context);
  struct event *e = event_at(u, event);
  *e = (struct event){
      .action = causes->action, .before = causes->before, .follows = causes->follows};
  *child_at(u, event) = 0;
  *follower_at(u, event) = 0;
  record = u->store.nodes_taken;
  *other_node(u, event) = record != 0 ? (struct node){SEVERAL, record} : (struct node){NONE, 0};
  if (!unfi_cut_record(u, event, causes, &e->cut)) return unfi_refused(u->context);
  if (a->on_object) u->objects.data[a->target].fixed = true;
  place(u, event, causes, a);
  enter_child(u, causes, event);
  u->store.count++;
  u->context->events += !u->uncounted;
  u->store.latest = event;
  *out = event;
  return UNF_OK;
}

unf_status unfi_event_intern(unf_unfolding *u, const struct causes *causes, uint32_t *out) {
  uint32_t guess = event_guess(u);
  if (guess != 0 && is_event(event_at(u, guess), causes)) {
    *out = u->store.latest = guess;
    return UNF_OK;
  }
  uint32_t known = event_find(u, causes);
  if (known == NONE) return unfi_event_add(u, causes, out);
  *out = u->store.latest = known;
  return UNF_OK;
}

/* Whether it has at most one use, which follows one event. */
static bool follows_one(const unf_unfolding *u, const struct event *e) {
  return u->actions.data[e->action].count == 1 && (e->follows & ROW_TAG) == 0;
}

uint32_t unfi_predecessor_bound(const unf_unfolding *u, uint32_t event) {
  uint32_t entries, bound = 1;
  if (follows_one(u, event_at(u, event))) return 2;
  const uint32_t *follows = event_follows(u, event, &entries);
  for (uint32_t i = 0; i < entries; i++)
    bound += entry_size(u, follows[i]);
  return bound;
}

uint32_t unfi_followed_events(const unf_unfolding *u, uint32_t event, uint32_t *out) {
  uint32_t entries, count = 0;
  const uint32_t *follows = event_follows(u, event, &entries);
  out[count++] = event_at(u, event)->before;
  for (uint32_t i = 0; i < entries; i++)
    count += unfi_entry_events(u, follows[i], out + count);
  return count;
}

/* As unfi_predecessors(), of an event that follows at most one beside that of its thread. */
static uint32_t predecessors_of_two(const unf_unfolding *u, uint32_t before, uint32_t other,
                                    uint32_t *out) {
  uint32_t first = before < other ? before : other, second = before < other ? other : before;
  bool both = first != second && !unfi_precedes(u, first, second);
  out[0] = both ? first : second;
  out[1] = second;
  return 1 + both;
}

/* To compare so many events with each other is an elementary step. */
#define MANY_COMPARED 16u

uint32_t unfi_predecessors(const unf_unfolding *u, uint32_t event, uint32_t *out) {
  const struct event *e = event_at(u, event);
  if (follows_one(u, e)) return predecessors_of_two(u, e->before, e->follows, out);
  uint32_t count = unfi_followed_events(u, event, out), kept = 0;
  /* Ascending, each once; a cause has the smaller handle, so only later entries can have an entry
   * in their history. */
  for (uint32_t i = 1; i < count; i++)
    for (uint32_t j = i; j > 0 && out[j - 1] > out[j]; j--) {
      uint32_t swap = out[j];
      out[j] = out[j - 1];
      out[j - 1] = swap;
    }
  if (count >= MANY_COMPARED)
    unfi_count(u->context, (uint64_t)(count / MANY_COMPARED) * (count / MANY_COMPARED));
  for (uint32_t i = 0; i < count; i++) {
    bool maximal = true;
    for (uint32_t j = i + 1; maximal && j < count; j++)
      maximal = !unfi_precedes(u, out[i], out[j]);
    if (maximal) out[kept++] = out[i];
  }
  return kept;
}

uint32_t unfi_entry_before(const unf_unfolding *u, uint32_t event, uint32_t site) {
  uint32_t count;
  return event_follows(u, event, &count)[unfi_use_of(u, action_of(u, event), site)];
}
