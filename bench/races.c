/*
 * unfold-bench-races THREADS: nanoseconds of the race detector for each access, medians of several
 * rounds, as one line of JSON. Threads take turns under a mutex and touch words:
 *
 *   repeated   one word again and again, between two events
 *   own        1000 words that no other thread touches
 *   shared     1000 words that all threads write, in order
 *   read       1000 words that all threads read
 *   restart    the accesses of `shared` again, after the detector began anew
 */
#include <stdio.h>
#include <stdlib.h>
#include <unfold/unfold.h>

#include "clock.h"

enum { MOST_THREADS = 64, WORDS = 1000, TURNS = 40, ROUNDS = 7 };

struct subject {
  unf_context *context;
  unf_unfolding *unfolding;
  unf_configuration *configuration;
  unf_races *races;
  unf_thread threads[MOST_THREADS];
  unf_object mutex;
  unsigned count;
};

static void check(unf_status status) {
  if (status == UNF_OK) return;
  fprintf(stderr, "%s\n", unf_status_text(status));
  exit(3);
}

static void open_subject(struct subject *s, unsigned threads) {
  s->count = threads;
  check(unf_context_new(NULL, &s->context));
  check(unf_unfolding_new(s->context, NULL, &s->unfolding));
  for (uint32_t i = 0; i < threads; i++) {
    check(unf_thread_name(s->unfolding, UNF_THREAD_NONE, i, &s->threads[i]));
    check(unf_thread_start(s->unfolding, s->threads[i]));
  }
  check(unf_object_name(s->unfolding, UNF_MUTEX, UNF_THREAD_NONE, 0, &s->mutex));
  check(unf_configuration_new(s->unfolding, &s->configuration));
  check(unf_races_new(s->unfolding, NULL, &s->races));
}

static void close_subject(struct subject *s) {
  unf_races_free(s->races);
  unf_configuration_free(s->configuration);
  unf_unfolding_free(s->unfolding);
  unf_context_free(s->context);
}

static void begin(struct subject *s) {
  uint64_t resumed = 0;
  bool watched;
  unf_configuration_clear(s->configuration);
  check(unf_races_begin(s->races, 0, &resumed, &watched));
}

static void step(struct subject *s, unf_action_kind kind, unf_thread thread) {
  unf_action action = {.kind = kind, .thread = thread, .target = s->mutex};
  unf_event event;
  check(unf_configuration_perform(s->configuration, &action, &event));
  check(unf_races_step(s->races, event));
}

enum pattern { REPEATED, OWN, SHARED, READ, RESTART, PATTERNS };

static void turn(struct subject *s, enum pattern pattern, unsigned number) {
  unsigned t = number % s->count;
  uint64_t base = pattern == OWN ? (uint64_t)t * WORDS : 0;
  for (unsigned i = 0; i < WORDS; i++) {
    uint64_t word = pattern == REPEATED ? t : base + i;
    unf_access access = {s->threads[t], pattern != READ, 4096 + 8 * word, 8, i % 3};
    if (pattern == REPEATED) access.place = 0;
    check(unf_races_access(s->races, &access));
  }
}

/* Nanoseconds for an access. */
static double measure(struct subject *s, enum pattern pattern) {
  double seconds = 0;
  unsigned turns = TURNS * s->count;
  begin(s);
  if (pattern == RESTART) begin(s);
  for (unsigned i = 0; i < turns; i++) {
    step(s, UNF_DID_ACQUIRE, s->threads[i % s->count]);
    double start = processor_time();
    turn(s, pattern, i);
    seconds += processor_time() - start;
    step(s, UNF_DID_RELEASE, s->threads[i % s->count]);
  }
  return 1e9 * seconds / (turns * (double)WORDS);
}

static int compare(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

int main(int argc, char **argv) {
  static const char *const names[] = {"repeated", "own", "shared", "read", "restart"};
  unsigned threads = argc > 1 ? (unsigned)atoi(argv[1]) : 0;
  if (threads < 2 || threads > MOST_THREADS) {
    fprintf(stderr, "usage: %s THREADS\n", argv[0]);
    return 2;
  }
  printf("{\"threads\": %u", threads);
  for (int p = 0; p < PATTERNS; p++) {
    double times[ROUNDS];
    unf_races_counts counts;
    struct subject s;
    open_subject(&s, threads);
    for (int r = 0; r < ROUNDS; r++)
      times[r] = measure(&s, (enum pattern)p);
    unf_races_counts_get(s.races, &counts);
    if (counts.races != 0) check(UNF_INVALID);
    qsort(times, ROUNDS, sizeof *times, compare);
    printf(", \"%s_ns\": %.1f", names[p], times[ROUNDS / 2]);
    close_subject(&s);
  }
  printf("}\n");
  return 0;
}
