/* What was tried on the way to reversals of races, kept from one configuration to the next. */
#ifndef EXTENSION_ATTEMPTS_H
#define EXTENSION_ATTEMPTS_H

#include "base/table.h"
#include "configuration/configuration.h"
#include "structure/sparse.h"

/* What was tried for a thread that is blocked after `before`: what a location of memory had. */
struct attempt {
  uint32_t thread, before, entry;
};
struct attempts {
  VECTOR(struct attempt) list;
  struct table table;
  uint32_t position, race, thread; /* where a call that was refused stood: in the events, in the
                                      races of one, in the threads behind them */
  uint32_t out;                    /* what P is without, with its successors, if that is one event
                                      and an action was possible after P; else 0 */
  struct sparse P;                 /* room for the next reversal, as the following */
  handle_vector outs, predecessors;
  struct seen_cuts cuts;
  VECTOR(uint32_t) whole; /* by site: number of the P that has all that it is to have there */
  uint32_t made;          /* number of the P at hand */
};

/* Whether this was tried; it is then remembered. Returns false when refused. */
bool unfi_attempt(unf_context *context, struct attempts *attempts, const struct attempt *attempt,
                  bool *seen);
/* Forgets all but the first of them: a unit that begins again has tried nothing yet. */
void unfi_attempts_back(struct attempts *attempts, uint32_t count);
void unfi_attempts_forget(unf_context *context, struct attempts *attempts);
void unfi_attempts_free(unf_context *context, struct attempts *attempts);

#endif
