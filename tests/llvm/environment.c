/* Threads at pipes, counters, files, sockets and signals. One for each word; environment.py has how
 * many executions each has, counted by hand and by a model. */
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

typedef void *body(void *);
static int ends[2], others[2], counter, file;

static void run(body *one, body *other, body *rest) {
  pthread_t threads[2];
  pthread_create(&threads[0], NULL, one, NULL);
  if (other != NULL) pthread_create(&threads[1], NULL, other, NULL);
  if (rest != NULL) rest(NULL);
  pthread_join(threads[0], NULL);
  if (other != NULL) pthread_join(threads[1], NULL);
}

static void *write_a(void *unused) {
  assert(write(ends[1], "a", 1) == 1);
  return unused;
}
static void *write_b(void *unused) {
  assert(write(ends[1], "b", 1) == 1);
  return unused;
}
static void *write_other(void *unused) {
  assert(write(others[1], "o", 1) == 1);
  return unused;
}

/* ---- pipes ---- */

static void *read_two(void *unused) {
  char bytes[2];
  assert(read(ends[0], bytes, 1) == 1 && read(ends[0], bytes + 1, 1) == 1);
  assert(bytes[0] != bytes[1]);
  return unused;
}
static void two_writers(void) {
  pipe(ends);
  run(write_a, write_b, read_two);
}
static void one_writer(void) {
  pipe(ends);
  run(write_a, NULL, NULL);
  char byte;
  assert(read(ends[0], &byte, 1) == 1 && byte == 'a');
}
/* As much as there is: one byte, then the other, or both. */
static void *read_all(void *unused) {
  char bytes[4];
  ssize_t all = 0;
  while (all < 2)
    all += read(ends[0], bytes + all, sizeof bytes - (size_t)all);
  assert(all == 2);
  return unused;
}
static void whole(void) {
  pipe(ends);
  run(write_a, write_b, read_all);
}
static void *close_end(void *unused) {
  assert(write(ends[1], "a", 1) == 1 && close(ends[1]) == 0);
  return unused;
}
static void *read_to_end(void *unused) {
  char byte;
  assert(read(ends[0], &byte, 1) == 1 && byte == 'a');
  assert(read(ends[0], &byte, 1) == 0);
  return unused;
}
static void closed(void) {
  pipe(ends);
  run(close_end, NULL, read_to_end);
}
/* The writer waits until there is room. */
static void *write_much(void *unused) {
  static char much[65537];
  assert(write(ends[1], much, sizeof much) == sizeof much);
  return unused;
}
static void *read_once(void *unused) {
  static char much[65537];
  assert(read(ends[0], much, 65536) == 65536 && read(ends[0], much, 65536) == 1);
  return unused;
}
static void full(void) {
  pipe(ends);
  run(write_much, NULL, read_once);
}
static void deaf(void) {
  pipe(ends);
  run(write_much, NULL, NULL);
}
static void empty(void) {
  char byte;
  pipe(ends);
  read(ends[0], &byte, 1);
}

/* ---- counters ---- */

static void *add_one(void *unused) {
  eventfd_write(counter, 1);
  return unused;
}
static void *count_two(void *unused) {
  eventfd_t value, more = 0;
  eventfd_read(counter, &value);
  if (value == 1) eventfd_read(counter, &more);
  assert(value + more == 2);
  return unused;
}
static void counts(void) {
  counter = eventfd(0, 0);
  run(add_one, add_one, count_two);
}

/* ---- waiting for one of several ---- */

/* What is ready at once. */
static void *poll_one(void *unused) {
  struct pollfd p = {ends[0], POLLIN, 0};
  assert(poll(&p, 1, -1) == 1 && p.revents == POLLIN);
  return unused;
}
static void polled(void) {
  pipe(ends);
  run(write_a, NULL, poll_one);
}
static void *poll_with_limit(void *unused) {
  struct pollfd p = {ends[0], POLLIN, 0};
  const int ready = poll(&p, 1, 100);
  assert(ready == 0 || p.revents == POLLIN);
  return unused;
}
static void limited(void) {
  pipe(ends);
  run(write_a, NULL, poll_with_limit);
}
/* Each of two pipes is read when it is ready. */
static void *poll_both(void *unused) {
  struct pollfd p[2] = {{ends[0], POLLIN, 0}, {others[0], POLLIN, 0}};
  char byte;
  for (int left = 2; left > 0;) {
    assert(poll(p, 2, -1) > 0);
    for (int i = 0; i < 2; i++)
      if (p[i].revents != 0) {
        assert(read(p[i].fd, &byte, 1) == 1 && byte == (i == 0 ? 'a' : 'o'));
        left--;
      }
  }
  return unused;
}
static void both(void) {
  pipe(ends);
  pipe(others);
  run(write_a, write_other, poll_both);
}
static void *watch_both(void *unused) {
  struct epoll_event e = {EPOLLIN, {.fd = ends[0]}}, found[2];
  const int set = epoll_create1(0);
  char byte;
  epoll_ctl(set, EPOLL_CTL_ADD, ends[0], &e);
  e.data.fd = others[0];
  epoll_ctl(set, EPOLL_CTL_ADD, others[0], &e);
  for (int left = 2; left > 0;) {
    const int ready = epoll_wait(set, found, 2, -1);
    for (int i = 0; i < ready; i++, left--)
      assert(read(found[i].data.fd, &byte, 1) == 1);
  }
  assert(epoll_wait(set, found, 2, 0) == 0);
  return unused;
}
static void watched(void) {
  pipe(ends);
  pipe(others);
  run(write_a, write_other, watch_both);
}

/* ---- files ---- */

static void *append_a(void *unused) {
  assert(write(file, "aa", 2) == 2);
  return unused;
}
static void *append_b(void *unused) {
  assert(write(file, "bb", 2) == 2);
  return unused;
}
static void appended(void) {
  char bytes[5] = "";
  file = open("written", O_RDWR | O_CREAT | O_TRUNC, 0600);
  run(append_a, append_b, NULL);
  assert(pread(file, bytes, 4, 0) == 4);
  assert(strcmp(bytes, "aabb") == 0 || strcmp(bytes, "bbaa") == 0);
}
static void *look_at_file(void *unused) {
  char byte;
  assert(pread(file, &byte, 1, 0) == 1 && byte == 'x');
  return unused;
}
static void readers(void) {
  file = open("written", O_RDWR | O_CREAT, 0600);
  write(file, "x", 1);
  run(look_at_file, look_at_file, NULL);
}
static void *make_file(void *unused) {
  const int mine = open("once", O_WRONLY | O_CREAT | O_EXCL, 0600);
  if (mine < 0) assert(errno == EEXIST);
  if (mine >= 0) __atomic_fetch_add(&counter, 1, __ATOMIC_SEQ_CST);
  return unused;
}
static void exclusive(void) {
  run(make_file, make_file, NULL);
  assert(counter == 1);
}

/* ---- peers ---- */

static int served(void) {
  struct sockaddr_in name = {.sin_family = AF_INET, .sin_port = htons(4000)};
  const int s = socket(AF_INET, SOCK_STREAM, 0);
  assert(bind(s, (struct sockaddr *)&name, sizeof name) == 0 && listen(s, 5) == 0);
  return s;
}
static void one_peer(void) {
  char bytes[4];
  const int client = accept(served(), NULL, NULL);
  const ssize_t count = read(client, bytes, sizeof bytes);
  assert(count == 2);
  assert(memcmp(bytes, "go", 2) != 0);
  assert(read(client, bytes, 1) == 0);
}
static void *serve(void *number) {
  char bytes[8];
  const int client = (int)(intptr_t)number;
  for (ssize_t count; (count = read(client, bytes, sizeof bytes)) > 0;)
    if (count >= 4 && memcmp(bytes, "stop", 4) == 0) abort();
  return NULL;
}
/* A thread for each peer; who stays is waited for, which is no deadlock. */
static void peers(void) {
  const int s = served();
  for (;;) {
    pthread_t t;
    pthread_create(&t, NULL, serve, (void *)(intptr_t)accept(s, NULL, NULL));
  }
}

/* ---- signals ---- */

static volatile int caught;
static void on_signal(int number) {
  caught = number;
}
static void *send_signal(void *unused) {
  kill(getpid(), SIGUSR1);
  return unused;
}
static void signalled(void) {
  sigset_t set, none;
  sigemptyset(&none);
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  signal(SIGUSR1, on_signal);
  pthread_sigmask(SIG_BLOCK, &set, NULL);
  pthread_t t;
  pthread_create(&t, NULL, send_signal, NULL);
  sigsuspend(&none);
  assert(caught == SIGUSR1);
  pthread_join(t, NULL);
}

/* ---- streams ---- */

static int ended[2];
static void *read_characters(void *which) {
  int count = 0;
  while (getchar() != EOF)
    count++;
  ended[which != NULL] = count;
  return NULL;
}
static void characters(void) {
  pthread_t t;
  pthread_create(&t, NULL, read_characters, ended);
  read_characters(NULL);
  pthread_join(t, NULL);
  assert(ended[0] + ended[1] == 2 && feof(stdin));
}

static void *write_in_parts(void *unused) {
  assert(write(ends[1], "ab", 2) == 2 && write(ends[1], "cd", 2) == 2 && close(ends[1]) == 0);
  return unused;
}
static void *read_whole(void *unused) {
  char bytes[5] = "";
  FILE *f = fdopen(ends[0], "r");
  assert(fread(bytes, 1, 4, f) == 4 && strcmp(bytes, "abcd") == 0);
  assert(fgetc(f) == EOF && feof(f) && fclose(f) == 0);
  return unused;
}
static void whole_read(void) {
  pipe(ends);
  run(write_in_parts, NULL, read_whole);
}

static const struct {
  const char *word;
  void (*function)(void);
} cases[] = {{"one-writer", one_writer},
             {"two-writers", two_writers},
             {"whole", whole},
             {"closed", closed},
             {"full", full},
             {"deaf", deaf},
             {"empty", empty},
             {"counts", counts},
             {"polled", polled},
             {"limited", limited},
             {"both", both},
             {"watched", watched},
             {"appended", appended},
             {"readers", readers},
             {"exclusive", exclusive},
             {"one-peer", one_peer},
             {"peers", peers},
             {"signalled", signalled},
             {"characters", characters},
             {"whole-read", whole_read}};

int main(int argc, char **argv) {
  for (size_t i = 0; argc > 1 && i < sizeof cases / sizeof *cases; i++)
    if (strcmp(argv[1], cases[i].word) == 0) cases[i].function();
}
