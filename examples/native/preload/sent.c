/* Signals from one thread to another that waits for them: sent by pthread_kill or, to the main
 * thread, by kill; received by sigwait and its relatives. A thread has a semaphore for what was
 * sent to it, and a set of what has not arrived. A signal that would interrupt its thread is
 * refused, since it could come at any place; what the world sends is not explored. */
#include "sent.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <unfold/unfold.h>

#include "entry.h"
#include "interpose.h"
#include "objects.h"
#include "real.h"
#include "refuse.h"
#include "scheduler.h"
#include "signals.h"

static uint64_t bit(int number) {
  return number > 0 && number <= 64 ? (uint64_t)1 << (number - 1) : 0;
}

static uint64_t bits(const sigset_t *set) {
  uint64_t result = 0;
  for (int i = 1; i <= 64; i++)
    if (sigismember(set, i) == 1) result |= bit(i);
  return result;
}

void signals_blocked(int how, const sigset_t *set) {
  struct thread *t = thread_self();
  if (how == SIG_BLOCK)
    t->blocked |= bits(set);
  else
    t->blocked = how == SIG_UNBLOCK ? t->blocked & ~bits(set) : bits(set);
}

static int send(struct thread *t, int number, const char *call, uint64_t place) {
  if (t == NULL) return ESRCH;
  if (number == 0) return 0;
  if (bit(number) == 0) return EINVAL;
  struct object *o = object_signals(t);
  if ((t->blocked & bit(number)) == 0 && t->object != o) refuse(call, place);
  schedule(UNF_OP_POST(o->name), o, place);
  if (t->sent & bit(number)) refuse("a signal that is sent again before it arrived", place);
  t->sent |= bit(number);
  return 0;
}

/* The first of some signals that was sent to the calling thread. */
static int receive(uint64_t wanted, uint64_t place) {
  struct thread *me = thread_self();
  struct object *o = object_signals(me);
  schedule(UNF_OP_SEM_WAIT(o->name), o, place);
  if ((me->sent & wanted) == 0) refuse("a signal that is not waited for", place);
  int number = __builtin_ctzll(me->sent & wanted) + 1;
  me->sent &= ~bit(number);
  return number;
}

static void handle(int number, uint64_t place) {
  struct sigaction action;
  siginfo_t information = {.si_signo = number};
  REAL(sigaction)(number, NULL, &action);
  if (action.sa_handler == SIG_IGN) return;
  if (action.sa_handler == SIG_DFL) refuse("a signal that ends the process", place);
  if (action.sa_flags & SA_SIGINFO)
    action.sa_sigaction(number, &information, NULL);
  else
    action.sa_handler(number);
}

INTERPOSE int kill(pid_t process, int number) {
  if (!running) return REAL(kill)(process, number);
  bool myself = process == getpid();
  if (myself && signal_of_failure(number)) return raise(number);
  if (!myself && number != 0) refuse("kill", CALLER);
  int error = myself ? send(threads, number, "kill", CALLER) : 0;
  if (error != 0) errno = error;
  return !myself ? REAL(kill)(process, 0) : error == 0 ? 0 : -1;
}

INTERPOSE int pthread_kill(pthread_t thread, int number) {
  if (!running) return REAL(pthread_kill)(thread, number);
  return send(thread_find((uint64_t)thread), number, "pthread_kill", CALLER);
}

INTERPOSE int sigwait(const sigset_t *restrict set, int *restrict number) {
  if (!running) return REAL(sigwait)(set, number);
  *number = receive(bits(set), CALLER);
  return 0;
}

INTERPOSE int sigwaitinfo(const sigset_t *restrict set, siginfo_t *restrict information) {
  if (!running) return REAL(sigwaitinfo)(set, information);
  int number = receive(bits(set), CALLER);
  if (information != NULL) *information = (siginfo_t){.si_signo = number};
  return number;
}

INTERPOSE int sigsuspend(const sigset_t *mask) {
  if (!running) return REAL(sigsuspend)(mask);
  handle(receive(~bits(mask), CALLER), CALLER);
  errno = EINTR;
  return -1;
}

/* Whether something was sent depends on the order: an event that takes one, and gives it back. */
INTERPOSE int sigpending(sigset_t *set) {
  if (!running) return REAL(sigpending)(set);
  struct thread *me = thread_self();
  struct object *o = object_signals(me);
  sigemptyset(set);
  schedule(UNF_OP_SEM_TRYWAIT(o->name), o, CALLER);
  if (me->did != UNF_DID_SEM_WAIT) return 0;
  for (int i = 1; i <= 64; i++)
    if (me->sent & bit(i)) sigaddset(set, i);
  schedule(UNF_OP_POST(o->name), o, CALLER);
  return 0;
}
