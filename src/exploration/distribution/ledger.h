/*
 * The ledger: the shared tree, who has which item, and what reports say.
 */
#ifndef EXPLORATION_DISTRIBUTION_LEDGER_H
#define EXPLORATION_DISTRIBUTION_LEDGER_H

#include <unfold/distribute.h>

#include "exploration/distribution/letter.h"
#include "exploration/distribution/shared_tree.h"

struct given {
  uint64_t number;
  uint32_t node;
};

/* To be inserted at a node of the way to an item. */
struct sequence {
  uint32_t depth, first, count;
};

/* A node from the root of an item down: where its branches stand, and the way to the next. */
struct level {
  uint32_t done, done_count, left;
  struct named_step way;
  bool free; /* the next one is */
};

/* What a report says, until all of it is read. */
struct report_in {
  VECTOR(struct sequence) sequences;
  VECTOR(struct named_step) steps; /* of the sequences, one after the other */
  VECTOR(struct level) levels;
  struct branches done; /* with all that are below each */
  VECTOR(uint32_t)
  left;       /* by levels a tree, in numbers of steps: each step, what is below it, 0; and 0 */
  bool whole; /* the levels are what is below the root now */
  uint32_t shared; /* at so many of the levels what is left is given away */
  bool finished;   /* then what is done is that at the root */
};

struct unf_ledger {
  unf_unfolding *u;
  struct shared_tree tree;
  VECTOR(struct given) given; /* by ascending number */
  uint64_t numbers;           /* that were used */
  uint64_t finished, lost, sequences, inserted, splits;
  struct letter letter;
  struct letter_in read;
  struct report_in report;
  VECTOR(uint32_t) above; /* scratch */
};

/* An empty one, without a tree. */
unf_status unfi_ledger_make(unf_unfolding *u, unf_ledger **out);

#endif
