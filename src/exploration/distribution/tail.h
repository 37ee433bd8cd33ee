/*
 * Steps that are no nodes of a shared tree: a sequence that was inserted, below its first step, as
 * long as no other one leaves it, which is the tail of a node; and those that wait at a node, in
 * blocks, one behind the other. Both are bytes: a step is its number, and a sequence that waits has
 * in front how many steps it has.
 */
#ifndef EXPLORATION_DISTRIBUTION_TAIL_H
#define EXPLORATION_DISTRIBUTION_TAIL_H

#include "exploration/distribution/shared_tree.h"

static inline struct tail *tail_at(const struct shared_tree *tree, uint32_t tail) {
  return &tree->tails.data[tail - 1];
}
static inline uint8_t *tail_bytes(struct tail *tail) {
  return (uint8_t *)(tail + 1);
}

/* Reads steps, one after the other. Nothing may be made meanwhile. */
struct tail_in {
  const uint8_t *at;
  uint32_t left; /* steps */
};
static inline struct tail_in tail_open(const struct shared_tree *tree, uint32_t number) {
  struct tail *tail = tail_at(tree, number);
  return (struct tail_in){tail_bytes(tail) + tail->first, tail->count};
}
static inline uint32_t tail_number(const uint8_t **at) {
  uint32_t number = 0;
  for (unsigned shift = 0;; shift += 7) {
    uint8_t byte = *(*at)++;
    number |= (uint32_t)(byte & 127) << shift;
    if (byte < 128) return number;
  }
}
static inline struct named_step tail_step(const struct shared_tree *tree, struct tail_in *in) {
  in->left--;
  return step_numbered(&tree->numbers, tail_number(&in->at));
}

/* A tail of steps, from 1; 0: refused. */
uint32_t unfi_tail_make(struct shared_tree *tree, const struct named_step *steps, uint32_t count);
/* A tail of steps by their numbers, for which there is room. */
uint32_t unfi_tail_of_numbers(struct shared_tree *tree, const uint32_t *numbers, uint32_t count);
/* Elements of the list of tails that it takes. */
uint64_t unfi_tail_elements(const uint32_t *numbers, uint32_t count);
/* Room for so many elements more than what was promised. Returns false when refused. */
bool unfi_tail_reserve_more(struct shared_tree *tree, uint64_t elements);
/* Has a tail be all that is below a node. */
void unfi_tail_hang(struct shared_tree *tree, uint32_t node, uint32_t tail);
/* The tail below a node is dropped. */
void unfi_tail_cut(struct shared_tree *tree, uint32_t node);
/* Makes nodes of the first steps below a node, for which there is room; the last of these. */
uint32_t unfi_tail_unfold(struct shared_tree *tree, uint32_t node, uint32_t count);

/* Has a sequence wait at a node, behind others. Returns false when refused. */
bool unfi_tail_wait(struct shared_tree *tree, uint32_t node, const struct named_step *steps,
                    uint32_t count);
/* Room for what waits at a node to be taken out, and each sequence to wait elsewhere, or to be a
 * tail. Returns false when refused. */
bool unfi_tail_reserve(struct shared_tree *tree, uint32_t node);
/* Takes out the sequence that waits for the longest time, for which there is that room, into
 * `rest`; how many steps it has, 0: there is none. */
uint32_t unfi_tail_awaken(struct shared_tree *tree, uint32_t node);

/* Goes through what waits at a node. All zero is in front of it. */
struct tail_at {
  uint32_t block, at; /* the byte behind what was read */
};
/* The next sequence; false: there is none. */
bool unfi_tail_next(const struct shared_tree *tree, uint32_t node, struct tail_at *at,
                    struct tail_in *in);

#endif
