/* System calls of an execution in place. */
#ifndef NATIVE_PRELOAD_CALLS_H
#define NATIVE_PRELOAD_CALLS_H

#include <stdbool.h>

const char *calls_prepare(void); /* why it cannot be, or NULL */
void calls_watch(bool on);
bool calls_restore(void); /* whether there were any */

#endif
