/* --jobs: the exploration by several processes. */
#ifndef MODEL_JOBS_H
#define MODEL_JOBS_H

#include "model.h"

/* Explores everything; what was found is in the result. What is not CLI_CLEAN was said, and nothing
 * was explored. */
int session_jobs(struct session *s);
/* A rank of --mpi that is not the first one. */
void session_serve(struct session *s);

#endif
