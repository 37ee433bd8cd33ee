/* The ends of threads. */
#ifndef NATIVE_PRELOAD_THREAD_H
#define NATIVE_PRELOAD_THREAD_H

struct thread;

/* In the worker, whether the program asks if a thread has ended. */
void threads_prepare(void);
void thread_over(struct thread *t);

#endif
