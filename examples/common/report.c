/*
 * Results. The keys of the JSON object keep their names and meaning (doc/json.md); keys may be
 * added. The exit status is decided here alone, in the order 2, 4, 1, 3, 5 (CLI_USAGE never comes
 * this far).
 */
#include "report.h"

#include "session.h"
#include "settings.h"
#include "text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

enum { WORDS_SIZE = 200 };

double cli_now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

bool cli_colour(FILE *to) {
  const char *unwanted = getenv("NO_COLOR"), *terminal = getenv("TERM");
  return isatty(fileno(to)) && (unwanted == NULL || unwanted[0] == '\0') &&
         (terminal == NULL || strcmp(terminal, "dumb") != 0);
}

static bool to_the_end(const struct cli_result *r) {
  return r->finished && !cli_samples(r->options);
}

/* Explored to the end of what was seen, while not all was seen; or not explored to the end,
 * although everything was done that was asked for. */
static bool partly_seen(const struct cli_result *r) {
  return r->finished && (json_array_size(r->unseen) > 0 || cli_samples(r->options));
}

int cli_result_status(const struct cli_result *r) {
  int status = r->uncontrolled != NULL                ? CLI_UNCONTROLLED
               : r->defects.count > 0                 ? CLI_FOUND
               : !r->finished                         ? CLI_STOPPED
               : r->options->strict && partly_seen(r) ? CLI_UNSEEN
                                                      : CLI_CLEAN;
  if (r->options->expect == NULL) return status;
  enum cli_kind kind = cli_kind_find(r->options->expect);
  for (size_t i = 0; i < r->defects.count; i++) {
    if (r->defects.items[i].kind == kind) return CLI_CLEAN;
  }
  return status != CLI_CLEAN ? status : CLI_FOUND;
}

uint64_t cli_peak_rss(void) {
  struct rusage usage;
  return getrusage(RUSAGE_SELF, &usage) == 0 ? (uint64_t)usage.ru_maxrss * 1024 : 0;
}

static uint64_t peak_rss(const struct cli_result *r) {
  return r->peak_rss_bytes != 0 ? r->peak_rss_bytes : cli_peak_rss();
}

static json_t *k_value(const struct cli_options *o) {
  if (o->algorithm != UNF_QPOR) return json_null();
  return o->k == UNF_K_OPTIMAL ? json_string("optimal") : json_integer((json_int_t)o->k);
}

static bool set_counts(json_t *object, const struct cli_result *r) {
  const unf_counts *c = &r->counts;
  const struct {
    const char *key;
    uint64_t value;
  } rows[] = {
      {"traces", c->traces},       {"complete", c->complete},     {"blocked", c->blocked},
      {"deadlocks", c->deadlocks}, {"errors", c->errors},         {"redundant", c->redundant},
      {"truncated", c->truncated}, {"executions", c->executions}, {"events", c->events},
      {"steps", c->steps},         {"resumed", c->resumed},       {"cutoffs", r->cutoffs.cutoffs},
      {"kept", r->cutoffs.kept},   {"states", r->cutoffs.states}, {"races", r->races},
      {"livelocks", r->livelocks}, {"collected", c->collected},   {"probes", c->probes},
      {"undecided", c->undecided}, {"infeasible", c->infeasible}};
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    if (json_object_set_new(object, rows[i].key, json_integer((json_int_t)rows[i].value)) != 0)
      return false;
  }
  return true;
}

static json_t *number_or_null(double number) {
  return number < 0 ? json_null() : json_real(number);
}

/* Nothing where nothing is drawn. */
static bool set_sampling(json_t *object, const struct cli_result *r) {
  const unf_sampling *s = &r->sampling;
  if (!cli_samples(r->options)) return true;
  return json_object_set_new(object, "sampled",
                             json_pack("{s:I, s:I, s:I, s:I, s:I, s:i, s:b, s:o}", "executions",
                                       (json_int_t)s->executions, "measured",
                                       (json_int_t)s->measured, "threads", (json_int_t)s->threads,
                                       "longest", (json_int_t)s->longest, "steps",
                                       (json_int_t)s->steps, "depth", (int)s->depth, "drawn",
                                       (int)s->drawn, "bound", number_or_null(s->bound))) == 0;
}

/* What processes before this one did, and where the next one can go on. */
static bool set_saved(json_t *object, const struct cli_result *r) {
  const struct cli_before *b = &r->before;
  json_t *continued = b->file == NULL
                          ? json_null()
                          : json_pack("{s:o, s:I, s:I, s:f}", "file", cli_json_text(b->file),
                                      "times", (json_int_t)b->times, "executions",
                                      (json_int_t)b->executions, "seconds", b->seconds);
  json_t *saves = r->saves.count == 0
                      ? json_null()
                      : json_pack("{s:I, s:f, s:f}", "count", (json_int_t)r->saves.count, "seconds",
                                  r->saves.spent, "put_off", r->saves.apart);
  return json_object_set_new(object, "saved", cli_json_text(r->saved)) == 0 &&
         json_object_set_new(object, "saves", saves) == 0 &&
         json_object_set_new(object, "continued", continued) == 0;
}

/* The headline behind the program's name: how far the exploration came, and what it found. */
struct verdict {
  char how_far[WORDS_SIZE], found[WORDS_SIZE];
};

/* Of a program that is not controllable, "no defect found" would read as a verdict. A defect is one
 * whatever was not seen. A data race is one of what came before a state, which cutoffs leave out.
 */
static struct verdict verdict_of(const struct cli_result *r) {
  const size_t defects = r->defects.count;
  struct verdict v = {.found = ""};
  const bool whole = r->finished && r->uncontrolled == NULL && !cli_samples(r->options) &&
                     (defects > 0 || !partly_seen(r));
  const char *how_far = r->uncontrolled != NULL                  ? "not controllable"
                        : r->finished && cli_samples(r->options) ? "sampled"
                        : defects == 0 && partly_seen(r) ? "explored to the end of what was seen"
                        : !r->finished                   ? "not finished"
                                                         : "explored to the end";
  const bool but_races = whole && r->options->cutoffs.order != UNF_CUTOFFS_NONE;
  char but_memory[WORDS_SIZE] = "";
  if (whole && r->again > 0)
    snprintf(but_memory, sizeof but_memory,
             " %s memory that comes back more than %" PRIu64 " times",
             but_races ? "and" : "but for", r->again);
  snprintf(v.how_far, sizeof v.how_far, "%s%s%s%s", how_far, but_races ? " but for data races" : "",
           but_memory, r->finished && r->sequential ? " for sequential consistency" : "");
  if (r->uncontrolled == NULL && !r->finished && r->stopped != NULL)
    snprintf(v.how_far, sizeof v.how_far, "%s (%s)", how_far, r->stopped);
  if (defects > 0)
    snprintf(v.found, sizeof v.found, "%zu defect%s found", defects, defects == 1 ? "" : "s");
  else if (r->uncontrolled == NULL)
    snprintf(v.found, sizeof v.found, "no defect found");
  return v;
}

static json_t *verdict_json(const struct cli_result *r) {
  struct verdict v = verdict_of(r);
  return json_sprintf("%s%s%s", v.how_far, v.found[0] != '\0' ? ", " : "", v.found);
}

json_t *cli_result_json(const struct cli_result *r) {
  json_t *object = json_object();
  bool good =
      object != NULL && json_object_set_new(object, "program", cli_json_text(r->program)) == 0 &&
      json_object_set_new(object, "algorithm",
                          json_string(unf_algorithm_text(r->options->algorithm))) == 0 &&
      json_object_set_new(object, "k", k_value(r->options)) == 0 &&
      json_object_set_new(object, "verdict", verdict_json(r)) == 0 &&
      json_object_set_new(object, "unseen",
                          r->unseen != NULL ? json_deep_copy(r->unseen) : json_array()) == 0 &&
      json_object_set_new(object, "finished", json_boolean(to_the_end(r))) == 0 &&
      json_object_set_new(object, "stopped", cli_json_text(r->stopped)) == 0 &&
      json_object_set_new(object, "uncontrolled", cli_json_text(r->uncontrolled)) == 0 &&
      set_counts(object, r) &&
      json_object_set_new(object, "bound", cli_json_text(cli_bound_word(&r->counts))) == 0 &&
      json_object_set_new(object, "left", number_or_null(r->estimate.left)) == 0 &&
      json_object_set_new(object, "left_error", number_or_null(r->estimate.error)) == 0 &&
      json_object_set_new(object, "seconds", json_real(r->seconds)) == 0 &&
      json_object_set_new(object, "peak_rss_bytes", json_integer((json_int_t)peak_rss(r))) == 0 &&
      json_object_set_new(object, "defects", cli_defects_json(&r->defects)) == 0 &&
      set_sampling(object, r) && set_saved(object, r) &&
      (r->more == NULL || json_object_update(object, r->more) == 0);
  if (good) return object;
  json_decref(object);
  return NULL;
}

static int print_json(const struct cli_result *r) {
  json_t *object = cli_result_json(r);
  bool printed =
      object != NULL && json_dumpf(object, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(9)) == 0;
  json_decref(object);
  if (printed) putchar('\n');
  if (printed || ferror(stdout)) return cli_result_status(r);
  cli_say(stderr, "%s: no memory for the result", cli_program_name(r->tool));
  return CLI_STOPPED;
}

static void print_headline(const struct cli_result *r) {
  struct verdict verdict = verdict_of(r);
  const char *colour = !cli_colour(stdout)              ? NULL
                       : r->defects.count > 0           ? "\033[1;31m"
                       : r->finished && !partly_seen(r) ? "\033[1;32m"
                                                        : NULL;
  cli_put(stdout, r->program);
  printf(": %s", verdict.how_far);
  if (verdict.found[0] != '\0')
    printf(", %s%s%s", colour != NULL ? colour : "", verdict.found,
           colour != NULL ? "\033[0m" : "");
  puts("");
  size_t i;
  json_t *line;
  json_array_foreach(r->unseen_lines, i, line)
      cli_say(stdout, "  not seen: %s", json_string_value(line));
}

/* What random executions came to: of traces only a least number is known. */
static void print_sampling(const struct cli_result *r) {
  const unf_counts *c = &r->counts;
  const unf_sampling *s = &r->sampling;
  printf("  executions  %" PRIu64 " (%" PRIu64 " complete, %" PRIu64 " blocked), at least %" PRIu64
         " traces\n",
         c->executions, c->complete, c->blocked, c->traces);
  printf("  deadlocks   %" PRIu64 ", errors %" PRIu64 " executions\n", c->deadlocks, c->errors);
  printf("  drawn by    %s, %" PRIu64 " threads, at most %" PRIu64 " steps",
         unf_algorithm_text(r->options->algorithm), s->threads, s->longest);
  if (r->options->algorithm != UNF_PCT) return;
  printf(", depth %" PRIu32 "; %" PRIu64 " random walks came first\n", s->depth, s->measured);
  if (s->bound >= 0)
    printf("  probability at least %.2g for a defect of depth %" PRIu32
           " in an execution: 1 / (n k^(d-1)), n = %" PRIu64 ", k = %" PRIu64 ", d = %" PRIu32,
           s->bound, s->depth, s->threads, s->steps, s->depth);
  else
    printf("  probability of a defect of depth %" PRIu32 ": no bound, since %s", s->depth,
           s->steps == 0           ? "no execution was drawn by priorities"
           : s->longest > s->steps ? "an execution was longer than k steps (--steps K)"
                                   : "more was drawn than schedules (values, waiters to wake)");
}

static void print_counts(const struct cli_result *r) {
  const unf_counts *c = &r->counts;
  printf("  traces      %" PRIu64 " (%" PRIu64 " complete, %" PRIu64 " blocked)\n", c->traces,
         c->complete, c->blocked);
  printf("  deadlocks   %" PRIu64 ", errors %" PRIu64 "\n", c->deadlocks, c->errors);
  printf("  executions  %" PRIu64 ", %" PRIu64 " of them redundant", c->executions, c->redundant);
  if (c->truncated > 0) printf(", %" PRIu64 " truncated", c->truncated);
  if (c->undecided > 0) printf(", %" PRIu64 " undecided", c->undecided);
  if (c->infeasible > 0) printf(", %" PRIu64 " infeasible", c->infeasible);
}

/* What saving took, and whether it was put off so that it takes little of the time. */
static void print_saves(const struct save_times *saves) {
  if (saves->count == 0) return;
  printf("  %" PRIu64 " save%s took %.3f s", saves->count, saves->count > 1 ? "s" : "",
         saves->spent);
  if (saves->apart > 0)
    printf("; put off for up to %.0f s, since one took %.3f s", saves->apart, saves->took);
  puts("");
}

static void print_summary(const struct cli_result *r) {
  const unf_counts *c = &r->counts;
  print_headline(r);
  if (cli_samples(r->options))
    print_sampling(r);
  else
    print_counts(r);
  printf("\n  events      %" PRIu64 ", steps %" PRIu64 "\n", c->events, c->steps);
  if (c->collected > 0 && !cli_samples(r->options))
    printf("  collected   %" PRIu64 " events, counted again when they are met again\n",
           c->collected);
  if (r->cutoffs.states > 0)
    printf("  cutoffs     %" PRIu64 ", kept events %" PRIu64 ", states %" PRIu64 "\n",
           r->cutoffs.cutoffs, r->cutoffs.kept, r->cutoffs.states);
  if (!r->finished && !cli_samples(r->options) && r->estimate.left >= 1) {
    printf("  left        about %.2g traces", r->estimate.left);
    if (r->estimate.error >= 0) printf(", standard error %.1g", r->estimate.error);
    puts("");
  }
  printf("  %.3f s, %.1f MB\n", r->seconds, (double)peak_rss(r) / 1e6);
  if (r->before.file != NULL)
    cli_say(stdout, "  continued from %s: %" PRIu64 " executions in %.3f s were made before",
            r->before.file, r->before.executions, r->before.seconds);
  if (r->saved != NULL) cli_say(stdout, "  saved in %s: --continue goes on from there", r->saved);
  print_saves(&r->saves);
  if (r->stopped != NULL && strcmp(r->stopped, "memory") == 0 && r->options->memory_share)
    printf("  the limit was half of the memory, %.1f MB (--max-memory)\n",
           (double)r->options->max_memory / 1e6);
  for (size_t i = 0; i < r->defects.count; i++)
    cli_defect_print(&r->defects.items[i], cli_colour(stdout), stdout);
}

int cli_result_print(const struct cli_result *r) {
  int status = cli_result_status(r);
  if (r->uncontrolled != NULL)
    cli_say(stderr, "%s: %s", cli_program_name(r->tool), r->uncontrolled);
  if (r->options->json)
    status = print_json(r);
  else
    print_summary(r);
  bool incomplete = false;
  for (size_t i = 0; i < r->defects.count; i++)
    incomplete |= r->defects.items[i].incomplete;
  if (incomplete)
    cli_say(stderr, "%s: no memory to list all of a defect", cli_program_name(r->tool));
  return status;
}

void cli_races_print(const struct cli_result *r) {
  const struct cli_options *o = r->options;
  if (r->races == 0 || o->json || o->races_as_atomics) return;
  if (o->behind_races == CLI_RACES_END)
    puts("  of executions with a data race nothing else is said (--races=continue)");
  puts("  there are data races: executions in which they decide may be missing");
}
