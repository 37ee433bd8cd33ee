/* Data races of the program. */
#ifndef NATIVE_CONTROL_RACES_H
#define NATIVE_CONTROL_RACES_H

#include <stdbool.h>
#include <stdint.h>

#include "texts.h"

enum { RACES_MAX = 8192 };

struct reported_access {
  char thread[NAME_SIZE];
  uint64_t place;
  bool write;
  uint64_t after; /* in a replay: the first half of the fingerprint of the event before it, or 0 */
};

/* Two accesses that nothing orders. */
struct reported_race {
  uint32_t version; /* as of a finding */
  uint64_t name[2];
  struct reported_access access[2];
  uint64_t address;
  char region[NAME_SIZE]; /* where that is, if it is no variable of a module; or "" */
  uint64_t count;         /* executions that have it; */
  uint64_t before;        /* of them, those of processes that this one goes on from */
  uint64_t step;          /* of a replay: it was there after so many */
  unsigned schedule;
};

#endif
