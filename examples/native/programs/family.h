/* What the benchmark families share. Programs are compiled with -DPARAM1=… and, where a family has
 * two, -DPARAM2=…. */
#ifndef PROGRAMS_FAMILY_H
#define PROGRAMS_FAMILY_H

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

typedef void *body(void *);

/* Locks and unlocks, with nothing between. */
static inline void crit(pthread_mutex_t *m) {
  pthread_mutex_lock(m);
  pthread_mutex_unlock(m);
}

/* Starts a thread that is given a number. */
static inline pthread_t start(body *function, long number) {
  pthread_t thread;
  if (pthread_create(&thread, NULL, function, (void *)(intptr_t)number) != 0) exit(2);
  return thread;
}

static inline void join(pthread_t thread) {
  pthread_join(thread, NULL);
}

/* Writes and reads a shared variable under its lock. */
static inline void put(pthread_mutex_t *m, long *variable, long value) {
  pthread_mutex_lock(m);
  *variable = value;
  pthread_mutex_unlock(m);
}

static inline long get(pthread_mutex_t *m, const long *variable) {
  pthread_mutex_lock(m);
  long value = *variable;
  pthread_mutex_unlock(m);
  return value;
}

static inline void init(pthread_mutex_t *mutexes, int count) {
  for (int i = 0; i < count; i++)
    pthread_mutex_init(&mutexes[i], NULL);
}

#endif
