/*
 * Arithmetic on numbers of 1 to 64 bits that may depend on inputs. A number is kept as code.h says;
 * terms (terms.h) are of 64 bits with signs, and what wraps around in fewer bits is written out.
 */
#ifndef LLVM_ARITH_H
#define LLVM_ARITH_H

#include "code.h"
#include "terms.h"

/* A number, or a term over the inputs; then the number is 0. */
struct value {
  int64_t number;
  term term;
};

static inline struct value value_number(int64_t number) {
  return (struct value){number, TERM_NONE};
}
static inline bool value_known(struct value value) {
  return value.term == TERM_NONE;
}

/* A value as a term, and a term as a value. Where there is no memory for a term, terms.failed says
 * so, and values mean nothing. */
term value_term(struct terms *terms, struct value value);
struct value value_of(const struct terms *terms, term a);

/* The lowest bits of a value, as a number of that width. */
struct value arith_truncate(struct terms *terms, struct value a, unsigned width);
/* A number of that width without sign, as one of 64 bits. */
struct value arith_unsigned(struct terms *terms, struct value a, unsigned width);
/* A number of that width with a sign, as one of 64 bits. */
struct value arith_signed(struct terms *terms, struct value a, unsigned width);

/* What an instruction of two values from CODE_ADD to CODE_XOR makes, where nothing is wrong. */
void arith_binary(struct terms *terms, enum instruction_kind kind, unsigned width, struct value a,
                  struct value b, struct value *result);
struct value arith_compare(struct terms *terms, enum comparison comparison, unsigned width,
                           struct value a, struct value b);
struct value arith_select(struct terms *terms, struct value condition, struct value yes,
                          struct value no);
struct value arith_not(struct terms *terms, struct value truth);
struct value arith_and(struct terms *terms, struct value a, struct value b);

/* Whether the divisor is 0; whether a quotient, sum, … is no number of the width; whether a shift
 * is by as many bits as there are, or more. */
struct value arith_divides_by_zero(struct terms *terms, struct value b);
struct value arith_overflows(struct terms *terms, enum instruction_kind kind, unsigned width,
                             struct value a, struct value b);
struct value arith_shifts_too_far(struct terms *terms, unsigned width, struct value b);

/* Floating point, by its bits. */
double arith_to_double(unsigned width, int64_t bits);
int64_t arith_of_double(unsigned width, double number);
int64_t arith_float(enum instruction_kind kind, unsigned width, int64_t a, int64_t b);
bool arith_float_compare(unsigned width, int64_t a, int64_t b, unsigned set);
/* Between numbers of a width and floating point numbers of another. */
int64_t arith_float_convert(enum instruction_kind kind, unsigned from, unsigned to, int64_t a);

#endif
