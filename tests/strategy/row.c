/* A row of tests/golden/counts.csv. */
#include "row.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

bool row_read(const char *line, uint64_t most_events, struct row *r) {
  return sscanf(line, "%15[^,],%d,%d,%15[^,],%15[^,],%" SCNu64 ",%*u,%" SCNu64, r->family,
                &r->first, &r->second, r->algorithm, r->k, &r->traces, &r->events) == 7 &&
         strcmp(r->algorithm, "qpor") == 0 && strcmp(r->k, "optimal") == 0 &&
         r->events <= most_events;
}
