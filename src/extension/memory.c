/*
 * Memory that is accessed atomically, in one order that all threads agree on. A load, a comparison
 * that fails and an await read; a store, an exchange, an addition whose result is used, and a
 * comparison that succeeds write; an addition whose result is not used adds, and commutes with
 * others. The value that is read is no part of an action: the causes of the event decide it. So an
 * event's value is found from its operation, and what stands before it.
 */
#include "extension/effects.h"

static const unf_operation *operation_of(unf_unfolding *u, uint32_t event) {
  return &u->operations
              .data[next_after(u, action_of(u, event)->thread, event_at(u, event)->before)];
}

static int64_t sum(int64_t a, int64_t b) {
  return (int64_t)((uint64_t)a + (uint64_t)b);
}

struct adding {
  unf_unfolding *u;
  int64_t value;
};

static void add_up(void *user, uint32_t event, const struct action *a) {
  struct adding *adding = user;
  if (a->kind == UNF_DID_ADD)
    adding->value = sum(adding->value, operation_of(adding->u, event)->low);
}

/* Writes whose value depends on what was there are walked over until one that does not. */
static int64_t value_at(unf_unfolding *u, struct cut cut, uint32_t location) {
  const struct object *o = &u->objects.data[location];
  struct adding adding = {u, 0};
  for (uint32_t entry = cut_at(cut, o->site);;) {
    uint32_t write = entry_write(u, entry);
    unfi_adds(u, entry, add_up, &adding);
    if (write == 0) return sum(adding.value, o->initial);
    const unf_operation *operation = operation_of(u, write);
    if (operation->kind != UNF_FETCH_ADD) {
      bool second = operation->kind == UNF_CAS || operation->kind == UNF_EXCHANGE_AWAIT;
      return sum(adding.value, second ? operation->high : operation->low);
    }
    adding.value = sum(adding.value, operation->low);
    entry = unfi_entry_before(u, write, o->site);
  }
}

bool unfi_relation_holds(int64_t value, uint32_t relation, int64_t other) {
  switch (relation) {
  case UNF_EQUAL:
    return value == other;
  case UNF_UNEQUAL:
    return value != other;
  case UNF_LESS:
    return value < other;
  case UNF_AT_MOST:
    return value <= other;
  case UNF_GREATER:
    return value > other;
  default:
    return value >= other;
  }
}

/* What comes of an operation; false: it waits. */
static bool outcome(unf_unfolding *u, struct cut cut, const unf_operation *operation,
                    unf_action_kind *kind) {
  *kind = UNF_DID_WRITE;
  switch (operation->kind) {
  case UNF_LOAD:
    *kind = UNF_DID_READ;
    return true;
  case UNF_ADD:
    *kind = UNF_DID_ADD;
    return true;
  case UNF_CAS:
    if (value_at(u, cut, operation->target) != operation->low) *kind = UNF_DID_READ;
    return true;
  case UNF_AWAIT:
  case UNF_EXCHANGE_AWAIT:
    if (operation->kind == UNF_AWAIT) *kind = UNF_DID_READ;
    return unfi_relation_holds(value_at(u, cut, operation->target), operation->second,
                               operation->low);
  default:
    return true;
  }
}

static unf_status outcomes(unf_unfolding *u, struct cut cut, uint32_t thread,
                           const unf_operation *operation, outcome_visitor visit, void *user) {
  unf_action action = {UNF_DID_READ, thread, operation->target, 0, 0};
  if (outcome(u, cut, operation, &action.kind)) visit(user, &action);
  return UNF_OK;
}

/* Decided by the operation that was offered for the thread, without which there is no value. */
static unf_status possible(unf_unfolding *u, struct cut cut, const unf_action *action) {
  uint32_t next = next_after(u, action->thread, cut_last(u, cut, action->thread));
  if (next == 0) return unfi_missing(u, action->thread);
  const unf_operation *operation = &u->operations.data[next];
  unf_action_kind kind;
  bool same = u->effects->operations[operation->kind].family == &unfi_memory_family &&
              operation->target == action->target && outcome(u, cut, operation, &kind) &&
              kind == action->kind;
  return same ? UNF_OK : UNF_DISABLED;
}

static unf_status shapes(unf_unfolding *u, struct cut cut, uint32_t thread,
                         const unf_operation *operation, shape_visitor visit, void *user) {
  struct shape shape = {{UNF_DID_WRITE, thread, operation->target, 0, 0}, NULL, 0, false, false};
  (void)u;
  (void)cut;
  if (operation->kind == UNF_LOAD || operation->kind == UNF_AWAIT)
    shape.action.kind = UNF_DID_READ;
  else if (operation->kind == UNF_ADD)
    shape.action.kind = UNF_DID_ADD;
  if (!visit(user, &shape) || operation->kind != UNF_CAS) return UNF_OK;
  shape.action.kind = UNF_DID_READ;
  visit(user, &shape);
  return UNF_OK;
}

unf_status unfi_memory_uses(unf_unfolding *u, const unf_action *action) {
  enum access access = ACCESS_READ;
  if (action->kind == UNF_DID_ADD) access = ACCESS_ADD;
  if (action->kind == UNF_DID_WRITE) access = ACCESS_WRITE;
  return unfi_use_target(u, action, access);
}

static unf_status concerns(unf_unfolding *u, const unf_operation *operation) {
  struct use use = {u->objects.data[operation->target].site, ACCESS_WRITE};
  if (!vector_reserve(u->context, &u->scratch_uses, 1)) return unfi_refused(u->context);
  u->scratch_uses.count = 0;
  vector_push(&u->scratch_uses, use);
  return UNF_OK;
}

/* How far the value can go by leaving out additions. */
struct range {
  unf_unfolding *u;
  uint32_t keep;
  int64_t low, high;
  bool wraps;
};

static void widen(void *user, uint32_t event, const struct action *a) {
  struct range *range = user;
  if (a->kind != UNF_DID_ADD || unfi_precedes(range->u, event, range->keep)) return;
  int64_t addend = operation_of(range->u, event)->low;
  int64_t *end = addend > 0 ? &range->low : &range->high;
  range->wraps = __builtin_sub_overflow(*end, addend, end) || range->wraps;
}

static bool adds_help(unf_unfolding *u, struct cut cut, const unf_operation *operation,
                      uint32_t keep) {
  uint32_t entry = cut_at(cut, u->objects.data[operation->target].site);
  int64_t value = value_at(u, cut, operation->target), other = operation->low;
  struct range range = {u, keep, value, value, false};
  unfi_adds(u, entry, widen, &range);
  if (range.wraps) return true;
  switch (operation->second) {
  case UNF_EQUAL:
    return range.low <= other && other <= range.high;
  case UNF_UNEQUAL:
    return range.low != other || range.high != other;
  case UNF_LESS:
    return range.low < other;
  case UNF_AT_MOST:
    return range.low <= other;
  case UNF_GREATER:
    return range.high > other;
  default:
    return range.high >= other;
  }
}

unf_status unf_configuration_value(const unf_configuration *c, unf_object location, int64_t *out) {
  unf_unfolding *u = c->u;
  if (location >= u->objects.count) return unfi_fail(u->context, UNF_UNKNOWN, "object", NULL, NULL);
  if (u->objects.data[location].object_class != UNF_LOCATION)
    return unfi_fail(u->context, UNF_INVALID, "not a location", NULL, NULL);
  *out = value_at(u, configuration_cut(c), location);
  return UNF_OK;
}

const struct effect_family unfi_memory_family = {"memory", outcomes, NULL,     NULL,     possible,
                                                 shapes,   NULL,     concerns, adds_help};
