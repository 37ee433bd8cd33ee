/* Failures of a thread: a signal that it caused, abort, a failed assertion. Each is a finding and
 * stops that thread alone; the others run on, so that everything else the execution can show is
 * still seen. */
#include "crash.h"

#include <assert.h>
#include <execinfo.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <ucontext.h>

#include "../control.h"
#include "../control/findings.h"
#include "arena.h"
#include "entry.h"
#include "findings.h"
#include "interpose.h"
#include "modules.h"
#include "patch.h"
#include "real.h"
#include "scheduler.h"
#include "signals.h"
#include "snapshot.h"
#include "system_call.h"

enum { SIGNAL_STACK = 64 << 10, FRAMES_SEARCHED = 64 };

static bool in_program(uint64_t address) {
  return address > control->modules[0].text_low && address <= control->modules[0].text_high;
}

/* A place in a library is of little use: the call from the program that led there is. */
uint64_t program_place(uint64_t place) {
  void *frames[FRAMES_SEARCHED];
  if (place == 0 || in_program(place) || patch_at(place - 1) != NULL) return place;
  int count = backtrace(frames, FRAMES_SEARCHED);
  for (int i = 0; i < count; i++)
    if (in_program((uint64_t)(uintptr_t)frames[i])) return (uint64_t)(uintptr_t)frames[i];
  return place;
}

static bool is_ours(uint64_t place) {
  uint32_t module, own;
  uint64_t offset;
  return module_locate(place, &module, &offset) &&
         module_locate((uint64_t)(uintptr_t)is_ours, &own, &offset) && module == own;
}

/* Where a fault happened. After a call of an address where no code is, it is the call that lies on
 * the stack. */
static uint64_t fault_place(const ucontext_t *machine, const struct thread *t) {
  uint64_t place = (uint64_t)machine->uc_mcontext.gregs[REG_RIP], module_offset;
  uint64_t stack = (uint64_t)machine->uc_mcontext.gregs[REG_RSP];
  const struct patched *patched = patch_of_copy(place);
  if (patched != NULL) return program_place(patched->address + 1);
  uint32_t module;
  bool on_stack = stack >= t->stack_low && stack + sizeof place <= t->stack_high;
  if (on_stack && !module_locate(place, &module, &module_offset))
    memcpy(&place, (const void *)(uintptr_t)stack, sizeof place);
  else
    place++;
  place = program_place(place);
  return is_ours(place) && t->place != 0 ? t->place : place; /* of a start function: its create */
}

static void on_signal(int number, siginfo_t *information, void *user) {
  const ucontext_t *machine = user;
  if (number == patch_signal() && patch_breakpoint(user)) return;
  bool fault = information->si_code > 0; /* no signal that was sent */
  if (fault && number == SIGSEGV && snapshot_fault((uint64_t)(uintptr_t)information->si_addr))
    return;
  if (signal_passed_on(number, information, user)) return;
  struct thread *t = thread_self();
  if (!running || t == NULL || t->failing) {
    REAL(signal)(number, SIG_DFL);
    raw_call(SYS_kill, raw_call(SYS_getpid, 0, 0, 0, 0), number, 0, 0);
    return;
  }
  t->failing = true;
  uint64_t place = fault_place(machine, t);
  struct finding *f = finding_new(number == SIGABRT ? FINDING_ABORT : FINDING_CRASH, t, place);
  if (f != NULL) {
    f->number = number;
    if (fault && (number == SIGSEGV || number == SIGBUS))
      snprintf(f->text, sizeof f->text, "SIG%s at address %p", sigabbrev_np(number),
               information->si_addr);
    else
      snprintf(f->text, sizeof f->text, "SIG%s", sigabbrev_np(number));
  }
  halt(place);
}

void crash_handler(int number) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_sigaction = on_signal;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
  REAL(sigaction)(number, &action, NULL);
}

/* A stack of its own for the handler: the fault may be the end of the thread's. */
void crash_stack(void) {
  stack_t stack = {.ss_sp = private_memory(SIGNAL_STACK), .ss_size = SIGNAL_STACK};
  sigaltstack(&stack, NULL);
}

INTERPOSE _Noreturn void abort(void) {
  if (!running) {
    REAL(signal)(SIGABRT, SIG_DFL);
    for (;;)
      raw_call(SYS_kill, raw_call(SYS_getpid, 0, 0, 0, 0), SIGABRT, 0, 0);
  }
  uint64_t place = program_place(CALLER);
  struct finding *f = finding_new(FINDING_ABORT, thread_self(), place);
  if (f != NULL) f->number = SIGABRT;
  halt(place);
}

INTERPOSE _Noreturn void __assert_fail(const char *assertion, const char *file, unsigned line,
                                       const char *function) {
  if (!running) {
    fprintf(stderr, "%s:%u: %s: Assertion `%s' failed.\n", file, line, function, assertion);
    abort();
  }
  uint64_t place = CALLER;
  struct finding *f = finding_new(FINDING_ASSERTION, thread_self(), place);
  if (f != NULL)
    snprintf(f->text, sizeof f->text, "%s:%u: %s: assertion `%s' failed", file, line, function,
             assertion);
  halt(place);
}
