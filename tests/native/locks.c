/* Cases about locks: every kind, and what is wrong with using them so. The first
 * argument chooses one. */
#define _GNU_SOURCE
#include "cases.h"

#include <assert.h>
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <threads.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, robust;
static pthread_spinlock_t spin;
static int shared;

static void *add(void *unused) {
  pthread_mutex_lock(&a);
  shared++;
  pthread_mutex_unlock(&a);
  return unused;
}

/* Times out exactly in the order in which the other thread is inside. */
static int timed(void) {
  pthread_t t = start(add);
  struct timespec until = in_an_hour(), now;
  int error = pthread_mutex_timedlock(&a, &until);
  clock_gettime(CLOCK_REALTIME, &now);
  assert(error == 0 || (error == ETIMEDOUT && now.tv_sec >= until.tv_sec));
  if (error == 0) pthread_mutex_unlock(&a);
  pthread_join(t, NULL);
  return error == 0 ? 0 : 5;
}

static int timed_other(void) {
  mtx_t m;
  struct timespec until = in_an_hour(), wrong = {0, -1};
  mtx_init(&m, mtx_timed);
  assert(mtx_timedlock(&m, &until) == thrd_success);
  assert(mtx_timedlock(&m, &until) == thrd_timedout);
  assert(pthread_mutex_clocklock(&a, CLOCK_MONOTONIC, &until) == 0);
  assert(pthread_mutex_clocklock(&a, CLOCK_MONOTONIC, &wrong) == EINVAL);
  return 0;
}

static void make_robust(void) {
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
  pthread_mutex_init(&robust, &attributes);
}

static void *die_inside(void *unused) {
  int error = pthread_mutex_lock(&robust);
  assert(error == 0 || error == EOWNERDEAD);
  return unused;
}

static int robust_repaired(void) {
  make_robust();
  pthread_t t = start(die_inside);
  int error = pthread_mutex_lock(&robust);
  assert(error == 0 || error == EOWNERDEAD);
  if (error == EOWNERDEAD) {
    assert(pthread_mutex_consistent(&robust) == 0 && pthread_mutex_consistent(&robust) == EINVAL);
    pthread_mutex_unlock(&robust);
    assert(pthread_mutex_lock(&robust) == 0);
  }
  pthread_mutex_unlock(&robust);
  pthread_join(t, NULL);
  assert(pthread_mutex_trylock(&robust) == (error == 0 ? EOWNERDEAD : 0));
  return 0;
}

static int robust_lost(void) {
  make_robust();
  pthread_join(start(die_inside), NULL);
  assert(pthread_mutex_lock(&robust) == EOWNERDEAD);
  pthread_mutex_unlock(&robust);
  assert(pthread_mutex_lock(&robust) == ENOTRECOVERABLE);
  assert(pthread_mutex_trylock(&robust) == ENOTRECOVERABLE);
  assert(pthread_mutex_destroy(&robust) == 0);
  return 0;
}

static void *spin_in(void *unused) {
  pthread_spin_lock(&spin);
  shared++;
  pthread_spin_unlock(&spin);
  return unused;
}

static int spins(void) {
  pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE);
  pthread_t t = start(spin_in);
  if (pthread_spin_trylock(&spin) == 0) pthread_spin_unlock(&spin);
  pthread_join(t, NULL);
  assert(shared == 1 && pthread_spin_destroy(&spin) == 0);
  return 0;
}

static int spins_twice(void) {
  pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE);
  pthread_spin_lock(&spin);
  pthread_spin_lock(&spin);
  return 0;
}

static int spin_stranger(void) {
  pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE);
  pthread_spin_unlock(&spin);
  return 0;
}

static int spin_destroyed(void) {
  pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE);
  pthread_spin_destroy(&spin);
  pthread_spin_lock(&spin);
  return 0;
}

static int attributes(void) {
  char name[16];
  struct sched_param how = {.sched_priority = 0};
  int policy;
  unsigned processor = 7, node = 7;
  clockid_t number;
  pthread_t t = start(add);
  assert(pthread_setname_np(t, "worker") == 0 && pthread_getname_np(t, name, sizeof name) == 0);
  assert(strcmp(name, "worker") == 0 && pthread_setname_np(t, "far too long a name") == ERANGE);
  assert(pthread_setschedparam(t, SCHED_OTHER, &how) == 0 && pthread_setschedprio(t, 0) == 0);
  assert(pthread_getschedparam(t, &policy, &how) == 0 && policy == SCHED_OTHER);
  assert(pthread_getcpuclockid(t, &number) == 0 && getcpu(&processor, &node) == 0);
  assert(processor == 0 && sched_yield() == 0 && pthread_kill(t, 0) == 0);
  pthread_join(t, NULL);
  return 0;
}

/* As old binaries refer to them. */
extern int old_lock(pthread_mutex_t *), old_unlock(pthread_mutex_t *);
__asm__(".symver old_lock, __pthread_mutex_lock@GLIBC_2.2.5");
__asm__(".symver old_unlock, __pthread_mutex_unlock@GLIBC_2.2.5");

/* A deadlock, seen because the older names are intercepted too. */
static int older_names(void) {
  old_lock(&a);
  old_unlock(&a);
  old_lock(&a);
  return old_lock(&a);
}

static int ceiling(void) {
  pthread_mutexattr_t protocol;
  pthread_mutex_t m;
  pthread_mutexattr_init(&protocol);
  pthread_mutexattr_setprotocol(&protocol, PTHREAD_PRIO_PROTECT);
  pthread_mutex_init(&m, &protocol);
  return pthread_mutex_lock(&m);
}

static int cancels(void) {
  return pthread_cancel(start(add));
}

static const struct named_case cases[] = {
    {"timed", timed},
    {"timed-other", timed_other},
    {"robust-repaired", robust_repaired},
    {"robust-lost", robust_lost},
    {"spins", spins},
    {"spins-twice", spins_twice},
    {"spin-stranger", spin_stranger},
    {"spin-destroyed", spin_destroyed},
    {"attributes", attributes},
    {"older-names", older_names},
    {"ceiling", ceiling},
    {"cancels", cancels},
};

int main(int argc, char **argv) {
  RUN_CHOSEN(argc, argv, cases);
  return 9;
}
