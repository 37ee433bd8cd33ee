/* What follows from the blocks of a body, from the definitions: dominators as sets, natural loops,
 * which registers matter; and the body as the library gets it. */
#include "program.h"

#include <stdio.h>
#include <string.h>

static void find_dominators(struct body *b) {
  bool changed = true;
  uint8_t all = (uint8_t)((1u << b->block_count) - 1);
  memset(b->dominators, all, sizeof b->dominators);
  b->dominators[0] = 1;
  b->reached = 1;
  while (changed) {
    changed = false;
    for (uint8_t i = 0; i < b->block_count; i++)
      for (uint8_t j = 0; (b->reached >> i & 1) != 0 && j < b->block[i].edge_count; j++) {
        uint8_t to = b->block[i].edge[j].to, old = b->dominators[to], reached = b->reached;
        b->dominators[to] &= (uint8_t)(b->dominators[i] | 1u << to);
        b->reached |= (uint8_t)(1u << to);
        changed |= old != b->dominators[to] || reached != b->reached;
      }
  }
}

/* Whatever reaches `from` without passing the header. */
static uint8_t body_of(const struct body *b, uint8_t header, uint8_t from) {
  uint8_t set = (uint8_t)(1u << header | 1u << from), old = 0;
  while (old != set) {
    old = set;
    for (uint8_t i = 0; i < b->block_count; i++)
      for (uint8_t j = 0; (b->reached >> i & 1) != 0 && j < b->block[i].edge_count; j++) {
        uint8_t to = b->block[i].edge[j].to;
        if (to != header && (set >> to & 1) != 0) set |= (uint8_t)(1u << i);
      }
  }
  return set;
}

/* Takes blocks away that no other one of the set leads to by an edge that does not go back. */
static bool has_cycle(const struct body *b, uint8_t set) {
  uint8_t old = 0;
  while (old != set) {
    uint8_t led = 0;
    old = set;
    for (uint8_t i = 0; i < b->block_count; i++)
      for (uint8_t j = 0; (set >> i & 1) != 0 && j < b->block[i].edge_count; j++) {
        uint8_t to = b->block[i].edge[j].to;
        if ((b->dominators[i] >> to & 1) == 0) led |= (uint8_t)(1u << to);
      }
    set &= led;
  }
  return set != 0;
}

static void find_loops(struct body *b) {
  b->loop_count = 0;
  for (uint8_t h = 0; h < b->block_count; h++) {
    struct natural loop = {h, 0, false};
    for (uint8_t i = 0; i < b->block_count; i++)
      for (uint8_t j = 0; (b->reached >> i & 1) != 0 && j < b->block[i].edge_count; j++)
        if (b->block[i].edge[j].to == h && (b->dominators[i] >> h & 1) != 0)
          loop.inside |= body_of(b, h, i);
    loop.two_entries = has_cycle(b, loop.inside);
    if (loop.inside != 0) b->loop[b->loop_count++] = loop;
  }
}

static uint16_t arg_set(struct arg a) {
  return (uint16_t)(a.variable ? 1u << a.value : 0);
}

static uint16_t expr_set(const struct expr *e) {
  return (uint16_t)(arg_set(e->a) | (e->kind == COPY ? 0 : arg_set(e->b)));
}

static uint16_t statement_set(const struct stmt *s) {
  switch (s->kind) {
  case UNF_STATEMENT_LOAD:
    return s->indexed ? arg_set(s->b) : 0;
  case UNF_STATEMENT_TRY:
  case UNF_STATEMENT_COMPUTE:
    return 0;
  case UNF_STATEMENT_CAS:
  case UNF_STATEMENT_EXCHANGE_AWAIT:
    return (uint16_t)(expr_set(&s->a) | arg_set(s->b));
  default:
    return expr_set(&s->a);
  }
}

static uint16_t bit(uint8_t variable) {
  return (uint16_t)(variable == NO_REGISTER ? 0 : 1u << variable);
}

static uint16_t before(const struct stmt *s, uint16_t after) {
  uint16_t set = (uint16_t)(after & ~bit(s->result));
  if (s->kind == UNF_STATEMENT_LOCAL && (after & bit(s->result)) == 0) return set;
  return set | statement_set(s);
}

/* Registers alive where an edge begins. */
static uint16_t across(const struct body *b, uint8_t from, uint8_t to) {
  const struct basic *block = &b->block[to];
  uint16_t set = b->entry[to], phis = 0, operands = 0;
  for (uint8_t j = 0; j < block->phi_count; j++) {
    phis |= bit(block->phi[j]);
    if (set & bit(block->phi[j])) operands |= arg_set(block->operand[j][from]);
  }
  return (uint16_t)((set & ~phis) | operands);
}

static void find_live(struct body *b) {
  bool changed = true;
  memset(b->live, 0, sizeof b->live);
  memset(b->entry, 0, sizeof b->entry);
  while (changed) {
    changed = false;
    for (uint8_t i = 0; i < b->block_count; i++) {
      const struct basic *block = &b->block[i];
      uint16_t set = 0;
      for (uint8_t j = 0; j < block->edge_count; j++) {
        set |= across(b, i, block->edge[j].to);
        if (!block->edge[j].always) set |= expr_set(&block->edge[j].condition);
      }
      b->live[i][block->statement_count] = set;
      for (uint8_t j = block->statement_count; j-- > 0;) {
        set = before(&block->statement[j], set);
        b->live[i][j] = set;
      }
      changed |= b->entry[i] != set;
      b->entry[i] = set;
    }
  }
}

/* Fills in which registers are used anywhere, by something that is not the computation of
 * an unused register. */
static void find_used(struct body *b) {
  uint16_t old = 1;
  b->used = 0;
  while (old != b->used) {
    old = b->used;
    for (uint8_t i = 0; i < b->block_count; i++) {
      const struct basic *block = &b->block[i];
      if ((b->reached >> i & 1) == 0) continue;
      for (uint8_t j = 0; j < block->edge_count; j++)
        if (!block->edge[j].always) b->used |= expr_set(&block->edge[j].condition);
      for (uint8_t j = 0; j < block->statement_count; j++)
        if (block->statement[j].kind != UNF_STATEMENT_LOCAL ||
            (b->used & bit(block->statement[j].result)) != 0)
          b->used |= statement_set(&block->statement[j]);
      for (uint8_t j = 0; j < block->phi_count; j++)
        for (uint8_t k = 0; (b->used & bit(block->phi[j])) != 0 && k < b->block_count; k++)
          b->used |= arg_set(block->operand[j][k]);
    }
    if (b->used == old) break;
  }
}

void derive(struct body *b) {
  find_dominators(b);
  find_loops(b);
  find_live(b);
  find_used(b);
}

uint8_t arg_value(const uint8_t *registers, struct arg a) {
  return a.variable ? registers[a.value] : a.value;
}

uint8_t expr_value(const uint8_t *registers, const struct expr *e) {
  uint8_t a = arg_value(registers, e->a), b = arg_value(registers, e->b);
  if (e->kind == COPY) return a;
  if (e->kind == ADD_4) return (uint8_t)((a + b) & 3);
  if (e->kind == SUB_4) return (uint8_t)((a - b) & 3);
  switch (e->op) {
  case UNF_OPERATOR_EQ:
    return a == b;
  case UNF_OPERATOR_NE:
    return a != b;
  case UNF_OPERATOR_LT:
    return a < b;
  case UNF_OPERATOR_LE:
    return a <= b;
  case UNF_OPERATOR_GT:
    return a > b;
  case UNF_OPERATOR_GE:
    return a >= b;
  case UNF_OPERATOR_AND:
    return a && b;
  case UNF_OPERATOR_OR:
    return a || b;
  case UNF_OPERATOR_BIT_AND:
    return a & b;
  case UNF_OPERATOR_BIT_OR:
    return a | b;
  default:
    return a ^ b;
  }
}

/* A call that was refused memory can be made again. */
#define TWICE(status, call)                                                                        \
  do {                                                                                             \
    (status) = (call);                                                                             \
    if ((status) == UNF_MEMORY) (status) = (call);                                                 \
  } while (0)

static unf_status arg_term(unf_flow *flow, struct arg a, unf_term *out) {
  unf_status status;
  if (a.variable)
    TWICE(status, unf_term_register(flow, a.value, out));
  else
    TWICE(status, unf_term_constant(flow, a.value, out));
  return status;
}

static unf_status expr_term(unf_flow *flow, const struct expr *e, unf_term *out) {
  unf_term a, b, three;
  unf_operator op = (unf_operator)e->op;
  unf_status status = arg_term(flow, e->a, &a);
  *out = a;
  if (e->kind == COPY || status != UNF_OK) return status;
  if (e->kind == ADD_4) op = UNF_OPERATOR_ADD;
  if (e->kind == SUB_4) op = UNF_OPERATOR_SUB;
  status = arg_term(flow, e->b, &b);
  if (status == UNF_OK) TWICE(status, unf_term_apply(flow, op, a, b, out));
  if (status != UNF_OK || e->kind == COMPARE) return status;
  TWICE(status, unf_term_constant(flow, 3, &three));
  if (status == UNF_OK) TWICE(status, unf_term_apply(flow, UNF_OPERATOR_BIT_AND, *out, three, out));
  return status;
}

static unf_status describe_statement(unf_flow *flow, unf_block block, const struct stmt *s) {
  unf_statement statement = UNF_STATEMENT_INIT(s->kind);
  statement.result = s->result == NO_REGISTER ? UNF_REGISTER_NONE : s->result;
  statement.flags = s->may_fail ? UNF_STATEMENT_MAY_FAIL : 0;
  bool plain = s->kind == UNF_STATEMENT_LOAD || s->kind == UNF_STATEMENT_TRY ||
               s->kind == UNF_STATEMENT_COMPUTE;
  unf_status status = plain ? UNF_OK : expr_term(flow, &s->a, &statement.a);
  if (status == UNF_OK && (s->kind == UNF_STATEMENT_CAS || s->kind == UNF_STATEMENT_EXCHANGE_AWAIT))
    status = arg_term(flow, s->b, &statement.b);
  if (status == UNF_OK && s->indexed) status = arg_term(flow, s->b, &statement.where);
  if (status == UNF_OK) TWICE(status, unf_flow_statement(flow, block, &statement));
  return status;
}

static unf_status describe_block(unf_flow *flow, const struct body *b, uint8_t i) {
  const struct basic *block = &b->block[i];
  unf_status status = UNF_OK;
  for (uint8_t j = 0; j < block->statement_count && status == UNF_OK; j++)
    status = describe_statement(flow, i, &block->statement[j]);
  for (uint8_t j = 0; j < block->edge_count && status == UNF_OK; j++) {
    const struct edge_to *e = &block->edge[j];
    unf_term condition = UNF_TERM_NONE;
    if (!e->always) status = expr_term(flow, &e->condition, &condition);
    if (status == UNF_OK) TWICE(status, unf_flow_edge(flow, i, e->to, condition));
  }
  for (uint8_t j = 0; j < block->phi_count && status == UNF_OK; j++) {
    TWICE(status, unf_flow_phi(flow, i, block->phi[j]));
    for (uint8_t from = 0; from < b->block_count && status == UNF_OK; from++) {
      unf_term term;
      status = arg_term(flow, block->operand[j][from], &term);
      if (status == UNF_OK) TWICE(status, unf_flow_phi_operand(flow, block->phi[j], from, term));
    }
  }
  return status;
}

unf_status describe(unf_flow *flow, const struct body *b) {
  unf_status status = UNF_OK;
  for (uint8_t i = 0; i < b->block_count && status == UNF_OK; i++) {
    unf_block block;
    TWICE(status, unf_flow_block(flow, i % 2 == 0 ? "block" : NULL, &block));
  }
  for (uint8_t i = 0; i < REGISTERS && status == UNF_OK; i++) {
    unf_register variable;
    TWICE(status, unf_flow_register(flow, i % 4 == 0 ? "register" : NULL, &variable));
  }
  for (uint8_t i = 0; i < b->block_count && status == UNF_OK; i++)
    status = describe_block(flow, b, i);
  return status;
}

static void print_arg(struct arg a) {
  printf(a.variable ? "r%u" : "%u", a.value);
}

static void print_expr(const struct expr *e) {
  static const char *const signs[] = {
#define SIGN(name, text) text,
      UNF_OPERATOR_TABLE(SIGN)
#undef SIGN
  };
  print_arg(e->a);
  if (e->kind == COPY) return;
  printf(" %s ", e->kind == ADD_4 ? "+" : e->kind == SUB_4 ? "-" : signs[e->op]);
  print_arg(e->b);
}

void print_body(const struct body *b) {
  for (uint8_t i = 0; i < b->block_count; i++) {
    const struct basic *block = &b->block[i];
    printf("  b%u:\n", i);
    for (uint8_t j = 0; j < block->phi_count; j++) {
      printf("    r%u = phi", block->phi[j]);
      for (uint8_t from = 0; from < b->block_count; from++) {
        printf(" b%u:", from);
        print_arg(block->operand[j][from]);
      }
      printf("\n");
    }
    for (uint8_t j = 0; j < block->statement_count; j++) {
      const struct stmt *s = &block->statement[j];
      printf("    %s", unf_statement_text(s->kind));
      if (s->result != NO_REGISTER) printf(" r%u", s->result);
      printf(" x%u a: ", s->variable);
      print_expr(&s->a);
      printf(" b: ");
      print_arg(s->b);
      printf("%s%s\n", s->indexed ? " indexed" : "", s->may_fail ? " may fail" : "");
    }
    for (uint8_t j = 0; j < block->edge_count; j++) {
      printf("    -> b%u ", block->edge[j].to);
      if (!block->edge[j].always) print_expr(&block->edge[j].condition);
      printf("\n");
    }
  }
}
