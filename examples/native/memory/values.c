/*
 * Numbers, times, the environment, sorting, on behalf of code whose accesses are seen. What some of
 * these keep for all threads is an object of its own: they write it, and whoever uses what they
 * give reads what they have written.
 */
#include "memory.h"
#include "../preload/program.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/times.h>
#include <time.h>

/* Those of C23, to which "0b101" is a number: since glibc 2.38 the header's strtol() and others may
 * be these, by their names. */
long __isoc23_strtol(const char *restrict text, char **restrict end, int base);
unsigned long __isoc23_strtoul(const char *restrict text, char **restrict end, int base);
long long __isoc23_strtoll(const char *restrict text, char **restrict end, int base);
unsigned long long __isoc23_strtoull(const char *restrict text, char **restrict end, int base);

#define NEXT_TABLE(X)                                                                              \
  X(strtol)                                                                                        \
  X(strtoul)                                                                                       \
  X(strtoll)                                                                                       \
  X(strtoull)                                                                                      \
  X(__isoc23_strtol)                                                                               \
  X(__isoc23_strtoul)                                                                              \
  X(__isoc23_strtoll)                                                                              \
  X(__isoc23_strtoull)                                                                             \
  X(strtof)                                                                                        \
  X(strtod)                                                                                        \
  X(strtold)                                                                                       \
  X(frexp)                                                                                         \
  X(frexpf)                                                                                        \
  X(modf)                                                                                          \
  X(modff)                                                                                         \
  X(sincos)                                                                                        \
  X(sincosf)                                                                                       \
  X(remquo)                                                                                        \
  X(tzset)                                                                                         \
  X(localtime_r)                                                                                   \
  X(gmtime_r)                                                                                      \
  X(mktime)                                                                                        \
  X(timegm)                                                                                        \
  X(asctime_r)                                                                                     \
  X(ctime_r)                                                                                       \
  X(strftime)                                                                                      \
  X(time)                                                                                          \
  X(clock_gettime)                                                                                 \
  X(gettimeofday)                                                                                  \
  X(timespec_get)                                                                                  \
  X(times)                                                                                         \
  X(getrusage)                                                                                     \
  X(getenv)                                                                                        \
  X(secure_getenv)                                                                                 \
  X(setenv)                                                                                        \
  X(putenv)                                                                                        \
  X(unsetenv)                                                                                      \
  X(clearenv)                                                                                      \
  X(qsort)                                                                                         \
  X(qsort_r)                                                                                       \
  X(rand_r)
#include "next.h"

/* ---- numbers in a text ---- */

/* It is looked at where it ends before it is read. Exported under this name, which may be another
 * one than that of the header. */
#define NUMBER(type, name, parameter, argument)                                                    \
  INTERPOSE type number_##name(const char *restrict text,                                          \
                               char **restrict end parameter) __asm__(#name);                      \
  type number_##name(const char *restrict text, char **restrict end parameter) {                   \
    if (WATCHED) {                                                                                 \
      char *at = (char *)text;                                                                     \
      NEXT(name)(text, &at argument);                                                              \
      READS(text, (size_t)(at - text) + 1);                                                        \
    }                                                                                              \
    const type value = NEXT(name)(text, end argument);                                             \
    if (WATCHED && end != NULL) WRITES(end, sizeof *end);                                          \
    return value;                                                                                  \
  }
#define A_BASE   , int base
#define THE_BASE , base
#define NO_BASE
NUMBER(long, strtol, A_BASE, THE_BASE)
NUMBER(unsigned long, strtoul, A_BASE, THE_BASE)
NUMBER(long long, strtoll, A_BASE, THE_BASE)
NUMBER(unsigned long long, strtoull, A_BASE, THE_BASE)
NUMBER(long, __isoc23_strtol, A_BASE, THE_BASE)
NUMBER(unsigned long, __isoc23_strtoul, A_BASE, THE_BASE)
NUMBER(long long, __isoc23_strtoll, A_BASE, THE_BASE)
NUMBER(unsigned long long, __isoc23_strtoull, A_BASE, THE_BASE)
NUMBER(float, strtof, NO_BASE, NO_BASE)
NUMBER(double, strtod, NO_BASE, NO_BASE)
NUMBER(long double, strtold, NO_BASE, NO_BASE)

static void read_number(const char *text, uint64_t place) {
  char *at = (char *)text;
  NEXT(strtod)(text, &at);
  unfold_touched(text, (size_t)(at - text) + 1, false, place);
}

INTERPOSE int atoi(const char *text) {
  if (WATCHED) read_number(text, CALLER);
  return (int)NEXT(strtol)(text, NULL, 10);
}

INTERPOSE long atol(const char *text) {
  if (WATCHED) read_number(text, CALLER);
  return NEXT(strtol)(text, NULL, 10);
}

INTERPOSE long long atoll(const char *text) {
  if (WATCHED) read_number(text, CALLER);
  return NEXT(strtoll)(text, NULL, 10);
}

INTERPOSE double atof(const char *text) {
  if (WATCHED) read_number(text, CALLER);
  return NEXT(strtod)(text, NULL);
}

/* Of a number two, one of them in memory. */
#define DIVIDES(type, name, other)                                                                 \
  INTERPOSE type name(type value, other *part) {                                                   \
    if (WATCHED) WRITES(part, sizeof *part);                                                       \
    return NEXT(name)(value, part);                                                                \
  }
DIVIDES(double, frexp, int)
DIVIDES(float, frexpf, int)
DIVIDES(double, modf, double)
DIVIDES(float, modff, float)

INTERPOSE void sincos(double angle, double *sine, double *cosine) {
  if (WATCHED) WRITES(sine, sizeof *sine), WRITES(cosine, sizeof *cosine);
  NEXT(sincos)(angle, sine, cosine);
}

INTERPOSE void sincosf(float angle, float *sine, float *cosine) {
  if (WATCHED) WRITES(sine, sizeof *sine), WRITES(cosine, sizeof *cosine);
  NEXT(sincosf)(angle, sine, cosine);
}

INTERPOSE double remquo(double a, double b, int *quotient) {
  if (WATCHED) WRITES(quotient, sizeof *quotient);
  return NEXT(remquo)(a, b, quotient);
}

INTERPOSE int rand_r(unsigned *seed) {
  if (WATCHED) READS(seed, sizeof *seed), WRITES(seed, sizeof *seed);
  return NEXT(rand_r)(seed);
}

/* ---- times ---- */

enum { TEXT_OF_TIME = 26 };

static bool is_wanted(const void *to, uint64_t place) {
  return to != NULL && unfold_watching && unfold_counts(place);
}

/* What a function gives in memory that is its caller's, or its own. */
#define GIVES(to, size, type, call)                                                                \
  if (!is_wanted(to, CALLER)) return call;                                                         \
  COMING(to, size);                                                                                \
  const type result = call;                                                                        \
  if (result != FAILED_##type) WRITES(to, size);                                                   \
  return result
typedef void *pointer;
#define FAILED_pointer NULL
#define FAILED_int     (-1)
#define FAILED_time_t  (-1)
#define FAILED_clock_t (-1)

/* These are one each for all threads. */
static struct tm time_state;
static char time_text_state[128];

INTERPOSE struct tm *localtime_r(const time_t *restrict seconds, struct tm *restrict to) {
  if (WATCHED) READS(seconds, sizeof *seconds);
  GIVES(to, sizeof *to, pointer, NEXT(localtime_r)(seconds, to));
}

INTERPOSE struct tm *gmtime_r(const time_t *restrict seconds, struct tm *restrict to) {
  if (WATCHED) READS(seconds, sizeof *seconds);
  GIVES(to, sizeof *to, pointer, NEXT(gmtime_r)(seconds, to));
}

INTERPOSE struct tm *localtime(const time_t *seconds) {
  struct tm *const to = &time_state;
  if (WATCHED) READS(seconds, sizeof *seconds);
  NEXT(tzset)();
  GIVES(to, sizeof *to, pointer, NEXT(localtime_r)(seconds, to));
}

INTERPOSE struct tm *gmtime(const time_t *seconds) {
  struct tm *const to = &time_state;
  if (WATCHED) READS(seconds, sizeof *seconds);
  GIVES(to, sizeof *to, pointer, NEXT(gmtime_r)(seconds, to));
}

INTERPOSE char *asctime_r(const struct tm *restrict time, char *restrict to) {
  if (WATCHED) READS(time, sizeof *time);
  GIVES(to, TEXT_OF_TIME, pointer, NEXT(asctime_r)(time, to));
}

INTERPOSE char *asctime(const struct tm *time) {
  char *const to = time_text_state;
  if (WATCHED) READS(time, sizeof *time);
  GIVES(to, TEXT_OF_TIME, pointer, NEXT(asctime_r)(time, to));
}

INTERPOSE char *ctime_r(const time_t *seconds, char *to) {
  if (WATCHED) READS(seconds, sizeof *seconds);
  GIVES(to, TEXT_OF_TIME, pointer, NEXT(ctime_r)(seconds, to));
}

INTERPOSE char *ctime(const time_t *seconds) {
  char *const to = time_text_state;
  if (WATCHED) READS(seconds, sizeof *seconds), WRITES(&time_state, sizeof time_state);
  NEXT(localtime_r)(seconds, &time_state);
  GIVES(to, TEXT_OF_TIME, pointer, NEXT(ctime_r)(seconds, to));
}

INTERPOSE time_t mktime(struct tm *time) {
  if (WATCHED) READS(time, sizeof *time), WRITES(time, sizeof *time);
  return NEXT(mktime)(time);
}

INTERPOSE time_t timegm(struct tm *time) {
  if (WATCHED) READS(time, sizeof *time), WRITES(time, sizeof *time);
  return NEXT(timegm)(time);
}

INTERPOSE size_t strftime(char *restrict to, size_t size, const char *restrict format,
                          const struct tm *restrict time) {
  if (WATCHED) COMPARES(time, sizeof *time, format, strlen(format) + 1), COMING(to, size);
  const size_t length = NEXT(strftime)(to, size, format, time);
  if (WATCHED && length > 0) WRITES(to, length + 1);
  return length;
}

INTERPOSE time_t time(time_t *to) {
  GIVES(to, sizeof *to, time_t, NEXT(time)(to));
}

INTERPOSE int clock_gettime(clockid_t clock, struct timespec *to) {
  GIVES(to, sizeof *to, int, NEXT(clock_gettime)(clock, to));
}

INTERPOSE int gettimeofday(struct timeval *restrict to, void *restrict zone) {
  GIVES(to, sizeof *to, int, NEXT(gettimeofday)(to, zone));
}

INTERPOSE int timespec_get(struct timespec *to, int base) {
  GIVES(to, sizeof *to, int, NEXT(timespec_get)(to, base));
}

INTERPOSE clock_t times(struct tms *to) {
  GIVES(to, sizeof *to, clock_t, NEXT(times)(to));
}

INTERPOSE int getrusage(__rusage_who_t who, struct rusage *to) {
  GIVES(to, sizeof *to, int, NEXT(getrusage)(who, to));
}

/* ---- the environment ---- */

static char environment_state;
#define ENVIRONMENT(changes) unfold_touched(&environment_state, 1, changes, CALLER)

INTERPOSE char *getenv(const char *name) {
  if (WATCHED) READS_TEXT(name, SIZE_MAX, '\0'), ENVIRONMENT(false);
  return NEXT(getenv)(name);
}

INTERPOSE char *secure_getenv(const char *name) {
  if (WATCHED) READS_TEXT(name, SIZE_MAX, '\0'), ENVIRONMENT(false);
  return NEXT(secure_getenv)(name);
}

INTERPOSE int setenv(const char *name, const char *value, int replace) {
  if (WATCHED) {
    COMPARES(name, strlen(name) + 1, value, strlen(value) + 1);
    ENVIRONMENT(true);
  }
  return NEXT(setenv)(name, value, replace);
}

INTERPOSE int putenv(char *text) {
  if (WATCHED) READS_TEXT(text, SIZE_MAX, '\0'), ENVIRONMENT(true);
  return NEXT(putenv)(text);
}

INTERPOSE int unsetenv(const char *name) {
  if (WATCHED) READS_TEXT(name, SIZE_MAX, '\0'), ENVIRONMENT(true);
  return NEXT(unsetenv)(name);
}

INTERPOSE int clearenv(void) {
  if (WATCHED) ENVIRONMENT(true);
  return NEXT(clearenv)();
}

/* ---- sorting ---- */

typedef int comparison(const void *a, const void *b);
typedef int long_comparison(const void *a, const void *b, void *user);

/* What the program's function says of two elements, under either of its types. */
struct sorting {
  plain_function *compare;
  void *user;
};

static int compare(const void *a, const void *b, void *user) {
  const struct sorting *s = user;
  return (int)unfold_program(s->compare, (long)(uintptr_t)a, (long)(uintptr_t)b,
                             (long)(uintptr_t)s->user);
}

/* The program's function may come to operations, and other threads to what is sorted. So that is
 * read, and written when all is sorted. */
static void sort(struct sorting *s, void *base, size_t count, size_t size, uint64_t place) {
  unfold_touched(base, count * size, false, place);
  void *copy = unfold_coming(base, count * size, place) ? malloc(count * size) : NULL;
  if (copy != NULL) memcpy(copy, base, count * size);
  NEXT(qsort_r)(copy != NULL ? copy : base, count, size, compare, s);
  unfold_touched(base, count * size, true, place);
  if (copy != NULL) memcpy(base, copy, count * size);
  free(copy);
}

INTERPOSE void qsort(void *base, size_t count, size_t size, comparison *function) {
  if (WATCHED)
    sort(&(struct sorting){(plain_function *)function, NULL}, base, count, size, CALLER);
  else
    NEXT(qsort)(base, count, size, function);
}

INTERPOSE void qsort_r(void *base, size_t count, size_t size, long_comparison *function,
                       void *user) {
  if (WATCHED)
    sort(&(struct sorting){(plain_function *)function, user}, base, count, size, CALLER);
  else
    NEXT(qsort_r)(base, count, size, function, user);
}
