/* System calls that take, or give, the number of a process or thread. The numbers that the program
 * knows of itself are not those that the system has for it (identity.c), so they are exchanged on
 * the way in and out. What does something to another process is refused: an exploration performs it
 * again and again, on whatever process has that number. */
#include "numbers.h"

#include <asm/ioctls.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/ioprio.h>
#include <linux/prctl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>

#include "../control.h"
#include "../control/texts.h"
#include "accesses.h"
#include "credentials.h"
#include "futex.h"
#include "identity.h"
#include "proc.h"
#include "refuse.h"
#include "scheduler.h"
#include "sent.h"
#include "snapshot.h"
#include "system_call.h"
#include "touches.h"

enum rule { NONE, ASKS, CHANGES, REFUSED, OWN, PATH, MESSAGE, MASK, LIBC };

static const struct numbered {
  const char *name;
  uint8_t argument;
  enum rule rule;
} table[] = {
#define NUMBER(name, argument, rule) [SYS_##name] = {#name, argument, rule},
#define WHOLE(name, rule)            [SYS_##name] = {#name, 0, rule},
#define WHEN(name, argument, value)  /* has a row of its own below, once for all its values */
#include "numbers.def"
#undef NUMBER
#undef WHOLE
#undef WHEN
    [SYS_prctl] = {"prctl", 0, OWN},
    [SYS_fcntl] = {"fcntl", 0, OWN},
    [SYS_ioctl] = {"ioctl", 0, OWN},
    [SYS_getsockopt] = {"getsockopt", 0, OWN},
    [SYS_rt_sigaction] = {"rt_sigaction", 0, OWN},
};

bool numbers_read(void *to, uint64_t from, uint64_t size) {
  const struct iovec here = {to, size}, there = {(void *)(uintptr_t)from, size};
  const long arguments[] = {raw_call(SYS_getpid, 0, 0, 0, 0), (long)&here, 1, (long)&there, 1, 0};
  snapshot_open(to, size);
  long got = raw_call6(SYS_process_vm_readv, arguments);
  if (got != -EPERM && got != -ENOSYS) return got == (long)size;
  memcpy(to, there.iov_base, size);
  return true;
}

_Noreturn static void refuse_other(const struct numbered_call *call) {
  char text[NAME_SIZE];
  snprintf(text, sizeof text, "%s for another process", table[call->number].name);
  refuse(text, call->place);
}

/* The system's number in place of the program's; numbers that are not positive mean something else.
 * False: it is another process. */
static bool exchange(long *number) {
  *number = (int)*number;
  int real = *number > 0 ? identity_real(*number) : 0;
  if (real != 0) *number = real;
  return real != 0 || *number <= 0;
}

static void exchange_or_refuse(struct numbered_call *call, int argument) {
  if (!exchange(&call->arguments[argument])) refuse_other(call);
}

/* Calls about a process, a group or the processes of a user, as their first argument says; for
 * those of a group the system has another number, too. */
static void enter_priority(struct numbered_call *call, bool changes, int one_process) {
  bool one = (int)call->arguments[0] == one_process;
  long number = (int)call->arguments[1];
  bool own = exchange(&number);
  if (changes && (!one || !own)) refuse_other(call);
  call->arguments[1] = number;
}

/* The number is part of what a clock is called; a descriptor can be as well. */
static void enter_clock(struct numbered_call *call) {
  enum { CLOCK_KIND = 7, CLOCK_OF_FILE = 3, CLOCK_SHIFT = 3 };
  long clock = (int)call->arguments[0], number = clock < 0 ? ~clock >> CLOCK_SHIFT : 0;
  if (clock >= 0 || (clock & CLOCK_KIND) == CLOCK_OF_FILE || !exchange(&number)) return;
  call->arguments[0] = (int)((unsigned)~number << CLOCK_SHIFT | (clock & CLOCK_KIND));
}

/* Who gets signals of a descriptor, or is in front at a terminal: a process, or a group as a
 * negative number. */
static bool exchange_owner(int *owner) {
  long number = *owner < 0 ? -(long)*owner : *owner;
  if (!exchange(&number)) return false;
  *owner = *owner < 0 ? (int)-number : (int)number;
  return true;
}

/* An argument that points to the words of `copy`, of which one is the number. */
static void enter_pointer(struct numbered_call *call, int argument, int words, int which) {
  uint64_t from = (uint64_t)call->arguments[argument];
  if (!numbers_read(call->copy, from, (uint64_t)words * sizeof *call->copy)) return;
  int owner = (int)call->copy[which];
  if (!exchange_owner(&owner)) refuse_other(call);
  if ((uint32_t)owner == call->copy[which]) return;
  call->copy[which] = (uint32_t)owner;
  call->arguments[argument] = (long)call->copy;
}

static void enter_descriptor(struct numbered_call *call) {
  int owner = (int)call->arguments[2];
  switch (call->arguments[1]) {
  case F_SETOWN:
    if (!exchange_owner(&owner)) refuse_other(call);
    call->arguments[2] = owner;
    break;
  case F_SETOWN_EX:
    enter_pointer(call, 2, 2, 1);
    break;
  case FIOSETOWN:
  case SIOCSPGRP:
  case TIOCSPGRP:
    enter_pointer(call, 2, 1, 0);
    break;
  default:
    break;
  }
}

static void enter_prctl(struct numbered_call *call) {
  int argument = call->arguments[0] == PR_SCHED_CORE ? 2 : 1;
  if (call->arguments[0] == PR_SET_PTRACER || call->arguments[0] == PR_SCHED_CORE)
    exchange_or_refuse(call, argument);
}

/* A handler for the signal by which calls come to us: the program may believe that it has one. */
static bool enter_action(const struct numbered_call *call, long *result) {
  enum { ACTION_SIZE = 32 };
  if (call->arguments[0] != SIGSYS) return false;
  if (call->arguments[2] != 0) memset((void *)call->arguments[2], 0, ACTION_SIZE);
  *result = 0;
  return true;
}

static bool answer(const struct numbered_call *call, long *result) {
  const long *a = call->arguments;
  switch (call->number) {
  case SYS_getpid:
    *result = PROCESS_NUMBER;
    return true;
  case SYS_getppid:
    *result = identity_parent();
    return true;
  case SYS_gettid:
    *result = thread_self()->number;
    return true;
  case SYS_kill:
    *result = signal_process((int)a[0], (int)a[1], call->place);
    return true;
  case SYS_tkill:
    *result = signal_thread((int)a[0], (int)a[1], call->place);
    return true;
  case SYS_tgkill:
    if (identity_real((int)a[0]) == 0) refuse_other(call);
    *result = signal_thread((int)a[1], (int)a[2], call->place);
    return true;
  case SYS_wait4:
  case SYS_waitid: /* the program has no children; the system may think otherwise in a replay */
    *result = call->number == SYS_waitid && a[2] != 0 && !unfold_mapped((const void *)a[2], 1)
                  ? -EFAULT
                  : -ECHILD;
    return true;
  case SYS_sched_setaffinity: /* executions stay where they are */
    if ((int)a[0] != 0 && identity_real((int)a[0]) == 0) refuse_other(call);
    *result = 0;
    return true;
  case SYS_rt_sigaction:
    return enter_action(call, result);
  default:
    return false;
  }
}

static void enter(struct numbered_call *call) {
  long *a = call->arguments;
  switch (call->number) {
  case SYS_getpriority:
  case SYS_setpriority:
    enter_priority(call, call->number == SYS_setpriority, PRIO_PROCESS);
    break;
  case SYS_ioprio_get:
  case SYS_ioprio_set:
    enter_priority(call, call->number == SYS_ioprio_set, IOPRIO_WHO_PROCESS);
    break;
  case SYS_prlimit64:
    if (!exchange(&a[0]) && a[2] != 0) refuse_other(call);
    break;
  case SYS_setpgid:
    exchange_or_refuse(call, 0);
    exchange(&a[1]);
    break;
  case SYS_kcmp:
    exchange(&a[1]);
    exchange(&a[0]);
    break;
  case SYS_getpgid:
  case SYS_getsid:
    exchange(&a[0]);
    break;
  case SYS_capget:
  case SYS_capset:
    enter_pointer(call, 0, 2, 1);
    break;
  case SYS_clock_gettime:
  case SYS_clock_getres:
  case SYS_clock_nanosleep:
    enter_clock(call);
    break;
  case SYS_fcntl:
  case SYS_ioctl:
    enter_descriptor(call);
    break;
  case SYS_prctl:
    enter_prctl(call);
    break;
  default:
    break;
  }
}

void numbers_refuse(long number, uint64_t place) {
  const long count = sizeof table / sizeof *table;
  if (number >= 0 && number < count && table[number].rule == LIBC)
    refuse(table[number].name, place);
}

bool numbers_enter(struct numbered_call *call, long *result) {
  const long count = sizeof table / sizeof *table;
  if (call->number == SYS_futex) return futex_enter(call->arguments, call->place, result);
  if (call->number < 0 || call->number >= count) return false;
  const struct numbered *row = &table[call->number];
  if (touches_watched()) touches_note(call);
  switch (row->rule) {
  case NONE:
  case MASK:
    return false;
  case ASKS:
    exchange(&call->arguments[row->argument]);
    return false;
  case CHANGES:
    exchange_or_refuse(call, row->argument);
    return false;
  case REFUSED:
  case LIBC:
    refuse(row->name, call->place);
  case MESSAGE:
    credentials_enter(call);
    return false;
  case PATH:
    proc_enter(call);
    return false;
  default:
    if (answer(call, result)) return true;
    enter(call);
    return false;
  }
}

/* A number that the system wrote to the program's memory. */
static void show_at(uint64_t address) {
  int *number = (int *)(uintptr_t)address;
  *number = *number < 0 ? -identity_shown(-*number) : identity_shown(*number);
}

static long leave_descriptor(const struct numbered_call *call, long result) {
  uint64_t pointer = (uint64_t)call->arguments[2];
  switch (call->arguments[1]) {
  case F_GETOWN:
    return identity_shown((int)result);
  case F_GETOWN_EX:
    show_at(pointer + sizeof(int));
    break;
  case FIOGETOWN:
  case SIOCGPGRP:
  case TIOCGPGRP:
  case TIOCGSID:
    show_at(pointer);
    break;
  default:
    break;
  }
  return result;
}

long numbers_leave(const struct numbered_call *call, long result) {
  const long *a = call->arguments;
  if (result < 0) return result;
  switch (call->number) {
  case SYS_getpgid:
  case SYS_getpgrp:
  case SYS_getsid:
  case SYS_setsid:
    return identity_shown((int)result);
  case SYS_set_tid_address:
    return thread_self()->number;
  case SYS_fcntl:
  case SYS_ioctl:
    return leave_descriptor(call, result);
  case SYS_getsockopt:
    if (a[1] == SOL_SOCKET && a[2] == SO_PEERCRED) show_at((uint64_t)a[3]);
    return result;
  case SYS_recvmsg:
    credentials_leave(call);
    return result;
  case SYS_readlink:
  case SYS_readlinkat:
  case SYS_open:
  case SYS_openat:
  case SYS_openat2:
    return proc_leave(call, result);
  default:
    return result;
  }
}
