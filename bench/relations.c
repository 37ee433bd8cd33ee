/*
 * unfold-bench-relations WORKERS [SKIP_STEP [ROUNDS]]: interning, causality, conflict, memory and
 * conflicting extensions on the workload, and all but the last by the textbook implementation of
 * reference.c too, in turn; one line of JSON. Times are medians of several rounds within the
 * process, in nanoseconds; bytes are those that jemalloc says are allocated. Both must give the
 * same events and answers.
 */
#include <jemalloc/jemalloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "reference.h"
#include "workload.h"

/* The reference is asked a part of the queries, because its scans take long. */
enum { MOST_ROUNDS = 5, MOST_QUERIES = 1000000, PART = 20 };

/* Less of both under a profiler. */
static int rounds = MOST_ROUNDS, queries = MOST_QUERIES;

static double nanoseconds_since(double start) {
  return 1e9 * (processor_time() - start);
}

static int compare(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double median(double *values, int count) {
  qsort(values, (size_t)count, sizeof *values, compare);
  return values[count / 2];
}

static size_t allocated(void) {
  uint64_t epoch = 1;
  size_t bytes = 0, size = sizeof epoch;
  mallctl("epoch", &epoch, &size, &epoch, size);
  size = sizeof bytes;
  mallctl("stats.allocated", &bytes, &size, NULL, 0);
  return bytes;
}

static unf_event *events_room(size_t count) {
  unf_event *events = malloc(count * sizeof *events);
  if (events == NULL) {
    fprintf(stderr, "out of memory\n");
    exit(3);
  }
  return events;
}

/* An unfolding with all that belongs to it. */
struct subject {
  unf_context *context;
  unf_unfolding *unfolding;
  unf_configuration *configuration;
};

static void check(unf_status status, const unf_context *context) {
  if (status == UNF_OK) return;
  fprintf(stderr, "%s\n",
          context != NULL ? unf_context_detail(context)->text : unf_status_text(status));
  exit(3);
}

static struct subject begin(const struct workload *load, uint32_t skip_step) {
  struct subject s;
  unf_unfolding_options options = UNF_UNFOLDING_OPTIONS_INIT;
  options.skip_step = skip_step;
  check(unf_context_new(NULL, &s.context), NULL);
  check(unf_unfolding_new(s.context, &options, &s.unfolding), s.context);
  check(workload_name(load, s.unfolding), s.context);
  check(unf_configuration_new(s.unfolding, &s.configuration), s.context);
  return s;
}

static void end(struct subject *s) {
  unf_configuration_free(s->configuration);
  unf_unfolding_free(s->unfolding);
  unf_context_free(s->context);
}

static double perform_all(const struct workload *load, struct subject *s, bool offering,
                          unf_event *events) {
  double start = processor_time();
  for (unsigned i = 0; i < SCHEDULES; i++)
    check(workload_perform(load, i, offering, s->configuration, events), s->context);
  return nanoseconds_since(start);
}

/* Of the library and of the reference. */
struct figures {
  double fresh, known, causality, conflict_random, conflict_execution, bytes;
};

struct result {
  struct figures library, reference;
  double extension;
  uint32_t events;
  uint64_t steps, extensions, extensions_local;
};

static void differ(const char *what) {
  fprintf(stderr, "%s: the reference differs from the library\n", what);
  exit(4);
}

static double perform_reference(const struct workload *load, struct reference *r,
                                const unf_event *events) {
  double start = processor_time();
  bool same = true;
  for (unsigned i = 0; i < SCHEDULES; i++) {
    reference_clear(r);
    for (size_t j = load->first[i]; j < load->first[i + 1]; j++)
      same &= reference_perform(r, &load->actions[j]) == events[j];
  }
  double nanoseconds = nanoseconds_since(start);
  if (!same) differ("interning");
  return nanoseconds;
}

typedef unf_status (*relation)(const unf_unfolding *, unf_event, unf_event, bool *);
typedef bool (*reference_relation)(const struct reference *, uint32_t, uint32_t);

/* Both in turn. */
static void ask(const struct subject *s, const struct reference *r, const unf_event *pairs,
                relation query, reference_relation reference, double out[2]) {
  double times[MOST_ROUNDS] = {0}, reference_times[MOST_ROUNDS] = {0};
  bool answer;
  for (int round = 0; round < rounds; round++) {
    double start = processor_time();
    for (int i = 0; i < queries; i++)
      check(query(s->unfolding, pairs[2 * i], pairs[2 * i + 1], &answer), s->context);
    times[round] = nanoseconds_since(start) / queries;
    uint64_t yes = 0, expected = 0;
    start = processor_time();
    for (int i = 0; i < queries / PART; i++)
      yes += reference(r, pairs[2 * i], pairs[2 * i + 1]);
    reference_times[round] = nanoseconds_since(start) / (queries / PART);
    for (int i = 0; i < queries / PART; i++) {
      check(query(s->unfolding, pairs[2 * i], pairs[2 * i + 1], &answer), s->context);
      expected += answer;
      if (round == 0 && answer != reference(r, pairs[2 * i], pairs[2 * i + 1]))
        differ("a relation");
    }
    if (yes != expected) differ("a relation");
  }
  out[0] = median(times, rounds);
  out[1] = median(reference_times, rounds);
}

static void relations(const struct workload *load, const struct subject *s,
                      const struct reference *r, const unf_event *events, struct result *f) {
  unf_event *pairs = events_room(2 * (size_t)queries);
  uint64_t seed = 42;
  double causality[2], random[2], execution[2];
  for (int i = 0; i < 2 * queries; i++)
    pairs[i] = 1 + (unf_event)(splitmix64(&seed) % f->events);
  ask(s, r, pairs, unf_event_precedes, reference_precedes, causality);
  ask(s, r, pairs, unf_event_conflicts, reference_conflicts, random);
  for (int i = 0; i < queries; i++) {
    size_t e = splitmix64(&seed) % SCHEDULES, length = load->first[e + 1] - load->first[e];
    pairs[2 * i] = events[load->first[e] + splitmix64(&seed) % length];
    pairs[2 * i + 1] = events[load->first[e] + splitmix64(&seed) % length];
  }
  ask(s, r, pairs, unf_event_conflicts, reference_conflicts, execution);
  free(pairs);
  struct figures *both[2] = {&f->library, &f->reference};
  for (int i = 0; i < 2; i++) {
    both[i]->causality = causality[i];
    both[i]->conflict_random = random[i];
    both[i]->conflict_execution = execution[i];
  }
}

/* The steps of the first round that found their event are paid at the price of the second. */
static void per_event(const struct result *f, double first, double again, double *fresh,
                      double *known) {
  *known = again / (double)f->steps;
  *fresh = (first - *known * (double)(f->steps - f->events)) / f->events;
}

static void interning(const struct workload *load, uint32_t skip_step, struct result *f) {
  double fresh[2][MOST_ROUNDS] = {{0}}, known[2][MOST_ROUNDS] = {{0}};
  unf_event *events = events_room(load->first[SCHEDULES]);
  f->steps = load->first[SCHEDULES];
  for (int i = 0; i < rounds; i++) {
    size_t before = allocated();
    struct subject s = begin(load, skip_step);
    double first = perform_all(load, &s, false, events);
    f->events = unf_unfolding_events(s.unfolding);
    size_t between = allocated();
    f->library.bytes = (double)(between - before) / f->events;
    struct reference *r = reference_new(load->workers + 1, MUTEXES);
    if (r == NULL) {
      fputs("no memory for the reference\n", stderr);
      exit(3);
    }
    double reference_first = perform_reference(load, r, events);
    f->reference.bytes = (double)(allocated() - between) / f->events;
    if (reference_events(r) != f->events) differ("the number of events");
    per_event(f, first, perform_all(load, &s, false, events), &fresh[0][i], &known[0][i]);
    per_event(f, reference_first, perform_reference(load, r, events), &fresh[1][i], &known[1][i]);
    if (i == rounds - 1) relations(load, &s, r, events, f);
    reference_free(r);
    end(&s);
  }
  f->library.fresh = median(fresh[0], rounds);
  f->library.known = median(known[0], rounds);
  f->reference.fresh = median(fresh[1], rounds);
  f->reference.known = median(known[1], rounds);
  free(events);
}

static bool count(void *user, unf_event event) {
  (void)event;
  ++*(uint64_t *)user;
  return true;
}

/* cex of each maximal configuration; the time is that of the extensions alone. */
static uint64_t extensions(const struct workload *load, uint32_t skip_step, double *nanoseconds) {
  struct subject s = begin(load, skip_step);
  uint64_t found = 0;
  *nanoseconds = 0;
  for (unsigned i = 0; i < SCHEDULES; i++) {
    check(workload_perform(load, i, true, s.configuration, NULL), s.context);
    double start = processor_time();
    check(unf_extensions_conflicting(s.configuration, count, &found), s.context);
    *nanoseconds += nanoseconds_since(start);
  }
  end(&s);
  return found;
}

static void print(const char *whose, const struct figures *f) {
  printf("\"%sfresh_ns\": %.1f, \"%sknown_ns\": %.1f, \"%scausality_ns\": %.1f, "
         "\"%sconflict_random_ns\": %.1f, \"%sconflict_execution_ns\": %.1f, "
         "\"%sbytes_per_event\": %.1f, ",
         whose, f->fresh, whose, f->known, whose, f->causality, whose, f->conflict_random, whose,
         f->conflict_execution, whose, f->bytes);
}

int main(int argc, char **argv) {
  unsigned workers = argc > 1 ? (unsigned)atoi(argv[1]) : 0;
  uint32_t skip_step = argc > 2 ? (uint32_t)atoi(argv[2]) : 8;
  if (argc > 3) rounds = atoi(argv[3]);
  if (workers < 1 || workers > MOST_WORKERS || rounds < 1 || rounds > MOST_ROUNDS) {
    fprintf(stderr, "usage: %s WORKERS [SKIP_STEP [ROUNDS(1-%d)]]\n", argv[0], MOST_ROUNDS);
    return 2;
  }
  queries = MOST_QUERIES / MOST_ROUNDS * rounds;
  struct result f = {.events = 0};
  struct workload load;
  double nanoseconds, times[MOST_ROUNDS] = {0};
  if (!workload_make(&load, workers, 25, false)) check(UNF_MEMORY, NULL);
  interning(&load, skip_step, &f);
  workload_free(&load);
  if (!workload_make(&load, workers, 10, false)) check(UNF_MEMORY, NULL);
  f.extensions = extensions(&load, skip_step, &nanoseconds);
  workload_free(&load);
  if (!workload_make(&load, workers, 10, true)) check(UNF_MEMORY, NULL);
  for (int r = 0; r < rounds; r++) {
    f.extensions_local = extensions(&load, skip_step, &nanoseconds);
    times[r] = nanoseconds / (double)f.extensions_local;
  }
  workload_free(&load);
  f.extension = median(times, rounds);
  printf("{\"workers\": %u, \"skip_step\": %u, \"events\": %u, \"steps\": %llu, ", workers,
         skip_step, f.events, (unsigned long long)f.steps);
  print("", &f.library);
  print("reference_", &f.reference);
  printf("\"extensions\": %llu, \"extensions_with_locals\": %llu, \"extension_ns\": %.1f}\n",
         (unsigned long long)f.extensions, (unsigned long long)f.extensions_local, f.extension);
  return 0;
}
