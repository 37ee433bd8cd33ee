/* The process: its output, its input, its end. exit() runs the program's exit handlers in the
 * thread that called it, as operations like any others, and then ends that thread; the other
 * threads go on to their ends. */
#include "process.h"

#include <execinfo.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unfold/unfold.h>
#include <unistd.h>

#include "../control.h"
#include "../control/findings.h"
#include "accesses.h"
#include "bytes.h"
#include "calls.h"
#include "entry.h"
#include "findings.h"
#include "inplace.h"
#include "interpose.h"
#include "real.h"
#include "refuse.h"
#include "reorder.h"
#include "scheduler.h"
#include "system_call.h"

static int nothing = -1; /* /dev/null */
static off_t input_start = -1;
static bool shown;

static void exit_handlers_done(void) {
  if (running) schedule_end(UNF_OP_EXIT(), thread_self()->place);
}

/* The C library loads the unwinder when it is first needed, which would else be
 * in every execution. */
static void load_unwinder(void) {
  void *frame;
  backtrace(&frame, 1);
}

/* Registered first, so it runs after every handler that the program registers. */
void process_prepare(void) {
  bytes_begin();
  real_prepare();
  nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
  input_start = lseek(STDIN_FILENO, 0, SEEK_CUR);
  load_unwinder();
  if (atexit(exit_handlers_done) != 0) give_up(OUTCOME_BROKEN, "atexit failed");
}

void process_show(bool show) {
  shown = show;
}

void process_begin(bool show) {
  process_show(show);
  if (!show) {
    dup2(nothing, STDOUT_FILENO);
    dup2(nothing, STDERR_FILENO);
  } else if (control->settings.standard_output_taken) {
    dup2(STDERR_FILENO, STDOUT_FILENO);
  }
  if (control->settings.replay) return;
  if (input_start >= 0)
    lseek(STDIN_FILENO, input_start, SEEK_SET);
  else
    dup2(nothing, STDIN_FILENO);
}

/* Exits of several threads are in no order, so the status of each may be that of the process. */
static void record_status(int status, uint64_t place) {
  pending->exiting = true;
  status &= 0xff;
  if (status == control->settings.expect_exit) return;
  struct finding *f = finding_new(FINDING_STATUS, thread_self(), place);
  if (f == NULL) return;
  f->number = status;
  snprintf(f->text, sizeof f->text, "exit status %d, expected %d", status,
           control->settings.expect_exit);
}

_Noreturn void process_exit(int status, uint64_t place) {
  bool first = !pending->exiting;
  thread_self()->place = place;
  record_status(status, place);
  if (!first) schedule_end(UNF_OP_EXIT(), place);
  REAL(exit)(status);
  leave(status);
}

/* The execution is over: nobody can do anything more. */
_Noreturn void process_end(void) {
  bool crashed = false;
  accesses_flush();
  running = false;
  reorder_ended();
  if (inplace_running()) calls_watch(false);
  for (uint32_t i = 0; i < pending->count; i++)
    crashed |= pending->findings[i].kind == FINDING_CRASH;
  if (shown && !crashed) fflush(NULL);
  if (inplace_running()) inplace_end();
  if (!control->settings.replay) leave(0);
  if (!pending->redundant) findings_keep(false);
  accesses_keep(false);
  control->outcome = OUTCOME_FINISHED;
  leave(pending->count > 0 || control->races_found > 0);
}

_Noreturn void process_drop(void) {
  pending->ended = pending->dropped = true;
  process_end();
}

INTERPOSE _Noreturn void exit(int status) {
  if (ends_before_main()) end_before_main(false, status, CALLER);
  if (!running) REAL(exit)(status);
  process_exit(status, CALLER);
}

_Noreturn void process_exit_now(int status, uint64_t place) {
  if (ends_before_main()) end_before_main(true, status, place);
  if (!running)
    for (;;)
      raw_call(SYS_exit_group, status, 0, 0, 0);
  record_status(status, place);
  schedule_end(UNF_OP_EXIT(), place);
}

INTERPOSE _Noreturn void _exit(int status) {
  process_exit_now(status, CALLER);
}

INTERPOSE _Noreturn void _Exit(int status) {
  process_exit_now(status, CALLER);
}

INTERPOSE _Noreturn void quick_exit(int status) {
  process_exit_now(status, CALLER);
}
