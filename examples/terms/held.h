/*
 * What is left of facts where some inputs have values. Only what depends on other inputs is made
 * anew, so that a fact over many inputs of which few are left becomes a small one.
 */
#ifndef TERMS_HELD_H
#define TERMS_HELD_H

#include "marks.h"
#include "terms.h"

struct knowledge;
struct remainder;

struct held_inputs {
  struct marks inputs;          /* that have values */
  struct remainder *remainders; /* by term, of those of the question at hand */
  uint32_t room;
};

void held_free(struct held_inputs *held);
uint64_t held_bytes(const struct held_inputs *held);
/* No input has a value. False: no memory. */
bool held_clear(struct knowledge *knowledge);
/* An input has one, which is knowledge->now. */
void held_put(struct knowledge *knowledge, uint32_t input);
/* Each fact becomes what is left of it. O(terms in them). False: no memory. */
bool held_apply(struct knowledge *knowledge, term *facts, uint32_t count);

#endif
