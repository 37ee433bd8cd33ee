/* What is not modelled is never passed through in silence: each of these ends the exploration with
 * the call's name and place. In front of main they are the C library's own. */
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/syscall.h>

#include "accesses.h"
#include "entry.h"
#include "futex.h"
#include "imports.h"
#include "interpose.h"
#include "numbers.h"
#include "real.h"
#include "refuse.h"
#include "trap.h"

#define REFUSED_TABLE(X)                                                                           \
  X(pthread_mutex_setprioceiling)                                                                  \
  X(pthread_mutex_getprioceiling)                                                                  \
  X(sem_open)                                                                                      \
  X(sem_close)                                                                                     \
  X(sem_unlink)                                                                                    \
  X(pthread_cancel)                                                                                \
  X(pthread_sigqueue)                                                                              \
  X(pidfd_send_signal)                                                                             \
  X(timerfd_create)                                                                                \
  X(execveat)                                                                                      \
  X(sigtimedwait)                                                                                  \
  X(pause)                                                                                         \
  X(sigpause)                                                                                      \
  X(sigqueue)                                                                                      \
  X(killpg)                                                                                        \
  X(ualarm)                                                                                        \
  X(setitimer)                                                                                     \
  X(timer_create)                                                                                  \
  X(aio_read)                                                                                      \
  X(aio_read64)                                                                                    \
  X(aio_write)                                                                                     \
  X(aio_write64)                                                                                   \
  X(aio_fsync)                                                                                     \
  X(aio_fsync64)                                                                                   \
  X(lio_listio)                                                                                    \
  X(lio_listio64)                                                                                  \
  X(getaddrinfo_a)                                                                                 \
  X(mq_notify)                                                                                     \
  X(mq_send)                                                                                       \
  X(mq_timedsend)                                                                                  \
  X(mq_receive)                                                                                    \
  X(mq_timedreceive)                                                                               \
  X(semop)                                                                                         \
  X(semtimedop)                                                                                    \
  X(msgsnd)                                                                                        \
  X(msgrcv)                                                                                        \
  X(initstate)                                                                                     \
  X(setstate)                                                                                      \
  X(seed48)                                                                                        \
  X(lcong48)                                                                                       \
  X(_Fork)                                                                                         \
  X(daemon)                                                                                        \
  X(forkpty)                                                                                       \
  X(vfork)                                                                                         \
  X(clone)                                                                                         \
  X(execve)                                                                                        \
  X(execv)                                                                                         \
  X(execvp)                                                                                        \
  X(execvpe)                                                                                       \
  X(execl)                                                                                         \
  X(execlp)                                                                                        \
  X(execle)                                                                                        \
  X(fexecve)                                                                                       \
  X(posix_spawn)                                                                                   \
  X(posix_spawnp)                                                                                  \
  X(system)                                                                                        \
  X(popen)

/* All of them take at most six words, and return at most one. */
#define REFUSED(name)                                                                              \
  INTERPOSE long refused_##name(long, long, long, long, long, long) __asm__(#name);                \
  long refused_##name(long a, long b, long c, long d, long e, long f) {                            \
    if (running) refuse(#name, CALLER);                                                            \
    return ((long (*)(long, long, long, long, long, long))real_function(#name))(a, b, c, d, e, f); \
  }
REFUSED_TABLE(REFUSED)

/* The worker itself forks, outside of executions. */
REFUSED(fork)

/* Those that are given no memory; of the others it is not known here what they access. */
static bool takes_numbers(long number) {
  switch (number) {
  case SYS_futex: /* an operation, or refused */
  case SYS_close:
  case SYS_getcpu:
  case SYS_getegid:
  case SYS_geteuid:
  case SYS_getgid:
  case SYS_getpid:
  case SYS_getppid:
  case SYS_gettid:
  case SYS_getuid:
  case SYS_kill:
  case SYS_membarrier:
  case SYS_sched_yield:
  case SYS_tgkill:
  case SYS_tkill:
    return true;
  default:
    return false;
  }
}

/* Of a system call that was not performed. */
static long result_of(long result) {
  if (result < 0) errno = (int)-result;
  return result < 0 ? -1 : result;
}

INTERPOSE long refused_syscall(long, long, long, long, long, long, long) __asm__("syscall");
long refused_syscall(long number, long a, long b, long c, long d, long e, long f) {
  if (unfold_watching && !takes_numbers(number) && unfold_counts(CALLER))
    unfold_unknown("syscall", CALLER);
  if (running && number == SYS_futex) {
    if (!futex_known()) refuse("syscall(SYS_futex)", CALLER);
    return result_of(futex_call((const long[]){a, b, c, d, e, f}, CALLER));
  }
  if (running) numbers_refuse(number, CALLER);
  if (running && number == SYS_rt_sigprocmask) return result_of(trap_mask(a, b, c));
  struct numbered_call call = {number, {a, b, c, d, e, f}, CALLER, {0}};
  const bool translates = running && !trap_works();
  long result;
  if (translates && numbers_enter(&call, &result)) return result_of(result);
  const long *now = call.arguments;
  result = ((long (*)(long, long, long, long, long, long, long))real_function("syscall"))(
      number, now[0], now[1], now[2], now[3], now[4], now[5]);
  return translates ? numbers_leave(&call, result) : result;
}
