/* --executions: each execution as a line of JSON, with values of the inputs and what they must
 * satisfy. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "model.h"

enum { FACT_SIZE = 1 << 16 };

bool executions_open(struct session *s) {
  if (s->options.executions == NULL || s->options.replay != NULL) return true;
  s->executions = fopen(s->options.executions, "w");
  if (s->executions == NULL)
    cli_say(stderr, "unfold-model: %s: %s", s->options.executions, strerror(errno));
  return s->executions != NULL;
}

void executions_close(struct session *s) {
  if (s->executions == NULL) return;
  bool good = ferror(s->executions) == 0;
  if (fclose(s->executions) == 0 && good) return;
  cli_say(stderr, "unfold-model: %s could not be written", s->options.executions);
  s->failed = true;
}

static const char *verdict_text(const unf_verdict *v) {
  return v->complete ? "complete" : v->error ? "error" : v->deadlock ? "deadlock" : "stopped";
}

struct steps {
  const struct session *session;
  json_t *texts;
  bool failed;
};

static bool add_step(void *user, unf_event event) {
  struct steps *steps = user;
  char text[TEXT_SIZE];
  unf_action action;
  steps->failed = unf_event_action(steps->session->unfolding, event, &action) != UNF_OK;
  if (steps->failed) return false;
  unf_action_text(steps->session->unfolding, &action, text, sizeof text);
  steps->failed = json_array_append_new(steps->texts, json_string(text)) != 0;
  return !steps->failed;
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
  struct steps steps = {s, json_array(), false};
  unf_explorer_path(x, add_step, &steps);
  json_t *inputs = inputs_of_run(s, x);
  json_t *line = json_pack(
      "{s:o, s:s, s:o, s:o}", "inputs", inputs != NULL ? inputs : json_object(), "verdict",
      verdict_text(verdict), "constraint", constraint_of(s, x), "steps", steps.texts);
  if (line == NULL || steps.failed || json_dumpf(line, s->executions, JSON_COMPACT) != 0 ||
      putc('\n', s->executions) == EOF) {
    if (!s->refused && !ferror(s->executions))
      cli_say(stderr, "unfold-model: no memory to write an execution");
    s->refused = true;
  }
  json_decref(line);
}
