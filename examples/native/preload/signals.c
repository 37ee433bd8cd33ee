/* Signals. Those that a failing thread causes are findings, so they stay deliverable and caught by
 * us unless the program has a handler of its own; the program is told what it asked for. A signal
 * that comes by itself could interrupt the explorer, and when it comes is in no schedule, so timers
 * are refused. Those that are sent are in sent.c. */
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
#include "real.h"
#include "refuse.h"
#include "sent.h"

static const int failures[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
enum { FAILURES = sizeof failures / sizeof *failures };

/* What the program believes to have set. */
static struct sigaction believed[FAILURES];

static struct sigaction *failure(int number) {
  for (int i = 0; i < FAILURES; i++)
    if (failures[i] == number) return &believed[i];
  return NULL;
}

bool signal_of_failure(int number) {
  return failure(number) != NULL;
}

static bool is_function(const struct sigaction *action) {
  return action->sa_handler != SIG_DFL && action->sa_handler != SIG_IGN;
}

/* In place, ours has to stay where faults are not always failures; it calls the program's. */
static bool stays(int number) {
  return control->settings.in_place && number == SIGSEGV;
}

bool signal_passed_on(int number, siginfo_t *information, void *machine) {
  const struct sigaction *belief = failure(number);
  if (!running || !stays(number) || !is_function(belief)) return false;
  if ((belief->sa_flags & SA_SIGINFO) != 0)
    belief->sa_sigaction(number, information, machine);
  else
    belief->sa_handler(number);
  return true;
}

static int set_action(int number, const struct sigaction *new, struct sigaction *old) {
  struct sigaction *belief = failure(number);
  if (belief == NULL) return REAL(sigaction)(number, new, old);
  if (old != NULL) *old = *belief;
  if (new == NULL) return 0;
  *belief = *new;
  if (stays(number)) return 0;
  if (is_function(new)) return REAL(sigaction)(number, new, NULL);
  crash_handler(number);
  return 0;
}

static int set_mask(int how, const sigset_t *new, sigset_t *old) {
  sigset_t safe;
  if (new != NULL) signals_blocked(how, new);
  if (new == NULL || how == SIG_UNBLOCK) return REAL(pthread_sigmask)(how, new, old);
  safe = *new;
  for (int i = 0; i < FAILURES; i++)
    sigdelset(&safe, failures[i]);
  return REAL(pthread_sigmask)(how, &safe, old);
}

INTERPOSE int sigaction(int number, const struct sigaction *restrict new,
                        struct sigaction *restrict old) {
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
  if (!running || failure(number) == NULL) return REAL(signal)(number, handler);
  return set_handler(number, handler, SA_RESTART);
}

INTERPOSE sighandler_t __sysv_signal(int number, sighandler_t handler) {
  if (!running || failure(number) == NULL) return REAL(__sysv_signal)(number, handler);
  return set_handler(number, handler, (int)(SA_RESETHAND | SA_NODEFER));
}

INTERPOSE int pthread_sigmask(int how, const sigset_t *restrict new, sigset_t *restrict old) {
  return running ? set_mask(how, new, old) : REAL(pthread_sigmask)(how, new, old);
}

INTERPOSE int sigprocmask(int how, const sigset_t *restrict new, sigset_t *restrict old) {
  if (!running) return REAL(sigprocmask)(how, new, old);
  int error = set_mask(how, new, old);
  if (error != 0) errno = error;
  return error == 0 ? 0 : -1;
}

INTERPOSE unsigned alarm(unsigned seconds) {
  if (!running) return REAL(alarm)(seconds);
  if (seconds != 0) refuse("alarm", CALLER);
  return 0;
}
