/* What workers of --jobs report, and what programs take that workers do not share. */
#ifndef NATIVE_CONTROL_SHARED_H
#define NATIVE_CONTROL_SHARED_H

#include <stdint.h>

#include "texts.h"

enum { TOUCHED_MAX = 1024, TOUCHED_NAME = 256 };

/* What the program has written, or taken for itself, by its name. */
struct touched {
  char name[TOUCHED_NAME];
  uint64_t place;
};

/* --jobs: what executions had, since something counted last, in the frames of a report: so many of
 * the finding or race with that number in the block. */
enum shared_kind {
  SHARED_FINDING,
  SHARED_RACE,
  SHARED_LEFT_BEHIND,
  SHARED_GIVEN_UP,
  SHARED_TOUCHED,
  SHARED_KINDS
};
struct shared_found {
  uint32_t kind, index;
  uint64_t count;
};

#endif
