/*
 * Files and their names. What the program writes is kept here; the files of the system are as they
 * were when they were first looked at, and stay so. A name that was removed, or made, hides that of
 * the system. Names are looked up under the lock of the table (descriptors.c), the bytes of a file
 * are read under its rwlock: readers do not depend on each other.
 */
#define _GNU_SOURCE
#include "tree.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/time.h>
#include <unistd.h>
#include <utime.h>

#include "descriptors.h"

enum { PATH_SIZE = 1024, NANOSECONDS = 1000000000, BEGIN = 1700000000 };

struct file_name {
  char *path;
  struct node *node; /* NULL: it was removed */
  struct file_name *next;
};
static struct file_name *names;
static unsigned node_count;

/* ---- paths ---- */

/* Behind `to` with another part, or one part less. */
static void add_part(char *to, const char *part, size_t length) {
  const size_t size = strlen(to);
  if (length == 0 || (length == 1 && part[0] == '.')) return;
  char *last = strrchr(to, '/');
  const char *from = last != NULL ? last + 1 : to;
  if (length == 2 && part[0] == '.' && part[1] == '.' && *from != '\0' && strcmp(from, "..") != 0) {
    *(last != NULL && last != to ? last : (char *)from) = '\0';
    return;
  }
  if (size + length + 2 > PATH_SIZE) __unfold_unsupported("a path of so many characters");
  const bool slash = size > 0 && to[size - 1] != '/';
  if (slash) to[size] = '/';
  memcpy(to + size + slash, part, length);
  to[size + slash + length] = '\0';
}

/* One name for each file: without dots and doubled slashes; relative where it is in the current
 * directory. */
static void normal(const char *path, char *to) {
  char here[PATH_SIZE];
  strcpy(to, path[0] == '/' ? "/" : "");
  for (const char *part = path; *part != '\0';) {
    const size_t length = strcspn(part, "/");
    add_part(to, part, length);
    part += length;
    while (*part == '/')
      part++;
  }
  if (to[0] != '/') return;
  __unfold_directory(here, sizeof here);
  const size_t length = strlen(here);
  if (strncmp(to, here, length) == 0 && to[length] == '/')
    memmove(to, to + length + 1, strlen(to + length));
}

static struct file_name *find_name(const char *path) {
  struct file_name *n = names;
  while (n != NULL && strcmp(n->path, path) != 0)
    n = n->next;
  return n;
}

static struct file_name *make_name(const char *path, struct node *node) {
  struct file_name *n = __unfold_allocate(sizeof *n);
  *n = (struct file_name){strdup(path), node, names};
  names = n;
  return n;
}

static struct node *make_node(unsigned mode, bool directory, int64_t source) {
  struct node *n = __unfold_allocate(sizeof *n);
  *n = (struct node){.source = source,
                     .directory = directory,
                     .mode = mode,
                     .links = 1,
                     .number = ++node_count,
                     .modified = (int64_t)BEGIN * NANOSECONDS};
  if (source >= 0) n->size = (size_t)__unfold_file_size(source);
  pthread_rwlock_init((pthread_rwlock_t *)n->lock, NULL);
  return n;
}

/* The file of a name, which the system may have. */
static struct node *find_node(const char *path) {
  const struct file_name *n = find_name(path);
  if (n != NULL) return n->node;
  const int mode = path[0] != '\0' ? __unfold_file_mode(path) : S_IFDIR | 0755;
  if (mode < 0) return NULL;
  const bool directory = S_ISDIR(mode);
  if (!directory && !S_ISREG(mode)) __unfold_unsupported("a file that is no regular one");
  const int64_t source = directory ? -1 : __unfold_file(path);
  if (!directory && source < 0) return NULL;
  return make_name(path, make_node((unsigned)mode & 07777, directory, source))->node;
}

/* Whether the directory is there in which a name is made. */
static bool has_directory(const char *path) {
  char above[PATH_SIZE];
  strcpy(above, path);
  char *slash = strrchr(above, '/');
  if (slash == NULL || slash == above) return true;
  *slash = '\0';
  const struct node *n = find_node(above);
  if (n == NULL || !n->directory) errno = n == NULL ? ENOENT : ENOTDIR;
  return n != NULL && n->directory;
}

/* A new name; NULL with errno. */
static struct node *create(const char *path, struct node *node) {
  if (!has_directory(path)) return NULL;
  struct file_name *n = find_name(path);
  if (n == NULL)
    make_name(path, node);
  else
    n->node = node;
  return node;
}

/* ---- bytes ---- */

static void lock_reading(struct node *n) {
  pthread_rwlock_rdlock((pthread_rwlock_t *)n->lock);
}

static void lock_writing(struct node *n) {
  pthread_rwlock_wrlock((pthread_rwlock_t *)n->lock);
}

static void unlock(struct node *n) {
  pthread_rwlock_unlock((pthread_rwlock_t *)n->lock);
}

/* Room for so many bytes, which are the program's own from now on. */
static void own(struct node *n, size_t size) {
  if (n->source < 0 && size <= n->allocated) return;
  const size_t room = 2 * size + 64;
  unsigned char *bytes = calloc(room, 1);
  if (n->source >= 0)
    __unfold_file_read(n->source, 0, bytes, (int64_t)n->size);
  else if (n->size > 0)
    memcpy(bytes, n->bytes, n->size);
  free(n->bytes);
  n->bytes = bytes;
  n->allocated = room;
  n->source = -1;
}

ssize_t __env_node_read(struct node *n, void *to, size_t size, off_t offset) {
  if (n->directory) return __env_fail(EISDIR);
  if (offset < 0) return __env_fail(EINVAL);
  lock_reading(n);
  const size_t left = (size_t)offset < n->size ? n->size - (size_t)offset : 0;
  const size_t count = left < size ? left : size;
  if (n->source >= 0)
    __unfold_file_read(n->source, offset, to, (int64_t)count);
  else if (count > 0)
    memcpy(to, n->bytes + offset, count);
  unlock(n);
  return (ssize_t)count;
}

ssize_t __env_node_write(struct node *n, const void *from, size_t size, off_t offset, bool appends,
                         off_t *end) {
  if (offset < 0) return __env_fail(EINVAL);
  lock_writing(n);
  if (appends) offset = (off_t)n->size;
  const size_t behind = (size_t)offset + size;
  own(n, behind > n->size ? behind : n->size);
  if (size > 0) memcpy(n->bytes + offset, from, size);
  if (size > 0 && behind > n->size) n->size = behind;
  n->modified = (int64_t)BEGIN * NANOSECONDS + __unfold_time(0);
  unlock(n);
  *end = offset + (off_t)size;
  return (ssize_t)size;
}

off_t __env_node_size(struct node *n) {
  lock_reading(n);
  const off_t size = (off_t)n->size;
  unlock(n);
  return size;
}

int __env_node_truncate(struct node *n, off_t size) {
  if (size < 0) return __env_fail(EINVAL);
  lock_writing(n);
  own(n, (size_t)size > n->size ? (size_t)size : n->size);
  if ((size_t)size < n->size) memset(n->bytes + size, 0, n->size - (size_t)size);
  n->size = (size_t)size;
  unlock(n);
  return 0;
}

/* ---- open ---- */

struct node *__env_open_node(const char *path, int flags, unsigned mode) {
  char to[PATH_SIZE];
  normal(path, to);
  struct node *n = find_node(to);
  const bool writes = (flags & O_ACCMODE) != O_RDONLY;
  if (n == NULL && (flags & O_CREAT) == 0) {
    errno = ENOENT;
    return NULL;
  }
  if (n == NULL) return create(to, make_node(mode & 0777, false, -1));
  if ((flags & O_CREAT) != 0 && (flags & O_EXCL) != 0)
    errno = EEXIST;
  else if (n->directory && writes)
    errno = EISDIR;
  else if (!n->directory && (flags & O_DIRECTORY) != 0)
    errno = ENOTDIR;
  else {
    if (writes && (flags & O_TRUNC) != 0) __env_node_truncate(n, 0);
    return n;
  }
  return NULL;
}

static int make_temporary(char *template, int flags) {
  static unsigned made;
  const size_t length = strlen(template);
  if (length < 6 || strcmp(template + length - 6, "XXXXXX") != 0) return __env_fail(EINVAL);
  __env_table_lock();
  unsigned number = made++;
  __env_table_unlock();
  for (int i = 0; i < 6; i++, number /= 26)
    template[length - 1 - (size_t)i] = (char)('a' + number % 26);
  return open(template, O_RDWR | O_CREAT | O_EXCL | flags, 0600);
}

int mkstemp(char *template) {
  return make_temporary(template, 0);
}
int mkstemp64(char *template) {
  return make_temporary(template, 0);
}
int mkostemp(char *template, int flags) {
  return make_temporary(template, flags);
}
int mkostemp64(char *template, int flags) {
  return make_temporary(template, flags);
}

/* ---- what is known of a file ---- */

static void describe(struct node *n, struct stat *to) {
  memset(to, 0, sizeof *to);
  lock_reading(n);
  to->st_mode = n->mode | (n->directory ? S_IFDIR : S_IFREG);
  to->st_size = (off_t)n->size;
  to->st_ino = n->number;
  to->st_nlink = n->links;
  to->st_dev = 1;
  to->st_blksize = 4096;
  to->st_blocks = (to->st_size + 511) / 512;
  to->st_mtim.tv_sec = n->modified / NANOSECONDS;
  to->st_mtim.tv_nsec = n->modified % NANOSECONDS;
  to->st_atim = to->st_ctim = to->st_mtim;
  unlock(n);
}

/* The file of a path, looked up under the lock of the table; NULL with errno. */
static struct node *look_up(const char *path) {
  char to[PATH_SIZE];
  normal(path, to);
  __env_table_lock();
  struct node *n = find_node(to);
  __env_table_unlock();
  if (n == NULL) errno = ENOENT;
  return n;
}

int stat(const char *path, struct stat *to) {
  struct node *n = look_up(path);
  if (n != NULL) describe(n, to);
  return n != NULL ? 0 : -1;
}
int stat64(const char *path, struct stat64 *to) {
  return stat(path, (struct stat *)to);
}
int lstat(const char *path, struct stat *to) {
  return stat(path, to);
}
int lstat64(const char *path, struct stat64 *to) {
  return stat(path, (struct stat *)to);
}

int fstat(int number, struct stat *to) {
  const struct open_file *f = __env_file(number);
  if (f == NULL) return -1;
  if (f->node != NULL) {
    describe(f->node, to);
    return 0;
  }
  memset(to, 0, sizeof *to);
  to->st_mode = 0600 | (f->kind == OPEN_DROPS                       ? S_IFCHR
                        : f->kind == OPEN_INPUT || f->in == NULL    ? S_IFIFO
                        : f->kind == OPEN_CHANNEL && f->family == 0 ? S_IFIFO
                                                                    : S_IFSOCK);
  to->st_blksize = 4096;
  to->st_nlink = 1;
  return 0;
}
int fstat64(int number, struct stat64 *to) {
  return fstat(number, (struct stat *)to);
}
int fstatat(int folder, const char *path, struct stat *to, int flags) {
  if ((flags & AT_EMPTY_PATH) != 0 && path[0] == '\0') return fstat(folder, to);
  if (folder != AT_FDCWD && path[0] != '/') __unfold_unsupported("fstatat in a directory");
  return stat(path, to);
}
int fstatat64(int folder, const char *path, struct stat64 *to, int flags) {
  return fstatat(folder, path, (struct stat *)to, flags);
}

int access(const char *path, int mode) {
  (void)mode;
  return look_up(path) != NULL ? 0 : -1;
}
int euidaccess(const char *path, int mode) {
  return access(path, mode);
}

int chmod(const char *path, mode_t mode) {
  struct node *n = look_up(path);
  if (n == NULL) return -1;
  lock_writing(n);
  n->mode = mode & 07777;
  unlock(n);
  return 0;
}
int fchmod(int number, mode_t mode) {
  const struct open_file *f = __env_file(number);
  if (f == NULL || f->node == NULL) return f != NULL ? 0 : -1;
  lock_writing(f->node);
  f->node->mode = mode & 07777;
  unlock(f->node);
  return 0;
}
int chown(const char *path, uid_t user, gid_t group) {
  (void)user;
  (void)group;
  return access(path, 0);
}
int fchown(int number, uid_t user, gid_t group) {
  (void)user;
  (void)group;
  return __env_file(number) != NULL ? 0 : -1;
}

static int set_time(struct node *n, int64_t modified) {
  if (n == NULL) return -1;
  lock_writing(n);
  n->modified = modified;
  unlock(n);
  return 0;
}
static int64_t now(void) {
  return (int64_t)BEGIN * NANOSECONDS + __unfold_time(0);
}
int utime(const char *path, const struct utimbuf *times) {
  return set_time(look_up(path), times != NULL ? times->modtime * NANOSECONDS : now());
}
int utimes(const char *path, const struct timeval times[2]) {
  return set_time(look_up(path),
                  times != NULL ? times[1].tv_sec * NANOSECONDS + times[1].tv_usec * 1000 : now());
}
static int64_t time_of(const struct timespec times[2]) {
  return times == NULL || times[1].tv_nsec == UTIME_NOW
             ? now()
             : times[1].tv_sec * NANOSECONDS + times[1].tv_nsec;
}
int utimensat(int folder, const char *path, const struct timespec times[2], int flags) {
  (void)flags;
  if (folder != AT_FDCWD && path[0] != '/') __unfold_unsupported("utimensat in a directory");
  return set_time(look_up(path), time_of(times));
}
int futimens(int number, const struct timespec times[2]) {
  const struct open_file *f = __env_file(number);
  if (f == NULL) return -1;
  return f->node != NULL ? set_time(f->node, time_of(times)) : 0;
}

/* ---- names ---- */

static int remove_name(const char *path, bool directory) {
  char to[PATH_SIZE];
  normal(path, to);
  __env_table_lock();
  struct node *n = find_node(to);
  const int error = n == NULL                    ? ENOENT
                    : n->directory && !directory ? EISDIR
                    : !n->directory && directory ? ENOTDIR
                                                 : 0;
  if (error == 0) find_name(to)->node = NULL;
  if (error == 0) n->links--;
  __env_table_unlock();
  return error == 0 ? 0 : __env_fail(error);
}

int unlink(const char *path) {
  return remove_name(path, false);
}
int unlinkat(int folder, const char *path, int flags) {
  if (folder != AT_FDCWD && path[0] != '/') __unfold_unsupported("unlinkat in a directory");
  return remove_name(path, (flags & AT_REMOVEDIR) != 0);
}
int rmdir(const char *path) {
  return remove_name(path, true);
}
int remove(const char *path) {
  const struct node *n = look_up(path);
  return n != NULL ? remove_name(path, n->directory) : -1;
}

/* Another name for a file, and with `moves` without the first one. */
static int rename_to(const char *path, const char *other, bool moves) {
  char from[PATH_SIZE], to[PATH_SIZE];
  normal(path, from);
  normal(other, to);
  __env_table_lock();
  struct node *n = find_node(from);
  if (n == NULL) errno = ENOENT;
  if (n != NULL && n->directory) __unfold_unsupported("another name for a directory");
  const struct node *old = n != NULL ? find_node(to) : NULL;
  const bool taken = n != NULL && !moves && old != NULL;
  if (taken) errno = EEXIST;
  bool made = n != NULL && !taken && create(to, n) != NULL;
  if (made && moves && strcmp(from, to) != 0) find_name(from)->node = NULL;
  if (made && !moves) n->links++;
  __env_table_unlock();
  return made ? 0 : -1;
}

int rename(const char *from, const char *to) {
  return rename_to(from, to, true);
}
int link(const char *from, const char *to) {
  return rename_to(from, to, false);
}

int mkdir(const char *path, mode_t mode) {
  char to[PATH_SIZE];
  normal(path, to);
  __env_table_lock();
  const bool taken = find_node(to) != NULL;
  const bool made = !taken && create(to, make_node(mode & 0777, true, -1)) != NULL;
  __env_table_unlock();
  return made ? 0 : taken ? __env_fail(EEXIST) : -1;
}

int truncate(const char *path, off_t size) {
  struct node *n = look_up(path);
  return n != NULL ? __env_node_truncate(n, size) : -1;
}

char *getcwd(char *to, size_t size) {
  char here[PATH_SIZE];
  __unfold_directory(here, sizeof here);
  if (to != NULL && strlen(here) >= size) {
    errno = ERANGE;
    return NULL;
  }
  return to != NULL ? strcpy(to, here) : strdup(here);
}

ssize_t readlink(const char *path, char *to, size_t size) {
  (void)to;
  (void)size;
  return look_up(path) != NULL ? __env_fail(EINVAL) : -1;
}

mode_t umask(mode_t mask) {
  static mode_t all = 022;
  __env_table_lock();
  const mode_t old = all;
  all = mask & 0777;
  __env_table_unlock();
  return old;
}
