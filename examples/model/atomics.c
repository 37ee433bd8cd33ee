/* Atomic variables. Their bytes stand in the words of a state, eight in each, the least significant
 * first; overlays have those of another one. A value is a signed number, and additions wrap. */
#include "atomics.h"

enum { WORD = 8, BITS = 8 };

void atomics_place(struct machine *m) {
  for (uint32_t i = 0; i < m->program->count[SYMBOL_ATOMIC]; i++) {
    const struct symbol *s = program_symbol(m->program, SYMBOL_ATOMIC, i);
    m->atomics[i] = (struct range){s->address + (i - s->first) * s->size, s->size};
  }
}

static bool is_word(struct range range) {
  return range.size == WORD && range.first % WORD == 0;
}

int64_t machine_atomic(const struct machine *m, const int64_t *state, uint32_t atomic) {
  const struct range range = m->atomics[atomic];
  const int64_t *words = state + m->first[SYMBOL_ATOMIC];
  if (is_word(range)) return words[range.first / WORD];
  const unsigned above = BITS * (WORD - range.size);
  uint64_t value = 0;
  for (uint32_t i = range.size; i-- > 0;) {
    const uint32_t at = range.first + i;
    value = value << BITS | ((uint64_t)words[at / WORD] >> at % WORD * BITS & UINT8_MAX);
  }
  return (int64_t)(value << above) >> above;
}

static void set_bytes(const struct machine *m, int64_t *state, struct range range, int64_t value) {
  const uint32_t first = range.first / WORD, last = (range.first + range.size - 1) / WORD;
  int64_t *words = state + m->first[SYMBOL_ATOMIC];
  machine_enter(m, state, m->first[SYMBOL_ATOMIC] + first, last - first + 1);
  for (uint32_t i = 0; i < range.size; i++) {
    const uint32_t at = range.first + i, shift = at % WORD * BITS;
    const uint64_t byte = (uint64_t)value >> i * BITS & UINT8_MAX;
    const uint64_t rest = (uint64_t)words[at / WORD] & ~((uint64_t)UINT8_MAX << shift);
    words[at / WORD] = (int64_t)(rest | byte << shift);
  }
}

static inline void set(const struct machine *m, int64_t *state, uint32_t atomic, int64_t value) {
  const struct range range = m->atomics[atomic];
  if (!is_word(range)) {
    set_bytes(m, state, range, value);
    return;
  }
  const uint32_t word = m->first[SYMBOL_ATOMIC] + range.first / WORD;
  machine_enter(m, state, word, 1);
  state[word] = value;
}

void atomics_begin(const struct machine *m, int64_t *state, uint32_t atomic, int64_t value) {
  set(m, state, atomic, value);
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

int64_t atomics_access(const struct machine *m, int64_t *state, enum opcode opcode, uint32_t atomic,
                       int64_t operand, int64_t desired) {
  const int64_t was = machine_atomic(m, state, atomic);
  int64_t value = was, result = was;
  switch (opcode) {
  case DO_STORE:
  case DO_EXCHANGE:
    value = operand;
    break;
  case DO_FETCH_ADD:
    value = (int64_t)((uint64_t)value + (uint64_t)operand);
    break;
  case DO_FETCH_AND:
    value &= operand;
    break;
  case DO_FETCH_OR:
    value |= operand;
    break;
  case DO_FETCH_XOR:
    value ^= operand;
    break;
  case DO_FETCH_NAND:
    value = ~(value & operand);
    break;
  case DO_CAS:
    if (was != operand) return 0;
    value = desired;
    result = 1;
    break;
  case DO_EXCHANGE_AWAIT:
    value = desired;
    break;
  default:
    return was; /* load, await */
  }
  set(m, state, atomic, value);
  return result;
}
