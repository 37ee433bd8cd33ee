/* --executions: a line for each execution. */
#ifndef MODEL_EXECUTIONS_H
#define MODEL_EXECUTIONS_H

#include "model.h"

/* False: the file cannot be written, which was said. */
bool executions_open(struct session *s);
/* Writes the run of an explorer, which ended so. */
void executions_write(struct session *s, const unf_explorer *x, const unf_verdict *verdict);
void executions_close(struct session *s);

#endif
