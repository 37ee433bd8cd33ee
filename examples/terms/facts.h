/*
 * Sets of facts, each kept once. A set is a binary tree over the numbers of its facts, whose shape
 * follows from them, and whose nodes are kept once, too: sets share what they have in common. So a
 * set with a fact more takes O(log) nodes, as do the histories of an execution, each with a fact
 * more than the one before; two sets are joined, or compared, in the time of what they differ in.
 */
#ifndef TERMS_FACTS_H
#define TERMS_FACTS_H

#include "terms.h"

struct facts_node {
  uint32_t key;         /* of a leaf: number of its facts / FACTS_LEAF; else what keys begin with */
  uint32_t branch;      /* the highest bit in which keys below differ; 0: a leaf */
  uint32_t left, right; /* nodes, where that bit is 0 and 1; of a leaf, left: which facts are in */
  uint32_t count;       /* of facts */
  uint32_t set;         /* that this node is, and 1 more; or 0 */
  uint32_t next;        /* the next node with this place in the table, or 0 */
};
enum { FACTS_LEAF = 32 };

struct facts {
  struct facts_node *nodes; /* the first one is empty */
  uint32_t node_count, node_room;
  uint32_t *table; /* by hash: a node, or 0 */
  uint32_t table_room;
  uint32_t *roots; /* by set: its node */
  uint32_t count, room;
};

/* False: no memory. */
bool facts_make(struct facts *facts);
void facts_free(struct facts *facts);
uint64_t facts_bytes(const struct facts *facts);
/* The set with these facts, ascending and each once. UINT32_MAX, from here on: no memory. */
uint32_t facts_intern(struct facts *facts, const term *list, uint32_t count);
/* The set with one more fact, and that with all of two sets. */
uint32_t facts_with(struct facts *facts, uint32_t set, term fact);
uint32_t facts_union(struct facts *facts, uint32_t one, uint32_t other);
static inline uint32_t facts_count(const struct facts *facts, uint32_t set) {
  return facts->nodes[facts->roots[set]].count;
}
bool facts_has(const struct facts *facts, uint32_t set, term fact);
/* Writes out the facts, for which there is room, ascending. */
void facts_list(const struct facts *facts, uint32_t set, term *list);
/* Calls a function with the facts of a set that another one (or UINT32_MAX) does not have, the last
 * ones first, until it returns false. Whether it never did. */
bool facts_beyond(const struct facts *facts, uint32_t set, uint32_t other,
                  bool (*visit)(void *user, term fact), void *user);

#endif
