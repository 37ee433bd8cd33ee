/*
 * Programs with what the oracle finds out about them, for a comparison with unfold-model, which
 * shares no code with the oracle.
 *
 *   expected random PROGRAMS SEED FAMILIES
 *                                     random ones; those with too many configurations are left
 *                                     away. FAMILIES is a sum of FAMILY_CONDITION and so on, of
 *                                     tests/random/sketch.h; with atomics every second one has
 *                                     commuting fetch-adds
 *   expected reference                those with known counts
 *   expected files BOUND FILE …
 *
 * prints for each program a line
 *   STATUS BOUND COMMUTING TRACES COMPLETE BLOCKED DEADLOCKS ERRORS EVENTS LENGTH
 * and then its text, of LENGTH bytes. STATUS is whole, race, contended (a barrier) or error (of run
 * time); the numbers from TRACES on mean something for whole ones only. BOUND is that of loops, -1
 * for none; COMMUTING is 1 where fetch-adds commute.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lattice.h"
#include "reference.h"
#include "sketch.h"

enum { CONFIGURATIONS_MAX = 2000, CONFIGURATIONS_OF_FILES = 100000, TEXT_MAX = 1 << 16 };

static bool print(const char *text, const program_options *options, uint32_t limit) {
  static const char *const words[] = {[LATTICE_WHOLE] = "whole",
                                      [LATTICE_LIMIT] = "limit",
                                      [LATTICE_RACE] = "race",
                                      [LATTICE_CONTENDED] = "contended",
                                      [LATTICE_ERROR] = "error"};
  char error[ORACLE_ERROR_MAX];
  program *p = program_read(text, options, error);
  if (p == NULL) {
    fprintf(stderr, "expected: %s in\n%s\n", error, text);
    return false;
  }
  lattice *l = lattice_walk(p, limit);
  const lattice_counts *c = &l->counts;
  if (l->status != LATTICE_LIMIT)
    printf("%s %" PRId64 " %d %" PRIu32 " %" PRIu32 " %" PRIu32 " %" PRIu32 " %" PRIu32 " %" PRIu32
           " %zu\n%s",
           words[l->status], options->bound, options->commuting, c->maximal, c->complete,
           c->blocked, c->deadlocks, c->errors, c->events, strlen(text), text);
  lattice_free(l);
  program_free(p);
  return true;
}

static bool random_programs(unsigned long count, uint64_t seed, unsigned families) {
  random_source random = {seed};
  bool good = true;
  for (; good && count > 0; count--) {
    sketch *s = sketch_generate(&random, families);
    char *text = sketch_text(s);
    program_options options = {.bound = -1,
                               .commuting = (families & (FAMILY_ATOMIC | FAMILY_RANGE)) != 0 &&
                                            count % 2 == 0};
    good = print(text, &options, CONFIGURATIONS_MAX);
    free(text);
    sketch_free(s);
  }
  return good;
}

/* Mailboxes and futures are in the oracle, for the library's families, and not in the language. */
static bool in_the_language(const reference_program *r) {
  return strstr(r->text, "mailbox ") == NULL && strstr(r->text, "future ") == NULL;
}

static bool known_programs(void) {
  bool good = true;
  for (size_t i = 0; good && i < reference_count; i++) {
    const reference_program *r = &reference_programs[i];
    if (!in_the_language(r)) continue;
    program_options options = {.bound = r->bound, .commuting = r->commuting};
    good = print(r->text, &options, CONFIGURATIONS_OF_FILES);
  }
  return good;
}

static bool file(const char *name, int64_t bound) {
  static char text[TEXT_MAX];
  program_options options = {.bound = bound};
  FILE *from = fopen(name, "r");
  if (from == NULL) {
    fprintf(stderr, "expected: %s cannot be read\n", name);
    return false;
  }
  text[fread(text, 1, sizeof text - 1, from)] = '\0';
  fclose(from);
  return print(text, &options, CONFIGURATIONS_OF_FILES);
}

int main(int argc, char **argv) {
  bool good = true;
  if (argc == 5 && strcmp(argv[1], "random") == 0)
    return !random_programs(strtoul(argv[2], NULL, 10), strtoull(argv[3], NULL, 10),
                            (unsigned)strtoul(argv[4], NULL, 10));
  if (argc == 2 && strcmp(argv[1], "reference") == 0) return !known_programs();
  if (argc < 4 || strcmp(argv[1], "files") != 0) {
    fputs("usage: expected random PROGRAMS SEED FAMILIES | reference | files BOUND FILE …\n",
          stderr);
    return 2;
  }
  for (int i = 3; good && i < argc; i++)
    good = file(argv[i], strtoll(argv[2], NULL, 10));
  return !good;
}
