/* What a thread knows by itself. */
#ifndef NATIVE_PRELOAD_LOCAL_H
#define NATIVE_PRELOAD_LOCAL_H

#include <stdbool.h>
#include <stdint.h>

struct patched;
struct patch_frame;
struct thread;

/* A number for all of it that is at a place: where it is the same again the thread does the same
 * again, as long as it reads the same; called: behind a call of ours, with no access in between. 0:
 * there is too much to look at. */
uint64_t local_state(const struct thread *t, const struct patched *p,
                     const struct patch_frame *frame, bool called);

#endif
