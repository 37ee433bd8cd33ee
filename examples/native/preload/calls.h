/* System calls of an execution in place. */
#ifndef NATIVE_PRELOAD_CALLS_H
#define NATIVE_PRELOAD_CALLS_H

#include <stdbool.h>

struct numbered_call;

const char *calls_prepare(void); /* why it cannot be, or NULL */
void calls_watch(bool on);
/* A call that was handed to us. False: it is not performed yet, and this is now a process of its
 * own, for this execution alone. */
bool calls_perform(const struct numbered_call *call, long *result);
bool calls_restore(void); /* whether there were any */

#endif
