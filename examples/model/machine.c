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

#include "atomics.h"
#include "channels.h"
#include "compile.h"
#include "objects.h"
#include "symbolic_run.h"

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
      m->extent[s->first + i] = REGISTERS + p->bodies[b].registers + more;
      words += m->extent[s->first + i];
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
                        .extent = calloc(threads, sizeof *m->extent),
                        .atomics = calloc((size_t)p->count[SYMBOL_ATOMIC] + 1, sizeof *m->atomics),
                        .inputs = calloc((size_t)p->count[SYMBOL_INPUT] + 1, sizeof *m->inputs),
                        .tainted = calloc((size_t)p->count[SYMBOL_ATOMIC] + 1, 1),
                        .messages = calloc(1, sizeof *m->messages)};
  if (m->body == NULL || m->base == NULL || m->extent == NULL || m->atomics == NULL ||
      m->inputs == NULL || m->tainted == NULL || m->messages == NULL)
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
  if (m->messages != NULL) messages_free(m->messages);
  free(m->messages);
  free(m->atomics);
  free(m->inputs);
  free(m->tainted);
  free(m->body);
  free(m->base);
  free(m->extent);
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

static bool wrong(struct problem *problem, const struct instruction *in, const char *text) {
  problem->place = in->place;
  snprintf(problem->text, sizeof problem->text, "%s", text);
  return false;
}

/* The element of a symbol, with this index if it has one; false: that is out of range, and the
 * problem says so. */
static bool element_of(const struct program *p, uint32_t symbol, const struct instruction *in,
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

/* A thread that runs up to its next operation; `top` points behind the last value. */
struct thread_run {
  const struct machine *machine;
  int64_t *state, *thread, *stack, *top;
  struct problem *problem;
  uint32_t number; /* of the thread */
};

static void note_access(const struct thread_run *r, const struct instruction *in, uint32_t variable,
                        bool write) {
  const struct watcher *w = &r->machine->watcher;
  if (w->access != NULL) w->access(w->user, r->number, variable, write, in->place);
}

/* The instructions that are not in run_silently(). */
static bool evaluate(struct thread_run *r, const struct instruction *in) {
  uint32_t at;
  switch (in->opcode) {
  case DO_SHARED:
    r->top -= r->machine->program->symbols[in->target].indexed;
    if (!element_of(r->machine->program, in->target, in, r->top, &at, r->problem)) return false;
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
  case DO_SET_SHARED:
    r->top -= r->machine->program->symbols[in->target].indexed;
    if (!element_of(r->machine->program, in->target, in, r->top, &at, r->problem)) return false;
    note_access(r, in, at, true);
    machine_enter_shared(r->machine, r->state, at);
    r->state[at] = *--r->top;
    return true;
  default:
    *r->top = r->stack[in->target]; /* DO_STACK */
    r->top++;
    return true;
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
  case DO_SEND:
  case DO_TRYSEND:
    return 1;
  default:
    return 0;
  }
}

/* Takes the operands of an operation off the stack; the thread stays at it. */
static bool reach(struct thread_run *r, const struct instruction *in) {
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
  if (!element_of(p, in->target, in, r->top, &at, r->problem)) return false;
  r->thread[OPERAND] = at;
  if (waits) {
    if (!element_of(p, mutex, in, index, &second, r->problem)) return false;
    r->thread[SECOND_OPERAND] = second;
  }
  if (in->opcode == DO_FUTEX_WAKE && r->thread[SECOND_OPERAND] < 0)
    return wrong(r->problem, in, "futex_wake of fewer than 0 threads");
  bool sends = in->opcode == DO_SEND || in->opcode == DO_TRYSEND;
  if (sends && r->thread[SECOND_OPERAND] <= MESSAGE_EMPTY)
    return wrong(r->problem, in, "a message that would say closed or empty");
  int64_t arrived;
  if (in->opcode == DO_ARRIVE)
    r->thread[SECOND_OPERAND] = machine_barrier(r->machine, r->state, at, &arrived) % 2;
  return true;
}

/* Whether a thread stops for ever at a statement whose condition, or count, has this value. */
static bool stops(struct thread_run *r, const struct instruction *in, int64_t value) {
  enum stop why = STOP_NONE;
  switch (in->opcode) {
  case DO_STOP:
    if (value != 0) why = STOP_PURE;
    break;
  case DO_ASSUME:
    if (value == 0) why = STOP_ASSUME;
    break;
  case DO_ASSERT:
    if (value == 0) why = STOP_ASSERT;
    break;
  default: /* DO_LOOP */
    if (value == r->machine->bound) why = STOP_BOUND;
  }
  r->thread[STOPPED] = why;
  return why != STOP_NONE;
}

static bool leave(struct thread_run *r, const struct instruction *in, int64_t *top, bool good) {
  r->thread[POSITION] = in - r->machine->program->code;
  r->top = top;
  return good;
}

static bool diverges(struct thread_run *r, const struct instruction *in, int64_t *top) {
  wrong(r->problem, in, "100000 statements and loop tests without an operation");
  return leave(r, in, top, false);
}

/* Runs to the next operation, or to a statement that stops the thread or goes wrong. False: it goes
 * wrong. */
static bool run_silently(struct thread_run *r) {
  const struct instruction *code = r->machine->program->code, *in = code + r->thread[POSITION];
  int64_t *registers = r->thread + REGISTERS, *top = r->top;
  uint32_t silent = 0; /* statements and loop tests */
  for (;;) {
    switch (in->opcode) {
    case DO_PUSH:
      *top++ = in->value;
      break;
    case DO_REGISTER:
      *top++ = registers[in->target];
      if (in->value == 0) break;
      in++;
      *top++ = in->opcode == DO_PUSH ? in->value : registers[in->target];
      in++;
      /* fallthrough */
    case DO_BINARY:
      top--;
      if (!calculate(in, top[-1], top[0], &top[-1], r->problem)) return leave(r, in, top, false);
      break;
    case DO_SET_REGISTER:
      if (++silent > DIVERGES) return diverges(r, in, top);
      registers[in->target] = *--top;
      break;
    case DO_POP:
      if (++silent > DIVERGES) return diverges(r, in, top);
      top--;
      break;
    case DO_JUMP:
      in = code + in->target;
      continue;
    case DO_JUMP_IF_ZERO:
      if (++silent > DIVERGES) return diverges(r, in, top);
      in = *--top == 0 ? code + in->target : in + 1;
      continue;
    case DO_ENTER_LOOP:
      if (++silent > DIVERGES) return diverges(r, in, top);
      registers[in->target] = 0;
      break;
    case DO_LOOP:
      if (r->machine->bound >= 0 && stops(r, in, registers[in->target]++))
        return leave(r, in, top, true);
      break;
    case DO_STOP:
    case DO_ASSUME:
    case DO_ASSERT:
      if (++silent > DIVERGES) return diverges(r, in, top);
      if (stops(r, in, *--top)) return leave(r, in, top, true);
      break;
    default:
      if (in->opcode >= DO_LOCK) return leave(r, in, top, true);
      silent += in->opcode == DO_SET_SHARED || in->opcode == DO_STACK;
      if (silent > DIVERGES) return diverges(r, in, top);
      r->top = top;
      if (!evaluate(r, in)) return leave(r, in, r->top, false);
      top = r->top;
    }
    in++;
  }
}

bool machine_settle(const struct machine *m, int64_t *state, uint32_t thread,
                    struct problem *problem) {
  if (m->symbolic != NULL) return symbolic_settle(m, state, thread, problem);
  int64_t stack[STACK_SIZE], *words = state + m->base[thread];
  struct thread_run r = {m, state, words, stack, stack, problem, thread};
  if (words[PHASE] != PHASE_BEFORE && words[PHASE] != PHASE_RESULT) return true;
  machine_enter_thread(m, state, thread);
  if (words[PHASE] == PHASE_RESULT) *r.top++ = words[OPERAND];
  words[PHASE] = PHASE_BEFORE;
  words[OPERAND] = words[SECOND_OPERAND] = words[THIRD_OPERAND] = 0;
  if (!run_silently(&r)) return false;
  return words[STOPPED] != STOP_NONE || reach(&r, m->program->code + words[POSITION]);
}

struct place machine_place(const struct machine *m, const int64_t *state, uint32_t thread) {
  return m->program->code[state[m->base[thread] + POSITION]].place;
}

int64_t machine_round(const struct machine *m, const int64_t *state, const int64_t *words) {
  int64_t arrived, round = machine_barrier(m, state, (uint32_t)words[OPERAND], &arrived);
  return round - (round - words[SECOND_OPERAND]) % 2;
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
