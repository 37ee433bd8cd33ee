/*
 * A body as a flow graph of the library. Code is gone through block by block in its order, which is
 * topological but for the jumps back of loops, with terms in the place of values. What can fail
 * while it computes (sums that overflow, divisions, indices) is a statement of its own that a
 * thread must not be stopped before, and so is each access to a shared int: it can be part of a
 * race.
 */
#include "flow.h"

#include <stdio.h>
#include <stdlib.h>

#include "compile.h"
#include "flow_values.h"
#include "operation.h"

static const struct instruction *at(const struct flow *f, uint32_t instruction) {
  return &f->program->code[f->first + instruction];
}

static bool jumps(const struct instruction *in) {
  return in->opcode == DO_JUMP || in->opcode == DO_JUMP_IF_ZERO;
}

static void find_blocks(struct flow *f) {
  f->block_at[0] = 1;
  for (uint32_t i = 0; i < f->count; i++) {
    if (!jumps(at(f, i))) continue;
    f->block_at[at(f, i)->target - f->first] = 1;
    if (i + 1 < f->count) f->block_at[i + 1] = 1;
  }
  for (uint32_t i = 0; i < f->count; i++)
    if (f->block_at[i] != 0) f->block_at[i] = ++f->block_count;
}

static void find_edges(struct flow *f) {
  for (uint32_t i = 0; i < f->count; i++)
    if (f->block_at[i] != 0) f->blocks[f->block_at[i] - 1].first = i;
  for (uint32_t b = 0; b < f->block_count; b++) {
    struct flow_block *block = &f->blocks[b];
    block->end = b + 1 < f->block_count ? f->blocks[b + 1].first : f->count;
    const struct instruction *last = at(f, block->end - 1);
    if (last->opcode != DO_JUMP && last->opcode != DO_EXIT) block->to[block->edges++] = b + 1;
    if (jumps(last)) block->to[block->edges++] = f->block_at[last->target - f->first] - 1;
  }
}

/* Marks what can be reached, with the heights of the stack; code before a block in the text leads
 * to it, or it is not reached. */
static void find_heights(struct flow *f) {
  f->blocks[0].reached = true;
  f->slots = f->registers;
  for (uint32_t b = 0; b < f->block_count; b++) {
    struct flow_block *block = &f->blocks[b];
    uint32_t height = block->height;
    if (!block->reached) continue;
    for (uint32_t i = block->first; i < block->end; i++)
      height = height - flow_takes(f, at(f, i)) + flow_gives(at(f, i));
    for (uint32_t i = 0; i < block->edges; i++) {
      f->blocks[block->to[i]].reached = true;
      f->blocks[block->to[i]].height = height;
    }
    if (f->registers + height > f->slots) f->slots = f->registers + height;
  }
}

static unf_term pop(struct flow *f) {
  return f->now[f->registers + --f->height];
}

static void push(struct flow *f, unf_term term) {
  f->now[f->registers + f->height++] = term;
}

/* What the statements of a block are while it is gone through: made, or only counted up to the one
 * before which to stop. */
struct block_walk {
  struct flow *f;
  uint32_t block, made, until;
  uint32_t before; /* an instruction not to be gone through either; UINT32_MAX: none */
  bool making;
};

/* A statement of an instruction; its result, if it has one, is pushed. */
static unf_status statement(struct block_walk *w, uint32_t i, unf_statement *s, bool gives) {
  struct flow *f = w->f;
  struct flow_block *block = &f->blocks[w->block];
  const struct instruction *in = at(f, i);
  unf_status status = UNF_OK;
  unf_term term;
  w->made++;
  if (w->making) {
    char name[40];
    const char *what = in->opcode >= DO_ASSUME ? opcode_name(in->opcode) : "value";
    snprintf(name, sizeof name, "%s:%u", what, in->place.line);
    if (gives) status = unf_flow_register(f->flow, name, &f->result[i]);
    s->result = gives ? f->result[i] : UNF_REGISTER_NONE;
    if (status == UNF_OK) status = unf_flow_statement(f->flow, w->block, s);
    if (status != UNF_OK) return status;
    block->statements[block->statement_count++] = i;
  }
  if (!gives) return UNF_OK;
  status = unf_term_register(f->flow, f->result[i], &term);
  if (status == UNF_OK) push(f, term);
  return status;
}

/* A value that is computed from the two operands of a statement. */
static unf_status computed(struct block_walk *w, uint32_t i, unf_term a, unf_term b,
                           uint32_t flags) {
  unf_statement s = UNF_STATEMENT_INIT(UNF_STATEMENT_COMPUTE);
  s.a = a;
  s.b = b;
  s.flags = flags;
  return statement(w, i, &s, true);
}

/* A term, or a statement where it would be too large. */
static unf_status applied(struct block_walk *w, uint32_t i, unf_operator op, unf_term a,
                          unf_term b) {
  unf_term term;
  unf_status status = unf_term_apply(w->f->flow, op, a, b, &term);
  if (status == UNF_INVALID) return computed(w, i, a, b, 0);
  if (status == UNF_OK) push(w->f, term);
  return status;
}

/* A sum, difference or product: where it does not overflow, it is what it is modulo 2^64. */
static unf_status checked(struct block_walk *w, uint32_t i, unf_operator op, unf_term a,
                          unf_term b) {
  unf_statement s = UNF_STATEMENT_INIT(UNF_STATEMENT_COMPUTE);
  unf_term term;
  unf_status status = unf_term_apply(w->f->flow, op, a, b, &term);
  if (status == UNF_INVALID) return computed(w, i, a, b, UNF_STATEMENT_MAY_FAIL);
  s.a = a;
  s.b = b;
  s.flags = UNF_STATEMENT_MAY_FAIL;
  if (status == UNF_OK) status = statement(w, i, &s, false);
  if (status == UNF_OK) push(w->f, term);
  return status;
}

static unf_status negated(struct block_walk *w, uint32_t i) {
  unf_term zero, a = pop(w->f);
  unf_status status = unf_term_constant(w->f->flow, 0, &zero);
  return status == UNF_OK ? checked(w, i, UNF_OPERATOR_SUB, zero, a) : status;
}

static unf_status binary(struct block_walk *w, uint32_t i) {
  static const unf_operator operators[] = {
      [BINARY_BIT_OR] = UNF_OPERATOR_BIT_OR,   [BINARY_BIT_XOR] = UNF_OPERATOR_BIT_XOR,
      [BINARY_BIT_AND] = UNF_OPERATOR_BIT_AND, [BINARY_EQUAL] = UNF_OPERATOR_EQ,
      [BINARY_UNEQUAL] = UNF_OPERATOR_NE,      [BINARY_LESS] = UNF_OPERATOR_LT,
      [BINARY_LESS_EQUAL] = UNF_OPERATOR_LE,   [BINARY_GREATER] = UNF_OPERATOR_GT,
      [BINARY_GREATER_EQUAL] = UNF_OPERATOR_GE};
  uint32_t which = at(w->f, i)->target;
  unf_term b = pop(w->f), a = pop(w->f);
  if (which == BINARY_ADD) return checked(w, i, UNF_OPERATOR_ADD, a, b);
  if (which == BINARY_SUBTRACT) return checked(w, i, UNF_OPERATOR_SUB, a, b);
  if (which == BINARY_MULTIPLY) return checked(w, i, UNF_OPERATOR_MUL, a, b);
  if (which > BINARY_GREATER_EQUAL) return computed(w, i, a, b, UNF_STATEMENT_MAY_FAIL);
  return applied(w, i, operators[which], a, b);
}

/* With a constant on the right. */
static unf_status with_constant(struct block_walk *w, uint32_t i, unf_operator op, int64_t value) {
  unf_term constant, a = pop(w->f);
  unf_status status = unf_term_constant(w->f->flow, value, &constant);
  return status == UNF_OK ? applied(w, i, op, a, constant) : status;
}

static unf_status push_constant(struct flow *f, int64_t value) {
  unf_term term;
  unf_status status = unf_term_constant(f->flow, value, &term);
  if (status == UNF_OK) push(f, term);
  return status;
}

/* The index of an element, if it has one. */
static unf_term index_of(struct flow *f, uint32_t symbol) {
  return f->program->symbols[symbol].indexed ? pop(f) : UNF_TERM_NONE;
}

static unf_status shared(struct block_walk *w, uint32_t i) {
  const struct instruction *in = at(w->f, i);
  bool read = in->opcode == DO_SHARED;
  unf_statement s = UNF_STATEMENT_INIT(read ? UNF_STATEMENT_LOAD : UNF_STATEMENT_STORE);
  s.where = index_of(w->f, in->target);
  if (!read) s.a = pop(w->f);
  s.flags = UNF_STATEMENT_MAY_FAIL | (read ? UNF_STATEMENT_PLAIN : 0);
  return statement(w, i, &s, read);
}

static unf_status condition(struct block_walk *w, uint32_t i, unf_statement_kind kind) {
  unf_statement s = UNF_STATEMENT_INIT(kind);
  s.a = pop(w->f);
  return statement(w, i, &s, false);
}

/* What an operation is for the library; the numbers that it takes are popped. A compare-and-swap
 * gives whether it swapped, not what it found. */
static unf_statement_kind kind_of(struct flow *f, enum opcode opcode, unf_statement *s) {
  switch (opcode) {
  case DO_TRYLOCK:
  case DO_TIMEDLOCK:
  case DO_TRYRDLOCK:
  case DO_TRYWRLOCK:
  case DO_TRYWAIT:
    return UNF_STATEMENT_TRY;
  case DO_LOAD:
    return UNF_STATEMENT_LOAD;
  case DO_STORE:
    s->a = pop(f);
    return UNF_STATEMENT_STORE;
  case DO_FETCH_ADD:
    s->a = pop(f);
    return UNF_STATEMENT_FETCH_ADD;
  case DO_FETCH_OR:
  case DO_FETCH_XOR: /* these change nothing where an addition does not */
    s->a = pop(f);
    return UNF_STATEMENT_FETCH_ADD;
  case DO_FETCH_AND:
  case DO_FETCH_NAND:
  case DO_FUTEX_WAIT:
  case DO_TIMEDFUTEXWAIT:
  case DO_FUTEX_WAKE:
  case DO_SEND:
  case DO_TRYSEND:
    pop(f);
    return UNF_STATEMENT_EFFECT;
  case DO_EXCHANGE:
    s->a = pop(f);
    return UNF_STATEMENT_EXCHANGE;
  case DO_CAS:
    s->b = pop(f);
    s->a = pop(f);
    return UNF_STATEMENT_TRY;
  case DO_AWAIT:
    s->a = pop(f);
    return UNF_STATEMENT_AWAIT;
  case DO_EXCHANGE_AWAIT:
    s->a = pop(f);
    s->b = pop(f);
    return UNF_STATEMENT_EXCHANGE_AWAIT;
  default:
    return UNF_STATEMENT_EFFECT;
  }
}

/* An operation; any that is not told apart is an effect that others see, but for a join. */
static unf_status operation(struct block_walk *w, uint32_t i) {
  struct flow *f = w->f;
  const struct instruction *in = at(f, i);
  unf_statement s = UNF_STATEMENT_INIT(UNF_STATEMENT_EFFECT);
  if (in->opcode == DO_CHOOSE) {
    unf_term high = pop(f), low = pop(f);
    return computed(w, i, low, high, UNF_STATEMENT_MAY_FAIL);
  }
  s.kind = kind_of(f, in->opcode, &s);
  if (in->opcode == DO_WAIT || in->opcode == DO_TIMEDWAIT) s.b = index_of(f, (uint32_t)in->value);
  s.where = index_of(f, in->target);
  bool indexed = s.where != UNF_TERM_NONE; /* which can be out of range */
  s.flags = indexed || in->opcode == DO_JOIN ? UNF_STATEMENT_MAY_FAIL : 0;
  unf_status status = UNF_OK;
  if (s.kind == UNF_STATEMENT_EFFECT)
    status = unf_term_constant(f->flow, in->opcode == DO_JOIN, &s.a);
  return status == UNF_OK ? statement(w, i, &s, opcode_has_result(in->opcode)) : status;
}

static unf_status step(struct block_walk *w, uint32_t i) {
  struct flow *f = w->f;
  const struct instruction *in = at(f, i);
  switch (in->opcode) {
  case DO_PUSH:
    return push_constant(f, in->value);
  case DO_REGISTER:
    push(f, f->now[in->target]);
    return UNF_OK;
  case DO_SET_REGISTER:
    f->now[in->target] = pop(f);
    return UNF_OK;
  case DO_SHARED:
  case DO_SET_SHARED:
    return shared(w, i);
  case DO_NOT:
    return with_constant(w, i, UNF_OPERATOR_EQ, 0);
  case DO_BOOLEAN:
    return with_constant(w, i, UNF_OPERATOR_NE, 0);
  case DO_COMPLEMENT:
    return with_constant(w, i, UNF_OPERATOR_BIT_XOR, -1);
  case DO_NEGATE:
    return negated(w, i);
  case DO_BINARY:
    return binary(w, i);
  case DO_ASSUME:
    return condition(w, i, UNF_STATEMENT_ASSUME);
  case DO_ASSERT:
    return condition(w, i, UNF_STATEMENT_ASSERT);
  case DO_POP:
    pop(f);
    return UNF_OK;
  default:
    return in->opcode >= DO_LOCK && in->opcode != DO_EXIT ? operation(w, i) : UNF_OK;
  }
}

/* From the start of a block, whose values are known. */
static unf_status walk(struct block_walk *w) {
  struct flow *f = w->f;
  const struct flow_block *block = &f->blocks[w->block];
  unf_status status = UNF_OK;
  f->height = block->height;
  for (uint32_t slot = 0; slot < f->slots; slot++)
    f->now[slot] = f->start[w->block * f->slots + slot];
  for (uint32_t i = block->first; i < block->end && status == UNF_OK; i++) {
    if (!w->making && (w->made == w->until || i == w->before)) break;
    if (!jumps(at(f, i))) status = step(w, i);
  }
  return status;
}

unf_status flow_go(struct flow *f, uint32_t block, uint32_t statements) {
  struct block_walk w = {f, block, 0, statements, UINT32_MAX, false};
  return walk(&w);
}

unf_status flow_go_before(struct flow *f, uint32_t block, uint32_t instruction) {
  struct block_walk w = {f, block, 0, UINT32_MAX, instruction, false};
  return walk(&w);
}

/* What a slot holds at the start of a block that another one before it leads to. */
static unf_status start_slot(struct flow *f, uint32_t block, uint32_t slot) {
  unf_register variable;
  char name[40];
  unf_term *start = &f->start[block * f->slots + slot];
  if (block == 0 || flow_is_phi(f, block, slot)) {
    snprintf(name, sizeof name, "r%u:%u", slot, at(f, f->blocks[block].first)->place.line);
    unf_status status = unf_flow_register(f->flow, name, &variable);
    if (status == UNF_OK && block > 0) status = unf_flow_phi(f->flow, block, variable);
    return status == UNF_OK ? unf_term_register(f->flow, variable, start) : status;
  }
  *start = f->stop[f->blocks[block].before * f->slots + slot];
  return UNF_OK;
}

static unf_status make_block(struct flow *f, uint32_t b) {
  struct flow_block *block = &f->blocks[b];
  struct block_walk w = {f, b, 0, 0, UINT32_MAX, true};
  unf_status status = UNF_OK;
  block->statements = calloc(block->end - block->first + (size_t)1, sizeof *block->statements);
  if (block->statements == NULL) return UNF_MEMORY;
  for (uint32_t slot = 0; slot < f->registers + block->height && status == UNF_OK; slot++)
    status = start_slot(f, b, slot);
  if (status == UNF_OK) status = walk(&w);
  if (status != UNF_OK) return status;
  bool tests = at(f, block->end - 1)->opcode == DO_JUMP_IF_ZERO;
  unf_term test = tests ? pop(f) : UNF_TERM_NONE;
  for (uint32_t slot = 0; slot < f->registers + f->height; slot++)
    f->stop[b * f->slots + slot] = f->now[slot];
  for (uint32_t i = 0; i < block->edges && status == UNF_OK; i++) {
    if (block->to[i] > b) f->blocks[block->to[i]].before = b;
    status = unf_flow_edge(f->flow, b, block->to[i], i == 0 && tests ? test : UNF_TERM_NONE);
  }
  return status;
}

static unf_status give_operands(struct flow *f, uint32_t from, uint32_t to) {
  unf_term_node node;
  unf_status status = UNF_OK;
  for (uint32_t slot = 0; slot < f->registers + f->blocks[to].height && status == UNF_OK; slot++) {
    if (!flow_is_phi(f, to, slot)) continue;
    status = unf_term_view(f->flow, f->start[to * f->slots + slot], &node);
    if (status == UNF_OK)
      status = unf_flow_phi_operand(f->flow, node.variable, from, f->stop[from * f->slots + slot]);
  }
  return status;
}

static unf_status make_all(struct flow *f) {
  unf_status status = UNF_OK;
  for (uint32_t b = 0; b < f->block_count && status == UNF_OK; b++) {
    unf_block block;
    char name[40];
    snprintf(name, sizeof name, "line %u", at(f, f->blocks[b].first)->place.line);
    status = unf_flow_block(f->flow, name, &block);
  }
  for (uint32_t b = 0; b < f->block_count && status == UNF_OK; b++)
    if (f->blocks[b].reached) status = make_block(f, b);
  for (uint32_t b = 0; b < f->block_count && status == UNF_OK; b++)
    for (uint32_t i = 0; f->blocks[b].reached && i < f->blocks[b].edges && status == UNF_OK; i++)
      if (i == 0 || f->blocks[b].to[0] != f->blocks[b].to[i])
        status = give_operands(f, b, f->blocks[b].to[i]);
  return status;
}

static bool allocate(struct flow *f) {
  size_t all;
  f->blocks = calloc(f->block_count, sizeof *f->blocks);
  if (f->blocks == NULL) return false;
  find_edges(f);
  find_heights(f);
  all = (size_t)f->block_count * f->slots + 1;
  f->in = calloc(all, sizeof *f->in);
  f->start = calloc(all, sizeof *f->start);
  f->stop = calloc(all, sizeof *f->stop);
  f->result = calloc(f->count, sizeof *f->result);
  f->now = calloc(f->slots + (size_t)STACK_SIZE, sizeof *f->now);
  return f->in != NULL && f->start != NULL && f->stop != NULL && f->result != NULL &&
         f->now != NULL && flow_find_values(f);
}

unf_status flow_make(struct flow *f, unf_context *context, const struct program *program,
                     const struct body *body) {
  *f = (struct flow){.program = program, .first = body->first, .registers = body->registers};
  while (program->code[f->first + f->count].opcode != DO_EXIT)
    f->count++;
  f->count++;
  f->block_at = calloc(f->count, sizeof *f->block_at);
  if (f->block_at == NULL) return UNF_MEMORY;
  find_blocks(f);
  if (!allocate(f)) return UNF_MEMORY;
  unf_status status = unf_flow_new(context, &f->flow);
  return status == UNF_OK ? make_all(f) : status;
}

void flow_free(struct flow *f) {
  unf_flow_free(f->flow);
  for (uint32_t b = 0; f->blocks != NULL && b < f->block_count; b++)
    free(f->blocks[b].statements);
  free(f->blocks);
  free(f->block_at);
  free(f->in);
  free(f->start);
  free(f->stop);
  free(f->result);
  free(f->now);
}
