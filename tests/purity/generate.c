/* Random bodies: first the graph, then registers where they are defined, at last operands from what
 * has a value at each place. */
#include "program.h"

#include <string.h>

#include "../../src/base/random.h"

uint32_t draw(uint64_t *seed, uint32_t below) {
  return (uint32_t)(splitmix64(seed) % below);
}

static void draw_graph(struct body *b, uint64_t *seed) {
  for (uint8_t i = 0; i < b->block_count; i++) {
    struct basic *block = &b->block[i];
    uint8_t forward = (uint8_t)(i + 1 < b->block_count ? i + 1 : i);
    block->edge_count = 0;
    for (uint32_t n = draw(seed, EDGES); n > 0; n--) {
      uint8_t to = (uint8_t)draw(seed, b->block_count);
      if (draw(seed, 2) == 0) to = (uint8_t)draw(seed, i + 1u);
      block->edge[block->edge_count++] = (struct edge_to){.to = to};
    }
    if (forward > i || draw(seed, 3) == 0)
      block->edge[block->edge_count++] =
          (struct edge_to){.to = forward, .always = draw(seed, 8) != 0};
  }
}

static const uint8_t kinds[] = {
    UNF_STATEMENT_LOAD,   UNF_STATEMENT_LOAD,      UNF_STATEMENT_LOAD,
    UNF_STATEMENT_LOAD,   UNF_STATEMENT_LOAD,      UNF_STATEMENT_LOAD,
    UNF_STATEMENT_LOCAL,  UNF_STATEMENT_LOCAL,     UNF_STATEMENT_LOCAL,
    UNF_STATEMENT_STORE,  UNF_STATEMENT_FETCH_ADD, UNF_STATEMENT_EXCHANGE,
    UNF_STATEMENT_CAS,    UNF_STATEMENT_CAS,       UNF_STATEMENT_TRY,
    UNF_STATEMENT_AWAIT,  UNF_STATEMENT_ASSUME,    UNF_STATEMENT_ASSERT,
    UNF_STATEMENT_EFFECT, UNF_STATEMENT_COMPUTE,   UNF_STATEMENT_EXCHANGE_AWAIT};

static bool gives(unf_statement_kind kind) {
  return kind != UNF_STATEMENT_STORE && kind != UNF_STATEMENT_ASSUME &&
         kind != UNF_STATEMENT_ASSERT && kind != UNF_STATEMENT_EFFECT;
}

/* Two registers are left to be parameters. */
static void draw_definitions(struct body *b, uint64_t *seed) {
  uint32_t failing = draw(seed, 4) == 0 ? 2 : 10; /* one load of so many may fail */
  b->register_count = 2;
  for (uint8_t i = 0; i < b->block_count; i++) {
    struct basic *block = &b->block[i];
    block->phi_count = 0;
    for (uint32_t n = i == 0 ? 0 : draw(seed, PHIS + 1); n > 0; n--)
      if (b->register_count < REGISTERS) block->phi[block->phi_count++] = b->register_count++;
    block->statement_count = 0;
    for (uint32_t n = draw(seed, STATEMENTS + 1); n > 0; n--) {
      struct stmt s = {.kind = kinds[draw(seed, sizeof kinds)], .result = NO_REGISTER};
      if (gives(s.kind) && b->register_count == REGISTERS) continue;
      if (gives(s.kind)) s.result = b->register_count++;
      s.variable = (uint8_t)draw(seed, 2);
      s.may_fail = s.kind == UNF_STATEMENT_LOAD && draw(seed, failing) == 0;
      s.indexed = s.kind == UNF_STATEMENT_LOAD && draw(seed, 8) == 0;
      block->statement[block->statement_count++] = s;
    }
  }
}

/* What has a value before a statement of a block. */
static uint16_t available(const struct body *b, uint8_t block, uint8_t statement) {
  uint16_t set = 3;
  for (uint8_t i = 0; i < b->block_count; i++) {
    if ((b->dominators[block] >> i & 1) == 0) continue;
    const struct basic *from = &b->block[i];
    uint8_t end = i == block ? statement : from->statement_count;
    for (uint8_t j = 0; j < from->phi_count; j++)
      set |= (uint16_t)(1u << from->phi[j]);
    for (uint8_t j = 0; j < end; j++)
      if (from->statement[j].result != NO_REGISTER)
        set |= (uint16_t)(1u << from->statement[j].result);
  }
  return set;
}

static struct arg draw_arg(uint16_t set, uint64_t *seed) {
  /* Later registers are more often of use. */
  for (uint32_t tries = 0; tries < 6; tries++) {
    uint8_t r = (uint8_t)(REGISTERS - 1 - draw(seed, REGISTERS));
    if (set >> r & 1) return (struct arg){true, r};
  }
  return (struct arg){false, (uint8_t)draw(seed, 3)};
}

static struct expr draw_expr(uint16_t set, uint64_t *seed, bool test) {
  static const uint8_t operators[] = {
      UNF_OPERATOR_EQ,     UNF_OPERATOR_EQ,  UNF_OPERATOR_NE,      UNF_OPERATOR_NE,
      UNF_OPERATOR_LT,     UNF_OPERATOR_LE,  UNF_OPERATOR_GT,      UNF_OPERATOR_GE,
      UNF_OPERATOR_OR,     UNF_OPERATOR_AND, UNF_OPERATOR_BIT_AND, UNF_OPERATOR_BIT_OR,
      UNF_OPERATOR_BIT_XOR};
  struct expr e = {.kind = COMPARE};
  if (!test && draw(seed, 2) == 0) e.kind = (uint8_t)draw(seed, COMPARE);
  if (test && draw(seed, 6) == 0) e.kind = COPY;
  e.op = operators[draw(seed, sizeof operators)];
  e.a = draw_arg(set, seed);
  e.b = draw(seed, 3) == 0 ? draw_arg(set, seed) : (struct arg){false, (uint8_t)draw(seed, 3)};
  /* The library folds these, and then their registers are not used. */
  if ((e.op == UNF_OPERATOR_OR || e.op == UNF_OPERATOR_AND) && !(e.a.variable && e.b.variable))
    e.op = UNF_OPERATOR_EQ;
  return e;
}

static void draw_operands(struct body *b, uint64_t *seed) {
  for (uint8_t i = 0; i < b->block_count; i++) {
    struct basic *block = &b->block[i];
    for (uint8_t j = 0; j < block->phi_count; j++)
      for (uint8_t from = 0; from < b->block_count; from++) {
        bool back = (b->dominators[from] >> i & 1) != 0;
        block->operand[j][from] =
            draw_arg(available(b, from, b->block[from].statement_count), seed);
        if (back && draw(seed, 2) == 0) block->operand[j][from] = (struct arg){true, block->phi[j]};
        /* As a truth value that was computed on one of several ways. */
        if (!back && draw(seed, 3) == 0)
          block->operand[j][from] = (struct arg){false, (uint8_t)draw(seed, 2)};
      }
    for (uint8_t j = 0; j < block->statement_count; j++) {
      struct stmt *s = &block->statement[j];
      bool test = s->kind == UNF_STATEMENT_ASSUME || s->kind == UNF_STATEMENT_ASSERT ||
                  s->kind == UNF_STATEMENT_EFFECT;
      uint16_t set = available(b, i, j);
      s->a = draw_expr(set, seed, test);
      if (!test && s->kind != UNF_STATEMENT_LOCAL) s->a.kind = COPY;
      s->b = draw_arg(set, seed);
    }
    for (uint8_t j = 0; j < block->edge_count; j++) {
      block->edge[j].condition = draw_expr(available(b, i, block->statement_count), seed, true);
      if (block->phi_count > 0 && draw(seed, 3) == 0)
        block->edge[j].condition = (struct expr){.kind = COPY, .a = {true, block->phi[0]}};
    }
  }
}

void generate(struct random_program *p, uint64_t seed) {
  memset(p, 0, sizeof *p);
  for (unsigned t = 0; t < THREADS; t++) {
    struct body *b = &p->body[t];
    b->block_count = (uint8_t)(t == 0 ? 2 + draw(&seed, BLOCKS - 1) : 1 + draw(&seed, 3));
    draw_graph(b, &seed);
    derive(b);
    draw_definitions(b, &seed);
    draw_operands(b, &seed);
    derive(b);
    for (unsigned r = 0; r < REGISTERS; r++)
      p->initial[t][r] = (uint8_t)draw(&seed, 4);
  }
}
