/*
 * Terms against the machine's arithmetic: random expressions over inputs are computed directly with
 * numbers, and as terms that are evaluated for the same values of the inputs; the ranges of terms
 * and the predicates of overflow are compared too. With the solver's program as an argument, that
 * is asked about some of them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../src/base/random.h"
#include "solver.h"
#include "terms.h"

enum { INPUTS = 4, DEPTH = 5, EXPRESSIONS = 100000, EVERY = 1000, ASKED = 1000 };

static uint64_t state = 1;

static uint64_t draw(uint64_t below) {
  return splitmix64(&state) % below;
}

static const struct {
  int64_t low, high;
} ranges[INPUTS] = {{0, 2}, {-3, 3}, {INT64_MIN, INT64_MAX}, {-1000000, 70000000000}};

static int64_t number(void) {
  static const int64_t special[] = {0,  1,  -1, 2,         3,         7,
                                    62, 63, 64, INT64_MIN, INT64_MAX, INT64_MIN + 1};
  const uint64_t which = draw(16);
  if (which < 12) return special[which];
  return which < 14 ? (int64_t)draw(100) - 50 : (int64_t)(draw(1u << 31) << 33 ^ draw(1u << 31));
}

static int64_t within(unsigned input) {
  const uint64_t count = (uint64_t)ranges[input].high - (uint64_t)ranges[input].low + 1;
  if (count == 0) return number();
  return (int64_t)((uint64_t)ranges[input].low + draw(count));
}

/* What the compiler makes of it; only where that is defined, else what SMT-LIB says. */
static int64_t compute(enum term_operator op, int64_t a, int64_t b) {
  int64_t out = 0;
  switch (op) {
  case TERM_ADD:
    __builtin_add_overflow(a, b, &out);
    return out;
  case TERM_SUBTRACT:
    __builtin_sub_overflow(a, b, &out);
    return out;
  case TERM_MULTIPLY:
    __builtin_mul_overflow(a, b, &out);
    return out;
  case TERM_DIVIDE:
    if (b == 0) return a < 0 ? 1 : -1;
    return a == INT64_MIN && b == -1 ? a : a / b;
  case TERM_REMAINDER:
    if (b == 0) return a;
    return a == INT64_MIN && b == -1 ? 0 : a % b;
  case TERM_AND:
    return a & b;
  case TERM_OR:
    return a | b;
  case TERM_XOR:
    return a ^ b;
  case TERM_SHIFT_LEFT:
    return b < 0 || b > 63 ? 0 : (int64_t)((uint64_t)a << b);
  case TERM_SHIFT_RIGHT:
    for (int64_t i = b < 0 || b > 63 ? 63 : b; i > 0; i--)
      a = a / 2 - (a < 0 && a % 2 != 0);
    return a;
  case TERM_EQUAL:
    return a == b;
  case TERM_LESS:
    return a < b;
  case TERM_AT_MOST:
    return a <= b;
  case TERM_ADD_OVERFLOWS:
    return __builtin_add_overflow(a, b, &out);
  case TERM_SUBTRACT_OVERFLOWS:
    return __builtin_sub_overflow(a, b, &out);
  default:
    return __builtin_mul_overflow(a, b, &out);
  }
}

struct drawn {
  term term;
  int64_t value;
};

static struct drawn expression(struct terms *t, const int64_t *inputs, int depth) {
  struct drawn a, b, c, out;
  if (depth == 0 || draw(5) == 0) {
    const unsigned input = (unsigned)draw(INPUTS);
    if (draw(3) != 0)
      return (struct drawn){terms_input(t, input, ranges[input].low, ranges[input].high),
                            inputs[input]};
    out.value = number();
    out.term = terms_constant(t, out.value);
    return out;
  }
  a = expression(t, inputs, depth - 1);
  b = draw(8) == 0 ? a : expression(t, inputs, depth - 1);
  const enum term_operator op = (enum term_operator)(TERM_ADD + draw(TERM_ITE - TERM_ADD + 1));
  if (op == TERM_ITE) {
    c = expression(t, inputs, depth - 1);
    return (struct drawn){terms_ite(t, a.term, b.term, c.term), a.value != 0 ? b.value : c.value};
  }
  if (draw(10) == 0) return (struct drawn){terms_not(t, a.term), a.value == 0};
  if (draw(10) == 0) return (struct drawn){terms_truth(t, a.term), a.value != 0};
  return (struct drawn){terms_binary(t, op, a.term, b.term), compute(op, a.value, b.value)};
}

static const char *name(void *user, uint32_t input) {
  static const char *const names[INPUTS] = {"x", "y", "z", "w"};
  (void)user;
  return names[input];
}

static int differ(const struct terms *t, struct drawn e, const char *what, int64_t seen) {
  char text[2000];
  terms_text(t, e.term, name, NULL, text, sizeof text);
  printf("%s: %s\nis %lld, not %lld\n", what, text, (long long)e.value, (long long)seen);
  return EXIT_FAILURE;
}

static int folding(struct terms *t) {
  const term x = terms_input(t, 0, 0, 2), y = terms_input(t, 1, -3, 3);
  const term one = terms_constant(t, 1), less = terms_binary(t, TERM_LESS, x, y);
  int64_t value;
  const struct {
    term a, b;
  } equal[] = {
      {terms_binary(t, TERM_ADD, x, y), terms_binary(t, TERM_ADD, y, x)},
      {terms_not(t, terms_not(t, less)), less},
      {terms_not(t, less), terms_binary(t, TERM_AT_MOST, y, x)},
      {terms_binary(t, TERM_EQUAL, terms_ite(t, less, one, terms_constant(t, 7)), one), less},
      {terms_binary(t, TERM_ADD_OVERFLOWS, x, y), terms_constant(t, 0)},
      {terms_binary(t, TERM_LESS, x, terms_constant(t, 3)), one},
      {terms_input(t, 3, 5, 5), terms_constant(t, 5)}};
  for (size_t i = 0; i < sizeof equal / sizeof *equal; i++)
    if (equal[i].a != equal[i].b) {
      printf("terms %zu of folding differ\n", i);
      return EXIT_FAILURE;
    }
  return terms_is_constant(t, less, &value) ? EXIT_FAILURE : EXIT_SUCCESS;
}

/* For these inputs the term can have this value, and no other one; in what it says no more is wrong
 * than one of the facts. */
static int ask(struct solver *s, struct terms *t, struct drawn e, const int64_t *inputs) {
  term facts[INPUTS + 1];
  int64_t values[INPUTS];
  uint32_t core[INPUTS + 1], size = 0;
  for (unsigned i = 0; i < INPUTS; i++)
    facts[i] = terms_binary(t, TERM_EQUAL, terms_input(t, i, ranges[i].low, ranges[i].high),
                            terms_constant(t, inputs[i]));
  facts[INPUTS] = terms_binary(t, TERM_EQUAL, e.term, terms_constant(t, e.value));
  const enum solver_answer first = solver_ask(s, t, facts, INPUTS + 1, INPUTS, values, core, &size);
  if (first == SOLVER_UNKNOWN) return EXIT_SUCCESS; /* under the limit of steps */
  if (first != SOLVER_YES || memcmp(values, inputs, sizeof values) != 0)
    return differ(t, e, "with the solver it cannot be", (int64_t)first);
  facts[INPUTS] = terms_not(t, facts[INPUTS]);
  const enum solver_answer second =
      solver_ask(s, t, facts, INPUTS + 1, INPUTS, values, core, &size);
  if (second == SOLVER_UNKNOWN) return EXIT_SUCCESS;
  if (second != SOLVER_NO) return differ(t, e, "with the solver it is more", (int64_t)second);
  if (size == 0 || core[size - 1] != INPUTS) return differ(t, e, "core", size);
  return EXIT_SUCCESS;
}

int main(int argc, char **argv) {
  struct terms t;
  struct solver solver = {.program = argc > 1 ? argv[1] : NULL, .steps = 30000};
  int status = EXIT_SUCCESS;
  if (!terms_make(&t) || (argc > 1 && !solver_open(&solver))) return EXIT_FAILURE;
  status = folding(&t);
  for (int i = 0; i < EXPRESSIONS && status == EXIT_SUCCESS; i++) {
    int64_t inputs[INPUTS], value;
    if (i % EVERY == EVERY - 1) {
      terms_free(&t);
      if (!terms_make(&t)) return EXIT_FAILURE;
      solver_forget(&solver);
    }
    for (unsigned j = 0; j < INPUTS; j++)
      inputs[j] = within(j);
    const struct drawn e = expression(&t, inputs, DEPTH);
    if (!terms_evaluate(&t, e.term, inputs, &value)) return EXIT_FAILURE;
    const struct term_node *node = terms_node(&t, e.term);
    if (value != e.value) status = differ(&t, e, "value", value);
    if (argc > 1 && i % ASKED == 0 && status == EXIT_SUCCESS) status = ask(&solver, &t, e, inputs);
    node = terms_node(&t, e.term);
    if (e.value < node->low || e.value > node->high) status = differ(&t, e, "range", node->low);
  }
  terms_free(&t);
  if (argc > 1)
    printf("%llu questions, %llu not decided, %llu processes lost\n",
           (unsigned long long)solver.counts.queries, (unsigned long long)solver.counts.unknown,
           (unsigned long long)solver.counts.lost);
  /* Some are beyond the limit, but not many. */
  if (solver.counts.lost > 0 || solver.counts.unknown > solver.counts.queries / 4)
    status = EXIT_FAILURE;
  solver_close(&solver);
  return status;
}
