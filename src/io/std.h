/* Traces in the STD format: the lines that were read, and their names. */
#ifndef IO_STD_H
#define IO_STD_H

#include <unfold/std.h>

#include "base/table.h"
#include "configuration/configuration.h"
#include "structure/unfolding.h"

/* What a line says. Those before STD_MARK are operations, with these words. */
enum std_operation {
  STD_ACQUIRE,
  STD_RELEASE,
  STD_READ,
  STD_WRITE,
  STD_FORK,
  STD_JOIN,
  STD_MARK, /* orders nothing */
  STD_OPERATION_COUNT
};

struct std_line {
  uint32_t thread, operand, place; /* names; of a mark, no operand */
  uint32_t operation;
};

/* Different names, numbered from 0 in the order in which they were found. */
struct std_names {
  VECTOR(char) bytes; /* each with a 0 behind it */
  VECTOR(uint32_t) starts;
  struct table table;
};

static inline const char *std_name(const struct std_names *names, uint32_t number) {
  return names->bytes.data + names->starts.data[number];
}

struct unf_std {
  unf_unfolding *u;
  unf_configuration *configuration;
  unf_races *races; /* NULL: reads and writes are events */
  bool places;      /* of races: those of the program; else variables */
  struct std_names names[UNF_STD_NAME_COUNT];
  VECTOR(struct std_line) lines;
  handle_vector events;  /* of lines; NONE */
  handle_vector threads; /* names of threads, plus 1, by their handles; 0 */
  unf_std_counts counts;
};

#endif
