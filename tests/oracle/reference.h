/*
 * Small programs whose exact counts are known from elsewhere: what every implementation of the
 * language must agree with, in every order of the threads.
 */
#ifndef ORACLE_REFERENCE_H
#define ORACLE_REFERENCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define REFERENCE_UNTOLD UINT32_MAX

typedef struct reference_counts {
  uint32_t maximal, blocked, configurations, events;
  uint32_t extensions; /* the sum of |cex(C)| over maximal C */
} reference_counts;

typedef struct reference_program {
  const char *name, *text;
  int64_t bound;
  bool commuting;
  reference_counts counts; /* NOT_COUNTED where they are not known */
} reference_program;

extern const reference_program reference_programs[];
extern const size_t reference_count;

#endif
