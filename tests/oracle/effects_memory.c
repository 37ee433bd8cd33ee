/*
 * Atomic variables: each access is a read, a write, or an addition that commutes with others. The
 * value that is read is not part of the action: the causes of the event decide it. Additions wrap.
 */
#include "effects.h"
#include "lexer.h"

static bool holds(int64_t value, uint32_t relation, int64_t other) {
  switch (relation) {
  case TOKEN2('=', '='):
    return value == other;
  case TOKEN2('!', '='):
    return value != other;
  case TOKEN2('<', '='):
    return value <= other;
  case TOKEN2('>', '='):
    return value >= other;
  case '<':
    return value < other;
  default:
    return value > other;
  }
}

bool memory_possible(const machine *m, const int64_t *state, const operation *o, uint64_t index,
                     action *a) {
  int64_t value = *machine_object_const(m, state, SYMBOL_ATOMIC, o->target);
  a->kind = ACTION_WRITE;
  if (index > 0) return false;
  switch (o->kind) {
  case OPERATION_LOAD:
    a->kind = ACTION_READ;
    return true;
  case OPERATION_FETCH_ADD:
    if (o->second != 0) a->kind = ACTION_ADD;
    return true;
  case OPERATION_CAS:
    if (value != o->low) a->kind = ACTION_READ;
    return true;
  case OPERATION_AWAIT:
    a->kind = ACTION_READ;
    return holds(value, o->second, o->low);
  case OPERATION_EXCHANGE_AWAIT:
    return holds(value, o->second, o->low);
  default:
    return true;
  }
}

int64_t memory_change(machine *m, int64_t *state, const action *a) {
  operation o = machine_next(m, state, a->thread);
  int64_t *cell = machine_object(m, state, SYMBOL_ATOMIC, o.target), old = *cell;
  switch (o.kind) {
  case OPERATION_STORE:
  case OPERATION_EXCHANGE:
    *cell = o.low;
    break;
  case OPERATION_FETCH_ADD:
    *cell = (int64_t)((uint64_t)old + (uint64_t)o.low);
    break;
  case OPERATION_FETCH_AND:
    *cell = old & o.low;
    break;
  case OPERATION_FETCH_OR:
    *cell = old | o.low;
    break;
  case OPERATION_FETCH_XOR:
    *cell = old ^ o.low;
    break;
  case OPERATION_FETCH_NAND:
    *cell = ~(old & o.low);
    break;
  case OPERATION_EXCHANGE_AWAIT:
    *cell = o.high;
    break;
  case OPERATION_CAS:
    if (a->kind == ACTION_WRITE) *cell = o.high;
    return a->kind == ACTION_WRITE;
  default:
    break;
  }
  return old;
}
