/* A worker of an exploration by several processes. */
#ifndef COMMON_JOBS_WORKER_H
#define COMMON_JOBS_WORKER_H

#include <stdbool.h>
#include <jansson.h>
#include <stddef.h>
#include <unfold/explore.h>

struct cli_defects;
struct worker;

/* What a worker has of the program: the functions of a front-end. */
struct worker_engine {
  void *user;
  unf_context *context;
  unsigned workers; /* there are */
  /* Makes the explorer of the worker, which is there as long as that is explored. */
  unf_status (*open)(void *user, struct worker *worker, unf_explorer **out);
  /* Performs and finishes the execution that was begun. */
  unf_status (*execute)(void *user, unf_explorer *x, const unf_run *run);
  /* Why the exploration is to end, found by an execution; NULL: it goes on. */
  const char *(*stopped)(void *user);
  /* What the program did that cannot be controlled; NULL: nothing. */
  const char *(*uncontrolled)(void *user, unf_status status);
  /* What was found so far, and the schedule of one of them as text, or NULL. */
  const struct cli_defects *(*defects)(void *user);
  const char *(*schedule)(void *user, size_t defect);
  /* What the coordinator is to know when the worker ends, a new reference; NULL: nothing. */
  json_t *(*known)(void *user);
};

/* The life of a worker: from the first item to the last one. */
void worker_run(int socket, const struct worker_engine *engine);
/* Within an execution, while something else is waited for: says now and then that the worker is
 * alive. */
void worker_wait(struct worker *worker);

#endif
