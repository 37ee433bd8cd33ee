/* Signals that a thread sends to itself, or to another that waits for them: by pthread_kill, raise
 * or tgkill, and to the main thread by kill; received by sigwait and its relatives. A thread has a
 * semaphore for what was sent to it, and a set of what has not arrived. A signal that would
 * interrupt another thread is refused, since it could come at any place; one that ends the process
 * is a finding of the thread that sent it; what the world sends is not explored. */
#include "accesses.h"
#include "sent.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unfold/unfold.h>

#include "../control.h"
#include "../control/findings.h"
#include "crash.h"
#include "entry.h"
#include "findings.h"
#include "identity.h"
#include "interpose.h"
#include "objects.h"
#include "real.h"
#include "refuse.h"
#include "scheduler.h"
#include "signals.h"
#include "system_call.h"

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

/* What a signal does that nobody handles. */
static bool leaves_alone(int number) {
  return number == SIGCHLD || number == SIGURG || number == SIGWINCH || number == SIGCONT;
}

static bool stops(int number) {
  return number == SIGSTOP || number == SIGTSTP || number == SIGTTIN || number == SIGTTOU;
}

/* The process ends by it, as the act of the thread that sent it. */
_Noreturn static void end_by(int number, uint64_t place) {
  struct thread *me = thread_self();
  place = program_place(place);
  struct finding *f = finding_new(number == SIGABRT ? FINDING_ABORT : FINDING_CRASH, me, place);
  if (f != NULL) {
    f->number = number;
    if (sigabbrev_np(number) != NULL)
      snprintf(f->text, sizeof f->text, "SIG%s", sigabbrev_np(number));
    else
      snprintf(f->text, sizeof f->text, "signal %d", number);
  }
  me->failing = true;
  halt(place);
}

/* The system runs the handler of the program in the thread that calls, here and now. The mask of a
 * fiber is not known to it. */
static void handle_now(int number) {
  const uint64_t set = bit(number);
  uint64_t before;
  raw_call(SYS_rt_sigprocmask, SIG_UNBLOCK, (long)&set, (long)&before, sizeof before);
  raw_call(SYS_tgkill, raw_call(SYS_getpid, 0, 0, 0, 0), raw_call(SYS_gettid, 0, 0, 0, 0), number,
           0);
  raw_call(SYS_rt_sigprocmask, SIG_SETMASK, (long)&before, 0, sizeof before);
}

/* A signal that its thread neither blocks nor waits for. */
static int arrive(struct thread *t, int number, const char *call, uint64_t place) {
  struct sigaction action;
  signal_action(number, &action);
  if (action.sa_handler == SIG_IGN) return 0;
  if (action.sa_handler == SIG_DFL) {
    if (leaves_alone(number)) return 0;
    if (stops(number)) refuse("a signal that stops the process", place);
    end_by(number, place);
  }
  if (t != thread_self()) refuse(call, place);
  handle_now(number);
  return 0;
}

static int send(struct thread *t, int number, const char *call, uint64_t place) {
  if (t == NULL) return ESRCH;
  if (number == 0) return 0;
  if (bit(number) == 0) return EINVAL;
  bool waits = t->signals != NULL && t->object == t->signals;
  if ((t->blocked & bit(number)) == 0 && !waits) return arrive(t, number, call, place);
  struct object *o = object_signals(t);
  schedule(UNF_OP_POST(o->name), o, place);
  if (t->sent & bit(number)) refuse("a signal that is sent again before it arrived", place);
  t->sent |= bit(number);
  return 0;
}

/* Whether there is another process is the system's affair; signals to it are refused. */
int signal_process(int process, int number, uint64_t place) {
  if (process > 0 && identity_real(process) != 0) return -send(threads, number, "kill", place);
  if (number != 0) refuse("kill of another process", place);
  return (int)raw_call(SYS_kill, process, 0, 0, 0);
}

int signal_thread(int thread, int number, uint64_t place) {
  struct thread *t = thread > 0 ? identity_thread(thread) : NULL;
  if (t == NULL && number != 0) refuse("tgkill of another process", place);
  return t == NULL ? (int)raw_call(SYS_tkill, thread, 0, 0, 0) : -send(t, number, "tgkill", place);
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
  signal_action(number, &action);
  if (action.sa_handler == SIG_IGN) return;
  if (action.sa_handler == SIG_DFL) end_by(number, place);
  if (action.sa_flags & SA_SIGINFO)
    action.sa_sigaction(number, &information, NULL);
  else
    action.sa_handler(number);
}

static int result_of(int error) {
  if (error < 0) errno = -error;
  return error < 0 ? -1 : 0;
}

INTERPOSE int kill(pid_t process, int number) {
  if (!running) return REAL(kill)(process, number);
  return result_of(signal_process(process, number, CALLER));
}

INTERPOSE int tgkill(pid_t process, pid_t thread, int number) {
  if (!running) return REAL(tgkill)(process, thread, number);
  if (identity_real(process) == 0) refuse("tgkill of another process", CALLER);
  return result_of(signal_thread(thread, number, CALLER));
}

INTERPOSE int raise(int number) {
  if (!running) return REAL(raise)(number);
  return result_of(-send(thread_self(), number, "raise", CALLER));
}

OLDER_NAME(gsignal, raise);

INTERPOSE int pthread_kill(pthread_t thread, int number) {
  if (!running) return REAL(pthread_kill)(thread, number);
  return send(thread_find((uint64_t)thread), number, "pthread_kill", CALLER);
}

INTERPOSE int sigwait(const sigset_t *restrict set, int *restrict number) {
  if (!running) return REAL(sigwait)(set, number);
  CALL_READS(set);
  const int received = receive(bits(set), CALLER);
  CALL_WRITES(number);
  *number = received;
  return 0;
}

INTERPOSE int sigwaitinfo(const sigset_t *restrict set, siginfo_t *restrict information) {
  if (!running) return REAL(sigwaitinfo)(set, information);
  CALL_READS(set);
  int number = receive(bits(set), CALLER);
  CALL_WRITES(information);
  if (information != NULL) *information = (siginfo_t){.si_signo = number};
  return number;
}

INTERPOSE int sigsuspend(const sigset_t *mask) {
  if (!running) return REAL(sigsuspend)(mask);
  CALL_READS(mask);
  handle(receive(~bits(mask), CALLER), CALLER);
  errno = EINTR;
  return -1;
}

/* Whether something was sent depends on the order: an event that takes one, and gives it back. */
INTERPOSE int sigpending(sigset_t *set) {
  if (!running) return REAL(sigpending)(set);
  struct thread *me = thread_self();
  struct object *o = object_signals(me);
  uint64_t sent = 0;
  schedule(UNF_OP_SEM_TRYWAIT(o->name), o, CALLER);
  if (me->did == UNF_DID_SEM_WAIT) {
    sent = me->sent;
    schedule(UNF_OP_POST(o->name), o, CALLER);
  }
  CALL_WRITES(set);
  sigemptyset(set);
  for (int i = 1; i <= 64; i++)
    if (sent & bit(i)) sigaddset(set, i);
  return 0;
}
