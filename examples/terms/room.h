/* Lists that grow, of which others have indices, and tables of what is in them. */
#ifndef TERMS_ROOM_H
#define TERMS_ROOM_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

/* Room for `wanted` items; then for as many again, so that items cost O(1). False: no memory, or
 * more than can be numbered; the list stays as it is. */
static inline bool room_for(void **data, uint32_t *room, uint64_t wanted, size_t size) {
  if (wanted <= *room) return true;
  if (wanted > UINT32_MAX / 4) return false;
  void *moved = realloc(*data, 2 * wanted * size);
  if (moved == NULL) return false;
  *data = moved;
  *room = (uint32_t)(2 * wanted);
  return true;
}

/* A table of chains, by hash, with at least as many heads as there are items, and a power of two.
 * *empty: it is a new one, and all items are to be entered. False: no memory; the table stays as it
 * is. */
static inline bool heads_for(uint32_t **table, uint32_t *room, uint32_t items, bool *empty) {
  *empty = items >= *room;
  if (!*empty) return true;
  const uint32_t larger = *room > 0 ? 2 * *room : 64;
  uint32_t *heads = calloc(larger, sizeof *heads);
  if (heads == NULL) return false;
  free(*table);
  *table = heads;
  *room = larger;
  return true;
}

#endif
