/* Rounds of barriers for which more threads contend than they are for. */
#ifndef MODEL_BARRIER_H
#define MODEL_BARRIER_H

#include "model.h"

/* UNF_UNSUPPORTED, with a message in the session, if a thread that came to stand at a barrier, by
 * the last event of the explorer's run, contends for it with more others than it is for. */
unf_status session_contended(struct session *s, const int64_t *state, uint32_t thread,
                             const unf_explorer *explorer);
/* As session_contended(), before the first event of a run, for all threads. */
unf_status session_contended_at_start(struct session *s, const int64_t *state);

#endif
