/*
 * Random programs with what the oracle finds out about them, for a comparison with unfold-model,
 * which shares no code with the oracle.
 *
 *   expected PROGRAMS SEED [FAMILIES]
 *
 * prints for each program a line
 *   STATUS TRACES COMPLETE BLOCKED DEADLOCKS ERRORS EVENTS LENGTH
 * and then its text, of LENGTH bytes. STATUS is whole, race or error (of run time); the numbers
 * mean something for whole ones only. Programs with too many configurations or threads at a barrier
 * are left away. FAMILIES is a sum of FAMILY_CONDITION and so on, of tests/random/sketch.h.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lattice.h"
#include "sketch.h"

enum { CONFIGURATIONS_MAX = 2000 };

static bool print(const char *text) {
  static const char *const words[] = {[LATTICE_WHOLE] = "whole",
                                      [LATTICE_LIMIT] = "limit",
                                      [LATTICE_RACE] = "race",
                                      [LATTICE_ERROR] = "error"};
  char error[ORACLE_ERROR_MAX];
  program *p = program_read(text, NULL, error);
  if (p == NULL) {
    fprintf(stderr, "expected: %s in\n%s\n", error, text);
    return false;
  }
  lattice *l = lattice_walk(p, CONFIGURATIONS_MAX);
  const lattice_counts *c = &l->counts;
  if (l->status != LATTICE_LIMIT && l->status != LATTICE_CONTENDED)
    printf("%s %" PRIu32 " %" PRIu32 " %" PRIu32 " %" PRIu32 " %" PRIu32 " %" PRIu32 " %zu\n%s",
           words[l->status], c->maximal, c->complete, c->blocked, c->deadlocks, c->errors,
           c->events, strlen(text), text);
  lattice_free(l);
  program_free(p);
  return true;
}

int main(int argc, char **argv) {
  if (argc != 3 && argc != 4) {
    fputs("usage: expected PROGRAMS SEED [FAMILIES]\n", stderr);
    return 2;
  }
  random_source random = {strtoull(argv[2], NULL, 10)};
  unsigned families = argc == 4 ? (unsigned)strtoul(argv[3], NULL, 10) : 0;
  for (unsigned long i = strtoul(argv[1], NULL, 10); i > 0; i--) {
    sketch *s = sketch_generate(&random, families);
    char *text = sketch_text(s);
    bool good = print(text);
    free(text);
    sketch_free(s);
    if (!good) return 1;
  }
  return 0;
}
