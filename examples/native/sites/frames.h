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
/* The functions in order of their addresses, each once; false without memory. */
bool frames_read(const struct image *image, struct spans *functions);

#endif
