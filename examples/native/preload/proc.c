/* Paths in /proc. The numbers in "/proc/N/…" and "/proc/self/task/N/…" are exchanged for those of
 * the system, and what the links /proc/self and /proc/thread-self say for those of the program.
 * Files of other processes may be read, and not written. */
#include "proc.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <linux/openat2.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/vfs.h>

#include "identity.h"
#include "numbers.h"
#include "proc_files.h"
#include "refuse.h"
#include "scheduler.h"
#include "system_call.h"

enum { PATH_SIZE = 4096, START_SIZE = 64, PAGE_BYTES = 4096, DIGITS_MOST = 10 };

/* What a path in /proc is taken apart into; `rest` points behind the numbers. */
struct path_parts {
  const char *rest;
  long process, thread; /* numbers in it; 0: none */
  bool self;            /* it goes by way of "self" */
};

/* Only one thread runs, up to the end of the call. */
static char changed[PATH_SIZE];

/* Copies text of the program, of which only what lies in pages that are there is looked at. */
static bool copy_text(char *to, uint64_t from, size_t size) {
  for (size_t part, done = 0; done < size; done += part) {
    part = PAGE_BYTES - (from + done) % PAGE_BYTES;
    if (part > size - done) part = size - done;
    if (!numbers_read(to + done, from + done, part)) return false;
    if (memchr(to + done, '\0', part) != NULL) return true;
  }
  to[size - 1] = '\0';
  return true;
}

/* Behind a word that is a whole name in the path, and the slashes after it; or NULL. */
static const char *behind(const char *path, const char *word) {
  size_t length = strlen(word);
  if (strncmp(path, word, length) != 0 || (path[length] != '/' && path[length] != '\0'))
    return NULL;
  return path + length + strspn(path + length, "/");
}

/* The number that is a whole name, or 0. */
static long number_at(const char *path, const char **rest) {
  size_t length = strspn(path, "0123456789");
  long number = 0;
  if (length == 0 || length > DIGITS_MOST || (path[length] != '/' && path[length] != '\0'))
    return 0;
  for (size_t i = 0; i < length; i++)
    number = 10 * number + path[i] - '0';
  *rest = path + length;
  return number;
}

static bool is_proc(long folder) {
  struct statfs system;
  long result = folder == AT_FDCWD ? raw_call(SYS_statfs, (long)".", (long)&system, 0, 0)
                                   : raw_call(SYS_fstatfs, folder, (long)&system, 0, 0);
  return result == 0 && system.f_type == PROC_SUPER_MAGIC;
}

/* False: the path is not one in /proc, as far as it says. */
static bool take_apart(long folder, const char *path, struct path_parts *p) {
  const char *at = path, *tasks;
  bool absolute = *path == '/';
  if (absolute) at = behind(path + strspn(path, "/"), "proc");
  if (at == NULL) return false;
  *p = (struct path_parts){.rest = at};
  const char *self = behind(at, "self");
  p->self = self != NULL;
  p->process = number_at(at, &p->rest);
  if (p->process == 0 && !p->self && behind(at, "thread-self") == NULL) return false;
  at = p->self ? self : p->rest + strspn(p->rest, "/");
  tasks = behind(at, "task");
  if (tasks != NULL) p->thread = number_at(tasks, &p->rest);
  return absolute || is_proc(folder);
}

static const char *name_of(long number, char *text, size_t size) {
  int real = identity_real(number);
  snprintf(text, size, "%ld", real != 0 ? (long)real : number);
  return text;
}

static void exchange_numbers(long *path, const char *start, const struct path_parts *p) {
  char process[DIGITS_MOST + 2] = "self", thread[DIGITS_MOST + 2];
  if (p->process == 0 && p->thread == 0) return;
  if (p->process != 0) name_of(p->process, process, sizeof process);
  int length = snprintf(changed, sizeof changed, "%s%s", *start == '/' ? "/proc/" : "", process);
  if (p->thread != 0)
    length += snprintf(changed + length, sizeof changed - (size_t)length, "/task/%s",
                       name_of(p->thread, thread, sizeof thread));
  if (copy_text(changed + length, (uint64_t)*path + (uint64_t)(p->rest - start),
                sizeof changed - (size_t)length))
    *path = (long)changed;
}

static bool writes(const struct numbered_call *call) {
  struct open_how how = {.flags = 0};
  const long *a = call->arguments;
  switch (call->number) {
  case SYS_open:
    how.flags = (uint64_t)a[1];
    break;
  case SYS_openat:
    how.flags = (uint64_t)a[2];
    break;
  case SYS_openat2:
    numbers_read(&how, (uint64_t)a[2], sizeof how);
    break;
  case SYS_creat:
  case SYS_truncate:
    return true;
  default:
    return false;
  }
  return (how.flags & (O_ACCMODE | O_CREAT | O_TRUNC)) != O_RDONLY;
}

/* Whether the path leads to a file of another process in /proc, by links and folders of any kind.
 * What cannot be opened is not changed either; another /proc than this one is not looked into. */
static bool is_of_another(long folder, const char *path) {
  char link[START_SIZE], target[PATH_SIZE];
  const char *rest;
  const long file = raw_call(SYS_openat, folder, (long)path, O_PATH | O_CLOEXEC, 0);
  bool proc = file >= 0 && is_proc(file);
  snprintf(link, sizeof link, "/proc/self/fd/%ld", file);
  long length = proc ? raw_call(SYS_readlink, (long)link, (long)target, sizeof target - 1, 0) : -1;
  if (file >= 0) raw_call(SYS_close, file, 0, 0, 0);
  if (length < 0) return false;
  target[length] = '\0';
  const char *at = behind(target + 1, "proc");
  long process = at == NULL ? 0 : number_at(at, &rest);
  return at == NULL || (process != 0 && identity_real(process) == 0);
}

static bool has_folder(long number) {
  return number == SYS_openat || number == SYS_openat2 || number == SYS_newfstatat ||
         number == SYS_readlinkat || number == SYS_faccessat || number == SYS_faccessat2 ||
         number == SYS_statx;
}

/* The number of the thread that the path is about; 0: another process. */
static int subject(const struct path_parts *p) {
  const struct thread *t = thread_self();
  if (p->thread != 0 || p->process != 0)
    t = identity_thread(p->thread != 0 ? p->thread : p->process);
  else if (p->self)
    t = threads;
  return t == NULL ? 0 : t->number;
}

static bool opens(long number) {
  return number == SYS_open || number == SYS_openat || number == SYS_openat2;
}

/* What proc_leave() has to know is in `copy`. */
enum { LINK, LINK_OF_PROCESS, FILE_KIND, FILE_SUBJECT };

static void remember(struct numbered_call *call, const struct path_parts *p) {
  bool has_number = p->process != 0 || p->thread != 0;
  const char *name = p->rest + strspn(p->rest, "/");
  if (!has_number) name = behind(p->rest, p->self ? "self" : "thread-self");
  call->copy[LINK] = !has_number && *name == '\0';
  call->copy[LINK_OF_PROCESS] = p->self;
  call->copy[FILE_SUBJECT] = (uint32_t)subject(p);
  bool read = opens(call->number) && !writes(call) && call->copy[FILE_SUBJECT] != 0;
  call->copy[FILE_KIND] = read ? proc_file_of(name) : PROC_OTHER;
}

void proc_enter(struct numbered_call *call) {
  char start[START_SIZE];
  struct path_parts p;
  bool follows = has_folder(call->number);
  long *path = &call->arguments[follows];
  call->copy[LINK] = call->copy[FILE_KIND] = 0;
  if (!copy_text(start, (uint64_t)*path, sizeof start)) return;
  const long folder = follows ? (int)call->arguments[0] : AT_FDCWD;
  const bool numbered = take_apart(folder, start, &p);
  bool of_another = numbered && p.process != 0 && identity_real(p.process) == 0;
  if (numbered) remember(call, &p);
  if (numbered) exchange_numbers(path, start, &p);
  if (writes(call) && (of_another || is_of_another(folder, (const char *)*path)))
    refuse("writing to files of another process in /proc", call->place);
}

static long show_link(const struct numbered_call *call) {
  char text[START_SIZE];
  const long *a = call->arguments + has_folder(call->number);
  int length = snprintf(text, sizeof text, "%d", (int)PROCESS_NUMBER);
  if (call->copy[LINK_OF_PROCESS] == 0)
    length +=
        snprintf(text + length, sizeof text - (size_t)length, "/task/%d", thread_self()->number);
  if (length > a[2]) length = (int)a[2];
  memcpy((void *)a[1], text, (size_t)length);
  return length;
}

long proc_leave(const struct numbered_call *call, long result) {
  const bool links = call->number == SYS_readlink || call->number == SYS_readlinkat;
  if (links && call->copy[LINK] != 0) return show_link(call);
  if (opens(call->number) && call->copy[FILE_KIND] != PROC_OTHER)
    proc_show((int)result, (enum proc_file)call->copy[FILE_KIND], (int)call->copy[FILE_SUBJECT]);
  return result;
}
