/*
 * The exploration tree, for orders other than depth-first.
 *
 * A strand is what one execution adds to the tree: the steps after the node where it forks from its
 * parent, the strand that performed the steps before. At a node the branches are ordered: first
 * that of the strand on which the node lies, then the strands that fork there, in the order in
 * which they were found. All branches left of one are in its D, whether they were explored yet or
 * not, so D is fixed when a strand is made. Steps are interned events, and two strands have no node
 * in common, so the tree costs four bytes for each node.
 *
 * A strand whose steps are only its clue is a leaf that waits. After an execution every node of its
 * strand is asked for further branches as far as they are known to exist, so that there is a choice
 * of leaves. Whether there are more can be decided only when all that is left of them is done
 * (Algorithm 11 of the extended CAV 2020 paper): that is the sweep, which goes through the tree as
 * a depth-first search would. It rests at a leaf that waits, and goes on when that is done. At each
 * node it asks once more, and then leaves the node for good; behind it everything is freed.
 * Against the paper, a leaf to which it comes may be done already; it then goes on from there.
 */
#ifndef EXPLORATION_ORDERS_STRAND_H
#define EXPLORATION_ORDERS_STRAND_H

#include <unfold/explore.h>

#include "configuration/configuration.h"

enum strand_state {
  STRAND_FREE,
  STRAND_WAITS,    /* a leaf; its steps are the clue */
  STRAND_RUNS,     /* its execution is the one at hand, or the last one, not yet taken in */
  STRAND_EXPLORED, /* executed */
  STRAND_LEFT      /* the sweep has left all of it; only its first event is kept, for D */
};

/* In the events of a strand, while the schedule is bounded: the step was a preemption. */
#define PREEMPTION_TAG 0x80000000u

struct strand {
  enum strand_state state;
  uint32_t parent, fork; /* NONE and 0 for the root */
  uint32_t place;        /* among the strands that fork there, from 1 on */
  uint32_t group;        /* the first of them, which alone has ... */
  uint32_t last;         /* ... the last of them, ... */
  uint32_t undone;       /* ... the first that is not known to be left, or NONE, ... */
  uint32_t waiting;      /* ... and how many of them wait */
  uint32_t level;        /* number of strands on the way to it */
  uint32_t first;        /* its first event, which is D for those right of it */
  uint32_t *events;      /* from the fork on */
  uint32_t count;        /* of events */
  uint32_t head, tail;   /* strands that fork from it: the deepest fork first */
  uint32_t next, prev;   /* in the parent's list; next also in the list of free ones */
  uint32_t leaf;         /* place among the leaves, while it waits */
  uint32_t asked;        /* nodes from here on were asked since it was executed */
  uint32_t swept;        /* nodes from here on were left for good */
  uint32_t saves;        /* states of the front-end at its nodes, deepest first */
  uint64_t run;          /* number of its execution */
  uint64_t discovered;   /* size of U when all its nodes were asked, ... */
  uint64_t began;        /* ... and when the first of them was, if they are being asked */
  bool drawn;            /* siblings were drawn at its nodes, so that there may be more */
};

/* The node of a strand after so many steps of the whole execution. */
static inline uint32_t strand_end(const struct strand *s) {
  return s->fork + s->count;
}

/* A leaf with the clue, as the last branch of a node. Returns false when refused. */
bool unfi_strand_add(unf_explorer *x, uint32_t parent, uint32_t fork, const uint32_t *clue,
                     uint32_t count);
/* Keeps the first event only. */
void unfi_strand_empty(unf_explorer *x, uint32_t strand);
/* The first strand that forks from one at a node, or NONE. O(1) at the deepest and at the
 * shallowest node where there is one, and beyond these. */
uint32_t unfi_strand_fork(const unf_explorer *x, uint32_t strand, uint32_t node);
/* Takes all strands that fork at the deepest such node out of their parent's list; their numbers
 * may be used again. */
void unfi_strand_remove(unf_explorer *x, uint32_t first);

#endif
