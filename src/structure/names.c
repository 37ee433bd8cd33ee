/* Interned names: threads by (parent, index), objects by (class, creator, key), of which all 64
 * bits count. */
#include "structure/names.h"

#include "base/null.h"
#include "structure/cells.h"
#include "structure/effect.h"
#include "structure/tree.h"

static uint64_t thread_hash(const void *unfolding, uint32_t handle) {
  const struct thread *t = &((const unf_unfolding *)unfolding)->threads.data[handle - 1];
  return mix(t->parent, t->index);
}

static uint64_t object_hash_of(uint32_t object_class, uint32_t creator, uint64_t key) {
  return mix(key, ((uint64_t)creator << 32) | object_class);
}

static uint64_t object_hash(const void *unfolding, uint32_t handle) {
  const struct object *o = &((const unf_unfolding *)unfolding)->objects.data[handle - 1];
  return object_hash_of(o->object_class, o->creator, o->key);
}

bool unfi_reserve_sites(unf_unfolding *u, uint32_t count) {
  uint64_t need = (uint64_t)u->sites.count + count;
  return vector_reserve(u->context, &u->sites, need) && unfi_trees_reserve(u, need);
}

uint32_t unfi_add_site(unf_unfolding *u, uint32_t subject, bool is_thread) {
  struct site site = {subject, is_thread};
  unfi_tree_begin(u, !is_thread);
  vector_push(&u->sites, site);
  return u->sites.count - 1;
}

/* A new site; room for it and its tree is reserved here. */
static bool add_site(unf_unfolding *u, uint32_t subject, bool is_thread, uint32_t *out) {
  if (!unfi_reserve_sites(u, 1)) return false;
  *out = unfi_add_site(u, subject, is_thread);
  return true;
}

unf_status unf_thread_name(unf_unfolding *u, unf_thread parent, uint32_t index, unf_thread *out) {
  RETURN_IF_NULL(u->context, u, out);
  if (parent != UNF_THREAD_NONE && parent >= u->threads.count)
    return unfi_fail(u->context, UNF_UNKNOWN, "parent thread");
  uint64_t hash = mix(parent, index);
  struct table *table = &u->thread_table;
  if (!unfi_table_reserve_dense(u->context, table, thread_hash, u)) return unfi_refused(u->context);
  table_each(table, hash, handle) {
    const struct thread *t = &u->threads.data[handle - 1];
    if (t->parent == parent && t->index == index) {
      *out = handle - 1;
      return UNF_OK;
    }
  }
  struct thread thread = {.parent = parent, .index = index};
  if (!vector_reserve(u->context, &u->threads, (uint64_t)u->threads.count + 1) ||
      !add_site(u, u->threads.count, true, &thread.site))
    return unfi_refused(u->context);
  *out = u->threads.count;
  vector_push(&u->threads, thread);
  table_put(table, hash, u->threads.count);
  return UNF_OK;
}

unf_status unf_thread_start(unf_unfolding *u, unf_thread thread) {
  RETURN_IF_NULL(u->context, u);
  if (thread >= u->threads.count) return unfi_fail(u->context, UNF_UNKNOWN, "thread");
  if (u->threads.data[thread].initial) return UNF_OK;
  if (u->store.count > 1)
    return unfi_fail(u->context, UNF_STATE, "a thread can only be started before the first event");
  u->threads.data[thread].initial = true;
  return UNF_OK;
}

unf_status unf_thread_describe(const unf_unfolding *u, unf_thread thread, unf_thread *parent,
                               uint32_t *index, bool *initial) {
  RETURN_IF_NULL(u->context, u);
  if (thread >= u->threads.count) return unfi_fail(u->context, UNF_UNKNOWN, "thread");
  const struct thread *t = &u->threads.data[thread];
  if (parent != NULL) *parent = t->parent;
  if (index != NULL) *index = t->index;
  if (initial != NULL) *initial = t->initial;
  return UNF_OK;
}

unf_status unf_object_name(unf_unfolding *u, unf_object_class object_class, unf_thread creator,
                           uint64_t key, unf_object *out) {
  RETURN_IF_NULL(u->context, u, out);
  if ((unsigned)object_class >= UNF_OBJECT_CLASS_COUNT)
    return unfi_fail(u->context, UNF_INVALID, "object class");
  if (creator != UNF_THREAD_NONE && creator >= u->threads.count)
    return unfi_fail(u->context, UNF_UNKNOWN, "creator of an object");
  uint64_t hash = object_hash_of(object_class, creator, key);
  struct table *table = &u->object_table;
  if (!unfi_table_reserve_dense(u->context, table, object_hash, u)) return unfi_refused(u->context);
  table_each(table, hash, handle) {
    const struct object *o = &u->objects.data[handle - 1];
    if (o->object_class == (uint32_t)object_class && o->creator == creator && o->key == key) {
      *out = handle - 1;
      return UNF_OK;
    }
  }
  struct object object = {
      .key = key, .creator = creator, .site = NO_SITE, .object_class = (uint8_t)object_class};
  if (!vector_reserve(u->context, &u->objects, (uint64_t)u->objects.count + 1))
    return unfi_refused(u->context);
  *out = u->objects.count;
  vector_push(&u->objects, object);
  table_put(table, hash, u->objects.count);
  return UNF_OK;
}

unf_status unf_object_describe(const unf_unfolding *u, unf_object object,
                               unf_object_class *object_class, unf_thread *creator, uint64_t *key) {
  RETURN_IF_NULL(u->context, u);
  if (object >= u->objects.count) return unfi_fail(u->context, UNF_UNKNOWN, "object");
  const struct object *o = &u->objects.data[object];
  if (object_class != NULL) *object_class = (unf_object_class)o->object_class;
  if (creator != NULL) *creator = o->creator;
  if (key != NULL) *key = o->key;
  return UNF_OK;
}

unf_status unf_object_set_initial(unf_unfolding *u, unf_object object, int64_t value) {
  RETURN_IF_NULL(u->context, u);
  if (object >= u->objects.count) return unfi_fail(u->context, UNF_UNKNOWN, "object");
  struct object *o = &u->objects.data[object];
  enum initial initial = u->effects->initial[o->object_class];
  bool above = o->maximum != 0 && value > o->maximum;
  if (initial == INITIAL_NONE || (initial == INITIAL_COUNT && (value < 0 || above)))
    return unfi_fail(u->context, UNF_INVALID, "initial value of an object");
  if (!vector_reserve(u->context, &u->said, (uint64_t)u->said.count + 1))
    return unfi_refused(u->context);
  bool agrees =
      o->cell != 0 ? unfi_cells_initial(u, object, value) : !o->fixed || o->initial == value;
  if (!agrees) return unfi_fail(u->context, UNF_STATE, "the object has another initial value");
  if (!o->fixed) vector_push(&u->said, object);
  o->initial = value;
  o->fixed = true;
  return UNF_OK;
}

unf_status unf_object_set_maximum(unf_unfolding *u, unf_object semaphore, int64_t maximum) {
  RETURN_IF_NULL(u->context, u);
  if (semaphore >= u->objects.count) return unfi_fail(u->context, UNF_UNKNOWN, "object");
  struct object *o = &u->objects.data[semaphore];
  if (u->effects->initial[o->object_class] != INITIAL_COUNT || maximum < 1 || maximum < o->initial)
    return unfi_fail(u->context, UNF_INVALID, "maximum of a semaphore");
  if (o->maximum == maximum) return UNF_OK;
  if (o->maximum != 0 || o->used)
    return unfi_fail(u->context, UNF_STATE, "the maximum of a semaphore that was used or has one");
  if (!vector_reserve(u->context, &u->said, (uint64_t)u->said.count + 1))
    return unfi_refused(u->context);
  vector_push(&u->said, semaphore);
  o->maximum = maximum;
  return UNF_OK;
}

uint32_t unfi_object_site(unf_unfolding *u, uint32_t object) {
  struct object *o = &u->objects.data[object];
  if (o->site == NO_SITE && !add_site(u, object, false, &o->site)) return NONE;
  return o->site;
}

/* The waiters of an object are listed by thread. */
uint32_t unfi_waiter_site(unf_unfolding *u, uint32_t object, uint32_t thread) {
  uint32_t before = 0, at = u->objects.data[object].waiters;
  for (; at != 0 && u->waiters.data[at - 1].thread <= thread; at = u->waiters.data[at - 1].next) {
    if (u->waiters.data[at - 1].thread == thread) return u->waiters.data[at - 1].site;
    before = at;
  }
  struct waiter waiter = {.thread = thread, .next = at};
  if (!vector_reserve(u->context, &u->waiters, (uint64_t)u->waiters.count + 1) ||
      !add_site(u, object, false, &waiter.site))
    return NONE;
  vector_push(&u->waiters, waiter);
  *(before == 0 ? &u->objects.data[object].waiters : &u->waiters.data[before - 1].next) =
      u->waiters.count;
  return waiter.site;
}

static uint64_t part_hash_of(uint32_t object, uint64_t number) {
  return mix(number, object);
}

static uint64_t part_hash(const void *unfolding, uint32_t handle) {
  const struct part *p = &((const unf_unfolding *)unfolding)->parts.data[handle - 1];
  return part_hash_of(p->object, p->number);
}

uint32_t unfi_part_find(const unf_unfolding *u, uint32_t object, uint64_t number) {
  table_each(&u->part_table, part_hash_of(object, number), handle) {
    const struct part *p = &u->parts.data[handle - 1];
    if (p->object == object && p->number == number) return p->site;
  }
  return NO_SITE;
}

uint32_t unfi_part_site(unf_unfolding *u, uint32_t object, uint64_t number) {
  struct part part = {number, object, unfi_part_find(u, object, number)};
  if (part.site != NO_SITE) return part.site;
  if (!unfi_table_reserve_dense(u->context, &u->part_table, part_hash, u) ||
      !vector_reserve(u->context, &u->parts, (uint64_t)u->parts.count + 1) ||
      !add_site(u, object, false, &part.site))
    return NONE;
  vector_push(&u->parts, part);
  table_put(&u->part_table, part_hash_of(object, number), u->parts.count);
  return part.site;
}

void unfi_names_free(unf_unfolding *u) {
  unf_context *context = u->context;
  unfi_table_free(context, &u->thread_table);
  unfi_table_free(context, &u->object_table);
  unfi_table_free(context, &u->cell_table);
  unfi_table_free(context, &u->part_table);
  vector_free(context, &u->threads);
  vector_free(context, &u->objects);
  vector_free(context, &u->sites);
  vector_free(context, &u->waiters);
  vector_free(context, &u->parts);
  vector_free(context, &u->cells);
  vector_free(context, &u->said);
  vector_free(context, &u->customs);
}
