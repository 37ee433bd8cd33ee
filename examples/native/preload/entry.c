/* Where the preload library takes hold of the program: in front of main, when its constructors have
 * run and it has one thread. The process becomes the worker, from which each execution is forked. A
 * replay runs in the process itself, so that a debugger needs to follow nobody. */
#include "entry.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/shm.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unfold/unfold.h>
#include <unistd.h>

#include "../control.h"
#include "../control/learned.h"
#include "../control/settings.h"
#include "accesses.h"
#include "arena.h"
#include "backend.h"
#include "crash.h"
#include "engine.h"
#include "findings.h"
#include "futex.h"
#include "heap.h"
#include "identity.h"
#include "imports.h"
#include "inplace.h"
#include "interpose.h"
#include "modules.h"
#include "patch.h"
#include "patch_later.h"
#include "pictures.h"
#include "process.h"
#include "quiet.h"
#include "real.h"
#include "refuse.h"
#include "reorder.h"
#include "saving.h"
#include "scheduler.h"
#include "sharing.h"
#include "signals.h"
#include "stuck.h"
#include "system_call.h"
#include "thread.h"
#include "trap.h"
#include "words.h"

typedef int main_function(int, char **, char **);
typedef int start_function(main_function *, int, char **, void (*)(void), void (*)(void),
                           void (*)(void), void *);

struct control *control;
bool running;
bool early_thread;
const struct backend *backend;
static main_function *program_main;
static long started_process; /* that the launcher started; constructors may fork */
static struct {
  bool now; /* without exit handlers */
  int status;
  uint64_t place;
} early_end;
static const int interrupts[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
enum { INTERRUPTS = sizeof interrupts / sizeof *interrupts };
static sighandler_t interrupts_before[INTERRUPTS];

/* Takes a variable out of the environment; its value, or NULL. */
static char *take_variable(char **environment, const char *name) {
  size_t length = strlen(name);
  char *value = NULL;
  char **to = environment;
  for (char **from = environment; *from != NULL; from++) {
    if (strncmp(*from, name, length) == 0 && (*from)[length] == '=')
      value = *from + length + 1;
    else
      *to++ = *from;
  }
  *to = NULL;
  return value;
}

static bool attach(char **environment) {
  const char *value = take_variable(environment, CONTROL_VARIABLE);
  if (value == NULL) return false;
  take_variable(environment, "LD_PRELOAD");
  take_variable(environment, "LD_BIND_NOW");
  /* Away from the libraries, so that there is room for trampolines beside them. */
  const uint64_t away = (OURS_LOW - sizeof *control) & ~(uint64_t)(PAGE - 1);
  void *block = shmat(atoi(value), (void *)(uintptr_t)away, 0);
  if (block == (void *)-1) block = shmat(atoi(value), NULL, 0);
  if (block == (void *)-1) return false;
  control = block;
  if (control->magic != CONTROL_MAGIC || control->size != sizeof *control) return false;
  stuck_prepare();
  control->attached = true;
  return control->attached;
}

static void pin(void) {
  const int wanted = control->settings.processor;
  const int here = wanted >= 0 ? wanted : sched_getcpu();
  cpu_set_t set;
  CPU_ZERO(&set);
  if (here < 0) return;
  CPU_SET((unsigned)here, &set);
  sched_setaffinity(0, sizeof set, &set);
}

static const char *stop_text(void) {
  switch (control->stop) {
  case STOP_INTERRUPT:
    return "interrupted";
  case STOP_TIME:
    return "the time is up";
  default:
    return NULL;
  }
}

/* An interrupt from the terminal reaches everybody, and the launcher says so at once; a signal that
 * the program sent to itself does not. */
static void await_launcher(void) {
  const struct timespec pause = {0, 10000000};
  for (int i = 0; i < 50 && control->stop == STOP_NONE; i++)
    nanosleep(&pause, NULL);
}

/* An execution that did not come to its end: why. It may have been in the middle of a change of the
 * explorer, which is not asked anything any more. */
_Noreturn void execution_failed(int status) {
  running = false;
  saving_note();
  if (control->outcome != OUTCOME_NONE) {
    findings_keep(WIFEXITED(status)); /* it ended between two calls of the explorer */
    accesses_keep(WIFEXITED(status));
    if (WIFEXITED(status) && control->outcome == OUTCOME_LIMIT) saving_end();
    if (WIFEXITED(status) && !control->pictures_tried && control->outcome != OUTCOME_AGAIN)
      pictures_write();
    leave(0);
  }
  for (int i = 0; WIFSIGNALED(status) && i < INTERRUPTS; i++)
    if (WTERMSIG(status) == interrupts[i]) await_launcher();
  findings_keep(false);
  accesses_keep(false);
  /* It was in the program, and nowhere in the explorer. */
  if (stop_text() != NULL && !control->deciding) saving_end();
  if (stop_text() != NULL) give_up(OUTCOME_LIMIT, "%s", stop_text());
  if (control->stop != STOP_NONE) give_up(OUTCOME_REFUSED, "an execution did not go on");
  if (WIFSIGNALED(status))
    give_up(OUTCOME_REFUSED, "the process was ended by signal %d (%s)", WTERMSIG(status),
            strsignal(WTERMSIG(status)));
  give_up(OUTCOME_REFUSED, "the process ended by a system call of its own, with status %d",
          WEXITSTATUS(status));
}

bool execution_shown(uint64_t number) {
  if (engine_probes()) return false;
  return control->settings.output == OUTPUT_KEEP ||
         (control->settings.output == OUTPUT_FIRST && number == 1 && control->restarts == 0);
}

void execution_open(void) {
  control->execution_steps = 0;
  control->execution_ended = false;
  pending->ended = pending->redundant = pending->exiting = pending->given_up = pending->dropped =
      pending->waits = pending->fresh = false;
  pending->count = 0;
}

void execution_close(void) {
  running = false; /* in place, an execution that went on in its own process has left it */
  unf_verdict verdict = {.redundant = false};
  unf_status status = engine_finish(findings_error(), &verdict);
  if (status != UNF_OK) saving_note();
  if (!pending->dropped && (engine_probes() || !verdict.redundant)) findings_keep(true);
  if (!engine_probes()) accesses_keep(true);
  if (!engine_probes() && !verdict.redundant && verdict.deadlock) {
    control->given_up += pending->given_up;
    control->left_behind += pending->exiting && !pending->given_up;
  }
  if (!engine_probes() && !pending->dropped && !verdict.redundant && !verdict.truncated &&
      status == UNF_OK)
    reorder_choose();
  pending->count = 0;
  control->execution_ended = true;
  engine_counts();
  engine_must(status);
}

void execution_process(void) {
  for (int i = 0; i < INTERRUPTS; i++)
    signal(interrupts[i], interrupts_before[i]);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
}

/* Returns true in the execution, false in the worker when it is over. */
static bool execute(bool shown) {
  pid_t child = fork();
  if (child < 0) give_up(OUTCOME_BROKEN, "fork: %s", strerror(errno));
  if (child == 0) {
    execution_process();
    process_begin(shown);
    return true;
  }
  control->execution = child;
  int status;
  while (raw_call(SYS_wait4, child, (long)&status, 0, 0) == -EINTR)
    continue;
  control->execution = 0;
  if (!pending->ended) execution_failed(status);
  return false;
}

/* What was found out about memory is used from the start of another exploration: when this one is
 * over, or has as many executions as a power of two, so that little is done in vain. */
static void begin_again(bool over) {
  const uint64_t count = control->counts.executions;
  if (!control->learned || control->restarts >= RESTARTS_MAX) return;
  if (over || (count & (count - 1)) == 0)
    give_up(OUTCOME_AGAIN, "memory of several threads was found");
}

/* Between two executions: whether a limit ends the exploration. */
void exploration_check(void) {
  engine_between();
  const uint64_t found = control->finding_count - control->findings_before + control->races_found;
  if (control->settings.stop_at_first && found > 0) {
    control->outcome = OUTCOME_FIRST;
    saving_end();
    pictures_write();
    leave(0);
  }
  begin_again(false);
  saving_between();
  if (stop_text() == NULL) return;
  saving_end();
  pictures_write();
  give_up(OUTCOME_LIMIT, "%s", stop_text());
}

_Noreturn void exploration_end(void) {
  begin_again(true);
  control->no_room |= control->learned;
  engine_counts();
  saving_end();
  pictures_write();
  control->outcome = OUTCOME_FINISHED;
  leave(0);
}

/* Where all the code has been changed, which takes a second for a large program, a process stays
 * behind. It begins again in place of the launcher: what is known of memory is kept, all else is as
 * it was. Comes back only in the worker. */
static void stand_by(void) {
  const size_t from = offsetof(struct control, outcome), to = offsetof(struct control, stop);
  char *now = (char *)control + from, *first = malloc(to - from);
  if (first == NULL) return;
  memcpy(first, now, to - from);
  for (int i = 0; i < INTERRUPTS; i++)
    interrupts_before[i] = signal(interrupts[i], SIG_IGN);
  for (;;) {
    const pid_t child = fork();
    if (child < 0) give_up(OUTCOME_BROKEN, "fork: %s", strerror(errno));
    if (child == 0) break;
    while (raw_call(SYS_wait4, child, 0, 0, 0) == -EINTR)
      continue;
    const bool found = control->finding_count > 0 || control->races_found > 0;
    if (found || !control_begins_again(control)) leave(0); /* the launcher keeps what was found */
    memcpy(now, first, to - from);
    control->restarts++;
  }
  execution_process();
  words_begin();
  free(first);
}

/* The worker. Comes back only in an execution. */
static void explore(void) {
  for (int i = 0; i < INTERRUPTS; i++)
    interrupts_before[i] = signal(interrupts[i], SIG_IGN);
  if (control->settings.in_place && inplace_explore()) return;
  for (uint64_t number; engine_next(&number);) {
    execution_open();
    if (execute(execution_shown(number))) return;
    execution_close();
    while (reorder_begin()) {
      if (execute(false)) return;
      reorder_end();
    }
    exploration_check();
  }
  exploration_end();
}

/* By a debugger, which would stop at each signal. */
static bool debugged(void) {
  char line[128];
  int tracer = 0;
  FILE *file = fopen("/proc/self/status", "re");
  while (file != NULL && tracer == 0 && fgets(line, sizeof line, file) != NULL)
    sscanf(line, "TracerPid: %d", &tracer);
  if (file != NULL) fclose(file);
  return tracer != 0;
}

static int worker_main(int argc, char **argv, char **environment) {
  control->in_main = true;
  started_process = 0;
  identity_prepare();
  pin();
  backend = control->settings.fibers ? &backend_fibers : &backend_threads;
  modules_read();
  stack_of_main();
  threads_prepare();
  if (early_thread) give_up(OUTCOME_REFUSED, "a thread was started before main");
  accesses_modules();
  patch_modules(); /* in front of the arena, which would take the room beside the libraries */
  imports_watch();
  quiet_begin();
  if (patch_signal() != 0) crash_handler(patch_signal());
  if (control->settings.moves && patch_any() && control->quiet_count == 0 &&
      !control->settings.replay && control->settings.items_socket < 0)
    stand_by();
  const uint64_t room = (uint64_t)1 << 36;
  if (!pending_new() || !sharing_new() || !arena_new(room) || !engine_new())
    give_up(OUTCOME_BROKEN, "no memory for the explorer");
  process_prepare();
  later_prepare();
  trap_prepare(control->settings.replay && debugged());
  if (futex_known()) trap_futexes();
  if (control->settings.touches_watched) trap_touches();
  if (control->settings.in_place || heap_names()) heap_prepare();
  if (control->settings.replay)
    process_begin(true);
  else
    explore();
  if (!inplace_running()) signals_catch();
  thread_main(program_main, argc, argv, environment);
}

static int end_early(int argc, char **argv, char **environment) {
  (void)argc, (void)argv, (void)environment;
  if (early_end.now) process_exit_now(early_end.status, early_end.place);
  process_exit(early_end.status, early_end.place);
}

bool ends_before_main(void) {
  return started_process != 0 && program_main != NULL &&
         started_process == raw_call(SYS_getpid, 0, 0, 0, 0);
}

_Noreturn void end_before_main(bool now, int status, uint64_t place) {
  early_end.now = now;
  early_end.status = status;
  early_end.place = place;
  program_main = end_early;
  exit(worker_main(0, NULL, environ));
}

INTERPOSE int __libc_start_main(main_function *main_, int argc, char **argv, void (*init)(void),
                                void (*fini)(void), void (*rtld_fini)(void), void *stack_end);
int __libc_start_main(main_function *main_, int argc, char **argv, void (*init)(void),
                      void (*fini)(void), void (*rtld_fini)(void), void *stack_end) {
  program_main = main_;
  bool attached = attach(argv + argc + 1);
  if (attached) started_process = raw_call(SYS_getpid, 0, 0, 0, 0);
  return ((start_function *)real_function("__libc_start_main"))(
      attached ? worker_main : main_, argc, argv, init, fini, rtld_fini, stack_end);
}
