/* Ten times a second the launcher looks whether the program makes steps. A thread that makes none
 * is asked where it is, and its process ended: at once when it waits in a system call for what only
 * this program could do, whose other threads stand still meanwhile; after ten seconds when it
 * computes, or waits for something outside. The process that explores ends by itself then; if it
 * does not, it is ended too, and what it has written down is reported: when it has had processor
 * time for that, or sleeps and nobody else of the program runs. How long that takes does not
 * matter, as others may have the processor. */
#include "watch.h"

#include <dirent.h>
#include <linux/futex.h>
#include <progress.h>
#include <report.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "control.h"
#include "control/stuck.h"
#include "inspect.h"

static const double stall_seconds = 10;
/* Of processor time, after the end of an execution; and for each second that this one took, since
 * what is said of it has all of its steps. */
static const double grace_seconds = 2, drawing_seconds = 10, grace_for_a_second = 2;
static const double stop_seconds = 0.5, pause_seconds = 0.1;
static const double answer_seconds = 0.5, turn_seconds = 10, untried_seconds = 2;
/* Looks that find a thread in one and the same call, or the whole program asleep. */
enum { LOOKS_BLOCKED = 4, LOOKS_ASLEEP = 20 };
/* Of processes that start others: standing by, exploring, an execution. */
enum { DEPTH_MOST = 4 };

static const int interrupts[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
enum { INTERRUPTS = sizeof interrupts / sizeof *interrupts };

static const char *const calls[] = {
#define CALL(name, policy) [SYS_##name] = #name,
#include "preload/calls.def"
#undef CALL
};
enum { CALLS = sizeof calls / sizeof *calls };

struct call {
  long number;
  unsigned long long arguments[6];
};

struct watch {
  double begin, last_change, looked;
  double ended; /* when the program was told to stop */
  bool asked;   /* and nothing else was done to it yet */
  bool missed;  /* then, no execution was known yet: one that begins has to be ended, too */
  uint64_t steps;
  pid_t process; /* the one that is watched, or 0 */
  unsigned long ticks;
  struct call call;          /* that its thread was in */
  unsigned looks;            /* how often it was found there, in a row */
  unsigned long ticks_ended; /* of the program, when it was told to stop */
  unsigned long ticks_asked; /* of the execution, then */
  double grace;              /* of processor time since then */
  unsigned asleep;           /* how often it was found asleep since then, in a row */
};

/* What a file of /proc says; false: nothing. */
static bool read_text(const char *path, char *text, size_t size) {
  FILE *file = fopen(path, "r");
  if (file == NULL) return false;
  size_t length = fread(text, 1, size - 1, file);
  fclose(file);
  text[length] = '\0';
  return length > 0;
}

/* What processes do: their processor time in ticks, and whether one of them runs. */
struct activity {
  unsigned long ticks;
  bool runs;
};

static void add_activity(struct activity *a, const char *path) {
  char text[1024], state;
  unsigned long user = 0, system = 0;
  const char *after = read_text(path, text, sizeof text) ? strrchr(text, ')') : NULL;
  if (after == NULL) return;
  if (sscanf(after + 1, " %c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu", &state, &user,
             &system) != 3)
    return;
  a->ticks += user + system;
  a->runs = a->runs || state == 'R' || state == 'D';
}

/* Of a process, all of its threads. */
static unsigned long ticks_of(pid_t process) {
  char path[64];
  struct activity a = {.ticks = 0};
  snprintf(path, sizeof path, "/proc/%d/stat", (int)process);
  add_activity(&a, path);
  return a.ticks;
}

/* Of a process and all that it has started, thread by thread. */
static void survey(struct activity *a, pid_t process, unsigned depth) {
  char path[300], text[1024], *end;
  snprintf(path, sizeof path, "/proc/%d/task", (int)process);
  DIR *folder = opendir(path);
  if (folder == NULL) return;
  for (const struct dirent *task; (task = readdir(folder)) != NULL;) {
    if (task->d_name[0] == '.') continue;
    snprintf(path, sizeof path, "/proc/%d/task/%s/stat", (int)process, task->d_name);
    add_activity(a, path);
    snprintf(path, sizeof path, "/proc/%d/task/%s/children", (int)process, task->d_name);
    if (depth == DEPTH_MOST || !read_text(path, text, sizeof text)) continue;
    char *at = text;
    for (long child; (child = strtol(at, &end, 10)) > 0 && end != at; at = end)
      survey(a, (pid_t)child, depth + 1);
  }
  closedir(folder);
}

static pid_t task_of(const struct control *control, pid_t process) {
  return control->task != 0 ? control->task : process;
}

/* The system call that a thread is blocked in; false: in none, or the system does not say. */
static bool call_of(pid_t process, pid_t task, struct call *call) {
  char path[96], text[256];
  memset(call, 0, sizeof *call);
  unsigned long long *a = call->arguments;
  snprintf(path, sizeof path, "/proc/%d/task/%d/syscall", (int)process, (int)task);
  if (!read_text(path, text, sizeof text)) return false;
  return sscanf(text, "%ld %llx %llx %llx %llx %llx %llx", &call->number, &a[0], &a[1], &a[2],
                &a[3], &a[4], &a[5]) == 7 &&
         call->number >= 0;
}

/* What a descriptor is, as "pipe:[12]". */
static bool file_of(const char *process, unsigned long long file, char *text, size_t size) {
  char path[96];
  snprintf(path, sizeof path, "/proc/%s/fd/%llu", process, file);
  ssize_t length = readlink(path, text, size - 1);
  text[length > 0 ? length : 0] = '\0';
  return length > 0;
}

/* Whether this process has it too, which then came from outside of the program. */
static bool is_inherited(const char *wanted) {
  bool found = false;
  char text[256];
  DIR *folder = opendir("/proc/self/fd");
  if (folder == NULL) return true;
  for (const struct dirent *entry; !found && (entry = readdir(folder)) != NULL;)
    found = file_of("self", strtoull(entry->d_name, NULL, 10), text, sizeof text) &&
            strcmp(text, wanted) == 0;
  closedir(folder);
  return found;
}

/* Whether nothing but the program itself could let it go on; or what came from outside, which would
 * have to come again in every execution. */
static bool never_ends(pid_t process, const struct call *call) {
  char text[256], number[16];
  int operation = (int)call->arguments[1] & FUTEX_CMD_MASK;
  const bool reads = call->number != SYS_write && call->number != SYS_writev;
  bool inherited;
  switch (call->number) {
  case SYS_futex:
    return (operation == FUTEX_WAIT || operation == FUTEX_WAIT_BITSET) && call->arguments[3] == 0;
  case SYS_read:
  case SYS_readv:
  case SYS_recvfrom:
  case SYS_recvmsg:
  case SYS_write:
  case SYS_writev:
    snprintf(number, sizeof number, "%d", (int)process);
    if (!file_of(number, call->arguments[0], text, sizeof text)) return false;
    inherited = is_inherited(text);
    if (strncmp(text, "socket:", 7) == 0) return reads && inherited;
    return (strncmp(text, "pipe:", 5) == 0 || strcmp(text, "anon_inode:[eventfd]") == 0) &&
           (reads || !inherited);
  default:
    return false;
  }
}

/* Whether an answer can still come: it does at once, or the process waits for the processor. */
static bool may_answer(pid_t process, double waited) {
  struct activity activity = {.ticks = 0};
  if (waited < answer_seconds) return true;
  if (waited > turn_seconds) return false;
  survey(&activity, process, DEPTH_MOST);
  return activity.runs;
}

/* Has a thread say where it is, and waits for that; one that cannot be asked yet is looked at. */
static void ask(struct control *control, pid_t process) {
  const struct timespec pause = {0, 1000000};
  const double begin = cli_now();
  if (!control->attached) {
    inspect(control, process);
    return;
  }
  if (syscall(SYS_tgkill, process, task_of(control, process), STUCK_SIGNAL) != 0) return;
  while (!control->stuck.answered && may_answer(process, cli_now() - begin))
    nanosleep(&pause, NULL);
}

static void name_call(struct stuck *stuck, const struct call *call) {
  if (call->number < CALLS && calls[call->number] != NULL)
    snprintf(stuck->call, sizeof stuck->call, "%s", calls[call->number]);
  else
    snprintf(stuck->call, sizeof stuck->call, "system call %ld", call->number);
}

/* The execution is ended, or the program if it did not come to main. */
static void end(struct control *control, struct watch *watch, pid_t program, enum stop why) {
  pid_t process = control->in_main ? control->execution : program;
  double now = cli_now();
  struct call call;
  watch->ended = now;
  struct activity activity = {.ticks = 0};
  survey(&activity, program, 0);
  watch->ticks_ended = activity.ticks;
  watch->grace = grace_seconds;
  watch->ticks_asked = process > 0 ? ticks_of(process) : 0;
  watch->grace += grace_for_a_second * (double)watch->ticks_asked / (double)sysconf(_SC_CLK_TCK);
  watch->asleep = 0;
  control->stop = (int)why;
  watch->missed = process <= 0;
  if (watch->missed) return;
  /* An exploration that is saved stops where the execution asks what is next, if it soon does. */
  watch->asked = control->settings.save[0] != '\0' && control->in_main &&
                 (why == STOP_INTERRUPT || why == STOP_TIME) && !watch->asked;
  if (watch->asked) return;
  control->stuck.seconds = watch->process == process ? now - watch->last_change : 0;
  if (why == STOP_BLOCKED && call_of(process, task_of(control, process), &call))
    name_call(&control->stuck, &call);
  ask(control, process);
  kill(process, SIGKILL);
}

static void look_at(struct control *control, struct watch *watch, pid_t program) {
  struct call call;
  double now = cli_now(), stalled = now - watch->last_change;
  if (call_of(watch->process, task_of(control, watch->process), &call)) {
    bool same = memcmp(&call, &watch->call, sizeof call) == 0;
    watch->looks = same ? watch->looks + 1 : 0;
    watch->call = call;
    if (watch->looks == LOOKS_BLOCKED && never_ends(watch->process, &call))
      end(control, watch, program, STOP_BLOCKED);
  } else {
    watch->looks = 0;
  }
  const bool untried =
      control->in_main && control->settings.moves && !control->settings.none_owned_tried;
  const double enough = untried ? untried_seconds : stall_seconds;
  if (control->stop != STOP_NONE || stalled <= enough) return;
  struct activity activity = {.ticks = 0};
  survey(&activity, watch->process, DEPTH_MOST);
  const double ticks = (double)(ticks_of(watch->process) - watch->ticks);
  const double used = ticks / (double)sysconf(_SC_CLK_TCK);
  /* One that runs may have waited for the processor. */
  if (activity.runs && used < enough / 2) return;
  const bool computes = activity.runs || used > enough / 10;
  end(control, watch, program, computes ? STOP_BUSY : STOP_BLOCKED);
}

/* After the end of an execution: whether the process that explores does not end by itself. */
static bool never_leaves(const struct control *control, struct watch *watch, pid_t program) {
  struct activity now = {.ticks = 0};
  survey(&now, program, 0);
  /* The time of an execution that has ended is not among that of processes any more. */
  if (now.ticks < watch->ticks_ended) watch->ticks_ended = now.ticks;
  const double used = (double)(now.ticks - watch->ticks_ended) / (double)sysconf(_SC_CLK_TCK);
  watch->asleep = now.runs ? 0 : watch->asleep + 1;
  return used > watch->grace + (control->drawing ? drawing_seconds : 0) ||
         watch->asleep > LOOKS_ASLEEP;
}

/* Whether an execution that was asked to stop could have done so: it waits for something, or had
 * the processor for half of that time. */
static bool had_time(const struct watch *watch, double now) {
  struct activity activity = {.ticks = 0};
  const double tick = (double)sysconf(_SC_CLK_TCK);
  if (now - watch->ended <= stop_seconds) return false;
  survey(&activity, watch->process, DEPTH_MOST);
  return !activity.runs ||
         (double)(ticks_of(watch->process) - watch->ticks_asked) / tick > stop_seconds / 2;
}

static void look(struct control *control, struct watch *watch, pid_t program) {
  double now = cli_now(), limit = control->settings.max_seconds;
  if (now - watch->looked < pause_seconds / 2) return;
  watch->looked = now;
  pid_t process = control->in_main ? control->execution : program;
  if (control->stop != STOP_NONE && watch->asked && !control->drawing &&
      process == watch->process && had_time(watch, now)) {
    end(control, watch, program, (enum stop)control->stop);
  } else if (control->stop != STOP_NONE && watch->missed && process > 0) {
    end(control, watch, program, (enum stop)control->stop);
  } else if (control->stop != STOP_NONE) {
    if (never_leaves(control, watch, program)) kill(program, SIGKILL);
  } else if (limit > 0 && now - watch->begin > limit) {
    end(control, watch, program, STOP_TIME);
  } else if (process == 0 || process != watch->process || control->steps != watch->steps ||
             (control->in_main && control->deciding)) {
    *watch = (struct watch){.begin = watch->begin,
                            .looked = now,
                            .last_change = now,
                            .steps = control->steps,
                            .process = process,
                            .ticks = process > 0 ? ticks_of(process) : 0};
  } else {
    look_at(control, watch, program);
  }
}

static void show(const struct control *control, struct cli_progress *progress) {
  const unf_progress now = {control->counts.executions, control->counts.redundant,
                            control->counts.events,     control->bytes,
                            control->estimate.left,     control->estimate.error};
  cli_progress_report(progress, &now);
}

void watch_begin(struct watched *watched) {
  struct sigaction hang_up;
  sigset_t held;
  *watched = (struct watched){.begin = cli_now()};
  sigemptyset(&held);
  sigaddset(&held, SIGCHLD);
  sigaction(SIGHUP, NULL, &hang_up);
  for (int i = 0; i < INTERRUPTS; i++) /* nohup means it */
    if (interrupts[i] != SIGHUP || hang_up.sa_handler != SIG_IGN) sigaddset(&held, interrupts[i]);
  sigprocmask(SIG_BLOCK, &held, &watched->signals_before);
}

/* An interrupt that came, and is taken; the end of the child is not one. */
static bool interrupted(const struct timespec *pause) {
  sigset_t held;
  sigprocmask(SIG_BLOCK, NULL, &held);
  int signal = sigtimedwait(&held, NULL, pause);
  return signal > 0 && signal != SIGCHLD;
}

static void count(struct watched *watched, const struct rusage *usage) {
  const uint64_t bytes = (uint64_t)usage->ru_maxrss * 1024;
  watched->work = (double)(usage->ru_utime.tv_sec + usage->ru_stime.tv_sec) +
                  1e-6 * (double)(usage->ru_utime.tv_usec + usage->ru_stime.tv_usec);
  if (bytes > watched->peak_bytes) watched->peak_bytes = bytes;
}

/* An interrupt also ends what would begin again because an execution did not go on. */
static void obey_interrupt(struct control *control, const struct watched *watched) {
  const bool stalled = control->stop == STOP_BUSY || control->stop == STOP_BLOCKED;
  if (!watched->interrupted || (control->stop != STOP_NONE && !stalled)) return;
  if (stalled && control->outcome == OUTCOME_REFUSED) control->outcome = OUTCOME_LIMIT;
  control->stop = STOP_INTERRUPT;
}

void watch_program(struct control *control, pid_t child, struct watched *watched) {
  const struct timespec pause = {0, 100000000}, none = {0, 0};
  struct watch watch = {.begin = watched->begin, .grace = grace_seconds};
  struct rusage usage = {.ru_maxrss = 0};
  struct cli_progress progress;
  cli_progress_begin(&progress);
  int status = 0;
  while (wait4(child, &status, WNOHANG, &usage) == 0) {
    if (watched->wait != NULL) watched->wait(watched->user);
    const bool came = interrupted(watched->wait != NULL ? &none : &pause);
    watched->interrupted |= came;
    if ((came || watched->stop) && control->stop == STOP_NONE)
      end(control, &watch, child, STOP_INTERRUPT);
    look(control, &watch, child);
    if (watched->wait == NULL) show(control, &progress);
  }
  cli_progress_end(&progress);
  count(watched, &usage);
  control->ended_by = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  /* It may have been ended by the interrupt itself, before the launcher saw that. */
  while (interrupted(&none))
    watched->interrupted = true;
  obey_interrupt(control, watched);
  if (control->outcome == OUTCOME_NONE && control->stop != STOP_NONE)
    control->outcome = control->stop == STOP_INTERRUPT || control->stop == STOP_TIME
                           ? OUTCOME_LIMIT
                           : OUTCOME_REFUSED;
}
