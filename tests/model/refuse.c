/* Preloaded: refuses one allocation of the program, the one with the number $REFUSE_AT (from 1),
 * and with $REFUSE_ON all that follow it. At the end the number of allocations goes to file
 * descriptor $REFUSE_COUNT. The solver, which the program starts, has all memory; with $REFUSE_ONLY
 * all processes have but those of that name. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* glibc's own, which need no look-up that allocates. */
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);

static unsigned long at, made;
static bool on, spared;

__attribute__((constructor)) static void begin(void) {
  const char *number = getenv("REFUSE_AT");
  at = number != NULL ? strtoul(number, NULL, 10) : 0;
  on = getenv("REFUSE_ON") != NULL;
  const char *only = getenv("REFUSE_ONLY");
  spared = strcmp(program_invocation_short_name, only != NULL ? only : "unfold-solver") == 0;
  if (only != NULL) spared = !spared;
}

__attribute__((destructor)) static void end(void) {
  const char *number = getenv("REFUSE_COUNT");
  if (number != NULL && !spared) dprintf(atoi(number), "%lu", made);
}

static bool refused(void) {
  if (spared) return false;
  made++;
  if (at == 0 || (made != at && !(on && made > at))) return false;
  errno = ENOMEM;
  return true;
}

void *malloc(size_t size) {
  return refused() ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size) {
  return refused() ? NULL : __libc_calloc(count, size);
}

void *realloc(void *old, size_t size) {
  return refused() ? NULL : __libc_realloc(old, size);
}
