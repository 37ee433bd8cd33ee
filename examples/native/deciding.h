/* Which step decides on a defect. */
#ifndef NATIVE_DECIDING_H
#define NATIVE_DECIDING_H

#include "telling.h"

/* The step that decided that the execution performed has a defect, as far as it is found in so many
 * seconds. NULL: no memory. */
json_t *deciding_step(struct telling *telling, const struct cli_defect *defect,
                      const struct performed *performed, double seconds);

#endif
