/* What an action does to the objects. */
#ifndef NATIVE_PRELOAD_PERFORM_H
#define NATIVE_PRELOAD_PERFORM_H

#include <unfold/unfold.h>

struct thread;

/* The value of a thread whose post found the semaphore at its maximum, and left it there. */
enum { POST_OVERFLOWS = 1 };

void perform(struct thread *t, const unf_action *action);

#endif
