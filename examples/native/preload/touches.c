/* A path that the program opens for writing, makes, removes or renames, a port or an abstract name
 * that it binds: put down by its name, once, for the launcher. Where two workers have the same name
 * their executions can disturb each other, and the exploration ends. A file is named by the folder
 * it is in, with all links followed. What lies in the worker's own folder, or is no file but a
 * device or a part of the system, is left out. */
#include "touches.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <netinet/in.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>

#include "../control.h"
#include "../control/shared.h"
#include "accesses.h"
#include "crash.h"
#include "entry.h"
#include "numbers.h"
#include "refuse.h"
#include "system_call.h"

bool touches_watched(void) {
  return running && control->settings.touches_watched;
}

static void put_down(const char *name, uint64_t place) {
  for (uint32_t i = 0; i < control->touched_count; i++)
    if (strcmp(control->touched[i].name, name) == 0) return;
  if (control->touched_count == TOUCHED_MAX || strlen(name) >= TOUCHED_NAME)
    refuse("a further file, or one of such a long name, written by several workers", place);
  struct touched *t = &control->touched[control->touched_count];
  snprintf(t->name, sizeof t->name, "%s", name);
  t->place = program_place(place);
  control->touched_count++;
}

static bool begins(const char *path, const char *with) {
  return strncmp(path, with, strlen(with)) == 0;
}

static bool is_own(const char *path) {
  const char *folder = control->settings.own_folder;
  if (folder[0] != '\0' && begins(path, folder)) return true;
  if (begins(path, "/dev/shm/")) return false;
  return begins(path, "/dev/") || begins(path, "/proc/") || begins(path, "/sys/");
}

/* Text of the program; false: it is none. */
static bool read_text(char *to, uint64_t from, size_t size) {
  for (size_t i = 0; i < size; i++) {
    if (!numbers_read(to + i, from + i, 1)) return false;
    if (to[i] == '\0') return true;
  }
  return false;
}

/* The folder that a path begins at, without links. */
static bool find_folder(int from, const char *path, char *folder, size_t size) {
  char link[64];
  const int file = (int)raw_call(SYS_openat, from, (long)path, O_PATH | O_CLOEXEC, 0);
  if (file < 0) return false;
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  const long length = raw_call(SYS_readlink, (long)link, (long)folder, (long)size - 1, 0);
  raw_call(SYS_close, file, 0, 0, 0);
  folder[length > 0 ? length : 0] = '\0';
  return length > 0;
}

static void note_path(int from, uint64_t text, uint64_t place) {
  static char path[PATH_MAX], folder[PATH_MAX], whole[2 * PATH_MAX];
  if (!read_text(path, text, sizeof path) || path[0] == '\0') return;
  char *slash = strrchr(path, '/');
  while (slash != NULL && slash > path && slash[1] == '\0') { /* folders may end so */
    *slash = '\0';
    slash = strrchr(path, '/');
  }
  const char *name = slash != NULL ? slash + 1 : path;
  const char *in = slash == NULL ? "." : slash == path ? "/" : path;
  snprintf(whole, sizeof whole, "%s", name);
  if (slash != NULL && slash != path) *slash = '\0';
  if (!find_folder(from, in, folder, sizeof folder)) return;
  const size_t length = strlen(folder);
  if (length + strlen(whole) + 2 > sizeof folder) return;
  snprintf(folder + length, sizeof folder - length, "%s%s", length > 1 ? "/" : "", whole);
  if (!is_own(folder)) put_down(folder, place);
}

static void note_address(uint64_t address, uint64_t size, uint64_t place) {
  static char name[TOUCHED_NAME];
  struct sockaddr_storage a = {.ss_family = AF_UNSPEC};
  if (size > sizeof a || !numbers_read(&a, address, size)) return;
  const struct sockaddr_in *four = (const void *)&a;
  const struct sockaddr_in6 *six = (const void *)&a;
  const struct sockaddr_un *local = (const void *)&a;
  const in_port_t port = a.ss_family == AF_INET    ? four->sin_port
                         : a.ss_family == AF_INET6 ? six->sin6_port
                                                   : 0;
  if (port != 0) {
    snprintf(name, sizeof name, "port %u", (unsigned)ntohs(port));
    put_down(name, place);
  } else if (a.ss_family == AF_UNIX && size > offsetof(struct sockaddr_un, sun_path)) {
    if (local->sun_path[0] != '\0')
      note_path(AT_FDCWD, address + offsetof(struct sockaddr_un, sun_path), place);
    else
      snprintf(name, sizeof name, "socket @%.*s",
               (int)(size - offsetof(struct sockaddr_un, sun_path) - 1), local->sun_path + 1);
    if (local->sun_path[0] == '\0') put_down(name, place);
  }
}

static void note_opened(int from, uint64_t path, uint64_t flags, uint64_t place) {
  const bool writes = (flags & O_ACCMODE) != O_RDONLY || (flags & (O_CREAT | O_TRUNC)) != 0;
  if (writes && (flags & O_PATH) == 0) note_path(from, path, place);
}

void touches_note(const struct numbered_call *call) {
  const long *a = call->arguments;
  const uint64_t place = call->place;
  struct open_how how = {.flags = 0};
  switch (call->number) {
#define TOUCH(name, from, path)                                                                    \
  case SYS_##name:                                                                                 \
    note_path(from, (uint64_t)a[path], place);                                                     \
    break;
#define TOUCH_TWO(name, from, path, from2, path2)                                                  \
  case SYS_##name:                                                                                 \
    note_path(from, (uint64_t)a[path], place);                                                     \
    note_path(from2, (uint64_t)a[path2], place);                                                   \
    break;
#include "touches.def"
#undef TOUCH
#undef TOUCH_TWO
  case SYS_open:
    note_opened(AT_FDCWD, (uint64_t)a[0], (uint64_t)a[1], place);
    break;
  case SYS_openat:
    note_opened((int)a[0], (uint64_t)a[1], (uint64_t)a[2], place);
    break;
  case SYS_openat2:
    if (numbers_read(&how, (uint64_t)a[2], sizeof how))
      note_opened((int)a[0], (uint64_t)a[1], how.flags, place);
    break;
  case SYS_creat:
  case SYS_truncate:
    note_path(AT_FDCWD, (uint64_t)a[0], place);
    break;
  case SYS_bind:
    note_address((uint64_t)a[1], (uint64_t)a[2], place);
    break;
  default:
    break;
  }
}
