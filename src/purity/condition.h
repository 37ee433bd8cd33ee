/*
 * Conditions in disjunctive normal form, bounded. An atom compares two terms: `mask` says which of
 * less, equal and greater satisfy it. A disjunct is a conjunction of atoms, no two of which imply
 * each other, with its *barrier*: the last statement on its way that may fail, before which a
 * thread must not be stopped.
 */
#ifndef PURITY_CONDITION_H
#define PURITY_CONDITION_H

#include "purity/flow.h"

enum { LESS = 1, EQUAL = 2, GREATER = 4, ALWAYS = 7 };

struct atom {
  unf_term left, right; /* right is a constant, or left has the smaller handle */
  uint32_t mask;
};

struct position {
  unf_block block;
  uint32_t statement;
};

#define NOWHERE ((struct position){UNF_BLOCK_NONE, 0})

struct disjunct {
  struct position barrier; /* block UNF_BLOCK_NONE: no barrier */
  bool more;               /* another statement that may fail stands before the barrier */
  uint32_t count;          /* atoms, sorted by their terms */
};

struct condition {
  struct disjunct *disjuncts;
  struct atom *atoms; /* those of disjunct i from i * conjuncts on */
  uint32_t count, capacity;
};

/* What the calculations share. A flag is set when a bound made a condition false. */
struct logic {
  unf_flow *flow;
  uint32_t disjuncts, conjuncts;
  unf_term *map; /* by register: what to substitute; UNF_TERM_NONE: the register itself */
  unf_term zero;
  bool refused; /* an allocation was refused: results mean nothing */
  bool too_many, too_long;
};

static inline struct atom *atoms_of(const struct logic *logic, const struct condition *c,
                                    uint32_t disjunct) {
  return c->atoms + (size_t)disjunct * logic->conjuncts;
}

/* A condition that is false, with room up to the bound, or without room when refused. */
struct condition unfi_condition_new(struct logic *logic);
void unfi_condition_free(struct logic *logic, struct condition *c);
/* A copy of a condition, with no more room than it needs. */
struct condition unfi_condition_copy(struct logic *logic, const struct condition *c);
void unfi_condition_set(struct condition *c, bool value);

/* out = out ∨ a. */
void unfi_condition_or(struct logic *logic, const struct condition *a, struct condition *out);
/* c = c ∧ (term ≠ 0), or with the term negated. */
void unfi_condition_and_term(struct logic *logic, struct condition *c, unf_term term,
                             bool positive);
/* c = c ∧ (left relation right). */
void unfi_condition_and_atom(struct logic *logic, struct condition *c, struct atom atom);
/* Replaces the registers in c as logic->map says, except in disjuncts whose terms would
 * become too large. */
void unfi_condition_substitute(struct logic *logic, struct condition *c);

#endif
