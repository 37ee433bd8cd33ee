/* Looking for the C library's own functions. */
#include "real.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

#include "../control.h"
#include "entry.h"
#include "refuse.h"

/* Functions of the C library that were found already, by the address of the name. Shared by worker
 * and executions, because looking for them costs more than a small execution has to do. */
struct found_function {
  const char *name;
  plain_function *function;
};
enum { FOUND_SIZE = 1024 };
static struct found_function *found_before;

/* What free() of a sanitizer calls. dlsym() calls free() when something was not found before, and
 * must not be called again from there; so these are looked for at the first occasion, when the
 * sanitizer begins. */
static struct found_function early[] = {
    {"pthread_getspecific", NULL}, {"pthread_setspecific", NULL}, {"pthread_self", NULL},
    {"clock_gettime", NULL},       {"sched_yield", NULL},         {"sigaction", NULL},
    {"pthread_once", NULL} /* by which it looks at the stack */};

static void find_early(void) {
  static bool began;
  if (began) return;
  began = true;
  for (size_t i = 0; i < sizeof early / sizeof *early; i++) {
    void *found = dlsym(RTLD_NEXT, early[i].name);
    memcpy(&early[i].function, &found, sizeof found);
  }
}

static plain_function *find_function(const char *name) {
  find_early();
  for (size_t i = 0; i < sizeof early / sizeof *early; i++)
    if (strcmp(early[i].name, name) == 0 && early[i].function != NULL) return early[i].function;
  void *found = dlsym(RTLD_NEXT, name);
  plain_function *function;
  if (found == NULL && control != NULL) give_up(OUTCOME_BROKEN, "the C library has no %s", name);
  memcpy(&function, &found, sizeof function);
  return function;
}

plain_function *real_function(const char *name) {
  if (found_before == NULL) return find_function(name);
  struct found_function *f = &found_before[((uintptr_t)name * 0x9e3779b97f4a7c15u) >> 54];
  if (f->name != name) *f = (struct found_function){name, find_function(name)};
  return f->function;
}

void real_prepare(void) {
  void *block = mmap(NULL, FOUND_SIZE * sizeof *found_before, PROT_READ | PROT_WRITE,
                     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (block != MAP_FAILED) found_before = block;
}
