/* Threads, as far as they are made of others: once, spin locks, time limits, C11, attributes. */
#define _GNU_SOURCE
#include "library.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <threads.h>

static _Thread_local int error_number;

int *__errno_location(void) {
  return &error_number;
}

/* ---- what is done once ---- */

/* Each control is a lock, taken by each thread when it first comes by: whether a thread has been
 * here is its own history, whether the function has run is not. */
struct passed {
  const int *control;
  struct passed *next;
};
static _Thread_local struct passed *passed;

static bool has_passed(const int *control) {
  const struct passed *p = passed;
  while (p != NULL && p->control != control)
    p = p->next;
  return p != NULL && *control != 0; /* 0: its memory became another one */
}

int pthread_once(pthread_once_t *control, void (*function)(void)) {
  if (has_passed(control)) return 0;
  __unfold_lock(control);
  if (*control == 0) {
    function();
    *control = 1;
  }
  __unfold_unlock(control);
  struct passed *p = __unfold_allocate(sizeof *p);
  *p = (struct passed){control, passed};
  passed = p;
  return 0;
}

void call_once(once_flag *flag, void (*function)(void)) {
  pthread_once((pthread_once_t *)flag, function);
}

/* ---- the end of main ---- */

struct handler {
  void (*function)(void);
  struct handler *next;
};
static struct handler *handlers;

int atexit(void (*function)(void)) {
  struct handler *h = __unfold_allocate(sizeof *h);
  __unfold_lock(&handlers);
  *h = (struct handler){function, handlers};
  handlers = h;
  __unfold_unlock(&handlers);
  return 0;
}

/* Is called at the end of main, and by exit(). */
void __unfold_at_exit(void) {
  while (handlers != NULL) {
    struct handler *h = handlers;
    handlers = h->next;
    h->function();
  }
}

/* ---- time ---- */

enum { NANOSECONDS = 1000000000, BEGIN_REAL = 1700000000, BEGIN_MONOTONIC = 1000 };

static int64_t begin_of(clockid_t clock) {
  const bool real = clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE || clock == CLOCK_TAI;
  return (int64_t)(real ? BEGIN_REAL : BEGIN_MONOTONIC) * NANOSECONDS;
}

static void split(int64_t nanoseconds, struct timespec *to) {
  to->tv_sec = nanoseconds / NANOSECONDS;
  to->tv_nsec = nanoseconds % NANOSECONDS;
}

int clock_gettime(clockid_t clock, struct timespec *to) {
  split(begin_of(clock) + __unfold_time(0), to);
  return 0;
}

int clock_getres(clockid_t clock, struct timespec *to) {
  (void)clock;
  if (to != NULL) split(1, to);
  return 0;
}

int timespec_get(struct timespec *to, int base) {
  clock_gettime(CLOCK_REALTIME, to);
  return base;
}

time_t time(time_t *to) {
  const time_t now = BEGIN_REAL + __unfold_time(0) / NANOSECONDS;
  if (to != NULL) *to = now;
  return now;
}

/* <sys/time.h> declares it with two types. */
int gettimeofday(struct timeval *restrict to, void *restrict zone) {
  struct timespec now;
  (void)zone;
  clock_gettime(CLOCK_REALTIME, &now);
  to->tv_sec = now.tv_sec;
  to->tv_usec = now.tv_nsec / 1000;
  return 0;
}

double difftime(time_t one, time_t other) {
  return (double)one - (double)other;
}

clock_t clock(void) {
  return __unfold_time(0) / 1000;
}

int nanosleep(const struct timespec *time_of, struct timespec *rest) {
  __unfold_time(time_of->tv_sec * NANOSECONDS + time_of->tv_nsec);
  if (rest != NULL) *rest = (struct timespec){0, 0};
  return 0;
}

static int is_wrong(const struct timespec *limit) {
  return limit->tv_nsec < 0 || limit->tv_nsec >= NANOSECONDS;
}

/* The time is over: it is at least that late. A number of few seconds is of the monotonic clock. */
static void pass_to(const struct timespec *limit) {
  const clockid_t clock_of = limit->tv_sec < BEGIN_REAL / 2 ? CLOCK_MONOTONIC : CLOCK_REALTIME;
  const int64_t until = limit->tv_sec * NANOSECONDS + limit->tv_nsec - begin_of(clock_of);
  __unfold_time(until - __unfold_time(0));
}

int clock_nanosleep(clockid_t clock_of, int flags, const struct timespec *time_of,
                    struct timespec *rest) {
  (void)clock_of;
  if (flags == 0) return nanosleep(time_of, rest);
  pass_to(time_of);
  return 0;
}

int thrd_sleep(const struct timespec *time_of, struct timespec *rest) {
  return nanosleep(time_of, rest);
}

unsigned sleep(unsigned seconds) {
  __unfold_time((int64_t)seconds * NANOSECONDS);
  return 0;
}

int usleep(unsigned microseconds) {
  __unfold_time((int64_t)microseconds * 1000);
  return 0;
}

/* ---- time limits ---- */

int __unfold_mutex_timedlock(pthread_mutex_t *mutex);
int __unfold_cond_timedwait(pthread_cond_t *condition, pthread_mutex_t *mutex);
int __unfold_rwlock_timedrdlock(pthread_rwlock_t *lock);
int __unfold_rwlock_timedwrlock(pthread_rwlock_t *lock);
int __unfold_sem_trywait(sem_t *semaphore);

static int limited(int error, const struct timespec *limit) {
  if (error != ETIMEDOUT) return error;
  if (is_wrong(limit)) return EINVAL;
  pass_to(limit);
  return error;
}

int pthread_mutex_timedlock(pthread_mutex_t *mutex, const struct timespec *limit) {
  return limited(__unfold_mutex_timedlock(mutex), limit);
}

int pthread_mutex_clocklock(pthread_mutex_t *mutex, clockid_t clock_of,
                            const struct timespec *limit) {
  (void)clock_of;
  return pthread_mutex_timedlock(mutex, limit);
}

int pthread_cond_timedwait(pthread_cond_t *condition, pthread_mutex_t *mutex,
                           const struct timespec *limit) {
  if (is_wrong(limit)) return EINVAL;
  return limited(__unfold_cond_timedwait(condition, mutex), limit);
}

int pthread_cond_clockwait(pthread_cond_t *condition, pthread_mutex_t *mutex, clockid_t clock_of,
                           const struct timespec *limit) {
  (void)clock_of;
  return pthread_cond_timedwait(condition, mutex, limit);
}

int pthread_rwlock_timedrdlock(pthread_rwlock_t *lock, const struct timespec *limit) {
  return limited(__unfold_rwlock_timedrdlock(lock), limit);
}

int pthread_rwlock_timedwrlock(pthread_rwlock_t *lock, const struct timespec *limit) {
  return limited(__unfold_rwlock_timedwrlock(lock), limit);
}

static int failed(int error) {
  if (error == 0) return 0;
  errno = error;
  return -1;
}

int sem_trywait(sem_t *semaphore) {
  return failed(__unfold_sem_trywait(semaphore) == 0 ? 0 : EAGAIN);
}

int sem_timedwait(sem_t *semaphore, const struct timespec *limit) {
  return failed(limited(__unfold_sem_trywait(semaphore) == 0 ? 0 : ETIMEDOUT, limit));
}

int sem_clockwait(sem_t *semaphore, clockid_t clock_of, const struct timespec *limit) {
  (void)clock_of;
  return sem_timedwait(semaphore, limit);
}

/* ---- spin locks ---- */

enum { SPIN_DESTROYED = -1 };

static void alive(const volatile int *lock) {
  if (*lock == SPIN_DESTROYED) __unfold_misused(1);
}

int pthread_spin_init(pthread_spinlock_t *lock, int shared) {
  (void)shared;
  *lock = 1;
  return 0;
}

int pthread_spin_lock(pthread_spinlock_t *lock) {
  __unfold_lock(lock);
  alive(lock);
  return 0;
}

int pthread_spin_trylock(pthread_spinlock_t *lock) {
  const int error = __unfold_trylock(lock);
  if (error == 0) alive(lock);
  return error;
}

int pthread_spin_unlock(pthread_spinlock_t *lock) {
  __unfold_unlock(lock);
  return 0;
}

int pthread_spin_destroy(pthread_spinlock_t *lock) {
  if (__unfold_trylock(lock) != 0) __unfold_misused(0);
  alive(lock);
  *lock = SPIN_DESTROYED;
  __unfold_unlock(lock);
  return 0;
}

/* ---- C11 ---- */

static int c11(int error) {
  return error == 0           ? thrd_success
         : error == EBUSY     ? thrd_busy
         : error == ETIMEDOUT ? thrd_timedout
                              : thrd_error;
}

int thrd_create(thrd_t *thread, thrd_start_t function, void *argument) {
  return c11(pthread_create(thread, NULL, (void *(*)(void *))(void *)function, argument));
}

int thrd_join(thrd_t thread, int *result) {
  void *value;
  const int error = pthread_join(thread, &value);
  if (result != NULL) *result = (int)(intptr_t)value;
  return c11(error);
}

int thrd_detach(thrd_t thread) {
  return c11(pthread_detach(thread));
}

thrd_t thrd_current(void) {
  return pthread_self();
}

int thrd_equal(thrd_t one, thrd_t other) {
  return one == other;
}

void thrd_yield(void) {
}

_Noreturn void thrd_exit(int result) {
  pthread_exit((void *)(intptr_t)result);
}

int mtx_init(mtx_t *mutex, int type) {
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  if ((type & mtx_recursive) != 0) pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
  return c11(pthread_mutex_init((pthread_mutex_t *)mutex, &attributes));
}

void mtx_destroy(mtx_t *mutex) {
  pthread_mutex_destroy((pthread_mutex_t *)mutex);
}

int mtx_lock(mtx_t *mutex) {
  return c11(pthread_mutex_lock((pthread_mutex_t *)mutex));
}

int mtx_trylock(mtx_t *mutex) {
  return c11(pthread_mutex_trylock((pthread_mutex_t *)mutex));
}

int mtx_timedlock(mtx_t *mutex, const struct timespec *limit) {
  return c11(pthread_mutex_timedlock((pthread_mutex_t *)mutex, limit));
}

int mtx_unlock(mtx_t *mutex) {
  return c11(pthread_mutex_unlock((pthread_mutex_t *)mutex));
}

int cnd_init(cnd_t *condition) {
  return c11(pthread_cond_init((pthread_cond_t *)condition, NULL));
}

void cnd_destroy(cnd_t *condition) {
  pthread_cond_destroy((pthread_cond_t *)condition);
}

int cnd_wait(cnd_t *condition, mtx_t *mutex) {
  return c11(pthread_cond_wait((pthread_cond_t *)condition, (pthread_mutex_t *)mutex));
}

int cnd_timedwait(cnd_t *condition, mtx_t *mutex, const struct timespec *limit) {
  return c11(pthread_cond_timedwait((pthread_cond_t *)condition, (pthread_mutex_t *)mutex, limit));
}

int cnd_signal(cnd_t *condition) {
  return c11(pthread_cond_signal((pthread_cond_t *)condition));
}

int cnd_broadcast(cnd_t *condition) {
  return c11(pthread_cond_broadcast((pthread_cond_t *)condition));
}

int tss_create(tss_t *key, tss_dtor_t destructor) {
  return c11(pthread_key_create(key, destructor));
}

void tss_delete(tss_t key) {
  pthread_key_delete(key);
}

void *tss_get(tss_t key) {
  return pthread_getspecific(key);
}

int tss_set(tss_t key, void *value) {
  return c11(pthread_setspecific(key, value));
}

/* ---- attributes ---- */

/* Kept in words of the object, where create() in ../ends.c looks for the first bit. */
enum { DETACHED_WORD = 2, STACK_WORD = 4, GUARD_WORD = 6 };

static int set_word(pthread_attr_t *attributes, int word, size_t value) {
  memcpy((char *)attributes + 4 * word, &value, sizeof value);
  return 0;
}

static int get_word(const pthread_attr_t *attributes, int word, size_t *value) {
  memcpy(value, (const char *)attributes + 4 * word, sizeof *value);
  return 0;
}

int pthread_attr_init(pthread_attr_t *attributes) {
  memset(attributes, 0, sizeof *attributes);
  set_word(attributes, GUARD_WORD, 4096);
  return set_word(attributes, STACK_WORD, 8 << 20);
}

int pthread_attr_destroy(pthread_attr_t *attributes) {
  (void)attributes;
  return 0;
}

int pthread_attr_setdetachstate(pthread_attr_t *attributes, int state) {
  return set_word(attributes, DETACHED_WORD, state == PTHREAD_CREATE_DETACHED);
}

int pthread_attr_getdetachstate(const pthread_attr_t *attributes, int *state) {
  size_t value;
  get_word(attributes, DETACHED_WORD, &value);
  *state = value != 0 ? PTHREAD_CREATE_DETACHED : PTHREAD_CREATE_JOINABLE;
  return 0;
}

int pthread_attr_setstacksize(pthread_attr_t *attributes, size_t size) {
  return size < 16384 ? EINVAL : set_word(attributes, STACK_WORD, size);
}

int pthread_attr_getstacksize(const pthread_attr_t *attributes, size_t *size) {
  return get_word(attributes, STACK_WORD, size);
}

int pthread_attr_setguardsize(pthread_attr_t *attributes, size_t size) {
  return set_word(attributes, GUARD_WORD, size);
}

int pthread_attr_getguardsize(const pthread_attr_t *attributes, size_t *size) {
  return get_word(attributes, GUARD_WORD, size);
}

int pthread_attr_setscope(pthread_attr_t *attributes, int scope) {
  (void)attributes;
  return scope == PTHREAD_SCOPE_SYSTEM ? 0 : ENOTSUP;
}

int pthread_attr_setinheritsched(pthread_attr_t *attributes, int inherits) {
  (void)attributes;
  (void)inherits;
  return 0;
}

int pthread_condattr_init(pthread_condattr_t *attributes) {
  memset(attributes, 0, sizeof *attributes);
  return 0;
}

int pthread_condattr_destroy(pthread_condattr_t *attributes) {
  (void)attributes;
  return 0;
}

int pthread_condattr_setclock(pthread_condattr_t *attributes, clockid_t clock_of) {
  (void)attributes;
  return clock_of == CLOCK_REALTIME || clock_of == CLOCK_MONOTONIC ? 0 : EINVAL;
}

int pthread_condattr_setpshared(pthread_condattr_t *attributes, int shared) {
  (void)attributes;
  (void)shared;
  return 0;
}

int pthread_mutexattr_setpshared(pthread_mutexattr_t *attributes, int shared) {
  (void)attributes;
  (void)shared;
  return 0;
}

int pthread_rwlockattr_init(pthread_rwlockattr_t *attributes) {
  memset(attributes, 0, sizeof *attributes);
  return 0;
}

int pthread_rwlockattr_destroy(pthread_rwlockattr_t *attributes) {
  (void)attributes;
  return 0;
}

int pthread_barrierattr_init(pthread_barrierattr_t *attributes) {
  memset(attributes, 0, sizeof *attributes);
  return 0;
}

int pthread_barrierattr_destroy(pthread_barrierattr_t *attributes) {
  (void)attributes;
  return 0;
}

/* ---- what is known of a thread, and changes nothing ---- */

enum { NAME_SIZE = 16 };

struct name {
  pthread_t thread;
  char text[NAME_SIZE];
  struct name *next;
};
static struct name *names;

static struct name *name_of(pthread_t thread) {
  struct name *n = names;
  while (n != NULL && n->thread != thread)
    n = n->next;
  return n;
}

int pthread_setname_np(pthread_t thread, const char *text) {
  if (strlen(text) >= NAME_SIZE) return ERANGE;
  __unfold_lock(&names);
  struct name *n = name_of(thread);
  if (n == NULL) {
    n = __unfold_allocate(sizeof *n);
    n->thread = thread;
    n->next = names;
    names = n;
  }
  strcpy(n->text, text);
  __unfold_unlock(&names);
  return 0;
}

int pthread_getname_np(pthread_t thread, char *text, size_t size) {
  __unfold_lock(&names);
  const struct name *n = name_of(thread);
  const char *found = n != NULL ? n->text : "program";
  const int error = strlen(found) < size ? 0 : ERANGE;
  if (error == 0) strcpy(text, found);
  __unfold_unlock(&names);
  return error;
}

int pthread_setschedparam(pthread_t thread, int policy, const struct sched_param *how) {
  (void)thread;
  return policy == SCHED_OTHER && how->sched_priority == 0 ? 0 : EPERM;
}

int pthread_getschedparam(pthread_t thread, int *policy, struct sched_param *how) {
  (void)thread;
  *policy = SCHED_OTHER;
  how->sched_priority = 0;
  return 0;
}

int pthread_setschedprio(pthread_t thread, int priority) {
  (void)thread;
  return priority == 0 ? 0 : EINVAL;
}

int pthread_getcpuclockid(pthread_t thread, clockid_t *clock_of) {
  *clock_of = (clockid_t) - (int)thread;
  return 0;
}

int getcpu(unsigned *processor, unsigned *node) {
  if (processor != NULL) *processor = 0;
  if (node != NULL) *node = 0;
  return 0;
}

int sched_getcpu(void) {
  return 0;
}

int pthread_setconcurrency(int level) {
  (void)level;
  return 0;
}

int pthread_yield(void) {
  return 0;
}

int pthread_kill(pthread_t thread, int number) {
  (void)thread;
  if (number != 0) __unfold_unsupported("pthread_kill");
  return 0;
}
