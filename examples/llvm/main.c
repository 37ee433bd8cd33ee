/* unfold-sym: explores a C program for all inputs and all schedules. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "asked.h"
#include "calls.h"
#include "code.h"
#include "confirm.h"
#include "coverage.h"
#include "defect.h"
#include "distance.h"
#include "engine.h"
#include "execution.h"
#include "files.h"
#include "load.h"
#include "machine.h"
#include "native.h"
#include "options.h"
#include "peers.h"
#include "progress.h"
#include "replay.h"
#include "report.h"
#include "retell.h"
#include "session.h"
#include "settings.h"
#include "sym.h"
#include "text.h"
#include "witness.h"

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

static int wrong_word(const char *option, const char *text) {
  cli_say(stderr, "unfold-sym: %s %s: not as it should be", option, text);
  return CLI_USAGE;
}

/* --symbolic-arg N,…: the sizes. */
static int read_symbolic_arguments(struct sym *s) {
  const char *text = s->options.symbolic_arg;
  size_t count = 0;
  if (text == NULL) return CLI_CLEAN;
  s->symbolic_arguments = calloc(strlen(text) + 1, sizeof *s->symbolic_arguments);
  if (s->symbolic_arguments == NULL) return no_memory();
  do {
    if (!sym_read_size(&text, &s->symbolic_arguments[count++]))
      return wrong_word("--symbolic-arg", s->options.symbolic_arg);
  } while (*text != '\0');
  s->machine.symbolic_arguments = s->symbolic_arguments;
  s->machine.symbolic_argument_count = count;
  return CLI_CLEAN;
}

/* --symbolic-file FILE=N,… */
static int read_symbolic_files(struct sym *s) {
  const char *text = s->options.symbolic_file;
  while (text != NULL && *text != '\0') {
    const size_t length = strcspn(text, "=,");
    char *name = strndup(text, length);
    uint64_t size;
    if (name == NULL) return no_memory();
    const char *behind = text[length] == '=' && length > 0 ? text + length + 1 : "";
    const bool good = sym_read_size(&behind, &size);
    const bool made = good && machine_file(&s->machine, name, NULL, size);
    free(name);
    if (!good) return wrong_word("--symbolic-file", text);
    if (!made) return no_memory();
    text = behind;
  }
  return CLI_CLEAN;
}

/* What the program can read: its standard input, which comes first, and files. */
static int make_files(struct sym *s) {
  const struct cli_options *o = &s->options;
  static const uint8_t nothing[1];
  const bool symbolic = o->symbolic_stdin != CLI_NUMBER_NONE;
  int made = 1;
  if (o->standard_input != NULL && symbolic) return wrong_word("--stdin", "with --symbolic-stdin");
  if (symbolic && o->symbolic_stdin > SYM_BYTES_MOST)
    return wrong_word("--symbolic-stdin", "above 1048576");
  if (o->standard_input != NULL)
    made = machine_read_file(&s->machine, "stdin", o->standard_input);
  else if (!machine_file(&s->machine, "stdin", symbolic ? NULL : nothing,
                         symbolic ? (uint64_t)o->symbolic_stdin : 0))
    return no_memory();
  if (made == 0) return wrong_word("--stdin", o->standard_input);
  if (made < 0) return no_memory();
  int status = read_symbolic_files(s);
  if (status == CLI_CLEAN) status = sym_read_peers(s);
  return status == CLI_CLEAN ? read_symbolic_arguments(s) : status;
}

/* What is asked for and does not go together. */
static const char *wrong_together(const struct cli_options *o) {
  if (o->cover_first && o->order != UNF_ORDER_DEPTH_FIRST) return "--cover-first: not with --order";
  if (o->cover_first && (o->algorithm == UNF_ODPOR || o->algorithm == UNF_EAGER))
    return "--cover-first: not with --algorithm odpor or eager";
  if (o->races_as_atomics && (o->report != NULL || o->witness != NULL))
    return "--races-as-atomics: not with --report or --witness";
  if (o->native != NULL && o->replay == NULL) return "--native: only with --replay";
  if (o->cutoffs.order != UNF_CUTOFFS_NONE && (o->replay != NULL || o->tests != NULL))
    return "--cutoffs: not with --replay or --tests";
  if (o->cutoffs.order != UNF_CUTOFFS_NONE && o->behind_races == CLI_RACES_CONTINUE)
    return "--cutoffs: not with --races=continue";
  if (o->cutoffs.order != UNF_CUTOFFS_NONE && o->races_as_atomics)
    return "--cutoffs: not with --races-as-atomics";
  if (o->replay != NULL && (o->coverage != NULL || o->cover_first || o->tests != NULL))
    return "--replay: not with --coverage, --cover-first or --tests";
  return NULL;
}

/* Whether the program has regions that are not interrupted. */
static bool has_regions(const struct code *code) {
  static const char beginning[] = "__VERIFIER_atomic_";
  uint32_t i = 0;
  while (i < code->function_count &&
         strncmp(code->functions[i].name, beginning, sizeof beginning - 1) != 0)
    i++;
  return i < code->function_count;
}

static uint64_t bound_of(cli_value_number given) {
  return given != CLI_NUMBER_NONE ? (uint64_t)given : UINT64_MAX;
}

/* What stops a thread, and not the exploration. */
static void set_bounds(struct machine *m, const struct cli_options *o) {
  m->max_branches = bound_of(o->max_branches);
  m->max_operations = o->max_operations > 0 ? o->max_operations : UINT64_MAX;
  m->max_silent = o->max_silent > 0 ? o->max_silent : UINT64_MAX;
  m->max_threads = o->max_threads > 0 ? o->max_threads : UINT64_MAX;
  m->max_spurious = o->spurious != CLI_NUMBER_NONE ? (uint64_t)o->spurious : 0;
  m->aborts_end = o->aborts == CLI_ABORTS_END;
}

static int prepare(struct sym *s) {
  struct machine *m = &s->machine;
  machine_open(m);
  const struct cli_options *o = &s->options;
  const char *wrong = wrong_together(o);
  if (wrong != NULL) {
    cli_say(stderr, "unfold-sym: %s", wrong);
    return CLI_USAGE;
  }
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
  m->has_regions = has_regions(&s->code);
  m->by_terms = o->cutoffs.order != UNF_CUTOFFS_NONE;
  /* What an addition changes follows from those before it, when it is part of a state. */
  m->additions_commute = o->ifaa && !m->by_terms;
  m->overflow = o->overflow;
  m->memory.zero = o->zero_memory;
  m->max_values = o->max_values > 0 ? o->max_values : VALUES;
  status = make_files(s);
  if (status != CLI_CLEAN) return status;
  if (!give_inputs(s)) return s->refused ? CLI_STOPPED : CLI_USAGE;
  if (o->coverage != NULL || o->cover_first) {
    m->coverage = coverage_new(&s->code);
    if (m->coverage == NULL) return no_memory();
  }
  if (o->cover_first && m->builtins != NULL) {
    s->distance = distance_new(&s->code, m->builtins, m->coverage);
    if (s->distance == NULL) return no_memory();
  }
  m->max_timeouts = o->max_timeouts != CLI_NUMBER_NONE ? (uint64_t)o->max_timeouts : UINT64_MAX;
  set_bounds(m, o);
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

/* A solver that never answers is likely not there. */
static void check_solver(const struct sym *s) {
  if (!s->unanswered) return;
  const char *path = s->solver_program;
  const bool absent = strchr(path, '/') != NULL && access(path, X_OK) != 0;
  cli_say(stderr,
          "unfold-sym: %s: branches depend on inputs, and the solver %s %s (it is built with Z3; "
          "--solver says where it is)",
          s->options.arguments[0], path, absent ? "is not there" : "ends without an answer");
}

static int run(struct sym *s) {
  unf_context_options options = UNF_CONTEXT_OPTIONS_INIT;
  s->start = cli_now();
  int status = prepare(s);
  if (status != CLI_CLEAN) return status;
  cli_options_limits(&s->options, &options.limits);
  cli_progress_of(&s->progress, &options);
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
  if (!sym_retell_open(s)) return CLI_STOPPED;
  cli_interrupt_watch(s->context);
  sym_explore(s);
  if (s->executions != NULL &&
      !cli_executions_close(CLI_SYMBOLIC, s->options.executions, s->executions))
    s->failed = true;
  s->result.seconds = cli_now() - s->start;
  cli_progress_end(&s->progress);
  cli_interrupt_watch(NULL);
  check_inputs(s);
  check_solver(s);
  sym_witness_write(s);
  status = cli_result_print(&s->result);
  cli_races_print(&s->result);
  sym_retell(s);
  return status;
}

int main(int argc, char **argv) {
  struct sym s;
  memset(&s, 0, sizeof s);
  cli_streams_begin();
  char **given = malloc(((size_t)argc + 1) * sizeof *given); /* they are moved when they are read */
  if (given == NULL) return no_memory();
  memcpy(given, argv, ((size_t)argc + 1) * sizeof *given);
  int status = cli_options_read(CLI_SYMBOLIC, argc, argv, &s.options);
  if (status < 0 && s.options.confirm) status = sym_confirm(&s.options, argc, given);
  free(given);
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
  sym_retell_close(&s);
  sym_witness_drop(&s);
  cli_defects_free(&s.result.defects);
  json_decref(s.result.more);
  distance_free(s.distance);
  machine_free(&s.machine);
  code_free(&s.code);
  unf_context_free(s.context);
  free(s.solver_program);
  free(s.symbolic_arguments);
  free(s.shown);
  return status;
}
