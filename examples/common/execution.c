#include "execution.h"

#include <errno.h>
#include <string.h>

#include "text.h"

FILE *cli_executions_open(enum cli_program program, const char *path) {
  FILE *file = fopen(path, "w");
  if (file == NULL) cli_say(stderr, "%s: %s: %s", cli_program_name(program), path, strerror(errno));
  return file;
}

bool cli_executions_close(enum cli_program program, const char *path, FILE *file) {
  bool good = ferror(file) == 0;
  if (fclose(file) == 0 && good) return true;
  cli_say(stderr, "%s: %s could not be written", cli_program_name(program), path);
  return false;
}

static const char *verdict_text(const unf_verdict *v) {
  return v->complete ? "complete" : v->error ? "error" : v->deadlock ? "deadlock" : "stopped";
}

struct steps {
  const unf_unfolding *unfolding;
  json_t *texts;
  bool failed;
};

static bool add_step(void *user, unf_event event) {
  struct steps *steps = user;
  char text[600];
  unf_action action;
  steps->failed = unf_event_action(steps->unfolding, event, &action) != UNF_OK;
  if (steps->failed) return false;
  unf_action_text(steps->unfolding, &action, text, sizeof text);
  steps->failed = json_array_append_new(steps->texts, json_string(text)) != 0;
  return !steps->failed;
}

bool cli_execution_write(FILE *to, const unf_unfolding *unfolding, const unf_explorer *explorer,
                         const unf_verdict *verdict, json_t *inputs, json_t *constraint) {
  struct steps steps = {unfolding, json_array(), false};
  unf_explorer_path(explorer, add_step, &steps);
  json_t *line =
      json_pack("{s:o, s:s, s:o, s:o}", "inputs", inputs != NULL ? inputs : json_object(),
                "verdict", verdict_text(verdict), "constraint",
                constraint != NULL ? constraint : json_array(), "steps", steps.texts);
  const bool whole = line != NULL && !steps.failed;
  const bool written = whole && json_dumpf(line, to, JSON_COMPACT) == 0 && putc('\n', to) != EOF;
  json_decref(line);
  return written || (whole && ferror(to));
}
