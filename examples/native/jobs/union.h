/* What several workers found out, put together as though one had explored it all. */
#ifndef NATIVE_JOBS_UNION_H
#define NATIVE_JOBS_UNION_H

#include <stdbool.h>
#include <stdint.h>

#include "../control/findings.h"
#include "../control/races.h"

struct control;

/* Adds what has to be known when the exploration begins again. */
void union_know(struct control *sum, const struct control *worker);
/* Adds what was seen, but for findings, races and counts, which reports have. Both blocks have
 * modules, which may be at other addresses. */
void union_see(struct control *sum, const struct control *worker);
/* How the exploration ended is how that worker ended. */
void union_end(struct control *sum, const struct control *worker);
/* A finding of a worker among those of the sum; FINDINGS_MAX: there is no room. *fresh: it was not
 * there, and has no execution yet. */
uint32_t union_finding(struct control *sum, const struct control *worker, const struct finding *f,
                       bool *fresh);
/* A race of a worker among those of the sum; RACES_MAX: there is no room. */
uint64_t union_race(struct control *sum, const struct control *worker,
                    const struct reported_race *race, bool *fresh);

#endif
