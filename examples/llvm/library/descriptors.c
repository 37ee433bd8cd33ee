/*
 * Descriptors: the table of open files, and what is read and written through it. The table has one
 * lock, under which paths are looked up, too: which number and which file is meant depends on who
 * came first. What is written to the standard output and error is dropped.
 */
#define _GNU_SOURCE
#include "descriptors.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/uio.h>
#include <unistd.h>

#include "channels.h"
#include "polls.h"
#include "sockets.h"
#include "tree.h"

static struct open_file standard[STANDARD] = {
    {.kind = OPEN_INPUT, .references = 1, .flags = O_RDONLY, .reads = true},
    {.kind = OPEN_DROPS, .references = 1, .flags = O_WRONLY, .writes = true},
    {.kind = OPEN_DROPS, .references = 1, .flags = O_WRONLY, .writes = true},
};
static struct open_file *files[FILES_MAX] = {&standard[0], &standard[1], &standard[2]};
static bool on_exec[FILES_MAX];

int __env_fail(int error) {
  errno = error;
  return -1;
}

void __env_table_lock(void) {
  __unfold_lock(files);
}

void __env_table_unlock(void) {
  __unfold_unlock(files);
}

struct open_file *__env_file(int number) {
  number = (int)__unfold_known(number);
  struct open_file *f = number >= 0 && number < FILES_MAX ? files[number] : NULL;
  if (f == NULL) errno = EBADF;
  return f;
}

struct open_file *__env_new(enum open_kind kind, int flags) {
  struct open_file *f = __unfold_allocate(sizeof *f);
  *f = (struct open_file){.kind = kind, .flags = flags};
  return f;
}

static int number_from(struct open_file *file, int first, bool closes_on_exec) {
  int number = first;
  while (number < FILES_MAX && files[number] != NULL)
    number++;
  if (number >= FILES_MAX) return __env_fail(EMFILE);
  files[number] = file;
  on_exec[number] = closes_on_exec;
  file->references++;
  return number;
}

int __env_number(struct open_file *file, bool closes_on_exec) {
  __env_table_lock();
  const int number = number_from(file, 0, closes_on_exec);
  __env_table_unlock();
  return number;
}

/* An access beyond an object is one also where nobody gets the bytes. */
void __env_drop_bytes(const void *from, size_t size) {
  const bool depends = __unfold_depends((int64_t)size);
  const size_t room = depends ? __unfold_room(from) : size;
  if (!depends)
    __unfold_reads(from, size);
  else if (size > room)
    __unfold_reads(from, room + 1);
}

bool __env_drops(int number) {
  const struct open_file *f = number >= 0 && number < FILES_MAX ? files[number] : NULL;
  return f != NULL && f->kind == OPEN_DROPS;
}

bool __env_blocks(const struct open_file *file) {
  return (file->flags & O_NONBLOCK) == 0;
}

struct gate *__env_gate(const struct open_file *file, bool writing) {
  switch (file->kind) {
  case OPEN_CHANNEL: {
    struct channel *c = writing ? file->out : file->in;
    return c != NULL ? &c->gate : NULL;
  }
  case OPEN_LISTENER:
    return writing ? NULL : __env_listener_gate(file->listener);
  case OPEN_POLL:
    return writing ? NULL : &file->waiting->gate;
  default:
    return NULL;
  }
}

/* ---- open and close ---- */

static int open_path(const char *path, int flags, unsigned mode) {
  const int access = flags & O_ACCMODE;
  struct open_file *f = __env_new(OPEN_FILE, flags);
  f->reads = access != O_WRONLY;
  f->writes = access != O_RDONLY;
  __env_table_lock();
  if (strcmp(path, "/dev/null") == 0)
    f->kind = OPEN_DROPS;
  else
    f->node = __env_open_node(path, flags, mode);
  const bool found = f->kind == OPEN_DROPS || f->node != NULL;
  const int number = found ? number_from(f, 0, (flags & O_CLOEXEC) != 0) : -1;
  __env_table_unlock();
  return number;
}

int open(const char *path, int flags, ...) {
  unsigned mode = 0;
  va_list list;
  va_start(list, flags);
  if ((flags & O_CREAT) != 0) mode = va_arg(list, unsigned);
  va_end(list);
  return open_path(path, flags, mode);
}

int open64(const char *path, int flags, ...) {
  unsigned mode = 0;
  va_list list;
  va_start(list, flags);
  if ((flags & O_CREAT) != 0) mode = va_arg(list, unsigned);
  va_end(list);
  return open_path(path, flags, mode);
}

int openat(int folder, const char *path, int flags, ...) {
  unsigned mode = 0;
  va_list list;
  va_start(list, flags);
  if ((flags & O_CREAT) != 0) mode = va_arg(list, unsigned);
  va_end(list);
  if (folder != AT_FDCWD && path[0] != '/') __unfold_unsupported("openat in a directory");
  return open_path(path, flags, mode);
}

int creat(const char *path, mode_t mode) {
  return open_path(path, O_CREAT | O_WRONLY | O_TRUNC, mode);
}

/* Nobody has it any more. */
static void release(struct open_file *f) {
  if (f->kind == OPEN_CHANNEL) {
    const bool same = f->in == f->out;
    if (f->in != NULL) __env_channel_close(f->in, f, true, same);
    if (f->out != NULL && !same) __env_channel_close(f->out, f, false, f->writes);
  }
  if (f->kind == OPEN_LISTENER) __env_listener_close(f->listener, f);
  if (f->kind == OPEN_POLL) __env_poll_close(f->waiting, f);
}

int close(int number) {
  __env_table_lock();
  struct open_file *f = __env_file(number);
  if (f != NULL) files[number] = NULL;
  const bool last = f != NULL && --f->references == 0;
  __env_table_unlock();
  if (last) release(f);
  return f != NULL ? 0 : -1;
}

static int copy(int number, int first, bool closes_on_exec) {
  __env_table_lock();
  struct open_file *f = __env_file(number);
  const int result = f != NULL ? number_from(f, first, closes_on_exec) : -1;
  __env_table_unlock();
  return result;
}

int dup(int number) {
  return copy(number, 0, false);
}

int dup3(int number, int to, int flags) {
  __env_table_lock();
  struct open_file *f = __env_file(number);
  struct open_file *old = to >= 0 && to < FILES_MAX ? files[to] : NULL;
  const bool good = f != NULL && to >= 0 && to < FILES_MAX;
  if (f != NULL && !good) errno = EBADF;
  if (good) {
    f->references++;
    files[to] = f;
    on_exec[to] = (flags & O_CLOEXEC) != 0;
  }
  const bool last = good && old != NULL && --old->references == 0;
  __env_table_unlock();
  if (last) release(old);
  return good ? to : -1;
}

int dup2(int number, int to) {
  if (number == to) return __env_file(number) != NULL ? to : -1;
  return dup3(number, to, 0);
}

/* ---- read and write ---- */

static ssize_t read_at(struct open_file *f, void *to, size_t size, off_t offset) {
  if (f->kind == OPEN_FILE) return __env_node_read(f->node, to, size, offset);
  if (f->kind != OPEN_INPUT) return 0;
  const int64_t all = __unfold_file_size(0), left = offset < all ? all - offset : 0;
  const int64_t count = (uint64_t)left < size ? left : (int64_t)size;
  __unfold_file_read(0, offset, to, count);
  return count;
}

ssize_t pread(int number, void *to, size_t size, off_t offset) {
  struct open_file *f = __env_file(number);
  if (f == NULL) return -1;
  if (!f->reads) return __env_fail(EBADF);
  if (f->kind != OPEN_FILE && f->kind != OPEN_DROPS) return __env_fail(ESPIPE);
  return read_at(f, to, (size_t)__unfold_known((int64_t)size), offset);
}

ssize_t pread64(int number, void *to, size_t size, off_t offset) {
  return pread(number, to, size, offset);
}

static ssize_t read_file(struct open_file *f, void *to, size_t size) {
  if (f->kind == OPEN_DROPS) return 0;
  __unfold_lock(&f->offset);
  const ssize_t count = read_at(f, to, size, f->offset);
  if (count > 0) f->offset += count;
  __unfold_unlock(&f->offset);
  return count;
}

ssize_t read(int number, void *to, size_t size) {
  struct open_file *f = __env_file(number);
  if (f == NULL) return -1;
  if (!f->reads) return __env_fail(EBADF);
  size = (size_t)__unfold_known((int64_t)size);
  if (f->kind == OPEN_CHANNEL && f->in != NULL)
    return __env_channel_read(f->in, to, size, __env_blocks(f), false);
  return f->kind <= OPEN_FILE ? read_file(f, to, size) : __env_fail(EINVAL);
}

static ssize_t write_file(struct open_file *f, const void *from, size_t size) {
  off_t end = 0;
  const bool appends = (f->flags & O_APPEND) != 0;
  __unfold_lock(&f->offset);
  const ssize_t count = __env_node_write(f->node, from, size, f->offset, appends, &end);
  if (count > 0) f->offset = end;
  __unfold_unlock(&f->offset);
  return count;
}

ssize_t write(int number, const void *from, size_t size) {
  struct open_file *f = __env_file(number);
  if (f == NULL) return -1;
  if (!f->writes) return f->out != NULL ? __env_broken(true) : __env_fail(EBADF);
  if (f->kind == OPEN_DROPS || (f->kind == OPEN_CHANNEL && f->out == NULL)) {
    __env_drop_bytes(from, size); /* also to a peer, who takes everything */
    return (ssize_t)size;
  }
  size = (size_t)__unfold_known((int64_t)size);
  if (f->kind == OPEN_FILE) return write_file(f, from, size);
  if (f->kind != OPEN_CHANNEL) return __env_fail(EINVAL);
  return __env_send(f->out, from, size, __env_blocks(f), true);
}

ssize_t pwrite(int number, const void *from, size_t size, off_t offset) {
  off_t end;
  struct open_file *f = __env_file(number);
  if (f == NULL) return -1;
  if (!f->writes) return __env_fail(EBADF);
  if (f->kind == OPEN_DROPS) {
    __env_drop_bytes(from, size);
    return (ssize_t)size;
  }
  if (f->kind != OPEN_FILE) return __env_fail(ESPIPE);
  return __env_node_write(f->node, from, (size_t)__unfold_known((int64_t)size), offset, false,
                          &end);
}

ssize_t pwrite64(int number, const void *from, size_t size, off_t offset) {
  return pwrite(number, from, size, offset);
}

/* In one piece, so that nothing of others comes in between. */
ssize_t writev(int number, const struct iovec *parts, int count) {
  size_t size = 0, at = 0;
  for (int i = 0; i < count; i++)
    size += parts[i].iov_len;
  size = (size_t)__unfold_known((int64_t)size);
  char *all = malloc(size + 1);
  for (int i = 0; i < count; i++) {
    memcpy(all + at, parts[i].iov_base, parts[i].iov_len);
    at += parts[i].iov_len;
  }
  const ssize_t result = write(number, all, size);
  free(all);
  return result;
}

ssize_t readv(int number, const struct iovec *parts, int count) {
  size_t size = 0, at = 0;
  for (int i = 0; i < count; i++)
    size += parts[i].iov_len;
  size = (size_t)__unfold_known((int64_t)size);
  char *all = malloc(size + 1);
  const ssize_t result = read(number, all, size);
  for (int i = 0; i < count && result > 0 && at < (size_t)result; i++) {
    const size_t left = (size_t)result - at,
                 part = left < parts[i].iov_len ? left : parts[i].iov_len;
    memcpy(parts[i].iov_base, all + at, part);
    at += part;
  }
  free(all);
  return result;
}

off_t lseek(int number, off_t offset, int whence) {
  struct open_file *f = __env_file(number);
  if (f == NULL) return -1;
  if (f->kind != OPEN_FILE && !(f->kind == OPEN_DROPS && f->node == NULL && number >= STANDARD))
    return __env_fail(ESPIPE);
  __unfold_lock(&f->offset);
  const off_t from = whence == SEEK_SET   ? 0
                     : whence == SEEK_CUR ? f->offset
                     : f->node != NULL    ? __env_node_size(f->node)
                                          : 0;
  const bool good = from + offset >= 0 && whence <= SEEK_END;
  if (good) f->offset = from + offset;
  __unfold_unlock(&f->offset);
  return good ? from + offset : __env_fail(EINVAL);
}

off_t lseek64(int number, off_t offset, int whence) {
  return lseek(number, offset, whence);
}

int ftruncate(int number, off_t size) {
  struct open_file *f = __env_file(number);
  if (f == NULL) return -1;
  return f->kind == OPEN_FILE && f->writes ? __env_node_truncate(f->node, size)
                                           : __env_fail(EINVAL);
}

int ftruncate64(int number, off_t size) {
  return ftruncate(number, size);
}

/* ---- others ---- */

static int succeed(int number) {
  return __env_file(number) != NULL ? 0 : -1;
}

int fsync(int number) {
  return succeed(number);
}
int fdatasync(int number) {
  return succeed(number);
}
int posix_fadvise(int number, off_t offset, off_t size, int advice) {
  (void)offset;
  (void)size;
  (void)advice;
  return succeed(number) == 0 ? 0 : EBADF;
}
int posix_fadvise64(int number, off_t offset, off_t size, int advice) {
  return posix_fadvise(number, offset, size, advice);
}

int isatty(int number) {
  (void)number;
  errno = ENOTTY;
  return 0;
}

/* What an open file can be told: of its flags, those that are looked at here. */
static int set_flags(struct open_file *f, int flags) {
  enum { CHANGED = O_APPEND | O_NONBLOCK };
  f->flags = (f->flags & ~CHANGED) | (flags & CHANGED);
  return 0;
}

static int control(int number, int command, int64_t argument) {
  struct open_file *f = __env_file(number);
  if (f == NULL) return -1;
  switch (command) {
  case F_DUPFD:
    return copy(number, (int)argument, false);
  case F_DUPFD_CLOEXEC:
    return copy(number, (int)argument, true);
  case F_GETFD:
    return on_exec[number] ? FD_CLOEXEC : 0;
  case F_SETFD:
    on_exec[number] = (argument & FD_CLOEXEC) != 0;
    return 0;
  case F_GETFL:
    return f->flags & (O_ACCMODE | O_APPEND | O_NONBLOCK);
  case F_SETFL:
    return set_flags(f, (int)argument);
  default:
    __unfold_unsupported("fcntl with another command");
  }
}

static bool has_argument(int command) {
  return command != F_GETFD && command != F_GETFL;
}

int fcntl(int number, int command, ...) {
  va_list list;
  va_start(list, command);
  const int64_t argument = has_argument(command) ? va_arg(list, int64_t) : 0;
  va_end(list);
  return control(number, command, argument);
}

int fcntl64(int number, int command, ...) {
  va_list list;
  va_start(list, command);
  const int64_t argument = has_argument(command) ? va_arg(list, int64_t) : 0;
  va_end(list);
  return control(number, command, argument);
}

int ioctl(int number, unsigned long request, ...) {
  va_list list;
  va_start(list, request);
  void *argument = va_arg(list, void *);
  va_end(list);
  struct open_file *f = __env_file(number);
  if (f == NULL) return -1;
  if (request == FIONBIO)
    return set_flags(f, *(int *)argument ? f->flags | O_NONBLOCK : f->flags & ~O_NONBLOCK);
  if (request != TCGETS && request != TIOCGWINSZ) __unfold_unsupported("ioctl");
  return __env_fail(ENOTTY);
}
