/* unfold: explores an unmodified program that uses POSIX threads, execution by execution, or
 * replays one of them. */
#include <jobs/jobs.h>
#include <jobs/ranks.h>
#include <limits.h>
#include <options.h>
#include <report.h>
#include <session.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <text.h>
#include <unistd.h>

#include "continued.h"
#include "control.h"
#include "control/races.h"
#include "control/settings.h"
#include "control/texts.h"
#include "earlier.h"
#include "jobs/round.h"
#include "launch.h"
#include "level.h"
#include "lines.h"
#include "report_races.h"
#include "report_sites.h"
#include "report_unseen.h"
#include "reports.h"
#include "retell.h"
#include "settings.h"
#include "shortening.h"
#include "stuck.h"

static int mistake(const char *what) {
  cli_say(stderr, "unfold: %s", what);
  return CLI_USAGE;
}

/* A word for why the exploration stopped. */
static const char *stop_word(const struct control *control) {
  const struct settings *s = &control->settings;
  if (control->outcome == OUTCOME_FIRST) return "first defect";
  if (control->stop == STOP_INTERRUPT) return "interrupt";
  if (strcmp(control->message, "workers") == 0) return "workers";
  if (control->stop == STOP_TIME || strstr(control->message, "second") != NULL) return "seconds";
  const uint64_t made = control->counts.executions - control->carried.executions;
  if (s->max_executions > 0 && made >= s->max_executions) return "executions";
  return s->max_events > 0 && control->counts.events >= s->max_events ? "events" : "memory";
}

/* "" unless the size of processes is limited, which is why there was no memory. */
static void shortage_text(const struct control *control, char *text, size_t size) {
  static const char *const shortages[] = {"no further thread", "no room", "no memory"};
  struct rlimit limit;
  text[0] = '\0';
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return;
  for (size_t i = 0; i < sizeof shortages / sizeof *shortages; i++)
    if (strstr(control->message, shortages[i]) != NULL)
      snprintf(text, size, "; processes are limited to %llu MB here (ulimit -v)",
               (unsigned long long)limit.rlim_cur >> 20);
}

/* Of a process that could say nothing itself. */
static void ended_text(const struct control *control, char *text, size_t size) {
  const int number = control->ended_by;
  if (number == 0)
    snprintf(text, size, "the exploring process ended without saying why");
  else
    snprintf(text, size, "the exploring process was ended by signal %d (%s)%s", number,
             strsignal(number),
             number == SIGKILL ? ", as the system does where memory is short" : "");
}

static void refusal_text(const struct control *control, char *text, size_t size) {
  const char *place = line_of(control, control->place);
  const char *message = control->message;
  char object[2 * TEXT_SIZE] = "", shortage[NAME_SIZE * 2], ended[NAME_SIZE * 3];
  if (control->stop == STOP_BUSY || control->stop == STOP_BLOCKED) {
    stuck_text(control, text, size);
    return;
  }
  if (control->outcome == OUTCOME_NONE && (control->attached || control->ended_by != 0)) {
    ended_text(control, ended, sizeof ended);
    message = ended;
  } else if (!control->attached) {
    message = "the program did not load the preloaded library, or does not begin with the start-up "
              "code of the C library";
  }
  if (control->refused_object != 0)
    variable_text(control, OBJECT_LOCATION, control->refused_object, control->refused_name, object,
                  sizeof object);
  shortage_text(control, shortage, sizeof shortage);
  snprintf(text, size, "%s%s%s%s%s%s%s", message, object[0] != '\0' ? " (" : "", object,
           object[0] != '\0' ? ")" : "", place != NULL ? ", called at " : "",
           place != NULL ? place : "", shortage);
}

/* What the counts rest on. */
/* An execution that times out for ever looks as if nothing happened. */
enum { MANY_TIMEOUTS = 1000 };

static void remark(const struct control *control) {
  if (control->weaker_orders)
    puts("  atomic operations with weaker orders were explored as sequentially consistent ones");
  if (control->joins_watched) puts("  a thread is joined by several: begun again with their order");
  if (control->init_restarts > 0)
    printf("  objects are used and initialised in no order: begun again %u %s%s\n",
           control->init_restarts, control->init_restarts == 1 ? "time" : "times",
           control->inits_off ? "; what orders them is not seen, so they count as initialised first"
                              : " with their initialisations as operations");
  /* Several workers may find out several things at once. */
  const uint32_t told = control->init_restarts + control->joins_watched + control->level_restarts +
                        control->learn_restarts;
  const uint32_t overlaps = control->restarts > told ? control->restarts - told : 0;
  if (overlaps > 0)
    printf("  %s: begun again %u %s with all %s\n",
           control->word_count > 0 ? "memory of several threads was found"
                                   : "atomic objects overlap",
           overlaps, overlaps == 1 ? "time" : "times",
           control->word_count > 0 ? "that is known of it" : "their ranges");
  if (!control->calls_seen)
    puts(
        "  the system has no filters of system calls: those with numbers of processes that are not "
        "made by syscall() found no process");
  if (control->timeouts_most >= MANY_TIMEOUTS)
    printf("  the waits of a thread timed out %llu times in one execution: --max-timeouts bounds "
           "that\n",
           (unsigned long long)control->timeouts_most);
  if (!control->operations_seen)
    puts("  no operation of a thread was seen: is this a program with threads?");
  else if (control->races_found > 0)
    puts("  there are data races: executions in which they decide may be missing");
  else if (control->settings.races && control->raced > 0)
    puts("  there are data races: their accesses were explored as atomic ones");
  else if (accesses_seen(control) && control->settings.races_every == 1)
    puts("  plain memory accesses were watched: no data race in these executions");
  if (control->races_found > RACES_MAX)
    printf("  races of %llu further pairs of instructions are not listed\n",
           (unsigned long long)(control->races_found - RACES_MAX));
}

/* Says which files are missing. False: one is. */
static bool all_written(const struct control *control, const struct cli_options *options) {
  char path[sizeof control->settings.trace_folder + NAME_SIZE];
  if (control->unwritten_count > 0) {
    schedule_path(control, control->unwritten, path, sizeof path);
    cli_say(stderr, "unfold: %s: %s", path, control->unwritten_because);
  }
  if (control->unwritten_count > 1)
    cli_say(stderr, "unfold: %u further schedules were not written", control->unwritten_count - 1);
  if (control->dot_because[0] != '\0')
    cli_say(stderr, "unfold: %s: %s", control->settings.dot, control->dot_because);
  else if (control->settings.dot[0] != '\0' && !control->pictures_tried)
    cli_say(stderr, "unfold: %s: not written whole, because of how the exploration ended",
            control->settings.dot);
  if (control->unsaved_because[0] != '\0')
    cli_say(stderr, "unfold: %s: %s", options->save, control->unsaved_because);
  return control->unwritten_count == 0 && control->dot_because[0] == '\0' &&
         control->unsaved_because[0] == '\0';
}

/* What the summary says about the program, and how it was run. */
static void notes(const struct control *control, bool controlled, const char *mode) {
  char text[4 * TEXT_SIZE];
  if (controlled && unending_text(control, text, sizeof text)) cli_say(stdout, "  %s", text);
  if (control->threads_most > 0) printf("  %u threads at once\n", control->threads_most);
  if (control->left_behind > 0 && !control->settings.kill_at_exit)
    printf("  in %llu traces a thread was left behind, blocked, when main had returned\n",
           (unsigned long long)control->left_behind);
  if (mode != NULL) cli_say(stdout, "  %s", mode);
  if (controlled && control->in_main) report_sites(control);
  if (controlled && control->in_main) remark(control);
  if (control->findings_dropped > 0)
    printf("  %u further findings are not listed\n", control->findings_dropped);
}

/* Keys of the JSON object beyond those that both programs have; mode: why not in place, or NULL. */
static json_t *more_keys(const struct control *control, const char *mode) {
  char text[4 * TEXT_SIZE];
  bool unending = control->outcome == OUTCOME_LIMIT && unending_text(control, text, sizeof text);
  bool in_place = control->settings.in_place && control->fallback[0] == '\0';
  return json_pack(
      "{s:I, s:I, s:I, s:b, s:b, s:b, s:b, s:b, s:I, s:s, s:s, s:I, s:o, s:o, s:o}", "threads",
      (json_int_t)control->threads_most, "reordered", (json_int_t)control->reordered, "left_behind",
      (json_int_t)control->left_behind, "calls_seen", control->calls_seen, "operations_seen",
      control->operations_seen, "plain_accesses_watched", accesses_seen(control), "weaker_orders",
      control->weaker_orders, "bound_met", control->bound_met, "restarts",
      (json_int_t)control->restarts, "backend", control->settings.fibers ? "fibers" : "threads",
      "mode", in_place ? "inprocess" : "fork", "own_process", (json_int_t)control->apart,
      "own_process_because", cli_json_text(mode), "atomics", report_sites_json(control), "unending",
      cli_json_text(unending ? text : NULL));
}

/* With what was found before the exploration was begun again. */
static void report_all(struct control *control, struct cli_defects *earlier,
                       struct cli_result *result) {
  result->defects = *earlier;
  memset(earlier, 0, sizeof *earlier);
  if (!report_findings(control, &result->defects) || !report_races(control, &result->defects))
    cli_say(stderr, "unfold: no memory for the findings");
  for (size_t i = 0; i < result->defects.count; i++)
    result->races += result->defects.items[i].kind == CLI_RACE;
  earlier_tidy(control, &result->defects, result->options);
}

static void print_jobs(const json_t *jobs) {
  const json_t *own = json_object_get(jobs, "own");
  size_t i;
  json_t *part;
  jobs_print(jobs);
  if (json_array_size(own) > 0) fputs("  each worker had its own", stdout);
  json_array_foreach(own, i, part) printf("%s %s", i > 0 ? "," : "", json_string_value(part));
  puts(json_array_size(own) > 0
           ? ""
           : "  this system lets no worker have files and ports of its own: that none writes what "
             "another one does was watched");
}

static int report(struct control *control, const struct again *again, struct cli_defects *earlier,
                  const struct watched *watched, double seconds, const struct cli_before *before,
                  json_t *jobs) {
  char refusal[4 * TEXT_SIZE], mode[2 * TEXT_SIZE];
  const struct cli_options *options = again->options;
  struct cli_result result = {
      .tool = CLI_NATIVE, .program = options->arguments[0], .options = options};
  result.counts = control->counts;
  result.estimate = control->estimate;
  result.sampling = control->sampling;
  result.counts.deadlocks -= control->left_behind + control->given_up;
  result.livelocks = control->livelocks;
  const char *bound = cli_bound_word(&control->counts);
  if (bound == NULL && control->timeouts_bounded) bound = "timeouts";
  result.finished = control->outcome == OUTCOME_FINISHED && bound == NULL;
  if (control->outcome == OUTCOME_FINISHED) result.stopped = bound;
  result.seconds = seconds;
  result.peak_rss_bytes = watched->peak_bytes;
  if (control->outcome == OUTCOME_LIMIT || control->outcome == OUTCOME_FIRST)
    result.stopped = stop_word(control);
  else if (control->outcome != OUTCOME_FINISHED) {
    refusal_text(control, refusal, sizeof refusal);
    result.uncontrolled = refusal;
    result.estimate.left = result.estimate.error = -1;
  }
  result.before = *before;
  result.saved = control->saved ? options->save : NULL;
  result.saves = control->saves;
  bool apart = report_mode(control, mode, sizeof mode);
  result.more = more_keys(control, apart ? mode : NULL);
  if (jobs != NULL) json_object_set(result.more, "jobs", jobs);
  report_all(control, earlier, &result);
  if (result.uncontrolled == NULL && control->in_main)
    report_unseen(control, &result.unseen, &result.unseen_lines);
  if (options->shorten) shorten_defects(again, &result);
  int status = cli_result_print(&result);
  if (!options->json) notes(control, result.uncontrolled == NULL, apart ? mode : NULL);
  if (!options->json && jobs != NULL) print_jobs(jobs);
  if (!all_written(control, options)) status = cli_failed_status(status, CLI_USAGE);
  const enum cli_status page = options->report != NULL ? retell(again, &result) : CLI_CLEAN;
  if (page != CLI_CLEAN) status = cli_failed_status(status, page);
  cli_defects_free(&result.defects);
  json_decref(result.more);
  json_decref(result.unseen);
  json_decref(result.unseen_lines);
  return cli_output_status(CLI_NATIVE, status);
}

/* By this process' child, or by several. CLI_CLEAN, or an exit status. */
static int run(struct control *control, const struct cli_options *options, const char *path,
               int memory, off_t input, struct watched *watched, struct continued *continued,
               json_t **jobs) {
  if (cli_shares(options))
    return round_run(control, options, path, input, watched, continued, jobs);
  return run_program(control, path, options->arguments, memory, watched) ? CLI_CLEAN : CLI_USAGE;
}

static int explore(struct control *control, const struct cli_options *options, const char *path,
                   int memory) {
  struct watched watched;
  watch_begin(&watched);
  const off_t input = lseek(STDIN_FILENO, 0, SEEK_CUR);
  if (input < 0 && !isatty(STDIN_FILENO) && !(options->mpi && ranks_own() > 0))
    cli_say(stderr, "unfold: standard input is no file: the program finds it empty");
  if (options->mpi && ranks_own() > 0) {
    round_serve(control, options, path, input, &watched);
    return CLI_CLEAN;
  }
  struct levels levels = {.control = control, .options = options};
  struct continued continued;
  if (!continued_open(&continued, control, options, path, &levels.earlier)) return CLI_USAGE;
  double seconds, naming = 0; /* the names of what was found earlier are not part of the time */
  json_t *jobs = NULL;        /* what workers did */
  bool again;
  do { /* each time it is read from the same place */
    if (input >= 0) lseek(STDIN_FILENO, input, SEEK_SET);
    if (!continued_head(&continued, control, &levels.earlier)) return CLI_STOPPED;
    const int ran = run(control, options, path, memory, input, &watched, &continued, &jobs);
    if (ran != CLI_CLEAN) return ran;
    seconds = cli_now() - watched.begin;
    again = level_again(&levels, watched.work, seconds);
    naming += again ? cli_now() - watched.begin - seconds : 0;
  } while (again);
  if (control->outcome == OUTCOME_AGAIN) control->outcome = OUTCOME_LIMIT;
  if (control->outcome == OUTCOME_INPUT) {
    cli_say(stderr, "unfold: %s", control->message);
    return CLI_USAGE;
  }
  int status = report(control, &(struct again){options, path, input, control}, &levels.earlier,
                      &watched, seconds - naming, &continued.before, jobs);
  json_decref(jobs);
  level_end(&levels);
  continued_close(&continued);
  return status;
}

/* This process becomes the program, so that a debugger stays with it; a child prints the steps. */
static int replay(struct control *control, const struct cli_options *options, const char *path,
                  int memory) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) return CLI_USAGE;
  pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    report_steps(control, ends[1]);
    _exit(0);
  }
  close(ends[1]);
  control->settings.step_socket = ends[0];
  become_program(control, path, options->arguments, memory);
  return CLI_USAGE;
}

int main(int argc, char **argv) {
  struct cli_options options;
  char path[PATH_MAX];
  int memory;
  cli_streams_begin();
  int status = cli_options_read(CLI_NATIVE, argc, argv, &options);
  if (status >= 0) return status;
  options.arguments[options.argument_count] = NULL;
  if (!cli_folder_prepare(CLI_NATIVE, options.trace_dir)) return CLI_USAGE;
  if (options.replay != NULL && options.json) return mistake("--replay prints no JSON");
  if (options.mpi && !ranks_begin(CLI_NATIVE)) return CLI_USAGE;
  struct control *control = control_new(&memory);
  if (control == NULL || !settings_fill(control, &options)) return CLI_USAGE;
  if (!find_program(options.arguments[0], path, sizeof path)) return CLI_USAGE;
  const char *unsuited = program_unsuited(path);
  const bool serves = options.mpi && ranks_own() > 0; /* rank 0 says it */
  if (unsuited != NULL && !serves) {
    control->attached = true;
    control->outcome = OUTCOME_REFUSED;
    snprintf(control->message, sizeof control->message, "%.200s %s", options.arguments[0],
             unsuited);
    return report(control, &(struct again){&options, path, -1, control}, &(struct cli_defects){0},
                  &(struct watched){0}, 0, &(struct cli_before){.file = NULL}, NULL);
  }
  return options.replay != NULL ? replay(control, &options, path, memory)
                                : explore(control, &options, path, memory);
}
