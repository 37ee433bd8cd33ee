/*
 * unfold-trace: the data races of a trace in the STD format, and how its lines are related. It is
 * also an example of unf_std_read(): a trace is read once, and then asked.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <unfold/unfold.h>

#include "options.h"
#include "save.h"
#include "session.h"
#include "text.h"

static const char help[] =
    "usage: unfold-trace [OPTION...] FILE\n"
    "Reads a trace in the STD format (a line for each step: thread|operation(operand)|place), and\n"
    "says which of its reads and writes are data races. FILE can be -, for standard input.\n"
    "\n"
    "  --variables           one race at most for each variable, not for each two places\n"
    "  --events              reads and writes are events, ordered as in the trace; no races\n"
    "  --relate LINE,LINE    say which of two events comes first, or that neither does\n"
    "  --configuration FILE  write the events as JSON (cookie: the line)\n"
    "  --convert             FILE is a schedule (trace-N.unfs); print it as a trace\n"
    "  --json                one JSON object on standard output\n"
    "  --help                print this text; --version: that of the library\n"
    "\n"
    "Exit status: 0 no race, 1 a race, 2 wrong usage or input, 3 out of memory\n";

struct asked {
  const char *file, *configuration;
  unf_std_memory memory;
  bool json, relate, convert;
  uint64_t lines[2];
};

struct trace {
  const struct asked *asked;
  unf_context *context;
  unf_unfolding *unfolding;
  unf_std *std;
  unf_std_counts counts;
  json_t *result; /* with --json */
};

/* ---- command line ---- */

static bool wrong_usage(const char *what, const char *which) {
  cli_say(stderr, "unfold-trace: %s%s (--help says more)", what, which);
  return false;
}

static bool read_lines(const char *text, uint64_t lines[2]) {
  char *end;
  for (unsigned i = 0; i < 2; i++, text = end + 1) {
    errno = 0;
    lines[i] = strtoull(text, &end, 10);
    if (*text < '0' || *text > '9' || errno != 0 || *end != (i == 0 ? ',' : '\0')) return false;
  }
  return true;
}

static bool read_options(int argc, char **argv, struct asked *out) {
  for (int i = 1; i < argc; i++) {
    const char *word = argv[i], *value = i + 1 < argc ? argv[i + 1] : NULL;
    const bool takes = strcmp(word, "--relate") == 0 || strcmp(word, "--configuration") == 0;
    if (takes && value == NULL) return wrong_usage("a value is missing behind ", word);
    i += takes;
    if (strcmp(word, "--variables") == 0)
      out->memory = UNF_STD_VARIABLES;
    else if (strcmp(word, "--events") == 0)
      out->memory = UNF_STD_EVENTS;
    else if (strcmp(word, "--convert") == 0)
      out->convert = true;
    else if (strcmp(word, "--json") == 0)
      out->json = true;
    else if (strcmp(word, "--configuration") == 0)
      out->configuration = value;
    else if (strcmp(word, "--relate") == 0)
      out->relate = true;
    else if (word[0] == '-' && word[1] != '\0')
      return wrong_usage("unknown option ", word);
    else if (out->file != NULL)
      return wrong_usage("one file at a time, not also ", word);
    else
      out->file = word;
    if (takes && out->relate && word[2] == 'r' && !read_lines(value, out->lines))
      return wrong_usage("--relate takes two numbers of lines with a comma between, not ", value);
  }
  return out->file != NULL || wrong_usage("which trace?", "");
}

/* ---- reading ---- */

static int said(const char *file, const char *why, int status) {
  cli_say(stderr, "unfold-trace: %s: %s", file, why);
  return status;
}

/* All bytes of a file. */
static int read_text(const char *path, char **text, size_t *size) {
  FILE *file = strcmp(path, "-") == 0 ? stdin : fopen(path, "rb");
  size_t room = 0;
  if (file == NULL) return said(path, strerror(errno), CLI_USAGE);
  int status = CLI_CLEAN;
  while (status == CLI_CLEAN && !feof(file)) {
    if (*size == room) {
      char *more = realloc(*text, room = 2 * room + 65536);
      if (more == NULL) {
        status = said(path, "no memory for the text", CLI_STOPPED);
        break;
      }
      *text = more;
    }
    *size += fread(*text + *size, 1, room - *size, file);
    if (ferror(file)) status = said(path, strerror(errno), CLI_USAGE);
  }
  if (file != stdin) fclose(file);
  return status;
}

/* The exit status for what the library answered about the text. */
static int answered(const struct trace *t, unf_status status) {
  const unf_detail *detail = unf_context_detail(t->context);
  if (status == UNF_OK) return CLI_CLEAN;
  if (status == UNF_MEMORY || status == UNF_LIMIT)
    return said(t->asked->file, detail->text, CLI_STOPPED);
  if (detail->step == 0) return said(t->asked->file, detail->text, CLI_USAGE);
  cli_say(stderr, "%s:%" PRIu64 ":%" PRIu64 ": %s", t->asked->file, detail->step, detail->place,
          detail->text);
  return CLI_USAGE;
}

static int read_trace(struct trace *t, const char *text, size_t size) {
  unf_std_options options = UNF_STD_OPTIONS_INIT;
  options.memory = t->asked->memory;
  const int status = answered(t, unf_std_read(t->unfolding, &options, text, size, &t->std));
  if (status == CLI_CLEAN) unf_std_counts_get(t->std, &t->counts);
  return status;
}

static bool print(void *user, const char *text, size_t size) {
  (void)user;
  return fwrite(text, 1, size, stdout) == size;
}

static int convert(const struct trace *t, const char *text, size_t size) {
  unf_schedule *schedule = NULL;
  unf_status status = unf_schedule_read(t->unfolding, text, size, &schedule);
  if (status == UNF_OK) status = unf_std_write(schedule, print, NULL);
  unf_schedule_free(schedule);
  return status == UNF_WRITE ? CLI_CLEAN : answered(t, status); /* standard output is checked */
}

/* ---- telling ---- */

static const char *name_of(const struct trace *t, unf_std_name_kind kind, uint64_t number) {
  const char *name = unf_std_name(t->std, kind, number);
  return name != NULL ? name : "?";
}

static json_t *access_json(const struct trace *t, const unf_access *access) {
  const bool places = t->asked->memory == UNF_STD_ACCESSES;
  return json_pack("{s:o, s:b, s:o}", "thread",
                   cli_json_text(name_of(t, UNF_STD_THREAD, access->thread)), "write",
                   (int)access->write, "place",
                   places ? cli_json_text(name_of(t, UNF_STD_PLACE, access->place)) : json_null());
}

static void print_access(const struct trace *t, const unf_access *access) {
  fputs(" ", stdout);
  cli_put(stdout, name_of(t, UNF_STD_THREAD, access->thread));
  fputs(access->write ? " writes" : " reads", stdout);
  if (t->asked->memory != UNF_STD_ACCESSES) return;
  fputs(" at ", stdout);
  cli_put(stdout, name_of(t, UNF_STD_PLACE, access->place));
}

static bool tell_race(struct trace *t, const unf_race *race) {
  const char *variable = name_of(t, UNF_STD_VARIABLE, race->first.address / 8);
  if (t->asked->json) {
    json_t *told = json_pack("{s:o, s:o, s:o}", "variable", cli_json_text(variable), "first",
                             access_json(t, &race->first), "second", access_json(t, &race->second));
    return json_array_append_new(json_object_get(t->result, "races"), told) == 0;
  }
  fputs("  ", stdout);
  cli_put(stdout, variable);
  fputs(":", stdout);
  print_access(t, &race->first);
  fputs(",", stdout);
  print_access(t, &race->second);
  putchar('\n');
  return true;
}

static const char *plural(uint64_t count) {
  return count == 1 ? "" : "s";
}

static void print_counts(const struct trace *t) {
  const unf_std_counts *c = &t->counts;
  cli_put(stdout, t->asked->file);
  printf(": %" PRIu64 " line%s, %" PRIu64 " thread%s, %" PRIu64 " lock%s, %" PRIu64
         " variable%s, %" PRIu64 " place%s\n",
         c->lines, plural(c->lines), c->threads, plural(c->threads), c->locks, plural(c->locks),
         c->variables, plural(c->variables), c->places, plural(c->places));
  printf("%" PRIu64 " event%s, %" PRIu64 " access%s, %" PRIu64 " line%s that order%s nothing\n",
         c->events, plural(c->events), c->accesses, c->accesses == 1 ? "" : "es", c->without,
         plural(c->without), c->without == 1 ? "s" : "");
  if (t->asked->memory == UNF_STD_EVENTS)
    puts("races are not looked for where reads and writes are events");
  else
    printf("%" PRIu64 " data race%s\n", c->races, plural(c->races));
}

static json_t *counts_json(const struct trace *t) {
  const unf_std_counts *c = &t->counts;
  return json_pack("{s:s, s:s, s:o, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:[]}", "tool",
                   "unfold-trace", "version", unf_version_text(), "file",
                   cli_json_text(t->asked->file), "lines", (json_int_t)c->lines, "events",
                   (json_int_t)c->events, "accesses", (json_int_t)c->accesses, "without",
                   (json_int_t)c->without, "threads", (json_int_t)c->threads, "locks",
                   (json_int_t)c->locks, "variables", (json_int_t)c->variables, "places",
                   (json_int_t)c->places, "races");
}

static int relate(struct trace *t) {
  const uint64_t *lines = t->asked->lines;
  unf_event events[2];
  bool first = false, second = false;
  for (unsigned i = 0; i < 2; i++) {
    if (unf_std_event(t->std, lines[i], &events[i]) == UNF_OK && events[i] != UNF_EVENT_NONE)
      continue;
    cli_say(stderr, "%s: line %" PRIu64 " is no event%s", t->asked->file, lines[i],
            t->asked->memory == UNF_STD_EVENTS ? "" : " (--events makes reads and writes events)");
    return CLI_USAGE;
  }
  unf_event_precedes(t->unfolding, events[0], events[1], &first);
  unf_event_precedes(t->unfolding, events[1], events[0], &second);
  const char *how = first ? "comes before" : second ? "comes after" : "is concurrent with";
  if (t->asked->json)
    return json_object_set_new(t->result, "relation",
                               json_string(first    ? "before"
                                           : second ? "after"
                                                    : "concurrent"));
  printf("line %" PRIu64 " %s line %" PRIu64 "\n", lines[0], how, lines[1]);
  return CLI_CLEAN;
}

static unf_status produce_configuration(void *trace, unf_write write, void *file) {
  const struct trace *t = trace;
  return unf_json_configuration(unf_std_configuration(t->std), write, file);
}

static int tell(struct trace *t) {
  unf_race race;
  bool whole = true;
  int status = t->counts.races > 0 ? CLI_FOUND : CLI_CLEAN;
  if (t->asked->json)
    t->result = counts_json(t);
  else
    print_counts(t);
  for (uint64_t i = 0; whole && i < t->counts.races; i++)
    whole = unf_races_get(unf_std_races(t->std), i, &race) == UNF_OK && tell_race(t, &race);
  int related = t->asked->relate ? relate(t) : CLI_CLEAN;
  if (related == CLI_USAGE) status = CLI_USAGE;
  if (!whole || related < 0) status = said(t->asked->file, "no memory for the result", CLI_STOPPED);
  if (t->result != NULL && whole) {
    json_dumpf(t->result, stdout, JSON_INDENT(2));
    putchar('\n');
  }
  if (t->asked->configuration == NULL) return status;
  int reason = 0;
  const unf_status saved = save_through(t->asked->configuration, produce_configuration, t, &reason);
  if (saved == UNF_OK) return status;
  return said(t->asked->configuration, reason != 0 ? strerror(reason) : unf_status_text(saved),
              CLI_USAGE);
}

/* With the ready families, of which schedules can have actions. */
static bool open_unfolding(struct trace *t) {
  uint32_t number;
  return unf_context_new(NULL, &t->context) == UNF_OK &&
         unf_unfolding_new(t->context, NULL, &t->unfolding) == UNF_OK &&
         unf_channel_register(t->unfolding, &number) == UNF_OK &&
         unf_mailbox_register(t->unfolding, &number) == UNF_OK &&
         unf_future_register(t->unfolding, &number) == UNF_OK;
}

int main(int argc, char **argv) {
  struct asked asked = {0};
  struct trace t = {.asked = &asked};
  for (int i = 1; i < argc; i++) {
    if (strcmp(argv[i], "--help") != 0 && strcmp(argv[i], "--version") != 0) continue;
    if (argv[i][2] == 'h')
      fputs(help, stdout);
    else
      printf("unfold-trace %s\n", unf_version_text());
    return cli_output_status(CLI_TRACE, CLI_CLEAN);
  }
  cli_streams_begin();
  if (!read_options(argc, argv, &asked)) return CLI_USAGE;
  char *text = NULL;
  size_t size = 0;
  int status = read_text(asked.file, &text, &size);
  if (status == CLI_CLEAN && !open_unfolding(&t))
    status = said(asked.file, "no memory", CLI_STOPPED);
  if (status == CLI_CLEAN)
    status = asked.convert ? convert(&t, text, size) : read_trace(&t, text, size);
  free(text);
  if (status == CLI_CLEAN && !asked.convert) status = tell(&t);
  json_decref(t.result);
  unf_std_free(t.std);
  unf_unfolding_free(t.unfolding);
  unf_context_free(t.context);
  return cli_output_status(CLI_TRACE, status);
}
