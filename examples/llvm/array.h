/*
 * Arrays of which copies are made at once: a copy shares what it has in common with the original.
 * An array is a tree over leaves of elements; a node that several arrays reach is copied when an
 * element below it is written. What was never written is 0, and takes no memory.
 */
#ifndef LLVM_ARRAY_H
#define LLVM_ARRAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes that all arrays take together. */
struct array_pool {
  uint64_t bytes;
};

/* Behind it are its children, or the elements of a leaf. */
struct array_node {
  uint32_t holders;
  uint32_t bytes; /* of what is behind it */
};

struct array {
  struct array_node *root;
  uint64_t count;  /* of elements; others may be behind that, left over */
  uint32_t height; /* of the tree above its leaves */
};

struct array_kind {
  uint32_t size; /* of an element */
  uint32_t bits; /* a leaf has 1 << bits elements, of at most ARRAY_LEAF_BYTES bytes */
  bool fixed;    /* the count does not change, and a single leaf has just so many */
  /* Of elements that hold something, NULL for others: another copy holds it, too, and one no
   * longer does. Both are asked of elements that are 0 as well. */
  void (*keep)(void *element);
  void (*drop)(struct array_pool *pool, void *element);
};
enum { ARRAY_LEAF_BYTES = 4096 };

/* An array of a fixed kind. */
struct array array_fixed(const struct array_kind *kind, uint64_t count);
/* A copy of an array, which holds what it shares; and an array that is not needed any more. */
struct array array_share(const struct array *array);
void array_drop(struct array_pool *pool, const struct array_kind *kind, struct array *array);
/* Where an element of a leaf is. */
static inline void *array_element(const struct array_kind *kind, struct array_node *leaf,
                                  uint64_t index) {
  return (char *)(leaf + 1) + (index & ((UINT64_C(1) << kind->bits) - 1)) * kind->size;
}

/* The element, with those behind it in its leaf; array_look() is for all arrays. */
const void *array_look(const struct array_kind *kind, const struct array *array, uint64_t index);
static inline const void *array_read(const struct array_kind *kind, const struct array *array,
                                     uint64_t index) {
  const bool is_leaf = array->height == 0 && array->root != NULL;
  return is_leaf ? array_element(kind, array->root, index) : array_look(kind, array, index);
}

/* An element, to be written: valid until the array is shared, or elements are cut. NULL: no memory.
 * array_own() is for all arrays. */
void *array_own(struct array_pool *pool, const struct array_kind *kind, struct array *array,
                uint64_t index);
static inline void *array_write(struct array_pool *pool, const struct array_kind *kind,
                                struct array *array, uint64_t index) {
  const bool is_mine = array->height == 0 && array->root != NULL && array->root->holders == 1;
  return is_mine ? array_element(kind, array->root, index) : array_own(pool, kind, array, index);
}

/* Makes room for an index, of an array that is not fixed, and counts up to there. False: no memory.
 */
bool array_reach(struct array_pool *pool, const struct array_kind *kind, struct array *array,
                 uint64_t index);
/* Adds an element that is 0. NULL: no memory. */
void *array_push(struct array_pool *pool, const struct array_kind *kind, struct array *array);

/* The first element from an index on whose leaf two arrays of one kind do not share; UINT64_MAX:
 * there is none. Both have as many elements as the longer one, in this. */
uint64_t array_difference(const struct array_kind *kind, const struct array *one,
                          const struct array *other, uint64_t from);

/* How many elements from an index on are in one leaf, at most so many. */
static inline uint64_t array_run(const struct array_kind *kind, uint64_t index, uint64_t most) {
  const uint64_t leaf = UINT64_C(1) << kind->bits, left = leaf - (index & (leaf - 1));
  return left < most ? left : most;
}

#endif
