/*
 * Values of inputs, by number: trees that share what they have in common, so that values which
 * differ from others in a few inputs take, and cost, O(log) for each of these. What was never
 * written is 0.
 */
#ifndef TERMS_VALUES_H
#define TERMS_VALUES_H

#include <stdbool.h>
#include <stdint.h>

enum { VALUES_CHILDREN = 4 };

struct values_tree {
  uint32_t root, height; /* a node, or at height 0 a leaf; 0: nothing is there */
};

struct values {
  uint32_t (*nodes)[VALUES_CHILDREN]; /* the first ones are not used */
  uint32_t node_count, node_room;
  int64_t (*leaves)[VALUES_CHILDREN];
  uint32_t leaf_count, leaf_room;
  /* From these on they belong to the tree that is written. */
  uint32_t own_node, own_leaf;
};

void values_free(struct values *values);
uint64_t values_bytes(const struct values *values);
int64_t values_read(const struct values *values, struct values_tree tree, uint32_t input);
/* Another tree is written from here on; those there are stay as they are. */
void values_begin(struct values *values);
/* False: no memory. */
bool values_write(struct values *values, struct values_tree *tree, uint32_t input, int64_t value);

#endif
