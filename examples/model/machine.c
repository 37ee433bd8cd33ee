/*
 * The interpreter. Only silent code runs here; an operation is offered to the explorer and
 * performed when that chose it.
 *
 * Words of a mutex: its holder (0: free, else the thread's number and 1 more), the instruction that
 * took it. Words of a thread: position in the code, why it stopped, two operands, whether it was
 * started, then its registers.
 */
#include "machine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compile.h"

enum { HOLDER, TAKEN_AT, MUTEX_WORDS };
enum { POSITION, STOPPED, OPERAND, SECOND_OPERAND, STARTED, REGISTERS };
enum { DIVERGES = 100000 };
#define WORDS_MAX UINT32_MAX

bool machine_make(struct machine *m, const struct program *p, int64_t bound) {
  uint32_t threads = p->count[SYMBOL_THREAD];
  *m = (struct machine){
      p, bound, calloc(threads, sizeof *m->body), calloc(threads, sizeof *m->base), 0, NULL};
  if (m->body == NULL || m->base == NULL) return false;
  m->words = p->count[SYMBOL_SHARED] + p->count[SYMBOL_MUTEX] * MUTEX_WORDS;
  for (uint32_t b = 0; b < p->body_count; b++) {
    const struct symbol *s = &p->symbols[p->bodies[b].symbol];
    uint64_t words = REGISTERS + (uint64_t)p->bodies[b].registers;
    if (words * s->count > WORDS_MAX - m->words) return false;
    for (uint32_t i = 0; i < s->count; i++) {
      m->body[s->first + i] = b;
      m->base[s->first + i] = m->words;
      m->words += (uint32_t)words;
    }
  }
  return true;
}

void machine_free(struct machine *m) {
  free(m->body);
  free(m->base);
}

void machine_begin(const struct machine *m, int64_t *state) {
  const struct program *p = m->program;
  memset(state, 0, m->words * sizeof *state);
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

static bool wrong(struct problem *problem, const struct instruction *in, const char *text) {
  problem->place = in->place;
  snprintf(problem->text, sizeof problem->text, "%s", text);
  return false;
}

/* The element of a symbol, whose index is on the stack if it has one. */
static bool element(const struct program *p, const struct instruction *in, const int64_t *index,
                    uint32_t *out, struct problem *problem) {
  const struct symbol *s = &p->symbols[in->target];
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
  if (r->machine->accesses != NULL)
    accesses_add(r->machine->accesses, r->number, variable, write, in->place);
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
    if (!element(r->machine->program, in, r->top, &at, r->problem)) return false;
    note_access(r, in, at, false);
    *r->top++ = r->state[at];
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
    if (!element(r->machine->program, in, r->top, &at, r->problem)) return false;
    note_access(r, in, at, true);
    r->state[at] = *--r->top;
    return true;
  default:
    r->top--;
    return true; /* DO_POP */
  }
}

/* Takes the operands of an operation off the stack; the thread stays at it. */
static bool arrive(struct run *r, const struct instruction *in) {
  if (in->opcode == DO_EXIT) return true;
  if (in->opcode == DO_CHOOSE) {
    r->thread[SECOND_OPERAND] = *--r->top;
    r->thread[OPERAND] = *--r->top;
    return r->thread[OPERAND] <= r->thread[SECOND_OPERAND] ||
           wrong(r->problem, in, "choose with a lower bound above the upper one");
  }
  uint32_t at;
  r->top -= r->machine->program->symbols[in->target].indexed;
  if (!element(r->machine->program, in, r->top, &at, r->problem)) return false;
  r->thread[OPERAND] = at;
  return true;
}

static bool stop(struct run *r, enum stop why) {
  r->thread[STOPPED] = why;
  return true;
}

bool machine_settle(const struct machine *m, int64_t *state, uint32_t thread,
                    struct problem *problem) {
  int64_t stack[STACK_SIZE], *words = state + m->base[thread];
  struct run r = {m, state, words, stack, problem, thread};
  const struct instruction *code = m->program->code, *in;
  uint32_t silent = 0;
  /* The result of the operation before, if that left one. */
  if (words[SECOND_OPERAND] < 0) *r.top++ = words[OPERAND];
  words[SECOND_OPERAND] = 0;
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
  return arrive(&r, in);
}

void machine_intent(const struct machine *m, const int64_t *state, uint32_t thread,
                    struct intent *intent) {
  const int64_t *words = state + m->base[thread];
  const struct instruction *in = &m->program->code[words[POSITION]];
  *intent = (struct intent){(enum stop)words[STOPPED], in->opcode,
                            (uint32_t)words[OPERAND],  words[OPERAND],
                            words[SECOND_OPERAND],     in->place};
}

bool machine_initial(const struct machine *m, uint32_t thread) {
  return m->program->main == UINT32_MAX || m->program->main == thread;
}

bool machine_started(const struct machine *m, const int64_t *state, uint32_t thread) {
  return state[m->base[thread] + STARTED] != 0;
}

static uint32_t mutex_base(const struct machine *m, uint32_t mutex) {
  return m->program->count[SYMBOL_SHARED] + mutex * MUTEX_WORDS;
}

bool machine_holder(const struct machine *m, const int64_t *state, uint32_t mutex, uint32_t *thread,
                    struct place *place) {
  const int64_t *words = state + mutex_base(m, mutex);
  if (words[HOLDER] == 0) return false;
  *thread = (uint32_t)(words[HOLDER] - 1);
  *place = m->program->code[words[TAKEN_AT]].place;
  return true;
}

bool machine_ready(const struct machine *m, const int64_t *state, uint32_t thread) {
  struct intent intent, other;
  uint32_t holder;
  struct place place;
  machine_intent(m, state, thread, &intent);
  if (intent.stopped != STOP_NONE) return false;
  switch (intent.opcode) {
  case DO_LOCK:
    return !machine_holder(m, state, intent.element, &holder, &place);
  case DO_UNLOCK:
    return machine_holder(m, state, intent.element, &holder, &place) && holder == thread;
  case DO_SPAWN:
    return !machine_started(m, state, intent.element);
  case DO_JOIN:
    machine_intent(m, state, intent.element, &other);
    return machine_started(m, state, intent.element) && other.opcode == DO_EXIT;
  default:
    return intent.opcode != DO_EXIT;
  }
}

void machine_perform(const struct machine *m, int64_t *state, uint32_t thread, int64_t result) {
  int64_t *words = state + m->base[thread];
  int64_t at = words[POSITION]++;
  uint32_t element = (uint32_t)words[OPERAND];
  enum opcode opcode = m->program->code[at].opcode;
  bool results = opcode == DO_TRYLOCK || opcode == DO_CHOOSE;
  if (opcode == DO_LOCK || (opcode == DO_TRYLOCK && result != 0)) {
    state[mutex_base(m, element) + HOLDER] = (int64_t)thread + 1;
    state[mutex_base(m, element) + TAKEN_AT] = at;
  }
  if (opcode == DO_UNLOCK) state[mutex_base(m, element) + HOLDER] = 0;
  if (opcode == DO_SPAWN) state[m->base[element] + STARTED] = 1;
  words[OPERAND] = results ? result : 0;
  words[SECOND_OPERAND] = results ? -1 : 0;
}
