/* Code that no description covers: what of it is code for certain, and what is not known. */
#ifndef NATIVE_SITES_REACHED_H
#define NATIVE_SITES_REACHED_H

#include <stdbool.h>

#include "frames.h"
#include "table.h"

/* Follows the code from where it begins (entries, which grow by what is called from there). Adds
 * what was reached outside of the functions that are described, in order; false without memory. */
bool reached_code(const struct image *image, const struct spans *described, struct spans *entries,
                  struct spans *found);
/* Counts the pieces of code that are in no function that is known, but for padding and the tables
 * by which a module calls others. */
void reached_rest(const struct image *image, const struct spans *known, struct site_table *table);

#endif
