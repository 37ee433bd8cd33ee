/* --confirm: unfold-confirm, which stands beside this program, explores with it and tries natively
 * what it finds. */
#include "confirm.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "load.h"
#include "options.h"
#include "session.h"
#include "text.h"

/* What is written or performed otherwise, which a confirmation does not do. */
static const char *wrong_with(const struct cli_options *o) {
  if (o->replay != NULL) return "--replay";
  if (o->tests != NULL) return "--tests";
  if (o->coverage != NULL || o->cover_first) return "--coverage or --cover-first";
  if (o->report != NULL || o->witness != NULL || o->executions != NULL)
    return "--report, --witness or --executions";
  return o->json ? "--json" : NULL;
}

static bool is_file(const struct cli_options *o, const char *word) {
  int i = 0;
  while (i < o->file_count && o->arguments[i] != word)
    i++;
  return i < o->file_count;
}

/* Adds an option with its value as one word, since a value can look like an option. NULL: none.
 * False: no memory. */
static bool add_option(char **words, size_t *count, const char *option, const char *value) {
  if (value == NULL) return true;
  const size_t size = strlen(option) + strlen(value) + 2;
  char *word = malloc(size);
  if (word == NULL) return false;
  snprintf(word, size, "%s=%s", option, value);
  words[(*count)++] = word;
  return true;
}

/* The words of its command line: options of the exploration stand behind --sym-option each. */
static char **words_of(const struct cli_options *o, int argc, char **argv, char *program,
                       const char *own) {
  static char end[] = "--";
  char **words = calloc((size_t)argc + 7, sizeof *words);
  size_t count = 0;
  if (words == NULL) return NULL;
  words[count++] = program;
  if (!add_option(words, &count, "--sym", own) ||
      !add_option(words, &count, "--clang-flags", o->clang_flags) ||
      !add_option(words, &count, "--trace-dir", o->trace_dir))
    return NULL;
  for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
    if (is_file(o, argv[i]) || strcmp(argv[i], "--confirm") == 0) continue;
    if (!add_option(words, &count, "--sym-option", argv[i])) return NULL;
  }
  for (int i = 0; i < o->argument_count; i++) {
    if (i == o->file_count) words[count++] = end;
    words[count++] = o->arguments[i];
  }
  return words;
}

int sym_confirm(const struct cli_options *o, int argc, char **argv) {
  const char *wrong = wrong_with(o);
  if (wrong != NULL) {
    cli_say(stderr, "unfold-sym: --confirm: not with %s", wrong);
    return CLI_USAGE;
  }
  char *program = load_beside("unfold-confirm"), *own = load_beside("unfold-sym");
  char **words = program != NULL && own != NULL ? words_of(o, argc, argv, program, own) : NULL;
  if (words == NULL) {
    cli_say(stderr, "unfold-sym: no memory");
    return CLI_STOPPED;
  }
  cli_streams_restore();
  execv(program, words);
  cli_say(stderr, "unfold-sym: --confirm: %s: %s", program, strerror(errno));
  return CLI_USAGE;
}
