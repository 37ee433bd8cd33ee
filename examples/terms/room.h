/* Lists that grow, of which others have indices. */
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

#endif
