/* Torn down too early: the lock is destroyed while the worker may still need it. It must be joined
 * first (-DREPAIRED). */
#include <pthread.h>
#include <stdlib.h>

struct job {
  pthread_mutex_t lock;
  int progress;
};

static void *worker(void *argument) {
  struct job *job = argument;
  pthread_mutex_lock(&job->lock);
  job->progress++;
  pthread_mutex_unlock(&job->lock);
  return NULL;
}

int main(void) {
  pthread_t thread;
  struct job *job = calloc(1, sizeof *job);
  if (job == NULL) return 1;
  pthread_mutex_init(&job->lock, NULL);
  pthread_create(&thread, NULL, worker, job);
#ifdef REPAIRED
  pthread_join(thread, NULL);
#endif
  pthread_mutex_destroy(&job->lock);
#ifndef REPAIRED
  pthread_join(thread, NULL);
#endif
  free(job);
  return 0;
}
