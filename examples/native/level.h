/* How much of the program's accesses to memory is seen: read-modify-writes, or all. */
#ifndef NATIVE_LEVEL_H
#define NATIVE_LEVEL_H

#include <defect.h>
#include <options.h>
#include <stdbool.h>
#include <stdint.h>

struct control;

/* How often an exploration was begun again, and why. */
struct begun_again {
  uint32_t all, levels, inits, learning;
  bool joins;
};

struct levels {
  struct control *control;
  const struct cli_options *options;
  struct cli_defects earlier; /* found by explorations that were begun again */
  bool hurried;               /* it has no more time than the budget allows */
  /* The result of the level before, which is the result if this one comes to none. */
  void *before;
  bool before_finished, before_busy;
  struct begun_again begun_before;
};

/* False, with a message: what is to be left out cannot be. */
bool level_begin(struct control *control, const struct cli_options *options);
/* Whether the program is to be explored again from the start, and then with what; work: processor
 * time of the last exploration; used: the time of all of them. */
bool level_again(struct levels *levels, double work, double used);
void level_end(struct levels *levels);

#endif
