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
  unf_term left, right; /* a constant stands on the right; else left is the smaller handle */
  uint32_t mask;
};

struct position {
  unf_block block;
  uint32_t statement;
};

#define NOWHERE ((struct position){UNF_BLOCK_NONE, 0})

struct disjunct {
  struct position barrier; /* block UNF_BLOCK_NONE: none */
  bool more;               /* another such statement stands before it */
  uint32_t count;          /* atoms, sorted by their terms */
};

struct condition {
  struct disjunct *disjuncts;
  struct atom *atoms; /* those of disjunct i from i * conjuncts on */
  uint32_t count, capacity;
};

/* What the calculations share. A flag is raised when a bound made something false. */
struct logic {
  unf_flow *flow;
  uint32_t disjuncts, conjuncts;
  unf_term *map; /* by register, for substitution; UNF_TERM_NONE: stays */
  unf_term zero;
  bool refused; /* no memory: results mean nothing */
  bool too_many, too_long;
};

static inline struct atom *atoms_of(const struct logic *logic, const struct condition *c,
                                    uint32_t disjunct) {
  return c->atoms + (size_t)disjunct * logic->conjuncts;
}

/* A condition that is false, with room up to the bound; without room when memory is refused. */
struct condition unfi_condition_new(struct logic *logic);
void unfi_condition_free(struct logic *logic, struct condition *c);
/* A copy with just the room it needs. */
struct condition unfi_condition_copy(struct logic *logic, const struct condition *c);
void unfi_condition_set(struct condition *c, bool value);

/* out = out ∨ a. */
void unfi_condition_or(struct logic *logic, const struct condition *a, struct condition *out);
/* c = c ∧ (term ≠ 0), or with the term negated. */
void unfi_condition_and_term(struct logic *logic, struct condition *c, unf_term term,
                             bool positive);
/* c = c ∧ (left relation right). */
void unfi_condition_and_atom(struct logic *logic, struct condition *c, struct atom atom);
/* Puts logic->map for the registers in c; disjuncts whose terms would grow too
 * large keep theirs. */
void unfi_condition_substitute(struct logic *logic, struct condition *c);

/* logic.c: the outermost form of a comparison or term. */
enum form { FORM_FALSE, FORM_TRUE, FORM_ATOM, FORM_AND, FORM_OR, FORM_TERM };
/* Normalises an atom: a constant, an atom in its normal form, or (FORM_TERM) whether the term
 * atom->left is true (mask EQUAL) or false (mask 0). */
enum form unfi_atom_form(struct logic *logic, struct atom *atom);
/* The same for a term: FORM_AND and FORM_OR of the operands of the term, each positive or not. */
enum form unfi_term_form(struct logic *logic, unf_term term, bool *positive, struct atom *atom,
                         unf_term operands[2]);
/* How two atoms are related: bits for the cases that each admits, among the same cases. False:
 * not at all. */
bool unfi_atoms_related(const struct logic *logic, const struct atom *a, const struct atom *b,
                        uint32_t *a_cases, uint32_t *b_cases);
/* As a term of comparisons; UNF_TERM_NONE: refused. */
unf_term unfi_atom_term(struct logic *logic, const struct atom *atom);
unf_term unfi_condition_term(struct logic *logic, const struct condition *c);
unf_operator unfi_mask_operator(uint32_t mask);

#endif
