/* Mutexes, for condition variables and ends of threads. */
#ifndef NATIVE_PRELOAD_MUTEX_H
#define NATIVE_PRELOAD_MUTEX_H

#include <pthread.h>
#include <stdint.h>

struct object;
struct thread;

/* The mutex that a thread is about to wait with, or NULL and the error. */
struct object *mutex_to_wait(pthread_mutex_t *mutex, const struct object *condition, int *error,
                             uint64_t place);
/* A thread has just given one back; it has just got one, and what to say about that. */
void mutex_left(struct object *o);
int mutex_taken(struct object *o, uint64_t place);
void mutexes_abandon(struct thread *t);

#endif
