/*
 * Small programs with inputs whose exact counts are known from elsewhere, in every order of the
 * threads. All branches are events, also those that follow from what their thread did before.
 */
#ifndef ORACLE_REFERENCE_INPUTS_H
#define ORACLE_REFERENCE_INPUTS_H

#include <stddef.h>
#include <stdint.h>

typedef struct reference_input {
  const char *name, *text;
  uint32_t complete, blocked, events;
} reference_input;

extern const reference_input reference_inputs[];
extern const size_t reference_input_count;

#endif
