/* Events as the program under test lists them. */
#ifndef NATIVE_EVENTS_H
#define NATIVE_EVENTS_H

#include "telling.h"

/* What is known of the unfolding; NULL: no memory. */
json_t *events_of(struct telling *telling);

#endif
