/* Conditions as formulas. */
#ifndef PURITY_LOGIC_H
#define PURITY_LOGIC_H

#include "purity/condition.h"

/* The outermost form of a comparison or term. */
enum form { FORM_FALSE, FORM_TRUE, FORM_ATOM, FORM_AND, FORM_OR, FORM_TERM };
/* Normalises an atom: a constant, an atom in its normal form, or (FORM_TERM) whether the term
 * atom->left is true (mask EQUAL) or false (mask 0). */
enum form unfi_atom_form(struct logic *logic, struct atom *atom);
/* As unfi_atom_form(), for a term. FORM_AND and FORM_OR are of the operands of the term, each
 * positive or not. */
enum form unfi_term_form(struct logic *logic, unf_term term, bool *positive, struct atom *atom,
                         unf_term operands[2]);

/* Relates two atoms that compare the same terms: bits of the cases that each admits, among the same
 * cases. Returns false if they compare different terms. */
bool unfi_atoms_related(const struct logic *logic, const struct atom *a, const struct atom *b,
                        uint32_t *a_cases, uint32_t *b_cases);
/* A condition as a term of comparisons; returns UNF_TERM_NONE when refused. */
unf_term unfi_condition_term(struct logic *logic, const struct condition *c);
unf_operator unfi_mask_operator(uint32_t mask);

#endif
