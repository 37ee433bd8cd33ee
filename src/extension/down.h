/* The state of race reversal (reversal.c), and what it does where an operation is blocked. */
#ifndef EXTENSION_DOWN_H
#define EXTENSION_DOWN_H

#include "extension/attempts.h"
#include "extension/reversal.h"
#include "structure/sparse.h"

struct reversal {
  unf_unfolding *u;
  struct cut M;
  const uint32_t *events; /* of M, causes first */
  uint32_t count;
  bool all; /* operations too whose family computes conflicting extensions on its own */
  uint32_t known;
  position_visitor at_position; /* may be NULL */
  sibling_drawer draw;          /* may be NULL */
  sleeper_finder asleep;        /* may be NULL */
  void *explorer;
  uint32_t single;      /* the only site that counts for the operation at hand, or NONE */
  uint32_t own, before; /* then: site of its thread, and the event that it follows */
  struct sparse P;
  bool few;        /* it has entries at most at these two sites */
  bool some_whole; /* there is a site where it has all that it is to have, which is not entered
                      again */
  uint32_t entered[2];
  handle_vector outs, predecessors;
  struct seen_cuts tried;
  struct attempts *attempts;
  uint32_t settled; /* attempts of the units that are done */
  causes_visitor visit;
  void *user;
  bool found; /* something could be done at the cut at hand */
  unf_status status;
  bool more;
};

/* What may not be left out for the operation of a thread after `before`: that, and what the family
 * needs. */
struct keep {
  uint32_t before, needed;
};

/* The operation became an event of M, or NONE: it was not performed. */
struct keep unfi_keep_of(const struct reversal *r, uint32_t thread, uint32_t before,
                         uint32_t event);
/* Takes what blocks the operation of a thread out of P until it can go on, and visits what it can
 * become then (rule 2). */
void unfi_down(struct reversal *r, uint32_t thread, struct keep keep);

#endif
