/* System calls of the program in an execution in place. The kernel hands each one that is not
 * made by this library to us (syscall user dispatch), wherever in the program or the C library it
 * comes from. Those that leave nothing behind but what is undone here afterwards are performed:
 * files that were opened are closed, those that were closed or replaced are opened again,
 * mappings removed, handlers, the signal mask, the folder and the file mask put back. At any
 * other one the execution goes on in a process of its own, in which everything is allowed because
 * it ends with it. */
#include "calls.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "../control.h"
#include "../control/modules.h"
#include "../control/texts.h"
#include "entry.h"
#include "heap.h"
#include "inplace.h"
#include "modules.h"
#include "numbers.h"
#include "patch.h"
#include "refuse.h"
#include "snapshot.h"
#include "system_call.h"
#include "trap.h"

enum policy { APART, PASS, OPENS, NESTED, OWN, REFUSE };
enum { CALLS = 512, SIGNALS = 64, FILES_MAX = 64 };

static const struct call {
  const char *name;
  enum policy policy;
} calls[CALLS] = {
#define CALL(name, policy) [SYS_##name] = {#name, policy},
#include "calls.def"
#undef CALL
};

struct watched_calls {
  volatile char selector;
  bool called, opened, moved, umasked;
  uint64_t replaced; /* which of the files */
  uint64_t signals;  /* whose actions were changed */
  uint64_t mask, text_low, text_high;
  mode_t umask;
  int folder, file_count;
  struct {
    int number, copy, flags;
  } files[FILES_MAX]; /* that the program inherited */
  struct kernel_action actions[SIGNALS + 1];
};
static struct watched_calls *watched;

/* The program closes a file or makes something else of it: whether it may, since it is not ours. */
static bool replace(long file) {
  int low, end;
  inplace_files(&low, &end);
  for (int i = 0; i < watched->file_count; i++)
    if (watched->files[i].number == (int)file) watched->replaced |= (uint64_t)1 << i;
  return file < low || file >= end;
}

/* What the C library maps, and whoever else asks the system himself: the program's own mappings are
 * placed where mmap() is interposed. */
static bool map(const long *a, long *result) {
  const int placed = MAP_FIXED | MAP_FIXED_NOREPLACE;
  long arguments[] = {a[0], a[1], a[2], a[3], a[4], a[5]};
  if ((a[3] & placed) != 0) {
    if (!zones_contain((uint64_t)a[0], (uint64_t)a[1], true)) return false;
  } else {
    if ((a[3] & (MAP_32BIT | MAP_GROWSDOWN)) != 0) return false;
    arguments[0] = (long)zone_place((uint64_t)a[1], false);
    if (arguments[0] == 0) return false;
    arguments[3] |= MAP_FIXED;
  }
  *result = raw_call6(SYS_mmap, arguments);
  return true;
}

static bool action(const long *a, long *result) {
  const struct kernel_action *new = (const void *)a[1];
  if (new != NULL && a[0] > 0 && a[0] <= SIGNALS) {
    if (a[0] == SIGSYS || a[0] == SIGSEGV || (a[0] != 0 && a[0] == patch_signal())) return false;
    watched->signals |= (uint64_t)1 << (a[0] - 1);
  }
  *result = raw_call(SYS_rt_sigaction, a[0], a[1], a[2], a[3]);
  return true;
}

/* Those that depend on what they are asked; false: not here. */
static bool own_call(long number, const long *a, long *result) {
  bool fine = false;
  switch (number) {
  case SYS_mmap:
    return map(a, result);
  case SYS_rt_sigaction:
    return action(a, result);
  case SYS_munmap:
  case SYS_mprotect:
    fine = zones_contain((uint64_t)a[0], (uint64_t)a[1], true);
    break;
  case SYS_madvise:
    fine = zones_contain((uint64_t)a[0], (uint64_t)a[1], false);
    break;
  case SYS_close:
    fine = replace(a[0]);
    if (!fine) *result = -EBADF;
    if (!fine) return true;
    break;
  case SYS_dup2:
  case SYS_dup3:
    fine = replace(a[1]);
    watched->opened |= fine;
    break;
  case SYS_fcntl:
    fine = a[1] != F_SETFD || replace(a[0]);
    watched->opened |= a[1] == F_DUPFD || a[1] == F_DUPFD_CLOEXEC;
    break;
  case SYS_ioctl:
    if (a[1] != TCGETS && a[1] != TIOCGWINSZ && a[1] != FIONREAD) snapshot_release();
    fine = true;
    break;
  case SYS_chdir:
  case SYS_fchdir:
    fine = watched->moved = watched->folder >= 0;
    break;
  case SYS_umask:
    fine = watched->umasked = true;
    break;
  case SYS_sigaltstack:
    fine = a[0] == 0;
    break;
  case SYS_prlimit64:
    fine = a[2] == 0;
    break;
  default:
    break;
  }
  if (fine) *result = raw_call6(number, a);
  return fine;
}

static bool here(long number, const long *a, long *result) {
  enum policy policy = number >= 0 && number < CALLS ? calls[number].policy : APART;
  watched->called = true;
  if (policy == APART || policy == REFUSE) return false;
  for (int i = 0; i < 6; i++)
    snapshot_expose((uint64_t)a[i]);
  if (policy == NESTED) snapshot_release();
  if (policy == OWN) return own_call(number, a, result);
  watched->opened |= policy == OPENS;
  *result = raw_call6(number, a);
  return true;
}

bool calls_perform(const struct numbered_call *call, long *result) {
  const long number = call->number;
  if (here(number, call->arguments, result)) return true;
  char text[NAME_SIZE];
  bool known = number >= 0 && number < CALLS && calls[number].name != NULL;
  if (known)
    snprintf(text, sizeof text, "the system call %s", calls[number].name);
  else
    snprintf(text, sizeof text, "system call %ld", number);
  if (known && calls[number].policy == REFUSE) refuse(text, call->place);
  inplace_fork(text, call->place);
  return false;
}

static bool list_files(void) {
  int low, end;
  inplace_files(&low, &end);
  for (int file = 0; file < low; file++) {
    int flags = fcntl(file, F_GETFD);
    if (flags < 0) continue;
    if (watched->file_count == FILES_MAX) return false;
    int copy = inplace_file(file), i = watched->file_count++;
    watched->files[i].number = file;
    watched->files[i].copy = copy;
    watched->files[i].flags = flags;
    if (copy < 0) return false;
  }
  return true;
}

const char *calls_prepare(void) {
  uint32_t module;
  uint64_t offset;
  watched = inplace_memory(sizeof *watched);
  if (!module_locate((uint64_t)(uintptr_t)calls_prepare, &module, &offset))
    return "this library is not found in it";
  const struct module *m = &control->modules[module];
  watched->text_low = m->text_low;
  watched->text_high = m->text_high;
  watched->folder = open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (watched->folder >= 0) {
    int low = watched->folder;
    watched->folder = inplace_file(low);
    close(low);
  }
  watched->umask = umask(0);
  umask(watched->umask);
  if (!list_files()) return "it has too many open files";
  for (int i = 1; i <= SIGNALS; i++)
    kernel_action(i, NULL, &watched->actions[i]);
  raw_call(SYS_rt_sigprocmask, SIG_BLOCK, 0, (long)&watched->mask, sizeof watched->mask);
  if (prctl(PR_SET_SYSCALL_USER_DISPATCH, PR_SYS_DISPATCH_ON, m->text_low,
            m->text_high - m->text_low, &watched->selector) != 0)
    return "the system does not hand its calls to us (that needs Linux 5.11)";
  control->calls_seen = true;
  return NULL;
}

void calls_watch(bool on) {
  watched->selector = on ? SYSCALL_DISPATCH_FILTER_BLOCK : SYSCALL_DISPATCH_FILTER_ALLOW;
}

/* Closes everything between the files that were open before. */
static void close_files(void) {
  int from = 0, low, end;
  inplace_files(&low, &end);
  for (int i = 0; i <= watched->file_count; i++) {
    int next = i < watched->file_count ? watched->files[i].number : low;
    if (next > from) raw_call(SYS_close_range, from, next - 1, 0, 0);
    from = next + 1;
  }
  raw_call(SYS_close_range, end, INT_MAX, 0, 0);
}

static void replace_files(void) {
  for (int i = 0; i < watched->file_count; i++)
    if ((watched->replaced >> i & 1) != 0)
      raw_call(SYS_dup3, watched->files[i].copy, watched->files[i].number,
               (watched->files[i].flags & FD_CLOEXEC) != 0 ? O_CLOEXEC : 0, 0);
  watched->replaced = 0;
}

/* What an execution's own writes sent to it, and it blocked. */
static void drop_signals(void) {
  const uint64_t own = (uint64_t)1 << (SIGPIPE - 1) | (uint64_t)1 << (SIGXFSZ - 1);
  const struct timespec at_once = {0, 0};
  uint64_t pending_now = 0;
  raw_call(SYS_rt_sigpending, (long)&pending_now, sizeof pending_now, 0, 0);
  if ((pending_now & own) == 0) return;
  while (raw_call(SYS_rt_sigtimedwait, (long)&own, 0, (long)&at_once, sizeof own) > 0)
    continue;
}

bool calls_restore(void) {
  if (!watched->called) return false;
  watched->called = false;
  if (watched->opened) close_files();
  if (watched->replaced != 0) replace_files();
  drop_signals();
  /* An execution may have ended inside of a handler. */
  raw_call(SYS_rt_sigprocmask, SIG_SETMASK, (long)&watched->mask, 0, sizeof watched->mask);
  if (watched->moved) raw_call(SYS_fchdir, watched->folder, 0, 0, 0);
  if (watched->umasked) raw_call(SYS_umask, watched->umask, 0, 0, 0);
  for (int i = 1; watched->signals != 0 && i <= SIGNALS; i++)
    if ((watched->signals >> (i - 1) & 1) != 0) kernel_action(i, &watched->actions[i], NULL);
  watched->signals = 0;
  watched->opened = watched->moved = watched->umasked = false;
  return true;
}
