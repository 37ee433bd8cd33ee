/* Known traces in another order. */
#ifndef NATIVE_PRELOAD_REORDER_H
#define NATIVE_PRELOAD_REORDER_H

#include <stdbool.h>
#include <stdint.h>
#include <unfold/unfold.h>

struct thread;

/* An execution is over, and is a trace: whether it is chosen. */
void reorder_choose(void);
/* An execution comes to its end. */
void reorder_ended(void);
/* In the worker, between two executions: an order of the last trace is to be performed next; it may
 * be several, one after the other. */
bool reorder_begin(void);
/* It is over. */
void reorder_end(void);

/* In such an execution, in place of the explorer. */
unf_status reorder_offer(const struct thread *t);
unf_step reorder_step(void);
unf_event reorder_last(void);
/* It is different, and ends. */
_Noreturn void reorder_different(void);
/* What it comes to is not supported. */
_Noreturn void reorder_refused(const char *text);

#endif
