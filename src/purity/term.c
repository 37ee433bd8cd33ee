/*
 * Terms: interned, so that equal ones have equal handles, with constants folded and constant
 * addends gathered on the right (x - 1 and -1 + x are both x + -1). A term's operands have smaller
 * handles. What a caller builds is bounded as a tree, so that recursion over terms is.
 */
#include "purity/term.h"

#include <string.h>

#include "base/null.h"
#include "base/text.h"
#include "purity/flow.h"

int64_t unfi_operator_value(unf_operator op, int64_t a, int64_t b) {
  uint64_t x = (uint64_t)a, y = (uint64_t)b;
  switch (op) {
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
    return a != 0 && b != 0;
  case UNF_OPERATOR_OR:
    return a != 0 || b != 0;
  case UNF_OPERATOR_ADD:
    return (int64_t)(x + y);
  case UNF_OPERATOR_SUB:
    return (int64_t)(x - y);
  case UNF_OPERATOR_MUL:
    return (int64_t)(x * y);
  case UNF_OPERATOR_BIT_AND:
    return (int64_t)(x & y);
  case UNF_OPERATOR_BIT_OR:
    return (int64_t)(x | y);
  case UNF_OPERATOR_BIT_XOR:
    return (int64_t)(x ^ y);
  default:
    return 0; /* the leaves have no operands */
  }
}

static uint64_t hash_node(const struct term *t) {
  return mix(mix((uint64_t)t->value, t->op), ((uint64_t)t->left << 32) | t->right);
}

static uint64_t hash_term(const void *owner, uint32_t handle) {
  return hash_node(term_at(owner, handle));
}

static unf_term intern(unf_flow *flow, const struct term *t) {
  uint64_t hash = hash_node(t);
  table_each(&flow->interned, hash, handle) {
    const struct term *other = term_at(flow, handle);
    if (other->value == t->value && other->op == t->op && other->left == t->left &&
        other->right == t->right)
      return handle;
  }
  if (!vector_reserve(flow->context, &flow->terms, (uint64_t)flow->terms.count + 2) ||
      !unfi_table_reserve_dense(flow->context, &flow->interned, hash_term, flow))
    return UNF_TERM_NONE;
  if (flow->terms.count == 0) vector_push(&flow->terms, ((struct term){0}));
  unf_term handle = flow->terms.count;
  vector_push(&flow->terms, *t);
  table_put(&flow->interned, hash, handle);
  return handle;
}

unf_term unfi_term_constant(unf_flow *flow, int64_t value) {
  return intern(flow, &(struct term){value, 0, 0, UNF_OPERATOR_CONSTANT, 1});
}

unf_term unfi_term_register(unf_flow *flow, unf_register variable) {
  return intern(flow, &(struct term){0, variable, 0, UNF_OPERATOR_REGISTER, 1});
}

/* left + value, with addends gathered. */
static unf_term add_constant(unf_flow *flow, unf_term left, int64_t value) {
  const struct term *t = term_at(flow, left);
  if (t->op == UNF_OPERATOR_ADD && is_constant(flow, t->right)) {
    value = unfi_operator_value(UNF_OPERATOR_ADD, value, term_at(flow, t->right)->value);
    left = t->left;
    t = term_at(flow, left);
  }
  if (value == 0) return left;
  uint16_t nodes = (uint16_t)(t->nodes > UINT16_MAX - 2 ? UINT16_MAX : t->nodes + 2);
  unf_term right = unfi_term_constant(flow, value);
  if (right == UNF_TERM_NONE) return right;
  return intern(flow, &(struct term){0, left, right, UNF_OPERATOR_ADD, nodes});
}

unf_term unfi_term_make(unf_flow *flow, unf_operator op, unf_term left, unf_term right) {
  const struct term *l = term_at(flow, left), *r = term_at(flow, right);
  bool left_constant = is_constant(flow, left), right_constant = is_constant(flow, right);
  int64_t lv = l->value, rv = r->value;
  if (left_constant && right_constant)
    return unfi_term_constant(flow, unfi_operator_value(op, lv, rv));
  if (op == UNF_OPERATOR_ADD && right_constant) return add_constant(flow, left, rv);
  if (op == UNF_OPERATOR_ADD && left_constant) return add_constant(flow, right, lv);
  if (op == UNF_OPERATOR_SUB && right_constant)
    return add_constant(flow, left, unfi_operator_value(UNF_OPERATOR_SUB, 0, rv));
  if (op == UNF_OPERATOR_AND && ((left_constant && lv == 0) || (right_constant && rv == 0)))
    return unfi_term_constant(flow, 0);
  if (op == UNF_OPERATOR_OR && ((left_constant && lv != 0) || (right_constant && rv != 0)))
    return unfi_term_constant(flow, 1);
  uint32_t nodes = 1u + l->nodes + r->nodes;
  struct term t = {0, left, right, (uint16_t)op,
                   (uint16_t)(nodes > UINT16_MAX ? UINT16_MAX : nodes)};
  return intern(flow, &t);
}

static bool known_term(const unf_flow *flow, unf_term term) {
  return term != UNF_TERM_NONE && term < flow->terms.count;
}

static unf_status answer(const unf_flow *flow, unf_term term, unf_term *out) {
  if (term == UNF_TERM_NONE) return unfi_refused(flow->context);
  *out = term;
  return UNF_OK;
}

static unf_status unknown(const unf_flow *flow) {
  return unfi_fail(flow->context, UNF_INVALID, "a term, operator or register that does not exist");
}

unf_status unf_term_constant(unf_flow *flow, int64_t value, unf_term *out) {
  RETURN_IF_NULL(flow->context, flow, out);
  return answer(flow, unfi_term_constant(flow, value), out);
}

unf_status unf_term_register(unf_flow *flow, unf_register variable, unf_term *out) {
  RETURN_IF_NULL(flow->context, flow, out);
  if (variable >= flow->variables.count) return unknown(flow);
  return answer(flow, unfi_term_register(flow, variable), out);
}

unf_status unf_term_apply(unf_flow *flow, unf_operator op, unf_term left, unf_term right,
                          unf_term *out) {
  RETURN_IF_NULL(flow->context, flow, out);
  if ((unsigned)op >= UNF_OPERATOR_CONSTANT || !known_term(flow, left) || !known_term(flow, right))
    return unknown(flow);
  if (1u + term_at(flow, left)->nodes + term_at(flow, right)->nodes > UNF_TERM_NODES_MAX)
    return unfi_fail(flow->context, UNF_INVALID, "a term of too many nodes");
  return answer(flow, unfi_term_make(flow, op, left, right), out);
}

unf_status unf_term_view(const unf_flow *flow, unf_term term, unf_term_node *out) {
  RETURN_IF_NULL(flow->context, flow, out);
  if (!known_term(flow, term)) return unknown(flow);
  const struct term *t = term_at(flow, term);
  bool leaf = t->op >= UNF_OPERATOR_CONSTANT;
  *out = (unf_term_node){(unf_operator)t->op, leaf ? UNF_TERM_NONE : t->left,
                         leaf ? UNF_TERM_NONE : t->right, t->value,
                         t->op == UNF_OPERATOR_REGISTER ? t->left : UNF_REGISTER_NONE};
  return UNF_OK;
}

static int64_t evaluate(const unf_flow *flow, unf_term term,
                        int64_t (*value)(void *user, unf_register variable), void *user) {
  const struct term *t = term_at(flow, term);
  if (t->op == UNF_OPERATOR_CONSTANT) return t->value;
  if (t->op == UNF_OPERATOR_REGISTER) return value(user, t->left);
  int64_t left = evaluate(flow, t->left, value, user);
  return unfi_operator_value((unf_operator)t->op, left, evaluate(flow, t->right, value, user));
}

unf_status unf_term_evaluate(const unf_flow *flow, unf_term term,
                             int64_t (*value)(void *user, unf_register variable), void *user,
                             int64_t *out) {
  RETURN_IF_NULL(flow->context, flow, value, out);
  if (!known_term(flow, term)) return unknown(flow);
  *out = evaluate(flow, term, value, user);
  return UNF_OK;
}

void unfi_term_visit(const unf_flow *flow, unf_term term,
                     void (*visit)(void *user, unf_register variable), void *user) {
  if (term == UNF_TERM_NONE) return;
  const struct term *t = term_at(flow, term);
  if (t->op == UNF_OPERATOR_REGISTER) visit(user, t->left);
  if (t->op >= UNF_OPERATOR_CONSTANT) return;
  unfi_term_visit(flow, t->left, visit, user);
  unfi_term_visit(flow, t->right, visit, user);
}

/* How tightly an operator binds, as in C; leaves bind tightest. */
static unsigned binding(unsigned op) {
  static const uint8_t levels[] = {
      [UNF_OPERATOR_OR] = 1,       [UNF_OPERATOR_AND] = 2,     [UNF_OPERATOR_BIT_OR] = 3,
      [UNF_OPERATOR_BIT_XOR] = 4,  [UNF_OPERATOR_BIT_AND] = 5, [UNF_OPERATOR_EQ] = 6,
      [UNF_OPERATOR_NE] = 6,       [UNF_OPERATOR_LT] = 7,      [UNF_OPERATOR_LE] = 7,
      [UNF_OPERATOR_GT] = 7,       [UNF_OPERATOR_GE] = 7,      [UNF_OPERATOR_ADD] = 8,
      [UNF_OPERATOR_SUB] = 8,      [UNF_OPERATOR_MUL] = 9,     [UNF_OPERATOR_CONSTANT] = 10,
      [UNF_OPERATOR_REGISTER] = 10};
  return levels[op];
}

static void write_term(const unf_flow *flow, unf_term term, unsigned outer, struct text *text) {
  static const char *const signs[] = {
#define SIGN(name, text) " " text " ",
      UNF_OPERATOR_TABLE(SIGN)
#undef SIGN
  };
  const struct term *t = term_at(flow, term);
  unsigned level = binding(t->op);
  if (t->op == UNF_OPERATOR_CONSTANT) {
    unfi_text_i64(text, t->value);
  } else if (t->op == UNF_OPERATOR_REGISTER) {
    size_t used = text->length < text->size ? text->length : text->size;
    size_t left = text->size - used;
    text->length += unfi_register_text(flow, t->left, left > 0 ? text->buffer + used : NULL, left);
  } else {
    if (level < outer) unfi_text_add(text, "(");
    write_term(flow, t->left, level, text);
    unfi_text_add(text, signs[t->op]);
    write_term(flow, t->right, level + (t->op != UNF_OPERATOR_OR && t->op != UNF_OPERATOR_AND),
               text);
    if (level < outer) unfi_text_add(text, ")");
  }
}

size_t unf_term_text(const unf_flow *flow, unf_term term, char *buffer, size_t size) {
  struct text text = unfi_text(buffer, size);
  if (flow != NULL && known_term(flow, term)) write_term(flow, term, 0, &text);
  return text.length;
}
