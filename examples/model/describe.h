/* What is wrong with an execution, as defects of the result. */
#ifndef MODEL_DESCRIBE_H
#define MODEL_DESCRIBE_H

#include "model.h"

/* How an execution that ended in a state counts. */
void describe_verdict(const struct session *s, const int64_t *state, unf_verdict *verdict);
/* Lists what is wrong with an execution that ended in a state. The explorer, if there is one, has
 * its steps, for --trace-dir. */
void describe_end(struct session *s, const int64_t *state, const unf_verdict *verdict,
                  const unf_explorer *explorer);
/* Whether that would list the defect, or the end of an execution after a problem would; the state
 * need not be the end of one unless it says that it is the whole. Room for a number by thread, and
 * one more. */
bool describe_shows(const struct session *s, const int64_t *state, bool whole,
                    const struct cli_defect *defect, uint64_t *room);
bool describe_problem_is(const struct problem *problem, const struct cli_defect *defect);
/* The name of the program in a schedule, with the values of its inputs; to be freed. NULL: no
 * memory. */
char *describe_program(const struct session *s, const json_t *inputs);
/* Lists a race, or counts it as often as it was seen; with values of the inputs, or NULL, which it
 * takes. */
void describe_race(struct session *s, const unf_race *race, const unf_explorer *explorer,
                   json_t *inputs);
/* An access of a race, for --report: `thread`, `operation`, `place` and `at`; NULL: no memory. */
json_t *describe_racing(const struct session *s, const unf_access *access);
/* Lists a run-time error. */
void describe_runtime(struct session *s, const struct problem *problem,
                      const unf_explorer *explorer);

#endif
