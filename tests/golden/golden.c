/*
 * Golden counts: every row of counts.csv is a family of programs, its parameters, an algorithm and
 * what it counts. The traces come from the literature (tests/oracle/families.c names it) and never
 * change; redundant executions of the modes that are not optimal depend on details of the search,
 * so that a change shows here and is looked at. Programs are run by the interpreter of the oracle,
 * from checkpoints.
 *
 *   golden COUNTS [--campaign yes | --most TRACES] [--write FILE] [--collect N]
 *
 * Rows of more than 50,000 traces, or of more than --most says, are run in a campaign only. --write
 * makes the table anew with what was counted. --collect gives events back whenever there are N new
 * ones: then redundant executions are those of the table where it has none, and events are at least
 * as many.
 */
#include "families.h"
#include "front.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static uint64_t collect; /* as in unf_explorer_options */

typedef struct row {
  char family[16], algorithm[16], k[16];
  int first, second;
  uint64_t traces, redundant, events;
} row;

/* Counts a row anew; false with a report if that is not possible. */
static bool count_row(const row *r, row *seen, report *out) {
  char error[ORACLE_ERROR_MAX];
  unf_explorer_options options = UNF_EXPLORER_OPTIONS_INIT;
  if (unf_algorithm_from_text(r->algorithm, &options.algorithm) != UNF_OK)
    return report_fail(out, "unknown algorithm");
  options.alternative.k =
      strcmp(r->k, "optimal") == 0 ? UNF_K_OPTIMAL : (uint32_t)strtoul(r->k, NULL, 10);
  if (options.algorithm != UNF_DFS) options.collect = collect;
  char *text = family_text(r->family, r->first, r->second);
  if (text == NULL) return report_fail(out, "unknown family");
  const program_options reading = {.bound = -1, .commuting = strstr(text, "// commuting") != NULL};
  program *p = program_read(text, &reading, error);
  free(text);
  if (p == NULL) return report_fail(out, "%s", error);
  uint32_t *order = oracle_allocate(p->thread_count * sizeof *order);
  for (uint32_t i = 0; i < p->thread_count; i++) {
    order[i] = i;
  }
  unf_counts counts;
  bool good = front_count(p, order, &options, &counts, out);
  *seen = *r;
  if (good) {
    seen->traces = counts.traces;
    seen->redundant = counts.redundant;
    seen->events = counts.events;
  }
  program_free(p);
  free(order);
  return good;
}

static bool read_row(const char *line, row *r) {
  return sscanf(line, "%15[^,],%d,%d,%15[^,],%15[^,],%" SCNu64 ",%" SCNu64 ",%" SCNu64, r->family,
                &r->first, &r->second, r->algorithm, r->k, &r->traces, &r->redundant,
                &r->events) == 8;
}

static void print_row(FILE *to, const row *r) {
  fprintf(to, "%s,%d,%d,%s,%s,%" PRIu64 ",%" PRIu64 ",%" PRIu64 "\n", r->family, r->first,
          r->second, r->algorithm, r->k, r->traces, r->redundant, r->events);
}

static bool as_expected(const row *r, const row *seen) {
  if (seen->traces != r->traces) return false;
  if (collect == 0) return seen->redundant == r->redundant && seen->events == r->events;
  bool optimal = strcmp(r->k, "optimal") == 0 || strcmp(r->algorithm, "odpor") == 0;
  return (!optimal || seen->redundant == 0) && seen->events >= r->events;
}

static bool check_row(const row *r, FILE *write) {
  row seen;
  report text = {{0}};
  clock_t start = clock();
  if (!count_row(r, &seen, &text)) {
    printf("FAILED %s(%d,%d) %s %s: %s\n", r->family, r->first, r->second, r->algorithm, r->k,
           text.text);
    return false;
  }
  double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
  if (seconds > 1)
    printf("%s(%d,%d) %s %s: %.1f s\n", r->family, r->first, r->second, r->algorithm, r->k,
           seconds);
  if (write != NULL) print_row(write, &seen);
  if (as_expected(r, &seen)) return true;
  printf("FAILED, expected and seen:\n");
  print_row(stdout, r);
  print_row(stdout, &seen);
  return false;
}

int main(int argc, char **argv) {
  unsigned passed = 0, failed = 0;
  uint64_t most = 50000;
  FILE *write = NULL;
  for (int i = 2; i + 1 < argc; i += 2) {
    if (strcmp(argv[i], "--campaign") == 0 && strcmp(argv[i + 1], "yes") == 0) most = UINT64_MAX;
    if (strcmp(argv[i], "--most") == 0) most = strtoull(argv[i + 1], NULL, 10);
    if (strcmp(argv[i], "--write") == 0) write = fopen(argv[i + 1], "w");
    if (strcmp(argv[i], "--collect") == 0) collect = strtoull(argv[i + 1], NULL, 10);
  }
  FILE *table = argc > 1 ? fopen(argv[1], "r") : NULL;
  if (table == NULL) {
    fputs("usage: golden COUNTS [--campaign yes | --most TRACES] [--write FILE] [--collect N]\n",
          stderr);
    return 2;
  }
  char line[256];
  while (fgets(line, sizeof line, table) != NULL) {
    row r;
    bool skipped = line[0] == '#' || strncmp(line, "family,", 7) == 0;
    if (!skipped && !read_row(line, &r)) {
      printf("FAILED: malformed row %s", line);
      failed++;
      continue;
    }
    if (skipped || r.traces > most) {
      if (write != NULL) fputs(line, write);
    } else if (check_row(&r, write)) {
      passed++;
    } else {
      failed++;
    }
  }
  fclose(table);
  if (write != NULL) fclose(write);
  printf("%u passed, %u failed\n", passed, failed);
  return failed == 0 ? 0 : 1;
}
