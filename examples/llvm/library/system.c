/*
 * The process and its signals. A signal that the process gets is taken by its sender, if that does
 * not block it, else by whoever waits for it: sigsuspend, sigwait, or a thread that stops to block
 * it. A signal never interrupts another thread.
 */
#define _GNU_SOURCE
#include "descriptors.h"
#include "gates.h"

#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

enum { PROCESS = 4242, SIGNALS = 65, PAGE = 4096 };

static struct sigaction actions[SIGNALS];
static uint64_t pending;
static struct gate arrived = {.state = GATE_EMPTY}; /* readable: some are pending */

/* ---- sets ---- */

static uint64_t bit(int number) {
  return UINT64_C(1) << (number - 1);
}

static bool is_signal(int number) {
  return number > 0 && number < SIGNALS;
}

static uint64_t bits_of(const sigset_t *set) {
  uint64_t bits;
  memcpy(&bits, set, sizeof bits);
  return bits;
}

static void set_bits(sigset_t *set, uint64_t bits) {
  memset(set, 0, sizeof *set);
  memcpy(set, &bits, sizeof bits);
}

int sigemptyset(sigset_t *set) {
  set_bits(set, 0);
  return 0;
}
int sigfillset(sigset_t *set) {
  set_bits(set, UINT64_MAX);
  return 0;
}
int sigaddset(sigset_t *set, int number) {
  if (!is_signal(number)) return __env_fail(EINVAL);
  set_bits(set, bits_of(set) | bit(number));
  return 0;
}
int sigdelset(sigset_t *set, int number) {
  if (!is_signal(number)) return __env_fail(EINVAL);
  set_bits(set, bits_of(set) & ~bit(number));
  return 0;
}
int sigismember(const sigset_t *set, int number) {
  if (!is_signal(number)) return __env_fail(EINVAL);
  return (bits_of(set) & bit(number)) != 0;
}

/* ---- actions ---- */

int sigaction(int number, const struct sigaction *action, struct sigaction *old) {
  if (!is_signal(number) || number == SIGKILL || number == SIGSTOP) return __env_fail(EINVAL);
  const bool shared = !__unfold_alone();
  if (shared) __unfold_lock(&actions[number]);
  if (old != NULL) *old = actions[number];
  if (action != NULL) actions[number] = *action;
  if (shared) __unfold_unlock(&actions[number]);
  return 0;
}

sighandler_t signal(int number, sighandler_t handler) {
  struct sigaction action = {.sa_handler = handler}, old;
  return sigaction(number, &action, &old) == 0 ? old.sa_handler : SIG_ERR;
}
sighandler_t __sysv_signal(int number, sighandler_t handler) {
  return signal(number, handler);
}
int siginterrupt(int number, int flag) {
  (void)flag;
  return is_signal(number) ? 0 : __env_fail(EINVAL);
}

static bool ignored_at_first(int number) {
  return number == SIGCHLD || number == SIGURG || number == SIGWINCH || number == SIGCONT;
}

#define NAMED(number) [number] = #number
static const char *const deadly[SIGNALS] = {
    NAMED(SIGHUP),  NAMED(SIGINT),    NAMED(SIGQUIT),   NAMED(SIGILL),  NAMED(SIGTRAP),
    NAMED(SIGABRT), NAMED(SIGBUS),    NAMED(SIGFPE),    NAMED(SIGKILL), NAMED(SIGUSR1),
    NAMED(SIGSEGV), NAMED(SIGUSR2),   NAMED(SIGPIPE),   NAMED(SIGALRM), NAMED(SIGTERM),
    NAMED(SIGXCPU), NAMED(SIGVTALRM), NAMED(SIGXFSZ),   NAMED(SIGPROF), NAMED(SIGIO),
    NAMED(SIGPWR),  NAMED(SIGSYS),    NAMED(SIGSTKFLT),
};

/* Does what is to be done with a signal, in the thread that takes it. */
static void take(int number) {
  struct sigaction action;
  sigaction(number, NULL, &action);
  if (action.sa_handler == SIG_IGN) return;
  if (action.sa_handler == SIG_DFL) {
    if (ignored_at_first(number)) return;
    if (deadly[number] != NULL) __unfold_killed(deadly[number]);
    __unfold_unsupported("a signal that stops the process, or one without a name");
  }
  const uint64_t old = (uint64_t)__unfold_signal_mask(0, 0);
  __unfold_signal_mask(1, (int64_t)(old | bits_of(&action.sa_mask) | bit(number)));
  if ((action.sa_flags & SA_SIGINFO) != 0) {
    siginfo_t info = {.si_signo = number};
    action.sa_sigaction(number, &info, NULL);
  } else {
    action.sa_handler(number);
  }
  __unfold_signal_mask(1, (int64_t)old);
}

/* Takes one out of those that are pending; inside the gate. 0: none of these is. */
static int take_out(uint64_t wanted) {
  int number = 1;
  const uint64_t some = pending & wanted;
  if (some == 0) return 0;
  while ((some & bit(number)) == 0)
    number++;
  pending &= ~bit(number);
  return number;
}

static void leave(void) {
  arrived.readable = pending != 0;
  __env_leave(&arrived);
}

static int take_now(uint64_t wanted) {
  __env_enter(&arrived);
  const int number = take_out(wanted);
  leave();
  return number;
}

/* Waits for one of these. Others that are pending meanwhile, and that nobody takes, make it go
 * round. */
static int wait_for(uint64_t wanted) {
  for (;;) {
    __env_await(&arrived);
    const int number = take_out(wanted);
    const bool others = number == 0;
    leave();
    if (number != 0) return number;
    if (others) __unfold_unsupported("waiting for a signal while others are pending");
  }
}

static int send(int number) {
  if (number == 0) return 0;
  if (!is_signal(number)) return __env_fail(EINVAL);
  struct sigaction action;
  sigaction(number, NULL, &action);
  if (action.sa_handler == SIG_IGN) return 0;
  if (((uint64_t)__unfold_signal_mask(0, 0) & bit(number)) == 0) {
    take(number);
    return 0;
  }
  __env_enter(&arrived);
  pending |= bit(number);
  leave();
  return 0;
}

int __env_broken(bool signals) {
  if (signals) send(SIGPIPE);
  return __env_fail(EPIPE);
}

int raise(int number) {
  return send(number);
}

int kill(pid_t process, int number) {
  if (process != PROCESS && process != 0) return __env_fail(ESRCH);
  return send(number);
}

/* ---- masks ---- */

int pthread_sigmask(int how, const sigset_t *set, sigset_t *old) {
  const uint64_t mask = (uint64_t)__unfold_signal_mask(0, 0);
  if (old != NULL) set_bits(old, mask);
  if (set == NULL) return 0;
  const uint64_t bits = bits_of(set);
  const uint64_t fresh = how == SIG_BLOCK ? mask | bits : how == SIG_UNBLOCK ? mask & ~bits : bits;
  __unfold_signal_mask(1, (int64_t)(fresh & ~(bit(SIGKILL) | bit(SIGSTOP))));
  if ((mask & ~fresh) == 0) return 0;
  for (int number = take_now(mask & ~fresh); number != 0; number = take_now(mask & ~fresh))
    take(number);
  return 0;
}

int sigprocmask(int how, const sigset_t *set, sigset_t *old) {
  return pthread_sigmask(how, set, old);
}

int sigpending(sigset_t *set) {
  __env_enter(&arrived);
  set_bits(set, pending);
  leave();
  return 0;
}

int sigsuspend(const sigset_t *mask) {
  const uint64_t old = (uint64_t)__unfold_signal_mask(0, 0);
  const int number = wait_for(~bits_of(mask));
  __unfold_signal_mask(1, (int64_t)bits_of(mask));
  take(number);
  __unfold_signal_mask(1, (int64_t)old);
  return __env_fail(EINTR);
}

int sigwait(const sigset_t *set, int *number) {
  *number = wait_for(bits_of(set));
  return 0;
}

int pause(void) {
  sigset_t none;
  set_bits(&none, (uint64_t)__unfold_signal_mask(0, 0));
  return sigsuspend(&none);
}

/* ---- the process ---- */

pid_t getpid(void) {
  return PROCESS;
}
pid_t getppid(void) {
  return 1;
}
uid_t getuid(void) {
  return 1000;
}
uid_t geteuid(void) {
  return 1000;
}
gid_t getgid(void) {
  return 1000;
}
gid_t getegid(void) {
  return 1000;
}
int issetugid(void) {
  return 0;
}

long sysconf(int name) {
  switch (name) {
  case _SC_PAGESIZE:
    return PAGE;
  case _SC_NPROCESSORS_ONLN:
  case _SC_NPROCESSORS_CONF:
    return 2;
  case _SC_OPEN_MAX:
    return FILES_MAX;
  case _SC_CLK_TCK:
    return 100;
  case _SC_PHYS_PAGES:
  case _SC_AVPHYS_PAGES:
    return 1 << 18;
  case _SC_NGROUPS_MAX:
    return 0;
  case _SC_ARG_MAX:
    return 1 << 20;
  case _SC_IOV_MAX:
    return 1024;
  default:
    return -1;
  }
}
long pathconf(const char *path, int name) {
  (void)path;
  (void)name;
  return -1;
}
int getpagesize(void) {
  return PAGE;
}
int get_nprocs(void) {
  return 2;
}

int getrlimit(__rlimit_resource_t resource, struct rlimit *to) {
  const rlim_t most = resource == RLIMIT_NOFILE ? FILES_MAX : RLIM_INFINITY;
  *to = (struct rlimit){most, most};
  return 0;
}
int getrlimit64(__rlimit_resource_t resource, struct rlimit64 *to) {
  return getrlimit(resource, (struct rlimit *)to);
}
int setrlimit(__rlimit_resource_t resource, const struct rlimit *limit) {
  (void)resource;
  (void)limit;
  return 0;
}
int setrlimit64(__rlimit_resource_t resource, const struct rlimit64 *limit) {
  (void)resource;
  (void)limit;
  return 0;
}
int getrusage(int who, struct rusage *to) {
  (void)who;
  memset(to, 0, sizeof *to);
  return 0;
}
int uname(struct utsname *to) {
  memset(to, 0, sizeof *to);
  strcpy(to->sysname, "Linux");
  strcpy(to->nodename, "localhost");
  strcpy(to->release, "6.1.0");
  strcpy(to->machine, "x86_64");
  return 0;
}
int gethostname(char *to, size_t size) {
  strncpy(to, "localhost", size);
  return 0;
}

int sched_getaffinity(pid_t process, size_t size, cpu_set_t *to) {
  (void)process;
  memset(to, 0, size);
  CPU_SET(0, to);
  CPU_SET(1, to);
  return 0;
}

/* There are no users, and whatever is asked of the process is done. */
struct passwd *getpwnam(const char *name) {
  (void)name;
  return NULL;
}
int setuid(uid_t user) {
  (void)user;
  return 0;
}
int setgid(gid_t group) {
  (void)group;
  return 0;
}
