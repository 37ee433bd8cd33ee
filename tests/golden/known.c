/*
 * Counts known from elsewhere, in every order of the threads: the rows of known.csv, which are
 * programs of the literature and of examples/model/families, and the small programs of
 * tests/oracle/reference.c. Each is explored by qpor, odpor and eager, and must have the same
 * complete and blocked executions in each order, none of them redundant, and the same events.
 *
 *   known KNOWN FOLDER [--campaign yes] [--only NAME]
 *
 * A line says in how many orders; those that differ only in threads that are alike count once. What
 * would take too long is done in the first order, the last and some drawn ones, and with eager, and
 * qpor where there are most executions, in the first, except in a campaign.
 */
#include "front.h"
#include "orders.h"
#include "reference.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Executions that all orders of a row may take together: with more, orders are drawn. */
#define ORDINARY UINT64_C(4000)
#define CAMPAIGN UINT64_C(60000000)
/* Executions that a program may have of which eager, or qpor, explores more than the first order.
 */
#define EAGER       UINT64_C(500)
#define QPOR        UINT64_C(10000)
#define ALGORITHMS  3
#define NOT_COUNTED UINT64_MAX

typedef struct row {
  char name[64];
  int64_t bound;
  bool commuting;
  uint64_t maximal, blocked, events;
} row;

static unsigned passed, failed;
static bool campaign;
static const char *only;

static bool check_counts(const row *r, const unf_counts *c, uint64_t *events, report *out) {
  if (*events == NOT_COUNTED) *events = c->events;
  if (c->traces == r->maximal && (r->blocked == NOT_COUNTED || c->blocked == r->blocked) &&
      c->redundant == 0 && c->events == *events) {
    return true;
  }
  return report_fail(
      out, "%" PRIu64 " executions, %" PRIu64 " blocked, %" PRIu64 " redundant, %" PRIu64 " events",
      c->traces, c->blocked, c->redundant, c->events);
}

/* One order, with the first so many algorithms; all have the same events. */
static bool check_order(const row *r, const program *p, const orders *o, size_t count,
                        uint64_t *events, report *out) {
  static const unf_algorithm algorithms[ALGORITHMS] = {UNF_ODPOR, UNF_QPOR, UNF_EAGER};
  for (size_t i = 0; i < count; i++) {
    unf_explorer_options options = UNF_EXPLORER_OPTIONS_INIT;
    unf_counts counts;
    options.algorithm = algorithms[i];
    if (!front_count(p, o->place, &options, &counts, out) ||
        !check_counts(r, &counts, events, out)) {
      printf("FAILED %s, %s, with the threads at", r->name, unf_algorithm_text(algorithms[i]));
      for (uint32_t t = 0; t < o->threads; t++) {
        printf(" %" PRIu32, o->place[t]);
      }
      printf(": %s\n", out->text);
      return false;
    }
  }
  return true;
}

static bool check_orders(const row *r, const program *p) {
  orders o;
  report out = {{0}};
  uint64_t done = 1, state = 1, events = r->events;
  uint64_t most = (campaign ? CAMPAIGN : ORDINARY) / (2 * r->maximal) + 2;
  size_t algorithms = campaign || r->maximal <= EAGER ? ALGORITHMS : r->maximal <= QPOR ? 2 : 1;
  orders_begin(&o, p);
  bool good = check_order(r, p, &o, ALGORITHMS, &events, &out);
  if (o.count <= most) {
    for (; good && orders_next(&o); done++) {
      good = check_order(r, p, &o, algorithms, &events, &out);
    }
  } else {
    orders_reverse(&o);
    for (; good && done < most && done < 100; done++) {
      good = check_order(r, p, &o, algorithms, &events, &out);
      orders_draw(&o, &state);
    }
  }
  printf("%-46s %8" PRIu64, r->name, r->maximal);
  if (r->blocked != NOT_COUNTED) printf(", %" PRIu64 " blocked", r->blocked);
  if (o.count == NOT_COUNTED) {
    printf("; %" PRIu64 " orders of more than can be counted\n", done);
  } else {
    printf("; %" PRIu64 " of %" PRIu64 " orders\n", done, o.count);
  }
  orders_free(&o);
  return good;
}

static void check_row(const row *r, const char *text) {
  char error[ORACLE_ERROR_MAX];
  const program_options options = {.bound = r->bound, .commuting = r->commuting};
  if (only != NULL && strstr(r->name, only) == NULL) return;
  program *p = program_read(text, &options, error);
  if (p == NULL) printf("FAILED %s: %s\n", r->name, error);
  if (p != NULL && check_orders(r, p)) {
    passed++;
  } else {
    failed++;
  }
  program_free(p);
}

static void check_references(void) {
  for (size_t i = 0; i < reference_count; i++) {
    const reference_program *q = &reference_programs[i];
    const reference_counts *c = &q->counts;
    row r = {.bound = q->bound, .commuting = q->commuting, .maximal = c->maximal};
    r.blocked = c->blocked == REFERENCE_UNTOLD ? NOT_COUNTED : c->blocked;
    r.events = c->events == REFERENCE_UNTOLD ? NOT_COUNTED : c->events;
    snprintf(r.name, sizeof r.name, "%s", q->name);
    check_row(&r, q->text);
  }
}

static char *read_text(const char *folder, const char *name) {
  char path[1024];
  snprintf(path, sizeof path, "%s/%s.unf", folder, name);
  FILE *f = fopen(path, "r");
  if (f == NULL) return NULL;
  size_t length = 0, room = 1 << 16;
  char *text = oracle_allocate(room);
  length = fread(text, 1, room - 1, f);
  text[length] = '\0';
  fclose(f);
  return text;
}

static bool read_row(const char *line, row *r) {
  char bound[16], events[24];
  int commuting;
  uint64_t complete;
  if (sscanf(line, "%63[^,],%15[^,],%d,%" SCNu64 ",%" SCNu64 ",%23[^,]", r->name, bound, &commuting,
             &complete, &r->blocked, events) != 6) {
    return false;
  }
  r->bound = strcmp(bound, "-") == 0 ? -1 : strtoll(bound, NULL, 10);
  r->events = strcmp(events, "-") == 0 ? NOT_COUNTED : strtoull(events, NULL, 10);
  r->commuting = commuting != 0;
  r->maximal = complete + r->blocked;
  return true;
}

static void check_table(FILE *table, const char *folder) {
  char line[256];
  while (fgets(line, sizeof line, table) != NULL) {
    row r;
    if (line[0] == '#' || strncmp(line, "program,", 8) == 0) continue;
    char *text = read_row(line, &r) ? read_text(folder, r.name) : NULL;
    if (text == NULL) {
      printf("FAILED: malformed row, or no such program: %s", line);
      failed++;
    } else {
      check_row(&r, text);
    }
    free(text);
  }
}

int main(int argc, char **argv) {
  for (int i = 3; i + 1 < argc; i += 2) {
    if (strcmp(argv[i], "--campaign") == 0) campaign = strcmp(argv[i + 1], "yes") == 0;
    if (strcmp(argv[i], "--only") == 0) only = argv[i + 1];
  }
  FILE *table = argc > 2 ? fopen(argv[1], "r") : NULL;
  if (table == NULL) {
    fputs("usage: known KNOWN FOLDER [--campaign yes] [--only NAME]\n", stderr);
    return 2;
  }
  check_table(table, argv[2]);
  fclose(table);
  check_references();
  printf("%u passed, %u failed\n", passed, failed);
  return failed == 0 ? 0 : 1;
}
