/* From two numbers to one: where something is in a list, by its name. */
#ifndef TERMS_INDEX_H
#define TERMS_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct index {
  struct slot {
    uint64_t a, b;
    uint32_t number; /* and 1 more; 0: empty */
  } * slots;
  size_t count, room;
};

/* UINT32_MAX: none. */
uint32_t index_find(const struct index *index, uint64_t a, uint64_t b);
/* Enters or replaces it. False: no memory. */
bool index_put(struct index *index, uint64_t a, uint64_t b, uint32_t number);
void index_free(struct index *index);
/* A number for a text; that two texts have the same one is not expected. */
uint64_t index_hash(const char *text);

#endif
