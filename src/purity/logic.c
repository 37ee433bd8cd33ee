/*
 * Atoms: from terms and back, their normal form, and when one implies another. Comparisons of truth
 * values are taken apart (whether (a == 4) == 0 is a != 4), addends move to the other side where
 * equality is asked for; an order does not survive that, as sums wrap around.
 */
#include "purity/logic.h"

#include "purity/condition.h"
#include "purity/term.h"

static const uint8_t masks[] = {[UNF_OPERATOR_EQ] = EQUAL,   [UNF_OPERATOR_NE] = LESS | GREATER,
                                [UNF_OPERATOR_LT] = LESS,    [UNF_OPERATOR_LE] = LESS | EQUAL,
                                [UNF_OPERATOR_GT] = GREATER, [UNF_OPERATOR_GE] = GREATER | EQUAL};

unf_operator unfi_mask_operator(uint32_t mask) {
  for (unsigned op = UNF_OPERATOR_EQ; op < UNF_OPERATOR_GE; op++)
    if (masks[op] == mask) return (unf_operator)op;
  return UNF_OPERATOR_GE;
}

static bool holds(uint32_t mask, int64_t a, int64_t b) {
  return (mask & (a < b ? LESS : a == b ? EQUAL : GREATER)) != 0;
}

static uint32_t mirrored(uint32_t mask) {
  return (mask & EQUAL) | ((mask & LESS) != 0 ? GREATER : 0) | ((mask & GREATER) != 0 ? LESS : 0);
}

static bool is_one(const unf_flow *flow, unf_term term) {
  return is_constant(flow, term) && term_at(flow, term)->value == 1;
}

/* Whether a term is 0 or 1 whatever its registers hold. */
static bool is_truth(const unf_flow *flow, unf_term term) {
  const struct term *t = term_at(flow, term);
  if (t->op <= UNF_OPERATOR_OR) return true;
  if (t->op == UNF_OPERATOR_BIT_AND || t->op == UNF_OPERATOR_BIT_OR)
    return is_truth(flow, t->left) && is_truth(flow, t->right);
  return t->op == UNF_OPERATOR_BIT_XOR && is_one(flow, t->right) && is_truth(flow, t->left);
}

/* The term without its constant addend, which becomes *addend. */
static unf_term without_addend(const unf_flow *flow, unf_term term, int64_t *addend) {
  const struct term *t = term_at(flow, term);
  *addend = 0;
  if (t->op != UNF_OPERATOR_ADD || !is_constant(flow, t->right)) return term;
  *addend = term_at(flow, t->right)->value;
  return t->left;
}

static enum form constant_form(bool value) {
  return value ? FORM_TRUE : FORM_FALSE;
}

/* Normalises an atom whose right side is a constant. */
static enum form against_constant(struct logic *logic, struct atom *atom) {
  unf_flow *flow = logic->flow;
  int64_t value = term_at(flow, atom->right)->value, addend;
  if (is_truth(flow, atom->left)) {
    bool one = holds(atom->mask, 1, value), zero = holds(atom->mask, 0, value);
    if (one == zero) return constant_form(one);
    atom->mask = one ? EQUAL : 0;
    return FORM_TERM;
  }
  uint32_t possible = EQUAL | (value > INT64_MIN ? LESS : 0u) | (value < INT64_MAX ? GREATER : 0u);
  if ((atom->mask & possible) == 0 || (possible & ~atom->mask) == 0)
    return constant_form((atom->mask & possible) != 0);
  if (atom->mask != EQUAL && atom->mask != (LESS | GREATER)) return FORM_ATOM;
  unf_term base = without_addend(flow, atom->left, &addend);
  const struct term *t = term_at(flow, base);
  if (addend != 0) {
    atom->left = base;
    atom->right = unfi_term_constant(flow, unfi_operator_value(UNF_OPERATOR_SUB, value, addend));
    logic->refused |= atom->right == UNF_TERM_NONE;
    return logic->refused ? FORM_FALSE : unfi_atom_form(logic, atom);
  }
  if (t->op == UNF_OPERATOR_SUB && value == 0) {
    atom->left = t->left;
    atom->right = t->right;
    return unfi_atom_form(logic, atom);
  }
  return FORM_ATOM;
}

enum form unfi_atom_form(struct logic *logic, struct atom *atom) {
  unf_flow *flow = logic->flow;
  int64_t a, b;
  if (atom->mask == 0 || atom->mask == ALWAYS) return constant_form(atom->mask == ALWAYS);
  if (atom->left == atom->right) return constant_form((atom->mask & EQUAL) != 0);
  bool left = is_constant(flow, atom->left), right = is_constant(flow, atom->right);
  if (left && right)
    return constant_form(
        holds(atom->mask, term_at(flow, atom->left)->value, term_at(flow, atom->right)->value));
  if (left || (!right && atom->left > atom->right))
    *atom = (struct atom){atom->right, atom->left, mirrored(atom->mask)};
  if (left || right) return against_constant(logic, atom);
  if (without_addend(flow, atom->left, &a) == without_addend(flow, atom->right, &b) &&
      (atom->mask == EQUAL || atom->mask == (LESS | GREATER)))
    return constant_form((atom->mask == EQUAL) == (a == b));
  return FORM_ATOM;
}

enum form unfi_term_form(struct logic *logic, unf_term term, bool *positive, struct atom *atom,
                         unf_term operands[2]) {
  unf_flow *flow = logic->flow;
  const struct term *t = term_at(flow, term);
  while (t->op == UNF_OPERATOR_BIT_XOR && is_truth(flow, term)) {
    *positive = !*positive;
    term = t->left;
    t = term_at(flow, term);
  }
  bool truth = is_truth(flow, term);
  bool both = t->op == UNF_OPERATOR_AND || (t->op == UNF_OPERATOR_BIT_AND && truth);
  bool either = t->op == UNF_OPERATOR_OR || (t->op == UNF_OPERATOR_BIT_OR && truth);
  if (both || either) {
    operands[0] = t->left;
    operands[1] = t->right;
    return both == *positive ? FORM_AND : FORM_OR;
  }
  if (t->op <= UNF_OPERATOR_GE) {
    uint32_t mask = masks[t->op];
    *atom = (struct atom){t->left, t->right, *positive ? mask : mask ^ ALWAYS};
  } else {
    *atom = (struct atom){term, logic->zero, *positive ? LESS | GREATER : EQUAL};
  }
  return unfi_atom_form(logic, atom);
}

/*
 * For two constants c < d the cases are: below c, c, between, d, above d; for one constant: below,
 * equal, above. Cases that no value satisfies are omitted.
 */
bool unfi_atoms_related(const struct logic *logic, const struct atom *a, const struct atom *b,
                        uint32_t *a_cases, uint32_t *b_cases) {
  const unf_flow *flow = logic->flow;
  if (a->left != b->left) return false;
  if (a->right == b->right) {
    *a_cases = a->mask;
    *b_cases = b->mask;
    return true;
  }
  if (!is_constant(flow, a->right) || !is_constant(flow, b->right)) return false;
  int64_t c = term_at(flow, a->right)->value, d = term_at(flow, b->right)->value;
  int64_t low = c < d ? c : d, high = c < d ? d : c;
  int64_t between = unfi_operator_value(UNF_OPERATOR_ADD, low, 1);
  int64_t samples[5] = {INT64_MIN, low, between, high, INT64_MAX};
  bool some[5] = {low > INT64_MIN, true, between < high, true, high < INT64_MAX};
  *a_cases = *b_cases = 0;
  for (unsigned i = 0; i < 5; i++) {
    *a_cases |= (uint32_t)(some[i] && holds(a->mask, samples[i], c)) << i;
    *b_cases |= (uint32_t)(some[i] && holds(b->mask, samples[i], d)) << i;
  }
  return true;
}

/* An atom as a term of comparisons; returns UNF_TERM_NONE when refused. */
static unf_term term_of_atom(struct logic *logic, const struct atom *atom) {
  unf_term term =
      unfi_term_make(logic->flow, unfi_mask_operator(atom->mask), atom->left, atom->right);
  logic->refused |= term == UNF_TERM_NONE;
  return term;
}

static unf_term join(struct logic *logic, unf_operator op, unf_term left, unf_term right) {
  if (logic->refused) return UNF_TERM_NONE;
  unf_term term = left == UNF_TERM_NONE ? right : unfi_term_make(logic->flow, op, left, right);
  logic->refused |= term == UNF_TERM_NONE;
  return term;
}

unf_term unfi_condition_term(struct logic *logic, const struct condition *c) {
  unf_term sum = UNF_TERM_NONE;
  for (uint32_t i = 0; i < c->count && !logic->refused; i++) {
    unf_term product = UNF_TERM_NONE;
    for (uint32_t j = 0; j < c->disjuncts[i].count && !logic->refused; j++)
      product =
          join(logic, UNF_OPERATOR_AND, product, term_of_atom(logic, &atoms_of(logic, c, i)[j]));
    if (product == UNF_TERM_NONE) product = unfi_term_constant(logic->flow, 1);
    sum = join(logic, UNF_OPERATOR_OR, sum, product);
  }
  if (c->count == 0) sum = join(logic, UNF_OPERATOR_OR, UNF_TERM_NONE, logic->zero);
  return sum;
}
