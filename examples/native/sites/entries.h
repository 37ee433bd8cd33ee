/* Where functions begin, by what the file of a module says beside their descriptions. */
#ifndef NATIVE_SITES_ENTRIES_H
#define NATIVE_SITES_ENTRIES_H

#include <stdbool.h>

#include "frames.h"

/* Appends what begins there, as a span of one byte: where the program begins, what is called in
 * front of main and at the end, and symbols that are functions. False without memory. */
bool entries_read(const struct image *image, struct spans *entries);

#endif
