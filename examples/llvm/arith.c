#include "arith.h"

#include <math.h>
#include <string.h>

#include "code.h"
#include "terms.h"

term value_term(struct terms *terms, struct value value) {
  return value.term != TERM_NONE ? value.term : terms_constant(terms, value.number);
}

struct value value_of(const struct terms *terms, term a) {
  struct value value = {0, a};
  if (a == TERM_NONE) return value;
  if (terms_is_constant(terms, a, &value.number))
    value.term = TERM_NONE;
  else
    value.number = 0;
  return value;
}

static struct value binary(struct terms *t, enum term_operator op, struct value a, struct value b) {
  if (value_known(a) && value_known(b)) return value_number(term_apply(op, a.number, b.number));
  return value_of(t, terms_binary(t, op, value_term(t, a), value_term(t, b)));
}

static struct value with(struct terms *t, enum term_operator op, struct value a, int64_t b) {
  return binary(t, op, a, value_number(b));
}

/* Whether the ranges of a term say that it is such a number already. */
static bool lies_between(const struct terms *t, struct value a, int64_t low, int64_t high) {
  const struct term_node *n = terms_node(t, a.term);
  return n->low >= low && n->high <= high;
}

static int64_t mask_of(unsigned width) {
  return width == 64 ? -1 : (int64_t)((UINT64_C(1) << width) - 1);
}

static int64_t least(unsigned width) {
  return (int64_t)(UINT64_MAX << (width - 1));
}

struct value arith_truncate(struct terms *t, struct value a, unsigned width) {
  if (width == 64) return a;
  if (width == 1) {
    if (value_known(a)) return value_number(a.number & 1);
    return lies_between(t, a, 0, 1) ? a : with(t, TERM_AND, a, 1);
  }
  const unsigned rest = 64 - width;
  if (value_known(a))
    return value_number(
        term_apply(TERM_SHIFT_RIGHT, term_apply(TERM_SHIFT_LEFT, a.number, rest), rest));
  if (lies_between(t, a, least(width), ~least(width))) return a;
  return with(t, TERM_SHIFT_RIGHT, with(t, TERM_SHIFT_LEFT, a, rest), rest);
}

struct value arith_unsigned(struct terms *t, struct value a, unsigned width) {
  if (width == 64 || width == 1) return a;
  if (value_known(a)) return value_number(a.number & mask_of(width));
  return lies_between(t, a, 0, ~least(width)) ? a : with(t, TERM_AND, a, mask_of(width));
}

struct value arith_signed(struct terms *t, struct value a, unsigned width) {
  return width == 1 ? binary(t, TERM_SUBTRACT, value_number(0), a) : a;
}

/* From signs to none, so that a comparison with signs is one without. */
static struct value turn(struct terms *t, struct value a) {
  return with(t, TERM_XOR, a, INT64_MIN);
}

struct value arith_compare(struct terms *t, enum comparison comparison, unsigned width,
                           struct value a, struct value b) {
  const bool ordered = comparison == COMPARE_LESS || comparison == COMPARE_AT_MOST;
  if (ordered) {
    a = arith_signed(t, a, width);
    b = arith_signed(t, b, width);
  }
  if (comparison == COMPARE_BELOW || comparison == COMPARE_AT_MOST_UNSIGNED) {
    a = turn(t, a);
    b = turn(t, b);
  }
  switch (comparison) {
  case COMPARE_EQUAL:
    return binary(t, TERM_EQUAL, a, b);
  case COMPARE_UNEQUAL:
    return arith_not(t, binary(t, TERM_EQUAL, a, b));
  case COMPARE_LESS:
  case COMPARE_BELOW:
    return binary(t, TERM_LESS, a, b);
  default:
    return binary(t, TERM_AT_MOST, a, b);
  }
}

struct value arith_not(struct terms *t, struct value truth) {
  if (value_known(truth)) return value_number(truth.number == 0);
  return value_of(t, terms_not(t, truth.term));
}

struct value arith_and(struct terms *t, struct value a, struct value b) {
  return binary(t, TERM_AND, a, b);
}

struct value arith_select(struct terms *t, struct value condition, struct value yes,
                          struct value no) {
  if (value_known(condition)) return condition.number != 0 ? yes : no;
  return value_of(t, terms_ite(t, condition.term, value_term(t, yes), value_term(t, no)));
}

/* ---- what can be wrong ---- */

struct value arith_divides_by_zero(struct terms *t, struct value b) {
  return with(t, TERM_EQUAL, b, 0);
}

struct value arith_shifts_too_far(struct terms *t, unsigned width, struct value b) {
  return arith_not(
      t, binary(t, TERM_LESS, turn(t, arith_unsigned(t, b, width)), turn(t, value_number(width))));
}

/* Of 64 bits with an operator of its own, of fewer by the result. */
struct value arith_overflows(struct terms *t, enum instruction_kind kind, unsigned width,
                             struct value a, struct value b) {
  if (kind == CODE_SIGNED_DIVIDE || kind == CODE_SIGNED_REMAINDER)
    return arith_and(t, with(t, TERM_EQUAL, a, least(width)), with(t, TERM_EQUAL, b, -1));
  const enum term_operator op = kind == CODE_ADD        ? TERM_ADD_OVERFLOWS
                                : kind == CODE_SUBTRACT ? TERM_SUBTRACT_OVERFLOWS
                                                        : TERM_MULTIPLY_OVERFLOWS;
  const struct value wide = binary(t, op, a, b);
  if (width == 64) return wide;
  const struct value result = binary(t,
                                     kind == CODE_ADD        ? TERM_ADD
                                     : kind == CODE_SUBTRACT ? TERM_SUBTRACT
                                                             : TERM_MULTIPLY,
                                     a, b);
  const struct value low = with(t, TERM_LESS, result, least(width));
  const struct value high = binary(t, TERM_LESS, value_number(~least(width)), result);
  return binary(t, TERM_OR, wide, binary(t, TERM_OR, low, high));
}

/* ---- instructions of two values ---- */

/* Without signs, of 64 bits: what a term with signs does not say. */
static int64_t divide_unsigned(enum instruction_kind kind, int64_t a, int64_t b) {
  if (b == 0) return 0;
  return (int64_t)(kind == CODE_UNSIGNED_DIVIDE ? (uint64_t)a / (uint64_t)b
                                                : (uint64_t)a % (uint64_t)b);
}

/* Terms divide with signs. Of 64 bits without: a divisor from 2^63 on is in the number once or not
 * at all; else half of the number is divided, and what is lost of the quotient is 0 or 1. */
static struct value divide_wide(struct terms *t, struct value a, struct value b) {
  const struct value fits = arith_not(t, binary(t, TERM_LESS, turn(t, a), turn(t, b)));
  const struct value half = with(t, TERM_AND, with(t, TERM_SHIFT_RIGHT, a, 1), INT64_MAX);
  const struct value twice = with(t, TERM_SHIFT_LEFT, binary(t, TERM_DIVIDE, half, b), 1);
  const struct value rest = binary(t, TERM_SUBTRACT, a, binary(t, TERM_MULTIPLY, twice, b));
  const struct value more = arith_not(t, binary(t, TERM_LESS, turn(t, rest), turn(t, b)));
  const struct value large = with(t, TERM_LESS, b, 0);
  return arith_select(t, large, fits, binary(t, TERM_ADD, twice, more));
}

static struct value divide(struct terms *t, enum instruction_kind kind, unsigned width,
                           struct value a, struct value b) {
  a = arith_unsigned(t, a, width);
  b = arith_unsigned(t, b, width);
  if (value_known(a) && value_known(b))
    return value_number(divide_unsigned(kind, a.number, b.number));
  const bool divides = kind == CODE_UNSIGNED_DIVIDE;
  const bool positive =
      terms_node(t, value_term(t, a))->low >= 0 && terms_node(t, value_term(t, b))->low >= 0;
  if (positive) return binary(t, divides ? TERM_DIVIDE : TERM_REMAINDER, a, b);
  const struct value quotient = divide_wide(t, a, b);
  return divides ? quotient : binary(t, TERM_SUBTRACT, a, binary(t, TERM_MULTIPLY, quotient, b));
}

/* With zeros coming in: the copies of the sign are taken away. */
static struct value shift_right(struct terms *t, unsigned width, struct value a, struct value b) {
  if (width < 64) return binary(t, TERM_SHIFT_RIGHT, arith_unsigned(t, a, width), b);
  const struct value signs = with(
      t, TERM_SHIFT_LEFT,
      binary(t, TERM_SHIFT_LEFT, value_number(-1), binary(t, TERM_SUBTRACT, value_number(63), b)),
      1);
  return binary(t, TERM_AND, binary(t, TERM_SHIFT_RIGHT, a, b), with(t, TERM_XOR, signs, -1));
}

void arith_binary(struct terms *t, enum instruction_kind kind, unsigned width, struct value a,
                  struct value b, struct value *result) {
  switch (kind) {
  case CODE_ADD:
    *result = binary(t, TERM_ADD, a, b);
    break;
  case CODE_SUBTRACT:
    *result = binary(t, TERM_SUBTRACT, a, b);
    break;
  case CODE_MULTIPLY:
    *result = binary(t, TERM_MULTIPLY, a, b);
    break;
  case CODE_SIGNED_DIVIDE:
    *result = binary(t, TERM_DIVIDE, a, b);
    break;
  case CODE_SIGNED_REMAINDER:
    *result = binary(t, TERM_REMAINDER, a, b);
    break;
  case CODE_UNSIGNED_DIVIDE:
  case CODE_UNSIGNED_REMAINDER:
    *result = divide(t, kind, width, a, b);
    break;
  case CODE_SHIFT_LEFT:
    *result = binary(t, TERM_SHIFT_LEFT, a, b);
    break;
  case CODE_SHIFT_RIGHT:
    *result = shift_right(t, width, a, b);
    break;
  case CODE_SHIFT_RIGHT_SIGNED:
    *result = binary(t, TERM_SHIFT_RIGHT, a, b);
    break;
  case CODE_AND:
    *result = binary(t, TERM_AND, a, b);
    break;
  case CODE_OR:
    *result = binary(t, TERM_OR, a, b);
    break;
  default:
    *result = binary(t, TERM_XOR, a, b);
    break;
  }
  *result = arith_truncate(t, *result, width);
}

/* ---- floating point ---- */

double arith_to_double(unsigned width, int64_t bits) {
  if (width == 32) {
    const int32_t low = (int32_t)bits;
    float single;
    memcpy(&single, &low, sizeof single);
    return (double)single;
  }
  double number;
  memcpy(&number, &bits, sizeof number);
  return number;
}

int64_t arith_of_double(unsigned width, double number) {
  if (width == 32) {
    const float single = (float)number;
    int32_t low;
    memcpy(&low, &single, sizeof low);
    return low;
  }
  int64_t bits;
  memcpy(&bits, &number, sizeof bits);
  return bits;
}

/* A sum, … of two floats in double and rounded is that of floats. */
int64_t arith_float(enum instruction_kind kind, unsigned width, int64_t a, int64_t b) {
  const double x = arith_to_double(width, a), y = arith_to_double(width, b);
  switch (kind) {
  case CODE_FLOAT_ADD:
    return arith_of_double(width, x + y);
  case CODE_FLOAT_SUBTRACT:
    return arith_of_double(width, x - y);
  case CODE_FLOAT_MULTIPLY:
    return arith_of_double(width, x * y);
  case CODE_FLOAT_DIVIDE:
    return arith_of_double(width, x / y);
  case CODE_FLOAT_REMAINDER:
    return arith_of_double(width, fmod(x, y));
  default:
    return arith_of_double(width, -x);
  }
}

bool arith_float_compare(unsigned width, int64_t a, int64_t b, unsigned set) {
  const double x = arith_to_double(width, a), y = arith_to_double(width, b);
  const unsigned is = x < y ? 1 : x == y ? 2 : x > y ? 4 : 8;
  return (set & is) != 0;
}

/* What does not fit is some number, as in C it has no meaning. */
static int64_t to_integer(double x, bool is_signed) {
  const double limit = 9223372036854775808.0;
  if (x != x) return 0;
  if (!is_signed && x >= limit && x < 2 * limit) return (int64_t)(uint64_t)x;
  return x >= -limit && x < limit ? (int64_t)x : INT64_MIN;
}

int64_t arith_float_convert(enum instruction_kind kind, unsigned from, unsigned to, int64_t a) {
  switch (kind) {
  case CODE_FLOAT_TO_SIGNED:
    return to_integer(arith_to_double(from, a), true);
  case CODE_FLOAT_TO_UNSIGNED:
    return to_integer(arith_to_double(from, a), false);
  case CODE_SIGNED_TO_FLOAT: {
    const int64_t number = from == 1 ? -a : a;
    return to == 32 ? arith_of_double(32, (double)(float)number)
                    : arith_of_double(64, (double)number);
  }
  case CODE_UNSIGNED_TO_FLOAT: {
    const uint64_t number = from == 64 ? (uint64_t)a : (uint64_t)a & (uint64_t)mask_of(from);
    return to == 32 ? arith_of_double(32, (double)(float)number)
                    : arith_of_double(64, (double)number);
  }
  default:
    return arith_of_double(to, arith_to_double(from, a));
  }
}
