/* Sets of threads, the values of broadcasts: interned rows of ascending handles, numbered from 1; 0
 * is the empty set. */
#include "structure/sets.h"

#include "base/null.h"
#include "base/sort.h"
#include "structure/layer.h"
#include "structure/names.h"

static uint64_t set_hash(const void *unfolding, uint32_t handle) {
  return mix(((const unf_unfolding *)unfolding)->store.sets.data[handle - 1], 0);
}

/* The number of an interned row. Returns false when refused. */
static bool number(unf_unfolding *u, uint32_t row, int64_t *out) {
  struct table *table = &u->store.set_table;
  if (!unfi_table_reserve_dense(u->context, table, set_hash, u) ||
      !vector_reserve(u->context, &u->store.sets, (uint64_t)u->store.sets.count + 1))
    return false;
  uint64_t hash = mix(row, 0);
  table_each(table, hash, handle) {
    if (u->store.sets.data[handle - 1] != row) continue;
    *out = handle;
    return true;
  }
  vector_push(&u->store.sets, row);
  table_put(table, hash, u->store.sets.count);
  *out = u->store.sets.count;
  return true;
}

bool unfi_sets_copy(const unf_unfolding *from, unf_unfolding *to) {
  for (uint32_t i = 0; i < from->store.sets.count; i++) {
    const uint32_t *words = row_at(from, from->store.sets.data[i]);
    uint32_t row;
    int64_t same;
    if (!unfi_row_intern(to, words + 1, words[0], &row) || !number(to, row, &same)) return false;
  }
  return true;
}

unf_status unf_thread_set(unf_unfolding *u, const unf_thread *threads, uint32_t count,
                          int64_t *out) {
  RETURN_IF_NULL(u->context, u, out);
  RETURN_IF_NULL_ARRAY(u->context, threads, count);
  if (!vector_reserve(u->context, &u->store.row_room, count)) return unfi_refused(u->context);
  uint32_t *members = u->store.row_room.data, kept = 0;
  for (uint32_t i = 0; i < count; i++) {
    if (threads[i] >= u->threads.count)
      return unfi_fail(u->context, UNF_UNKNOWN, "thread of a set");
    members[i] = threads[i];
  }
  unfi_sort(members, count);
  for (uint32_t i = 0; i < count; i++)
    if (kept == 0 || members[kept - 1] != members[i]) members[kept++] = members[i];
  *out = 0;
  if (kept == 0) return UNF_OK;
  uint32_t row;
  if (!unfi_row_intern(u, members, kept, &row) || !number(u, row, out))
    return unfi_refused(u->context);
  return UNF_OK;
}

const uint32_t *unfi_set(const unf_unfolding *u, int64_t set, uint32_t *count) {
  *count = 0;
  if (set <= 0 || set > (int64_t)u->store.sets.count) return NULL;
  const uint32_t *row = row_at(u, u->store.sets.data[set - 1]);
  *count = row[0];
  return row + 1;
}

static uint32_t depth_of(const unf_unfolding *u, uint32_t thread) {
  uint32_t depth = 0;
  for (uint32_t t = thread; t != UNF_THREAD_NONE; t = u->threads.data[t].parent)
    depth++;
  return depth;
}

/* Whether the path of a comes before that of b; a path comes before those that it begins. */
static bool path_before(const unf_unfolding *u, uint32_t a, uint32_t b) {
  uint32_t depth_a = depth_of(u, a), depth_b = depth_of(u, b);
  bool shorter = depth_a < depth_b;
  for (; depth_a > depth_b; depth_a--)
    a = u->threads.data[a].parent;
  for (; depth_b > depth_a; depth_b--)
    b = u->threads.data[b].parent;
  if (a == b) return shorter;
  while (u->threads.data[a].parent != u->threads.data[b].parent) {
    a = u->threads.data[a].parent;
    b = u->threads.data[b].parent;
  }
  return u->threads.data[a].index < u->threads.data[b].index;
}

unf_status unf_thread_set_members(const unf_unfolding *u, int64_t set, unf_thread_visitor visit,
                                  void *user) {
  RETURN_IF_NULL(u->context, u, visit);
  uint32_t count;
  const uint32_t *members = unfi_set(u, set, &count);
  if (set == 0) return UNF_OK;
  if (members == NULL) return unfi_fail(u->context, UNF_UNKNOWN, "set of threads");
  /* The next in the order of paths is sought each time: sets are small, nothing is allocated. */
  uint32_t last = NONE;
  for (uint32_t i = 0; i < count; i++) {
    uint32_t next = NONE;
    for (uint32_t j = 0; j < count; j++) {
      bool after = last == NONE || path_before(u, last, members[j]);
      if (after && (next == NONE || path_before(u, members[j], next))) next = members[j];
    }
    if (!visit(user, next)) break;
    last = next;
  }
  return UNF_OK;
}
