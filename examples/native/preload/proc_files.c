/* /proc/N/stat and /proc/N/status say numbers of processes. When the program opens one of its own,
 * it gets what the file says at this moment, with the numbers exchanged. */
#include "proc_files.h"

#include <fcntl.h>
#include <linux/memfd.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

#include "identity.h"
#include "snapshot.h"
#include "system_call.h"

enum { FILE_SIZE = 16 << 10 };

struct file_text {
  char bytes[FILE_SIZE];
  size_t size;
};

/* Only one thread runs, up to the end of the call. */
static struct file_text said, shown;

enum proc_file proc_file_of(const char *name) {
  if (strcmp(name, "stat") == 0) return PROC_STAT;
  return strcmp(name, "status") == 0 ? PROC_STATUS : PROC_OTHER;
}

static void append(const char *bytes, size_t size) {
  if (size > sizeof shown.bytes - shown.size) size = sizeof shown.bytes - shown.size;
  memcpy(shown.bytes + shown.size, bytes, size);
  shown.size += size;
}

static void append_number(long number) {
  char digits[24];
  const int size = snprintf(digits, sizeof digits, "%ld", number);
  append(digits, (size_t)size);
}

/* What a number says. */
enum meaning { OTHER, ITSELF, PARENT };

static long known_as(long number, enum meaning meaning, int itself) {
  if (number <= 0) return number;
  if (meaning == PARENT) return identity_parent();
  return meaning == ITSELF && identity_real(number) != 0 ? itself : identity_shown((int)number);
}

/* Copies up to a number, and that number as the program knows it; where to go on. */
static const char *exchange_next(const char *at, enum meaning meaning, int itself) {
  size_t before = strcspn(at, "-0123456789\n");
  append(at, before);
  at += before;
  char *end;
  long number = strtol(at, &end, 10);
  if (end == at) return at;
  append_number(known_as(number, meaning, itself));
  return end;
}

/* "N (name) state parent group session …" */
static void show_stat(int number) {
  const char *name = strchr(said.bytes, ' '), *at = strrchr(said.bytes, ')');
  if (name == NULL || at == NULL) return;
  append_number(number);
  append(name, (size_t)(at - name));
  at = exchange_next(at, PARENT, number);
  at = exchange_next(at, OTHER, number);
  at = exchange_next(at, OTHER, number);
  append(at, strlen(at));
}

static void show_status(int number) {
  static const struct {
    const char *text;
    enum meaning meaning;
  } labels[] = {{"Pid:", ITSELF},   {"NSpid:", ITSELF}, {"PPid:", PARENT}, {"Tgid:", OTHER},
                {"NStgid:", OTHER}, {"NSpgid:", OTHER}, {"NSsid:", OTHER}};
  enum { LABELS = sizeof labels / sizeof *labels };
  for (const char *line = said.bytes; *line != '\0';) {
    size_t label = 0;
    while (label < LABELS && strncmp(line, labels[label].text, strlen(labels[label].text)) != 0)
      label++;
    const char *end = line + strcspn(line, "\n");
    while (label < LABELS && line < end)
      line = exchange_next(line, labels[label].meaning, number);
    end += *end == '\n';
    append(line, (size_t)(end - line));
    line = end;
  }
}

static void replace(int file) {
  int flags = (int)raw_call(SYS_fcntl, file, F_GETFD, 0, 0);
  int copy = (int)raw_call(SYS_memfd_create, (long)"unfold-proc", MFD_CLOEXEC, 0, 0);
  if (copy < 0) return;
  raw_call(SYS_write, copy, (long)shown.bytes, (long)shown.size, 0);
  raw_call(SYS_lseek, copy, 0, SEEK_SET, 0);
  raw_call(SYS_dup3, copy, file, (flags & FD_CLOEXEC) != 0 ? O_CLOEXEC : 0, 0);
  raw_call(SYS_close, copy, 0, 0, 0);
}

void proc_show(int file, enum proc_file kind, int number) {
  said.size = shown.size = 0;
  snapshot_open(&said, sizeof said);
  for (long got = 1; got > 0 && said.size < sizeof said.bytes - 1;) {
    got = raw_call(SYS_read, file, (long)said.bytes + (long)said.size,
                   (long)(sizeof said.bytes - 1 - said.size), 0);
    if (got > 0) said.size += (size_t)got;
  }
  said.bytes[said.size] = '\0';
  if (kind == PROC_STAT)
    show_stat(number);
  else
    show_status(number);
  if (shown.size > 0) replace(file);
}
