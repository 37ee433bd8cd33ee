/*
 * The families of tests/golden with a strategy that the library does not have. It must find the
 * traces that they are known to have, each of them once, and the events; in depth-first and another
 * order, and with events freed before every run.
 *
 *   strategy COUNTS
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "families.h"
#include "front.h"
#include "row.h"
#include "sleep_sets.h"

/* Larger ones, and those of more threads, have too many redundant runs. */
#define MOST_EVENTS  160u
#define MOST_THREADS 8u

static bool count(const program *p, const unf_explorer_options *options, const struct row *row) {
  uint32_t *order = oracle_allocate(p->thread_count * sizeof *order);
  report text = {{0}};
  unf_counts seen = {0};
  for (uint32_t i = 0; i < p->thread_count; i++)
    order[i] = i;
  bool good = front_count_with(sleep_sets_explorer, p, order, options, &seen, &text);
  free(order);
  /* Events that were freed count again. */
  bool same = seen.traces == row->traces &&
              (options->collect > 0 ? seen.events >= row->events : seen.events == row->events);
  if (good && same) return true;
  printf("FAILED %s(%d,%d), order %d, collect %" PRIu64 ": %" PRIu64 " traces of %" PRIu64
         ", %" PRIu64 " events of %" PRIu64 " %s\n",
         row->family, row->first, row->second, (int)options->order, options->collect, seen.traces,
         row->traces, seen.events, row->events, text.text);
  return false;
}

static bool check(const struct row *row, unsigned *explored) {
  static const struct {
    unf_order order;
    uint64_t collect;
  } manners[] = {{UNF_ORDER_DEPTH_FIRST, 0},
                 {UNF_ORDER_DEPTH_FIRST, 1},
                 {UNF_ORDER_BREADTH_FIRST, 0},
                 {UNF_ORDER_BREADTH_FIRST, 1}};
  char error[ORACLE_ERROR_MAX];
  char *text = family_text(row->family, row->first, row->second);
  const program_options reading = {.bound = -1, .commuting = strstr(text, "// commuting") != NULL};
  program *p = program_read(text, &reading, error);
  bool good = p != NULL;
  if (!good) printf("FAILED %s: %s\n", row->family, error);
  bool small = good && p->thread_count <= MOST_THREADS;
  *explored += small;
  for (size_t i = 0; good && small && i < sizeof manners / sizeof manners[0]; i++) {
    unf_explorer_options options = UNF_EXPLORER_OPTIONS_INIT;
    options.order = manners[i].order;
    options.collect = manners[i].collect;
    options.collect_percent = 0;
    good = count(p, &options, row);
  }
  program_free(p);
  free(text);
  return good;
}

int main(int argc, char **argv) {
  FILE *table = argc > 1 ? fopen(argv[1], "r") : NULL;
  if (table == NULL) {
    fputs("usage: strategy COUNTS\n", stderr);
    return 2;
  }
  char line[256];
  unsigned explored = 0, failed = 0;
  while (fgets(line, sizeof line, table) != NULL) {
    struct row row;
    if (row_read(line, MOST_EVENTS, &row)) failed += !check(&row, &explored);
  }
  fclose(table);
  printf("%u families explored, %u failed\n", explored, failed);
  return failed == 0 && explored > 0 ? 0 : 1;
}
