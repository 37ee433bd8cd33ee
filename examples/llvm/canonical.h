/*
 * Names of inputs and of terms by which states are compared. A program that runs for ever asks for
 * ever new inputs, so that no state would come again; but which input a value is does not matter
 * once it is forgotten. So an input has as its name the thread and the place that asked for it, and
 * the first number which no input of that thread and place has that is still used: an input that is
 * asked for again and again has two numbers in turn. Two inputs that are used have different names.
 */
#ifndef LLVM_CANONICAL_H
#define LLVM_CANONICAL_H

#include <unfold/unfold.h>

#include "uses.h"

/* Who asked for an input, and where; 0: it is compared by its own number. */
struct input_name {
  uint64_t place;
  uint32_t number;
  unf_event after;
};

struct canonical {
  struct knowledge *knowledge;
  unf_hash hash;
  struct input_name *names; /* by input */
  uint32_t name_room;
  unf_fingerprint *terms; /* by term, as far as they were looked at */
  uint32_t term_count, term_room;
  unf_status status;
};

void canonical_make(struct canonical *canonical, struct knowledge *knowledge, unf_hash hash);
void canonical_free(struct canonical *canonical);
/* A thread asked for an input, a term, at a place behind an event. */
void canonical_name(struct canonical *canonical, struct uses *uses, unf_thread thread,
                    unf_event after, uint64_t place, term input);
/* What a term is, by these names. Failures are in status. */
unf_fingerprint canonical_term(struct canonical *canonical, term a);
/* Whether two of the inputs that are used have one name. */
bool canonical_is_ambiguous(const struct canonical *canonical, const bool *used);

#endif
