/* unfold-model: explores a program of the model language, or replays one of its executions. */
#include <stdlib.h>
#include <string.h>

#include "model.h"
#include "purity.h"

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

/* Reads and compiles the program. Returns as above. */
static int load(struct session *s) {
  size_t size;
  int status = CLI_CLEAN;
  struct problem problem = {.refused = false};
  char *text = cli_read_file(CLI_MODEL, s->file, &size, &status);
  if (text == NULL) return status;
  if (!program_compile(&s->program, text, size, &problem)) {
    cli_say(stderr, "%s:%u:%u: %s", s->shown, problem.place.line, problem.place.column,
            problem.text);
    return problem.refused ? CLI_STOPPED : CLI_USAGE;
  }
  status = apply_purity(s);
  if (status != CLI_CLEAN) return status;
  int64_t bound = s->options.bound != CLI_NUMBER_NONE ? s->options.bound : -1;
  if (!machine_make(&s->machine, &s->program, bound)) {
    cli_say(stderr, "unfold-model: no memory for the program");
    return CLI_STOPPED;
  }
  return inputs_fix(s, s->options.input) ? inputs_open(s) : CLI_USAGE;
}

/* Makes the context and the unfolding with all names. */
static unf_status open_library(struct session *s) {
  unf_context_options options = UNF_CONTEXT_OPTIONS_INIT;
  cli_options_limits(&s->options, &options.limits);
  cli_progress_begin(&s->progress);
  if (s->progress.active) {
    options.progress = cli_progress_report;
    options.progress_user = &s->progress;
    options.progress_interval = 64;
  }
  unf_status status = unf_context_new(&options, &s->context);
  if (status == UNF_OK) status = unf_unfolding_new(s->context, NULL, &s->unfolding);
  if (status == UNF_OK) status = inputs_attach(s);
  if (status == UNF_OK) status = session_name_all(s);
  if (status == UNF_OK) status = races_open(s);
  return status;
}

static unf_status produce_dot(void *unfolding, unf_write write, void *file) {
  return unf_dot_unfolding(unfolding, write, file);
}

static int explore(struct session *s) {
  struct cli_result *r = &s->result;
  double begin = cli_now();
  if (!executions_open(s)) return CLI_USAGE;
  cli_interrupt_watch(s->context);
  session_explore(s);
  executions_close(s);
  r->seconds = cli_now() - begin;
  cli_progress_end(&s->progress);
  cli_interrupt_watch(NULL);
  if (s->inputs.open) r->more = json_pack("{s:o}", "solver", inputs_statistics(s));
  int status = cli_result_print(r);
  if (s->options.dot != NULL && !cli_save(CLI_MODEL, s->options.dot, produce_dot, s->unfolding))
    s->failed = true;
  return status;
}

static int run(struct session *s) {
  s->start = cli_now();
  if (!session_can_hash(s)) {
    cli_say(stderr, "unfold-model: no strong hash: built without libsodium");
    return CLI_USAGE;
  }
  int loaded = load(s);
  if (loaded != CLI_CLEAN) return loaded;
  if (!cli_folder_prepare(CLI_MODEL, s->options.trace_dir)) return CLI_USAGE;
  s->result.tool = CLI_MODEL;
  s->result.program = s->file;
  s->result.options = &s->options;
  s->result.estimate.left = s->result.estimate.error = -1;
  unf_status status = open_library(s);
  if (status != UNF_OK) {
    /* A limit that the names alone meet: nothing was explored. */
    s->result.stopped = cli_stop_word(s->context, status);
    if (s->result.stopped != NULL) return cli_result_print(&s->result);
    cli_say(stderr, "unfold-model: %s: %s", s->shown, unf_status_text(status));
    return CLI_USAGE;
  }
  return s->options.replay != NULL ? session_replay(s) : explore(s);
}

static void close_session(struct session *s) {
  cli_progress_end(&s->progress);
  cli_defects_free(&s->result.defects);
  json_decref(s->result.more);
  unf_races_free(s->races);
  unf_unfolding_free(s->unfolding);
  unf_context_free(s->context);
  inputs_close(&s->inputs);
  machine_free(&s->machine);
  program_free(&s->program);
  history_free(&s->history);
  free(s->state);
  free(s->shown);
}

int main(int argc, char **argv) {
  struct session session;
  memset(&session, 0, sizeof session);
  cli_streams_begin();
  int status = cli_options_read(CLI_MODEL, argc, argv, &session.options);
  if (status >= 0) return status;
  session.file = session.options.arguments[0];
  session.shown = cli_show(session.file);
  if (session.shown == NULL) {
    cli_say(stderr, "unfold-model: no memory");
    return CLI_STOPPED;
  }
  status = cli_output_status(CLI_MODEL, run(&session));
  if (session.failed)
    status = cli_failed_status(status, CLI_USAGE);
  else if (session.refused && status == CLI_CLEAN)
    status = CLI_STOPPED;
  close_session(&session);
  return status;
}
