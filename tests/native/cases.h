/* What the programs of cases share: the first argument chooses a case by its name. The exit status
 * is its own, or 9 when something went wrong in front of it. */
#ifndef NATIVE_CASES_H
#define NATIVE_CASES_H

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef void *body(void *);

struct named_case {
  const char *name;
  int (*run)(void);
};

static inline pthread_t start(body *function) {
  pthread_t t;
  if (pthread_create(&t, NULL, function, NULL) != 0) exit(9);
  return t;
}

static inline struct timespec in_an_hour(void) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  now.tv_sec += 3600;
  return now;
}

/* The case that the arguments name, or NULL. */
static inline const struct named_case *chosen(int argc, char **argv, const struct named_case *cases,
                                              size_t count) {
  for (size_t i = 0; argc == 2 && i < count; i++)
    if (strcmp(cases[i].name, argv[1]) == 0) return &cases[i];
  return NULL;
}

#define RUN_CHOSEN(argc, argv, cases)                                                              \
  const struct named_case *one = chosen(argc, argv, cases, sizeof(cases) / sizeof *(cases));       \
  if (one != NULL) return one->run()

#endif
