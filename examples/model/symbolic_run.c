/* The instructions of programs with inputs; see symbolic.c. */
#include "symbolic_run.h"

#include "objects.h"
#include "symbolic_frame.h"

enum { GUARDS = 2 * MAX_NESTING + 2 };

static void push(struct frame *f, struct value value) {
  f->stack[f->height++] = value;
}

static void push_number(struct frame *f, int64_t number) {
  push(f, (struct value){number, TERM_NONE});
}

static void push_term(struct frame *f, term a) {
  push(f, frame_value(f, a));
}

static struct value pop(struct frame *f) {
  return f->stack[--f->height];
}

/* ---- operators ---- */

static const struct {
  enum term_operator op;
  bool swaps, negates;
} operators[] = {[BINARY_BIT_OR] = {TERM_OR, false, false},
                 [BINARY_BIT_XOR] = {TERM_XOR, false, false},
                 [BINARY_BIT_AND] = {TERM_AND, false, false},
                 [BINARY_EQUAL] = {TERM_EQUAL, false, false},
                 [BINARY_UNEQUAL] = {TERM_EQUAL, false, true},
                 [BINARY_LESS] = {TERM_LESS, false, false},
                 [BINARY_LESS_EQUAL] = {TERM_AT_MOST, false, false},
                 [BINARY_GREATER] = {TERM_LESS, true, false},
                 [BINARY_GREATER_EQUAL] = {TERM_AT_MOST, true, false},
                 [BINARY_SHIFT_LEFT] = {TERM_SHIFT_LEFT, false, false},
                 [BINARY_SHIFT_RIGHT] = {TERM_SHIFT_RIGHT, false, false},
                 [BINARY_ADD] = {TERM_ADD, false, false},
                 [BINARY_SUBTRACT] = {TERM_SUBTRACT, false, false},
                 [BINARY_MULTIPLY] = {TERM_MULTIPLY, false, false},
                 [BINARY_DIVIDE] = {TERM_DIVIDE, false, false},
                 [BINARY_REMAINDER] = {TERM_REMAINDER, false, false}};

static term outside(struct terms *t, term a, int64_t low, int64_t high) {
  return terms_binary(t, TERM_OR, terms_binary(t, TERM_LESS, a, terms_constant(t, low)),
                      terms_binary(t, TERM_LESS, terms_constant(t, high), a));
}

static term equals(struct terms *t, term a, int64_t value) {
  return terms_binary(t, TERM_EQUAL, a, terms_constant(t, value));
}

/* What goes wrong in an operator. */
static bool enter_errors(struct frame *f, enum term_operator op, term a, term b) {
  struct terms *t = f->s->terms;
  switch (op) {
  case TERM_ADD:
    return frame_wrong(f, terms_binary(t, TERM_ADD_OVERFLOWS, a, b), ERROR_OVERFLOW);
  case TERM_SUBTRACT:
    return frame_wrong(f, terms_binary(t, TERM_SUBTRACT_OVERFLOWS, a, b), ERROR_OVERFLOW);
  case TERM_MULTIPLY:
    return frame_wrong(f, terms_binary(t, TERM_MULTIPLY_OVERFLOWS, a, b), ERROR_OVERFLOW);
  case TERM_DIVIDE:
  case TERM_REMAINDER:
    return frame_wrong(f, equals(t, b, 0), ERROR_DIVISION) &&
           frame_wrong(f, terms_binary(t, TERM_AND, equals(t, a, INT64_MIN), equals(t, b, -1)),
                       ERROR_OVERFLOW);
  case TERM_SHIFT_RIGHT:
    return frame_wrong(f, outside(t, b, 0, 63), ERROR_SHIFT);
  case TERM_SHIFT_LEFT: {
    const term back = terms_binary(t, TERM_SHIFT_RIGHT, terms_binary(t, op, a, b), b);
    return frame_wrong(f, outside(t, b, 0, 63), ERROR_SHIFT) &&
           frame_wrong(f, terms_not(t, terms_binary(t, TERM_EQUAL, back, a)), ERROR_OVERFLOW);
  }
  default:
    return true;
  }
}

static bool operate(struct frame *f, enum binary binary, struct value x, struct value y) {
  struct terms *t = f->s->terms;
  const enum term_operator op = operators[binary].op;
  const bool swaps = operators[binary].swaps;
  const term a = frame_term(f, swaps ? y : x), b = frame_term(f, swaps ? x : y);
  const term result = terms_binary(t, op, a, b);
  push_term(f, operators[binary].negates ? terms_not(t, result) : result);
  return enter_errors(f, op, a, b);
}

/* ---- shared ints ---- */

/* The place of an access says what the inputs satisfy where it is made. */
static void note_access(const struct frame *f, const struct instruction *in, uint32_t variable,
                        bool write, term fact) {
  const struct watcher *w = &f->m->watcher;
  struct outcome access = {.fact = fact,
                           .value = (int64_t)((uint64_t)in->place.line << 32 | in->place.column)};
  if (w->access == NULL) return;
  access.position = f->s->history(f->s->user);
  const uint32_t number = branches_intern(&f->s->accesses, &access, 1);
  f->s->refused |= number >= LINE_OF_ACCESS;
  w->access(w->user, f->thread, variable, write, (struct place){LINE_OF_ACCESS | number, 0});
}

/* False: the thread stands at a branch, or there are too many. */
static bool find_elements(struct frame *f, const struct instruction *in, struct value index,
                          struct elements *e) {
  const struct symbol *s = &f->m->program->symbols[in->target];
  const int64_t last = s->low + (int64_t)s->count - 1;
  struct terms *t = f->s->terms;
  *e = (struct elements){s->low, s->low, s->first, TERM_NONE, TERM_NONE};
  if (f->guard_count > 0) e->guard = f->guards[f->guard_count - 1].condition;
  if (s->indexed) {
    e->index = frame_term(f, index);
    if (!frame_wrong(f, outside(t, e->index, s->low, last), ERROR_INDEX)) return false;
    const struct term_node *node = terms_node(t, e->index);
    e->low = node->low > s->low ? node->low : s->low;
    e->high = node->high < last ? node->high : last;
  }
  if (!frame_decide_access(f, in->place, e)) return false;
  if (e->high < e->low || (uint64_t)(e->high - e->low) < f->s->max_values) return true;
  f->s->over_values = true;
  return frame_stop(f, STOP_BOUND);
}

/* That this element is the one: 1 where there is only one. */
static term is_element(struct frame *f, const struct elements *e, int64_t index) {
  return e->index == TERM_NONE ? terms_constant(f->s->terms, 1)
                               : equals(f->s->terms, e->index, index);
}

static uint32_t element_at(const struct frame *f, const struct instruction *in,
                           const struct elements *e, int64_t index) {
  return e->first + (uint32_t)(index - f->m->program->symbols[in->target].low);
}

static void note_element(struct frame *f, const struct instruction *in, const struct elements *e,
                         int64_t index, bool write) {
  term fact = is_element(f, e, index);
  if (e->guard != TERM_NONE) fact = terms_binary(f->s->terms, TERM_AND, fact, e->guard);
  note_access(f, in, element_at(f, in, e, index), write, fact);
}

static bool read_shared(struct frame *f, const struct instruction *in) {
  struct elements e;
  const bool indexed = f->m->program->symbols[in->target].indexed;
  const struct value index = indexed ? pop(f) : (struct value){0, TERM_NONE};
  if (!find_elements(f, in, index, &e)) return false;
  struct value value = {0, TERM_NONE};
  for (int64_t i = e.high; i >= e.low; i--) {
    const struct value other = frame_get(f, element_at(f, in, &e, i));
    note_element(f, in, &e, i, false);
    if (i == e.high)
      value = other;
    else
      value = frame_value(f, terms_ite(f->s->terms, is_element(f, &e, i), frame_term(f, other),
                                       frame_term(f, value)));
  }
  push(f, value);
  return true;
}

static bool write_shared(struct frame *f, const struct instruction *in) {
  struct elements e;
  const bool indexed = f->m->program->symbols[in->target].indexed;
  const struct value index = indexed ? pop(f) : (struct value){0, TERM_NONE};
  const struct value value = pop(f);
  if (!find_elements(f, in, index, &e) || !frame_check(f)) return false;
  for (int64_t i = e.low; i <= e.high; i++) {
    const uint32_t at = element_at(f, in, &e, i);
    const struct value old = frame_get(f, at);
    note_element(f, in, &e, i, true);
    machine_enter_shared(f->m, f->state, at);
    frame_put(f, at,
              e.low == e.high
                  ? value
                  : frame_value(f, terms_ite(f->s->terms, is_element(f, &e, i),
                                             frame_term(f, value), frame_term(f, old))));
  }
  return true;
}

/* ---- tests ---- */

/* && and || are part of a term: both sides are evaluated, the right one under a condition. */
static void enter_guard(struct frame *f, const struct instruction *in, struct value left) {
  struct terms *t = f->s->terms;
  struct guard *g = &f->guards[f->guard_count];
  const bool or = in->value == TEST_OR;
  g->or = or ;
  g->left = terms_truth(t, left.term);
  g->condition = or ? terms_not(t, g->left) : g->left;
  if (f->guard_count > 0) g->condition = terms_binary(t, TERM_AND, g->condition, g[-1].condition);
  g->closes = or ? f->m->program->code[in->target - 1].target - 1 : in->target - 2;
  f->guard_count++;
  f->words[POSITION] = or ? in->target : f->words[POSITION] + 1;
}

static void make_truth(struct frame *f) {
  struct terms *t = f->s->terms;
  term value = terms_truth(t, frame_term(f, pop(f)));
  if (f->guard_count > 0 && f->guards[f->guard_count - 1].closes == f->words[POSITION]) {
    const struct guard *g = &f->guards[--f->guard_count];
    value = terms_binary(t, g->or ? TERM_OR : TERM_AND, g->left, value);
  }
  push_term(f, value);
}

static bool jump_if_zero(struct frame *f, const struct instruction *in) {
  const struct value value = pop(f);
  bool truth = value.number != 0;
  if (in->value != TEST_STATEMENT && value.term != TERM_NONE) {
    enter_guard(f, in, value);
    return true;
  }
  /* Within a test there is no branch, not even where all that follows is one (--keep-implied). */
  if (in->value == TEST_STATEMENT && (!frame_check(f) || !frame_test(f, value, PHASE_TEST, &truth)))
    return false;
  f->words[POSITION] = truth ? f->words[POSITION] + 1 : in->target;
  return true;
}

static bool assume(struct frame *f, const struct instruction *in) {
  const struct value value = pop(f);
  bool truth;
  if (!frame_check(f) || !frame_test(f, value, PHASE_TEST, &truth)) return false;
  return truth || frame_stop(f, in->opcode == DO_ASSUME ? STOP_ASSUME : STOP_ASSERT);
}

/* ---- instructions ---- */

static bool set_register(struct frame *f, const struct instruction *in) {
  const struct value value = pop(f);
  if (!frame_check(f)) return false;
  frame_put(f, (size_t)(f->words - f->state) + REGISTERS + in->target, value);
  return true;
}

static bool evaluate(struct frame *f, const struct instruction *in) {
  struct terms *t = f->s->terms;
  struct value a, b;
  switch (in->opcode) {
  case DO_PUSH:
    push_number(f, in->value);
    return true;
  case DO_REGISTER:
    push(f, frame_get(f, (size_t)(f->words - f->state) + REGISTERS + in->target));
    return true;
  case DO_SHARED:
    return read_shared(f, in);
  case DO_INPUT:
    push_term(
        f, terms_input(t, in->target, f->m->inputs[in->target].low, f->m->inputs[in->target].high));
    return true;
  case DO_NEGATE:
    a = pop(f);
    return operate(f, BINARY_SUBTRACT, (struct value){0, TERM_NONE}, a);
  case DO_NOT:
    push_term(f, terms_not(t, frame_term(f, pop(f))));
    return true;
  case DO_COMPLEMENT:
    a = pop(f);
    return operate(f, BINARY_BIT_XOR, a, (struct value){-1, TERM_NONE});
  case DO_BOOLEAN:
    make_truth(f);
    return true;
  case DO_BINARY:
    b = pop(f);
    a = pop(f);
    return operate(f, (enum binary)in->target, a, b);
  case DO_SET_REGISTER:
    return set_register(f, in);
  case DO_SET_SHARED:
    return write_shared(f, in);
  case DO_ASSUME:
  case DO_ASSERT:
    return assume(f, in);
  default:
    pop(f);
    return true; /* DO_POP */
  }
}

/* ---- operations ---- */

/* An index of an object, of which the element is wanted; errors are entered. */
static bool check_index(struct frame *f, uint32_t symbol, struct value *index) {
  const struct symbol *s = &f->m->program->symbols[symbol];
  *index = s->indexed ? pop(f) : (struct value){s->low, TERM_NONE};
  const int64_t last = s->low + (int64_t)s->count - 1;
  return frame_wrong(f, outside(f->s->terms, frame_term(f, *index), s->low, last), ERROR_INDEX);
}

static bool find_element(struct frame *f, uint32_t symbol, struct value index, unsigned slot,
                         unsigned operand) {
  const struct symbol *s = &f->m->program->symbols[symbol];
  const struct range_of_values range = {s->low, s->low + (int64_t)s->count - 1};
  int64_t number;
  if (!frame_resolve(f, index, slot, range, &number)) return false;
  f->words[operand] = (int64_t)s->first + (number - s->low);
  return true;
}

static bool reach_choice(struct frame *f) {
  static const struct range_of_values all = {INT64_MIN, INT64_MAX};
  const struct value high = pop(f), low = pop(f);
  const term wrong = terms_binary(f->s->terms, TERM_LESS, frame_term(f, high), frame_term(f, low));
  int64_t first, last;
  if (!frame_wrong(f, wrong, ERROR_CHOICE) || !frame_check(f) ||
      !frame_resolve(f, low, 0, all, &first) || !frame_resolve(f, high, 1, all, &last))
    return false;
  f->words[OPERAND] = first;
  f->words[SECOND_OPERAND] = last;
  return true;
}

/* Takes the operands of an operation off the stack; the thread stays at it. */
static bool reach(struct frame *f, const struct instruction *in) {
  static const struct range_of_values natural = {0, INT64_MAX};
  const size_t base = (size_t)(f->words - f->state);
  const bool waits = in->opcode == DO_WAIT || in->opcode == DO_TIMEDWAIT;
  const bool wakes = in->opcode == DO_FUTEX_WAKE;
  struct value numbers[2] = {{0, TERM_NONE}, {0, TERM_NONE}}, index, mutex;
  if (in->opcode == DO_EXIT) return true;
  if (in->opcode == DO_CHOOSE) return reach_choice(f);
  for (int i = machine_numbers(in->opcode); i > 0; i--)
    numbers[i - 1] = pop(f);
  /* The index of a mutex is above that of the condition variable. */
  if ((waits && !check_index(f, (uint32_t)in->value, &mutex)) ||
      !check_index(f, in->target, &index))
    return false;
  const term few = terms_binary(f->s->terms, TERM_LESS, frame_term(f, numbers[0]),
                                terms_constant(f->s->terms, 0));
  if ((wakes && !frame_wrong(f, few, ERROR_WAKE)) || !frame_check(f) ||
      !find_element(f, in->target, index, 0, OPERAND) ||
      (waits && !find_element(f, (uint32_t)in->value, mutex, 1, SECOND_OPERAND)))
    return false;
  if (wakes && !frame_resolve(f, numbers[0], 1, natural, &numbers[0].number)) return false;
  if (wakes) numbers[0].term = TERM_NONE;
  if (!waits) frame_put(f, base + SECOND_OPERAND, numbers[0]);
  frame_put(f, base + THIRD_OPERAND, numbers[1]);
  int64_t arrived;
  if (in->opcode == DO_ARRIVE)
    f->words[SECOND_OPERAND] =
        machine_barrier(f->m, f->state, (uint32_t)f->words[OPERAND], &arrived) % 2;
  return true;
}

/* ---- the loop ---- */

/* The next instruction, if it is silent. */
static bool execute(struct frame *f, const struct instruction *in) {
  int64_t *words = f->words;
  switch (in->opcode) {
  case DO_JUMP:
    words[POSITION] = in->target;
    return true;
  case DO_JUMP_IF_ZERO:
    return jump_if_zero(f, in);
  case DO_ENTER_LOOP:
    words[REGISTERS + in->target] = 0;
    break;
  case DO_LOOP:
    if (f->m->bound >= 0 && words[REGISTERS + in->target]++ == f->m->bound)
      return frame_stop(f, STOP_BOUND);
    break;
  default:
    if (!evaluate(f, in)) return false;
  }
  words[POSITION]++;
  return true;
}

/* Whether the statement, or a part of it that is never evaluated again, ends with it. */
static bool ends_statement(const struct instruction *in) {
  return in->opcode == DO_JUMP_IF_ZERO ? in->value == TEST_STATEMENT
                                       : in->opcode >= DO_SET_REGISTER && in->opcode != DO_JUMP;
}

static void begin_statement(struct frame *f) {
  int64_t *more = f->words + f->extra;
  more[RESUMES] = more[CHECKED] = more[RESOLVED] = 0;
  f->accesses = FIRST_ACCESS;
  f->start = (uint32_t)f->words[POSITION];
  f->s->errors.count = 0;
}

/* What an operation gave is a result from here on; that of a compare-and-swap is a number. */
static bool take_result(struct frame *f) {
  const size_t base = (size_t)(f->words - f->state);
  int64_t *more = f->words + f->extra;
  bool truth;
  if (f->words[PHASE] == PHASE_RESULT) {
    const struct value result = frame_get(f, base + OPERAND);
    begin_statement(f);
    more[RESUMES] = 1;
    frame_put(f, base + f->extra + RESULT, result);
    f->words[PHASE] = PHASE_BEFORE;
    if (f->m->program->code[f->words[POSITION] - 1].opcode == DO_CAS) {
      if (!frame_test(f, result, PHASE_COMPARED, &truth)) return false;
      frame_put(f, base + f->extra + RESULT, (struct value){truth, TERM_NONE});
    }
  }
  if (more[RESUMES] != 0) push(f, frame_get(f, base + f->extra + RESULT));
  return true;
}

static void run(struct frame *f) {
  const struct instruction *code = f->m->program->code, *in;
  const struct value none = {0, TERM_NONE};
  uint32_t silent = 0;
  if (!take_result(f)) return;
  for (unsigned i = OPERAND; i <= THIRD_OPERAND; i++)
    frame_put(f, (size_t)(f->words - f->state) + i, none);
  for (in = &code[f->words[POSITION]]; in->opcode < DO_LOCK; in = &code[f->words[POSITION]]) {
    bool counts = in->opcode >= DO_SET_REGISTER && in->opcode != DO_JUMP && in->opcode != DO_LOOP;
    if (counts && ++silent > DIVERGES) {
      frame_fail(f, (uint32_t)f->words[POSITION], ERROR_DIVERGES);
      return;
    }
    if (!execute(f, in) || f->s->refused || f->s->terms->failed) return;
    if (ends_statement(in)) begin_statement(f);
  }
  if (reach(f, in)) begin_statement(f);
}

bool symbolic_settle(const struct machine *m, int64_t *state, uint32_t thread,
                     struct problem *problem) {
  struct value stack[STACK_SIZE];
  struct guard guards[GUARDS];
  int64_t *words = state + m->base[thread];
  if ((words[PHASE] != PHASE_BEFORE && words[PHASE] != PHASE_RESULT) || words[STOPPED] != STOP_NONE)
    return true;
  machine_enter_thread(m, state, thread);
  struct frame f = {.m = m,
                    .s = m->symbolic,
                    .state = state,
                    .words = words,
                    .thread = thread,
                    .extra = REGISTERS + m->program->bodies[m->body[thread]].registers,
                    .start = (uint32_t)words[POSITION],
                    .stack = stack,
                    .guards = guards,
                    .accesses = FIRST_ACCESS};
  m->symbolic->errors.count = 0;
  run(&f);
  problem->refused = m->symbolic->refused || m->symbolic->terms->failed;
  return !problem->refused;
}
