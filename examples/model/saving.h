/* --save and --continue: what is known of an exploration, as a file. */
#ifndef MODEL_SAVING_H
#define MODEL_SAVING_H

#include "model.h"

/* Opens the file of --continue, and takes over what was found. CLI_CLEAN, or another status when
 * what is wrong was said. */
int saving_open(struct session *s);
/* Makes the explorer, or reads it from that file. */
unf_status saving_explorer(struct session *s, const unf_explorer_options *options,
                           unf_explorer **out);
/* An execution is finished, with the races that it has. */
void saving_executed(struct session *s);
/* Between executions: saves, if it is time to. */
void saving_between(struct session *s, unf_explorer *x);
/* What is known of finished executions, a new reference; NULL: no memory. */
json_t *saving_known(struct session *s, const unf_explorer *x);
/* The exploration has ended: saves it, with what was known, which it takes; drops the execution at
 * hand. */
void saving_end(struct session *s, unf_explorer *x, json_t *known);

#endif
