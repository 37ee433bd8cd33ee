/* Which code belongs to a function, from the descriptions for the unwinder (.eh_frame). */
#ifndef NATIVE_SITES_FRAMES_H
#define NATIVE_SITES_FRAMES_H

#include <stdbool.h>
#include <stddef.h>

#include "image.h"

struct spans {
  struct span *at;
  size_t count, capacity;
};

/* Appends; false without memory. */
bool spans_add(struct spans *spans, struct span span);
/* Puts them in order. */
void spans_sort(struct spans *spans);
/* The first one that ends behind an address; the count of them: none. They are in order, and do not
 * overlap. */
size_t spans_find(const struct spans *spans, uint64_t address);
/* The functions in order of their addresses, each once; false without memory. */
bool frames_read(const struct image *image, struct spans *functions);

#endif
