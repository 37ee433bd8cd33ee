/*
 * Memory that is accessed atomically, in one order that all threads agree on. A load, a comparison
 * that fails and an await read; a store, an exchange, an operation whose result is used, and a
 * comparison that succeeds write; an addition whose result is not used adds, and commutes with
 * others. The value that is read is no part of an action: the causes of the event decide it. An
 * event that writes carries the value that the location has after it, or its operation says it.
 *
 * A location is one cell, or several where others have a part of its bytes (structure/cells.c). An
 * access uses all of them, in one mode, and a value is put together from what each has. Additions
 * to several cells write: a carry goes from one to the next, so that they do not commute with what
 * is added to one of them alone.
 */
#include "base/null.h"
#include "configuration/offer.h"
#include "extension/adds.h"
#include "extension/exact.h"
#include "extension/memory.h"
#include "structure/action.h"
#include "structure/cells.h"
#include "structure/cut.h"
#include "structure/effect.h"
#include "structure/event.h"
#include "structure/layer.h"
#include "structure/names.h"
#include "structure/relation.h"

enum { BITS = 8, WIDEST = 64 };

static const unf_operation *operation_of(unf_unfolding *u, uint32_t event) {
  return &u->operations
              .data[next_after(u, action_of(u, event)->thread, event_at(u, event)->before)];
}

static int64_t sum(int64_t a, int64_t b) {
  return (int64_t)((uint64_t)a + (uint64_t)b);
}

/* The signed number in the lower bytes. */
static int64_t cut_to(int64_t value, unsigned bytes) {
  unsigned above = WIDEST - BITS * bytes;
  return (int64_t)((uint64_t)value << above) >> above;
}

static unsigned width(const struct object *o) {
  return o->cell != 0 ? o->size : WIDEST / BITS;
}

static int64_t amount(unf_unfolding *u, uint32_t event) {
  return operation_of(u, event)->low;
}

/* What an entry of a site has, of which `value` is the initial one: where it was written, the value
 * there less the bytes below the site's, which may have others above it; and what was added since.
 */
static int64_t value_of_entry(unf_unfolding *u, uint32_t entry, uint64_t first, int64_t value) {
  uint32_t write = entry_write(u, entry);
  if (write != 0) {
    const struct object *written = &u->objects.data[action_of(u, write)->target];
    value = unfi_value_written(u, write) >> BITS * (first - written->first);
  }
  return sum(value, entry_sum(u, entry));
}

/* Where the entries of a location's sites come from: a cut, or what an event follows. */
struct entries {
  struct cut cut;
  const uint32_t *followed;
};

static int64_t value_in(unf_unfolding *u, struct entries entries, const struct object *o) {
  const struct memory_cell *c = first_cell(u, o);
  const uint32_t *followed = entries.followed;
  if (c == NULL) {
    uint32_t entry = followed != NULL ? *followed : cut_at(entries.cut, o->site);
    return value_of_entry(u, entry, 0, o->initial);
  }
  uint64_t value = 0;
  for (; c != NULL; c = next_cell(u, o, c)) {
    uint32_t entry = followed != NULL ? *followed++ : cut_at(entries.cut, c->site);
    uint64_t part = (uint64_t)value_of_entry(u, entry, c->first, (int64_t)c->initial);
    unsigned below = BITS * (unsigned)(c->first - o->first);
    value = (value & (((uint64_t)1 << below) - 1)) | part << below;
  }
  return cut_to((int64_t)value, o->size);
}

int64_t unfi_location_value(unf_unfolding *u, struct cut cut, uint32_t location) {
  struct entries entries = {cut, NULL};
  return value_in(u, entries, &u->objects.data[location]);
}

int64_t unfi_value_after(const unf_operation *operation, int64_t value) {
  uint64_t old = (uint64_t)value, low = (uint64_t)operation->low;
  switch (operation->kind) {
  case UNF_ADD:
  case UNF_FETCH_ADD:
    return (int64_t)(old + low);
  case UNF_FETCH_AND:
    return (int64_t)(old & low);
  case UNF_FETCH_OR:
    return (int64_t)(old | low);
  case UNF_FETCH_XOR:
    return (int64_t)(old ^ low);
  case UNF_FETCH_NAND:
    return (int64_t) ~(old & low);
  case UNF_CAS:
  case UNF_EXCHANGE_AWAIT:
    return operation->high;
  default:
    return operation->low;
  }
}

static int64_t written(unf_unfolding *u, uint32_t event) {
  const struct object *o = &u->objects.data[action_of(u, event)->target];
  const unf_operation *operation = operation_of(u, event);
  int64_t value = 0;
  if (!u->effects->operations[operation->kind].replaces) {
    uint32_t count;
    struct entries entries = {{NULL, 0}, event_follows(u, event, &count)};
    value = value_in(u, entries, o);
  }
  return cut_to(unfi_value_after(operation, value), width(o));
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

static bool holds(unf_unfolding *u, struct cut cut, const unf_operation *operation) {
  uint32_t relation = operation->kind == UNF_CAS ? UNF_EQUAL : operation->second;
  return unfi_relation_holds(unfi_location_value(u, cut, operation->target), relation,
                             operation->low);
}

/* What an operation does where it can be performed and succeeds. */
static unf_action_kind action_kind(const unf_unfolding *u, const unf_operation *operation) {
  if (operation->kind == UNF_LOAD || operation->kind == UNF_AWAIT) return UNF_DID_READ;
  bool adds =
      operation->kind == UNF_ADD && !has_several_cells(u, &u->objects.data[operation->target]);
  return adds ? UNF_DID_ADD : UNF_DID_WRITE;
}

/* What comes of an operation; false: it waits. */
static bool outcome(unf_unfolding *u, struct cut cut, const unf_operation *operation,
                    unf_action_kind *kind) {
  *kind = action_kind(u, operation);
  switch (operation->kind) {
  case UNF_CAS:
    if (!holds(u, cut, operation)) *kind = UNF_DID_READ;
    return true;
  case UNF_AWAIT:
  case UNF_EXCHANGE_AWAIT:
    return holds(u, cut, operation);
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

static bool is_memory(const unf_unfolding *u, unf_operation_kind kind) {
  return u->effects->operations[kind].target == TARGET_LOCATION;
}

/* Decided by the operation that was offered for the thread, without which there is no value. */
static unf_status possible(unf_unfolding *u, struct cut cut, const unf_action *action) {
  uint32_t next = next_after(u, action->thread, cut_last(u, cut, action->thread));
  if (next == 0) return unfi_missing(u, action->thread);
  const unf_operation *operation = &u->operations.data[next];
  unf_action_kind kind;
  bool same = is_memory(u, operation->kind) && operation->target == action->target &&
              outcome(u, cut, operation, &kind) && kind == action->kind;
  return same ? UNF_OK : UNF_DISABLED;
}

unf_status unfi_use_location(unf_unfolding *u, uint32_t location, enum access access) {
  struct object *o = &u->objects.data[location];
  struct use use = {o->site, access};
  struct memory_cell *c = first_cell(u, o);
  if (!vector_reserve(u->context, &u->use_room, (uint64_t)u->use_room.count + WIDEST / BITS))
    return unfi_refused(u->context);
  if (c == NULL) {
    o->used = true;
    vector_push(&u->use_room, use);
  }
  for (; c != NULL; c = next_cell(u, o, c)) {
    c->used = true;
    use.site = c->site;
    vector_push(&u->use_room, use);
  }
  return UNF_OK;
}

static unf_status uses(unf_unfolding *u, const unf_action *action) {
  enum access access = ACCESS_READ;
  if (action->kind == UNF_DID_ADD) access = ACCESS_ADD;
  if (action->kind == UNF_DID_WRITE) access = ACCESS_WRITE;
  if (access == ACCESS_ADD && has_several_cells(u, &u->objects.data[action->target]))
    return unfi_fail(u->context, UNF_INVALID, "an addition to a part of what others access");
  return unfi_use_location(u, action->target, access);
}

static unf_status concerns(unf_unfolding *u, const unf_operation *operation) {
  u->use_room.count = 0;
  return unfi_use_location(u, operation->target, ACCESS_WRITE);
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

/* The number in the bytes of a cell: the last ones of a location have its sign. */
static int64_t number_of(int64_t value, unsigned bytes, bool last) {
  return last ? cut_to(value, bytes) : value & (((int64_t)1 << BITS * bytes) - 1);
}

/* The numbers that a cell can have; wraps: it can be anything. */
static struct range range_at(unf_unfolding *u, uint32_t entry, const struct memory_cell *c,
                             const struct object *o, uint32_t keep) {
  uint64_t first = c != NULL ? c->first : 0;
  unsigned bytes = c != NULL ? c->size : width(o);
  bool last = first + bytes == o->first + width(o);
  int64_t initial = c != NULL ? (int64_t)c->initial : o->initial;
  int64_t value = number_of(value_of_entry(u, entry, first, initial), bytes, last);
  struct range range = {u, keep, value, value, false};
  unfi_adds(u, entry, widen, &range);
  range.wraps = range.wraps || number_of(range.low, bytes, last) != range.low ||
                number_of(range.high, bytes, last) != range.high;
  return range;
}

static bool can_hold(const struct range *range, uint32_t relation, int64_t other) {
  switch (relation) {
  case UNF_EQUAL:
    return range->low <= other && other <= range->high;
  case UNF_UNEQUAL:
    return range->low != other || range->high != other;
  case UNF_LESS:
    return range->low < other;
  case UNF_AT_MOST:
    return range->low <= other;
  case UNF_GREATER:
    return range->high > other;
  default:
    return range->high >= other;
  }
}

static bool adds_help(unf_unfolding *u, struct cut cut, const unf_operation *operation,
                      uint32_t keep) {
  const struct object *o = &u->objects.data[operation->target];
  const struct memory_cell *c = first_cell(u, o);
  struct range range = range_at(u, cut_at(cut, o->site), c, o, keep);
  while (!range.wraps && c != NULL && (c = next_cell(u, o, c)) != NULL) {
    struct range above = range_at(u, cut_at(cut, c->site), c, o, keep);
    unsigned below = BITS * (unsigned)(c->first - o->first);
    range.low = sum(range.low, (int64_t)((uint64_t)above.low << below));
    range.high = sum(range.high, (int64_t)((uint64_t)above.high << below));
    range.wraps = above.wraps;
  }
  return range.wraps || can_hold(&range, operation->second, operation->low);
}

/* Whether an await of one cell cannot be satisfied any more: no choice among additions does it, on
 * the last write that is taken, of those that were not left. */
static bool out_of_reach(struct enumeration *e) {
  unf_unfolding *u = e->u;
  const struct object *o = &u->objects.data[e->operation->target];
  uint32_t entry;
  if (!unfi_exact_rest(e, o->site, &entry)) return false;
  if (entry_write(u, entry) != entry_write(u, cut_at(unfi_exact_taken(e), o->site))) return false;
  struct range range = range_at(u, entry, first_cell(u, o), o, e->before);
  return !range.wraps && !can_hold(&range, e->operation->second, e->operation->low);
}

static unf_status shapes(unf_unfolding *u, struct cut cut, uint32_t thread,
                         const unf_operation *operation, shape_visitor visit, void *user) {
  struct shape shape = {.action = {action_kind(u, operation), thread, operation->target, 0, 0}};
  bool awaits = operation->kind == UNF_AWAIT || operation->kind == UNF_EXCHANGE_AWAIT;
  if (awaits && !has_several_cells(u, &u->objects.data[operation->target]))
    shape.hopeless = out_of_reach;
  (void)cut;
  if (!visit(user, &shape) || operation->kind != UNF_CAS) return UNF_OK;
  shape.action.kind = UNF_DID_READ;
  visit(user, &shape);
  return UNF_OK;
}

unf_status unf_configuration_value(const unf_configuration *c, unf_object location, int64_t *out) {
  RETURN_IF_NULL(c->u->context, c, out);
  unf_unfolding *u = c->u;
  if (location >= u->objects.count) return unfi_fail(u->context, UNF_UNKNOWN, "object");
  if (u->objects.data[location].object_class != UNF_LOCATION)
    return unfi_fail(u->context, UNF_INVALID, "not a location");
  *out = unfi_location_value(u, configuration_cut(c), location);
  return UNF_OK;
}

static const struct action_row actions[] = {
    {.kind = UNF_DID_READ, .uses = uses},
    {.kind = UNF_DID_WRITE, .uses = uses},
    {.kind = UNF_DID_ADD, .uses = uses},
};

static const struct operation_row operations[] = {
    {.kind = UNF_LOAD, .steady = true, .contended = CONTENDED_TARGET},
    {.kind = UNF_STORE,
     .steady = true,
     .replaces = true,
     .numbers = NUMBERS_LOW,
     .contended = CONTENDED_TARGET},
    {.kind = UNF_EXCHANGE,
     .steady = true,
     .replaces = true,
     .numbers = NUMBERS_LOW,
     .contended = CONTENDED_TARGET},
    {.kind = UNF_FETCH_ADD, .steady = true, .numbers = NUMBERS_LOW, .contended = CONTENDED_TARGET},
    {.kind = UNF_FETCH_AND, .steady = true, .numbers = NUMBERS_LOW, .contended = CONTENDED_TARGET},
    {.kind = UNF_FETCH_OR, .steady = true, .numbers = NUMBERS_LOW, .contended = CONTENDED_TARGET},
    {.kind = UNF_FETCH_XOR, .steady = true, .numbers = NUMBERS_LOW, .contended = CONTENDED_TARGET},
    {.kind = UNF_FETCH_NAND, .steady = true, .numbers = NUMBERS_LOW, .contended = CONTENDED_TARGET},
    {.kind = UNF_ADD, .steady = true, .numbers = NUMBERS_LOW, .contended = CONTENDED_TARGET},
    {.kind = UNF_CAS, .replaces = true, .numbers = NUMBERS_BOTH, .contended = CONTENDED_TARGET},
    {.kind = UNF_AWAIT,
     .second = SECOND_RELATION,
     .numbers = NUMBERS_LOW,
     .contended = CONTENDED_TARGET},
    {.kind = UNF_EXCHANGE_AWAIT,
     .replaces = true,
     .second = SECOND_RELATION,
     .numbers = NUMBERS_BOTH,
     .contended = CONTENDED_TARGET},
};

const struct effect_family unfi_memory_family = {
    .actions = ROWS(actions),
    .operations = ROWS(operations),
    .only_target = true,
    .initial = INITIAL_NUMBER,
    .outcomes = outcomes,
    .possible = possible,
    .shapes = shapes,
    .concerns = concerns,
    .adds_help = adds_help,
    .written = written,
    .amount = amount,
};
