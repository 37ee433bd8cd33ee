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

#endif
