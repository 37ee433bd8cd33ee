/* Executions that do not come to their end: which thread goes on, and where. */
#ifndef NATIVE_PRELOAD_STUCK_H
#define NATIVE_PRELOAD_STUCK_H

struct thread;

/* From now on the launcher is told, when it asks by a signal, where the thread is that runs. */
void stuck_prepare(void);
/* Counts an operation that a thread comes to. */
void stuck_count(const struct thread *t);

#endif
