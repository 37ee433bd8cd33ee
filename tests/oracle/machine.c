/*
 * The interpreter. A state holds the words of all objects, and for each thread: its instruction,
 * its next operation with the operands evaluated, the sets of shared cells it read and wrote since
 * its last event, and its registers.
 *
 * Operands are evaluated when the thread reaches the operation. The language says "when it is
 * performed"; the two differ only in programs with a data race, which the oracle does not count.
 *
 * Races: accesses belong to the event before them. Two unordered accesses are both "after the last
 * event of their thread" in the smallest configuration that has both events, so looking at the sets
 * of each reachable state finds every race. A finished thread keeps its set until it is joined:
 * everything after the join is ordered, and everything else meets it in a configuration without the
 * join.
 */
#include "effects.h"

#include <string.h>

void machine_init(machine *m, const program *p) {
  memset(m, 0, sizeof *m);
  m->program = p;
  m->mask_words = (p->counts[SYMBOL_SHARED] + 63u) / 64u;
  for (int kind = 0; kind < SYMBOL_THREAD; kind++) {
    m->base[kind] = m->thread_base;
    m->thread_base += p->counts[kind] * machine_object_words(p, (symbol_kind)kind);
    if (kind == SYMBOL_ATOMIC) m->thread_base += (p->bytes + sizeof(int64_t) - 1) / sizeof(int64_t);
  }
  m->thread_words = THREAD_MASKS + 2 * m->mask_words + p->register_count;
  m->words = m->thread_base + p->thread_count * m->thread_words;
}

static void stop(int64_t *t, stop_reason reason) {
  t[THREAD_KIND] = OPERATION_STOPPED;
  t[THREAD_TARGET] = reason;
}

int64_t machine_barrier_count(const machine *m, uint32_t barrier) {
  const program *p = m->program;
  for (size_t i = 0; i < p->symbol_count; i++) {
    const symbol *s = &p->symbols[i];
    if (s->kind == SYMBOL_BARRIER && barrier - s->base < s->count) return s->initial;
  }
  return 1;
}

/* What else belongs to the operation: model-language.md says which fetch-adds commute; the round of
 * an arrival is that which is open, see machine_contended(). */
static int64_t second_part(machine *m, int64_t *state, uint32_t thread, const instruction *i) {
  uint32_t object = (uint32_t)machine_thread(m, state, thread)[THREAD_TARGET];
  switch (i->operation) {
  case OPERATION_WAIT:
  case OPERATION_TIMED_WAIT:
    return machine_element(m, state, thread, i->other, i->other_index, i->line);
  case OPERATION_ARRIVE:
    return *machine_object(m, state, SYMBOL_BARRIER, object) / machine_barrier_count(m, object);
  case OPERATION_MAIL:
    return thread;
  case OPERATION_FETCH_ADD:
    return m->program->options.commuting && i->result == ORACLE_NONE;
  default:
    return i->relation;
  }
}

/* Sets out the operation that the thread has reached. */
static void arrive(machine *m, int64_t *state, uint32_t thread, const instruction *i) {
  int64_t *t = machine_thread(m, state, thread);
  t[THREAD_KIND] = i->operation;
  t[THREAD_TARGET] = t[THREAD_SECOND] = t[THREAD_LOW] = t[THREAD_HIGH] = 0;
  if (i->place != ORACLE_NONE) {
    t[THREAD_TARGET] = machine_element(m, state, thread, i->place, i->index, i->line);
  }
  t[THREAD_SECOND] = second_part(m, state, thread, i);
  if (i->value != ORACLE_NONE) t[THREAD_LOW] = machine_evaluate(m, state, thread, i->value);
  if (i->second != ORACLE_NONE) t[THREAD_HIGH] = machine_evaluate(m, state, thread, i->second);
  if (i->operation == OPERATION_CHOOSE && t[THREAD_LOW] > t[THREAD_HIGH]) {
    machine_fail(m, i->line, "choose with low above high");
  }
  if (i->operation == OPERATION_BRANCH && t[THREAD_HIGH] < 1) {
    machine_fail(m, i->line, "branch without outcomes");
  }
  bool sends = i->operation == OPERATION_SEND || i->operation == OPERATION_TRY_SEND;
  if (sends && t[THREAD_LOW] <= MESSAGE_EMPTY) {
    machine_fail(m, i->line, "a message that says closed or empty");
  }
  if (i->operation == OPERATION_FUTEX_WAKE && t[THREAD_LOW] < 0) {
    machine_fail(m, i->line, "futex_wake of fewer than 0 threads");
  }
}

static void set_shared(machine *m, int64_t *state, uint32_t thread, const instruction *i) {
  uint32_t cell = machine_element(m, state, thread, i->place, i->index, i->line);
  int64_t value = machine_evaluate(m, state, thread, i->value);
  machine_note(m, state, thread, cell, true, i->line);
  state[cell] = value;
}

/* Performs a silent instruction; false when the thread stays at it. */
static bool silent(machine *m, int64_t *state, uint32_t thread, const instruction *i) {
  int64_t *t = machine_thread(m, state, thread);
  int64_t *registers = t + THREAD_MASKS + 2 * m->mask_words;
  int64_t bound = m->program->options.bound;
  int64_t next = t[THREAD_PC] + 1;
  switch (i->kind) {
  case INSTRUCTION_SET_REGISTER:
    registers[i->place] =
        i->value == ORACLE_NONE ? 0 : machine_evaluate(m, state, thread, i->value);
    break;
  case INSTRUCTION_SET_SHARED:
    set_shared(m, state, thread, i);
    break;
  case INSTRUCTION_JUMP:
    next = i->target;
    break;
  case INSTRUCTION_BRANCH:
    if (machine_evaluate(m, state, thread, i->value) == 0) next = i->target;
    break;
  case INSTRUCTION_ENTER:
    registers[i->place] = 0;
    break;
  case INSTRUCTION_ITERATE:
    if (bound >= 0 && registers[i->place] >= bound) {
      stop(t, STOP_BOUND);
      return false;
    }
    registers[i->place]++;
    break;
  case INSTRUCTION_ASSUME:
  case INSTRUCTION_ASSERT:
    if (machine_evaluate(m, state, thread, i->value) == 0) {
      stop(t, i->kind == INSTRUCTION_ASSUME ? STOP_ASSUME : STOP_ASSERT);
      return false;
    }
    break;
  case INSTRUCTION_END:
    t[THREAD_KIND] = OPERATION_FINISHED;
    return false;
  case INSTRUCTION_OPERATION:
    arrive(m, state, thread, i);
    return false;
  }
  t[THREAD_PC] = next;
  return true;
}

void machine_run(machine *m, int64_t *state, uint32_t thread) {
  int64_t *t = machine_thread(m, state, thread);
  for (uint32_t steps = 0; !m->error; steps++) {
    const instruction *i = &m->program->code[t[THREAD_PC]];
    if (steps == MACHINE_STEPS_MAX) machine_fail(m, i->line, "the thread diverges");
    if (!silent(m, state, thread, i)) return;
  }
}

bool machine_start(machine *m, int64_t *state) {
  const program *p = m->program;
  memset(state, 0, m->words * sizeof *state);
  m->error = false;
  for (size_t i = 0; i < p->symbol_count; i++) {
    const symbol *s = &p->symbols[i];
    bool valued = s->kind == SYMBOL_SHARED || s->kind == SYMBOL_SEMAPHORE;
    for (uint32_t e = 0; s->kind == SYMBOL_ATOMIC && !s->overlay && e < s->count; e++) {
      memory_set(m, state, s->base + e, s->initial);
    }
    for (uint32_t e = 0; valued && e < s->count; e++) {
      *machine_object(m, state, s->kind, s->base + e) = s->initial;
    }
  }
  for (uint32_t i = 0; i < p->thread_count; i++) {
    int64_t *t = machine_thread(m, state, i);
    t[THREAD_PC] = p->threads[i].entry;
    t[THREAD_KIND] = OPERATION_WAITING;
    if (p->symbols[p->threads[i].symbol].array) {
      t[THREAD_MASKS + 2 * m->mask_words] = p->threads[i].index;
    }
  }
  for (uint32_t i = 0; i < p->thread_count; i++) {
    if (p->threads[i].initial) machine_run(m, state, i);
  }
  return !m->error;
}

operation machine_next(const machine *m, const int64_t *state, uint32_t thread) {
  const int64_t *t = machine_thread_const(m, state, thread);
  operation o = {(operation_kind)t[THREAD_KIND], (uint32_t)t[THREAD_TARGET],
                 (uint32_t)t[THREAD_SECOND], t[THREAD_LOW], t[THREAD_HIGH]};
  return o;
}

bool machine_racy(const machine *m, const int64_t *state) {
  for (uint32_t i = 0; i < m->program->thread_count; i++) {
    const int64_t *a = machine_thread_const(m, state, i) + THREAD_MASKS;
    for (uint32_t j = 0; j < i; j++) {
      const int64_t *b = machine_thread_const(m, state, j) + THREAD_MASKS;
      for (size_t w = 0; w < m->mask_words; w++) {
        uint64_t read_a = (uint64_t)a[w], write_a = (uint64_t)a[w + m->mask_words];
        uint64_t read_b = (uint64_t)b[w], write_b = (uint64_t)b[w + m->mask_words];
        if ((write_a & (read_b | write_b)) != 0 || (write_b & read_a) != 0) return true;
      }
    }
  }
  return false;
}

/* In every reachable state those that have arrived in the open round and those that are about to
 * arrive are no more than the count. Then no arrival can be pushed out of the round that was open
 * when its thread came to it, so that the round is a function of the thread's history. */
bool machine_contended(const machine *m, const int64_t *state) {
  for (uint32_t b = 0; b < m->program->counts[SYMBOL_BARRIER]; b++) {
    int64_t count = machine_barrier_count(m, b);
    int64_t here = *machine_object_const(m, state, SYMBOL_BARRIER, b) % count;
    for (uint32_t i = 0; i < m->program->thread_count; i++) {
      operation o = machine_next(m, state, i);
      here += o.kind == OPERATION_ARRIVE && o.target == b;
    }
    if (here > count) return true;
  }
  return false;
}
