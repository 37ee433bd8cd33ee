/*
 * System calls, on behalf of code whose accesses are seen: the memory that the kernel reads and
 * writes. What comes from outside is written when it has come.
 */
#include "../preload/imports.h"
#include "memory.h"

#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

INTERPOSE ssize_t __read_chk(int file, void *to, size_t size, size_t room);
INTERPOSE ssize_t __pread_chk(int file, void *to, size_t size, off_t at, size_t room);
INTERPOSE ssize_t __recv_chk(int socket, void *to, size_t size, size_t room, int flags);
INTERPOSE char *__getcwd_chk(char *to, size_t size, size_t room);
INTERPOSE ssize_t __readlink_chk(const char *path, char *to, size_t size, size_t room);

#define NEXT_TABLE(X)                                                                              \
  X(read)                                                                                          \
  X(__read_chk)                                                                                    \
  X(pread)                                                                                         \
  X(__pread_chk)                                                                                   \
  X(readv)                                                                                         \
  X(recv)                                                                                          \
  X(__recv_chk)                                                                                    \
  X(write)                                                                                         \
  X(pwrite)                                                                                        \
  X(writev)                                                                                        \
  X(send)                                                                                          \
  X(pipe)                                                                                          \
  X(pipe2)                                                                                         \
  X(socketpair)                                                                                    \
  X(getcwd)                                                                                        \
  X(__getcwd_chk)                                                                                  \
  X(readlink)                                                                                      \
  X(__readlink_chk)                                                                                \
  X(stat)                                                                                          \
  X(fstat)                                                                                         \
  X(lstat)                                                                                         \
  X(fstatat)                                                                                       \
  X(access)                                                                                        \
  X(unlink)                                                                                        \
  X(mkdir)                                                                                         \
  X(rmdir)                                                                                         \
  X(chdir)                                                                                         \
  X(rename)                                                                                        \
  X(remove)                                                                                        \
  X(realpath)                                                                                      \
  X(getrandom)                                                                                     \
  X(getentropy)
#include "next.h"

/* What is about to come, if the call is one that counts. */
static void *coming(void *to, size_t size, uint64_t place) {
  if (size > 0 && unfold_watching && unfold_counts(place)) unfold_coming(to, size, place);
  return to;
}

static ssize_t received(void *to, ssize_t size, uint64_t place) {
  if (size > 0 && unfold_watching && unfold_counts(place))
    unfold_touched(to, (size_t)size, true, place);
  return size;
}

INTERPOSE ssize_t read(int file, void *to, size_t size) {
  return received(to, NEXT(read)(file, coming(to, size, CALLER), size), CALLER);
}

ssize_t __read_chk(int file, void *to, size_t size, size_t room) {
  return received(to, NEXT(__read_chk)(file, coming(to, size, CALLER), size, room), CALLER);
}

INTERPOSE ssize_t pread(int file, void *to, size_t size, off_t at) {
  return received(to, NEXT(pread)(file, coming(to, size, CALLER), size, at), CALLER);
}
OLDER_NAME(pread64, pread);

ssize_t __pread_chk(int file, void *to, size_t size, off_t at, size_t room) {
  return received(to, NEXT(__pread_chk)(file, coming(to, size, CALLER), size, at, room), CALLER);
}
OLDER_NAME(__pread64_chk, __pread_chk);

INTERPOSE ssize_t recv(int socket, void *to, size_t size, int flags) {
  return received(to, NEXT(recv)(socket, coming(to, size, CALLER), size, flags), CALLER);
}

ssize_t __recv_chk(int socket, void *to, size_t size, size_t room, int flags) {
  return received(to, NEXT(__recv_chk)(socket, coming(to, size, CALLER), size, room, flags),
                  CALLER);
}

static bool are_there(const struct iovec *parts, int count) {
  return count > 0 && count <= IOV_MAX && unfold_mapped(parts, (size_t)count * sizeof *parts);
}

INTERPOSE ssize_t readv(int file, const struct iovec *parts, int count) {
  if (!WATCHED || !are_there(parts, count)) return NEXT(readv)(file, parts, count);
  READS(parts, (size_t)count * sizeof *parts);
  for (int i = 0; i < count; i++)
    coming(parts[i].iov_base, parts[i].iov_len, CALLER);
  const ssize_t size = NEXT(readv)(file, parts, count);
  size_t left = size > 0 ? (size_t)size : 0;
  for (int i = 0; i < count && left > 0; i++) {
    const size_t part = SMALLER(left, parts[i].iov_len);
    received(parts[i].iov_base, (ssize_t)part, CALLER);
    left -= part;
  }
  return size;
}

INTERPOSE ssize_t write(int file, const void *from, size_t size) {
  if (WATCHED) READS(from, size);
  return NEXT(write)(file, from, size);
}

INTERPOSE ssize_t pwrite(int file, const void *from, size_t size, off_t at) {
  if (WATCHED) READS(from, size);
  return NEXT(pwrite)(file, from, size, at);
}
OLDER_NAME(pwrite64, pwrite);

INTERPOSE ssize_t writev(int file, const struct iovec *parts, int count) {
  enum { PARTS_MOST = 32 };
  if (WATCHED && are_there(parts, count)) {
    struct reading readings[PARTS_MOST] = {{parts, (size_t)count * sizeof *parts, false, '\0'}};
    unsigned used = 1;
    for (int i = 0; i < count && used < PARTS_MOST; i++)
      readings[used++] = (struct reading){parts[i].iov_base, parts[i].iov_len, false, '\0'};
    if (count >= PARTS_MOST) unfold_unknown("writev", CALLER);
    unfold_reads(readings, used, CALLER);
  }
  return NEXT(writev)(file, parts, count);
}

INTERPOSE ssize_t send(int socket, const void *from, size_t size, int flags) {
  if (WATCHED) READS(from, size);
  return NEXT(send)(socket, from, size, flags);
}

INTERPOSE int pipe(int ends[2]) {
  const int error = NEXT(pipe)(coming(ends, 2 * sizeof *ends, CALLER));
  if (error == 0 && WATCHED) WRITES(ends, 2 * sizeof *ends);
  return error;
}

INTERPOSE int pipe2(int ends[2], int flags) {
  const int error = NEXT(pipe2)(coming(ends, 2 * sizeof *ends, CALLER), flags);
  if (error == 0 && WATCHED) WRITES(ends, 2 * sizeof *ends);
  return error;
}

INTERPOSE int socketpair(int domain, int type, int protocol, int ends[2]) {
  const int error =
      NEXT(socketpair)(domain, type, protocol, coming(ends, 2 * sizeof *ends, CALLER));
  if (error == 0 && WATCHED) WRITES(ends, 2 * sizeof *ends);
  return error;
}

/* ---- names of files ---- */

INTERPOSE char *getcwd(char *to, size_t size) {
  char *path = NEXT(getcwd)(to == NULL ? to : coming(to, size, CALLER), size);
  if (path != NULL && WATCHED) WRITES(path, strlen(path) + 1);
  return path;
}

char *__getcwd_chk(char *to, size_t size, size_t room) {
  char *path = NEXT(__getcwd_chk)(coming(to, size, CALLER), size, room);
  if (path != NULL && WATCHED) WRITES(path, strlen(path) + 1);
  return path;
}

INTERPOSE ssize_t readlink(const char *restrict path, char *restrict to, size_t size) {
  if (WATCHED) READS_PATH(path);
  return received(to, NEXT(readlink)(path, coming(to, size, CALLER), size), CALLER);
}

ssize_t __readlink_chk(const char *path, char *to, size_t size, size_t room) {
  if (WATCHED) READS_PATH(path);
  return received(to, NEXT(__readlink_chk)(path, coming(to, size, CALLER), size, room), CALLER);
}

static int described(struct stat *to, int error, uint64_t place) {
  if (error == 0) received(to, sizeof *to, place);
  return error;
}

INTERPOSE int stat(const char *restrict path, struct stat *restrict to) {
  if (WATCHED) READS_PATH(path);
  return described(to, NEXT(stat)(path, coming(to, sizeof *to, CALLER)), CALLER);
}
OLDER_NAME(stat64, stat);

INTERPOSE int fstat(int file, struct stat *to) {
  return described(to, NEXT(fstat)(file, coming(to, sizeof *to, CALLER)), CALLER);
}
OLDER_NAME(fstat64, fstat);

INTERPOSE int lstat(const char *restrict path, struct stat *restrict to) {
  if (WATCHED) READS_PATH(path);
  return described(to, NEXT(lstat)(path, coming(to, sizeof *to, CALLER)), CALLER);
}
OLDER_NAME(lstat64, lstat);

INTERPOSE int fstatat(int folder, const char *restrict path, struct stat *restrict to, int flags) {
  if (WATCHED) READS_PATH(path);
  return described(to, NEXT(fstatat)(folder, path, coming(to, sizeof *to, CALLER), flags), CALLER);
}
OLDER_NAME(fstatat64, fstatat);

INTERPOSE int access(const char *path, int how) {
  if (WATCHED) READS_PATH(path);
  return NEXT(access)(path, how);
}

INTERPOSE int mkdir(const char *path, mode_t mode) {
  if (WATCHED) READS_PATH(path);
  return NEXT(mkdir)(path, mode);
}

#define NAMES_FILE(name)                                                                           \
  INTERPOSE int name(const char *path) {                                                           \
    if (WATCHED) READS_PATH(path);                                                                 \
    return NEXT(name)(path);                                                                       \
  }
NAMES_FILE(unlink)
NAMES_FILE(rmdir)
NAMES_FILE(chdir)
NAMES_FILE(remove)

INTERPOSE char *realpath(const char *restrict path, char *restrict to) {
  if (WATCHED) READS_PATH(path);
  char *whole = NEXT(realpath)(path, to == NULL ? to : coming(to, PATH_MAX, CALLER));
  if (whole != NULL && to != NULL) received(to, (ssize_t)strlen(to) + 1, CALLER);
  return whole;
}

INTERPOSE int rename(const char *from, const char *to) {
  if (WATCHED && unfold_mapped(from, 1) && unfold_mapped(to, 1))
    COMPARES(from, strlen(from) + 1, to, strlen(to) + 1);
  return NEXT(rename)(from, to);
}

/* ---- what is by chance ---- */

INTERPOSE ssize_t getrandom(void *to, size_t size, unsigned flags) {
  return received(to, NEXT(getrandom)(coming(to, size, CALLER), size, flags), CALLER);
}

INTERPOSE int getentropy(void *to, size_t size) {
  const int error = NEXT(getentropy)(coming(to, size, CALLER), size);
  if (error == 0) received(to, (ssize_t)size, CALLER);
  return error;
}
