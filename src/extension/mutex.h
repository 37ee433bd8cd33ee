/* Who holds a mutex: waiting at a condition variable gives one back. */
#ifndef EXTENSION_MUTEX_H
#define EXTENSION_MUTEX_H

#include "structure/cut.h"

/* The thread that holds a mutex after a cut, or NONE. */
uint32_t unfi_mutex_owner(const unf_unfolding *u, struct cut cut, uint32_t mutex);
/* The thread that took it or gave it back last, or NONE. */
uint32_t unfi_mutex_last(const unf_unfolding *u, struct cut cut, uint32_t mutex);

#endif
