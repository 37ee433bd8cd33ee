/* unfold-sym: explores a C program for all inputs and all schedules. */
#include <stdlib.h>
#include <string.h>

#include "sym.h"

enum { VALUES = 4096 };

static int no_memory(void) {
  cli_say(stderr, "unfold-sym: no memory");
  return CLI_STOPPED;
}

/* Reads --input. */
static bool give_inputs(struct sym *s) {
  const char *wrong = NULL;
  if (s->options.input == NULL || asked_give(&s->machine.asked, s->options.input, &wrong))
    return true;
  s->refused = wrong == NULL;
  if (s->refused)
    no_memory();
  else
    cli_say(stderr, "unfold-sym: --input %s: not NAME=VALUE,…", wrong);
  return false;
}

static int prepare(struct sym *s) {
  struct machine *m = &s->machine;
  const struct cli_options *o = &s->options;
  int status = load_program(&s->code, o->arguments, o->file_count, o->clang_flags);
  if (status != CLI_CLEAN) return status;
  const uint32_t first = code_function(&s->code, "main");
  if (first == UINT32_MAX || !s->code.functions[first].defined ||
      s->code.functions[first].parameters > 3) {
    cli_say(stderr, "unfold-sym: %s: there is no function main", s->shown);
    return CLI_USAGE;
  }
  m->code = &s->code;
  m->builtins = builtins_find(&s->code);
  m->additions_commute = o->ifaa;
  m->overflow = o->overflow;
  m->max_values = o->max_values > 0 ? o->max_values : VALUES;
  if (!give_inputs(s)) return s->refused ? CLI_STOPPED : CLI_USAGE;
  m->max_branches = o->max_branches != CLI_NUMBER_NONE ? (uint64_t)o->max_branches : UINT64_MAX;
  s->solver_program = o->solver != NULL ? strdup(o->solver) : load_beside("unfold-solver");
  return m->builtins != NULL && s->solver_program != NULL ? CLI_CLEAN : no_memory();
}

static int replay(struct sym *s) {
  int status = CLI_CLEAN;
  if (s->options.native != NULL) s->native = native_open(s->options.native, &status);
  if (status != CLI_CLEAN) return status;
  cli_interrupt_watch(s->context);
  status = sym_replay(s);
  cli_interrupt_watch(NULL);
  native_close(s->native);
  return status;
}

/* An input that was given and that nobody asked for is a mistake. */
static void check_inputs(struct sym *s) {
  const char *unused = asked_unused(&s->machine.asked);
  if (unused == NULL || !s->result.finished) return;
  cli_say(stderr, "unfold-sym: --input %s: no execution asks for that", unused);
  s->failed = true;
}

static int run(struct sym *s) {
  unf_context_options options = UNF_CONTEXT_OPTIONS_INIT;
  s->start = cli_now();
  int status = prepare(s);
  if (status != CLI_CLEAN) return status;
  cli_options_limits(&s->options, &options.limits);
  cli_progress_begin(&s->progress);
  if (s->progress.active) {
    options.progress = cli_progress_report;
    options.progress_user = &s->progress;
    options.progress_interval = 64;
  }
  if (unf_context_new(&options, &s->context) != UNF_OK) return no_memory();
  s->result.tool = CLI_SYMBOLIC;
  s->result.program = s->options.arguments[0];
  s->result.options = &s->options;
  s->result.estimate.left = s->result.estimate.error = -1;
  if (!cli_folder_prepare(CLI_SYMBOLIC, s->options.trace_dir) ||
      !cli_folder_prepare(CLI_SYMBOLIC, s->options.tests))
    return CLI_USAGE;
  if (s->options.replay != NULL) return replay(s);
  if (s->options.executions != NULL) {
    s->executions = cli_executions_open(CLI_SYMBOLIC, s->options.executions);
    if (s->executions == NULL) return CLI_USAGE;
  }
  cli_interrupt_watch(s->context);
  sym_explore(s);
  if (s->executions != NULL &&
      !cli_executions_close(CLI_SYMBOLIC, s->options.executions, s->executions))
    s->failed = true;
  s->result.seconds = cli_now() - s->start;
  cli_progress_end(&s->progress);
  cli_interrupt_watch(NULL);
  check_inputs(s);
  return cli_result_print(&s->result);
}

int main(int argc, char **argv) {
  struct sym s;
  memset(&s, 0, sizeof s);
  cli_streams_begin();
  int status = cli_options_read(CLI_SYMBOLIC, argc, argv, &s.options);
  if (status >= 0) return status;
  s.shown = cli_show(s.options.arguments[0]);
  if (s.shown == NULL) return no_memory();
  /* The name of the program stands in the place of its last file. */
  s.arguments = s.options.arguments + s.options.file_count - 1;
  s.argument_count = s.options.argument_count - s.options.file_count + 1;
  status = cli_output_status(CLI_SYMBOLIC, run(&s));
  if (s.failed)
    status = cli_failed_status(status, CLI_USAGE);
  else if (s.refused && status == CLI_CLEAN)
    status = CLI_STOPPED;
  cli_defects_free(&s.result.defects);
  json_decref(s.result.more);
  machine_free(&s.machine);
  code_free(&s.code);
  unf_context_free(s.context);
  free(s.solver_program);
  free(s.shown);
  return status;
}
