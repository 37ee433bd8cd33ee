/* Two threads that call the C library, each case with one mistake or with none: calls CASE. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <locale.h>
#include <time.h>
#include <unistd.h>
#include <wchar.h>

static char text[64] = "a b c d", copy[64], *line, *block;
static size_t room;
static int numbers[4] = {4, 3, 2, 1}, value;
static long seconds;
static struct tm date;
static struct timespec now;
static unsigned seed;
static wchar_t wide[8];
static pthread_t handle;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct pollfd polled = {.fd = 0, .events = POLLIN};
static struct epoll_event happened;
static struct sigaction action;
static sigset_t pending;
static fd_set set;
static sem_t semaphore;

static void *prints(void *word) {
  snprintf(text, sizeof text, "%s", (const char *)word);
  return NULL;
}

static void *prints_number(void *number) {
  sprintf(text, "%d", *(int *)number);
  return NULL;
}

static void *prints_length(void *unused) {
  char own[8];
  snprintf(own, sizeof own, "ab%nc", &value);
  return unused;
}

static void *says_both(void *unused) {
  printf("%s %.*s\n", copy, 2, text);
  return unused;
}

static void *says(void *word) {
  puts(word);
  return NULL;
}

static void *says_without_lock(void *word) {
  fputs_unlocked(word, stdout);
  return NULL;
}

static void *closes(void *unused) {
  fclose(stdout);
  return unused;
}

static void *copies(void *word) {
  strcpy(text, word);
  return NULL;
}

static void *moves(void *unused) {
  memmove(text + 1, text, 5);
  return unused;
}

static void *takes_apart(void *word) {
  char own[] = "x";
  return strtok(own, word) == own ? NULL : word;
}

static int compare(const void *a, const void *b) {
  return *(const int *)a - *(const int *)b;
}

static void *sorts(void *unused) {
  qsort(numbers, 2, sizeof *numbers, compare);
  return unused;
}

static void *looks_up_time(void *at) {
  const struct tm *t = gmtime(at);
  return t->tm_year == 70 ? NULL : at;
}

static void *looks_up_own_time(void *at) {
  struct tm own;
  return gmtime_r(at, &own) == &own ? NULL : at;
}

static void *writes_date(void *unused) {
  strftime(text, sizeof text, "%Y", &date);
  return unused;
}

static void *sets(void *word) {
  setenv("CALLS", word, 1);
  return NULL;
}

static void *gets(void *name) {
  return getenv(name);
}

static void *reads(void *path) {
  FILE *file = fopen(path, "r");
  const size_t size = fread(text, 1, 8, file);
  fclose(file);
  return size == 8 ? NULL : path;
}

static void *reads_line(void *path) {
  FILE *file = fopen(path, "r");
  if (getline(&line, &room, file) < 0) abort();
  fclose(file);
  return NULL;
}

static void *scans(void *word) {
  sscanf(word, "%d", &value);
  return NULL;
}

/* The header's names may be those of C23. */
int sscanf_of_c99(const char *text, const char *format, ...) __asm__("__isoc99_sscanf");
int sscanf_of_c89(const char *text, const char *format, ...) __asm__("sscanf");
long strtol_of_c99(const char *text, char **end, int base) __asm__("strtol");

static void *scans_by_c99(void *word) {
  sscanf_of_c99(word, "%d", &value);
  return NULL;
}

static void *scans_by_c89(void *word) {
  sscanf_of_c89(word, "%d", &value);
  return NULL;
}

static void *to_number(void *unused) {
  char *end;
  return strtol(text, &end, 10) == 0 ? NULL : unused;
}

static void *to_number_by_c99(void *unused) {
  char *end;
  return strtol_of_c99(text, &end, 10) == 0 ? NULL : unused;
}

static void *writes_out(void *unused) {
  return write(1, text, 4) == 4 ? NULL : unused;
}

static void *writes_parts(void *unused) {
  struct iovec parts[] = {{copy, 2}, {text, 2}};
  return writev(1, parts, 2) == 4 ? NULL : unused;
}

/* The last thing that it does is the call, so that it returns to where it was called itself. */
static void *ends_in_call(void *from) {
  return memcpy(text, from, 4);
}

static void *changes(void *unused) {
  text[0] = '7';
  return unused;
}

static void *grows(void *unused) {
  block = realloc(block, 4096);
  return unused;
}

static void *uses(void *unused) {
  return block[0] == 0 ? NULL : unused;
}

static void *unmaps(void *unused) {
  munmap(block, 4096);
  return unused;
}

static void *asks_time(void *unused) {
  clock_gettime(CLOCK_MONOTONIC, &now);
  return unused;
}

static void *draws(void *unused) {
  return rand_r(&seed) >= 0 ? NULL : unused;
}

static void *creates(void *unused) {
  pthread_create(&handle, NULL, says, "c");
  pthread_detach(pthread_self());
  return unused;
}

static void *knows_handle(void *unused) {
  return handle == pthread_self() ? unused : NULL;
}

/* The arguments in their own order would be a length, a text and a text. */
static void *prints_in_order(void *word) {
  snprintf(text, sizeof text, "%3$.*2$s %1$s", (const char *)word, 5, (const char *)word);
  return NULL;
}

static void *prints_often(void *unused) {
#define TEN    "%s%s%s%s%s%s%s%s%s%s"
#define OF_TEN copy, copy, copy, copy, copy, copy, copy, copy, copy, copy
  char own[4096];
  snprintf(own, sizeof own, TEN TEN TEN TEN "%s", OF_TEN, OF_TEN, OF_TEN, OF_TEN, text);
  return unused;
}

/* The one number that is there goes into the second one. */
static void *scans_in_order(void *word) {
  int own;
  sscanf(word, "%2$d%1$d", &own, &value);
  return NULL;
}

static void *polls(void *unused) {
  return poll(&polled, 1, 0) < 0 ? &polled : unused;
}

static void *polls_alone(void *unused) {
  struct pollfd own = {.fd = 0, .events = POLLIN};
  return poll(&own, 1, 0) < 0 ? text : unused;
}

static void *selects(void *unused) {
  struct timeval none = {0, 0};
  FD_ZERO(&set);
  FD_SET(0, &set);
  return select(1, &set, NULL, NULL, &none) < 0 ? &set : unused;
}

static void *waits_for_events(void *unused) {
  struct epoll_event wanted = {.events = EPOLLIN};
  int ends[2], epoll = epoll_create1(0);
  if (pipe(ends) != 0 || write(ends[1], "x", 1) != 1) abort();
  epoll_ctl(epoll, EPOLL_CTL_ADD, ends[0], &wanted);
  if (epoll_wait(epoll, &happened, 1, 0) != 1) abort();
  return unused;
}

static void *asks_semaphore(void *unused) {
  sem_getvalue(&semaphore, &value);
  return unused;
}

static void *waits_a_while(void *unused) {
  sem_timedwait(&semaphore, &now);
  return unused;
}

static void *sets_time(void *unused) {
  now.tv_nsec = 5;
  return unused;
}

static void *asks_socket(void *unused) {
  socklen_t size = sizeof value;
  int file = socket(AF_UNIX, SOCK_STREAM, 0);
  if (getsockopt(file, SOL_SOCKET, SO_TYPE, &value, &size) != 0) abort();
  return unused;
}

static void *asks_action(void *unused) {
  sigaction(SIGUSR1, NULL, &action);
  return unused;
}

static void *asks_signals(void *unused) {
  pthread_sigmask(SIG_BLOCK, NULL, &pending);
  return unused;
}

static void *asks_priority(void *unused) {
  struct sched_param own;
  pthread_getschedparam(pthread_self(), &value, &own);
  return unused;
}

/* The second call writes what the first one has written. */
static void *writes_twice(void *word) {
  static volatile size_t all = sizeof text, few = 4;
  memset(text, '7', all);
  memcpy(text, word, few);
  return NULL;
}

static void *looks_for_seven(void *unused) {
  if (*(volatile char *)text == '7') abort();
  return unused;
}

static void *opens(void *unused) {
  const int file = open(text, O_RDONLY);
  return file >= 0 ? text : unused;
}

static void *calls_itself(void *unused) {
  char own[64];
  return syscall(SYS_getcwd, own, sizeof own) < 0 ? text : unused;
}

static void *chooses_locale(void *name) {
  return setlocale(LC_ALL, name);
}

static void *prints_wide(void *unused) {
  swprintf(wide, 8, L"%d", 3);
  return unused;
}

static void *prints_alone(void *word) {
  char own[32];
  snprintf(own, sizeof own, "%s", (const char *)word);
  return strlen(own) == 1 ? NULL : word;
}

/* The system says no, as to a runtime that finds out what the system has. */
static bool is_nothing(const void *volatile where) {
  struct statx own;
  const bool none = open(where, O_RDONLY) < 0 && errno == EFAULT && access(where, R_OK) < 0 &&
                    rename(where, where) < 0 && errno == EFAULT && remove(where) < 0;
  return none && statx(0, where, 0, STATX_ALL, &own) < 0 && errno == EFAULT;
}

/* No memory, of which the system says so. */
static void *names_nothing(void *unused) {
  const void *volatile nowhere = (const void *)16;
  const bool none = is_nothing(NULL) && is_nothing((const char *)nowhere) &&
                    nanosleep(nowhere, NULL) < 0 && errno == EFAULT && sendmsg(0, nowhere, 0) < 0 &&
                    readv(0, nowhere, 1) < 0;
  if (!none) abort();
  return unused;
}

/* Through a pointer that lies on the stack. */
static void *calls_by_stack(void *word) {
  void *(*const functions[])(void *) = {prints_alone, says, copies};
  return functions[strlen(word) - 1](word) == NULL ? NULL : word;
}

static void *prints_locked(void *unused) {
  pthread_mutex_lock(&lock);
  snprintf(text, sizeof text, "%d", ++value);
  pthread_mutex_unlock(&lock);
  return unused;
}

/* What a key is called is a value of the program, and may not depend on who is first: the second
 * thread does the same before its key, and so it must behind it, whether the first one has made its
 * own by then or not. */
static void *first_key(void *unused) {
  pthread_key_t key;
  __atomic_exchange_n(&value, 1, __ATOMIC_SEQ_CST);
  pthread_key_create(&key, NULL);
  return unused;
}

static void *second_key(void *unused) {
  static int own;
  pthread_key_t key;
  __atomic_exchange_n(&own, 1, __ATOMIC_SEQ_CST);
  pthread_key_create(&key, NULL);
  if (key % 2 != 0) __atomic_exchange_n(&own, 2, __ATOMIC_SEQ_CST);
  __atomic_exchange_n(&value, 2, __ATOMIC_SEQ_CST);
  return unused;
}

/* An atomic object, as callbacks tell of one. */
static void *clears(void *unused) {
  __atomic_store_n(&value, 5, __ATOMIC_SEQ_CST);
  memset(&value, 0, sizeof value);
  __atomic_fetch_add(&value, 1, __ATOMIC_SEQ_CST);
  return unused;
}

static void *loads(void *unused) {
  return __atomic_load_n(&value, __ATOMIC_SEQ_CST) == 3 ? unused : &value;
}

static const struct {
  const char *name;
  void *(*one)(void *), *(*other)(void *), *argument;
} cases[] = {
    {"snprintf", prints, prints, "one"},
    {"sprintf", prints_number, prints_number, &numbers[3]},
    {"length", prints_length, prints_length, NULL},
    {"printf", says_both, changes, NULL},
    {"fputs_unlocked", says_without_lock, says, "b"},
    {"fclose", closes, says, "b"},
    {"strcpy", copies, copies, "one"},
    {"memmove", moves, changes, NULL},
    {"memmove-both", moves, moves, NULL},
    {"strtok", takes_apart, takes_apart, " "},
    {"qsort", sorts, sorts, NULL},
    {"gmtime", looks_up_time, looks_up_time, &seconds},
    {"strftime", writes_date, writes_date, NULL},
    {"setenv", sets, gets, "CALLS"},
    {"fread", reads, changes, "/dev/zero"},
    {"fread-strtol", reads, to_number, "/dev/zero"},
    {"strtol-fread", to_number, reads, "/dev/zero"},
    {"getline", reads_line, reads_line, "calls-input"},
    {"sscanf", scans, scans, "1"},
    {"sscanf-c99", scans, scans_by_c99, "1"},
    {"sscanf-c89", scans, scans_by_c89, "1"},
    {"strtol", to_number, changes, NULL},
    {"strtol-c99", to_number_by_c99, changes, NULL},
    {"write", writes_out, changes, NULL},
    {"writev", writes_parts, changes, NULL},
    {"ends", ends_in_call, changes, copy},
    {"realloc", grows, uses, NULL},
    {"munmap", unmaps, uses, NULL},
    {"clock_gettime", asks_time, asks_time, NULL},
    {"rand_r", draws, draws, NULL},
    {"create", creates, knows_handle, NULL},
    {"positional", prints_in_order, prints_in_order, "one"},
    {"many", prints_often, changes, NULL},
    {"sscanf-positional", scans_in_order, scans_in_order, "1"},
    {"poll", polls, polls, NULL},
    {"select", selects, selects, NULL},
    {"epoll_wait", waits_for_events, waits_for_events, NULL},
    {"sem_getvalue", asks_semaphore, asks_semaphore, NULL},
    {"sem_timedwait", waits_a_while, sets_time, NULL},
    {"getsockopt", asks_socket, asks_socket, NULL},
    {"sigaction", asks_action, asks_action, NULL},
    {"sigmask", asks_signals, asks_signals, NULL},
    {"getschedparam", asks_priority, asks_priority, NULL},
    {"twice", writes_twice, looks_for_seven, "one"},
    {"open", opens, changes, NULL},
    {"syscall", calls_itself, calls_itself, NULL},
    {"own-poll", polls_alone, polls_alone, NULL},
    {"setlocale", chooses_locale, chooses_locale, "C"},
    {"swprintf", prints_wide, prints_wide, NULL},
    {"own", prints_alone, prints_alone, "1"},
    {"own-nothing", names_nothing, names_nothing, NULL},
    {"own-stack", calls_by_stack, calls_by_stack, "1"},
    {"own-time", looks_up_own_time, looks_up_own_time, &seconds},
    {"puts", says, says, "a"},
    {"clears", clears, loads, NULL},
    {"key", first_key, second_key, NULL},
    {"locked", prints_locked, prints_locked, NULL},
};

int main(int argc, char **argv) {
  pthread_t threads[2];
  if (argc < 2) return 2;
  FILE *file = fopen("calls-input", "w");
  if (file == NULL) return 3;
  fputs("a line\n", file);
  fclose(file);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    if (strcmp(cases[i].name, argv[1]) != 0) continue;
    block = cases[i].one == unmaps
                ? mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
                : calloc(1, 8);
    pthread_create(&threads[0], NULL, cases[i].one, cases[i].argument);
    pthread_create(&threads[1], NULL, cases[i].other, cases[i].argument);
    pthread_join(threads[1], NULL);
    if (cases[i].one != creates) pthread_join(threads[0], NULL);
    return 0;
  }
  return 2;
}
