/* The events of a configuration by thread, and what each of them needs of other threads. */
#ifndef CONFIGURATION_LANES_H
#define CONFIGURATION_LANES_H

#include "configuration/configuration.h"

/* So many events of a lane. */
struct need {
  uint32_t lane, count;
};

struct lane_step {
  uint32_t event;
  uint32_t need, needs; /* of other lanes: the first in `needs`, and how many */
  uint32_t limit;       /* where in the lane a block that begins here must have ended */
  uint32_t blocks;      /* that the lane needs from here on, whatever the others do */
};

/* A lane is the events of a thread that has some, in their order. */
struct lanes {
  unf_unfolding *u;
  uint32_t count;
  handle_vector events;   /* of the configuration, ascending */
  VECTOR(uint32_t) first; /* by lane, its first step; one more at the end */
  VECTOR(struct lane_step) steps;
  VECTOR(struct need) needs;
};

/* To be freed in any case. Errors: UNF_MEMORY, UNF_LIMIT, UNF_INTERRUPTED. O(size log size +
 * threads named + predecessors). */
unf_status unfi_lanes_begin(struct lanes *lanes, const unf_configuration *c);
void unfi_lanes_free(struct lanes *lanes);

static inline uint32_t lane_size(const struct lanes *l, uint32_t lane) {
  return l->first.data[lane + 1] - l->first.data[lane];
}

/* The blocks that a lane needs when so many of its events have happened. */
static inline uint32_t lane_blocks(const struct lanes *l, uint32_t lane, uint32_t at) {
  return at == lane_size(l, lane) ? 0 : l->steps.data[l->first.data[lane] + at].blocks;
}

#endif
