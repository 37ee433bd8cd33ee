/* Files, pipes, sockets and signals of one thread: the same comes out in unfold-sym and on the
 * machine (same.py). */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <unistd.h>

extern void unfold_show(const char *name, long long number);
#define SHOW(x) unfold_show(#x, (long long)(x))
/* What it comes to, and the error. */
#define TRY(x) unfold_show(#x, (errno = 0, (long long)(x)) * 1000 + errno)

static long long hash(const void *bytes, size_t size) {
  unsigned long long all = 1469598103934665603u;
  for (size_t i = 0; i < size; i++)
    all = (all ^ ((const unsigned char *)bytes)[i]) * 1099511628211u;
  return (long long)(all >> 8);
}

static void files(void) {
  char bytes[32];
  struct stat s;
  TRY(access("fresh", F_OK));
  const int f = open("fresh", O_RDWR | O_CREAT | O_EXCL, 0644);
  SHOW(write(f, "hello world", 11));
  SHOW(lseek(f, 6, SEEK_SET));
  SHOW(read(f, bytes, sizeof bytes) + hash(bytes, 5));
  SHOW(read(f, bytes, sizeof bytes));
  SHOW(pwrite(f, "W", 1, 6) + 10 * lseek(f, 0, SEEK_CUR));
  SHOW(lseek(f, 4, SEEK_END) + write(f, "!", 1));
  SHOW(pread(f, bytes, sizeof bytes, 0) + hash(bytes, 16));
  SHOW(fstat(f, &s) + s.st_size + (S_ISREG(s.st_mode) ? 100 : 0));
  TRY(open("fresh", O_RDWR | O_CREAT | O_EXCL, 0644));
  const int again = open("./fresh", O_WRONLY | O_APPEND);
  SHOW(write(again, "end", 3) + lseek(again, 0, SEEK_CUR));
  TRY(read(again, bytes, 1));
  SHOW(ftruncate(f, 5) + lseek(f, 0, SEEK_END));
  TRY(rename("fresh", "other"));
  TRY(stat("fresh", &s));
  SHOW(stat("../x/../././other", &s) < 0 ? 1 : stat("other", &s) + s.st_size);
  TRY(unlink("other"));
  TRY(unlink("other"));
  SHOW(pread(f, bytes, 5, 0) + hash(bytes, 5)); /* it is still there for who has it */
  TRY(close(f) + close(again));
  TRY(close(f));
  TRY(lseek(f, 0, SEEK_SET));
  TRY(mkdir("folder", 0755));
  TRY(mkdir("folder", 0755));
  TRY(open("folder/none/file", O_WRONLY | O_CREAT, 0600));
  TRY(close(open("folder/file", O_WRONLY | O_CREAT, 0600)));
  TRY(link("folder/file", "folder/twin"));
  TRY(unlink("folder"));
  TRY(unlink("folder/file") + unlink("folder/twin") + rmdir("folder"));
  char name[] = "nameXXXXXX";
  SHOW(mkstemp(name) > 2 && unlink(name) == 0);
}

static void streams(void) {
  char line[32], *more = NULL;
  size_t room = 0;
  FILE *f = fopen("lines", "w");
  SHOW(fprintf(f, "%d %s\n", 42, "lines") + fputs("and more\n", f) % 2);
  SHOW(fputc('x', f) + fclose(f));
  f = fopen("lines", "r+");
  SHOW(fgets(line, sizeof line, f) != NULL ? hash(line, strlen(line)) : 0);
  SHOW(getline(&more, &room, f));
  SHOW(hash(more, strlen(more)));
  SHOW(fgetc(f) + fgetc(f) + feof(f));
  SHOW(fclose(f));
  f = fopen("lines", "a");
  SHOW(fwrite("yz", 1, 2, f) + fclose(f));
  f = fopen("lines", "r");
  SHOW(fgets(line, 1, f) == line ? line[0] : -1);
  SHOW(fgets(line, 0, f) == NULL);
  SHOW(fread(line, 1, sizeof line, f) + hash(line, 20));
  SHOW(fgetc(f) + feof(f) + (ungetc('q', f), feof(f)) + fgetc(f));
  rewind(f);
  room = 0;
  free(more);
  more = malloc(1);
  SHOW(getline(&more, &room, f) + hash(more, 3));
  SHOW(fputs("no", f) + ferror(f) + (clearerr(f), ferror(f)));
  SHOW(fclose(f) + unlink("lines"));
}

static void descriptors(void) {
  char bytes[8];
  const int f = open("shared", O_RDWR | O_CREAT, 0600), twin = dup(f);
  SHOW(twin - f);
  SHOW(write(f, "abcdef", 6) + lseek(twin, 2, SEEK_SET) + read(f, bytes, 1) + bytes[0]);
  SHOW(dup2(f, 20) + close(f) + close(twin));
  SHOW(read(20, bytes, 1) + bytes[0]);
  SHOW(fcntl(20, F_GETFD) + (fcntl(20, F_SETFD, FD_CLOEXEC) + fcntl(20, F_GETFD)) * 10);
  SHOW((fcntl(20, F_GETFL) & O_ACCMODE) == O_RDWR);
  struct iovec parts[] = {{bytes, 2}, {bytes + 4, 3}};
  SHOW(lseek(20, 1, SEEK_SET) + readv(20, parts, 2) + bytes[0] + bytes[4]);
  SHOW(writev(20, parts, 2) + lseek(20, 0, SEEK_END));
  SHOW(close(20) + unlink("shared"));
  TRY(dup(20));
}

static void pipes(void) {
  static char much[70000];
  char bytes[16];
  int ends[2];
  SHOW(pipe(ends));
  SHOW(write(ends[1], "abc", 3) + read(ends[0], bytes, 2) + bytes[1]);
  struct pollfd all[2] = {{ends[0], POLLIN, 0}, {ends[1], POLLOUT, 0}};
  SHOW(poll(all, 2, -1) + 10 * all[0].revents + 1000 * all[1].revents);
  SHOW(read(ends[0], bytes, sizeof bytes) + bytes[0]);
  SHOW(poll(all, 2, 0) + 10 * all[0].revents + 1000 * all[1].revents);
  SHOW(poll(all, 1, 5));
  SHOW(fcntl(ends[0], F_SETFL, O_NONBLOCK) + fcntl(ends[1], F_SETFL, O_NONBLOCK));
  TRY(read(ends[0], bytes, 1));
  TRY(write(ends[1], much, sizeof much));
  TRY(write(ends[1], much, 1));
  SHOW(poll(all, 2, 0) + 10 * all[0].revents + 1000 * all[1].revents);
  SHOW(close(ends[1]) + read(ends[0], much, sizeof much));
  SHOW(read(ends[0], bytes, 1) + poll(all, 1, -1) + 10 * all[0].revents);
  SHOW(close(ends[0]));
  signal(SIGPIPE, SIG_IGN);
  SHOW(pipe2(ends, O_CLOEXEC) + close(ends[0]) + fcntl(ends[1], F_GETFD));
  TRY(write(ends[1], "x", 1));
  TRY(close(ends[1]));
}

static void counters(void) {
  eventfd_t value;
  const int f = eventfd(3, EFD_NONBLOCK), one = eventfd(2, EFD_NONBLOCK | EFD_SEMAPHORE);
  SHOW(eventfd_write(f, 4) + eventfd_read(f, &value) + value);
  TRY(eventfd_read(f, &value));
  SHOW(eventfd_read(one, &value) + value + eventfd_read(one, &value) + 10 * value);
  TRY(eventfd_read(one, &value));
  TRY(write(f, "x", 1));
  TRY(close(f) + close(one));
}

static void watched(void) {
  int pair[2], ends[2], gone[2];
  char bytes[8];
  struct epoll_event e = {EPOLLIN, {.u32 = 7}}, found[4];
  const int set = epoll_create1(0);
  SHOW(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) + pipe(ends));
  TRY(epoll_ctl(set, EPOLL_CTL_ADD, pair[0], &e));
  TRY(epoll_ctl(set, EPOLL_CTL_ADD, pair[0], &e));
  SHOW(epoll_wait(set, found, 4, 0));
  SHOW(send(pair[1], "hello", 5, 0) + epoll_wait(set, found, 4, -1) + 10 * found[0].data.u32);
  SHOW(recv(pair[0], bytes, 2, MSG_PEEK) + recv(pair[0], bytes, 3, 0) + bytes[2]);
  SHOW(epoll_wait(set, found, 4, -1)); /* there are still two bytes */
  SHOW(recv(pair[0], bytes, 8, MSG_DONTWAIT) + epoll_wait(set, found, 4, 0));
  e = (struct epoll_event){EPOLLIN | EPOLLOUT, {.u32 = 8}};
  SHOW(epoll_ctl(set, EPOLL_CTL_MOD, pair[0], &e) + epoll_wait(set, found, 4, -1) +
       10 * found[0].events);
  e = (struct epoll_event){EPOLLIN | EPOLLONESHOT, {.u32 = 9}};
  SHOW(epoll_ctl(set, EPOLL_CTL_ADD, ends[0], &e) + epoll_ctl(set, EPOLL_CTL_DEL, pair[0], NULL));
  SHOW(write(ends[1], "x", 1) + epoll_wait(set, found, 4, -1) + 10 * found[0].data.u32);
  SHOW(epoll_wait(set, found, 4, 0));
  TRY(epoll_ctl(set, EPOLL_CTL_DEL, pair[1], NULL));
  TRY(epoll_ctl(set, EPOLL_CTL_ADD, pair[0], &e) + epoll_ctl(set, EPOLL_CTL_DEL, pair[0], NULL));
  SHOW(pipe(gone) + epoll_ctl(set, EPOLL_CTL_ADD, gone[0], &e) + write(gone[1], "x", 1));
  SHOW(close(gone[0]) + close(gone[1]) + epoll_wait(set, found, 4, 0));
  SHOW(shutdown(pair[1], SHUT_WR) + recv(pair[0], bytes, 8, 0));
  SHOW(send(pair[0], "back", 4, 0) + recv(pair[1], bytes, 8, 0) + bytes[0]);
  fd_set reading;
  FD_ZERO(&reading);
  FD_SET(ends[0], &reading);
  FD_SET(pair[1], &reading);
  SHOW(select(64, &reading, NULL, NULL, NULL) + (FD_ISSET(ends[0], &reading) ? 10 : 0));
  SHOW(shutdown(pair[1], SHUT_RD) + recv(pair[1], bytes, 8, 0));
  SHOW(close(set) + close(pair[0]) + recv(pair[1], bytes, 8, 0));
  TRY(close(pair[1]) + close(ends[0]) + close(ends[1]));
}

static void connections(void) {
  struct sockaddr_un name = {.sun_family = AF_UNIX, .sun_path = "local"};
  char bytes[8];
  const int server = socket(AF_UNIX, SOCK_STREAM, 0), client = socket(AF_UNIX, SOCK_STREAM, 0);
  TRY(connect(client, (struct sockaddr *)&name, sizeof name) < 0);
  TRY(bind(server, (struct sockaddr *)&name, sizeof name) + listen(server, 5));
  TRY(connect(client, (struct sockaddr *)&name, sizeof name));
  const int accepted = accept(server, NULL, NULL);
  SHOW(send(client, "to", 2, 0) + recv(accepted, bytes, 8, 0) + bytes[1]);
  SHOW(send(accepted, "fro", 3, MSG_NOSIGNAL) + recv(client, bytes, 8, 0) + bytes[2]);
  SHOW(close(client) + recv(accepted, bytes, 8, 0));
  TRY(fcntl(server, F_SETFL, O_NONBLOCK) + accept(server, NULL, NULL));
  TRY(close(server) + close(accepted));
  TRY(send(2000, "x", 1, 0));
  struct in_addr address;
  char text[20];
  SHOW(inet_pton(AF_INET, "127.0.0.1", &address) + htonl(address.s_addr));
  SHOW(hash(inet_ntop(AF_INET, &address, text, sizeof text), 10) + htons(0x1234));
}

static volatile int caught;
static void on_signal(int number) {
  caught = 10 * caught + (number == SIGUSR1 ? 1 : 2);
}

static void signals(void) {
  sigset_t set, none;
  sigemptyset(&none);
  sigemptyset(&set);
  SHOW(sigaddset(&set, SIGUSR1) + sigismember(&set, SIGUSR1) + sigismember(&set, SIGUSR2));
  signal(SIGUSR1, on_signal);
  struct sigaction action = {.sa_handler = on_signal};
  SHOW(sigaction(SIGUSR2, &action, NULL) + raise(SIGUSR1) + caught);
  SHOW(sigprocmask(SIG_BLOCK, &set, NULL) + kill(getpid(), SIGUSR1) + caught);
  SHOW(sigpending(&set) + sigismember(&set, SIGUSR1) + raise(SIGUSR2) + caught);
  SHOW(sigprocmask(SIG_SETMASK, &none, NULL) + caught);
  sigemptyset(&set);
  sigaddset(&set, SIGUSR2);
  SHOW(sigprocmask(SIG_BLOCK, &set, NULL) + raise(SIGUSR2) + caught);
  TRY(sigsuspend(&none));
  SHOW(caught);
  signal(SIGUSR1, SIG_IGN);
  SHOW(raise(SIGUSR1) + caught);
  int ends[2];
  SHOW(pipe(ends) + close(ends[0]) + (signal(SIGPIPE, on_signal) == SIG_IGN));
  caught = 0;
  TRY(write(ends[1], "x", 1));
  SHOW(caught + close(ends[1]) + socketpair(AF_UNIX, SOCK_STREAM, 0, ends));
  TRY(shutdown(ends[0], SHUT_WR) + write(ends[0], "x", 1));
  TRY(send(ends[0], "x", 1, MSG_NOSIGNAL));
  SHOW(caught + close(ends[0]) + close(ends[1]));
}

static void options(void) {
  static const struct option longs[] = {{"size", required_argument, NULL, 's'},
                                        {"silent", no_argument, NULL, 'q'},
                                        {"depth", optional_argument, NULL, 'd'},
                                        {NULL, 0, NULL, 0}};
  char *words[] = {"program", "-ab",  "one",     "-c5", "--size=7", "two", "-c",
                   "6",       "--si", "--depth", "--",  "-a",       NULL};
  int c;
  opterr = 0;
  while ((c = getopt_long(12, words, "abc:", longs, NULL)) != -1)
    SHOW(c + (optarg != NULL ? 1000 * optarg[0] : 0));
  SHOW(optind);
  SHOW(hash(words[10], 3) + hash(words[11], 2));
  char text[] = "big,depth=3,other", *rest = text, *value;
  char *const names[] = {"depth", "big", NULL};
  SHOW(getsubopt(&rest, names, &value) + (value == NULL));
  SHOW(getsubopt(&rest, names, &value) + value[0]);
  SHOW(getsubopt(&rest, names, &value) + value[0]);
}

int main(void) {
  options();
  files();
  streams();
  descriptors();
  pipes();
  counters();
  watched();
  connections();
  signals();
}
