/* System calls that the kernel hands to us, wherever in the program or the C library they come
 * from. */
#ifndef NATIVE_PRELOAD_TRAP_H
#define NATIVE_PRELOAD_TRAP_H

#include <stdbool.h>
#include <stdint.h>

/* What the kernel takes; there is no header for it. */
struct kernel_action {
  uint64_t handler, flags, restorer, mask;
};
long kernel_action(int number, const struct kernel_action *new, struct kernel_action *old);

/* In the worker: from now on the calls of numbers.def come to us. `debugged`: but for those with
 * paths and messages, which would stop a debugger all the time. */
void trap_prepare(bool debugged);
/* A mask of signals that the program sets by syscall(). */
long trap_mask(long how, long new, long old);
/* Futexes too, but for those of the C library and of this one. */
void trap_futexes(void);
/* Calls are trapped as well that make or remove files, or take ports. */
void trap_touches(void);
/* Whether they do; else syscall() alone does. */
bool trap_works(void);
/* Whether the system has filters of system calls, and they can tell this library's calls. */
bool trap_possible(void);

#endif
