/* Back-end: each thread of the program is a kernel thread, and a futex word of each says whose turn
 * it is. Threads that have finished stay parked until the process ends, so that nothing the C
 * library does at the end of a thread runs beside another thread. */
#include <linux/futex.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/syscall.h>

#include "backend.h"
#include "real.h"
#include "scheduler.h"
#include "system_call.h"

static void futex(int *word, int operation, int value) {
  raw_call(SYS_futex, (long)word, operation | FUTEX_PRIVATE_FLAG, value, 0);
}

static void wait_for_turn(struct thread *t) {
  while (__atomic_load_n(&t->turn, __ATOMIC_ACQUIRE) == 0)
    futex(&t->turn, FUTEX_WAIT, 0);
  t->turn = 0;
}

static void switch_to(struct thread *from, struct thread *to) {
  __atomic_store_n(&to->turn, 1, __ATOMIC_RELEASE);
  futex(&to->turn, FUTEX_WAKE, 1);
  wait_for_turn(from);
}

static void *run(void *argument) {
  struct thread *t = argument;
  wait_for_turn(t);
  t->system_number = (int)raw_call(SYS_gettid, 0, 0, 0, 0);
  thread_body(t);
}

static void begin(struct thread *main_thread) {
  main_thread->handle = (uint64_t)pthread_self();
}

static bool create(struct thread *t) {
  pthread_attr_t attributes;
  pthread_t handle;
  pthread_attr_init(&attributes);
  pthread_attr_setstack(&attributes, (void *)(uintptr_t)t->stack_low, t->stack_high - t->stack_low);
  bool made = REAL(pthread_create)(&handle, &attributes, run, t) == 0;
  pthread_attr_destroy(&attributes);
  if (made) t->handle = (uint64_t)handle;
  return made;
}

const struct backend backend_threads = {begin, create, switch_to};
