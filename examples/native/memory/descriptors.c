/*
 * Descriptors, sockets, folders and signals, on behalf of code whose accesses are seen. poll() and
 * its relatives, which the library that runs the program has itself, are there.
 */
#include "memory.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../preload/imports.h"

INTERPOSE int __open_2(const char *path, int flags);
INTERPOSE int __openat_2(int folder, const char *path, int flags);
INTERPOSE ssize_t __recvfrom_chk(int socket, void *to, size_t size, size_t room, int flags,
                                 __SOCKADDR_ARG from, socklen_t *length);
INTERPOSE int __poll_chk(struct pollfd *polled, nfds_t count, int limit, size_t room);
INTERPOSE int __xpg_strerror_r(int error, char *to, size_t size);

#define NEXT_TABLE(X)                                                                              \
  X(open)                                                                                          \
  X(__open_2)                                                                                      \
  X(openat)                                                                                        \
  X(__openat_2)                                                                                    \
  X(creat)                                                                                         \
  X(fcntl)                                                                                         \
  X(ioctl)                                                                                         \
  X(statx)                                                                                         \
  X(opendir)                                                                                       \
  X(readdir)                                                                                       \
  X(closedir)                                                                                      \
  X(__poll_chk)                                                                                    \
  X(epoll_ctl)                                                                                     \
  X(epoll_wait)                                                                                    \
  X(epoll_pwait)                                                                                   \
  X(eventfd_read)                                                                                  \
  X(eventfd_write)                                                                                 \
  X(accept)                                                                                        \
  X(accept4)                                                                                       \
  X(bind)                                                                                          \
  X(connect)                                                                                       \
  X(getsockname)                                                                                   \
  X(getpeername)                                                                                   \
  X(getsockopt)                                                                                    \
  X(setsockopt)                                                                                    \
  X(sendto)                                                                                        \
  X(recvfrom)                                                                                      \
  X(__recvfrom_chk)                                                                                \
  X(sendmsg)                                                                                       \
  X(recvmsg)                                                                                       \
  X(sigemptyset)                                                                                   \
  X(sigfillset)                                                                                    \
  X(sigaddset)                                                                                     \
  X(sigdelset)                                                                                     \
  X(sigismember)                                                                                   \
  X(signalfd)                                                                                      \
  X(sigaltstack)                                                                                   \
  X(strerror_r)                                                                                    \
  X(__xpg_strerror_r)
#include "next.h"

static bool counts(uint64_t place) {
  return unfold_watching && unfold_counts(place);
}

static void *coming(void *to, size_t size, uint64_t place) {
  if (to != NULL && size > 0 && counts(place)) unfold_coming(to, size, place);
  return to;
}

static void written(const void *to, size_t size, uint64_t place) {
  if (to != NULL && size > 0 && counts(place)) unfold_touched(to, size, true, place);
}

static void given(const void *from, size_t size, uint64_t place) {
  if (from != NULL && size > 0 && counts(place)) unfold_touched(from, size, false, place);
}

/* ---- files ---- */

INTERPOSE int open(const char *path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  const mode_t mode = va_arg(more, mode_t);
  va_end(more);
  if (WATCHED) READS_PATH(path);
  return NEXT(open)(path, flags, mode);
}
OLDER_NAME(open64, open);

INTERPOSE int openat(int folder, const char *path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  const mode_t mode = va_arg(more, mode_t);
  va_end(more);
  if (WATCHED) READS_PATH(path);
  return NEXT(openat)(folder, path, flags, mode);
}
OLDER_NAME(openat64, openat);

int __open_2(const char *path, int flags) {
  if (WATCHED) READS_PATH(path);
  return NEXT(__open_2)(path, flags);
}
OLDER_NAME(__open64_2, __open_2);

int __openat_2(int folder, const char *path, int flags) {
  if (WATCHED) READS_PATH(path);
  return NEXT(__openat_2)(folder, path, flags);
}
OLDER_NAME(__openat64_2, __openat_2);

INTERPOSE int creat(const char *path, mode_t mode) {
  if (WATCHED) READS_PATH(path);
  return NEXT(creat)(path, mode);
}
OLDER_NAME(creat64, creat);

/* Whether the third word is no number. */
static bool takes_memory(int command) {
  switch (command) {
  case F_GETLK:
  case F_SETLK:
  case F_SETLKW:
  case F_OFD_GETLK:
  case F_OFD_SETLK:
  case F_OFD_SETLKW:
    return true;
  default:
    return command >= F_GETOWN_EX && command != F_ADD_SEALS && command != F_GET_SEALS &&
           command != F_DUPFD_CLOEXEC && command != F_SETPIPE_SZ && command != F_GETPIPE_SZ;
  }
}

INTERPOSE int fcntl(int file, int command, ...) {
  va_list more;
  va_start(more, command);
  void *word = va_arg(more, void *);
  va_end(more);
  if (WATCHED && takes_memory(command)) unfold_unknown("fcntl", CALLER);
  return NEXT(fcntl)(file, command, word);
}
OLDER_NAME(fcntl64, fcntl);

INTERPOSE int ioctl(int file, unsigned long command, ...) {
  va_list more;
  va_start(more, command);
  void *word = va_arg(more, void *);
  va_end(more);
  const size_t size = command == TIOCGWINSZ                       ? sizeof(struct winsize)
                      : command == FIONREAD || command == FIONBIO ? sizeof(int)
                                                                  : 0;
  const bool plain = command == FIOCLEX || command == FIONCLEX;
  if (WATCHED && size == 0 && !plain) unfold_unknown("ioctl", CALLER);
  if (command == FIONBIO) given(word, size, CALLER);
  const int result = NEXT(ioctl)(file, command, coming(word, size, CALLER));
  if (result >= 0 && command != FIONBIO) written(word, size, CALLER);
  return result;
}

INTERPOSE int statx(int folder, const char *restrict path, int flags, unsigned mask,
                    struct statx *restrict to) {
  if (WATCHED) READS_PATH(path);
  const int error = NEXT(statx)(folder, path, flags, mask, coming(to, sizeof *to, CALLER));
  if (error == 0) written(to, sizeof *to, CALLER);
  return error;
}

/* ---- folders: what is read from one lies in memory of its own ---- */

INTERPOSE DIR *opendir(const char *path) {
  if (WATCHED) READS_PATH(path);
  return NEXT(opendir)(path);
}

INTERPOSE struct dirent *readdir(DIR *folder) {
  written(folder, sizeof(void *), CALLER);
  struct dirent *entry = NEXT(readdir)(folder);
  if (entry != NULL) written(entry, entry->d_reclen, CALLER);
  return entry;
}
OLDER_NAME(readdir64, readdir);

INTERPOSE int closedir(DIR *folder) {
  written(folder, sizeof(void *), CALLER);
  return NEXT(closedir)(folder);
}

/* ---- what is waited for ---- */

int __poll_chk(struct pollfd *polled, nfds_t count, int limit, size_t room) {
  for (nfds_t i = 0; i < count && i < room / sizeof *polled; i++) {
    given(&polled[i], offsetof(struct pollfd, revents), CALLER);
    written(&polled[i].revents, sizeof polled[i].revents, CALLER);
  }
  return NEXT(__poll_chk)(polled, count, limit, room);
}

INTERPOSE int epoll_ctl(int epoll, int operation, int file, struct epoll_event *event) {
  if (operation != EPOLL_CTL_DEL) given(event, sizeof *event, CALLER);
  return NEXT(epoll_ctl)(epoll, operation, file, event);
}

static size_t size_of(int count) {
  return count > 0 ? (size_t)count * sizeof(struct epoll_event) : 0;
}

INTERPOSE int epoll_wait(int epoll, struct epoll_event *events, int most, int limit) {
  const int count = NEXT(epoll_wait)(epoll, coming(events, size_of(most), CALLER), most, limit);
  written(events, size_of(count), CALLER);
  return count;
}

INTERPOSE int epoll_pwait(int epoll, struct epoll_event *events, int most, int limit,
                          const sigset_t *mask) {
  given(mask, sizeof *mask, CALLER);
  const int count =
      NEXT(epoll_pwait)(epoll, coming(events, size_of(most), CALLER), most, limit, mask);
  written(events, size_of(count), CALLER);
  return count;
}

INTERPOSE int eventfd_read(int file, eventfd_t *value) {
  const int error = NEXT(eventfd_read)(file, coming(value, sizeof *value, CALLER));
  if (error == 0) written(value, sizeof *value, CALLER);
  return error;
}

INTERPOSE int eventfd_write(int file, eventfd_t value) {
  return NEXT(eventfd_write)(file, value);
}

/* ---- sockets ---- */

/* An address that is given back, in as much room as its size says, which is written too. */
struct given_back {
  void *address;
  socklen_t *size;
  socklen_t room;
};

static struct given_back answer_of(void *address, socklen_t *size, uint64_t place) {
  struct given_back a = {address, size, 0};
  if (address == NULL || size == NULL || !counts(place)) return a;
  if (!unfold_mapped(size, sizeof *size)) {
    a.size = NULL;
    return a;
  }
  given(size, sizeof *size, place);
  a.room = *size;
  coming(size, sizeof *size, place);
  coming(address, a.room, place);
  return a;
}

static void answered(const struct given_back *a, bool good, uint64_t place) {
  if (!good || a->address == NULL || a->size == NULL) return;
  written(a->address, SMALLER(a->room, *a->size), place);
  written(a->size, sizeof *a->size, place);
}

INTERPOSE int accept(int socket, __SOCKADDR_ARG address, socklen_t *restrict size) {
  const struct given_back a = answer_of(address.__sockaddr__, size, CALLER);
  const int file = NEXT(accept)(socket, address, size);
  answered(&a, file >= 0, CALLER);
  return file;
}

INTERPOSE int accept4(int socket, __SOCKADDR_ARG address, socklen_t *restrict size, int flags) {
  const struct given_back a = answer_of(address.__sockaddr__, size, CALLER);
  const int file = NEXT(accept4)(socket, address, size, flags);
  answered(&a, file >= 0, CALLER);
  return file;
}

INTERPOSE int bind(int socket, __CONST_SOCKADDR_ARG address, socklen_t size) {
  given(address.__sockaddr__, size, CALLER);
  return NEXT(bind)(socket, address, size);
}

INTERPOSE int connect(int socket, __CONST_SOCKADDR_ARG address, socklen_t size) {
  given(address.__sockaddr__, size, CALLER);
  return NEXT(connect)(socket, address, size);
}

INTERPOSE int getsockname(int socket, __SOCKADDR_ARG address, socklen_t *restrict size) {
  const struct given_back a = answer_of(address.__sockaddr__, size, CALLER);
  const int error = NEXT(getsockname)(socket, address, size);
  answered(&a, error == 0, CALLER);
  return error;
}

INTERPOSE int getpeername(int socket, __SOCKADDR_ARG address, socklen_t *restrict size) {
  const struct given_back a = answer_of(address.__sockaddr__, size, CALLER);
  const int error = NEXT(getpeername)(socket, address, size);
  answered(&a, error == 0, CALLER);
  return error;
}

INTERPOSE int getsockopt(int socket, int level, int name, void *restrict to,
                         socklen_t *restrict size) {
  const struct given_back a = answer_of(to, size, CALLER);
  const int error = NEXT(getsockopt)(socket, level, name, to, size);
  answered(&a, error == 0, CALLER);
  return error;
}

INTERPOSE int setsockopt(int socket, int level, int name, const void *from, socklen_t size) {
  given(from, size, CALLER);
  return NEXT(setsockopt)(socket, level, name, from, size);
}

INTERPOSE ssize_t sendto(int socket, const void *from, size_t size, int flags,
                         __CONST_SOCKADDR_ARG address, socklen_t length) {
  given(from, size, CALLER);
  given(address.__sockaddr__, length, CALLER);
  return NEXT(sendto)(socket, from, size, flags, address, length);
}

INTERPOSE ssize_t recvfrom(int socket, void *restrict to, size_t size, int flags,
                           __SOCKADDR_ARG from, socklen_t *restrict length) {
  const struct given_back a = answer_of(from.__sockaddr__, length, CALLER);
  const ssize_t got = NEXT(recvfrom)(socket, coming(to, size, CALLER), size, flags, from, length);
  written(to, got > 0 ? SMALLER((size_t)got, size) : 0, CALLER);
  answered(&a, got >= 0, CALLER);
  return got;
}

ssize_t __recvfrom_chk(int socket, void *to, size_t size, size_t room, int flags,
                       __SOCKADDR_ARG from, socklen_t *length) {
  const struct given_back a = answer_of(from.__sockaddr__, length, CALLER);
  const ssize_t got =
      NEXT(__recvfrom_chk)(socket, coming(to, size, CALLER), size, room, flags, from, length);
  written(to, got > 0 ? SMALLER((size_t)got, size) : 0, CALLER);
  answered(&a, got >= 0, CALLER);
  return got;
}

static bool is_there(const struct msghdr *message) {
  return unfold_mapped(message, sizeof *message) && message->msg_iovlen <= IOV_MAX &&
         unfold_mapped(message->msg_iov, message->msg_iovlen * sizeof *message->msg_iov);
}

INTERPOSE ssize_t sendmsg(int socket, const struct msghdr *message, int flags) {
  if (WATCHED && is_there(message)) {
    given(message, sizeof *message, CALLER);
    given(message->msg_name, message->msg_namelen, CALLER);
    given(message->msg_control, message->msg_controllen, CALLER);
    given(message->msg_iov, message->msg_iovlen * sizeof *message->msg_iov, CALLER);
    for (size_t i = 0; i < message->msg_iovlen; i++)
      given(message->msg_iov[i].iov_base, message->msg_iov[i].iov_len, CALLER);
  }
  return NEXT(sendmsg)(socket, message, flags);
}

INTERPOSE ssize_t recvmsg(int socket, struct msghdr *message, int flags) {
  if (!WATCHED || !is_there(message)) return NEXT(recvmsg)(socket, message, flags);
  given(message, sizeof *message, CALLER);
  given(message->msg_iov, message->msg_iovlen * sizeof *message->msg_iov, CALLER);
  coming(message, sizeof *message, CALLER);
  coming(message->msg_name, message->msg_namelen, CALLER);
  coming(message->msg_control, message->msg_controllen, CALLER);
  for (size_t i = 0; i < message->msg_iovlen; i++)
    coming(message->msg_iov[i].iov_base, message->msg_iov[i].iov_len, CALLER);
  const socklen_t room = message->msg_namelen;
  const ssize_t got = NEXT(recvmsg)(socket, message, flags);
  if (got < 0) return got;
  size_t left = (size_t)got;
  for (size_t i = 0; i < message->msg_iovlen && left > 0; i++) {
    const size_t part = SMALLER(left, message->msg_iov[i].iov_len);
    written(message->msg_iov[i].iov_base, part, CALLER);
    left -= part;
  }
  written(message->msg_name, SMALLER(room, message->msg_namelen), CALLER);
  written(message->msg_control, message->msg_controllen, CALLER);
  written(message, sizeof *message, CALLER);
  return got;
}

/* ---- signals, errors ---- */

#define CHANGES_SET(name, parameters, ...)                                                         \
  INTERPOSE int name parameters {                                                                  \
    written(set, sizeof *set, CALLER);                                                             \
    return NEXT(name)(__VA_ARGS__);                                                                \
  }
CHANGES_SET(sigemptyset, (sigset_t * set), set)
CHANGES_SET(sigfillset, (sigset_t * set), set)
CHANGES_SET(sigaddset, (sigset_t * set, int number), set, number)
CHANGES_SET(sigdelset, (sigset_t * set, int number), set, number)

INTERPOSE int sigismember(const sigset_t *set, int number) {
  given(set, sizeof *set, CALLER);
  return NEXT(sigismember)(set, number);
}

INTERPOSE int signalfd(int file, const sigset_t *mask, int flags) {
  given(mask, sizeof *mask, CALLER);
  return NEXT(signalfd)(file, mask, flags);
}

INTERPOSE int sigaltstack(const stack_t *restrict new, stack_t *restrict old) {
  given(new, sizeof *new, CALLER);
  const int error = NEXT(sigaltstack)(new, coming(old, sizeof *old, CALLER));
  if (error == 0) written(old, sizeof *old, CALLER);
  return error;
}

INTERPOSE char *strerror_r(int error, char *to, size_t size) {
  char *text = NEXT(strerror_r)(error, coming(to, size, CALLER), size);
  if (text == to && size > 0) written(to, strnlen(to, size - 1) + 1, CALLER);
  return text;
}

int __xpg_strerror_r(int error, char *to, size_t size) {
  const int result = NEXT(__xpg_strerror_r)(error, coming(to, size, CALLER), size);
  if (result == 0 && size > 0) written(to, strnlen(to, size - 1) + 1, CALLER);
  return result;
}
