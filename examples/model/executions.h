/*
 * --executions: a line for each execution.
 *
 * With --save and --continue the file has those of all processes. What is saved says how long it
 * was when the last execution ended, and has a hash of it up to there; what is behind that is cut
 * off when it is gone on with, since these executions are performed again.
 */
#ifndef MODEL_EXECUTIONS_H
#define MODEL_EXECUTIONS_H

#include "model.h"

/* False: the file cannot be written, or gone on with, which was said. */
bool executions_open(struct session *s);
/* Writes the run of an explorer, which ended so. */
void executions_write(struct session *s, const unf_explorer *x, const unf_verdict *verdict);
/* All of it is finished, see saving_executed(). */
void executions_finished(struct session *s);
/* What is saved of the file, a new reference; it is on the disk then. NULL: it could not be
 * written, or there is no memory. Null where there is no file. */
json_t *executions_saved(struct session *s);
void executions_close(struct session *s);

#endif
