/*
 * Which atomics may hold a value that depends on inputs, found in the text alone: what is stored
 * there, by the registers and shared ints that it may come from, whatever the control flow. The
 * library compares values of atomics itself, so it must know before which it cannot.
 *
 * Each instruction is gone through in the order of the text; what a jump leaves on the stack is
 * remembered for the place that it leads to. A bit of a word stands for a place of the stack, the
 * last one for all that are further up.
 */
#include "taint.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PLACES = 64, LAST = PLACES - 1 };

struct stack {
  uint64_t bits;
  uint32_t height;
};

struct taint {
  const struct program *p;
  const struct machine_input *inputs;
  bool *registers, *shared, *atomics; /* by register of the body; by symbol; by first element */
  struct stack *at;                   /* by instruction: what jumps to it leave */
  bool *known;
  struct stack now;
  bool changed;
};

static uint64_t bit(uint32_t place) {
  return UINT64_C(1) << (place < LAST ? place : LAST);
}

static void push(struct taint *t, bool tainted) {
  if (t->now.height < LAST) t->now.bits &= ~bit(t->now.height);
  if (tainted) t->now.bits |= bit(t->now.height);
  t->now.height++;
}

static bool pop(struct taint *t) {
  return (t->now.bits & bit(--t->now.height)) != 0;
}

static void mark(struct taint *t, bool *what, bool tainted) {
  if (!tainted || *what) return;
  *what = true;
  t->changed = true;
}

static void jump_to(struct taint *t, uint32_t target) {
  if (t->known[target]) {
    t->at[target].bits |= t->now.bits;
  } else {
    t->at[target] = t->now;
    t->known[target] = true;
  }
}

/* An index, if the symbol has one. */
static bool pop_index(struct taint *t, uint32_t symbol) {
  return t->p->symbols[symbol].indexed && pop(t);
}

/* Atomics with bytes in common hold a term together. */
static bool *space_of(const struct taint *t, uint32_t symbol) {
  return &t->atomics[t->p->symbols[symbol].space];
}

/* What an operation takes and gives. An index and what else is resolved by a branch leaves nothing
 * that depends on inputs. */
static void operation(struct taint *t, const struct instruction *in) {
  const enum opcode opcode = in->opcode;
  bool value = false;
  if (opcode_on_atomic(opcode)) {
    uint32_t numbers = opcode == DO_LOAD                                 ? 0
                       : opcode == DO_CAS || opcode == DO_EXCHANGE_AWAIT ? 2
                                                                         : 1;
    for (; numbers > 0; numbers--)
      value |= pop(t);
    pop_index(t, in->target);
    bool *space = space_of(t, in->target);
    if (opcode != DO_LOAD && opcode != DO_FUTEX_WAKE) mark(t, space, value);
    push(t, *space && opcode != DO_FUTEX_WAIT && opcode != DO_TIMEDFUTEXWAIT &&
                opcode != DO_FUTEX_WAKE);
    if (!opcode_has_result(opcode)) pop(t);
    return;
  }
  if (opcode == DO_CHOOSE) {
    pop(t);
    pop(t);
  } else if (opcode == DO_ASSUME || opcode == DO_ASSERT) {
    pop(t);
  } else {
    if (opcode == DO_WAIT || opcode == DO_TIMEDWAIT) pop_index(t, (uint32_t)in->value);
    pop_index(t, in->target);
  }
  if (opcode_has_result(opcode)) push(t, false);
}

static bool jump(struct taint *t, const struct instruction *in) {
  switch (in->opcode) {
  case DO_JUMP:
    jump_to(t, in->target);
    return true;
  case DO_JUMP_IF_ZERO:
    pop(t);
    jump_to(t, in->target);
    return true;
  case DO_ENTER_LOOP:
  case DO_LOOP:
  case DO_EXIT:
    return true;
  default:
    return false;
  }
}

static void silent(struct taint *t, const struct instruction *in) {
  bool value;
  switch (in->opcode) {
  case DO_PUSH:
    push(t, false);
    break;
  case DO_INPUT:
    push(t, t->inputs[in->target].low != t->inputs[in->target].high);
    break;
  case DO_REGISTER:
    push(t, t->registers[in->target]);
    break;
  case DO_SHARED:
    value = pop_index(t, in->target);
    push(t, t->shared[in->target] || value);
    break;
  case DO_BINARY:
    value = pop(t);
    value |= pop(t);
    push(t, value);
    break;
  case DO_SET_REGISTER:
    mark(t, &t->registers[in->target], pop(t));
    break;
  case DO_SET_SHARED:
    value = pop_index(t, in->target);
    value |= pop(t);
    mark(t, &t->shared[in->target], value);
    break;
  case DO_POP:
    pop(t);
    break;
  default:
    break; /* one number for another */
  }
}

/* The right side of && and || decides the result as the left one does, which a jump took off the
 * stack: what stands between is tainted with it. */
static void through(struct taint *t, const struct instruction *in) {
  if (in->opcode == DO_JUMP_IF_ZERO && in->value != TEST_STATEMENT &&
      (t->now.bits & bit(t->now.height - 1)) != 0) {
    const uint32_t end = t->p->code[in->target - 1].target;
    const struct stack here = t->now; /* with the left side where the result will be */
    pop(t);
    jump_to(t, in->target);
    const struct stack before = t->now;
    t->now = here;
    jump_to(t, end);
    t->now = before;
    return;
  }
  if (jump(t, in)) return;
  if (in->opcode >= DO_ASSUME)
    operation(t, in);
  else
    silent(t, in);
}

/* Comes to an instruction from the one before it, unless that only leads elsewhere. */
static const struct instruction *arrive(struct taint *t, const struct body *body, uint32_t at) {
  const struct instruction *in = &t->p->code[at];
  if (at == body->first) t->now = (struct stack){0, 0};
  if (t->known[at] && at > body->first && in[-1].opcode == DO_JUMP) t->now = t->at[at];
  if (t->known[at]) t->now.bits |= t->at[at].bits;
  return in;
}

static void go_through(struct taint *t, const struct body *body) {
  for (uint32_t at = body->first;; at++) {
    const struct instruction *in = arrive(t, body, at);
    through(t, in);
    if (in->opcode == DO_EXIT) return;
  }
}

/* What the library would have to compare. */
static bool refuse(const struct taint *t, const struct instruction *in, struct problem *problem) {
  const struct symbol *s = &t->p->symbols[in->target];
  const bool part = s->shared || s->size < sizeof(int64_t);
  const char *what = part ? "an input in an atomic of less than 8 bytes, or with overlays, is not "
                            "supported; this operation is on"
                          : "a comparison with an input is not supported in this operation, on";
  problem->place = in->place;
  snprintf(problem->text, sizeof problem->text, "%s '%.*s'", what,
           (int)(s->length > 40 ? 40 : s->length), s->name);
  return false;
}

static bool refuse_channel(const struct taint *t, const struct instruction *in,
                           struct problem *problem) {
  const struct symbol *s = &t->p->symbols[in->target];
  problem->place = in->place;
  snprintf(problem->text, sizeof problem->text,
           "channels in a program with inputs are not supported; this operation is on '%.*s'",
           (int)(s->length > 40 ? 40 : s->length), s->name);
  return false;
}

/* Goes through once more and looks at the operands. */
static bool check(struct taint *t, const struct body *body, struct problem *problem) {
  for (uint32_t at = body->first;; at++) {
    const struct instruction *in = arrive(t, body, at);
    if (opcode_on_channel(in->opcode)) return refuse_channel(t, in, problem);
    if (opcode_on_atomic(in->opcode)) {
      const struct symbol *s = &t->p->symbols[in->target];
      const uint32_t operand = t->now.height - (in->opcode == DO_EXCHANGE_AWAIT ? 2 : 1);
      const bool waits = in->opcode == DO_AWAIT || in->opcode == DO_EXCHANGE_AWAIT ||
                         in->opcode == DO_FUTEX_WAIT || in->opcode == DO_TIMEDFUTEXWAIT;
      const bool tainted = *space_of(t, in->target);
      if (waits && (tainted || (t->now.bits & bit(operand)) != 0)) return refuse(t, in, problem);
      if (tainted && (s->shared || s->size < sizeof(int64_t))) return refuse(t, in, problem);
    }
    through(t, in);
    if (in->opcode == DO_EXIT) return true;
  }
}

/* By element: whether its space is tainted. */
static void spread(const struct taint *t, bool *atomics) {
  for (uint32_t i = 0; i < t->p->symbol_count; i++) {
    const struct symbol *s = &t->p->symbols[i];
    for (uint32_t j = 0; s->kind == SYMBOL_ATOMIC && j < s->count; j++)
      atomics[s->first + j] = t->atomics[s->space];
  }
}

bool taint_find(const struct program *p, const struct machine_input *inputs, bool *atomics,
                struct problem *problem) {
  uint32_t registers = 0;
  for (uint32_t i = 0; i < p->body_count; i++)
    registers += p->bodies[i].registers;
  struct taint t = {.p = p,
                    .inputs = inputs,
                    .registers = calloc(registers + 1u, sizeof *t.registers),
                    .shared = calloc(p->symbol_count + 1u, sizeof *t.shared),
                    .atomics = calloc(p->count[SYMBOL_ATOMIC] + 1u, sizeof *t.atomics),
                    .at = calloc(p->code_count + 1u, sizeof *t.at),
                    .known = calloc(p->code_count + 1u, sizeof *t.known)};
  bool *const all = t.registers;
  bool good =
      all != NULL && t.shared != NULL && t.atomics != NULL && t.at != NULL && t.known != NULL;
  problem->refused = !good;
  for (t.changed = good; t.changed;) {
    t.changed = false;
    t.registers = all;
    for (uint32_t i = 0; i < p->body_count; t.registers += p->bodies[i++].registers)
      go_through(&t, &p->bodies[i]);
  }
  t.registers = all;
  for (uint32_t i = 0; good && i < p->body_count; t.registers += p->bodies[i++].registers)
    good = check(&t, &p->bodies[i], problem);
  if (good) spread(&t, atomics);
  free(all);
  free(t.shared);
  free(t.atomics);
  free(t.at);
  free(t.known);
  return good;
}
