/* The memory of a search that learns, see learning.c. */
#ifndef ALTERNATIVE_LESSONS_H
#define ALTERNATIVE_LESSONS_H

#include "base/vector.h"

/* A candidate that was chosen. */
struct choice {
  uint32_t candidate, spike;
  uint32_t level;               /* decisions up to it, itself included if it is one */
  bool forced;                  /* it was the only one left of its spike */
  bool seen;                    /* by the analysis of a failure */
  bool admitted;                /* it brought events that consistency depends on */
  uint32_t removals, satisfied; /* how many there were before it */
};

struct lessons {
  VECTOR(uint32_t) nogoods; /* records, one after the other */
  VECTOR(uint32_t) numbers; /* by candidate and by spike */
  VECTOR(uint64_t) live;    /* bits: candidates that go with what was chosen */
  VECTOR(struct choice) trail;
  VECTOR(uint32_t) removals;  /* candidates, in the order in which they were removed */
  VECTOR(uint32_t) satisfied; /* spikes, in the order in which they were satisfied */
  VECTOR(uint32_t) queue;     /* spikes that have one candidate left */
  VECTOR(uint32_t) members;   /* of the nogood that is being made */
  VECTOR(double) weights;     /* by spike: how often, and how lately, it was part of a failure */
};

void unfi_lessons_free(unf_context *context, struct lessons *lessons);

#endif
