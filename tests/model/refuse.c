/* Preloaded: refuses one allocation of the program, the one with the number $REFUSE_AT (from 1),
 * and with $REFUSE_ON all that follow it. At the end the number of allocations goes to file
 * descriptor $REFUSE_COUNT. The solver, which the program starts, has all memory; with $REFUSE_ONLY
 * all processes have but those of that name. With $REFUSE_OWN only calls in the program itself
 * count, none of its libraries, and the number so far is in that file, for a program that ends at
 * once. */
#define _GNU_SOURCE
#include <elf.h>
#include <errno.h>
#include <link.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* glibc's own, which need no look-up that allocates. */
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);

static unsigned long at, made;
static bool on, spared;
static int own = -1;             /* $REFUSE_OWN */
static uintptr_t begins, behind; /* the program itself */

/* The first one that is told of is the program. */
static int find_program(struct dl_phdr_info *info, size_t size, void *user) {
  (void)size;
  (void)user;
  for (unsigned i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) *part = &info->dlpi_phdr[i];
    if (part->p_type != PT_LOAD || (part->p_flags & PF_X) == 0) continue;
    begins = info->dlpi_addr + part->p_vaddr;
    behind = begins + part->p_memsz;
  }
  return 1;
}

__attribute__((constructor)) static void begin(void) {
  const char *number = getenv("REFUSE_AT");
  at = number != NULL ? strtoul(number, NULL, 10) : 0;
  on = getenv("REFUSE_ON") != NULL;
  const char *file = getenv("REFUSE_OWN");
  if (file != NULL) {
    own = atoi(file);
    dl_iterate_phdr(find_program, NULL);
  }
  const char *only = getenv("REFUSE_ONLY");
  spared = strcmp(program_invocation_short_name, only != NULL ? only : "unfold-solver") == 0;
  if (only != NULL) spared = !spared;
}

__attribute__((destructor)) static void end(void) {
  const char *number = getenv("REFUSE_COUNT");
  if (number != NULL && !spared) dprintf(atoi(number), "%lu", made);
}

static bool refused(const void *from) {
  if (spared) return false;
  if (own >= 0 && ((uintptr_t)from < begins || (uintptr_t)from >= behind)) return false;
  made++;
  if (own >= 0) {
    char text[32];
    const int length = snprintf(text, sizeof text, "%lu", made);
    if (pwrite(own, text, (size_t)length, 0) != length) _exit(EXIT_FAILURE);
  }
  if (at == 0 || (made != at && !(on && made > at))) return false;
  errno = ENOMEM;
  return true;
}

void *malloc(size_t size) {
  return refused(__builtin_return_address(0)) ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size) {
  return refused(__builtin_return_address(0)) ? NULL : __libc_calloc(count, size);
}

void *realloc(void *old, size_t size) {
  return refused(__builtin_return_address(0)) ? NULL : __libc_realloc(old, size);
}
