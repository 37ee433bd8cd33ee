/* A second session of the same program, which performs executions for --report. */
#ifndef MODEL_AGAIN_H
#define MODEL_AGAIN_H

#include "decide.h"
#include "model.h"
#include "story.h"

struct again {
  struct session session;
  unf_configuration *events;
  const struct cli_defect *defect; /* whose executions are performed */
  char *input;
  uint64_t *room; /* for places */
  bool complete;  /* every thread ended in the last execution */
};

/* For a defect of a session. False: no memory. To be closed in any case. */
bool again_open(struct again *again, const struct session *s, const struct cli_defect *defect);
void again_close(struct again *again);

/*
 * Performs these actions; with a run any that are possible behind them, to the end of the
 * execution, and says there what was done; with a story it is told. What was found is in the
 * session's result. False: no memory, no time, or an execution that does not end.
 */
bool again_perform(struct again *again, const unf_action *actions, size_t count, struct run *run,
                   struct story *story);

#endif
