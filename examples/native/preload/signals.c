/* Signals. Those that a thread causes itself are findings, so they are caught by us unless the
 * program has a handler of its own; the program is told what it asked for. A signal
 * that comes by itself could interrupt the explorer, and when it comes is in no schedule, so timers
 * are refused. Those that are sent are in sent.c. */
#include "accesses.h"
#include "signals.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include "../control.h"
#include "crash.h"
#include "entry.h"
#include "interpose.h"
#include "patch.h"
#include "real.h"
#include "refuse.h"
#include "sent.h"

/* Caught in the place of a program that has no handler for them. Failures would be caught even if
 * they were ignored or blocked, because the system would end the process; the others come of what
 * the thread wrote. */
static const struct {
  int number;
  bool failure;
} caught[] = {{SIGSEGV, true}, {SIGBUS, true},  {SIGFPE, true},   {SIGILL, true},
              {SIGABRT, true}, {SIGTRAP, true}, {SIGPIPE, false}, {SIGXFSZ, false}};
enum { CAUGHT = sizeof caught / sizeof *caught };

/* What the program believes to have set. */
static struct sigaction believed[CAUGHT];

static int index_of(int number) {
  int i = 0;
  while (i < CAUGHT && caught[i].number != number)
    i++;
  return i;
}

static struct sigaction *belief_of(int number) {
  int i = index_of(number);
  return i < CAUGHT ? &believed[i] : NULL;
}

static bool is_function(const struct sigaction *action) {
  return action->sa_handler != SIG_DFL && action->sa_handler != SIG_IGN;
}

/* Ours has to stay where faults are not always failures: in place, and where breakpoints of ours
 * are in the program's code. It calls the program's. */
static bool stays(int number) {
  return (control->settings.in_place && number == SIGSEGV) ||
         (number != 0 && number == patch_signal());
}

bool signal_passed_on(int number, siginfo_t *information, void *machine) {
  const struct sigaction *belief = belief_of(number);
  if (!running || !stays(number) || !is_function(belief)) return false;
  if ((belief->sa_flags & SA_SIGINFO) != 0)
    belief->sa_sigaction(number, information, machine);
  else
    belief->sa_handler(number);
  return true;
}

/* What is in force where the program believes that. */
static int act(int i, const struct sigaction *new) {
  int number = caught[i].number;
  if (stays(number)) return 0;
  if (!is_function(new) && (caught[i].failure || new->sa_handler == SIG_DFL)) {
    crash_handler(number);
    return 0;
  }
  struct sigaction safe = *new;
  sigdelset(&safe.sa_mask, SIGSYS);
  return REAL(sigaction)(number, &safe, NULL);
}

void signal_action(int number, struct sigaction *action) {
  const struct sigaction *belief = belief_of(number);
  if (belief != NULL)
    *action = *belief;
  else
    REAL(sigaction)(number, NULL, action);
}

void signals_catch(void) {
  for (int i = 0; i < CAUGHT; i++) {
    REAL(sigaction)(caught[i].number, NULL, &believed[i]);
    if (stays(caught[i].number))
      crash_handler(caught[i].number);
    else if (!is_function(&believed[i]))
      act(i, &believed[i]);
  }
}

static int set_action(int number, const struct sigaction *new, struct sigaction *old) {
  int i = index_of(number);
  struct sigaction safe;
  if (i < CAUGHT) {
    if (old != NULL) *old = believed[i];
    if (new == NULL) return 0;
    believed[i] = *new;
    return act(i, new);
  }
  if (new == NULL) return REAL(sigaction)(number, new, old);
  safe = *new;
  sigdelset(&safe.sa_mask, SIGSYS);
  return REAL(sigaction)(number, &safe, old);
}

/* SIGSYS hands system calls to us. */
static int set_mask(int how, const sigset_t *new, sigset_t *old) {
  sigset_t safe;
  if (new != NULL) signals_blocked(how, new);
  if (new == NULL || how == SIG_UNBLOCK) return REAL(pthread_sigmask)(how, new, old);
  safe = *new;
  for (int i = 0; i < CAUGHT; i++)
    if (caught[i].failure) sigdelset(&safe, caught[i].number);
  sigdelset(&safe, SIGSYS);
  return REAL(pthread_sigmask)(how, &safe, old);
}

INTERPOSE int sigaction(int number, const struct sigaction *restrict new,
                        struct sigaction *restrict old) {
  CALL_READS(new), CALL_WRITES(old);
  return running ? set_action(number, new, old) : REAL(sigaction)(number, new, old);
}

/* Of BSD or System V: the flags differ. */
static sighandler_t set_handler(int number, sighandler_t handler, int flags) {
  struct sigaction new = {.sa_flags = flags}, old;
  new.sa_handler = handler;
  set_action(number, &new, &old);
  return old.sa_handler;
}

INTERPOSE sighandler_t signal(int number, sighandler_t handler) {
  if (!running || belief_of(number) == NULL) return REAL(signal)(number, handler);
  return set_handler(number, handler, SA_RESTART);
}

INTERPOSE sighandler_t __sysv_signal(int number, sighandler_t handler) {
  if (!running || belief_of(number) == NULL) return REAL(__sysv_signal)(number, handler);
  return set_handler(number, handler, (int)(SA_RESETHAND | SA_NODEFER));
}

INTERPOSE int pthread_sigmask(int how, const sigset_t *restrict new, sigset_t *restrict old) {
  CALL_READS(new), CALL_WRITES(old);
  return running ? set_mask(how, new, old) : REAL(pthread_sigmask)(how, new, old);
}

INTERPOSE int sigprocmask(int how, const sigset_t *restrict new, sigset_t *restrict old) {
  if (!running) return REAL(sigprocmask)(how, new, old);
  CALL_READS(new), CALL_WRITES(old);
  int error = set_mask(how, new, old);
  if (error != 0) errno = error;
  return error == 0 ? 0 : -1;
}

INTERPOSE unsigned alarm(unsigned seconds) {
  if (!running) return REAL(alarm)(seconds);
  if (seconds != 0) refuse("alarm", CALLER);
  return 0;
}
