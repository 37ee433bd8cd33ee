/* A row of tests/golden/counts.csv. */
#ifndef STRATEGY_ROW_H
#define STRATEGY_ROW_H

#include <stdbool.h>
#include <stdint.h>

struct row {
  char family[16], algorithm[16], k[16];
  int first, second;
  uint64_t traces, events;
};

/* Reads the row of an optimal exploration with so many events at most. */
bool row_read(const char *line, uint64_t most_events, struct row *r);

#endif
