/*
 * Atomic variables: each access is a read, a write, or an addition that commutes with others. The
 * value that is read is not part of the action: the causes of the event decide it. Additions wrap.
 * All bytes of all atomics stand in a row; an overlay is a name for some that others have too.
 */
#include "effects.h"
#include "lexer.h"

enum { BITS = 8 };

static uint8_t *byte_at(const machine *m, int64_t *state, uint32_t address) {
  return (uint8_t *)(state + m->base[SYMBOL_ATOMIC]) + address;
}

int64_t memory_value(const machine *m, const int64_t *state, uint32_t atomic) {
  byte_range range = program_range(m->program, atomic);
  const uint8_t *bytes = (const uint8_t *)(state + m->base[SYMBOL_ATOMIC]) + range.first;
  bool negative = bytes[range.size - 1] >= 0x80;
  uint64_t value = negative ? UINT64_MAX : 0;
  for (uint32_t i = range.size; i > 0; i--) {
    value = value << BITS | bytes[i - 1];
  }
  return (int64_t)value;
}

void memory_set(const machine *m, int64_t *state, uint32_t atomic, int64_t value) {
  byte_range range = program_range(m->program, atomic);
  for (uint32_t i = 0; i < range.size; i++) {
    *byte_at(m, state, range.first + i) = (uint8_t)((uint64_t)value >> BITS * i);
  }
}

bool memory_meet(byte_range a, byte_range b) {
  return a.first < b.first + b.size && b.first < a.first + a.size;
}

bool memory_undivided(const program *p, uint32_t atomic) {
  byte_range own = program_range(p, atomic);
  for (uint32_t i = 0; i < p->counts[SYMBOL_ATOMIC]; i++) {
    byte_range other = program_range(p, i);
    bool has_all = other.first <= own.first && own.first + own.size <= other.first + other.size;
    if (memory_meet(own, other) && !has_all) return false;
  }
  return true;
}

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
  int64_t value = memory_value(m, state, o->target);
  a->range = program_range(m->program, o->target);
  a->kind = ACTION_WRITE;
  if (index > 0) return false;
  switch (o->kind) {
  case OPERATION_LOAD:
    a->kind = ACTION_READ;
    return true;
  case OPERATION_FETCH_ADD:
    if (o->second != 0 && memory_undivided(m->program, o->target)) a->kind = ACTION_ADD;
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
  int64_t old = memory_value(m, state, o.target), after = old;
  switch (o.kind) {
  case OPERATION_STORE:
  case OPERATION_EXCHANGE:
    after = o.low;
    break;
  case OPERATION_FETCH_ADD:
    after = (int64_t)((uint64_t)old + (uint64_t)o.low);
    break;
  case OPERATION_FETCH_AND:
    after = old & o.low;
    break;
  case OPERATION_FETCH_OR:
    after = old | o.low;
    break;
  case OPERATION_FETCH_XOR:
    after = old ^ o.low;
    break;
  case OPERATION_FETCH_NAND:
    after = ~(old & o.low);
    break;
  case OPERATION_EXCHANGE_AWAIT:
    after = o.high;
    break;
  case OPERATION_CAS:
    if (a->kind == ACTION_WRITE) after = o.high;
    break;
  default:
    return old;
  }
  memory_set(m, state, o.target, after);
  return o.kind == OPERATION_CAS ? a->kind == ACTION_WRITE : old;
}
