/* The command line of unfold-model, unfold and unfold-sym. The table is options.def. */
#ifndef COMMON_OPTIONS_H
#define COMMON_OPTIONS_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include <unfold/unfold.h>

/* Exit status of both programs; where several apply, the one that comes first here. */
enum cli_status {
  CLI_USAGE = 2,        /* wrong usage or input */
  CLI_UNCONTROLLED = 4, /* the program under test cannot be controlled */
  CLI_FOUND = 1,        /* a defect was found */
  CLI_STOPPED = 3,      /* a limit or an interrupt */
  CLI_UNSEEN = 5,       /* --strict, and not all was seen */
  CLI_CLEAN = 0
};

/* Those with the table of options, and unfold-trace. */
enum cli_program {
  CLI_MODEL = 1,
  CLI_NATIVE = 2,
  CLI_BOTH = 3,
  CLI_SYMBOLIC = 4,
  CLI_ALL = 7,
  CLI_TRACE = 8
};

enum cli_choice {
#define OPTION(field, kind, name, value, accepted, later, standard, help)
#define CHOICE(field, constant, word) constant,
#include "options.def"
#undef OPTION
#undef CHOICE
  CLI_CHOICE_COUNT
};

#define CLI_NUMBER_NONE INT64_MIN
/* Of the memory that there is, the part that an exploration may have: one of so many. */
#define CLI_MEMORY_SHARE 2
/* Why there are no --jobs where branches depend on inputs: in items and reports they have numbers.
 */
#define CLI_BRANCHES_APART "each process would number branches on inputs as it comes to them"

/* As many processes as --jobs can ask for. */
#define JOBS_MOST 256

typedef bool cli_value_flag;
typedef const char *cli_value_text; /* NULL: not given */
typedef const char *cli_value_list; /* NULL: not given */
typedef uint64_t cli_value_count;   /* 0: not given */
typedef int64_t cli_value_number;   /* CLI_NUMBER_NONE: not given */
typedef uint64_t cli_value_bytes;   /* 0: not given */
typedef double cli_value_seconds;   /* 0: not given */
typedef uint32_t cli_value_size_of_k;
typedef unf_algorithm cli_value_algorithm;
typedef unf_order cli_value_order;
typedef struct cli_cutoffs {
  unf_cutoff_order order;
  bool strong; /* states by the strong hash */
} cli_value_cutoffs;
typedef enum cli_choice cli_value_choice;

/* What the command line says. Texts point into argv. */
struct cli_options {
#define OPTION(field, kind, name, value, accepted, later, standard, help) cli_value_##kind field;
#define CHOICE(field, constant, word)
#include "options.def"
#undef OPTION
#undef CHOICE
  bool memory_share; /* no limit of memory was given: it is a share of what there is */
  bool level_given;  /* --atomics was */
  bool algorithm_given;
  /* unfold-model: the file; unfold: the program and its arguments; unfold-sym: the files, then the
   * arguments of the program. */
  char **arguments;
  int argument_count, file_count;
};

/* Name of a program, for messages. */
const char *cli_program_name(enum cli_program program);

/*
 * Reads the command line. Returns -1 if the program is to go on; otherwise everything was said, and
 * the result is the exit status (--help, --version: CLI_CLEAN; a mistake: CLI_USAGE).
 */
int cli_options_read(enum cli_program program, int argc, char **argv, struct cli_options *out);

/* Whether several processes explore: --jobs, --mpi. */
bool cli_shares(const struct cli_options *options);

/* The options that decide what is explored, by name; what may be other ones when an exploration is
 * gone on with is left out. A new reference; NULL: no memory. */
json_t *cli_options_decisive(enum cli_program program, const struct cli_options *options);

#endif
