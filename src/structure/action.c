/* Actions and operations, interned by their fields, all 64 bits of every number; and the uses of
 * an action. */
#include "structure/action.h"

#include <string.h>

#include "base/sort.h"
#include "structure/effect.h"
#include "structure/names.h"

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

/* Whether a target is what its kind wants. */
static unf_status resolve(const unf_unfolding *u, enum target target, uint32_t handle) {
  if (target == TARGET_THREAD) {
    if (handle >= u->threads.count) return unfi_fail(u->context, UNF_UNKNOWN, "target thread");
  } else if (is_object(target)) {
    if (handle >= u->objects.count) return unfi_fail(u->context, UNF_UNKNOWN, "target object");
    if (u->objects.data[handle].object_class != (uint32_t)target)
      return unfi_fail(u->context, UNF_INVALID, "an object of another class");
  } else if (handle >= (target == TARGET_REASON ? UNF_HALT_COUNT : 1u)) {
    return unfi_fail(u->context, UNF_INVALID, "a target where there is none");
  }
  return UNF_OK;
}

static unf_status resolve_second(const unf_unfolding *u, enum second second, uint32_t handle) {
  if (second == SECOND_FAMILY) {
    if (handle < u->customs.count) return UNF_OK;
    return unfi_fail(u->context, UNF_UNKNOWN, "family of effects");
  }
  if (second == SECOND_RELATION) {
    if (handle < UNF_RELATION_COUNT) return UNF_OK;
    return unfi_fail(u->context, UNF_INVALID, "relation of an await");
  }
  return resolve(u, second_target(second), handle);
}

/* The site of an action's target, NONE if that has none; objects that it names get their sites. */
static bool site_of_target(unf_unfolding *u, const unf_action *action, uint32_t *out) {
  const struct action_row *row = &u->effects->actions[action->kind];
  *out = NONE;
  bool names_second = is_object(second_target(row->second));
  if (names_second && unfi_object_site(u, action->second) == NONE) return false;
  if (row->target == TARGET_THREAD) *out = u->threads.data[action->target].site;
  if (!is_object(row->target)) return true;
  *out = unfi_object_site(u, action->target);
  return *out != NONE;
}

/* Lists what an action uses beside the site of its thread, into u->use_room. */
static unf_status list_uses(unf_unfolding *u, const unf_action *action) {
  const struct action_row *row = &u->effects->actions[action->kind];
  struct use use = {NONE, row->access};
  u->use_room.count = 0;
  if (!site_of_target(u, action, &use.site)) return unfi_refused(u->context);
  if (row->uses != NULL) return row->uses(u, action);
  if (row->access == ACCESS_NONE) return UNF_OK;
  if (!vector_reserve(u->context, &u->use_room, 1)) return unfi_refused(u->context);
  vector_push(&u->use_room, use);
  return UNF_OK;
}

enum { USE_WORDS = sizeof(struct use) / sizeof(uint32_t) };

static int compare_sites(const void *user, uint32_t a, uint32_t b) {
  const struct use *uses = user;
  return uses[a].site < uses[b].site ? -1 : uses[a].site > uses[b].site;
}

/* What is behind many uses. */
static void list_by_site(const struct use *uses, uint32_t count, uint32_t *out) {
  uint32_t *by_site = out, *before = out + count, writes = 0;
  for (uint32_t i = 0; i < count; i++) {
    by_site[i] = i;
    before[i] = writes;
    writes += uses[i].access == ACCESS_WRITE;
  }
  unfi_sort_by(by_site, count, compare_sites, uses);
}

/* Keeps several uses. Returns false when refused. */
static bool keep_uses(unf_unfolding *u, struct action *action) {
  const struct use *uses = u->use_room.data;
  const uint32_t count = action->count, words = USE_WORDS * count;
  const bool many = count > FEW_USES;
  action->uses = unfi_arena_take(u->context, &u->uses, words + (many ? 2 * count : 0));
  if (action->uses == 0) return false;
  uint32_t *record = arena_at(&u->uses, action->uses);
  memcpy(record, uses, words * sizeof(uint32_t));
  if (many) list_by_site(uses, count, record + words);
  return true;
}

/* Whether the additions of an action, which adds, are counted. */
static bool counts(const unf_unfolding *u, const struct action *a) {
  return a->count == 1 && u->effects->actions[a->kind].family->amount != NULL;
}

/* Enters what follows from the uses that were listed. That another thread has arrived, or added,
 * may show only in the layer that an addition belongs to; and what a family of the front-end's own
 * looks at is not known. So these are asked each time whether they can happen. */
static void describe(const unf_unfolding *u, struct action *a) {
  const struct action_row *row = &u->effects->actions[a->kind];
  const struct effect_family *family = row->family;
  if (a->count > 0) a->first = u->use_room.data[0];
  enum access access = a->first.access;
  bool adds = access == ACCESS_ADD;
  if (a->count == 1 && access == ACCESS_WRITE) a->written = a->first.site;
  a->on_object = is_object(row->target);
  a->layered = a->count > 1 || access == ACCESS_READ || adds;
  a->carries = adds ? counts(u, a) : access == ACCESS_WRITE && family->written != NULL;
  a->starts = a->written != NONE && u->sites.data[a->written].is_thread;
  a->decided = a->count <= 1 && !adds && !family->foreign;
  a->conflicting = family->conflicting != NULL;
  a->meets = a->conflicting || (family->only_target && !family->foreign && a->count == 1);
  a->sole = row->sole;
}

/* A new action; its fields were looked at. */
static unf_status add_action(unf_unfolding *u, const unf_action *action) {
  unf_status status = list_uses(u, action);
  if (status != UNF_OK) return status;
  if (u->use_room.count > MOST_USES) {
    unfi_too_many(u->context, "uses of an action", u->use_room.count);
    return unfi_refused(u->context);
  }
  struct action record = {.kind = (uint32_t)action->kind,
                          .thread = action->thread,
                          .target = action->target,
                          .second = action->second,
                          .site = u->threads.data[action->thread].site,
                          .count = u->use_room.count & MOST_USES,
                          .written = NONE,
                          .first = {NONE, ACCESS_NONE},
                          .value = action->value};
  describe(u, &record);
  if ((record.count > 1 && !keep_uses(u, &record)) ||
      !vector_reserve(u->context, &u->actions, (uint64_t)u->actions.count + 1))
    return unfi_refused(u->context);
  vector_push(&u->actions, record);
  return UNF_OK;
}

static uint64_t hash_of_named(const unf_action *action) {
  return action_hash_of((uint32_t)action->kind, action->thread, action->target, action->second,
                        action->value);
}

uint32_t unfi_action_search(const unf_unfolding *u, const unf_action *action) {
  const struct table *table = &u->action_table;
  uint64_t hash = hash_of_named(action);
  table_each(table, hash, handle) {
    if (is_action(u, handle, action)) return handle;
  }
  return 0;
}

unf_status unfi_action_check(unf_unfolding *u, const unf_action *action) {
  if ((unsigned)action->kind >= UNF_ACTION_COUNT)
    return unfi_fail(u->context, UNF_INVALID, "action kind");
  if (action->thread >= u->threads.count)
    return unfi_fail(u->context, UNF_UNKNOWN, "thread of an action");
  const struct action_row *row = &u->effects->actions[action->kind];
  unf_status status = resolve(u, row->target, action->target);
  if (status == UNF_OK) status = resolve_second(u, row->second, action->second);
  if (status != UNF_OK) return status;
  bool spare = (row->value == VALUE_NONE && action->value != 0) ||
               (row->target == TARGET_THREAD && action->target == action->thread);
  return spare ? unfi_fail(u->context, UNF_INVALID, "fields of an action") : UNF_OK;
}

unf_status unfi_action_intern(unf_unfolding *u, const unf_action *action, uint32_t *out) {
  *out = action_find(u, action);
  if (*out != 0) return UNF_OK;
  struct table *table = &u->action_table;
  if (!unfi_table_reserve_dense(u->context, table, action_hash, u)) return unfi_refused(u->context);
  unf_status status = unfi_action_check(u, action);
  if (status != UNF_OK) return status;
  status = add_action(u, action);
  if (status != UNF_OK) return status;
  *out = u->actions.count - 1;
  table_put(table, hash_of_named(action), *out);
  return UNF_OK;
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

static NOINLINE unf_status search_operation(unf_unfolding *u, const unf_operation *operation,
                                            uint32_t *out) {
  if ((unsigned)operation->kind >= UNF_OPERATION_COUNT)
    return unfi_fail(u->context, UNF_INVALID, "operation kind");
  uint64_t hash = operation_hash_of(operation);
  struct table *table = &u->operation_table;
  if (!unfi_table_reserve_dense(u->context, table, operation_hash, u))
    return unfi_refused(u->context);
  table_each(table, hash, handle) {
    if (!is_operation(u, handle, operation)) continue;
    *out = handle;
    return UNF_OK;
  }
  const struct operation_row *row = &u->effects->operations[operation->kind];
  unf_status status = resolve(u, row->target, operation->target);
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

unf_status unfi_operation_intern(unf_unfolding *u, const unf_operation *operation, uint32_t *out) {
  uint32_t place = (uint32_t)operation->kind + 13 * operation->target + 37 * operation->second;
  uint32_t *recent = &u->recent_operations[(place + (uint32_t)operation->low) % RECENT_ACTIONS];
  *out = *recent;
  if (is_operation(u, *recent, operation)) return UNF_OK;
  unf_status status = search_operation(u, operation, out);
  if (status == UNF_OK) *recent = *out;
  return status;
}

static uint32_t search_use(const struct use *uses, uint32_t count, uint32_t site) {
  const uint32_t *by_site = (const uint32_t *)uses + USE_WORDS * count;
  uint32_t low = 0, high = count;
  while (low < high) {
    const uint32_t middle = low + (high - low) / 2;
    if (uses[by_site[middle]].site < site)
      low = middle + 1;
    else
      high = middle;
  }
  return low < count && uses[by_site[low]].site == site ? by_site[low] : count;
}

static inline uint32_t use_of(const unf_unfolding *u, const struct action *a, uint32_t site) {
  uint32_t count, i = 0;
  const struct use *uses = uses_of(u, a, &count);
  if (count > FEW_USES) return search_use(uses, count, site);
  while (i < count && uses[i].site != site)
    i++;
  return i;
}

uint32_t unfi_use_of(const unf_unfolding *u, const struct action *a, uint32_t site) {
  return use_of(u, a, site);
}

uint32_t unfi_writes_before(const unf_unfolding *u, const struct action *a, uint32_t use) {
  uint32_t count, writes = 0;
  const struct use *uses = uses_of(u, a, &count);
  if (count > FEW_USES) return ((const uint32_t *)uses)[(USE_WORDS + 1) * count + use];
  for (uint32_t i = 0; i < use; i++)
    writes += uses[i].access == ACCESS_WRITE;
  return writes;
}

static inline enum access access_of(const unf_unfolding *u, const struct action *a, uint32_t site) {
  uint32_t count, use = use_of(u, a, site);
  const struct use *uses = uses_of(u, a, &count);
  return use < count ? uses[use].access : ACCESS_NONE;
}

enum access unfi_access(const unf_unfolding *u, const struct action *a, uint32_t site) {
  return access_of(u, a, site);
}

bool unfi_dependent_several(const unf_unfolding *u, const struct action *a,
                            const struct action *b) {
  const struct action *few = a->count <= b->count ? a : b, *many = few == a ? b : a;
  uint32_t count;
  const struct use *uses = uses_of(u, few, &count);
  for (uint32_t i = 0; i < count; i++) {
    enum access other = access_of(u, many, uses[i].site);
    if (other != ACCESS_NONE && access_dependent(uses[i].access, other)) return true;
  }
  return false;
}

bool unfi_actions_begin(unf_unfolding *u) {
  static const struct action no_action = {
      .thread = NONE, .site = NONE, .written = NONE, .first = {NONE, ACCESS_NONE}};
  static const unf_operation no_operation = {.kind = UNF_OPERATION_COUNT};
  if (!vector_reserve(u->context, &u->actions, 1) || !vector_reserve(u->context, &u->operations, 1))
    return false;
  vector_push(&u->actions, no_action);
  vector_push(&u->operations, no_operation);
  return true;
}

void unfi_actions_free(unf_unfolding *u) {
  unf_context *context = u->context;
  vector_free(context, &u->actions);
  unfi_table_free(context, &u->action_table);
  unfi_arena_free(context, &u->uses);
  vector_free(context, &u->use_room);
  vector_free(context, &u->operations);
  unfi_table_free(context, &u->operation_table);
}
