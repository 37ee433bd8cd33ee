/* --executions, of a model. */
#include <stdlib.h>

#include "execution.h"
#include "model.h"

enum { FACT_SIZE = 1 << 16 };

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

/* What the inputs satisfy, one text for each fact; NULL: no memory. */
static json_t *constraint_of(struct session *s, const unf_explorer *x) {
  json_t *facts = json_array();
  char *text = malloc(FACT_SIZE);
  bool good = text != NULL && facts != NULL;
  for (uint32_t i = 0; good && inputs_fact(s, x, i, text, FACT_SIZE); i++)
    good = json_array_append_new(facts, json_string(text)) == 0;
  free(text);
  if (good) return facts;
  json_decref(facts);
  return NULL;
}

void executions_write(struct session *s, const unf_explorer *x, const unf_verdict *verdict) {
  if (s->executions == NULL || verdict->redundant || verdict->infeasible || verdict->truncated)
    return;
  if (cli_execution_write(s->executions, s->unfolding, x, verdict, inputs_of_run(s, x),
                          constraint_of(s, x)))
    return;
  if (!s->refused) cli_say(stderr, "unfold-model: no memory to write an execution");
  s->refused = true;
}
