/* Tables of modules, made by the scanner in a process of its own, which ends with this one, and
 * kept in the memory that is shared with the launcher, so that a module is scanned once in an
 * exploration: executions that load it later, and explorations that begin again, find its table
 * there. A module is known by the file that it comes from. */
#include "patch_scan.h"

#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../control.h"
#include "../control/modules.h"
#include "entry.h"
#include "modules.h"
#include "system_call.h"

enum { FILES_LOW = 100 };

static int scanner = -1; /* the socket to it; -1: it does not answer */

/* In front of each table. */
struct identity {
  uint64_t device, file, size, seconds, nanoseconds, moves;
};

static const char *short_name(const struct module *m) {
  const char *slash = strrchr(m->path, '/');
  return slash != NULL ? slash + 1 : m->path;
}

/* No thread is ever stopped inside the C library or the dynamic linker; the kernel's own module
 * has no file. */
bool scan_excluded(uint32_t module) {
  static const char *const names[] = {"libc.so.", "ld-linux-", "unfold-", "libunfold"};
  const struct module *m = &control->modules[module];
  if (strchr(m->path, '/') == NULL) return true;
  for (size_t i = 0; module > 0 && i < sizeof names / sizeof *names; i++)
    if (strncmp(short_name(m), names[i], strlen(names[i])) == 0) return true;
  return module > 0 && modules_brought(short_name(m));
}

static bool identify(uint32_t module, struct identity *identity) {
  struct stat s;
  const char *path = control->modules[module].path;
  if (raw_call(SYS_newfstatat, AT_FDCWD, (long)path, (long)&s, 0) != 0) return false;
  *identity = (struct identity){s.st_dev,
                                s.st_ino,
                                (uint64_t)s.st_size,
                                (uint64_t)s.st_mtim.tv_sec,
                                (uint64_t)s.st_mtim.tv_nsec,
                                control->settings.moves};
  return true;
}

static bool row_good(const struct site *s) {
  const uint8_t operand = s->operand & (uint8_t)~SITE_HIGH_BYTE;
  return s->kind < SITE_KINDS && s->length >= 2 && s->length <= SITE_LENGTH_MAX &&
         s->base <= SITE_NONE && s->index <= SITE_NONE && operand <= SITE_NONE &&
         (s->base == SITE_RIP) == (s->displacement_at != 0) && s->tail < SITE_TAILS &&
         s->tail_size <= SITE_TAIL_MAX &&
         s->displacement_at + sizeof s->displacement <= s->length + (s->base == SITE_RIP ? 0u : 4u);
}

/* The size of the table at some place of what the scanner wrote, or 0. */
static uint64_t table_size(const unsigned char *at, uint64_t room) {
  struct site_table table;
  if (room < sizeof table) return 0;
  memcpy(&table, at, sizeof table);
  const uint64_t size = sizeof table + (uint64_t)table.sites * sizeof(struct site);
  return table.magic == SITES_MAGIC && size <= room ? size : 0;
}

static const unsigned char *find(const struct identity *wanted) {
  const struct site_cache *cache = &control->site_cache;
  for (uint64_t at = 0; at + sizeof *wanted < cache->used;) {
    struct identity identity;
    memcpy(&identity, cache->bytes + at, sizeof identity);
    at += sizeof identity;
    if (memcmp(&identity, wanted, sizeof identity) == 0) return cache->bytes + at;
    const uint64_t size = table_size(cache->bytes + at, cache->used - at);
    if (size == 0) break;
    at += size;
  }
  return NULL;
}

const struct site_table *scan_table(uint32_t module, const struct site **sites) {
  struct identity identity;
  const unsigned char *at = identify(module, &identity) ? find(&identity) : NULL;
  if (at == NULL) return NULL;
  const struct site_table *table = (const void *)at;
  *sites = (const void *)(at + sizeof *table);
  for (uint32_t i = 0; i < table->sites; i++)
    if (!row_good(&(*sites)[i])) return NULL;
  return table;
}

/* Its input and output are one socket, and it inherits nothing of the program's environment. */
_Noreturn static void become_scanner(int end) {
  const char *const some[] = {control->settings.scanner, "--serve", NULL};
  const char *const all[] = {control->settings.scanner, "--moves", "--serve", NULL};
  const char *const *words = control->settings.moves ? all : some, *const nothing[] = {NULL};
  raw_call(SYS_dup2, end, STDIN_FILENO, 0, 0);
  raw_call(SYS_dup2, end, STDOUT_FILENO, 0, 0);
  raw_call(SYS_execve, (long)words[0], (long)words, (long)nothing, 0);
  for (;;)
    raw_call(SYS_exit_group, 127, 0, 0, 0);
}

void scan_begin(void) {
  int ends[2];
  if (raw_call(SYS_socketpair, AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, (long)ends) != 0) return;
  /* A fork, which is what a debugger knows; the process ends no sooner than this one. */
  if (raw_call(SYS_clone, SIGCHLD, 0, 0, 0) == 0) become_scanner(ends[1]);
  raw_call(SYS_close, ends[1], 0, 0, 0);
  /* Away from the files that the program opens. */
  scanner = (int)raw_call(SYS_fcntl, ends[0], F_DUPFD_CLOEXEC, FILES_LOW, 0);
  raw_call(SYS_close, ends[0], 0, 0, 0);
}

static bool read_exactly(int in, unsigned char *to, uint64_t size) {
  while (size > 0) {
    long got = raw_call(SYS_read, in, (long)to, (long)size, 0);
    if (got <= 0) return false;
    to += got;
    size -= (uint64_t)got;
  }
  return true;
}

/* The table of one module; false: the scanner gave up, or there is no room for it. */
static bool read_table(int in, uint32_t module) {
  struct site_cache *cache = &control->site_cache;
  struct identity identity;
  struct site_table table;
  if (!read_exactly(in, (unsigned char *)&table, sizeof table) || table.magic != SITES_MAGIC ||
      !identify(module, &identity))
    return false;
  const uint64_t rows = (uint64_t)table.sites * sizeof(struct site);
  if (sizeof identity + sizeof table + rows > sizeof cache->bytes - cache->used) return false;
  unsigned char *to = cache->bytes + cache->used;
  memcpy(to, &identity, sizeof identity);
  memcpy(to + sizeof identity, &table, sizeof table);
  if (!read_exactly(in, to + sizeof identity + sizeof table, rows)) return false;
  cache->used += sizeof identity + sizeof table + rows;
  return true;
}

/* With the end of the text, which no path has in it. */
static bool send_path(const char *path) {
  uint64_t size = strlen(path) + 1;
  while (size > 0) {
    const long arguments[] = {scanner, (long)path, (long)size, MSG_NOSIGNAL, 0, 0};
    const long sent = raw_call6(SYS_sendto, arguments);
    if (sent <= 0) return false;
    path += sent;
    size -= (uint64_t)sent;
  }
  return true;
}

void scan_modules(void) {
  struct identity identity;
  for (uint32_t i = 0; scanner >= 0 && i < control->module_count; i++) {
    if (control->modules[i].excluded || !identify(i, &identity) || find(&identity) != NULL)
      continue;
    if (!send_path(control->modules[i].path) || !read_table(scanner, i)) scanner = -1;
  }
}
