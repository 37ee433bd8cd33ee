/* Cases about numbers of processes and threads: numbers own METHOD calls everything on the program
 * itself, numbers other METHOD CALL NUMBER calls one thing on another process. METHOD is libc,
 * syscall or inline: how the system is called. */
#define _GNU_SOURCE
#include "cases.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/kcmp.h>
#include <linux/perf_event.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
  X32 = 1 << 30,
  LOWEST = 1 << 22,
  HIGHEST = 1 << 30,
  MANY = 64,
  ONE_PROCESS = 1,
  NOBODY = -777777
};

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, many[MANY];
static bool inlined;

static long call(long number, long x, long y, long z, long u, long v) {
  if (!inlined) return syscall(number, x, y, z, u, v, 0);
  long result;
  register long r10 __asm__("r10") = u;
  register long r8 __asm__("r8") = v;
  register long r9 __asm__("r9") = 0;
  __asm__ volatile("syscall"
                   : "=a"(result)
                   : "a"(number), "D"(x), "S"(y), "d"(z), "r"(r10), "r"(r8), "r"(r9)
                   : "rcx", "r11", "memory");
  if (result < 0) errno = (int)-result;
  return result < 0 ? -1 : result;
}

static void visit(pthread_mutex_t *m) {
  pthread_mutex_lock(m);
  pthread_mutex_unlock(m);
}

static void *visit_a(void *unused) {
  visit(&a);
  return unused;
}

static _Thread_local volatile int handled;

static void count(int number) {
  handled += number == SIGUSR1;
}

/* Signals of a thread to itself arrive at once. */
static void signals(long process, long thread) {
  sigset_t everything, before;
  signal(SIGUSR1, count);
  signal(SIGSYS, count);
  handled = 0;
  assert(call(SYS_tgkill, process, thread, SIGUSR1, 0, 0) == 0 && handled == 1);
  assert(call(SYS_tkill, thread, SIGUSR1, 0, 0, 0) == 0 && handled == 2);
  assert(raise(SIGUSR1) == 0 && tgkill((int)process, (int)thread, SIGUSR1) == 0 && handled == 4);
  sigfillset(&everything);
  pthread_sigmask(SIG_SETMASK, &everything, &before);
  assert(call(SYS_getpid, 0, 0, 0, 0, 0) == process);
  const uint64_t all = UINT64_MAX;
  assert(call(SYS_rt_sigprocmask, SIG_SETMASK, (long)&all, 0, sizeof all, 0) == 0);
  assert(call(SYS_getpid, 0, 0, 0, 0, 0) == process);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  assert(call(SYS_kill, process, 0, 0, 0, 0) == 0 && kill((int)process, 0) == 0);
  if (process == thread) assert(call(SYS_kill, process, SIGUSR1, 0, 0, 0) == 0 && handled == 5);
}

static void priorities(long process, long thread) {
  struct sched_param none = {0};
  struct timespec length;
  struct rlimit limit[2];
  assert(call(SYS_setpriority, PRIO_PROCESS, thread, 3, 0, 0) == 0);
  assert(getpriority(PRIO_PROCESS, 0) == 3 && getpriority(PRIO_PROCESS, (id_t)thread) == 3);
  assert(call(SYS_getpriority, PRIO_PROCESS, thread, 0, 0, 0) == 20 - 3);
  assert(call(SYS_sched_setscheduler, thread, SCHED_BATCH, (long)&none, 0, 0) == 0);
  assert(call(SYS_sched_getscheduler, thread, 0, 0, 0, 0) == SCHED_BATCH);
  assert(sched_getscheduler((int)thread) == SCHED_BATCH && sched_getscheduler(0) == SCHED_BATCH);
  assert(call(SYS_sched_setparam, thread, (long)&none, 0, 0, 0) == 0);
  assert(call(SYS_sched_getparam, thread, (long)&none, 0, 0, 0) == 0);
  assert(call(SYS_sched_rr_get_interval, thread, (long)&length, 0, 0, 0) == 0);
  assert(call(SYS_ioprio_set, ONE_PROCESS, thread, 2 << 13 | 6, 0, 0) == 0);
  assert(call(SYS_ioprio_get, ONE_PROCESS, thread, 0, 0, 0) == (2 << 13 | 6));
  assert(call(SYS_prlimit64, process, RLIMIT_NOFILE, 0, (long)&limit[0], 0) == 0);
  limit[0].rlim_cur = 100;
  assert(call(SYS_prlimit64, process, RLIMIT_NOFILE, (long)&limit[0], 0, 0) == 0);
  assert(prlimit((int)process, RLIMIT_NOFILE, NULL, &limit[1]) == 0 && limit[1].rlim_cur == 100);
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(0, &set);
  assert(call(SYS_sched_getaffinity, thread, sizeof set, (long)&set, 0, 0) > 0);
  assert(call(SYS_sched_setaffinity, thread, sizeof set, (long)&set, 0, 0) == 0);
}

static void memory(long process, long thread) {
  int from = 17, to = 0, file;
  struct iovec here = {&to, sizeof to}, there = {&from, sizeof from};
  long head = 0, size = 0;
  assert(call(SYS_process_vm_readv, process, (long)&here, 1, (long)&there, 1) == sizeof to);
  assert(to == 17);
  assert(call(SYS_get_robust_list, thread, (long)&head, (long)&size, 0, 0) == 0 && size > 0);
  assert(call(SYS_kcmp, process, process, KCMP_VM, 0, 0) == 0 || errno == ENOSYS);
  file = (int)call(SYS_pidfd_open, process, 0, 0, 0, 0);
  assert(file >= 0 && close(file) == 0);
  struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, (int)process};
  struct __user_cap_data_struct data[2];
  assert(call(SYS_capget, (long)&header, (long)data, 0, 0, 0) == 0);
  assert(prctl(PR_SET_PTRACER, process) == 0 || errno == EINVAL);
}

static void groups(long process) {
  int status;
  assert(call(SYS_getpgid, process, 0, 0, 0, 0) == getpgrp() && getpgid(0) == getpgrp());
  assert(call(SYS_getsid, process, 0, 0, 0, 0) == getsid(0));
  errno = 0;
  assert(call(SYS_wait4, process, (long)&status, 0, 0, 0) == -1 && errno == ECHILD);
  assert(waitpid(-1, &status, WNOHANG) == -1 && waitid(P_ALL, 0, NULL, WEXITED) == -1);
}

/* Says who it comes from, and is told so. */
static void messages(const int *ends, long process) {
  const int yes = 1;
  char byte = 0;
  _Alignas(struct cmsghdr) char control[CMSG_SPACE(sizeof(struct ucred))] = "";
  struct iovec content = {&byte, 1};
  struct msghdr message = {.msg_iov = &content, .msg_iovlen = 1};
  struct ucred sender = {(int)process, getuid(), getgid()};
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  struct cmsghdr *part = CMSG_FIRSTHDR(&message);
  part->cmsg_level = SOL_SOCKET;
  part->cmsg_type = SCM_CREDENTIALS;
  part->cmsg_len = CMSG_LEN(sizeof sender);
  memcpy(CMSG_DATA(part), &sender, sizeof sender);
  assert(setsockopt(ends[1], SOL_SOCKET, SO_PASSCRED, &yes, sizeof yes) == 0);
  assert(call(SYS_sendmsg, ends[0], (long)&message, 0, 0, 0) == 1);
  assert(memcmp(CMSG_DATA(part), &sender, sizeof sender) == 0);
  memset(control, 0, sizeof control);
  assert(call(SYS_recvmsg, ends[1], (long)&message, 0, 0, 0) == 1);
  part = CMSG_FIRSTHDR(&message);
  assert(part != NULL && part->cmsg_type == SCM_CREDENTIALS);
  assert(memcmp(CMSG_DATA(part), &sender, sizeof sender) == 0);
}

static void owners(long process) {
  int ends[2], owner = (int)process;
  struct f_owner_ex extended = {F_OWNER_PID, (int)process};
  struct ucred peer;
  socklen_t size = sizeof peer;
  assert(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
  assert(call(SYS_fcntl, ends[0], F_SETOWN, process, 0, 0) == 0);
  assert(call(SYS_fcntl, ends[0], F_GETOWN, 0, 0, 0) == process);
  assert(call(SYS_fcntl, ends[0], F_SETOWN_EX, (long)&extended, 0, 0) == 0);
  extended.pid = 0;
  assert(call(SYS_fcntl, ends[0], F_GETOWN_EX, (long)&extended, 0, 0) == 0);
  assert(extended.pid == process);
  assert(ioctl(ends[0], FIOSETOWN, &owner) == 0 && ioctl(ends[0], FIOGETOWN, &owner) == 0);
  assert(owner == process);
  assert(getsockopt(ends[0], SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 && peer.pid == process);
  messages(ends, process);
  assert(close(ends[0]) == 0 && close(ends[1]) == 0);
}

static void links(long process, long thread) {
  char text[PATH_MAX], wanted[PATH_MAX];
  snprintf(wanted, sizeof wanted, "%ld", process);
  ssize_t length = readlink("/proc/self", text, sizeof text);
  assert(length == (ssize_t)strlen(wanted) && memcmp(text, wanted, (size_t)length) == 0);
  snprintf(wanted, sizeof wanted, "%ld/task/%ld", process, thread);
  length = call(SYS_readlink, (long)"/proc/thread-self", (long)text, sizeof text, 0, 0);
  assert(length == (ssize_t)strlen(wanted) && memcmp(text, wanted, (size_t)length) == 0);
  snprintf(wanted, sizeof wanted, "/proc/%ld/status", process);
  assert(realpath("/proc/self/status", text) != NULL && strcmp(text, wanted) == 0);
}

static void paths(long process, long thread) {
  char path[PATH_MAX];
  struct stat self, here;
  snprintf(path, sizeof path, "//proc//%ld/stat", process);
  int file = (int)call(SYS_open, (long)path, O_RDONLY, 0, 0, 0);
  assert(file >= 0 && close(file) == 0 && access(path, R_OK) == 0);
  snprintf(path, sizeof path, "/proc/%ld", process);
  assert(stat("/proc/self", &self) == 0 && stat(path, &here) == 0 && self.st_ino == here.st_ino);
  snprintf(path, sizeof path, "/proc/%ld/task/%ld/comm", process, thread);
  assert(access(path, R_OK) == 0);
  snprintf(path, sizeof path, "/proc/self/task/%ld/comm", thread);
  file = open(path, O_WRONLY);
  assert(file >= 0 && write(file, "named", 5) == 5 && close(file) == 0);
  int folder = open("/proc", O_RDONLY | O_DIRECTORY);
  snprintf(path, sizeof path, "%ld/stat", process);
  file = openat(folder, path, O_RDONLY);
  assert(file >= 0 && close(file) == 0 && close(folder) == 0);
  errno = 0;
  assert(call(SYS_open, 1, O_RDONLY, 0, 0, 0) == -1 && errno == EFAULT);
}

/* What a file says behind a label, or at its beginning. */
static long number_in(const char *path, const char *label) {
  char text[PATH_MAX * 2];
  FILE *file = fopen(path, "r");
  assert(file != NULL);
  size_t size = fread(text, 1, sizeof text - 1, file);
  text[size] = '\0';
  assert(fclose(file) == 0);
  const char *at = strstr(text, label);
  assert(at != NULL);
  return atol(at + strlen(label));
}

static void contents(long process, long thread) {
  char path[PATH_MAX];
  assert(number_in("/proc/self/stat", "") == process);
  assert(number_in("/proc/self/status", "\nPid:") == process);
  assert(number_in("/proc/self/status", "\nTgid:") == process);
  assert(number_in("/proc/self/status", "\nThreads:") > 0);
  assert(number_in("/proc/thread-self/stat", "") == thread);
  snprintf(path, sizeof path, "/proc/%ld/task/%ld/status", process, thread);
  assert(number_in(path, "\nPid:") == thread && number_in(path, "\nTgid:") == process);
  assert(number_in(path, "\nPPid:") == getppid());
}

static void clocks(long process) {
  clockid_t clock;
  struct timespec now;
  assert(clock_getcpuclockid((int)process, &clock) == 0 && clock_gettime(clock, &now) == 0);
  assert(call(SYS_clock_gettime, clock, (long)&now, 0, 0, 0) == 0);
}

/* Numbers decide what is locked, so that they have to be the same in all executions. */
static void *everything(void *unused) {
  long process = getpid(), thread = gettid();
  assert(process >= LOWEST && process < HIGHEST && thread >= LOWEST && thread < HIGHEST);
  assert(call(SYS_getppid, 0, 0, 0, 0, 0) == getppid() && getppid() < LOWEST);
  assert(call(SYS_getpid, 0, 0, 0, 0, 0) == process && call(SYS_gettid, 0, 0, 0, 0, 0) == thread);
  visit(&a);
  visit(&many[(process + thread) % MANY]);
  signals(process, thread);
  priorities(process, thread);
  memory(process, thread);
  groups(process);
  owners(process);
  links(process, thread);
  paths(process, thread);
  contents(process, thread);
  clocks(process);
  visit(&a);
  return unused;
}

static int own(void) {
  for (int i = 0; i < MANY; i++)
    pthread_mutex_init(&many[i], NULL);
  assert(getpid() == gettid());
  pthread_t t = start(everything);
  everything(NULL);
  pthread_join(t, NULL);
  return 0;
}

static long wrapped(const char *name, int n) {
  struct sched_param none = {0};
  struct rlimit limit = {100, 100};
  cpu_set_t set = {{1}};
  if (strcmp(name, "kill") == 0) return kill(n, SIGTERM);
  if (strcmp(name, "tgkill") == 0) return tgkill(n, n, SIGTERM);
  if (strcmp(name, "setpriority") == 0) return setpriority(PRIO_PROCESS, (id_t)n, 7);
  if (strcmp(name, "sched_setscheduler") == 0) return sched_setscheduler(n, SCHED_BATCH, &none);
  if (strcmp(name, "sched_setparam") == 0) return sched_setparam(n, &none);
  if (strcmp(name, "sched_setaffinity") == 0) return sched_setaffinity(n, sizeof set, &set);
  if (strcmp(name, "prlimit64") == 0) return prlimit(n, RLIMIT_NOFILE, &limit, NULL);
  if (strcmp(name, "ptrace") == 0) return ptrace(PTRACE_ATTACH, n, 0, 0);
  if (strcmp(name, "fcntl") == 0) return fcntl(0, F_SETOWN, n);
  return NOBODY;
}

static int other(const char *name, int n, bool wraps) {
  static struct sched_param none;
  static struct rlimit limit = {100, 100};
  static siginfo_t information = {.si_signo = SIGTERM, .si_code = SI_QUEUE};
  static struct perf_event_attr event = {.size = sizeof event};
  static struct f_owner_ex extended = {F_OWNER_PID, 0};
  static unsigned long set = 1;
  static struct {
    uint32_t size, policy;
    uint64_t flags;
    int32_t nice;
    uint32_t priority;
    uint64_t times[3];
  } attributes = {.size = 48, .nice = 7};
  static int word, owner;
  static char path[64], round_about[64], beyond[64];
  struct iovec vector = {&word, sizeof word};
  const struct {
    const char *name;
    long call, arguments[5];
  } calls[] = {
      {"kill", SYS_kill, {n, SIGTERM}},
      {"kill-group", SYS_kill, {-n, SIGTERM}},
      {"kill-all", SYS_kill, {0, SIGTERM}},
      {"tkill", SYS_tkill, {n, SIGTERM}},
      {"tgkill", SYS_tgkill, {n, n, SIGTERM}},
      {"rt_sigqueueinfo", SYS_rt_sigqueueinfo, {n, SIGTERM, (long)&information}},
      {"rt_tgsigqueueinfo", SYS_rt_tgsigqueueinfo, {n, n, SIGTERM, (long)&information}},
      {"pidfd_open", SYS_pidfd_open, {n}},
      {"pidfd_send_signal", SYS_pidfd_send_signal, {0, SIGTERM}},
      {"pidfd_getfd", SYS_pidfd_getfd, {0, 1}},
      {"process_madvise", SYS_process_madvise, {0, (long)&vector, 1, 20}},
      {"process_mrelease", SYS_process_mrelease, {0}},
      {"setns", SYS_setns, {0, 0x20000000}},
      {"setpriority", SYS_setpriority, {PRIO_PROCESS, n, 7}},
      {"setpriority-group", SYS_setpriority, {PRIO_PGRP, 0, 7}},
      {"ioprio_set", SYS_ioprio_set, {ONE_PROCESS, n, 3 << 13}},
      {"sched_setscheduler", SYS_sched_setscheduler, {n, SCHED_BATCH, (long)&none}},
      {"sched_setparam", SYS_sched_setparam, {n, (long)&none}},
      {"sched_setattr", SYS_sched_setattr, {n, (long)&attributes}},
      {"sched_setaffinity", SYS_sched_setaffinity, {n, sizeof set, (long)&set}},
      {"prlimit64", SYS_prlimit64, {n, RLIMIT_NOFILE, (long)&limit}},
      {"ptrace", SYS_ptrace, {PTRACE_ATTACH, n}},
      {"process_vm_readv", SYS_process_vm_readv, {n, (long)&vector, 1, (long)&vector, 1}},
      {"process_vm_writev", SYS_process_vm_writev, {n, (long)&vector, 1, (long)&vector, 1}},
      {"perf_event_open", SYS_perf_event_open, {(long)&event, n, -1, -1}},
      {"migrate_pages", SYS_migrate_pages, {n, 1, (long)&set, (long)&set}},
      {"move_pages", SYS_move_pages, {n}},
      {"setpgid", SYS_setpgid, {n, 0}},
      {"fcntl", SYS_fcntl, {0, F_SETOWN, n}},
      {"fcntl-extended", SYS_fcntl, {0, F_SETOWN_EX, (long)&extended}},
      {"ioctl", SYS_ioctl, {0, FIOSETOWN, (long)&owner}},
      {"prctl", SYS_prctl, {PR_SET_PTRACER, n}},
      {"mq_notify", SYS_mq_notify, {0, 0}},
      {"timer_create", SYS_timer_create, {0, 0, (long)&word}},
      {"files", SYS_open, {(long)path, O_WRONLY}},
      {"files-round-about", SYS_open, {(long)round_about, O_WRONLY}},
      {"files-by-link", SYS_openat, {AT_FDCWD, (long)beyond, O_RDWR}},
      {"x32", X32 | SYS_kill, {n, SIGTERM}},
      {"clone", SYS_clone, {CLONE_THREAD}},
      {"clone3", SYS_clone3, {0, 0}},
      {"execve", SYS_execve, {0, 0, 0}},
      {"setitimer", SYS_setitimer, {-1, 0, 0}},
      {"io_uring_setup", SYS_io_uring_setup, {0, 0}},
      {"semop", SYS_semop, {-1, 0, 0}},
      {"mq_timedsend", SYS_mq_timedsend, {-1, 0, 0, 0, 0}},
  };
  extended.pid = owner = n;
  snprintf(path, sizeof path, "/proc/%d/oom_score_adj", n);
  snprintf(round_about, sizeof round_about, "/proc/self/../%d/oom_score_adj", n);
  snprintf(beyond, sizeof beyond, "folder-%d/%d/oom_score_adj", n, n);
  if (wraps) return wrapped(name, n) == NOBODY ? 9 : 8;
  for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
    if (strcmp(name, "list") == 0) puts(calls[i].name);
    if (strcmp(name, calls[i].name) != 0) continue;
    const long *v = calls[i].arguments;
    call(calls[i].call, v[0], v[1], v[2], v[3], v[4]);
    return 8;
  }
  return 0;
}

/* The number alone. */
static int own_number(void) {
  assert(getpid() >= LOWEST && call(SYS_getpid, 0, 0, 0, 0, 0) == getpid());
  assert(call(SYS_getpgid, getpid(), 0, 0, 0, 0) == getpgrp());
  pthread_t t = start(visit_a);
  visit(&a);
  pthread_join(t, NULL);
  return 0;
}

/* Its file is the first thing that the program asks for. */
static int own_file(void) {
  char path[64];
  pthread_t t = start(visit_a);
  snprintf(path, sizeof path, "/proc/%d/status", getpid());
  assert(number_in(path, "\nPid:") == getpid());
  visit(&a);
  pthread_join(t, NULL);
  return 0;
}

/* Becomes the program of the arguments on a system without filters of system calls. */
static int without_filter(char **argv) {
  struct sock_filter steps[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_seccomp, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  struct sock_fprog filter = {sizeof steps / sizeof *steps, steps};
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) != 0) return 9;
  execv(argv[0], argv);
  return 9;
}

int main(int argc, char **argv) {
  if (argc < 3) return 9;
  if (strcmp(argv[1], "without-filter") == 0) return without_filter(argv + 2);
  inlined = strcmp(argv[2], "inline") == 0;
  if (strcmp(argv[1], "own") == 0) return own();
  if (strcmp(argv[1], "own-number") == 0) return own_number();
  if (strcmp(argv[1], "own-file") == 0) return own_file();
  return argc == 5 ? other(argv[3], atoi(argv[4]), strcmp(argv[2], "libc") == 0) : 9;
}
