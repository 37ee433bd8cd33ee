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
/* A number that is another one when a worker has seen what it had not seen before. */
uint64_t union_number(const struct control *worker);
/* How the exploration ended is how that worker ended. */
void union_end(struct control *sum, const struct control *worker);
/* A finding of a worker among those of the sum; FINDINGS_MAX: there is no room. *described: it is
 * the one that is described now, as it was not there, or by a trace with a greater name. Its count
 * and its schedules are as before, or 0. */
uint32_t union_finding(struct control *sum, const struct control *worker, const struct finding *f,
                       bool *described);
/* A race among those of the sum; RACES_MAX: there is no room. */
uint64_t union_race(struct control *sum, const struct control *worker,
                    const struct reported_race *race, bool *described);

#endif
