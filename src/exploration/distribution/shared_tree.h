/*
 * The part of an exploration tree that several workers share: nodes by their actions, with the
 * items in it.
 *
 * A node is *free* if nothing was decided beyond it when it was entered: its sleep set is empty,
 * and no sequence is ever inserted into what is below it from outside. Nodes are appended to the
 * right of their siblings only, so what is left of a node was decided on when it was made.
 *
 * An item is a node that somebody explores alone, with all that is below it. As long as nobody has
 * it, its wakeup tree stands below it, and sequences for that wait at the node until it is given
 * away. While somebody has it, they wait until the item ends there, in one way or another. What was
 * explored below a node that is not free stays for those that still come, until none can: as the
 * list that was reported, of which nodes are made when one comes. A sequence that was inserted is a
 * node with a tail, of which nodes are made where another one leaves it.
 */
#ifndef EXPLORATION_DISTRIBUTION_SHARED_TREE_H
#define EXPLORATION_DISTRIBUTION_SHARED_TREE_H

#include "exploration/distribution/branches.h"
#include "exploration/distribution/step_numbers.h"

enum node_state {
  NODE_INNER, /* it has, or had, children */
  NODE_OPEN,  /* an item that nobody has; what is below it is inner */
  NODE_GIVEN, /* an item that somebody has */
  NODE_HELD,  /* in an item that somebody has: what was left of it, by the last report */
  NODE_DONE   /* all below it is explored */
};

/* Of a list of what was explored, from 1; 0: none. */
struct stretch {
  uint32_t list, first, count;
};

/* Nodes are numbered from 1; 0: none. */
struct shared_node {
  struct named_step step;
  uint32_t depth, parent;
  uint32_t first, last, next; /* children; the next sibling, or the next unused node */
  uint32_t swept;             /* all children up to this one are done, and have no nodes left */
  uint32_t open, unfinished;  /* items in what is below it, the node included: that nobody has; that
                                 are not done */
  uint32_t late;              /* the last block of what waits at it, from 1; 0: nothing does */
  uint32_t tail;              /* all that is below it, from 1; 0: that are nodes */
  struct stretch explored;    /* of what was explored below it; 0: that are nodes */
  uint8_t state;
  bool free;
};

/* One step below the other, down to a free node; or a block of sequences that wait. Its bytes stand
 * behind it, in as many elements of the list of tails as it takes. */
struct tail {
  uint32_t first; /* the byte from which on something is left */
  uint32_t count; /* of steps that are left; of a block of bytes, with those in front of `first` */
  uint32_t elements;
  uint32_t next; /* block that waits at its node, from 1; behind the last one the first. Or the next
                    unused one of its size; 0: none */
};

/* Tails that are not used are listed by their size: each below the first bound, and then up to
 * powers of two. */
enum { TAIL_SIZES = 64, TAIL_SIZES_EACH = 32 };

/* What was explored in an item. */
struct explored {
  struct branches branches;
  uint32_t users; /* nodes with a part of it, and whoever makes it */
  uint32_t next;  /* without users: the next unused one, from 1 */
};

struct shared_tree {
  unf_unfolding *u;
  VECTOR(struct shared_node) nodes;
  uint32_t unused, count; /* the first unused node; how many are used */
  uint64_t most;          /* with what is in tails and lists */
  VECTOR(struct tail) tails;
  uint32_t tails_unused[TAIL_SIZES];
  uint64_t in_tails;              /* steps below nodes */
  uint64_t promised;              /* elements of the list of tails, to what is being taken out */
  VECTOR(struct named_step) rest; /* scratch: a sequence that was taken out */
  VECTOR(uint8_t) bytes;          /* scratch: of a sequence */
  struct step_numbers numbers;
  VECTOR(struct explored) explored;
  uint32_t explored_unused;
  uint64_t listed, held;         /* branches in parts of these lists, and in lists */
  VECTOR(struct named_step) way; /* scratch */
  VECTOR(uint32_t) asleep;       /* scratch: actions */
};

static inline struct shared_node *shared_node_at(const struct shared_tree *tree, uint32_t node) {
  return &tree->nodes.data[node - 1];
}

/* Siblings lie anywhere in memory: while one is looked at the next one may come. */
static inline void shared_fetch_next(const struct shared_tree *tree, const struct shared_node *n) {
  if (n->next != 0) __builtin_prefetch(shared_node_at(tree, n->next));
}

/* The root, as an open item. Returns false when refused. */
bool unfi_shared_begin(struct shared_tree *tree);
void unfi_shared_end(struct shared_tree *tree);

/* With what is in tails and lists. */
static inline uint64_t shared_count(const struct shared_tree *tree) {
  return tree->count + tree->in_tails + tree->listed;
}

static inline void shared_note_most(struct shared_tree *tree) {
  if (shared_count(tree) > tree->most) tree->most = shared_count(tree);
}

/* Room for so many nodes more. Returns false when refused. */
bool unfi_shared_reserve(struct shared_tree *tree, uint64_t more);
/* Appends a child, for which there is room. */
uint32_t unfi_shared_append(struct shared_tree *tree, uint32_t parent, struct named_step step,
                            enum node_state state, bool is_free);
/* Adds a child in front of all others: only for what is done. */
uint32_t unfi_shared_prepend(struct shared_tree *tree, uint32_t parent, struct named_step step);
void unfi_shared_set_state(struct shared_tree *tree, uint32_t node, enum node_state state);

/* The leftmost open item; 0: none. */
uint32_t unfi_shared_leftmost(struct shared_tree *tree);
/* Whether no sequence can come to a node any more. */
bool unfi_shared_is_closed(const struct shared_tree *tree, uint32_t node);

/* Visits what is below a node: each node, what is below it, and 0; at last 0. Returns false when a
 * visit did, which ends it. */
typedef bool (*shared_visitor)(void *user, uint32_t node);
bool unfi_shared_walk(const struct shared_tree *tree, uint32_t root, shared_visitor visit,
                      void *user);

/* Of the values that the operation of a step can have, a worker has another one explored when it
 * finds one: sets *step to the first that is asleep neither at the node nor left of `from`; unsets
 * *any if there is none. */
unf_status unfi_shared_draw(struct shared_tree *tree, uint32_t node, uint32_t from,
                            struct named_step *step, bool *any);
/* Inserts a sequence of a worker's, whose list is overwritten, at a node, of which the worker's
 * item is below the child `from`. *inserted: it was not covered. */
unf_status unfi_shared_insert(struct shared_tree *tree, uint32_t node, uint32_t from,
                              struct named_step *sequence, uint32_t count, bool *inserted);
/* How many nodes are made, at most, when what waits at a node is inserted, but for those that are
 * in lists: the steps of these sequences, and one for each. */
uint64_t unfi_shared_late_room(const struct shared_tree *tree, uint32_t node);
/* Room for that, and for so many nodes more. Returns false when refused. */
bool unfi_shared_reserve_late(struct shared_tree *tree, uint32_t node, uint64_t more);
/* Branches in lists below a node. */
uint64_t unfi_shared_listed(const struct shared_tree *tree, uint32_t node);
/* Inserts what waits at a node that is, or was, an item, below it; at an open one into its tree.
 * There is room for all nodes that this can make. How many sequences were not covered. */
uint64_t unfi_shared_insert_late(struct shared_tree *tree, uint32_t node);

/* Frees what is below a node. */
void unfi_shared_clear(struct shared_tree *tree, uint32_t node);
/* Whoever has an item is gone: what is left of it is open. */
void unfi_shared_open_again(struct shared_tree *tree, uint32_t node);
/* An item has ended at a node, and what waited there is inserted: frees what nobody will ask about
 * again. */
void unfi_shared_settle(struct shared_tree *tree, uint32_t node);

#endif
