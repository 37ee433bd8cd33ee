/*
 * Reader of expressions: C's operators on integers, by precedence climbing. An expression is a tree
 * in the program's pool, without operations in it.
 */
#include "effects.h"
#include "parser.h"

#include <string.h>

static uint32_t binary_expression(parser *p, int lowest);

static uint32_t add_expression(parser *p, const token *at, expression_kind kind) {
  program *g = p->program;
  g->expressions = oracle_reserve(g->expressions, g->expression_count, &g->expression_capacity,
                                  sizeof *g->expressions);
  expression *e = &g->expressions[g->expression_count];
  memset(e, 0, sizeof *e);
  e->kind = kind;
  e->left = e->right = e->place = ORACLE_NONE;
  e->line = at->line;
  return (uint32_t)g->expression_count++;
}

uint32_t parser_index(parser *p, const symbol *s, const token *at) {
  if (!parser_accept(p, '[')) {
    if (s->array) parser_fail(p, at, "an array or a family needs an index");
    return ORACLE_NONE;
  }
  if (!s->array) parser_fail(p, at, "an index on a scalar");
  uint32_t index = parser_expression(p);
  parser_expect(p, ']', "expected ]");
  return index;
}

static uint32_t named_value(parser *p) {
  const token *at = parser_peek(p);
  char name[ORACLE_NAME_MAX];
  parser_copy_name(p, name);
  const scoped_register *r = parser_register(p, name);
  if (r != NULL) {
    uint32_t e = add_expression(p, at, EXPRESSION_REGISTER);
    p->program->expressions[e].place = r->place;
    return e;
  }
  const symbol *s = parser_symbol(p, name);
  bool closed = s == NULL && strcmp(name, "closed") == 0;
  if (closed || (s == NULL && strcmp(name, "empty") == 0)) {
    uint32_t e = add_expression(p, at, EXPRESSION_CONSTANT);
    p->program->expressions[e].value = closed ? MESSAGE_CLOSED : MESSAGE_EMPTY;
    return e;
  }
  if (s == NULL || s->kind != SYMBOL_SHARED) {
    parser_fail(p, at,
                s == NULL ? "an undeclared name" : "this name has no value in an expression");
    return 0;
  }
  uint32_t place = (uint32_t)(s - p->program->symbols);
  uint32_t index = parser_index(p, s, at);
  uint32_t e = add_expression(p, at, EXPRESSION_SHARED);
  p->program->expressions[e].place = place;
  p->program->expressions[e].left = index;
  return e;
}

static uint32_t unary_expression(parser *p) {
  const token *at = parser_peek(p);
  if (parser_at(p, '-') || parser_at(p, '!') || parser_at(p, '~')) {
    parser_skip(p);
    uint32_t operand = unary_expression(p);
    uint32_t e = add_expression(p, at, EXPRESSION_UNARY);
    p->program->expressions[e].operator= at->kind;
    p->program->expressions[e].left = operand;
    return e;
  }
  if (parser_accept(p, '(')) {
    uint32_t e = parser_expression(p);
    parser_expect(p, ')', "expected )");
    return e;
  }
  if (parser_accept(p, TOKEN_NUMBER)) {
    uint32_t e = add_expression(p, at, EXPRESSION_CONSTANT);
    p->program->expressions[e].value = at->value;
    return e;
  }
  return named_value(p);
}

/* 1 … 10, weakest first; 0 for what is no binary operator. */
static int precedence(uint32_t kind) {
  switch (kind) {
  case TOKEN2('|', '|'):
    return 1;
  case TOKEN2('&', '&'):
    return 2;
  case '|':
    return 3;
  case '^':
    return 4;
  case '&':
    return 5;
  case TOKEN2('=', '='):
  case TOKEN2('!', '='):
    return 6;
  case '<':
  case '>':
  case TOKEN2('<', '='):
  case TOKEN2('>', '='):
    return 7;
  case TOKEN2('<', '<'):
  case TOKEN2('>', '>'):
    return 8;
  case '+':
  case '-':
    return 9;
  case '*':
  case '/':
  case '%':
    return 10;
  default:
    return 0;
  }
}
#define PRECEDENCE_SUM 9

static uint32_t binary_expression(parser *p, int lowest) {
  uint32_t left = unary_expression(p);
  for (;;) {
    const token *at = parser_peek(p);
    int strength = precedence(at->kind);
    if (strength < lowest || strength == 0) return left;
    parser_skip(p);
    uint32_t right = binary_expression(p, strength + 1);
    uint32_t e = add_expression(p, at, EXPRESSION_BINARY);
    p->program->expressions[e].operator= at->kind;
    p->program->expressions[e].left = left;
    p->program->expressions[e].right = right;
    left = e;
  }
}

uint32_t parser_expression(parser *p) {
  return binary_expression(p, 1);
}

uint32_t parser_sum(parser *p) {
  return binary_expression(p, PRECEDENCE_SUM);
}
