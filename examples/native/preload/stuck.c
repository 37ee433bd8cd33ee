/* Executions that do not come to their end. A loop over operations is seen in their counts: those
 * of an execution that is long already are counted by thread and place, in a table of fixed size
 * (Metwally et al., Efficient Computation of Frequent and Top-k Elements in Data Streams, ICDT
 * 2005: the least frequent entry makes room, and its count is the most by which the new one may be
 * too high). A loop without operations, or a call that blocks, is seen by the launcher, which sends
 * a signal to the thread; the answer ends the process. */
#include "stuck.h"

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unfold/unfold.h>

#include "../control.h"
#include "../control/stuck.h"
#include "crash.h"
#include "engine.h"
#include "entry.h"
#include "modules.h"
#include "real.h"
#include "scheduler.h"
#include "system_call.h"

static void on_question(int number, siginfo_t *information, void *user) {
  const ucontext_t *machine = user;
  const struct thread *t = running ? thread_self() : NULL;
  (void)number;
  (void)information;
  if (!control->in_main) modules_read();
  if (!control->deciding) {
    if (t != NULL) engine_thread(control->stuck.thread, sizeof control->stuck.thread, t->name);
    control->stuck.place = program_place((uint64_t)machine->uc_mcontext.gregs[REG_RIP] + 1);
  }
  control->stuck.answered = true;
  for (;;)
    raw_call(SYS_exit_group, 0, 0, 0, 0);
}

void stuck_prepare(void) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_sigaction = on_question;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  REAL(sigaction)(STUCK_SIGNAL, &action, NULL);
}

/* The entry of a thread and place, or the one that makes room for it. */
static struct repeated *entry_of(const struct thread *t) {
  struct repeated *least = control->repeated;
  for (struct repeated *r = control->repeated; r < control->repeated + REPEATED_MAX; r++) {
    if (r->name == t->name && r->place == t->place && r->count > 0) return r;
    if (r->count < least->count) least = r;
  }
  least->name = t->name;
  least->place = t->place;
  least->excess = least->count;
  engine_thread(least->thread, sizeof least->thread, t->name);
  snprintf(least->operation, sizeof least->operation, "%s",
           unf_operation_kind_text(t->operation.kind));
  return least;
}

void stuck_count(const struct thread *t) {
  if (++control->execution_steps < LONG_EXECUTION) return;
  if (control->execution_steps == LONG_EXECUTION)
    memset(control->repeated, 0, sizeof control->repeated);
  entry_of(t)->count++;
}
