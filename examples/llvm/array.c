#include "array.h"

#include <stdlib.h>
#include <string.h>

enum { CHILD_BITS = 5, CHILDREN = 1 << CHILD_BITS };

static struct array_node **children(struct array_node *n) {
  return (struct array_node **)(void *)(n + 1);
}

static struct array_node *make(struct array_pool *pool, uint32_t bytes) {
  struct array_node *n = calloc(1, sizeof *n + bytes);
  if (n == NULL) return NULL;
  *n = (struct array_node){1, bytes};
  pool->bytes += sizeof *n + bytes;
  return n;
}

static void drop(struct array_pool *pool, const struct array_kind *kind, struct array_node *n,
                 uint32_t height) {
  if (n == NULL || --n->holders > 0) return;
  for (uint32_t i = 0; height > 0 && i < CHILDREN; i++)
    drop(pool, kind, children(n)[i], height - 1);
  for (uint32_t at = 0; height == 0 && kind->drop != NULL && at < n->bytes; at += kind->size)
    kind->drop(pool, (char *)(n + 1) + at);
  pool->bytes -= sizeof *n + n->bytes;
  free(n);
}

/* A node that this array alone reaches, if it alone reaches what is above it; NULL: no memory. */
static struct array_node *own(struct array_pool *pool, const struct array_kind *kind,
                              struct array_node **at, uint32_t height, uint32_t bytes) {
  struct array_node *old = *at;
  if (old != NULL && old->holders == 1) return old;
  struct array_node *n = make(pool, old != NULL ? old->bytes : bytes);
  if (n == NULL) return NULL;
  if (old != NULL) {
    memcpy(n + 1, old + 1, old->bytes);
    for (uint32_t i = 0; height > 0 && i < CHILDREN; i++)
      if (children(n)[i] != NULL) children(n)[i]->holders++;
    for (uint32_t i = 0; height == 0 && kind->keep != NULL && i < n->bytes; i += kind->size)
      kind->keep((char *)(n + 1) + i);
    old->holders--;
  }
  *at = n;
  return n;
}

static uint64_t capacity(const struct array_kind *kind, uint32_t height) {
  return UINT64_C(1) << (kind->bits + CHILD_BITS * height);
}

struct array array_fixed(const struct array_kind *kind, uint64_t count) {
  struct array array = {.count = count};
  while (capacity(kind, array.height) < count)
    array.height++;
  return array;
}

struct array array_share(const struct array *array) {
  struct array_node *root = array->root;
  if (root != NULL) root->holders++;
  return *array;
}

void array_drop(struct array_pool *pool, const struct array_kind *kind, struct array *array) {
  drop(pool, kind, array->root, array->height);
  *array = (struct array){0};
}

const void *array_look(const struct array_kind *kind, const struct array *array, uint64_t index) {
  static const uint64_t nothing[ARRAY_LEAF_BYTES / sizeof(uint64_t)];
  const uint64_t leaf = index >> kind->bits;
  struct array_node *n = array->root;
  for (uint32_t height = array->height; height > 0 && n != NULL; height--)
    n = children(n)[leaf >> CHILD_BITS * (height - 1) & (CHILDREN - 1)];
  return n != NULL ? array_element(kind, n, index) : nothing;
}

void *array_own(struct array_pool *pool, const struct array_kind *kind, struct array *array,
                uint64_t index) {
  const uint64_t leaf = index >> kind->bits;
  const uint64_t elements =
      kind->fixed && array->height == 0 ? array->count : UINT64_C(1) << kind->bits;
  struct array_node **at = &array->root;
  for (uint32_t height = array->height; height > 0; height--) {
    struct array_node *n = own(pool, kind, at, height, CHILDREN * sizeof n);
    if (n == NULL) return NULL;
    at = &children(n)[leaf >> CHILD_BITS * (height - 1) & (CHILDREN - 1)];
  }
  struct array_node *n = own(pool, kind, at, 0, (uint32_t)elements * kind->size);
  if (n == NULL) return NULL;
  return array_element(kind, n, index);
}

bool array_reach(struct array_pool *pool, const struct array_kind *kind, struct array *array,
                 uint64_t index) {
  while (capacity(kind, array->height) <= index) {
    if (array->root != NULL) {
      struct array_node *n = make(pool, CHILDREN * sizeof n);
      if (n == NULL) return false;
      children(n)[0] = array->root;
      array->root = n;
    }
    array->height++;
  }
  if (array->count <= index) array->count = index + 1;
  return true;
}

void *array_push(struct array_pool *pool, const struct array_kind *kind, struct array *array) {
  const uint64_t index = array->count;
  char *element =
      array_reach(pool, kind, array, index) ? array_write(pool, kind, array, index) : NULL;
  if (element == NULL) {
    array->count = index;
    return NULL;
  }
  if (kind->drop != NULL) kind->drop(pool, element);
  memset(element, 0, kind->size);
  return element;
}

/* Below two nodes of one height, of which the first element is `first`. */
static uint64_t differ(const struct array_kind *kind, struct array_node *one,
                       struct array_node *other, uint32_t height, uint64_t first, uint64_t from) {
  if (one == other || first + capacity(kind, height) <= from) return UINT64_MAX;
  if (height == 0) return first > from ? first : from;
  for (uint64_t i = 0; i < CHILDREN; i++) {
    struct array_node *a = one != NULL ? children(one)[i] : NULL;
    struct array_node *b = other != NULL ? children(other)[i] : NULL;
    const uint64_t found =
        differ(kind, a, b, height - 1, first + i * capacity(kind, height - 1), from);
    if (found != UINT64_MAX) return found;
  }
  return UINT64_MAX;
}

uint64_t array_difference(const struct array_kind *kind, const struct array *one,
                          const struct array *other, uint64_t from) {
  const uint64_t end = one->count > other->count ? one->count : other->count;
  uint64_t found = UINT64_MAX;
  if (one->height == other->height) {
    found = differ(kind, one->root, other->root, one->height, 0, from);
  } else {
    /* One has grown since: leaf by leaf. */
    while (from < end && array_look(kind, one, from) == array_look(kind, other, from))
      from += array_run(kind, from, end - from);
    found = from;
  }
  return found < end ? found : UINT64_MAX;
}
