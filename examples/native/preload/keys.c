/* Thread-specific data. Kept here and not in the C library, so that destructors run before a
 * thread's last operation, and so that both back-ends have the same. Keys made before main are the
 * C library's and stay with it. */
#include "keys.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <threads.h>

#include "arena.h"
#include "entry.h"
#include "interpose.h"
#include "program.h"
#include "real.h"
#include "scheduler.h"

/* Our keys begin here; the C library's are below. */
enum { FIRST_KEY = 1 << 20, KEYS_MAX = 1024 };

struct key {
  bool used;
  void (*destroy)(void *);
};

static struct key keys[KEYS_MAX];
static unsigned keys_ever; /* those above were never used */

static int create(unsigned *key, void (*destructor)(void *)) {
  for (unsigned i = 0; i < KEYS_MAX; i++) {
    if (keys[i].used) continue;
    keys[i] = (struct key){true, destructor};
    for (struct thread *t = threads; t != NULL; t = t->next)
      if (t->values != NULL) t->values[i] = NULL;
    if (keys_ever <= i) keys_ever = i + 1;
    *key = FIRST_KEY + i;
    return 0;
  }
  return EAGAIN;
}

static bool ours(unsigned key) {
  return running && key >= FIRST_KEY && key - FIRST_KEY < KEYS_MAX;
}

static int set(unsigned key, const void *value) {
  if (!keys[key - FIRST_KEY].used) return EINVAL;
  struct thread *t = thread_self();
  if (t->values == NULL) t->values = private_memory(KEYS_MAX * sizeof *t->values);
  t->values[key - FIRST_KEY] = (void *)(uintptr_t)value;
  return 0;
}

static void *get(unsigned key) {
  const struct thread *t = thread_self();
  return t->values == NULL ? NULL : t->values[key - FIRST_KEY];
}

/* Destructors may set values again, so there are several rounds. */
void keys_finish(struct thread *t) {
  for (int round = 0; t->values != NULL && round < PTHREAD_DESTRUCTOR_ITERATIONS; round++)
    for (unsigned i = 0; i < keys_ever; i++) {
      void *value = t->values[i];
      t->values[i] = NULL;
      if (value != NULL && keys[i].used && keys[i].destroy != NULL)
        unfold_program((plain_function *)keys[i].destroy, (long)value, 0, 0);
    }
}

INTERPOSE int pthread_key_create(pthread_key_t *key, void (*destructor)(void *)) {
  return running ? create(key, destructor) : REAL(pthread_key_create)(key, destructor);
}

INTERPOSE int pthread_key_delete(pthread_key_t key) {
  if (!ours(key)) return REAL(pthread_key_delete)(key);
  if (!keys[key - FIRST_KEY].used) return EINVAL;
  keys[key - FIRST_KEY].used = false;
  return 0;
}

INTERPOSE void *pthread_getspecific(pthread_key_t key) {
  return ours(key) ? get(key) : REAL(pthread_getspecific)(key);
}

INTERPOSE int pthread_setspecific(pthread_key_t key, const void *value) {
  return ours(key) ? set(key, value) : REAL(pthread_setspecific)(key, value);
}

INTERPOSE int tss_create(tss_t *key, tss_dtor_t destructor) {
  if (!running) return REAL(tss_create)(key, destructor);
  return create(key, destructor) == 0 ? thrd_success : thrd_error;
}

INTERPOSE void tss_delete(tss_t key) {
  if (ours(key))
    keys[key - FIRST_KEY].used = false;
  else
    REAL(tss_delete)(key);
}

INTERPOSE void *tss_get(tss_t key) {
  return ours(key) ? get(key) : REAL(tss_get)(key);
}

INTERPOSE int tss_set(tss_t key, void *value) {
  if (!ours(key)) return REAL(tss_set)(key, value);
  return set(key, value) == 0 ? thrd_success : thrd_error;
}

/* Older names of the same. */
OLDER_NAME(__pthread_key_create, pthread_key_create);
OLDER_NAME(__pthread_getspecific, pthread_getspecific);
OLDER_NAME(__pthread_setspecific, pthread_setspecific);
