/* Executions in place: one after the other in one process, whose memory is put back in between. The
 * worker is a fiber of its own, beside those of the program. It lets the program begin at a frame
 * on the stack of main, and gets control again when the execution is over; then everything that the
 * program and this library have in memory is put back, and the frame is returned to again.
 *
 * What outlasts an execution lies in memory of our own (inplace_memory) or in memory shared with
 * the launcher; all else in this library belongs to one execution, as in a process of its own. An
 * execution that does what cannot be undone goes on in a child process, to its end; the worker
 * waits for it. */
#include "inplace.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../control.h"
#include "arena.h"
#include "backend_fibers.h"
#include "calls.h"
#include "crash.h"
#include "engine.h"
#include "entry.h"
#include "findings.h"
#include "heap.h"
#include "process.h"
#include "refuse.h"
#include "reorder.h"
#include "signals.h"
#include "snapshot.h"
#include "system_call.h"

enum {
  WORKER_STACK = 8 << 20,
  SIGNAL_STACK = 256 << 10,
  RECORDS = 1 << 30,
  SHOWN_UNKNOWN = 2,
  FILES_LOW = 200,
  FILES_SEARCHED = 1024
};

struct state {
  struct fiber worker, start, ended;
  bool apart; /* this is a process for one execution alone */
  int status; /* of that process */
  int shown;
  int output[2]; /* what the program found as its standard output and error */
  int files_low, files_end;
  char *records;
};
static struct state *state;
static uint64_t own_next, own_end;

void *inplace_memory(uint64_t size) {
  if (own_end == 0) {
    const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE;
    if (!map_at(OURS_LOW, OURS_SIZE, PROT_READ | PROT_WRITE, flags, -1, 0))
      give_up(OUTCOME_BROKEN, "no room for executions in place");
    own_next = OURS_LOW;
    own_end = OURS_LOW + OURS_SIZE;
  }
  void *memory = (void *)(uintptr_t)own_next;
  own_next += (size + PAGE - 1) / PAGE * PAGE;
  return memory;
}

int inplace_file(int file) {
  int own = fcntl(file, F_DUPFD_CLOEXEC, state->files_low);
  if (own >= state->files_end) state->files_end = own + 1;
  return own;
}

void inplace_files(int *low, int *end) {
  *low = state->files_low;
  *end = state->files_end;
}

bool inplace_running(void) {
  return state != NULL && !state->apart;
}

_Noreturn void inplace_end(void) {
  fiber_switch(&state->ended, &state->worker);
  __builtin_unreachable();
}

bool inplace_fork(const char *call, uint64_t place) {
  if (!inplace_running()) return true;
  if (!engine_probes() && !pending->reorder.running && control->apart++ == 0) {
    snprintf(control->apart_call, sizeof control->apart_call, "%s", call);
    control->apart_place = program_place(place);
  }
  /* A fork, but for the signal at the end, for which the program may have a handler. */
  pid_t child = (pid_t)raw_call(SYS_clone, 0, 0, 0, 0);
  if (child < 0) give_up(OUTCOME_BROKEN, "no process for an execution");
  if (child == 0) {
    state->apart = true;
    snapshot_release();
    raw_call(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL, 0, 0);
    return true;
  }
  control->execution = child;
  while (raw_call(SYS_wait4, child, (long)&state->status, __WALL, 0) == -EINTR)
    continue;
  inplace_end();
}

/* The program's input and output are set up only when they are not as they should be. */
static void show(bool shown, bool touched) {
  if (state->shown != (int)shown) {
    state->shown = shown;
    dup2(state->output[0], STDOUT_FILENO);
    dup2(state->output[1], STDERR_FILENO);
    touched = true;
  }
  if (touched) process_begin(shown);
  process_show(shown);
}

static bool restore(void) {
  inplace_empty((uint64_t)(uintptr_t)state->records, private_memory_used(state->records));
  heap_restore();
  snapshot_restore();
  return calls_restore();
}

static void execute(pid_t me, bool shown, bool touched) {
  show(shown, touched);
  control->execution = me;
  calls_watch(true);
  fiber_switch(&state->worker, &state->start);
  calls_watch(false);
  control->execution = 0;
  if (!pending->ended) execution_failed(state->status);
}

/* On the worker's own stack; snapshot_take() sees the main thread stopped in inplace_explore(). */
static void work(void *unused) {
  (void)unused;
  pid_t me = (pid_t)raw_call(SYS_getpid, 0, 0, 0, 0);
  const char *why = calls_prepare();
  if (why == NULL) why = snapshot_take((uint64_t)(uintptr_t)state->start.stack);
  if (why != NULL) {
    snprintf(control->fallback, sizeof control->fallback, "%s", why);
    leave(0);
  }
  bool touched = true;
  for (uint64_t number; engine_next(&number);) {
    execution_open();
    execute(me, execution_shown(number), touched);
    execution_close();
    touched = restore();
    while (reorder_begin()) {
      execute(me, false, touched);
      reorder_end();
      touched = restore();
    }
    exploration_check();
  }
  exploration_end();
}

static void begin(void) {
  state = inplace_memory(sizeof *state);
  state->shown = SHOWN_UNKNOWN;
  state->files_low = FILES_LOW;
  for (int file = 0; file < FILES_SEARCHED; file++)
    if (file >= FILES_LOW && fcntl(file, F_GETFD) >= 0) state->files_low = file + 1;
  for (int i = 0; i < 2; i++)
    state->output[i] = inplace_file(i + STDOUT_FILENO);
  state->records = inplace_memory(RECORDS);
  private_memory_from(state->records, RECORDS);
  signals_catch();
  stack_t stack = {.ss_sp = inplace_memory(SIGNAL_STACK), .ss_size = SIGNAL_STACK};
  sigaltstack(&stack, NULL);
  uint64_t worker_stack = (uint64_t)(uintptr_t)inplace_memory(WORKER_STACK);
  fiber_make(&state->worker, worker_stack + WORKER_STACK, work, NULL);
  fiber_switch(&state->start, &state->worker);
}

/* The process that does all this is a child, so that somebody is left to say how it ended. */
bool inplace_explore(void) {
  pid_t child = fork();
  if (child < 0) give_up(OUTCOME_BROKEN, "fork: %s", strerror(errno));
  if (child == 0) {
    execution_process();
    begin();
    return true;
  }
  int status;
  while (raw_call(SYS_wait4, child, (long)&status, 0, 0) == -EINTR)
    continue;
  if (control->fallback[0] != '\0') return false;
  execution_failed(status);
}
