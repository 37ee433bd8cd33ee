/* What an execution leaves behind, chosen by the first argument: each case looks whether it finds
 * everything as it was in front of main, changes it, and has two threads in either order. */
#define _GNU_SOURCE
#include <assert.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

enum { LARGE = 4 << 20, PAGE = 4096 };

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static char large[LARGE], small[100], buffer[3][PAGE];
static int order, handled;
static char *early; /* from before main */
static _Thread_local int own = 5;

static __attribute__((constructor)) void before_main(void) {
  early = malloc(LARGE);
  memset(early, 7, LARGE);
  if (getenv("WRITABLE_CODE") != NULL)
    mmap(NULL, PAGE, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (getenv("MUCH_MEMORY") != NULL)
    mmap(NULL, (size_t)1 << 40, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
         -1, 0);
}

/* The number of the thread among those that came here. */
static int enter(void) {
  pthread_mutex_lock(&m);
  int mine = order++;
  pthread_mutex_unlock(&m);
  return mine;
}

static int both(void *(*body)(void *)) {
  pthread_t t;
  if (pthread_create(&t, NULL, body, NULL) != 0) return 1;
  body(NULL);
  return pthread_join(t, NULL);
}

static void *visit(void *unused) {
  assert(own == 5 && errno == 0);
  own++;
  errno = 7;
  return enter() == 0 ? unused : NULL;
}

static int data(void) {
  assert(own == 5 && small[0] == 0 && getenv("RESTORED") == NULL);
  for (int i = 0; i < LARGE; i += 10 * PAGE) {
    assert(large[i] == 0 && early[i] == 7);
    large[i] = early[i] = (char)(i / PAGE + 1);
  }
  memset(small, 1, sizeof small);
  setenv("RESTORED", "1", 1);
  both(visit);
  errno = 0;
  assert(own == 6 && strcmp(getenv("RESTORED"), "1") == 0);
  free(early);
  return 0;
}

static void *allocate(void *unused) {
  void *first = malloc(100), *second = calloc(3, 1000), *third = memalign(PAGE, 10);
  void *big = malloc(3 << 20), *fourth;
  assert(((uintptr_t)third & (PAGE - 1)) == 0 && malloc_usable_size(third) >= 10);
  assert(posix_memalign(&fourth, 256, 256) == 0 && ((uintptr_t)fourth & 255) == 0);
  for (int i = 0; i < 3000; i++)
    assert(((char *)second)[i] == 0);
  memset(second, 1, 3000);
  memset(big, 1, 3 << 20);
  free(first);
  void *again = malloc(97);
  assert(again == first);
  second = realloc(second, 5000);
  assert(((char *)second)[2999] == 1);
  second = reallocarray(second, 1, 10);
  free(third);
  enter();
  printf("%p %p %p %p %p\n", first, second, third, fourth, big);
  volatile size_t most = (size_t)-1;
  assert(malloc(most) == NULL && errno == ENOMEM && reallocarray(NULL, most, 3) == NULL);
  assert(aligned_alloc(64, 64) != NULL && valloc(1) != NULL && pvalloc(1) != NULL);
  return unused;
}

/* A block may be freed by another thread than the one that took it. */
static void *exchange(void *block) {
  static void *shared;
  pthread_mutex_lock(&m);
  block = shared;
  shared = malloc(50);
  pthread_mutex_unlock(&m);
  free(block);
  return malloc(50);
}

static void *open_files(void *unused) {
  int mine = enter();
  int ends[2];
  FILE *file = fopen("/etc/passwd", "r");
  assert(file != NULL && fileno(file) < 20 && pipe(ends) == 0);
  assert(fgetc(file) == 'r' && fgetc(file) != EOF);
  char *map = mmap(NULL, LARGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  assert(map != MAP_FAILED && map[PAGE] == 0);
  memset(map, 1, LARGE);
  assert(mprotect(map, PAGE, PROT_READ) == 0 && munmap(map + PAGE, PAGE) == 0);
  const char *text = mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE, fileno(file), 0);
  assert(text != MAP_FAILED && text[0] == 'r');
  void *library = dlopen("libm.so.6", RTLD_NOW);
  double (*root)(double) = library == NULL ? NULL : (double (*)(double))dlsym(library, "sqrt");
  assert(root != NULL && root(16) == 4);
  return mine == 0 ? unused : NULL;
}

static int files(void) {
  char line[100];
  assert(getcwd(line, sizeof line) != NULL && strcmp(line, "/") != 0);
  assert(chdir("/") == 0 && umask(0) != 0);
  assert(fgets(line, sizeof line, stdin) != NULL && strcmp(line, "first line\n") == 0);
  return both(open_files);
}

/* The system writes into memory that the program has not touched yet. */
static int filled(void) {
  static struct stat status;
  struct iovec parts[2] = {{buffer[1], 10}, {buffer[2], 10}};
  int file = open("/etc/passwd", O_RDONLY);
  assert(buffer[0][0] == 0 && buffer[1][0] == 0 && buffer[2][0] == 0 && status.st_size == 0);
  assert(read(file, buffer[0], 100) == 100 && readv(file, parts, 2) == 20);
  assert(buffer[0][0] == 'r' && buffer[2][9] != 0 && fstat(file, &status) == 0);
  assert(status.st_size > 0 && close(file) == 0);
  return both(visit);
}

static void handler(int number) {
  handled += number;
}

static int signals(void) {
  struct sigaction before;
  sigset_t set;
  assert(handled == 0 && sigaction(SIGUSR1, NULL, &before) == 0 && before.sa_handler == SIG_DFL);
  assert(pthread_sigmask(SIG_BLOCK, NULL, &set) == 0 && sigismember(&set, SIGUSR2) == 0);
  signal(SIGUSR1, handler);
  assert(raise(SIGUSR1) == 0 && handled == SIGUSR1);
  sigaddset(&set, SIGUSR2);
  assert(sigprocmask(SIG_BLOCK, &set, NULL) == 0 && sigprocmask(SIG_BLOCK, NULL, &set) == 0);
  assert(sigismember(&set, SIGUSR2) == 1);
  return both(visit);
}

static void handler_that_ends(int number) {
  if (number == SIGFPE) pthread_exit(NULL);
}

static void *divides(void *unused) {
  enter();
  raise(SIGFPE);
  return unused;
}

static int ends_in_handler(void) {
  pthread_t t;
  signal(SIGFPE, handler_that_ends);
  pthread_create(&t, NULL, divides, NULL);
  enter();
  return pthread_join(t, NULL);
}

static void say_bye(void) {
  puts("bye");
}

static int output(void) {
  atexit(say_bye);
  printf("no line yet, ");
  fprintf(stderr, "an error\n");
  return both(visit);
}

static int closes(void) {
  char line[20];
  assert(fgets(line, sizeof line, stdin) != NULL && strcmp(line, "first line\n") == 0);
  assert(close(1000) == -1 && close(STDERR_FILENO) == 0);
  assert(close(STDIN_FILENO) == 0 && close(STDIN_FILENO) == -1 && errno == EBADF);
  errno = 0;
  return both(visit);
}

static int replaces(void) {
  int file = open("/dev/null", O_WRONLY), first = dup(STDOUT_FILENO);
  assert(first == file + 1 && fcntl(STDOUT_FILENO, F_GETFD) == 0);
  puts("before");
  fflush(stdout);
  assert(fcntl(STDOUT_FILENO, F_SETFD, FD_CLOEXEC) == 0);
  assert(dup2(file, STDOUT_FILENO) == STDOUT_FILENO);
  return both(visit);
}

static void *fails(void *unused) {
  if (enter() == 1) *(volatile int *)(uintptr_t)8 = 1;
  return unused;
}

static void own_handler(int number) {
  _exit(number == SIGSEGV ? 3 : 4);
}

static int catches(void) {
  signal(SIGSEGV, own_handler);
  return both(fails);
}

/* From here on: what memory alone does not undo. */

/* A child's end is no signal to the program. */
static int grows_and_waits(void) {
  signal(SIGCHLD, handler);
  assert(sbrk(PAGE) != (void *)-1);
  both(visit);
  return handled;
}

static int grows(void) {
  assert(sbrk(PAGE) != (void *)-1);
  return both(visit);
}

static int limits(void) {
  struct rlimit limit;
  assert(getrlimit(RLIMIT_CORE, &limit) == 0 && limit.rlim_cur != 1);
  limit.rlim_cur = 1;
  if (limit.rlim_max >= 1) setrlimit(RLIMIT_CORE, &limit);
  return both(visit);
}

static int protects(void) {
  assert(large[0] == 0);
  large[0] = 1;
  uintptr_t page = ((uintptr_t)large + PAGE - 1) / PAGE * PAGE;
  assert(mprotect((void *)page, PAGE, PROT_READ) == 0);
  return both(visit);
}

/* Apart in one of two orders. */
static void *sometimes(void *unused) {
  if (enter() == 1 && unused == NULL) sbrk(16);
  return unused;
}

static int one_order(void) {
  pthread_t t;
  pthread_create(&t, NULL, sometimes, NULL);
  sometimes(&t);
  return pthread_join(t, NULL);
}

static int crashes(void) {
  memset(large, 1, LARGE);
  return both(fails);
}

/* Writes all over what it can find, then fails. */
static void *wrecks(void *unused) {
  if (enter() == 1) {
    memset(stdout, 0xff, 64);
    memset(early, 0xff, LARGE);
    abort();
  }
  return unused;
}

static int raw_end(void) {
  __asm__ volatile("syscall" : : "a"(SYS_exit_group), "D"(5) : "rcx", "r11", "memory");
  return 0;
}

static int heap(void) {
  return both(allocate);
}

static int handed_on(void) {
  return both(exchange);
}

static int wreckage(void) {
  return both(wrecks);
}

static const struct {
  const char *name;
  int (*run)(void);
} cases[] = {
    {"data", data},
    {"heap", heap},
    {"handed-on", handed_on},
    {"files", files},
    {"filled", filled},
    {"signals", signals},
    {"ends-in-handler", ends_in_handler},
    {"output", output},
    {"grows", grows},
    {"grows-and-waits", grows_and_waits},
    {"closes", closes},
    {"replaces", replaces},
    {"limits", limits},
    {"protects", protects},
    {"catches", catches},
    {"crashes", crashes},
    {"wrecks", wreckage},
    {"one-order", one_order},
    {"raw-end", raw_end},
};

/* Becomes another program, for which the system does as one that has no such thing. */
static int without_dispatch(char **argv) {
  struct sock_filter steps[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_prctl, 0, 3),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[0])),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, PR_SET_SYSCALL_USER_DISPATCH, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EINVAL),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  struct sock_fprog filter = {sizeof steps / sizeof *steps, steps};
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) != 0) return 9;
  execv(argv[0], argv);
  return 9;
}

int main(int argc, char **argv) {
  if (argc > 2 && strcmp(argv[1], "without-dispatch") == 0) return without_dispatch(argv + 2);
  if (argc != 2) return 9;
  errno = 0;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    if (strcmp(cases[i].name, argv[1]) == 0) return cases[i].run();
  return 9;
}
