/* What the preload library is about, and the life of one execution in the worker. */
#ifndef NATIVE_PRELOAD_ENTRY_H
#define NATIVE_PRELOAD_ENTRY_H

#include <stdbool.h>
#include <stdint.h>

struct control;

/* Shared with the launcher. */
extern struct control *control;
/* Whether interposed functions act, which they do only in an execution. */
extern bool running;
/* The program started a thread before main. */
extern bool early_thread;

void execution_open(void);
void execution_close(void);
_Noreturn void execution_failed(int status);
bool execution_shown(uint64_t number);
void execution_process(void); /* in a child of the worker */
/* Between two executions: whether a limit ends the exploration. */
void exploration_check(void);
_Noreturn void exploration_end(void);

/* Whether main is still to come, so that the process may not end without an exploration. */
bool ends_before_main(void);
/* A constructor ends the process, by exit or without exit handlers: explored in place of main. */
_Noreturn void end_before_main(bool now, int status, uint64_t place);

#endif
