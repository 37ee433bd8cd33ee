/* Cyclic programs with few states, for the tests of cutoffs. */
#ifndef RANDOM_CYCLIC_H
#define RANDOM_CYCLIC_H

#include <stddef.h>

#include "sketch.h"

typedef struct cyclic {
  char data[8192];
  size_t length;
  bool inputs; /* threads branch on two inputs, and keep what depends on them */
} cyclic;

/* A random program of two or three threads, and perhaps a main that starts them. `inputs` of the
 * program is set before. */
void cyclic_generate(cyclic *t, random_source *r);

/* Kept programs; NULL ends the list. */
extern const char *const cyclic_kept[];

#endif
