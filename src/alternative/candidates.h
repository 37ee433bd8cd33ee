/* Which events of a set U can contradict events of D at C: an index of U by site, so that each
 * event of D looks only at those that part from its history somewhere. */
#ifndef ALTERNATIVE_CANDIDATES_H
#define ALTERNATIVE_CANDIDATES_H

#include "alternative/comb.h"

/* An event of U at a site, and what its history has there. */
struct seat {
  uint32_t event; /* its place in U */
  uint32_t entry;
};

/* Of a site: */
struct row {
  uint32_t entry;        /* what histories of D have there; 0: nothing */
  bool several;          /* not all of them the same */
  uint32_t first, count; /* seats */
  uint32_t last;         /* of the events of D of this thread, the place in D of one, plus one */
};

struct candidates {
  unf_unfolding *u;
  const unf_event *U, *D;
  VECTOR(struct row) rows; /* by site */
  VECTOR(struct seat) seats;
  VECTOR(uint32_t) next;   /* by place in D: another event of its thread, plus one */
  VECTOR(uint32_t) looked; /* by place in U: the last event of D that looked at it, plus one */
  VECTOR(uint32_t) usable; /* places in U */
};

/* Makes the index of those events of U that are compatible with C and avoid D. */
unf_status unfi_candidates_make(struct candidates *c, unf_unfolding *u, const unf_event *U,
                                uint32_t U_count, struct cut C, const unf_event *D,
                                uint32_t D_count);
void unfi_candidates_free(struct candidates *c);
/* Adds those that are in conflict with event i of D to the last spike of a comb; *read counts the
 * events that were looked at. Returns false when refused. */
bool unfi_candidates_add(struct candidates *c, uint32_t i, struct comb *comb, uint64_t *read);

#endif
