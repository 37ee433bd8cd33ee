/* Plain accesses of the program, and data races between them. */
#ifndef NATIVE_PRELOAD_ACCESSES_H
#define NATIVE_PRELOAD_ACCESSES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <unfold/unfold.h>

#include "interpose.h"

/* These three are for the library that watches what the C library does
 * with memory (../memory/memory.c). */

/* Whether the accesses of the current execution are watched. */
extern INTERPOSE bool unfold_watching;
/* An access of the thread that calls. */
INTERPOSE void unfold_touched(const void *address, size_t size, bool write, uint64_t place);
/* A call for an access by the C library: only of modules that were compiled with callbacks. */
INTERPOSE bool unfold_counts(uint64_t place);
/* Memory that was allocated. */
INTERPOSE void unfold_renewed(const void *address, size_t size);

/* As unfold_touched(), from here. */
void accesses_touched(const void *address, size_t size, bool write, uint64_t place);
/* A module that was compiled with callbacks, by a place in it; may come before anything else. */
void accesses_module(uint64_t place);
/* In the worker, when the modules are known: which were compiled so. */
void accesses_modules(void);
bool accesses_new(void);
/* The execution to come, or a step of the current one. */
void accesses_begin(uint64_t shared);
void accesses_skip(void);
void accesses_step(unf_event event);
/* The execution is over: writes a schedule for what is new. */
void accesses_keep(bool schedule_wanted);

#endif
