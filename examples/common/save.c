/* A limit on the size of files is met as a signal, SIGXFSZ, which ends the process. It is sent to
 * the thread that writes, so it is blocked there meanwhile and taken away afterwards: no handler of
 * the process changes. */
#include "save.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { BUFFER = 8192, ATTEMPTS = 1000, FEW = 16 };

struct save_output {
  int file, error; /* of the first write that failed, or 0 */
  size_t used;
  char buffer[BUFFER];
};

static bool put(struct save_output *out, const char *text, size_t size) {
  while (size > 0 && out->error == 0) {
    ssize_t written = write(out->file, text, size);
    if (written > 0) {
      text += written;
      size -= (size_t)written;
    } else if (written == 0 || errno != EINTR) {
      out->error = written == 0 ? ENOSPC : errno;
    }
  }
  return out->error == 0;
}

static bool empty(struct save_output *out) {
  size_t size = out->used;
  out->used = 0;
  return put(out, out->buffer, size);
}

static bool collect(void *user, const char *text, size_t size) {
  struct save_output *out = user;
  if (size > sizeof out->buffer - out->used && !empty(out)) return false;
  if (size > sizeof out->buffer) return put(out, text, size);
  memcpy(out->buffer + out->used, text, size);
  out->used += size;
  return true;
}

/* Has what was written on the disk, where the file system can do that. False: it failed. */
static bool synchronise(int file) {
  int failed;
  do
    failed = fsync(file);
  while (failed != 0 && errno == EINTR);
  return failed == 0 || errno == EINVAL || errno == EROFS || errno == ENOTSUP;
}

/* Into an open file, which is closed. */
static unf_status fill(int file, bool lasting, save_producer produce, void *user, int *reason) {
  struct save_output out = {.file = file};
  sigset_t limit, before, pending;
  const struct timespec none = {0, 0};
  sigemptyset(&limit);
  sigaddset(&limit, SIGXFSZ);
  sigpending(&pending);
  sigprocmask(SIG_BLOCK, &limit, &before);
  unf_status status = produce(user, collect, &out);
  if (status == UNF_OK && !empty(&out)) status = UNF_WRITE;
  if (out.error == EFBIG && !sigismember(&pending, SIGXFSZ)) sigtimedwait(&limit, NULL, &none);
  sigprocmask(SIG_SETMASK, &before, NULL);
  if (status == UNF_OK && lasting && !synchronise(file)) {
    out.error = errno;
    status = UNF_WRITE;
  }
  *reason = out.error;
  if (close(file) == 0 || errno == EINTR || status != UNF_OK) return status;
  *reason = errno;
  return UNF_WRITE;
}

/* ---- the file beside ---- */

/* Who writes such a file holds its lock, which ends with the process: one that can be locked is
 * what a killed process left. It goes, if it is ours to delete; what is no such file stays. Where
 * the file system has no locks nothing is known of it, and it stays, too. False: nothing is there.
 */
static bool remove_left(const char *name) {
  struct stat seen;
  const int file = open(name, O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (file < 0) return errno != ENOENT;
  if (fstat(file, &seen) == 0 && S_ISREG(seen.st_mode) && seen.st_uid == geteuid() &&
      flock(file, LOCK_EX | LOCK_NB) == 0)
    unlink(name);
  close(file);
  return true;
}

/* Whether the file is the one of that name: between open() and flock() another process may have
 * taken it for one that was left. */
static bool is_there(int file, const char *name) {
  struct stat opened, named;
  return fstat(file, &opened) == 0 && lstat(name, &named) == 0 && opened.st_ino == named.st_ino &&
         opened.st_dev == named.st_dev;
}

static int open_new(const char *name) {
  const int file = open(name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
  if (file < 0) return file;
  flock(file, LOCK_EX | LOCK_NB);
  if (is_there(file, name)) return file;
  close(file);
  errno = EEXIST;
  return -1;
}

/* The name of the file with a number, in the folder of the path. */
static bool name_beside(const char *path, unsigned number, char *name, size_t size) {
  const char *slash = strrchr(path, '/');
  const int folder = slash != NULL ? (int)(slash + 1 - path) : 0;
  const int length = snprintf(name, size, "%.*s.unfold-%u.tmp", folder, path, number);
  if (length >= 0 && (size_t)length < size) return true;
  errno = ENAMETOOLONG;
  return false;
}

/* Removes what killed processes left in the folder of the path. Numbers are taken from the lowest
 * one on, so there is nothing much above those that are looked at. */
static void remove_all_left(const char *path, char *name, size_t size) {
  bool more = true;
  for (unsigned i = 0; i < ATTEMPTS && (i < FEW || more); i++)
    more = name_beside(path, i, name, size) && remove_left(name);
}

/* A new file in the folder of the path; its descriptor, or -1. */
static int open_beside(const char *path, char *name, size_t size) {
  remove_all_left(path, name, size);
  for (unsigned i = 0; i < ATTEMPTS; i++) {
    if (!name_beside(path, i, name, size)) return -1;
    const int file = open_new(name);
    if (file >= 0 || errno != EEXIST) return file;
  }
  return -1;
}

/* Has the entry of a file in its folder on the disk. Returns false if it failed. */
static bool synchronise_folder(const char *path) {
  char folder[PATH_MAX];
  const char *slash = strrchr(path, '/');
  const int length = slash == path ? 1 : slash != NULL ? (int)(slash - path) : 0;
  snprintf(folder, sizeof folder, "%.*s", length > 0 ? length : 1, length > 0 ? path : ".");
  const int file = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  /* A folder in which one may write and not read has no other way. */
  if (file < 0) return errno == EACCES;
  const bool good = synchronise(file);
  const int error = errno;
  close(file);
  errno = error;
  return good;
}

static unf_status save(const char *path, bool lasting, save_producer produce, void *user,
                       int *reason) {
  char name[PATH_MAX];
  int file = open_beside(path, name, sizeof name);
  if (file < 0) {
    *reason = errno;
    return UNF_WRITE;
  }
  unf_status status = fill(file, lasting, produce, user, reason);
  if (status == UNF_OK && rename(name, path) != 0) {
    *reason = errno;
    status = UNF_WRITE;
  }
  if (status != UNF_OK) {
    unlink(name);
  } else if (lasting && !synchronise_folder(path)) {
    *reason = errno;
    status = UNF_WRITE;
  }
  return status;
}

unf_status save_whole(const char *path, save_producer produce, void *user, int *reason) {
  return save(path, false, produce, user, reason);
}

unf_status save_lasting(const char *path, save_producer produce, void *user, int *reason) {
  return save(path, true, produce, user, reason);
}

unf_status save_through(const char *path, save_producer produce, void *user, int *reason) {
  int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (file >= 0) return fill(file, false, produce, user, reason);
  *reason = errno;
  return UNF_WRITE;
}

/* ---- when ---- */

/* Parts of the time; saves that are paid for by then: this one, and that at the end, which may come
 * at once. */
enum { SHARE = 20, RARELY = 8, AHEAD = 2 };

void save_times_begin(struct save_times *times, double now, double took) {
  *times = (struct save_times){.began = now, .last = now, .took = took};
}

bool save_times_due(struct save_times *times, double every, double now) {
  const double all = now - times->began, then = times->last - times->began;
  if (now - times->last < every) return false;
  const double next = then > 0 ? times->took * all / then : times->took;
  if (then > 0 && all >= RARELY * then) return true;
  if (all >= SHARE * (times->spent + AHEAD * next)) return true;
  if (now - times->last > times->apart) times->apart = now - times->last;
  return false;
}

void save_times_done(struct save_times *times, double begun, double now) {
  times->last = now;
  times->took = now - begun;
  times->spent += times->took;
  times->count++;
}
