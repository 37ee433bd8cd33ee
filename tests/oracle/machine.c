/*
 * The interpreter. A state holds the shared cells, the owner of each mutex, and for each thread:
 * its instruction, its next operation with the operands evaluated, the sets of shared cells it read
 * and wrote since its last event, and its registers.
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
#include "machine.h"

#include <string.h>

void machine_init(machine *m, const program *p) {
  memset(m, 0, sizeof *m);
  m->program = p;
  m->mask_words = (p->shared_count + 63u) / 64u;
  m->thread_base = (size_t)p->shared_count + p->mutex_count;
  m->thread_words = THREAD_MASKS + 2 * m->mask_words + p->register_count;
  m->words = m->thread_base + p->thread_count * m->thread_words;
}

static void stop(int64_t *t, stop_reason reason) {
  t[THREAD_KIND] = OPERATION_STOPPED;
  t[THREAD_TARGET] = reason;
}

/* Sets out the operation that the thread has reached. */
static void arrive(machine *m, int64_t *state, uint32_t thread, const instruction *i) {
  int64_t *t = machine_thread(m, state, thread);
  t[THREAD_KIND] = i->operation;
  t[THREAD_TARGET] = t[THREAD_LOW] = t[THREAD_HIGH] = 0;
  if (i->place != ORACLE_NONE) {
    t[THREAD_TARGET] = machine_element(m, state, thread, i->place, i->index, i->line);
  }
  if (i->value != ORACLE_NONE) t[THREAD_LOW] = machine_evaluate(m, state, thread, i->value);
  if (i->second != ORACLE_NONE) t[THREAD_HIGH] = machine_evaluate(m, state, thread, i->second);
  if (i->operation == OPERATION_CHOOSE && t[THREAD_LOW] > t[THREAD_HIGH]) {
    machine_fail(m, i->line, "choose with low above high");
  }
}

static void set_shared(machine *m, int64_t *state, uint32_t thread, const instruction *i) {
  uint32_t cell = machine_element(m, state, thread, i->place, i->index, i->line);
  int64_t value = machine_evaluate(m, state, thread, i->value);
  machine_note(m, state, thread, cell, true);
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
    for (uint32_t e = 0; s->kind == SYMBOL_SHARED && e < s->count; e++) {
      state[s->base + e] = s->initial;
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
  operation o = {(operation_kind)t[THREAD_KIND], (uint32_t)t[THREAD_TARGET], t[THREAD_LOW],
                 t[THREAD_HIGH]};
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
