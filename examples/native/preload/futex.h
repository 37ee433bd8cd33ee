/* Futexes of the program. */
#ifndef NATIVE_PRELOAD_FUTEX_H
#define NATIVE_PRELOAD_FUTEX_H

#include <stdbool.h>
#include <stdint.h>

/* Whether the words that they compare are known: where atomic operations are seen. */
bool futex_known(void);
/* The system call, whose result is negative for an error. */
long futex_call(const long *arguments, uint64_t place);
/* As numbers_enter(), for a call that is made without the C library's syscall(). */
bool futex_enter(const long *arguments, uint64_t place, long *result);

#endif
