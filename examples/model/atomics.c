/* Atomic variables: a word each. Additions wrap. */
#include "machine.h"

int64_t machine_atomic(const struct machine *m, const int64_t *state, uint32_t atomic) {
  return state[m->first[SYMBOL_ATOMIC] + atomic];
}

static bool compare(int64_t value, enum relation relation, int64_t other) {
  switch (relation) {
  case RELATION_EQUAL:
    return value == other;
  case RELATION_UNEQUAL:
    return value != other;
  case RELATION_LESS:
    return value < other;
  case RELATION_AT_MOST:
    return value <= other;
  case RELATION_GREATER:
    return value > other;
  default:
    return value >= other;
  }
}

bool atomics_agree(const struct machine *m, const int64_t *state, const struct intent *in) {
  int64_t value = machine_atomic(m, state, in->element);
  if (in->opcode == DO_CAS) return value == in->value;
  if (in->opcode != DO_AWAIT && in->opcode != DO_EXCHANGE_AWAIT) return true;
  return compare(value, in->relation, in->value);
}

int64_t atomics_result(const struct machine *m, const int64_t *state, const struct intent *in) {
  return in->opcode == DO_CAS ? atomics_agree(m, state, in) : machine_atomic(m, state, in->element);
}

void atomics_access(const struct machine *m, int64_t *state, const struct intent *in) {
  int64_t *value = &state[m->first[SYMBOL_ATOMIC] + in->element];
  switch (in->opcode) {
  case DO_STORE:
  case DO_EXCHANGE:
    *value = in->value;
    break;
  case DO_FETCH_ADD:
    *value = (int64_t)((uint64_t)*value + (uint64_t)in->value);
    break;
  case DO_FETCH_AND:
    *value &= in->value;
    break;
  case DO_FETCH_OR:
    *value |= in->value;
    break;
  case DO_FETCH_XOR:
    *value ^= in->value;
    break;
  case DO_FETCH_NAND:
    *value = ~(*value & in->value);
    break;
  case DO_CAS:
    if (*value == in->value) *value = in->desired;
    break;
  case DO_EXCHANGE_AWAIT:
    *value = in->desired;
    break;
  default:
    break; /* load, await */
  }
}
