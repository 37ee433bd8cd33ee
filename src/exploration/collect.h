/* Giving events back. */
#ifndef EXPLORATION_COLLECT_H
#define EXPLORATION_COLLECT_H

#include <unfold/explore.h>

#include "exploration/strategies/strategy.h"

struct collecting {
  uint64_t every; /* see unf_explorer_options.collect; 0: never */
  uint32_t percent;
  uint32_t left; /* events when some were freed last */
  bool dropped;  /* the last run was dropped: the next one, which is that again, is to find what it
                    left, so that what is newer stays newer */
};

/* Gives events back if it is time to; between runs, with the branch decided. */
unf_status unfi_collect(unf_explorer *x);
/* Visits C ∪ D of all nodes that are left. */
void unfi_each_member(unf_explorer *x, handle_visitor visit, void *user);

#endif
