/* --jobs where workers have no files or ports of their own: what the program writes. */
#ifndef NATIVE_PRELOAD_TOUCHES_H
#define NATIVE_PRELOAD_TOUCHES_H

#include <stdbool.h>

struct numbered_call;

bool touches_watched(void);
/* A call that is about to be performed: what it makes, changes or takes for itself has a name,
 * which is put down. */
void touches_note(const struct numbered_call *call);

#endif
