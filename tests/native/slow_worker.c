/* A library that a program is linked with: what the process that explores asks of the C library
 * takes as long as a test needs. Built for one test, RENAMES or FORKS. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static void *behind(const char *name) {
  return dlsym(RTLD_NEXT, name);
}

#ifdef RENAMES
static double used(void) {
  struct rusage usage;
  int (*ask)(int, struct rusage *);
  void *function = behind("getrusage"); /* ours would give the program's own time */
  memcpy(&ask, &function, sizeof ask);
  ask(RUSAGE_SELF, &usage);
  return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
         1e-6 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

static void compute(double seconds) {
  const double begin = used();
  while (used() - begin < seconds)
    continue;
}

/* What the program does first. */
void be_slow(void);
void be_slow(void) {
  compute(1.5);
}

/* A schedule is written for longer than may be taken after an execution of no time. (A save state
 * may take longer anyway.) */
int rename(const char *from, const char *to) {
  int (*next)(const char *, const char *);
  void *function = behind("rename");
  memcpy(&next, &function, sizeof next);
  if (strstr(to, ".unfs") != NULL) compute(3.5);
  return next(from, to);
}
#endif

#ifdef FORKS
static pid_t launcher;

__attribute__((constructor)) static void find_launcher(void) {
  launcher = getppid();
}

/* Whether the launcher was sent an interrupt that it has not taken yet. */
static int pending(void) {
  char path[64], line[128];
  unsigned long long set, all = 0;
  snprintf(path, sizeof path, "/proc/%d/status", (int)launcher);
  FILE *file = fopen(path, "r");
  while (file != NULL && fgets(line, sizeof line, file) != NULL)
    if (sscanf(line, "SigPnd: %llx", &set) == 1 || sscanf(line, "ShdPnd: %llx", &set) == 1)
      all |= set;
  if (file != NULL) fclose(file);
  return (all >> (SIGINT - 1) & 1) != 0;
}

/* An execution is there, the one that the test names, and the launcher is interrupted before it can
 * know that. */
pid_t fork(void) {
  static int count;
  const char *interrupted = getenv("INTERRUPTED_FORK");
  pid_t (*next)(void);
  void *function = behind("fork");
  memcpy(&next, &function, sizeof next);
  const pid_t child = next();
  if (child <= 0 || interrupted == NULL || ++count != atoi(interrupted)) return child;
  kill(launcher, SIGINT);
  while (pending())
    usleep(1000);
  usleep(300000);
  return child;
}
#endif
