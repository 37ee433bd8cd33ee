/* Interned names: threads by (parent, index), objects by (class, creator, key), actions and
   operations by their fields. All 64 bits of every number count. */
#include <string.h>

#include "base/null.h"
#include "base/text.h"
#include "structure/effect.h"

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

static uint64_t action_hash_of(uint32_t kind, uint32_t thread, uint32_t target, uint32_t second,
                               int64_t value) {
  return mix(((uint64_t)thread << 32) | target,
             (uint64_t)value ^ ((uint64_t)kind << 56) ^ ((uint64_t)second << 20));
}

static uint64_t action_hash(const void *unfolding, uint32_t handle) {
  const struct action *a = &((const unf_unfolding *)unfolding)->actions.data[handle];
  return action_hash_of(a->kind, a->thread, a->target, a->second, a->value);
}

static uint64_t operation_hash_of(const unf_operation *operation) {
  return mix(mix(operation->kind, ((uint64_t)operation->second << 32) | operation->target),
             mix((uint64_t)operation->low, (uint64_t)operation->high));
}

static uint64_t operation_hash(const void *unfolding, uint32_t handle) {
  return operation_hash_of(&((const unf_unfolding *)unfolding)->operations.data[handle]);
}

bool unfi_reserve_sites(unf_unfolding *u, uint32_t count) {
  unf_context *context = u->context;
  uint64_t need = (uint64_t)u->sites.count + count;
  return vector_reserve(context, &u->sites, need) && vector_reserve(context, &u->compared, need) &&
         vector_reserve(context, &u->scratch, need) && unfi_tree_reserve(u, count);
}

uint32_t unfi_add_site(unf_unfolding *u, uint32_t subject, bool is_thread) {
  struct branch root = {NONE, 0, 0, 0, u->branches.count};
  struct site site = {u->branches.count, subject, is_thread, !is_thread};
  vector_push(&u->branches, root);
  if (!is_thread) vector_push(&u->compared, u->sites.count);
  vector_push(&u->sites, site);
  return u->sites.count - 1;
}

/* A new site; room for it, its branch and its place among the compared ones is reserved here. */
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
  for (uint32_t i = (uint32_t)hash & table->mask; table->slots[i] != 0; i = (i + 1) & table->mask) {
    const struct thread *t = &u->threads.data[table->slots[i] - 1];
    if (t->parent == parent && t->index == index) {
      *out = table->slots[i] - 1;
      return UNF_OK;
    }
  }
  struct thread thread = {parent, index, 0, 0, 0, 0, false};
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
  if (u->event_count > 1)
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
  for (uint32_t i = (uint32_t)hash & table->mask; table->slots[i] != 0; i = (i + 1) & table->mask) {
    const struct object *o = &u->objects.data[table->slots[i] - 1];
    if (o->object_class == (uint32_t)object_class && o->creator == creator && o->key == key) {
      *out = table->slots[i] - 1;
      return UNF_OK;
    }
  }
  struct object object = {.key = key, .object_class = (uint32_t)object_class, .creator = creator};
  if (!vector_reserve(u->context, &u->objects, (uint64_t)u->objects.count + 1) ||
      !add_site(u, u->objects.count, false, &object.site))
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

/* The waiters of an object are listed by thread. */
uint32_t unfi_waiter_site(unf_unfolding *u, uint32_t condition, uint32_t thread) {
  uint32_t before = 0, at = u->objects.data[condition].waiters;
  for (; at != 0 && u->waiters.data[at - 1].thread <= thread; at = u->waiters.data[at - 1].next) {
    if (u->waiters.data[at - 1].thread == thread) return u->waiters.data[at - 1].site;
    before = at;
  }
  struct waiter waiter = {thread, 0, at};
  if (!vector_reserve(u->context, &u->waiters, (uint64_t)u->waiters.count + 1) ||
      !add_site(u, condition, false, &waiter.site))
    return NONE;
  vector_push(&u->waiters, waiter);
  *(before == 0 ? &u->objects.data[condition].waiters : &u->waiters.data[before - 1].next) =
      u->waiters.count;
  return waiter.site;
}

/* Whether a target is what its kind wants; the site of it in *site (NONE if it has none). */
static unf_status resolve(const unf_unfolding *u, enum target target, uint32_t handle,
                          uint32_t *site) {
  *site = NONE;
  if (target == TARGET_THREAD) {
    if (handle >= u->threads.count) return unfi_fail(u->context, UNF_UNKNOWN, "target thread");
    *site = u->threads.data[handle].site;
  } else if (is_object(target)) {
    if (handle >= u->objects.count) return unfi_fail(u->context, UNF_UNKNOWN, "target object");
    if (u->objects.data[handle].object_class != (uint32_t)target)
      return unfi_fail(u->context, UNF_INVALID, "an object of another class");
    *site = u->objects.data[handle].site;
  } else if (handle >= (target == TARGET_REASON ? UNF_HALT_COUNT : 1u)) {
    return unfi_fail(u->context, UNF_INVALID, "a target where there is none");
  }
  return UNF_OK;
}

static unf_status resolve_second(const unf_unfolding *u, enum second second, uint32_t handle) {
  uint32_t site;
  if (second == SECOND_FAMILY) {
    if (handle < u->customs.count) return UNF_OK;
    return unfi_fail(u->context, UNF_UNKNOWN, "family of effects");
  }
  if (second == SECOND_RELATION) {
    if (handle < UNF_RELATION_COUNT) return UNF_OK;
    return unfi_fail(u->context, UNF_INVALID, "relation of an await");
  }
  return resolve(u, second == SECOND_MUTEX ? TARGET_MUTEX : TARGET_NONE, handle, &site);
}

/* Lists what an action uses beside the site of its thread, that of its target being `other`, into
 * u->scratch_uses. */
static unf_status list_uses(unf_unfolding *u, const unf_action *action, uint32_t other) {
  const struct action_row *row = &u->effects->actions[action->kind];
  u->scratch_uses.count = 0;
  if (row->uses != NULL) return row->uses(u, action);
  if (row->access == ACCESS_NONE) return UNF_OK;
  if (!vector_reserve(u->context, &u->scratch_uses, 1)) return unfi_refused(u->context);
  struct use use = {other, row->access};
  vector_push(&u->scratch_uses, use);
  return UNF_OK;
}

/* Keeps several uses; false: refused. */
static bool keep_uses(unf_unfolding *u, struct action *action) {
  uint32_t words = (uint32_t)(sizeof(struct use) / sizeof(uint32_t)) * action->count;
  action->uses = unfi_arena_take(u->context, &u->uses, words);
  if (action->uses == 0) return false;
  memcpy(arena_at(&u->uses, action->uses), u->scratch_uses.data, words * sizeof(uint32_t));
  return true;
}

/* A new action; its fields were looked at. */
static unf_status add_action(unf_unfolding *u, const unf_action *action, uint32_t other) {
  unf_status status = list_uses(u, action, other);
  if (status != UNF_OK) return status;
  struct action record = {.kind = (uint32_t)action->kind,
                          .thread = action->thread,
                          .target = action->target,
                          .second = action->second,
                          .site = u->threads.data[action->thread].site,
                          .count = u->scratch_uses.count,
                          .written = NONE,
                          .first = {NONE, ACCESS_NONE},
                          .value = action->value};
  if (record.count > 0) record.first = u->scratch_uses.data[0];
  if (record.count == 1 && record.first.access == ACCESS_WRITE) record.written = record.first.site;
  if ((record.count > 1 && !keep_uses(u, &record)) ||
      !vector_reserve(u->context, &u->actions, (uint64_t)u->actions.count + 1))
    return unfi_refused(u->context);
  vector_push(&u->actions, record);
  return UNF_OK;
}

static inline bool is_action(const unf_unfolding *u, uint32_t index, const unf_action *action) {
  const struct action *a = &u->actions.data[index];
  return a->kind == (uint32_t)action->kind && a->thread == action->thread &&
         a->target == action->target && a->second == action->second && a->value == action->value;
}

unf_status unfi_action_intern(unf_unfolding *u, const unf_action *action, uint32_t *out) {
  if ((unsigned)action->kind >= UNF_ACTION_COUNT)
    return unfi_fail(u->context, UNF_INVALID, "action kind");
  if (action->thread < u->threads.count) {
    *out = u->threads.data[action->thread].recent_action;
    if (*out != 0 && is_action(u, *out, action)) return UNF_OK;
  }
  uint64_t hash = action_hash_of((uint32_t)action->kind, action->thread, action->target,
                                 action->second, action->value);
  struct table *table = &u->action_table;
  if (!unfi_table_reserve_dense(u->context, table, action_hash, u)) return unfi_refused(u->context);
  for (uint32_t i = (uint32_t)hash & table->mask; table->slots[i] != 0; i = (i + 1) & table->mask) {
    if (!is_action(u, table->slots[i], action)) continue;
    *out = u->threads.data[action->thread].recent_action = table->slots[i];
    return UNF_OK;
  }
  if (action->thread >= u->threads.count)
    return unfi_fail(u->context, UNF_UNKNOWN, "thread of an action");
  const struct action_row *row = &u->effects->actions[action->kind];
  uint32_t other;
  unf_status status = resolve(u, row->target, action->target, &other);
  if (status == UNF_OK) status = resolve_second(u, row->second, action->second);
  if (status != UNF_OK) return status;
  bool spare = (row->value == VALUE_NONE && action->value != 0) ||
               (row->target == TARGET_THREAD && action->target == action->thread);
  if (spare) return unfi_fail(u->context, UNF_INVALID, "fields of an action");
  status = add_action(u, action, other);
  if (status != UNF_OK) return status;
  *out = u->actions.count - 1;
  table_put(table, hash, *out);
  return UNF_OK;
}

unf_action unfi_action(const unf_unfolding *u, uint32_t action) {
  const struct action *a = &u->actions.data[action];
  unf_action result = {(unf_action_kind)a->kind, a->thread, a->target, a->second, a->value};
  return result;
}

bool unfi_is_operation(const unf_unfolding *u, uint32_t index, const unf_operation *operation) {
  const unf_operation *o = &u->operations.data[index];
  return o->kind == operation->kind && o->target == operation->target &&
         o->second == operation->second && o->low == operation->low && o->high == operation->high;
}

static bool numbers_fit(enum numbers numbers, int64_t low, int64_t high) {
  switch (numbers) {
  case NUMBERS_NONE:
    return low == 0 && high == 0;
  case NUMBERS_LOW:
    return high == 0;
  case NUMBERS_BOTH:
    return true;
  case NUMBERS_RANGE:
    break;
  }
  return low <= high;
}

unf_status unfi_operation_intern(unf_unfolding *u, const unf_operation *operation, uint32_t *out) {
  if ((unsigned)operation->kind >= UNF_OPERATION_COUNT)
    return unfi_fail(u->context, UNF_INVALID, "operation kind");
  uint64_t hash = operation_hash_of(operation);
  struct table *table = &u->operation_table;
  if (!unfi_table_reserve_dense(u->context, table, operation_hash, u))
    return unfi_refused(u->context);
  for (uint32_t i = (uint32_t)hash & table->mask; table->slots[i] != 0; i = (i + 1) & table->mask) {
    if (!unfi_is_operation(u, table->slots[i], operation)) continue;
    *out = table->slots[i];
    return UNF_OK;
  }
  const struct operation_row *row = &u->effects->operations[operation->kind];
  uint32_t site;
  unf_status status = resolve(u, row->target, operation->target, &site);
  if (status == UNF_OK) status = resolve_second(u, row->second, operation->second);
  if (status != UNF_OK) return status;
  if (!numbers_fit(row->numbers, operation->low, operation->high))
    return unfi_fail(u->context, UNF_INVALID, "fields of an operation");
  if (row->family->admit != NULL) status = row->family->admit(u, operation);
  if (status != UNF_OK) return status;
  if (!vector_reserve(u->context, &u->operations, (uint64_t)u->operations.count + 1))
    return unfi_refused(u->context);
  *out = u->operations.count;
  vector_push(&u->operations, *operation);
  table_put(table, hash, *out);
  return UNF_OK;
}

void unfi_names_free(unf_unfolding *u) {
  unf_context *context = u->context;
  unfi_table_free(context, &u->thread_table);
  unfi_table_free(context, &u->object_table);
  unfi_table_free(context, &u->action_table);
  unfi_table_free(context, &u->operation_table);
  vector_free(context, &u->threads);
  vector_free(context, &u->objects);
  vector_free(context, &u->actions);
  vector_free(context, &u->operations);
  vector_free(context, &u->sites);
  vector_free(context, &u->compared);
  vector_free(context, &u->waiters);
  vector_free(context, &u->cells);
  vector_free(context, &u->said);
  vector_free(context, &u->customs);
  vector_free(context, &u->sets);
  unfi_table_free(context, &u->set_table);
  vector_free(context, &u->scratch_uses);
  unfi_arena_free(context, &u->uses);
}
