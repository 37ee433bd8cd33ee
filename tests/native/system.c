/* Cases about what surrounds a program's threads: what was done before main, memory that becomes
 * another object, numbers and signals of the system. The first argument chooses one. */
#define _GNU_SOURCE
#include "cases.h"

#include <aio.h>
#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/sem.h>
#include <unistd.h>

enum { MANY = 64 };

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER, many[MANY];
static pthread_mutex_t early_mutex = PTHREAD_MUTEX_INITIALIZER, *shared;
static pthread_once_t early_flag = PTHREAD_ONCE_INIT;
static int initialised;

static void initialise(void) {
  initialised++;
}

__attribute__((constructor)) static void before_main(void) {
  pthread_once(&early_flag, initialise);
  pthread_mutex_lock(&early_mutex);
}

/* A constructor gets the arguments, too. */
__attribute__((constructor)) static void end_early(int argc, char **argv) {
  if (argc == 2 && strcmp(argv[1], "exits-early") == 0) exit(7);
  if (argc == 2 && strcmp(argv[1], "ends-early") == 0) _exit(7);
}

static void visit(pthread_mutex_t *m) {
  pthread_mutex_lock(m);
  pthread_mutex_unlock(m);
}

/* Beside a thread that takes the mutex a. */
static void *visit_a(void *unused) {
  visit(&a);
  return unused;
}

static int beside(void *(*function)(void *)) {
  pthread_t t = start(function);
  visit_a(NULL);
  pthread_join(t, NULL);
  return 0;
}

static int early_once(void) {
  pthread_once(&early_flag, initialise);
  assert(initialised == 1);
  return 0;
}

static int early_lock(void) {
  return pthread_mutex_trylock(&early_mutex) == EBUSY ? 0 : 1;
}

/* Memory freed with a held mutex in it, and allocated again. */
static int forgotten(void) {
  pthread_mutex_t *m = malloc(sizeof *m);
  pthread_mutex_init(m, NULL);
  pthread_mutex_lock(&a);
  pthread_mutex_lock(m);
  pthread_mutex_init(m, NULL);
  pthread_mutex_lock(m);
  pthread_mutex_unlock(&a);
  pthread_mutex_unlock(m);
  free(m);
  return 0;
}

static void hold_own(void) {
  pthread_mutex_t own = PTHREAD_MUTEX_INITIALIZER;
  pthread_mutex_lock(&own);
}

static int stack_again(void) {
  hold_own();
  hold_own();
  return 0;
}

static int destroyed_and_new(void) {
  visit(&a);
  pthread_mutex_destroy(&a);
  pthread_mutex_init(&a, NULL);
  visit(&a);
  return 0;
}

static void *visit_shared(void *unused) {
  visit(&b);
  visit(shared);
  return unused;
}

static int destroyed(void) {
  shared = malloc(sizeof *shared);
  pthread_mutex_init(shared, NULL);
  pthread_t t = start(visit_shared);
  visit(&a);
  pthread_mutex_destroy(shared);
  pthread_join(t, NULL);
  free(shared);
  return 0;
}

static int control_again(void) {
  pthread_once_t *control = calloc(1, sizeof *control);
  pthread_once(control, initialise);
  *control = PTHREAD_ONCE_INIT;
  pthread_once(control, initialise);
  pthread_once(control, initialise);
  assert(initialised == 3);
  free(control);
  return 0;
}

/* What the system makes up decides what is locked next. */
static void *numbers(void *unused) {
  unsigned char byte[3];
  if (getrandom(byte, 1, 0) != 1 || getentropy(byte + 1, 1) != 0) return unused;
  arc4random_buf(byte + 2, 1);
  long drawn = byte[0] + byte[1] + byte[2] + rand() + lrand48() + clock();
  visit(&many[(drawn + getpid() + gettid()) % MANY]);
  visit(&a);
  return unused;
}

static int identity(void) {
  for (int i = 0; i < MANY; i++)
    pthread_mutex_init(&many[i], NULL);
  numbers(NULL);
  return beside(numbers);
}

static int seeded(void) {
  srand(7);
  int first = rand();
  srand(7);
  assert(rand() == first && getpid() == gettid() && kill(getpid(), 0) == 0);
  return 0;
}

static int processors(void) {
  cpu_set_t set;
  assert(sched_getaffinity(0, sizeof set, &set) == 0);
  return CPU_COUNT(&set) == (int)sysconf(_SC_NPROCESSORS_ONLN) ? 0 : 1;
}

static int waiting(void) {
  time_t before = time(NULL);
  assert(poll(NULL, 0, 100000) == 0);
  assert(time(NULL) >= before + 100);
  return 0;
}

static void *crash_masked(void *unused) {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, NULL);
  visit(&a);
  *(volatile int *)(uintptr_t)8 = 1;
  return unused;
}

static int masked(void) {
  return beside(crash_masked);
}

static int by_default(void) {
  assert(signal(SIGSEGV, SIG_IGN) == SIG_DFL && signal(SIGSEGV, SIG_DFL) == SIG_IGN);
  visit(&a);
  *(volatile int *)(uintptr_t)8 = 1;
  return 0;
}

static int sent_abort(void) {
  return kill(getpid(), SIGABRT);
}

static void *exit_there(void *unused) {
  visit(&a);
  exit(7);
  return unused;
}

/* Either exit may come first. */
static int two_exits(void) {
  start(exit_there);
  visit(&b);
  return 0;
}

static int forks(void) {
  return _Fork() == 0 ? 1 : 0;
}

static int alarms(void) {
  return alarm(0) + alarm(1) == 0 ? 0 : 1;
}

static int timers(void) {
  timer_t timer;
  struct sigevent how = {.sigev_notify = SIGEV_THREAD};
  return timer_create(CLOCK_MONOTONIC, &how, &timer);
}

static int reads(void) {
  char byte;
  struct aiocb how = {.aio_fildes = 0, .aio_buf = &byte, .aio_nbytes = 1};
  return aio_read(&how);
}

static int semaphores(void) {
  struct sembuf up = {0, 1, 0};
  return semop(0, &up, 1);
}

static int terminates(void) {
  visit(&a);
  return raise(SIGTERM);
}

static void *write_to_nobody(void *unused) {
  int ends[2];
  if (pipe(ends) != 0 || close(ends[0]) != 0) return unused;
  visit(&a);
  assert(write(ends[1], "", 1) == -1 && errno == EPIPE);
  close(ends[1]);
  return unused;
}

static int broken_pipe(void) {
  return beside(write_to_nobody);
}

static int pipe_ignored(void) {
  signal(SIGPIPE, SIG_IGN);
  assert(signal(SIGPIPE, SIG_IGN) == SIG_IGN);
  return beside(write_to_nobody);
}

static int pipe_blocked(void) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGPIPE);
  sigprocmask(SIG_BLOCK, &set, NULL);
  return beside(write_to_nobody);
}

static int file_too_large(void) {
  const struct rlimit none = {0, RLIM_INFINITY};
  FILE *file = tmpfile();
  visit(&a);
  setrlimit(RLIMIT_FSIZE, &none);
  return file == NULL || write(fileno(file), "", 1) == 1;
}

static _Thread_local volatile int handled;

static void handle(int number) {
  handled += number == SIGUSR1;
}

static void *raise_here(void *unused) {
  visit(&a);
  assert(raise(SIGUSR1) == 0 && handled == 1);
  assert(pthread_kill(pthread_self(), SIGUSR1) == 0 && handled == 2);
  return unused;
}

/* With a handler, blocked, ignored by nature. */
static int raises(void) {
  sigset_t set;
  int number;
  signal(SIGUSR1, handle);
  beside(raise_here);
  assert(kill(getpid(), SIGUSR1) == 0 && handled == 1);
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  sigprocmask(SIG_BLOCK, &set, NULL);
  assert(raise(SIGUSR1) == 0 && handled == 1 && sigwait(&set, &number) == 0 && number == SIGUSR1);
  return raise(SIGCHLD);
}

static void *end_process(void *unused) {
  visit(&a);
  kill(getpid(), SIGTERM);
  return unused;
}

static int terminated(void) {
  return beside(end_process);
}

static int join_nowhere(void) {
  visit(&a);
  return pthread_join(64, NULL);
}

static int join_again(void) {
  pthread_t t = start(visit_a);
  assert(pthread_join(0, NULL) == ESRCH && pthread_detach(0) == ESRCH);
  if (pthread_join(t, NULL) != 0) return 1;
  if (pthread_join(pthread_self(), NULL) != EDEADLK || pthread_detach(t) != ESRCH) return 1;
  return pthread_join(t, NULL);
}

static void *look_at_stack(void *guard_wanted) {
  pthread_attr_t attributes;
  char *low;
  size_t size, guard;
  int state;
  assert(pthread_getattr_np(pthread_self(), &attributes) == 0);
  pthread_attr_getstack(&attributes, (void **)&low, &size);
  pthread_attr_getguardsize(&attributes, &guard);
  pthread_attr_getdetachstate(&attributes, &state);
  pthread_attr_destroy(&attributes);
  assert((char *)&guard >= low && (char *)&guard < low + size && size >= 64 << 10);
  assert(guard == *(size_t *)guard_wanted && state == PTHREAD_CREATE_JOINABLE);
  low[0] = 1;
  visit(&a);
  return NULL;
}

static int stack_attributes(void) {
  size_t usual, much = 64 << 10;
  pthread_attr_t attributes;
  pthread_t t;
  pthread_attr_init(&attributes);
  pthread_attr_getguardsize(&attributes, &usual);
  assert(usual > 0 && pthread_create(&t, NULL, look_at_stack, &usual) == 0);
  pthread_join(t, NULL);
  pthread_attr_setguardsize(&attributes, much);
  pthread_attr_setstacksize(&attributes, much);
  assert(pthread_create(&t, &attributes, look_at_stack, &much) == 0);
  return pthread_join(t, NULL);
}

static const struct named_case cases[] = {
    {"early-once", early_once},
    {"early-lock", early_lock},
    {"forgotten", forgotten},
    {"stack-again", stack_again},
    {"destroyed-and-new", destroyed_and_new},
    {"destroyed", destroyed},
    {"control-again", control_again},
    {"identity", identity},
    {"seeded", seeded},
    {"processors", processors},
    {"waiting", waiting},
    {"masked", masked},
    {"by-default", by_default},
    {"sent-abort", sent_abort},
    {"two-exits", two_exits},
    {"forks", forks},
    {"alarms", alarms},
    {"timers", timers},
    {"reads", reads},
    {"semaphores", semaphores},
    {"terminates", terminates},
    {"terminated", terminated},
    {"join-nowhere", join_nowhere},
    {"join-again", join_again},
    {"stack-attributes", stack_attributes},
    {"broken-pipe", broken_pipe},
    {"pipe-ignored", pipe_ignored},
    {"pipe-blocked", pipe_blocked},
    {"file-too-large", file_too_large},
    {"raises", raises},
};

int main(int argc, char **argv) {
  RUN_CHOSEN(argc, argv, cases);
  return 9;
}
