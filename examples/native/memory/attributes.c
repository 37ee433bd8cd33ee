/*
 * Attributes of threads and of what they wait for, keys, names, on behalf of code whose accesses
 * are seen. All of an object counts as read or written.
 */
#include "memory.h"

#include <pthread.h>
#include <sched.h>
#include <threads.h>

/* X(name, type of the attributes, type of what is set, and of what it becomes as an argument) */
#define SETS_TABLE(X)                                                                              \
  X(pthread_attr_setdetachstate, pthread_attr_t, int)                                              \
  X(pthread_attr_setguardsize, pthread_attr_t, size_t)                                             \
  X(pthread_attr_setstacksize, pthread_attr_t, size_t)                                             \
  X(pthread_attr_setinheritsched, pthread_attr_t, int)                                             \
  X(pthread_attr_setschedpolicy, pthread_attr_t, int)                                              \
  X(pthread_attr_setscope, pthread_attr_t, int)                                                    \
  X(pthread_mutexattr_settype, pthread_mutexattr_t, int)                                           \
  X(pthread_mutexattr_setrobust, pthread_mutexattr_t, int)                                         \
  X(pthread_mutexattr_setpshared, pthread_mutexattr_t, int)                                        \
  X(pthread_mutexattr_setprotocol, pthread_mutexattr_t, int)                                       \
  X(pthread_condattr_setclock, pthread_condattr_t, clockid_t)                                      \
  X(pthread_condattr_setpshared, pthread_condattr_t, int)                                          \
  X(pthread_rwlockattr_setpshared, pthread_rwlockattr_t, int)                                      \
  X(pthread_rwlockattr_setkind_np, pthread_rwlockattr_t, int)                                      \
  X(pthread_barrierattr_setpshared, pthread_barrierattr_t, int)
#define GETS_TABLE(X)                                                                              \
  X(pthread_attr_getdetachstate, pthread_attr_t, int)                                              \
  X(pthread_attr_getguardsize, pthread_attr_t, size_t)                                             \
  X(pthread_attr_getstacksize, pthread_attr_t, size_t)                                             \
  X(pthread_attr_getinheritsched, pthread_attr_t, int)                                             \
  X(pthread_attr_getschedpolicy, pthread_attr_t, int)                                              \
  X(pthread_attr_getscope, pthread_attr_t, int)                                                    \
  X(pthread_mutexattr_gettype, pthread_mutexattr_t, int)
#define WHOLE_TABLE(X)                                                                             \
  X(pthread_attr_init, pthread_attr_t, )                                                           \
  X(pthread_attr_destroy, pthread_attr_t, )                                                        \
  X(pthread_mutexattr_init, pthread_mutexattr_t, )                                                 \
  X(pthread_mutexattr_destroy, pthread_mutexattr_t, )                                              \
  X(pthread_condattr_init, pthread_condattr_t, )                                                   \
  X(pthread_condattr_destroy, pthread_condattr_t, )                                                \
  X(pthread_rwlockattr_init, pthread_rwlockattr_t, )                                               \
  X(pthread_rwlockattr_destroy, pthread_rwlockattr_t, )                                            \
  X(pthread_barrierattr_init, pthread_barrierattr_t, )                                             \
  X(pthread_barrierattr_destroy, pthread_barrierattr_t, )

static struct {
#define FIELD(name, type, other) __typeof__(&(name)) name##_;
  SETS_TABLE(FIELD) GETS_TABLE(FIELD) WHOLE_TABLE(FIELD)
#undef FIELD
} behind;

__attribute__((constructor)) static void find_behind(void) {
  void *function;
#define FIND(name, type, other)                                                                    \
  function = memory_behind(#name);                                                                 \
  __builtin_memcpy(&behind.name##_, &function, sizeof function);
  SETS_TABLE(FIND) GETS_TABLE(FIND) WHOLE_TABLE(FIND)
#undef FIND
}

#define BEHIND(name) (behind.name##_ == NULL ? find_behind() : (void)0, behind.name##_)

#define SETS(name, type, other)                                                                    \
  INTERPOSE int name(type *attributes, other value) {                                              \
    if (WATCHED) WRITES(attributes, sizeof *attributes);                                           \
    return BEHIND(name)(attributes, value);                                                        \
  }
SETS_TABLE(SETS)

#define GETS(name, type, other)                                                                    \
  INTERPOSE int name(const type *attributes, other *value) {                                       \
    if (WATCHED) READS(attributes, sizeof *attributes), WRITES(value, sizeof *value);              \
    return BEHIND(name)(attributes, value);                                                        \
  }
GETS_TABLE(GETS)

#define WHOLE(name, type, other)                                                                   \
  INTERPOSE int name(type *attributes) {                                                           \
    if (WATCHED) WRITES(attributes, sizeof *attributes);                                           \
    return BEHIND(name)(attributes);                                                               \
  }
WHOLE_TABLE(WHOLE)

#define NEXT_TABLE(X)                                                                              \
  X(pthread_attr_getstack)                                                                         \
  X(pthread_key_create)                                                                            \
  X(tss_create)                                                                                    \
  X(pthread_getname_np)                                                                            \
  X(sched_getaffinity)                                                                             \
  X(pthread_getaffinity_np)
#include "next.h"

INTERPOSE int pthread_attr_getstack(const pthread_attr_t *restrict attributes,
                                    void **restrict address, size_t *restrict size) {
  if (WATCHED) {
    READS(attributes, sizeof *attributes);
    WRITES(address, sizeof *address), WRITES(size, sizeof *size);
  }
  return NEXT(pthread_attr_getstack)(attributes, address, size);
}

INTERPOSE int pthread_key_create(pthread_key_t *key, void (*destroy)(void *)) {
  if (WATCHED) WRITES(key, sizeof *key);
  return NEXT(pthread_key_create)(key, destroy);
}

INTERPOSE int tss_create(tss_t *key, tss_dtor_t destroy) {
  if (WATCHED) WRITES(key, sizeof *key);
  return NEXT(tss_create)(key, destroy);
}

INTERPOSE int pthread_getname_np(pthread_t thread, char *name, size_t size) {
  if (WATCHED) WRITES(name, size);
  return NEXT(pthread_getname_np)(thread, name, size);
}

INTERPOSE int sched_getaffinity(pid_t process, size_t size, cpu_set_t *set) {
  if (WATCHED) WRITES(set, size);
  return NEXT(sched_getaffinity)(process, size, set);
}

INTERPOSE int pthread_getaffinity_np(pthread_t thread, size_t size, cpu_set_t *set) {
  if (WATCHED) WRITES(set, size);
  return NEXT(pthread_getaffinity_np)(thread, size, set);
}
