/* --report: one execution performed once more, by a replay that nobody sees. */
#ifndef NATIVE_AGAIN_H
#define NATIVE_AGAIN_H

#include <options.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "control/steps.h"

struct control;

struct again {
  const struct cli_options *options; /* of the exploration */
  const char *path;                  /* of the program */
  off_t input;                       /* where its standard input begins; negative: it is empty */
  const struct control *explored;    /* what the exploration found out of the program */
};

/* What one replay did. */
struct performed {
  struct control *control;     /* with what it found, and its modules */
  struct reported_step *steps; /* and, in front of a step, what was possible there */
  size_t count, room;
  bool ended; /* it came to its end; else it took too long, or was refused */
};

/* How a schedule is performed: as settings of the same name say. */
struct manner {
  uint64_t choices_from, most_steps, order_steps;
  bool lenient;
};

/* As --replay does. */
#define MANNER_INIT                                                                                \
  { UINT64_MAX, UINT64_MAX, 0, false }

/* Performs a schedule, and any steps after it, in so many seconds at most; an interrupt that is
 * pending ends it. What is performed in another manner than --replay does may lack what names the
 * memory that threads share. False: it could not be tried, for want of memory. */
bool again_perform(const struct again *again, const char *schedule, double seconds,
                   const struct manner *manner, struct performed *out);
/* Whether an interrupt is pending. */
bool again_interrupted(void);
void again_free(struct performed *performed);

#endif
