/* Cases about condition variables, reader-writer locks, semaphores, barriers, the ends of
 * threads and signals between them. The first argument chooses one. */
#define _GNU_SOURCE
#include "cases.h"

#include <assert.h>
#include <errno.h>
#include <semaphore.h>
#include <signal.h>
#include <stdbool.h>
#include <threads.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t ready = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t table = PTHREAD_RWLOCK_INITIALIZER;
static pthread_barrier_t barrier;
static sem_t semaphore;
static bool done;

static void *finish(void *unused) {
  pthread_mutex_lock(&lock);
  done = true;
  pthread_cond_signal(&ready);
  pthread_mutex_unlock(&lock);
  return unused;
}

static void *finish_all(void *unused) {
  pthread_mutex_lock(&lock);
  done = true;
  pthread_cond_broadcast(&ready);
  pthread_mutex_unlock(&lock);
  return unused;
}

static void *await(void *unused) {
  pthread_mutex_lock(&lock);
  while (!done)
    pthread_cond_wait(&ready, &lock);
  pthread_mutex_unlock(&lock);
  return unused;
}

static int waits(void) {
  pthread_t t = start(finish);
  await(NULL);
  return pthread_join(t, NULL);
}

/* Both wait, in either order or one after the other was woken; then either is first. */
static int two_wait(void) {
  pthread_t t[] = {start(await), start(await)};
  finish_all(NULL);
  return pthread_join(t[0], NULL) + pthread_join(t[1], NULL) + pthread_cond_destroy(&ready);
}

extern int old_wait(pthread_cond_t *, pthread_mutex_t *), old_signal(pthread_cond_t *);
__asm__(".symver old_wait, pthread_cond_wait@GLIBC_2.2.5");
__asm__(".symver old_signal, pthread_cond_signal@GLIBC_2.2.5");

static void *finish_old(void *unused) {
  pthread_mutex_lock(&lock);
  done = true;
  old_signal(&ready);
  pthread_mutex_unlock(&lock);
  return unused;
}

static int old_version(void) {
  pthread_t t = start(finish_old);
  pthread_mutex_lock(&lock);
  while (!done)
    old_wait(&ready, &lock);
  pthread_mutex_unlock(&lock);
  return pthread_join(t, NULL);
}

static int times_out(void) {
  pthread_t t = start(finish);
  struct timespec until = in_an_hour(), wrong = {0, -1};
  int error = 0;
  pthread_mutex_lock(&lock);
  assert(pthread_cond_timedwait(&ready, &lock, &wrong) == EINVAL);
  if (!done) error = pthread_cond_clockwait(&ready, &lock, CLOCK_MONOTONIC, &until);
  assert(done || error == ETIMEDOUT);
  pthread_mutex_unlock(&lock);
  pthread_join(t, NULL);
  return error == ETIMEDOUT && done ? 3 : 0;
}

static int for_ever(void) {
  struct timespec until = in_an_hour();
  pthread_t t = start(finish);
  pthread_mutex_lock(&lock);
  while (!done)
    pthread_cond_timedwait(&ready, &lock, &until);
  pthread_mutex_unlock(&lock);
  return pthread_join(t, NULL);
}

static int unheld(void) {
  pthread_mutex_t checked;
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_ERRORCHECK);
  pthread_mutex_init(&checked, &attributes);
  assert(pthread_cond_wait(&ready, &checked) == EPERM);
  return pthread_cond_wait(&ready, &lock);
}

static int locked_twice(void) {
  pthread_mutex_t recursive = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
  pthread_mutex_lock(&recursive);
  pthread_mutex_lock(&recursive);
  return pthread_cond_wait(&ready, &recursive);
}

static int gone(void) {
  pthread_cond_destroy(&ready);
  pthread_cond_init(&ready, NULL);
  pthread_cond_signal(&ready);
  pthread_cond_destroy(&ready);
  return pthread_cond_signal(&ready);
}

static cnd_t c11_ready;
static mtx_t c11_lock;

static int c11_finish(void *unused) {
  mtx_lock(&c11_lock);
  done = true;
  cnd_broadcast(&c11_ready);
  cnd_signal(&c11_ready);
  mtx_unlock(&c11_lock);
  return unused == NULL ? 0 : 1;
}

static int c11(void) {
  thrd_t t;
  struct timespec until = in_an_hour();
  mtx_init(&c11_lock, mtx_plain);
  cnd_init(&c11_ready);
  thrd_create(&t, c11_finish, NULL);
  mtx_lock(&c11_lock);
  while (!done)
    cnd_wait(&c11_ready, &c11_lock);
  assert(cnd_timedwait(&c11_ready, &c11_lock, &until) == thrd_timedout);
  mtx_unlock(&c11_lock);
  thrd_join(t, NULL);
  cnd_destroy(&c11_ready);
  return 0;
}

static void *read_twice(void *unused) {
  assert(pthread_rwlock_rdlock(&table) == 0 && pthread_rwlock_tryrdlock(&table) == 0);
  assert(pthread_rwlock_unlock(&table) == 0 && pthread_rwlock_unlock(&table) == 0);
  return unused;
}

static int readers(void) {
  pthread_t t = start(read_twice);
  read_twice(NULL);
  return pthread_join(t, NULL) + pthread_rwlock_destroy(&table);
}

static void *write_table(void *unused) {
  struct timespec until = in_an_hour();
  assert(pthread_rwlock_wrlock(&table) == 0);
  assert(pthread_rwlock_wrlock(&table) == EDEADLK && pthread_rwlock_rdlock(&table) == EDEADLK);
  assert(pthread_rwlock_trywrlock(&table) == EBUSY && pthread_rwlock_tryrdlock(&table) == EBUSY);
  assert(pthread_rwlock_timedwrlock(&table, &until) == EDEADLK);
  pthread_rwlock_unlock(&table);
  return unused;
}

/* Before, meanwhile, or afterwards. */
static int reader_tries(void) {
  pthread_t t = start(write_table);
  struct timespec until = in_an_hour();
  int error = pthread_rwlock_timedrdlock(&table, &until);
  assert(error == 0 || error == ETIMEDOUT);
  if (error == 0) pthread_rwlock_unlock(&table);
  return pthread_join(t, NULL);
}

static int writer_tries(void) {
  pthread_t t = start(read_twice);
  int error = pthread_rwlock_trywrlock(&table);
  assert(error == 0 || error == EBUSY);
  if (error == 0) pthread_rwlock_unlock(&table);
  return pthread_join(t, NULL);
}

static int table_stranger(void) {
  return pthread_rwlock_unlock(&table);
}

static int table_destroyed(void) {
  pthread_t t = start(read_twice);
  pthread_rwlock_destroy(&table);
  return pthread_join(t, NULL);
}

static void *post(void *unused) {
  sem_post(&semaphore);
  return unused;
}

static int tries_semaphore(void) {
  sem_init(&semaphore, 0, 0);
  pthread_t t = start(post);
  struct timespec until = in_an_hour();
  int value, first = sem_trywait(&semaphore);
  assert(first == 0 || errno == EAGAIN);
  int second = sem_timedwait(&semaphore, &until);
  assert(second == 0 || errno == ETIMEDOUT);
  pthread_join(t, NULL);
  assert(sem_getvalue(&semaphore, &value) == 0);
  assert(value == (first == 0 ? 0 : 1) - (second == 0 ? 1 : 0));
  return sem_destroy(&semaphore);
}

static int two_posts(void) {
  sem_init(&semaphore, 0, 1);
  pthread_t t[] = {start(post), start(post)};
  int value;
  for (int i = 0; i < 3; i++)
    sem_wait(&semaphore);
  assert(sem_getvalue(&semaphore, &value) == 0 && value == 0);
  pthread_join(t[0], NULL);
  pthread_join(t[1], NULL);
  sem_destroy(&semaphore);
  sem_init(&semaphore, 0, 2);
  sem_wait(&semaphore);
  assert(sem_getvalue(&semaphore, &value) == 0 && value == 1);
  return 0;
}

static int semaphore_gone(void) {
  sem_init(&semaphore, 0, 1);
  sem_destroy(&semaphore);
  return sem_wait(&semaphore);
}

static int never_posted(void) {
  return sem_wait(&semaphore);
}

static int serial;

static void *rounds(void *unused) {
  for (int i = 0; i < 2; i++) {
    int result = pthread_barrier_wait(&barrier);
    pthread_mutex_lock(&lock);
    serial += result == PTHREAD_BARRIER_SERIAL_THREAD;
    pthread_mutex_unlock(&lock);
  }
  return unused;
}

/* The order under the mutex alone: twice two. Then a third round, of others. */
static int barriers(void) {
  pthread_barrier_init(&barrier, NULL, 2);
  pthread_t t = start(rounds);
  rounds(NULL);
  pthread_join(t, NULL);
  assert(serial == 2);
  t = start(rounds);
  pthread_join(start(rounds), NULL);
  pthread_join(t, NULL);
  assert(serial == 4 && pthread_barrier_destroy(&barrier) == 0);
  pthread_barrier_init(&barrier, NULL, 1);
  assert(pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD);
  return 0;
}

static void *arrive(void *unused) {
  pthread_barrier_wait(&barrier);
  return unused;
}

static int contended(void) {
  pthread_barrier_init(&barrier, NULL, 2);
  pthread_t t[] = {start(arrive), start(arrive), start(arrive)};
  arrive(NULL);
  return pthread_join(t[0], NULL) + pthread_join(t[1], NULL) + pthread_join(t[2], NULL);
}

/* Has ended, or has not yet. */
static int tries_join(void) {
  pthread_t t = start(post);
  struct timespec until = in_an_hour();
  int error = pthread_tryjoin_np(t, NULL);
  assert(error == 0 || error == EBUSY);
  if (error == 0) return 0;
  error = pthread_timedjoin_np(t, NULL, &until);
  assert(error == 0 || error == ETIMEDOUT);
  return error == 0 ? 0 : pthread_join(t, NULL);
}

static void *end_detached(void *unused) {
  post(NULL);
  pthread_exit(unused);
}

static int detached(void) {
  pthread_t t = start(end_detached);
  assert(pthread_detach(t) == 0 && pthread_detach(t) == EINVAL && pthread_join(t, NULL) == EINVAL);
  return 0;
}

static pthread_t main_thread;
static volatile sig_atomic_t handled;

static void handler(int number) {
  handled = number;
}

static void block(int number) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, number);
  pthread_sigmask(SIG_BLOCK, &set, NULL);
  signal(number, handler);
  main_thread = pthread_self();
}

static void *send_to_main(void *unused) {
  pthread_kill(main_thread, SIGUSR1);
  return unused;
}

static void *send_to_process(void *unused) {
  kill(getpid(), SIGUSR1);
  return unused;
}

static int sent(void) {
  sigset_t set;
  int number = 0;
  block(SIGUSR1);
  pthread_t t = start(send_to_main);
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  assert(sigwait(&set, &number) == 0 && number == SIGUSR1 && handled == 0);
  return pthread_join(t, NULL);
}

/* Sent before it was asked for, or after. */
static int suspended(void) {
  sigset_t set;
  block(SIGUSR1);
  pthread_t t = start(send_to_process);
  assert(sigpending(&set) == 0);
  sigemptyset(&set);
  assert(sigsuspend(&set) == -1 && errno == EINTR && handled == SIGUSR1);
  return pthread_join(t, NULL);
}

static int never_sent(void) {
  sigset_t set;
  sigfillset(&set);
  return sigwaitinfo(&set, NULL);
}

static void ignore_it(int number) {
  (void)number;
}

static int interrupts(void) {
  main_thread = pthread_self();
  signal(SIGUSR1, ignore_it);
  return pthread_join(start(send_to_main), NULL);
}

static const struct named_case cases[] = {
    {"waits", waits},
    {"two-wait", two_wait},
    {"old-version", old_version},
    {"times-out", times_out},
    {"for-ever", for_ever},
    {"unheld", unheld},
    {"locked-twice", locked_twice},
    {"gone", gone},
    {"c11", c11},
    {"readers", readers},
    {"reader-tries", reader_tries},
    {"writer-tries", writer_tries},
    {"table-stranger", table_stranger},
    {"table-destroyed", table_destroyed},
    {"tries-semaphore", tries_semaphore},
    {"two-posts", two_posts},
    {"semaphore-gone", semaphore_gone},
    {"never-posted", never_posted},
    {"barriers", barriers},
    {"contended", contended},
    {"tries-join", tries_join},
    {"detached", detached},
    {"sent", sent},
    {"suspended", suspended},
    {"never-sent", never_sent},
    {"interrupts", interrupts},
};

int main(int argc, char **argv) {
  RUN_CHOSEN(argc, argv, cases);
  return 9;
}
