/*
 * Reads command lines of GNU style: --name=value and --name value, "--" ends the options. The model
 * front-end takes its file anywhere; for the native one the options end at the first word that is
 * not an option, because the rest belongs to the program under test. What is known but not built is
 * refused by its name.
 */
#include "options.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "defect.h"
#include "memory.h"
#include "session.h"
#include "settings.h"
#include "text.h"

enum value_kind {
  KIND_flag,
  KIND_text,
  KIND_list,
  KIND_count,
  KIND_number,
  KIND_bytes,
  KIND_seconds,
  KIND_size_of_k,
  KIND_algorithm,
  KIND_order,
  KIND_cutoffs,
  KIND_choice
};

enum option_field {
#define OPTION(field, kind, name, value, accepted, later, standard, help) FIELD_##field,
#define CHOICE(field, constant, word)
#include "options.def"
#undef OPTION
#undef CHOICE
  FIELD_COUNT
};

#define MODEL    CLI_MODEL
#define NATIVE   CLI_NATIVE
#define BOTH     CLI_BOTH
#define ALL      CLI_ALL
#define SYMBOLIC CLI_SYMBOLIC
#define INPUTS   (CLI_MODEL | CLI_SYMBOLIC)
#define RARE     16u

static const struct option {
  const char *name, *value;
  enum value_kind kind;
  unsigned accepted, later;
  const char *standard, *help;
  size_t offset;
} table[] = {
#define OPTION(field, kind, name, value, accepted, later, standard, help)                          \
  {name, value, KIND_##kind, accepted, later, standard, help, offsetof(struct cli_options, field)},
#define CHOICE(field, constant, word)
#include "options.def"
#undef OPTION
#undef CHOICE
};

static const struct {
  enum option_field field;
  const char *word;
} choices[] = {
#define OPTION(field, kind, name, value, accepted, later, standard, help)
#define CHOICE(field, constant, word) {FIELD_##field, word},
#include "options.def"
#undef OPTION
#undef CHOICE
};

const char *cli_program_name(enum cli_program program) {
  if (program == CLI_TRACE) return "unfold-trace";
  return program == CLI_NATIVE ? "unfold" : program == CLI_SYMBOLIC ? "unfold-sym" : "unfold-model";
}

static int mistake(enum cli_program program, const struct option *option, const char *value,
                   const char *what) {
  cli_say(stderr, "%s: --%s%s%s: %s", cli_program_name(program), option->name,
          value != NULL ? " " : "", value != NULL ? value : "", what);
  return CLI_USAGE;
}

static int mistake_word(enum cli_program program, const char *word, const char *what) {
  cli_say(stderr, "%s: %s%s%s (--help lists the options)", cli_program_name(program), word,
          word[0] != '\0' ? ": " : "", what);
  return CLI_USAGE;
}

static unsigned first_choice(const struct option *option) {
  unsigned i = 0;
  while (i < CLI_CHOICE_COUNT && &table[choices[i].field] != option)
    i++;
  return i;
}

/* The i-th word that an option has as its values; NULL: there are no more. */
static const char *word_of(const struct option *option, unsigned i) {
  switch (option->kind) {
  case KIND_algorithm:
    return i < UNF_ALGORITHM_COUNT ? unf_algorithm_text((unf_algorithm)i) : NULL;
  case KIND_order: /* all but the one that needs a function */
    i += i >= UNF_ORDER_CHOSEN;
    return i < UNF_ORDER_COUNT ? unf_order_text((unf_order)i) : NULL;
  case KIND_cutoffs:
    return i < UNF_CUTOFF_ORDER_COUNT ? unf_cutoff_order_text((unf_cutoff_order)i) : NULL;
  case KIND_choice:
    i += first_choice(option);
    return i < CLI_CHOICE_COUNT && &table[choices[i].field] == option ? choices[i].word : NULL;
  default:
    return NULL;
  }
}

/* All of them, with commas between. */
static const char *join(const struct option *option, char *buffer, size_t size) {
  size_t length = 0;
  buffer[0] = '\0';
  for (unsigned i = 0; word_of(option, i) != NULL && length < size; i++)
    length += (size_t)snprintf(buffer + length, size - length, "%s%s", i > 0 ? ", " : "",
                               word_of(option, i));
  return buffer;
}

/* The line of an option, whose help may have a place for its words. */
static void print_option(const struct option *o) {
  char name[32], words[120];
  const size_t before = strcspn(o->help, "%");
  bool has_words = o->help[before] != '\0';
  snprintf(name, sizeof name, "--%s%s%s", o->name, o->value[0] != '\0' ? " " : "", o->value);
  printf("  %-20s %.*s%s%s", name, (int)before, o->help,
         has_words ? join(o, words, sizeof words) : "", o->help + before + has_words);
  if (o->standard[0] != '\0') printf(" (%s)", o->standard);
  putchar('\n');
}

static void print_help(enum cli_program program, bool all) {
  if (program == CLI_MODEL)
    puts("usage: unfold-model [OPTION …] FILE.unf\n"
         "Explores every execution of a program in the model language, each trace once.");
  else if (program == CLI_SYMBOLIC)
    puts("usage: unfold-sym [OPTION …] FILE.c|FILE.bc … [-- ARGUMENT …]\n"
         "Explores every execution of a C program for all values of its inputs.");
  else
    puts("usage: unfold [OPTION …] -- PROGRAM [ARGUMENT …]\n"
         "Explores every execution of a program that uses POSIX threads, each trace once.");
  for (size_t i = 0; i < FIELD_COUNT; i++)
    if ((table[i].accepted & (unsigned)program) != 0 && (all || !(table[i].accepted & RARE)))
      print_option(&table[i]);
  puts("Exit: 0 nothing found, 1 defect, 2 usage or input, 3 stopped, 4 not controllable");
}

static bool whole_number(const char *text, uint64_t *out, const char **end) {
  char *rest;
  if (text[0] < '0' || text[0] > '9') return false;
  errno = 0;
  unsigned long long value = strtoull(text, &rest, 10);
  *out = value;
  *end = rest;
  return errno == 0;
}

static bool read_number(const char *text, uint64_t low, uint64_t high, uint64_t *out) {
  const char *end;
  return whole_number(text, out, &end) && *end == '\0' && *out >= low && *out <= high;
}

static bool read_bytes(const char *text, uint64_t *out) {
  const char *end;
  if (!whole_number(text, out, &end)) return false;
  static const char units[] = "KMG";
  const char *unit = *end != '\0' ? strchr(units, *end) : NULL;
  unsigned shift = unit != NULL ? 10 * (unsigned)(unit - units + 1) : 0;
  if (unit != NULL) end++;
  if (*end != '\0' || *out == 0 || *out > (UINT64_MAX >> shift)) return false;
  *out <<= shift;
  return true;
}

static bool read_seconds(const char *text, double *out) {
  char *end;
  if (text[0] != '.' && (text[0] < '0' || text[0] > '9')) return false;
  *out = strtod(text, &end);
  return *end == '\0' && isfinite(*out) && *out > 0;
}

static int no_such_word(enum cli_program program, const struct option *option, const char *value) {
  char words[120], text[160];
  snprintf(text, sizeof text, "not one of %s%s", join(option, words, sizeof words),
           option->kind == KIND_cutoffs ? "; these also with -strong" : "");
  return mistake(program, option, value, text);
}

/* A word, perhaps with something behind it that asks for the strong hash. */
static int read_cutoffs(enum cli_program program, const struct option *option, const char *value,
                        struct cli_cutoffs *out) {
  static const char suffix[] = "-strong";
  const size_t length = strlen(value), behind = strlen(suffix);
  char word[32];
  out->strong = length > behind && strcmp(value + length - behind, suffix) == 0;
  snprintf(word, sizeof word, "%.*s", (int)(out->strong ? length - behind : length), value);
  if (unf_cutoff_order_from_text(word, &out->order) == UNF_OK &&
      !(out->strong && out->order == UNF_CUTOFFS_NONE))
    return -1;
  return no_such_word(program, option, value);
}

static int store_word(enum cli_program program, const struct option *option, const char *value,
                      void *field) {
  unsigned number = 0;
  while (word_of(option, number) != NULL && strcmp(word_of(option, number), value) != 0)
    number++;
  if (word_of(option, number) == NULL) return no_such_word(program, option, value);
  if (option->kind == KIND_algorithm)
    *(cli_value_algorithm *)field = (unf_algorithm)number;
  else if (option->kind == KIND_order)
    *(cli_value_order *)field = (unf_order)(number + (number >= UNF_ORDER_CHOSEN));
  else
    *(cli_value_choice *)field = (enum cli_choice)(first_choice(option) + number);
  return -1;
}

/* Stores a value; -1, or the exit status. */
static int store(enum cli_program program, const struct option *option, const char *value,
                 struct cli_options *out) {
  void *field = (char *)out + option->offset;
  uint64_t number = 0;
  switch (option->kind) {
  case KIND_flag:
    *(cli_value_flag *)field = true;
    return -1;
  case KIND_text:
  case KIND_list:
    /* A second list would take the place of the first. */
    if (option->kind == KIND_list && *(cli_value_list *)field != NULL)
      return mistake(program, option, value, "given twice: several values with commas");
    *(cli_value_text *)field = value;
    return value[0] != '\0' ? -1 : mistake(program, option, value, "an empty value");
  case KIND_count:
    if (read_number(value, 1, UINT64_MAX, (cli_value_count *)field)) return -1;
    return mistake(program, option, value, "not a whole number from 1 on");
  case KIND_number:
    if (!read_number(value, 0, INT64_MAX, &number))
      return mistake(program, option, value, "not a whole number from 0 on");
    *(cli_value_number *)field = (int64_t)number;
    return -1;
  case KIND_bytes:
    if (read_bytes(value, (cli_value_bytes *)field)) return -1;
    return mistake(program, option, value, "not a number of bytes such as 500000000 or 2G");
  case KIND_seconds:
    if (read_seconds(value, (cli_value_seconds *)field)) return -1;
    return mistake(program, option, value, "not a number of seconds above 0");
  case KIND_size_of_k:
    if (strcmp(value, "optimal") != 0 && !read_number(value, 1, UINT32_MAX, &number))
      return mistake(program, option, value, "neither a whole number from 1 on nor \"optimal\"");
    *(cli_value_size_of_k *)field = number == 0 ? UNF_K_OPTIMAL : (uint32_t)number;
    return -1;
  case KIND_cutoffs:
    return read_cutoffs(program, option, value, (cli_value_cutoffs *)field);
  default:
    return store_word(program, option, value, field);
  }
}

static void set_defaults(struct cli_options *out) {
  memset(out, 0, sizeof *out);
  out->k = UNF_K_OPTIMAL;
  for (size_t i = 0; i < FIELD_COUNT; i++) {
    if (table[i].kind == KIND_number)
      *(cli_value_number *)(void *)((char *)out + table[i].offset) = CLI_NUMBER_NONE;
  }
  out->expect_exit = 0;
  for (unsigned i = CLI_CHOICE_COUNT; i-- > 0;)
    *(cli_value_choice *)(void *)((char *)out + table[choices[i].field].offset) =
        (enum cli_choice)i;
}

/* Reads the option at argv[*at], which begins with "--"; -1, or the exit status. */
static int read_option(enum cli_program program, int argc, char **argv, int *at,
                       struct cli_options *out) {
  const char *word = argv[*at] + 2;
  const char *equals = strchr(word, '=');
  size_t length = equals != NULL ? (size_t)(equals - word) : strlen(word);
  const struct option *option = NULL;
  const unsigned mask = (unsigned)program;
  for (size_t i = 0; i < FIELD_COUNT && option == NULL; i++) {
    const bool known = ((table[i].accepted | table[i].later) & mask) != 0;
    if (known && strlen(table[i].name) == length && strncmp(table[i].name, word, length) == 0)
      option = &table[i];
  }
  if (option == NULL) return mistake_word(program, argv[*at], "no such option");
  if ((option->accepted & mask) == 0)
    return mistake(program, option, NULL,
                   option == &table[FIELD_jobs] || option == &table[FIELD_mpi] ? CLI_BRANCHES_APART
                                                                               : "not built yet");
  if (option->kind == KIND_flag && equals != NULL)
    return mistake(program, option, NULL, "takes no value");
  if (option == &table[FIELD_atomics]) out->level_given = true;
  if (option == &table[FIELD_algorithm]) out->algorithm_given = true;
  const char *value = equals != NULL ? equals + 1 : NULL;
  if (option->kind != KIND_flag && value == NULL) {
    if (*at + 1 >= argc) return mistake(program, option, NULL, "needs a value");
    value = argv[++*at];
  }
  return store(program, option, value, out);
}

/* Whether an option says when to stop, what is written, or how something is done, and not what. */
static bool is_free(enum option_field field) {
  switch (field) {
  case FIELD_probes:
  case FIELD_checkpoints:
  case FIELD_checkpoint_memory:
  case FIELD_max_executions:
  case FIELD_max_events:
  case FIELD_max_seconds:
  case FIELD_max_memory:
  case FIELD_collect:
  case FIELD_runs:
  case FIELD_jobs:
  case FIELD_mpi:
  case FIELD_worker_delay:
  case FIELD_worker_seconds:
  case FIELD_save:
  case FIELD_save_every:
  case FIELD_go_on:
  case FIELD_stop_at_first:
  case FIELD_strict:
  case FIELD_json:
  case FIELD_dot:
  case FIELD_report:
  case FIELD_report_seconds:
  case FIELD_shorten:
  case FIELD_shorten_seconds:
  case FIELD_pnml:
  case FIELD_trace_dir:
  case FIELD_expect:
  case FIELD_executions:
  case FIELD_replay:
  case FIELD_help:
  case FIELD_help_all:
  case FIELD_version:
    return true;
  default:
    return false;
  }
}

/* The value of an option as JSON. */
static json_t *value_of(const struct option *option, const struct cli_options *options) {
  const void *field = (const char *)options + option->offset;
  switch (option->kind) {
  case KIND_flag:
    return json_boolean(*(const cli_value_flag *)field);
  case KIND_text:
  case KIND_list:
    return cli_json_text(*(const cli_value_text *)field);
  case KIND_count:
  case KIND_bytes:
    return json_integer((json_int_t) * (const cli_value_count *)field);
  case KIND_number:
    return json_integer(*(const cli_value_number *)field);
  case KIND_seconds:
    return json_real(*(const cli_value_seconds *)field);
  case KIND_size_of_k:
    return json_integer(*(const cli_value_size_of_k *)field);
  case KIND_algorithm:
    return json_string(unf_algorithm_text(*(const cli_value_algorithm *)field));
  case KIND_order:
    return json_string(unf_order_text(*(const cli_value_order *)field));
  case KIND_cutoffs:
    return json_string(unf_cutoff_order_text(((const cli_value_cutoffs *)field)->order));
  case KIND_choice:
    return json_integer(*(const cli_value_choice *)field);
  }
  return NULL;
}

json_t *cli_options_decisive(enum cli_program program, const struct cli_options *options) {
  json_t *object = json_object();
  for (size_t i = 0; object != NULL && i < FIELD_COUNT; i++) {
    char name[40];
    if ((table[i].accepted & (unsigned)program) == 0 || is_free((enum option_field)i)) continue;
    snprintf(name, sizeof name, "--%s", table[i].name);
    if (json_object_set_new(object, name, value_of(&table[i], options)) == 0) continue;
    json_decref(object);
    object = NULL;
  }
  return object;
}

/* What --save and --continue do not go with. */
static int check_saving(enum cli_program program, const struct cli_options *out) {
  const struct option *option = out->save != NULL    ? &table[FIELD_save]
                                : out->go_on != NULL ? &table[FIELD_go_on]
                                                     : NULL;
  if (out->save_every > 0 && out->save == NULL)
    return mistake(program, &table[FIELD_save_every], NULL, "only with --save");
  if (option == NULL) return -1;
  if (out->replay != NULL) return mistake(program, option, NULL, "not with --replay");
  if (out->order != UNF_ORDER_DEPTH_FIRST)
    return mistake(program, option, NULL,
                   "only with --order dfs: of others what is open is not written");
  if (program == CLI_NATIVE && out->atomics == CLI_ATOMICS_AUTO)
    return mistake(program, option, NULL, "needs --atomics off, rmw or all");
  return -1;
}

bool cli_shares(const struct cli_options *options) {
  return options->jobs != CLI_NUMBER_NONE || options->mpi;
}

/* What --jobs does not go with. */
static int check_jobs(enum cli_program program, const struct cli_options *out) {
  const struct {
    bool given;
    enum option_field field;
    const char *why;
  } rows[] = {
      {out->replay != NULL, FIELD_replay, "which is one execution"},
      {out->cutoffs.order != UNF_CUTOFFS_NONE, FIELD_cutoffs, "which need all events in a process"},
      {out->order != UNF_ORDER_DEPTH_FIRST, FIELD_order, "items are explored depth first"},
      {out->probes != CLI_NUMBER_NONE && out->probes > 0, FIELD_probes, "drawn from one path"},
      {out->max_events > 0, FIELD_max_events, "events of several processes are not told apart"},
      {out->save_every > 0, FIELD_save_every, "a journal is written all the time"},
      {out->dot != NULL, FIELD_dot, "no process has all events"},
      {out->executions != NULL, FIELD_executions, "each process has some of them"}};
  const struct option *option = &table[out->mpi ? FIELD_mpi : FIELD_jobs];
  if (out->worker_seconds > 0 && !cli_shares(out))
    return mistake(program, &table[FIELD_worker_seconds], NULL, "only with --jobs or --mpi");
  if (out->worker_delay != CLI_NUMBER_NONE && !cli_shares(out))
    return mistake(program, &table[FIELD_worker_delay], NULL, "only with --jobs or --mpi");
  if (!cli_shares(out)) return -1;
  if (out->mpi && out->jobs != CLI_NUMBER_NONE)
    return mistake(program, option, NULL, "not with --jobs");
  if (out->jobs > JOBS_MOST) return mistake(program, option, NULL, "at most 256");
  if (out->algorithm != UNF_ODPOR)
    return mistake(program, option, NULL, "only with --algorithm odpor");
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    char text[120];
    snprintf(text, sizeof text, "not with --%s: %s", table[rows[i].field].name, rows[i].why);
    if (rows[i].given) return mistake(program, option, NULL, text);
  }
  return -1;
}

/* What belongs together for the programs; what the library supports, it says itself. */
static int check(enum cli_program program, const struct cli_options *out) {
  char text[240];
  const char *problem = NULL;
  if (out->expect != NULL && cli_kind_find(out->expect) == CLI_KIND_COUNT)
    return mistake(program, &table[FIELD_expect], out->expect, "no such kind of defect");
  if (out->algorithm != UNF_QPOR && out->k != UNF_K_OPTIMAL)
    return mistake(program, &table[FIELD_k], NULL, "only for --algorithm qpor");
  if (out->races_every > 0 && !out->races && program == CLI_NATIVE)
    return mistake(program, &table[FIELD_races_every], NULL, "only with --races");
  if (out->collect != CLI_NUMBER_NONE && out->collect > 0 &&
      (out->dot != NULL || out->max_events > 0))
    return mistake(program, &table[FIELD_collect], NULL, "not with --dot or --max-events");
  if (out->report != NULL && out->replay != NULL)
    return mistake(program, &table[FIELD_report], NULL, "not with --replay");
  if (out->pnml != NULL && (out->cutoffs.order == UNF_CUTOFFS_NONE || out->replay != NULL))
    return mistake(program, &table[FIELD_pnml], NULL, "only with --cutoffs, and not with --replay");
  if (out->witness != NULL && out->replay != NULL)
    return mistake(program, &table[FIELD_witness], NULL, "not with --replay");
  if (out->std != NULL && out->replay == NULL)
    return mistake(program, &table[FIELD_std], NULL, "only with --replay");
  if (out->report_seconds > 0 && out->report == NULL)
    return mistake(program, &table[FIELD_report_seconds], NULL, "only with --report");
  if (out->shorten && out->replay != NULL)
    return mistake(program, &table[FIELD_shorten], NULL, "not with --replay");
  if (out->shorten_seconds > 0 && !out->shorten)
    return mistake(program, &table[FIELD_shorten_seconds], NULL, "only with --shorten");
  if (out->reorder > 100) return mistake(program, &table[FIELD_reorder], NULL, "at most 100");
  if (out->seed != CLI_NUMBER_NONE && out->order != UNF_ORDER_RANDOM && out->races_every == 0 &&
      !cli_samples(out) && (program != CLI_NATIVE || out->reorder == 0))
    return mistake(program, &table[FIELD_seed], NULL,
                   "only for --order random, --algorithm random or pct, or --races-every");
  if (cli_samples(out) && program == CLI_SYMBOLIC)
    return mistake(program, &table[FIELD_algorithm], unf_algorithm_text(out->algorithm),
                   "not for all inputs");
  if (out->runs > 0 && !cli_samples(out))
    return mistake(program, &table[FIELD_runs], NULL, "only for --algorithm random or pct");
  if (out->depth > UNF_MAX_DEPTH) return mistake(program, &table[FIELD_depth], NULL, "at most 64");
  if ((out->depth > 0 || out->steps > 0) && out->algorithm != UNF_PCT)
    return mistake(program, &table[out->depth > 0 ? FIELD_depth : FIELD_steps], NULL,
                   "only for --algorithm pct");
  int jobs = check_jobs(program, out);
  if (jobs >= 0) return jobs;
  int saving = check_saving(program, out);
  if (saving >= 0) return saving;
  if (!cli_options_supported(out, text, sizeof text))
    return mistake_word(program, text, "not supported");
  if (out->argument_count == 0)
    problem = program == CLI_MODEL ? "no FILE.unf given" : "no program given";
  else if (out->file_count == 0)
    problem = "no FILE.c given";
  else if (program == CLI_MODEL && out->argument_count > 1)
    problem = "more than one file given";
  return problem == NULL ? -1 : mistake_word(program, "", problem);
}

static bool is_folder(const char *path) {
  struct stat status;
  return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

/* Checks the options, and fills in the limit that is always there. */
static int complete(enum cli_program program, struct cli_options *out) {
  out->memory_share = out->max_memory == 0;
  if (out->memory_share) out->max_memory = cli_memory() / CLI_MEMORY_SHARE;
  /* What auto comes to depends on the time that it takes, which is no part of what is saved. */
  if (!out->level_given && (out->save != NULL || out->go_on != NULL))
    out->atomics = CLI_ATOMICS_RMW;
  /* A folder is the journal of several processes. */
  if (!cli_shares(out) && out->go_on != NULL && is_folder(out->go_on)) out->jobs = 1;
  if (cli_shares(out) && !out->algorithm_given) out->algorithm = UNF_ODPOR;
  if (cli_shares(out) && out->probes == CLI_NUMBER_NONE) out->probes = 0;
  return check(program, out);
}

int cli_options_read(enum cli_program program, int argc, char **argv, struct cli_options *out) {
  int rest = 1; /* words that are no options are moved to the front, in order */
  int files = -1;
  set_defaults(out);
  for (int i = 1; i < argc; i++) {
    bool end = strcmp(argv[i], "--") == 0;
    bool word = argv[i][0] != '-' || argv[i][1] == '\0';
    if (end || (word && program == CLI_NATIVE)) {
      if (end) files = rest - 1;
      for (i += end; i < argc; i++)
        argv[rest++] = argv[i];
    } else if (word) {
      argv[rest++] = argv[i];
    } else if (argv[i][1] != '-') {
      return mistake_word(program, argv[i], "no such option");
    } else {
      int status = read_option(program, argc, argv, &i, out);
      if (status >= 0) return status;
    }
  }
  out->arguments = argv + 1;
  out->argument_count = rest - 1;
  out->file_count = files >= 0 && program == CLI_SYMBOLIC ? files : out->argument_count;
  if (out->help || out->help_all)
    print_help(program, out->help_all);
  else if (out->version)
    printf("%s %s\n", cli_program_name(program), unf_version_text());
  else
    return complete(program, out);
  return cli_output_status(program, CLI_CLEAN);
}
