/* Atomic objects of programs compiled with callbacks. The library decides what a compare and swap
 * does and when an await ends, in any order, so its values must be those of the memory. They stand
 * in the upper bits of its words: there an addition wraps, and signed numbers compare, as in the
 * program, whatever the width. What is written otherwise, without our knowledge, is refused. */
#include "preload.h"

#include <string.h>

enum { BYTES_MOST = 8, SEQUENTIALLY_CONSISTENT = 5, ORDER_MASK = 0xff };

bool locations_used;

static int64_t raised(uint64_t value, unsigned bits) {
  return (int64_t)(value << (64 - bits));
}

static int64_t memory_of(const struct object *o) {
  uint64_t value = 0;
  memcpy(&value, (const void *)(uintptr_t)o->address, o->bits / 8);
  return raised(value, o->bits);
}

static bool atomic_at(uint64_t address, unsigned bits_least) {
  const struct object *o = object_location(address);
  return o != NULL && o->name != UNF_OBJECT_NONE && o->bits >= bits_least;
}

/* What is on a stack or on the heap may have any value as long as it is written before it is read.
 */
static void check_value(struct object *o, unf_operation_kind kind, uint64_t place) {
  const bool overwrites = kind == UNF_STORE;
  if (o->blank && !overwrites)
    refuse("an atomic object whose initial value depends on the order", place);
  if (memory_of(o) != o->value && !overwrites)
    refuse("an atomic object that is also written by plain accesses", place);
}

/* Whether another atomic object has bytes of this one. */
static bool overlaps(uint64_t address, unsigned bits) {
  uint64_t first = address & ~(uint64_t)(BYTES_MOST - 1);
  for (uint64_t at = first; at < address + bits / 8; at++) {
    unsigned least = at < address ? (unsigned)(8 * (address - at)) + 1 : 1;
    if (at != address && atomic_at(at, least)) return true;
  }
  return false;
}

static struct object *object_of(const struct access *access, uint64_t place) {
  const uint64_t address = (uint64_t)(uintptr_t)access->address;
  struct object *o = object_at((const void *)(uintptr_t)address, OBJECT_LOCATION);
  if (o->initial_known && o->bits == access->bits) return o;
  if (o->initial_known || overlaps(address, access->bits))
    refuse("an atomic object that is used with several sizes", place);
  if (address % (access->bits / 8) != 0) refuse("an atomic object that is not aligned", place);
  o->bits = access->bits;
  o->blank = !object_initial(o, memory_of(o));
  locations_used = true;
  return o;
}

static int64_t value_after(const struct object *o, const unf_operation *operation) {
  switch (operation->kind) {
  case UNF_STORE:
  case UNF_EXCHANGE:
    return operation->low;
  case UNF_FETCH_ADD:
  case UNF_ADD:
    return (int64_t)((uint64_t)o->value + (uint64_t)operation->low);
  case UNF_CAS:
    return o->value == operation->low ? operation->high : o->value;
  case UNF_EXCHANGE_AWAIT:
    return operation->high;
  default:
    return o->value;
  }
}

void location_fence(int order) {
  if (running && (order & ORDER_MASK) != SEQUENTIALLY_CONSISTENT) control->weaker_orders = true;
}

void location_operate(const struct access *access, uint64_t place) {
  if (access->kind == UNF_OPERATION_COUNT || access->bits > 64) refuse(access->name, place);
  location_fence(access->order);
  struct object *o = object_of(access, place);
  unf_operation operation = unf_operation_make(access->kind, o->name, raised(access->low, o->bits),
                                               raised(access->high, o->bits));
  operation.second = (uint32_t)access->relation;
  check_value(o, access->kind, place);
  schedule(operation, o, place);
  check_value(o, access->kind, place);
  o->value = value_after(o, &operation);
  o->blank = false;
}

void location_written(const void *address, size_t size, uint64_t place) {
  struct object *o = object_location((uint64_t)(uintptr_t)address);
  struct thread *me = thread_self();
  if (!running || me == NULL || o == NULL || o->name == UNF_OBJECT_NONE || o->bits != 8 * size ||
      o->rewritten)
    return;
  o->rewritten = true;
  o->place = place;
  o->next_rewritten = me->rewritten;
  me->rewritten = o;
}

/* An object that is initialised anew. Nobody else may use it in the meantime, so that it does not
 * matter that the store comes a little later than the write. */
void locations_rewritten(struct thread *t) {
  while (t->rewritten != NULL) {
    struct object *o = t->rewritten;
    t->rewritten = o->next_rewritten;
    o->rewritten = false;
    if (o->name == UNF_OBJECT_NONE || memory_of(o) == o->value) continue;
    const int64_t value = memory_of(o);
    schedule(UNF_OP_STORE(o->name, value), o, o->place);
    if (memory_of(o) != value)
      refuse("an atomic object that is also written by plain accesses", o->place);
    o->value = value;
    o->blank = false;
  }
}
