/* A session from its program's text to the names of its threads and objects, and its end. */
#include "open.h"

#include <stdlib.h>
#include <string.h>

#include "purity.h"
#include "races.h"
#include "settings.h"
#include "translate.h"

/* Takes pure iterations out of the program, for --purity. Returns CLI_CLEAN, or another status when
 * what is wrong was said. */
static int apply_purity(struct session *s) {
  enum cli_choice purity = s->options.purity;
  struct purity_counts c;
  if (purity == CLI_PURITY_OFF) return CLI_CLEAN;
  if (s->program.count[SYMBOL_INPUT] > 0) {
    cli_say(stderr, "unfold-model: %s: --purity with inputs is not supported", s->shown);
    return CLI_USAGE;
  }
  unf_status status = purity_apply(&s->program, purity == CLI_PURITY_LIST ? stderr : NULL, &c);
  if (status != UNF_OK) {
    cli_say(stderr, "unfold-model: %s: loop purity: %s", s->shown, unf_status_text(status));
    return status == UNF_MEMORY ? CLI_STOPPED : CLI_USAGE;
  }
  s->result.more =
      json_pack("{s:{s:I, s:I, s:I, s:I, s:I}}", "purity", "loops", (json_int_t)c.loops, "pure",
                (json_int_t)c.pure, "awaits", (json_int_t)c.awaits, "stops", (json_int_t)c.stops,
                "unused", (json_int_t)c.unused);
  return CLI_CLEAN;
}

int session_load(struct session *s, char *text, size_t size) {
  int status = CLI_CLEAN;
  struct problem problem = {.refused = false};
  if (text == NULL) text = cli_read_file(CLI_MODEL, s->file, &size, &status);
  if (text == NULL) return status;
  if (!program_compile(&s->program, text, size, &problem)) {
    cli_say(stderr, "%s:%u:%u: %s", s->shown, problem.place.line, problem.place.column,
            problem.text);
    return problem.refused ? CLI_STOPPED : CLI_USAGE;
  }
  status = apply_purity(s);
  if (status != CLI_CLEAN) return status;
  int64_t bound = s->options.bound != CLI_NUMBER_NONE ? s->options.bound : -1;
  program_join_operands(&s->program);
  if (!machine_make(&s->machine, &s->program, bound)) {
    cli_say(stderr, "unfold-model: no memory for the program");
    return CLI_STOPPED;
  }
  return inputs_fix(s, s->options.input) ? inputs_open(s) : CLI_USAGE;
}

unf_status session_open_library(struct session *s) {
  unf_context_options options = UNF_CONTEXT_OPTIONS_INIT;
  cli_options_limits(&s->options, &options.limits);
  cli_progress_of(&s->progress, &options);
  unf_status status = unf_context_new(&options, &s->context);
  if (status == UNF_OK) status = unf_unfolding_new(s->context, NULL, &s->unfolding);
  if (status == UNF_OK) status = inputs_attach(s);
  if (status == UNF_OK) status = session_name_all(s);
  if (status == UNF_OK) status = races_open(s);
  return status;
}

void session_close(struct session *s) {
  cli_progress_end(&s->progress);
  cli_defects_free(&s->result.defects);
  json_decref(s->result.more);
  for (size_t i = 0; i < s->schedule_count; i++)
    free(s->schedules[i]);
  free(s->schedules);
  json_decref(s->identity);
  cli_saved_close(&s->continued);
  free(s->race_counts);
  unf_races_free(s->races);
  free(s->raced);
  unf_explorer_free(s->explorer);
  checkpoints_free(&s->checkpoints);
  unf_unfolding_free(s->unfolding);
  unf_context_free(s->context);
  inputs_close(&s->inputs);
  machine_free(&s->machine);
  program_free(&s->program);
  history_free(&s->history);
  free(s->state);
  free(s->shown);
}
