/* System calls that take, or give, the number of a process or thread. */
#ifndef NATIVE_PRELOAD_NUMBERS_H
#define NATIVE_PRELOAD_NUMBERS_H

#include <stdbool.h>
#include <stdint.h>

struct numbered_call {
  long number, arguments[6];
  uint64_t place;   /* behind the instruction that makes it */
  uint32_t copy[4]; /* what an argument may point to instead of the program's memory */
};

/* True: it is answered, with *result. False: it is to be performed as it is now, and the result is
 * what numbers_leave() makes of that. An error is negative, as the kernel says it. */
bool numbers_enter(struct numbered_call *call, long *result);

/* For a call by the C library's syscall(), which the system does not tell from its own calls. */
void numbers_refuse(long number, uint64_t place);
long numbers_leave(const struct numbered_call *call, long result);

/* Reads memory of the program, which may not be there. */
bool numbers_read(void *to, uint64_t from, uint64_t size);

#endif
