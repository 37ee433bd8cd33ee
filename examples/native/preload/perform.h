/* What an action does to the objects. */
#ifndef NATIVE_PRELOAD_PERFORM_H
#define NATIVE_PRELOAD_PERFORM_H

#include <unfold/unfold.h>

struct thread;

void perform(struct thread *t, const unf_action *action);

#endif
