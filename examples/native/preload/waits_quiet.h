/* What single accesses mean for loops in which a thread waits. */
#ifndef NATIVE_PRELOAD_WAITS_QUIET_H
#define NATIVE_PRELOAD_WAITS_QUIET_H

#include <stdbool.h>
#include <stdint.h>

struct thread;

/* A thread wrote memory that others may see. */
void waits_written(void);
/* It wrote there, which is no atomic object. */
void waits_wrote(struct thread *t, uint64_t address, uint64_t size);
/* Whether that memory is on its own stack or heap, which is compared from turn to turn. */
bool waits_remember(const struct thread *t, uint64_t address, uint64_t size);
/* Counts a plain access that reads memory of others; false: it is one of those that are looked at
 * closely, and not counted. */
bool waits_quiet(struct thread *t);

#endif
