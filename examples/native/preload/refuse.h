/* Ways to end: with an outcome and its message. */
#ifndef NATIVE_PRELOAD_REFUSE_H
#define NATIVE_PRELOAD_REFUSE_H

#include <stdint.h>

#include "../control.h"

/* The exploration cannot go on with this program: exit status 4. */
_Noreturn void refuse(const char *call, uint64_t place);
_Noreturn void leave(int status);
_Noreturn void give_up(enum outcome outcome, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
