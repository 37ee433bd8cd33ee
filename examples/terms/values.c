#include "values.h"
#include "room.h"

#include <string.h>

enum { BITS = 2 };

void values_free(struct values *v) {
  free(v->nodes);
  free(v->leaves);
}

uint64_t values_bytes(const struct values *v) {
  return v->node_room * sizeof *v->nodes + v->leaf_room * sizeof *v->leaves;
}

static uint64_t capacity(uint32_t height) {
  return UINT64_C(1) << BITS * (height + 1);
}

static uint32_t child_of(uint32_t input, uint32_t height) {
  return (uint32_t)((uint64_t)input >> BITS * height) & (VALUES_CHILDREN - 1);
}

int64_t values_read(const struct values *v, struct values_tree tree, uint32_t input) {
  uint32_t node = input < capacity(tree.height) ? tree.root : 0;
  for (uint32_t height = tree.height; height > 0 && node != 0; height--)
    node = v->nodes[node][child_of(input, height)];
  return node != 0 ? v->leaves[node][child_of(input, 0)] : 0;
}

void values_begin(struct values *v) {
  v->own_node = v->node_count;
  v->own_leaf = v->leaf_count;
}

/* A new node, or leaf, like one that is there (0: it is 0). */
static uint32_t copy(void *list, uint32_t *count, uint32_t *room, size_t size, uint32_t like) {
  const uint32_t made = *count > 0 ? *count : 1;
  if (!room_for(list, room, (uint64_t)made + 1, size)) return 0;
  char *items = *(char **)list;
  if (like > 0)
    memcpy(items + made * size, items + like * size, size);
  else
    memset(items + made * size, 0, size);
  *count = made + 1;
  return made;
}

/* The leaf, or node, as one that can be written; 0: no memory. */
static uint32_t own_leaf(struct values *v, uint32_t leaf) {
  if (leaf > 0 && leaf >= v->own_leaf) return leaf;
  return copy(&v->leaves, &v->leaf_count, &v->leaf_room, sizeof *v->leaves, leaf);
}

static uint32_t own_node(struct values *v, uint32_t node) {
  if (node > 0 && node >= v->own_node) return node;
  return copy(&v->nodes, &v->node_count, &v->node_room, sizeof *v->nodes, node);
}

/* What stands there with the value; 0: no memory. */
static uint32_t write(struct values *v, uint32_t old, uint32_t height, uint32_t input,
                      int64_t value) {
  const uint32_t at = child_of(input, height);
  const uint32_t made = height > 0 ? own_node(v, old) : own_leaf(v, old);
  if (made == 0) return 0;
  if (height == 0) {
    v->leaves[made][at] = value;
    return made;
  }
  const uint32_t below = write(v, v->nodes[made][at], height - 1, input, value);
  if (below > 0) v->nodes[made][at] = below;
  return below > 0 ? made : 0;
}

/* One more level, below which is what there was. */
static bool raise(struct values *v, struct values_tree *tree) {
  if (tree->root > 0) {
    const uint32_t node = own_node(v, 0);
    if (node == 0) return false;
    v->nodes[node][0] = tree->root;
    tree->root = node;
  }
  tree->height++;
  return true;
}

bool values_write(struct values *v, struct values_tree *tree, uint32_t input, int64_t value) {
  if (values_read(v, *tree, input) == value) return true;
  while (input >= capacity(tree->height))
    if (!raise(v, tree)) return false;
  const uint32_t root = write(v, tree->root, tree->height, input, value);
  if (root > 0) tree->root = root;
  return root > 0;
}
