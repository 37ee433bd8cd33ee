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

/* The words of its command line: options of the exploration stand behind --sym-option each. */
static char **words_of(const struct cli_options *o, int argc, char **argv, char *program,
                       char *own) {
  static char sym[] = "--sym", sym_option[] = "--sym-option=", clang_flags[] = "--clang-flags";
  static char trace_dir[] = "--trace-dir", end[] = "--";
  char **words = calloc(2 * (size_t)argc + 10, sizeof *words);
  size_t count = 0;
  if (words == NULL) return NULL;
  words[count++] = program;
  words[count++] = sym;
  words[count++] = own;
  if (o->clang_flags != NULL) {
    words[count++] = clang_flags;
    words[count++] = (char *)(uintptr_t)o->clang_flags;
  }
  if (o->trace_dir != NULL) {
    words[count++] = trace_dir;
    words[count++] = (char *)(uintptr_t)o->trace_dir;
  }
  for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
    if (is_file(o, argv[i]) || strcmp(argv[i], "--confirm") == 0) continue;
    const size_t size = sizeof sym_option + strlen(argv[i]);
    char *word = malloc(size);
    if (word == NULL) return NULL;
    snprintf(word, size, "%s%s", sym_option, argv[i]);
    words[count++] = word;
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
