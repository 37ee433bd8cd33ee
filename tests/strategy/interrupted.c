/*
 * The families of tests/golden with calls that are interrupted nearly each time that they look at
 * limits, which they do every few elementary steps: finish and next go on where they were, and the
 * traces are those of the table, with every algorithm and order, and with probes.
 *
 *   interrupted COUNTS
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "families.h"
#include "front.h"
#include "impatient.h"
#include "row.h"

#define MOST_EVENTS  1000u
#define MOST_THREADS 8u
/* With every interleaving. */
#define MOST_EVENTS_DFS 20u

static const struct {
  unf_algorithm algorithm;
  unf_order order;
  uint64_t collect;
  uint32_t later; /* steps whose events are extended at the end of a run; 0: as usual */
} manners[] = {{UNF_QPOR, UNF_ORDER_DEPTH_FIRST, 0, 1},   {UNF_QPOR, UNF_ORDER_DEPTH_FIRST, 1, 2},
               {UNF_QPOR, UNF_ORDER_DEPTH_FIRST, 0, 0},   {UNF_QPOR, UNF_ORDER_DEPTH_FIRST, 1, 0},
               {UNF_QPOR, UNF_ORDER_BREADTH_FIRST, 0, 0}, {UNF_QPOR, UNF_ORDER_RANDOM, 1, 0},
               {UNF_SDPOR, UNF_ORDER_DEPTH_FIRST, 0, 0},  {UNF_ODPOR, UNF_ORDER_DEPTH_FIRST, 0, 0},
               {UNF_ODPOR, UNF_ORDER_DEPTH_FIRST, 1, 0},  {UNF_EAGER, UNF_ORDER_DEPTH_FIRST, 0, 0},
               {UNF_EAGER, UNF_ORDER_DEPTH_FIRST, 1, 0},  {UNF_DFS, UNF_ORDER_DEPTH_FIRST, 0, 0}};

static bool count(const program *p, size_t manner, const struct row *row) {
  unf_explorer_options options = UNF_EXPLORER_OPTIONS_INIT;
  uint32_t *order = oracle_allocate(p->thread_count * sizeof *order);
  report text = {{0}};
  unf_counts seen = {0};
  options.algorithm = manners[manner].algorithm;
  options.order = manners[manner].order;
  options.collect = manners[manner].collect;
  options.collect_percent = 0;
  options.probes = 1;
  impatient_later = manners[manner].later;
  for (uint32_t i = 0; i < p->thread_count; i++)
    order[i] = i;
  bool good = front_count_with(impatient_explorer, p, order, &options, &seen, &text);
  impatient_forget();
  free(order);
  bool optimal = options.algorithm == UNF_ODPOR || options.algorithm == UNF_EAGER;
  if (good && seen.traces == row->traces && !(optimal && seen.redundant > 0)) return true;
  printf("FAILED %s(%d,%d), algorithm %d, order %d, collect %" PRIu64 ", a look after %" PRIu32
         ": %" PRIu64 " traces of %" PRIu64 " %s\n",
         row->family, row->first, row->second, (int)options.algorithm, (int)options.order,
         options.collect, impatient_steps, seen.traces, row->traces, text.text);
  return false;
}

static bool check(const struct row *row, unsigned *explored) {
  static const uint32_t steps[] = {1, 17};
  char error[ORACLE_ERROR_MAX];
  char *text = family_text(row->family, row->first, row->second);
  const program_options reading = {.bound = -1, .commuting = strstr(text, "// commuting") != NULL};
  program *p = program_read(text, &reading, error);
  bool good = p != NULL;
  if (!good) printf("FAILED %s: %s\n", row->family, error);
  bool small = good && p->thread_count <= MOST_THREADS;
  *explored += small;
  for (size_t i = 0; small && i < sizeof steps / sizeof steps[0]; i++) {
    impatient_steps = steps[i];
    for (size_t j = 0; good && j < sizeof manners / sizeof manners[0]; j++)
      if (manners[j].algorithm != UNF_DFS || row->events <= MOST_EVENTS_DFS)
        good = count(p, j, row);
  }
  program_free(p);
  free(text);
  return good;
}

int main(int argc, char **argv) {
  FILE *table = argc > 1 ? fopen(argv[1], "r") : NULL;
  if (table == NULL) {
    fputs("usage: interrupted COUNTS\n", stderr);
    return 2;
  }
  char line[256];
  unsigned explored = 0, failed = 0;
  while (fgets(line, sizeof line, table) != NULL) {
    struct row row;
    if (row_read(line, MOST_EVENTS, &row)) failed += !check(&row, &explored);
  }
  fclose(table);
  printf("%u families explored, %u failed, %" PRIu64 " looks at the clock\n", explored, failed,
         impatient_looks);
  return failed == 0 && explored > 0 && impatient_looks > 10000 ? 0 : 1;
}
