/*
 * Golden counts: every row of counts.csv is a family of programs, its parameters, an algorithm and
 * what it counts. The traces come from the literature (tests/oracle/families.c names it) and never
 * change; redundant executions of the modes that are not optimal depend on details of the search,
 * so that a change shows here and is looked at. Programs are run by the interpreter of the oracle,
 * from checkpoints.
 *
 *   golden COUNTS [--campaign yes] [--write FILE]
 *
 * Rows of more than 50,000 traces are run in a campaign only. --write makes the table anew with
 * what was counted.
 */
#include "bridge.h"
#include "families.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define ORDINARY_TRACES 50000u

typedef struct row {
  char family[16], algorithm[16], k[16];
  int first, second;
  uint64_t traces, redundant, events;
} row;

/* One program under one explorer; states[d] is the state after d steps of the run. */
typedef struct front {
  bridge bridge;
  machine machine;
  unf_explorer *explorer;
  int64_t *states;
  size_t depth_capacity;
  uint32_t steps;
  report *report;
} front;

static int64_t *state_at(front *f, uint32_t depth) {
  if (depth >= f->depth_capacity) {
    f->depth_capacity = (size_t)depth * 2 + 16;
    f->states = oracle_grow(f->states, f->depth_capacity * f->machine.words * sizeof *f->states);
  }
  return f->states + depth * f->machine.words;
}

static bool offer(front *f, uint32_t thread) {
  operation o = machine_next(&f->machine, state_at(f, f->steps), thread);
  if (o.kind == OPERATION_WAITING) return true;
  unf_operation op = bridge_operation(&f->bridge, &o);
  unf_status s = unf_explorer_offer(f->explorer, f->bridge.threads[thread], &op);
  return s == UNF_OK || bridge_fail(&f->bridge, f->report, "unf_explorer_offer", s);
}

static bool one_step(front *f, const unf_action *chosen) {
  action a;
  if (!bridge_read(&f->bridge, chosen, &a)) return report_fail(f->report, "a strange action");
  state_at(f, f->steps + 1);
  memcpy(state_at(f, f->steps + 1), state_at(f, f->steps), f->machine.words * sizeof *f->states);
  f->steps++;
  if (!machine_perform(&f->machine, state_at(f, f->steps), &a)) {
    return report_fail(f->report, "run-time error: %s", f->machine.text);
  }
  unf_status s = unf_explorer_commit(f->explorer, NULL, 0);
  if (s != UNF_OK) return bridge_fail(&f->bridge, f->report, "unf_explorer_commit", s);
  return offer(f, a.thread) && (a.kind != ACTION_SPAWN || offer(f, a.target));
}

static bool one_run(front *f, const unf_run *run) {
  unf_status s = run->shared > 0 ? unf_explorer_resume(f->explorer, run->shared) : UNF_OK;
  f->steps = (uint32_t)run->shared;
  for (uint32_t t = 0; t < f->bridge.program->thread_count && f->steps == 0; t++) {
    if (!offer(f, t)) return false;
  }
  unf_step step = {UNF_STEP_ACTION, 0, {UNF_DID_LOCAL, 0, 0, 0, 0}};
  while (s == UNF_OK && step.kind == UNF_STEP_ACTION) {
    s = unf_explorer_step(f->explorer, &step);
    if (s == UNF_OK && step.kind == UNF_STEP_ACTION && !one_step(f, &step.action)) return false;
  }
  if (s == UNF_OK) s = unf_explorer_finish(f->explorer, false, NULL);
  return s == UNF_OK || bridge_fail(&f->bridge, f->report, "a run", s);
}

static bool explore(front *f, const row *r) {
  unf_explorer_options options = UNF_EXPLORER_OPTIONS_INIT;
  options.algorithm = strcmp(r->algorithm, "sdpor") == 0   ? UNF_SDPOR
                      : strcmp(r->algorithm, "dfs") == 0   ? UNF_DFS
                      : strcmp(r->algorithm, "odpor") == 0 ? UNF_ODPOR
                                                           : UNF_QPOR;
  options.alternative.k =
      strcmp(r->k, "optimal") == 0 ? UNF_K_OPTIMAL : (uint32_t)strtoul(r->k, NULL, 10);
  unf_status s = unf_explorer_new(f->bridge.unfolding, &options, &f->explorer);
  if (s != UNF_OK) return bridge_fail(&f->bridge, f->report, "unf_explorer_new", s);
  if (!machine_start(&f->machine, state_at(f, 0))) return report_fail(f->report, "run-time error");
  for (;;) {
    unf_run run;
    s = unf_explorer_next(f->explorer, &run);
    if (s != UNF_OK) return bridge_fail(&f->bridge, f->report, "unf_explorer_next", s);
    if (run.finished) return true;
    if (!one_run(f, &run)) return false;
  }
}

/* Counts a row anew; false with a report if that is not possible. */
static bool count_row(const row *r, row *seen, report *out) {
  char error[ORACLE_ERROR_MAX];
  front f = {.report = out};
  char *text = family_text(r->family, r->first, r->second);
  if (text == NULL) return report_fail(out, "unknown family");
  const program_options options = {-1, strstr(text, "// commuting") != NULL};
  program *p = program_read(text, &options, error);
  free(text);
  if (p == NULL) return report_fail(out, "%s", error);
  uint32_t *order = oracle_allocate(p->thread_count * sizeof *order);
  for (uint32_t i = 0; i < p->thread_count; i++) {
    order[i] = i;
  }
  machine_init(&f.machine, p);
  bool good = bridge_open(&f.bridge, p, NULL, order, 8, out) && explore(&f, r);
  *seen = *r;
  if (good) {
    unf_counts counts;
    unf_explorer_counts(f.explorer, &counts);
    seen->traces = counts.traces;
    seen->redundant = counts.redundant;
    seen->events = counts.events;
  }
  unf_explorer_free(f.explorer);
  bridge_close(&f.bridge);
  program_free(p);
  free(order);
  free(f.states);
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
  if (seen.traces == r->traces && seen.redundant == r->redundant && seen.events == r->events) {
    return true;
  }
  printf("FAILED, expected and seen:\n");
  print_row(stdout, r);
  print_row(stdout, &seen);
  return false;
}

int main(int argc, char **argv) {
  unsigned passed = 0, failed = 0;
  bool campaign = false;
  FILE *write = NULL;
  for (int i = 2; i + 1 < argc; i += 2) {
    if (strcmp(argv[i], "--campaign") == 0) campaign = strcmp(argv[i + 1], "yes") == 0;
    if (strcmp(argv[i], "--write") == 0) write = fopen(argv[i + 1], "w");
  }
  FILE *table = argc > 1 ? fopen(argv[1], "r") : NULL;
  if (table == NULL) {
    fputs("usage: golden COUNTS [--campaign yes] [--write FILE]\n", stderr);
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
    if (skipped || (!campaign && r.traces > ORDINARY_TRACES)) {
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
