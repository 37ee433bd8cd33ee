/*
 * The functions of unfold/inputs.h in native programs. Inputs are numbered by thread, and a thread
 * is called what it is called in schedules: its number among those that its creator created, behind
 * the name of that. So the program is linked with --wrap for the functions that create threads
 * (pkg-config has that). All but these are weak: a program may have its own.
 */
#include "inputs.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <threads.h>
#include <unistd.h>

#define WEAK __attribute__((weak))

/* Defined by `unfold`. */
extern void unfold_assumption_failed(void) WEAK;
extern _Noreturn void __assert_fail(const char *, const char *, unsigned, const char *);

enum { NAME_SIZE = 128, STATUS_WRONG = 2 };

/* The calling thread. */
static __thread struct {
  char name[NAME_SIZE];
  unsigned children, asked;
} self;

/* What stands in the file: NAME=VALUE,… */
static char *values;

static _Noreturn void wrong(const char *what, const char *name) {
  fprintf(stderr, "unfold-inputs: %s%s%s\n", what, name[0] != '\0' ? ": " : "", name);
  _exit(STATUS_WRONG);
}

/* ---- the file ---- */

static char *read_file(const char *path) {
  size_t size = 0, room = 0;
  char *text = NULL;
  FILE *file = fopen(path, "rb");
  if (file == NULL) wrong("UNFOLD_INPUTS cannot be read", path);
  do {
    if (size + 1 >= room) {
      room = 2 * room + BUFSIZ;
      char *more = realloc(text, room);
      if (more == NULL) wrong("no memory for what is in UNFOLD_INPUTS", path);
      text = more;
    }
    size += fread(text + size, 1, room - size - 1, file);
  } while (!feof(file) && !ferror(file));
  if (ferror(file)) wrong("UNFOLD_INPUTS cannot be read", path);
  fclose(file);
  text[size] = '\0';
  return text;
}

/* A schedule has the values in its second line, behind the name of the program; another file in its
 * first. */
__attribute__((constructor)) static void begin(void) {
  static const char schedule[] = "unfold-schedule ", behind[] = " --input ";
  const char *path = getenv("UNFOLD_INPUTS");
  strcpy(self.name, "0");
  if (path == NULL) return;
  values = read_file(path);
  if (strncmp(values, schedule, strlen(schedule)) == 0) {
    char *line = values + strcspn(values, "\n");
    line += *line == '\n';
    line[strcspn(line, "\n")] = '\0';
    char *found = strstr(line, behind);
    memmove(values, found != NULL ? found + strlen(behind) : "",
            found != NULL ? strlen(found + strlen(behind)) + 1 : 1);
  }
  values[strcspn(values, "\n")] = '\0';
}

/* ---- values ---- */

/* The value of the next input of this thread; every input of a name can have one, too. */
static uint64_t next_value(const char *name) {
  unsigned left = self.asked++;
  if (self.name[0] == '\0')
    wrong("a thread that was not created through this library asks for an input (link with "
          "-Wl,--wrap=pthread_create,--wrap=thrd_create)",
          "");
  for (const char *at = values; at != NULL && *at != '\0';) {
    const size_t length = strcspn(at, "=");
    const char *value = at + length + (at[length] == '=');
    const bool mine = strlen(self.name) == length && strncmp(at, self.name, length) == 0;
    const bool named = strlen(name) == length && strncmp(at, name, length) == 0 && length > 0;
    if (named || (mine && left-- == 0))
      return *value == '-' ? (uint64_t)strtoll(value, NULL, 10) : strtoull(value, NULL, 10);
    at = value + strcspn(value, ",");
    at += *at == ',';
  }
  return 0;
}

#define ANY(name, type)                                                                            \
  WEAK type __VERIFIER_nondet_##name(void);                                                        \
  type __VERIFIER_nondet_##name(void) {                                                            \
    return (type)next_value("");                                                                   \
  }
UNFOLD_INPUTS_TABLE(ANY)

WEAK void klee_make_symbolic(void *address, size_t size, const char *name);
void klee_make_symbolic(void *address, size_t size, const char *name) {
  const bool whole = size == 1 || size == 2 || size == 4 || size == 8;
  const size_t step = whole ? size : 1;
  for (size_t i = 0; i < size; i += step) {
    char part[NAME_SIZE];
    snprintf(part, sizeof part, whole ? "%s" : "%s[%zu]", name, i);
    const uint64_t value = next_value(part);
    memcpy((char *)address + i, &value, step); /* the lower bytes come first */
  }
}

/* ---- what must hold ---- */

static void assume(bool holds) {
  if (holds) return;
  if (unfold_assumption_failed != NULL) unfold_assumption_failed();
  _exit(0);
}

WEAK void klee_assume(uintptr_t condition);
void klee_assume(uintptr_t condition) {
  assume(condition != 0);
}

WEAK void __VERIFIER_assume(int condition);
void __VERIFIER_assume(int condition) {
  assume(condition != 0);
}

WEAK void reach_error(void);
void reach_error(void) {
  __assert_fail("reach_error()", "reach_error", 0, "reach_error");
}

WEAK void __VERIFIER_error(void);
void __VERIFIER_error(void) {
  __assert_fail("__VERIFIER_error()", "__VERIFIER_error", 0, "__VERIFIER_error");
}

/* Schedules have it by this name. */
pthread_mutex_t unfold_inputs_lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;

WEAK void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_begin(void) {
  pthread_mutex_lock(&unfold_inputs_lock);
}

WEAK void __VERIFIER_atomic_end(void);
void __VERIFIER_atomic_end(void) {
  pthread_mutex_unlock(&unfold_inputs_lock);
}

/* ---- threads ---- */

struct start {
  void *(*function)(void *);
  int (*standard)(void *); /* of C11 threads */
  void *argument;
  char name[NAME_SIZE];
};

/* What a new thread needs; NULL: no memory. */
static struct start *prepare(void *argument) {
  struct start *s = calloc(1, sizeof *s);
  if (s == NULL) return NULL;
  s->argument = argument;
  if (self.name[0] != '\0' && (size_t)snprintf(s->name, sizeof s->name, "%s.%u", self.name,
                                               self.children) >= sizeof s->name)
    s->name[0] = '\0';
  return s;
}

static struct start enter(void *user) {
  const struct start s = *(struct start *)user;
  free(user);
  memcpy(self.name, s.name, sizeof self.name);
  return s;
}

static void *run(void *user) {
  const struct start s = enter(user);
  return s.function(s.argument);
}

static int run_standard(void *user) {
  const struct start s = enter(user);
  return s.standard(s.argument);
}

/* AddressSanitizer's function, which comes first in a program that has it, holds a lock until the
 * new thread has begun; under `unfold` that thread may have to wait for its turn. */
extern void __asan_init(void) WEAK;

typedef int create_function(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);

extern int __real_pthread_create(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
extern int __wrap_pthread_create(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
static create_function *find_create(void) {
  create_function *create = __real_pthread_create;
  if (__asan_init == NULL || unfold_assumption_failed == NULL) return create;
  void *found = dlsym(RTLD_NEXT, "pthread_create");
  if (found == NULL) wrong("there is no pthread_create behind the sanitizer's", "");
  memcpy(&create, &found, sizeof create);
  return create;
}

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                          void *(*function)(void *), void *argument) {
  struct start *s = prepare(argument);
  if (s == NULL) wrong("no memory for a thread", "");
  s->function = function;
  const int error = find_create()(thread, attributes, run, s);
  if (error == 0)
    self.children++;
  else
    free(s);
  return error;
}

extern int __real_thrd_create(thrd_t *, thrd_start_t, void *) WEAK;
extern int __wrap_thrd_create(thrd_t *, thrd_start_t, void *);
int __wrap_thrd_create(thrd_t *thread, thrd_start_t function, void *argument) {
  struct start *s = prepare(argument);
  if (s == NULL) wrong("no memory for a thread", "");
  s->standard = function;
  const int error = __real_thrd_create(thread, run_standard, s);
  if (error == thrd_success)
    self.children++;
  else
    free(s);
  return error;
}
