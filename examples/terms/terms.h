/*
 * Terms: what a value is as a function of the inputs of a program. Equal terms have equal handles
 * (hash-consing), and what follows from constants and from the ranges of inputs is folded when a
 * term is made, so that a term which is no constant really depends on an input as far as that can
 * be seen. Values are 64-bit and wrap around; a truth value is 0 or 1.
 */
#ifndef TERMS_TERMS_H
#define TERMS_TERMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "marks.h"

/* X(NAME, arguments). Division by zero and shifts by less than 0 or more than 63 are those of
 * SMT-LIB's bit-vectors: a total function, which nobody sees, because an error comes before. */
#define TERM_TABLE(X)                                                                              \
  X(CONSTANT, 0)                                                                                   \
  X(INPUT, 0)                                                                                      \
  X(ADD, 2)                                                                                        \
  X(SUBTRACT, 2)                                                                                   \
  X(MULTIPLY, 2)                                                                                   \
  X(DIVIDE, 2)                                                                                     \
  X(REMAINDER, 2)                                                                                  \
  X(AND, 2)                                                                                        \
  X(OR, 2)                                                                                         \
  X(XOR, 2)                                                                                        \
  X(SHIFT_LEFT, 2)                                                                                 \
  X(SHIFT_RIGHT, 2)                                                                                \
  X(EQUAL, 2)                                                                                      \
  X(LESS, 2)                                                                                       \
  X(AT_MOST, 2)                                                                                    \
  X(ADD_OVERFLOWS, 2)                                                                              \
  X(SUBTRACT_OVERFLOWS, 2)                                                                         \
  X(MULTIPLY_OVERFLOWS, 2)                                                                         \
  X(ITE, 3)

enum term_operator {
#define TERM_ENUM(name, arguments) TERM_##name,
  TERM_TABLE(TERM_ENUM)
#undef TERM_ENUM
      TERM_OPERATORS
};

typedef uint32_t term;
/* No term: where a value is a number; also the answer when there is no memory. */
#define TERM_NONE ((term)0)

struct term_node {
  enum term_operator op;
  term argument[3];
  int64_t value;     /* of a constant; the number of an input */
  int64_t low, high; /* values that it can have lie between */
};

struct terms {
  struct term_node *nodes; /* by handle; the first one is TERM_NONE */
  uint32_t count, room;
  uint32_t *table; /* handles by hash, or 0 */
  uint32_t table_room;
  bool failed; /* there was no memory for a term */
  /* While one is evaluated: values, which terms have theirs, terms to come. */
  int64_t *values;
  struct marks valued;
  term *stack;
  uint32_t value_room, stack_room;
};

/* False: no memory. */
bool terms_make(struct terms *terms);
void terms_free(struct terms *terms);
uint64_t terms_bytes(const struct terms *terms);

/* TERM_NONE, from here on: no memory, or one of the arguments is TERM_NONE. */
term terms_constant(struct terms *terms, int64_t value);
term terms_input(struct terms *terms, uint32_t number, int64_t low, int64_t high);
term terms_binary(struct terms *terms, enum term_operator op, term a, term b);
term terms_ite(struct terms *terms, term condition, term yes, term no);
/* The truth value of a term, and its opposite. */
term terms_truth(struct terms *terms, term a);
term terms_not(struct terms *terms, term a);

static inline const struct term_node *terms_node(const struct terms *terms, term a) {
  return &terms->nodes[a];
}
/* A term with the operator, value and range of one of other terms, over arguments of these. */
term terms_like(struct terms *terms, const struct term_node *node);
/* Whether it is a constant, and which. */
bool terms_is_constant(const struct terms *terms, term a, int64_t *value);

/* Whether the arguments of an operator can be swapped. */
bool term_commutes(enum term_operator op);
/* What an operator of two arguments makes of numbers. */
int64_t term_apply(enum term_operator op, int64_t a, int64_t b);
/* The least and largest values that an operator of two arguments can have, where the arguments have
 * those: low and high of the nodes. */
void term_range(enum term_operator op, const struct term_node *a, const struct term_node *b,
                struct term_node *out);
/* The value of a term for values of the inputs, by number. False: no memory. */
bool terms_evaluate(struct terms *terms, term a, const int64_t *inputs, int64_t *value);

/* Writes a term in the language's syntax, with the names of inputs from a function; what is longer
 * than the buffer ends with dots. */
void terms_text(const struct terms *terms, term a, const char *(*name)(void *user, uint32_t input),
                void *user, char *buffer, size_t size);

#endif
