/*
 * The interpreter. Only silent code runs here; an operation is offered to the explorer and
 * performed (objects.c) when that chose it.
 *
 * Words of a thread: position in the code, why it stopped, how far it is with its operation, three
 * operands, whether it was started, then its registers.
 */
#include "machine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compile.h"

#define WORDS_MAX UINT32_MAX

/* Where the words of a state stand. */
static bool lay_out(struct machine *m) {
  const struct program *p = m->program;
  const uint32_t more = m->symbolic != NULL ? SYMBOLIC_WORDS : 0;
  uint64_t words = objects_place(m, p->count[SYMBOL_SHARED]);
  for (uint32_t b = 0; b < p->body_count; b++) {
    const struct symbol *s = &p->symbols[p->bodies[b].symbol];
    for (uint32_t i = 0; i < s->count && words <= WORDS_MAX; i++) {
      m->body[s->first + i] = b;
      m->base[s->first + i] = (uint32_t)words;
      words += REGISTERS + (uint64_t)p->bodies[b].registers + more;
    }
  }
  m->plain = (uint32_t)words;
  if (m->symbolic != NULL) words *= 2;
  m->words = (uint32_t)words;
  return words <= WORDS_MAX;
}

bool machine_make(struct machine *m, const struct program *p, int64_t bound) {
  uint32_t threads = p->count[SYMBOL_THREAD];
  *m = (struct machine){.program = p,
                        .bound = bound,
                        .body = calloc(threads, sizeof *m->body),
                        .base = calloc(threads, sizeof *m->base),
                        .atomics = calloc((size_t)p->count[SYMBOL_ATOMIC] + 1, sizeof *m->atomics),
                        .inputs = calloc((size_t)p->count[SYMBOL_INPUT] + 1, sizeof *m->inputs),
                        .tainted = calloc((size_t)p->count[SYMBOL_ATOMIC] + 1, 1)};
  if (m->body == NULL || m->base == NULL || m->atomics == NULL || m->inputs == NULL ||
      m->tainted == NULL)
    return false;
  atomics_place(m);
  for (uint32_t i = 0; i < p->symbol_count; i++)
    if (p->symbols[i].kind == SYMBOL_INPUT)
      m->inputs[p->symbols[i].first] =
          (struct machine_input){p->symbols[i].initial, p->symbols[i].maximum};
  return lay_out(m);
}

bool machine_set_symbolic(struct machine *m, struct symbolic *symbolic) {
  m->symbolic = symbolic;
  return lay_out(m);
}

void machine_free(struct machine *m) {
  free(m->atomics);
  free(m->inputs);
  free(m->tainted);
  free(m->body);
  free(m->base);
}

void machine_begin(const struct machine *m, int64_t *state) {
  const struct program *p = m->program;
  memset(state, 0, m->words * sizeof *state);
  objects_begin(m, state);
  for (uint32_t i = 0; i < p->symbol_count; i++) {
    const struct symbol *s = &p->symbols[i];
    for (uint32_t j = 0; s->kind == SYMBOL_SHARED && j < s->count; j++)
      state[s->first + j] = s->initial;
    for (uint32_t j = 0; s->kind == SYMBOL_THREAD && j < s->count; j++) {
      int64_t *thread = state + m->base[s->first + j];
      thread[STARTED] = machine_initial(m, s->first + j);
      thread[POSITION] = p->bodies[m->body[s->first + j]].first;
      if (s->indexed) thread[REGISTERS] = s->low + j;
    }
  }
}

uint64_t machine_items(const struct machine *m) {
  return (uint64_t)m->program->count[SYMBOL_SHARED] + m->program->count[SYMBOL_THREAD];
}

/* With its terms, if there are any. */
static void enter_item(const struct machine *m, uint64_t item, const int64_t *state, uint32_t first,
                       uint32_t count) {
  if (!history_enter_item(m->history, item, state, first, count) || m->symbolic == NULL) return;
  history_enter(m->history, state, m->plain + first, count);
}

void machine_enter_thread(const struct machine *m, const int64_t *state, uint32_t thread) {
  if (m->history == NULL) return;
  uint32_t words = REGISTERS + m->program->bodies[m->body[thread]].registers;
  if (m->symbolic != NULL) words += SYMBOLIC_WORDS;
  enter_item(m, (uint64_t)m->program->count[SYMBOL_SHARED] + thread, state, m->base[thread], words);
}

void machine_enter_shared(const struct machine *m, const int64_t *state, uint32_t variable) {
  if (m->history != NULL) enter_item(m, variable, state, variable, 1);
}

static bool wrong(struct problem *problem, const struct instruction *in, const char *text) {
  problem->place = in->place;
  snprintf(problem->text, sizeof problem->text, "%s", text);
  return false;
}

/* The element of a symbol, whose index is on the stack if it has one. */
bool machine_element(const struct program *p, uint32_t symbol, const struct instruction *in,
                     const int64_t *index, uint32_t *out, struct problem *problem) {
  const struct symbol *s = &p->symbols[symbol];
  *out = s->first;
  if (!s->indexed) return true;
  uint64_t offset = (uint64_t)*index - (uint64_t)s->low;
  if (*index < s->low || offset >= s->count) {
    problem->place = in->place;
    snprintf(problem->text, sizeof problem->text, "index %lld of '%.*s' is outside of %lld … %lld",
             (long long)*index, (int)s->length, s->name, (long long)s->low,
             (long long)(s->low + s->count - 1));
    return false;
  }
  *out += (uint32_t)offset;
  return true;
}

static bool shift(const struct instruction *in, int64_t a, int64_t b, int64_t *out,
                  struct problem *problem) {
  if (b < 0 || b > 63) return wrong(problem, in, "a shift by less than 0 or more than 63");
  if (in->target == BINARY_SHIFT_RIGHT) {
    /* Arithmetic, whatever the compiler does with negative numbers. */
    *out = a >= 0 ? a >> b : ~(~a >> b);
    return true;
  }
  *out = (int64_t)((uint64_t)a << b);
  int64_t back = *out >= 0 ? *out >> b : ~(~*out >> b);
  return back == a || wrong(problem, in, "signed overflow");
}

static bool calculate(const struct instruction *in, int64_t a, int64_t b, int64_t *out,
                      struct problem *problem) {
  bool overflow = false;
  switch ((enum binary)in->target) {
  case BINARY_BIT_OR:
    *out = a | b;
    break;
  case BINARY_BIT_XOR:
    *out = a ^ b;
    break;
  case BINARY_BIT_AND:
    *out = a & b;
    break;
  case BINARY_EQUAL:
    *out = a == b;
    break;
  case BINARY_UNEQUAL:
    *out = a != b;
    break;
  case BINARY_LESS:
    *out = a < b;
    break;
  case BINARY_LESS_EQUAL:
    *out = a <= b;
    break;
  case BINARY_GREATER:
    *out = a > b;
    break;
  case BINARY_GREATER_EQUAL:
    *out = a >= b;
    break;
  case BINARY_SHIFT_LEFT:
  case BINARY_SHIFT_RIGHT:
    return shift(in, a, b, out, problem);
  case BINARY_ADD:
    overflow = __builtin_add_overflow(a, b, out);
    break;
  case BINARY_SUBTRACT:
    overflow = __builtin_sub_overflow(a, b, out);
    break;
  case BINARY_MULTIPLY:
    overflow = __builtin_mul_overflow(a, b, out);
    break;
  case BINARY_DIVIDE:
  case BINARY_REMAINDER:
    if (b == 0) return wrong(problem, in, "division by zero");
    if (a == INT64_MIN && b == -1)
      overflow = true;
    else
      *out = in->target == BINARY_DIVIDE ? a / b : a % b;
    break;
  }
  return !overflow || wrong(problem, in, "signed overflow");
}

/* One instruction of an expression or a silent statement; `top` points behind the last value. */
struct run {
  const struct machine *machine;
  int64_t *state, *thread, *top;
  struct problem *problem;
  uint32_t number; /* of the thread */
};

static void note_access(const struct run *r, const struct instruction *in, uint32_t variable,
                        bool write) {
  const struct watcher *w = &r->machine->watcher;
  if (w->access != NULL) w->access(w->user, r->number, variable, write, in->place);
}

static bool evaluate(struct run *r, const struct instruction *in) {
  uint32_t at;
  switch (in->opcode) {
  case DO_PUSH:
    *r->top++ = in->value;
    return true;
  case DO_REGISTER:
    *r->top++ = r->thread[REGISTERS + in->target];
    return true;
  case DO_SHARED:
    r->top -= r->machine->program->symbols[in->target].indexed;
    if (!machine_element(r->machine->program, in->target, in, r->top, &at, r->problem))
      return false;
    note_access(r, in, at, false);
    *r->top++ = r->state[at];
    return true;
  case DO_INPUT:
    *r->top++ = r->machine->inputs[in->target].low;
    return true;
  case DO_NEGATE:
    if (r->top[-1] == INT64_MIN) return wrong(r->problem, in, "signed overflow");
    r->top[-1] = -r->top[-1];
    return true;
  case DO_NOT:
    r->top[-1] = !r->top[-1];
    return true;
  case DO_COMPLEMENT:
    r->top[-1] = ~r->top[-1];
    return true;
  case DO_BOOLEAN:
    r->top[-1] = r->top[-1] != 0;
    return true;
  case DO_BINARY:
    r->top--;
    return calculate(in, r->top[-1], r->top[0], &r->top[-1], r->problem);
  case DO_SET_REGISTER:
    r->thread[REGISTERS + in->target] = *--r->top;
    return true;
  case DO_SET_SHARED:
    r->top -= r->machine->program->symbols[in->target].indexed;
    if (!machine_element(r->machine->program, in->target, in, r->top, &at, r->problem))
      return false;
    note_access(r, in, at, true);
    machine_enter_shared(r->machine, r->state, at);
    r->state[at] = *--r->top;
    return true;
  default:
    r->top--;
    return true; /* DO_POP */
  }
}

int machine_numbers(enum opcode opcode) {
  switch (opcode) {
  case DO_CAS:
  case DO_EXCHANGE_AWAIT:
    return 2;
  case DO_STORE:
  case DO_FETCH_ADD:
  case DO_FETCH_AND:
  case DO_FETCH_OR:
  case DO_FETCH_XOR:
  case DO_FETCH_NAND:
  case DO_EXCHANGE:
  case DO_AWAIT:
  case DO_FUTEX_WAIT:
  case DO_TIMEDFUTEXWAIT:
  case DO_FUTEX_WAKE:
    return 1;
  default:
    return 0;
  }
}

/* Takes the operands of an operation off the stack; the thread stays at it. */
static bool reach(struct run *r, const struct instruction *in) {
  const struct program *p = r->machine->program;
  if (in->opcode == DO_EXIT) return true;
  if (in->opcode == DO_CHOOSE) {
    r->thread[SECOND_OPERAND] = *--r->top;
    r->thread[OPERAND] = *--r->top;
    return r->thread[OPERAND] <= r->thread[SECOND_OPERAND] ||
           wrong(r->problem, in, "choose with a lower bound above the upper one");
  }
  for (int i = machine_numbers(in->opcode); i > 0; i--)
    r->thread[i == 2 ? THIRD_OPERAND : SECOND_OPERAND] = *--r->top;
  bool waits = in->opcode == DO_WAIT || in->opcode == DO_TIMEDWAIT;
  uint32_t at, second, mutex = (uint32_t)in->value;
  r->top -= waits && p->symbols[mutex].indexed;
  const int64_t *index = r->top;
  r->top -= p->symbols[in->target].indexed;
  if (!machine_element(p, in->target, in, r->top, &at, r->problem)) return false;
  r->thread[OPERAND] = at;
  if (waits) {
    if (!machine_element(p, mutex, in, index, &second, r->problem)) return false;
    r->thread[SECOND_OPERAND] = second;
  }
  if (in->opcode == DO_FUTEX_WAKE && r->thread[SECOND_OPERAND] < 0)
    return wrong(r->problem, in, "futex_wake of fewer than 0 threads");
  int64_t arrived;
  if (in->opcode == DO_ARRIVE)
    r->thread[SECOND_OPERAND] = machine_barrier(r->machine, r->state, at, &arrived) % 2;
  return true;
}

static bool stop(struct run *r, enum stop why) {
  r->thread[STOPPED] = why;
  return true;
}

bool machine_settle(const struct machine *m, int64_t *state, uint32_t thread,
                    struct problem *problem) {
  if (m->symbolic != NULL) return symbolic_settle(m, state, thread, problem);
  int64_t stack[STACK_SIZE], *words = state + m->base[thread];
  struct run r = {m, state, words, stack, problem, thread};
  const struct instruction *code = m->program->code, *in;
  uint32_t silent = 0;
  if (words[PHASE] != PHASE_BEFORE && words[PHASE] != PHASE_RESULT) return true;
  machine_enter_thread(m, state, thread);
  if (words[PHASE] == PHASE_RESULT) *r.top++ = words[OPERAND];
  words[PHASE] = PHASE_BEFORE;
  words[OPERAND] = words[SECOND_OPERAND] = words[THIRD_OPERAND] = 0;
  for (in = &code[words[POSITION]]; in->opcode < DO_LOCK; in = &code[words[POSITION]]) {
    bool counts = in->opcode >= DO_SET_REGISTER && in->opcode != DO_JUMP && in->opcode != DO_LOOP;
    if (counts && ++silent > DIVERGES)
      return wrong(problem, in, "100000 statements and loop tests without an operation");
    switch (in->opcode) {
    case DO_JUMP:
      words[POSITION] = in->target;
      continue;
    case DO_JUMP_IF_ZERO:
      words[POSITION] = *--r.top == 0 ? in->target : words[POSITION] + 1;
      continue;
    case DO_STACK:
      *r.top++ = stack[in->target];
      break;
    case DO_STOP:
      if (*--r.top != 0) return stop(&r, STOP_PURE);
      break;
    case DO_ENTER_LOOP:
      words[REGISTERS + in->target] = 0;
      break;
    case DO_LOOP:
      if (m->bound >= 0 && words[REGISTERS + in->target]++ == m->bound) return stop(&r, STOP_BOUND);
      break;
    case DO_ASSUME:
      if (*--r.top == 0) return stop(&r, STOP_ASSUME);
      break;
    case DO_ASSERT:
      if (*--r.top == 0) return stop(&r, STOP_ASSERT);
      break;
    default:
      if (!evaluate(&r, in)) return false;
    }
    words[POSITION]++;
  }
  return reach(&r, in);
}

struct place machine_place(const struct machine *m, const int64_t *state, uint32_t thread) {
  return m->program->code[state[m->base[thread] + POSITION]].place;
}

/* The round that a thread stands at or has arrived in: the present one or the one before. */
static int64_t round_of(const struct machine *m, const int64_t *state, const int64_t *words) {
  int64_t arrived, round = machine_barrier(m, state, (uint32_t)words[OPERAND], &arrived);
  return round - (round - words[SECOND_OPERAND]) % 2;
}

void machine_intent(const struct machine *m, const int64_t *state, uint32_t thread,
                    struct intent *intent) {
  const int64_t *words = state + m->base[thread];
  const struct instruction *in = &m->program->code[words[POSITION]];
  *intent = (struct intent){.stopped = (enum stop)words[STOPPED],
                            .opcode = in->opcode,
                            .phase = (enum phase)words[PHASE],
                            .element = (uint32_t)words[OPERAND],
                            .mutex = (uint32_t)words[SECOND_OPERAND],
                            .low = words[OPERAND],
                            .high = words[SECOND_OPERAND],
                            .value = words[SECOND_OPERAND],
                            .desired = words[THIRD_OPERAND],
                            .relation = (enum relation)in->value,
                            .used = in->value != 0,
                            .place = in->place};
  if (in->opcode == DO_ARRIVE) intent->round = round_of(m, state, words);
  intent->swaps = in->opcode == DO_CAS && m->tainted[intent->element];
  if (words[PHASE] < PHASE_TEST) return;
  intent->opcode = DO_BRANCH;
  intent->branch =
      (uint32_t)words[REGISTERS + m->program->bodies[m->body[thread]].registers + BRANCH];
}

bool machine_initial(const struct machine *m, uint32_t thread) {
  return m->program->main == UINT32_MAX || m->program->main == thread;
}

bool machine_started(const struct machine *m, const int64_t *state, uint32_t thread) {
  return state[m->base[thread] + STARTED] != 0;
}

bool machine_remains(const struct machine *m, const int64_t *state, uint32_t thread,
                     struct intent *intent) {
  if (!machine_started(m, state, thread)) return false;
  machine_intent(m, state, thread, intent);
  return intent->opcode != DO_EXIT;
}
