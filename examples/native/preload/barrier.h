/* What a thread knows of barriers. */
#ifndef NATIVE_PRELOAD_BARRIER_H
#define NATIVE_PRELOAD_BARRIER_H

struct thread;

/* It goes to the threads that it creates or that join it. */
void rounds_learn(struct thread *t, const struct thread *from);

#endif
