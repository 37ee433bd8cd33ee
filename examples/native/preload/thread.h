/* The ends of threads. */
#ifndef NATIVE_PRELOAD_THREAD_H
#define NATIVE_PRELOAD_THREAD_H

#include <unfold/unfold.h>

struct thread;

/* In the worker, whether the program asks if a thread has ended. */
void threads_prepare(void);
void thread_over(struct thread *t);
/* Whether a schedule is one of an exploration that watched who joins. */
void joins_learn(const unf_schedule *schedule);

#endif
