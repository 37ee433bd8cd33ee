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

/* Our keys begin here; the C library's are below. A key is a value of the program, so it follows
 * from the thread that makes it and from how many that has made; where it is kept here does not.
 * Those of main are one after the other, as the C library's. */
enum { FIRST_KEY = 1 << 20, OTHERS_BIT = 30, KEYS_MAX = 1024 };

struct key {
  bool used;
  unsigned name;
  void (*destroy)(void *);
};

static struct key keys[KEYS_MAX];
static unsigned keys_ever; /* those above were never used */
static unsigned latest;    /* the place of the key that was asked for last */

unsigned keys_count(void) {
  return keys_ever;
}

static bool ours(unsigned name) {
  return running && name >= FIRST_KEY;
}

/* The place of a key that there is, or KEYS_MAX. */
static unsigned place_of(unsigned name) {
  if (keys[latest].used && keys[latest].name == name) return latest;
  for (unsigned i = 0; i < keys_ever; i++) {
    if (!keys[i].used || keys[i].name != name) continue;
    latest = i;
    return i;
  }
  return KEYS_MAX;
}

static unsigned new_name(void) {
  struct thread *me = thread_self();
  const unsigned count = me->keys++, others = 1u << OTHERS_BIT;
  if (me == threads) return FIRST_KEY + count;
  unsigned name = ((unsigned)me->number * 0x9e3779b1u + count * 0x85ebca6bu) % others;
  while (place_of(others + name) != KEYS_MAX)
    name = (name + 1) % others;
  return others + name;
}

static int create(unsigned *key, void (*destructor)(void *)) {
  for (unsigned i = 0; i < KEYS_MAX; i++) {
    if (keys[i].used) continue;
    keys[i] = (struct key){true, new_name(), destructor};
    for (struct thread *t = threads; t != NULL; t = t->next)
      if (t->values != NULL) t->values[i] = NULL;
    if (keys_ever <= i) keys_ever = i + 1;
    *key = keys[i].name;
    return 0;
  }
  return EAGAIN;
}

static int delete (unsigned name) {
  const unsigned place = place_of(name);
  if (place == KEYS_MAX) return EINVAL;
  keys[place].used = false;
  return 0;
}

static int set(unsigned name, const void *value) {
  const unsigned place = place_of(name);
  struct thread *t = thread_self();
  if (place == KEYS_MAX) return EINVAL;
  if (t->values == NULL) t->values = private_memory(KEYS_MAX * sizeof *t->values);
  t->values[place] = (void *)(uintptr_t)value;
  return 0;
}

static void *get(unsigned name) {
  const struct thread *t = thread_self();
  const unsigned place = t->values == NULL ? KEYS_MAX : place_of(name);
  return place == KEYS_MAX ? NULL : t->values[place];
}

/* The key with the least name from there on that has a value, or KEYS_MAX. */
static unsigned next_value(const struct thread *t, unsigned from) {
  unsigned found = KEYS_MAX;
  for (unsigned i = 0; i < keys_ever; i++)
    if (t->values[i] != NULL && keys[i].name >= from &&
        (found == KEYS_MAX || keys[i].name < keys[found].name))
      found = i;
  return found;
}

/* One after the other, by their names. */
static void destroy_values(struct thread *t) {
  unsigned from = 0;
  for (unsigned i; (i = next_value(t, from)) != KEYS_MAX;) {
    void *value = t->values[i];
    from = keys[i].name + 1;
    t->values[i] = NULL;
    if (keys[i].used && keys[i].destroy != NULL)
      unfold_program((plain_function *)keys[i].destroy, (long)value, 0, 0);
  }
}

/* Destructors may set values again, so there are several rounds. */
void keys_finish(struct thread *t) {
  for (int round = 0; t->values != NULL && round < PTHREAD_DESTRUCTOR_ITERATIONS; round++)
    destroy_values(t);
}

INTERPOSE int pthread_key_create(pthread_key_t *key, void (*destructor)(void *)) {
  return running ? create(key, destructor) : REAL(pthread_key_create)(key, destructor);
}

INTERPOSE int pthread_key_delete(pthread_key_t key) {
  return ours(key) ? delete (key) : REAL(pthread_key_delete)(key);
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
    delete (key);
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
