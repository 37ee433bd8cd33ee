/* Decoding the code of a module. */
#ifndef NATIVE_SITES_SWEEP_H
#define NATIVE_SITES_SWEEP_H

#include <stdbool.h>

#include "image.h"
#include "table.h"

struct found_sites {
  struct site_table table;
  struct site *sites;
  uint32_t capacity;
};

/* The sites of a module, in order of their addresses; false without memory. moves: plain accesses
 * are sites too. */
bool sweep(const struct image *image, bool moves, struct found_sites *found);

#endif
