/* Time limits. */
#ifndef NATIVE_PRELOAD_CLOCK_H
#define NATIVE_PRELOAD_CLOCK_H

#include <stdbool.h>
#include <time.h>

/* Whether a time limit may still end a wait of the calling thread. */
bool clock_limits(void);
/* It has done so: the clock moves there; ETIMEDOUT, or EINVAL for what is no time. */
int clock_timeout(const struct timespec *until);

#endif
