/* What the two halves of random_switches share. */
#ifndef RANDOM_SWITCHES_H
#define RANDOM_SWITCHES_H

#include <stdbool.h>
#include <stdint.h>

/* What was compared: configurations, those for which what is found without a search is not the
 * fewest, and those for which the first bound is too low. */
struct counts {
  uint64_t configurations, searched, raised;
};

/* Loads and stores in random orders. False when it failed, with what is wrong printed. */
bool check_accesses(uint64_t seed, struct counts *counts);

#endif
