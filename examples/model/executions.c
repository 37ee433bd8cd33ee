/* --executions, of a model. */
#include "executions.h"

#include "execution.h"

bool executions_open(struct session *s) {
  if (s->options.executions == NULL || s->options.replay != NULL) return true;
  s->executions = cli_executions_open(CLI_MODEL, s->options.executions);
  return s->executions != NULL;
}

void executions_close(struct session *s) {
  if (s->executions != NULL &&
      !cli_executions_close(CLI_MODEL, s->options.executions, s->executions))
    s->failed = true;
}

void executions_write(struct session *s, const unf_explorer *x, const unf_verdict *verdict) {
  if (s->executions == NULL || verdict->redundant || verdict->infeasible || verdict->truncated)
    return;
  if (cli_execution_write(s->executions, s->unfolding, x, verdict, inputs_of_run(s, x),
                          inputs_constraint(s, x)))
    return;
  if (!s->refused) cli_say(stderr, "unfold-model: no memory to write an execution");
  s->refused = true;
}
