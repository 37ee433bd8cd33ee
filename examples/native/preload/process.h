/* The process: its output, its end. */
#ifndef NATIVE_PRELOAD_PROCESS_H
#define NATIVE_PRELOAD_PROCESS_H

#include <stdbool.h>
#include <stdint.h>

_Noreturn void process_exit(int status, uint64_t place);
_Noreturn void process_exit_now(int status, uint64_t place); /* without exit handlers */
_Noreturn void process_end(void);                            /* of an execution that is over */
_Noreturn void process_drop(void);                           /* of a probe that cannot go on */
void process_begin(bool show);                               /* in an execution, before main */
void process_show(bool show); /* whether its output reaches anybody */
void process_prepare(void);   /* in the worker */

#endif
