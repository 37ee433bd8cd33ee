/* The exploration. */
#ifndef MODEL_EXPLORE_H
#define MODEL_EXPLORE_H

#include "model.h"

/* Explores everything; what was found is in the result. */
void session_explore(struct session *s);
/* Makes the explorer. */
unf_status session_explorer(struct session *s, unf_explorer **out);
/* Performs and finishes an execution that was begun; what it has is in the result. */
unf_status session_execute(struct session *s, unf_explorer *x, const unf_run *next);
/* What the program did that cannot be controlled, or NULL; the result then says why it ended. */
/* An exploration that left out what is over a bound, or does not know whether something is an
 * execution, did not reach the end. */
void session_cut_short(struct session *s);
const char *session_uncontrolled(struct session *s, unf_status status);

#endif
