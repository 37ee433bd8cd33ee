/*
 * unfold-bench-cutoffs: what cutoffs cost, one line of JSON. An update of a fingerprint replaces
 * one fragment, that is two hashes. A check is unf_cutoffs_add() with an event of the relation
 * workload (8 workers, 10 rounds), where the state is how far each thread is and who holds what; as
 * in an exploration, no event after a cutoff is added.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "workload.h"

enum { UPDATES = 400000, WORKERS = 8, ROUNDS = 10 };

static double update_ns(unf_hash hash, size_t size) {
  uint64_t from[8] = {0}, to[8] = {0};
  unf_fingerprint f = UNF_FINGERPRINT_INIT;
  double begin = processor_time();
  for (uint64_t i = 0; i < UPDATES; i++) {
    from[0] = i;
    to[0] = i + 1;
    if (unf_fingerprint_replace(hash, &f, i & 63, from, to, size) != UNF_OK) return -1;
  }
  return 1e9 * (processor_time() - begin) / UPDATES;
}

struct checks {
  double seconds;
  uint64_t count;
  unf_cutoff_counts counts;
};

/* The changes of one execution, event by event. */
static void changes_of(const struct workload *load, unsigned schedule, unf_fingerprint *changes) {
  uint32_t steps[WORKERS + 1] = {0};
  uint32_t holders[MUTEXES] = {0};
  for (size_t i = load->first[schedule]; i < load->first[schedule + 1]; i++, changes++) {
    const unf_action *a = &load->actions[i];
    uint32_t before = steps[a->thread]++;
    memset(changes, 0, sizeof *changes);
    unf_fingerprint_replace(UNF_HASH_FAST, changes, a->thread, &before, &steps[a->thread],
                            sizeof before);
    if (a->kind != UNF_DID_ACQUIRE && a->kind != UNF_DID_RELEASE) continue;
    uint32_t holder = a->kind == UNF_DID_ACQUIRE ? a->thread + 1 : 0;
    unf_fingerprint_replace(UNF_HASH_FAST, changes, 1000 + a->target, &holders[a->target], &holder,
                            sizeof holder);
    holders[a->target] = holder;
  }
}

/* Adds the events of one execution that are not after a cutoff. */
static unf_status add_kept(unf_cutoffs *cutoffs, const unf_event *events,
                           const unf_fingerprint *changes, size_t count, struct checks *checks) {
  for (size_t i = 0; i < count; i++) {
    unf_cutoff_verdict verdict;
    unf_status status = unf_cutoffs_verdict(cutoffs, events[i], &verdict);
    if (status != UNF_OK) return status;
    if (verdict == UNF_CUTOFF_AFTER) continue;
    double begin = processor_time();
    status = unf_cutoffs_add(cutoffs, events[i], &changes[i], NULL);
    if (status == UNF_MISSING) continue; /* a cause is after a cutoff, and was not added */
    if (status != UNF_OK) return status;
    if (verdict != UNF_CUTOFF_UNKNOWN) continue;
    checks->seconds += processor_time() - begin;
    checks->count++;
  }
  return UNF_OK;
}

static double clock_ns(void) {
  double begin = processor_time();
  for (int i = 0; i < 100000; i++)
    processor_time();
  return 1e4 * (processor_time() - begin);
}

static unf_status check(const struct workload *load, unf_cutoff_order order,
                        struct checks *checks) {
  size_t most = load->first[SCHEDULES];
  unf_context *context = NULL;
  unf_unfolding *u = NULL;
  unf_configuration *c = NULL;
  unf_cutoffs *cutoffs = NULL;
  unf_event *events = calloc(most, sizeof *events);
  unf_fingerprint *changes = calloc(most, sizeof *changes);
  unf_status status = events != NULL && changes != NULL ? UNF_OK : UNF_MEMORY;
  if (status == UNF_OK) status = unf_context_new(NULL, &context);
  if (status == UNF_OK) status = unf_unfolding_new(context, NULL, &u);
  if (status == UNF_OK) status = workload_name(load, u);
  if (status == UNF_OK) status = unf_configuration_new(u, &c);
  if (status == UNF_OK) status = unf_cutoffs_new(u, order, &cutoffs);
  for (unsigned s = 0; status == UNF_OK && s < SCHEDULES; s++) {
    size_t first = load->first[s];
    changes_of(load, s, changes);
    status = workload_perform(load, s, false, c, events);
    if (status == UNF_OK)
      status = add_kept(cutoffs, events + first, changes, load->first[s + 1] - first, checks);
  }
  if (status == UNF_OK) unf_cutoffs_counts(cutoffs, &checks->counts);
  unf_cutoffs_free(cutoffs);
  unf_configuration_free(c);
  unf_unfolding_free(u);
  unf_context_free(context);
  free(events);
  free(changes);
  return status;
}

int main(void) {
  struct workload load;
  struct checks size = {0}, erv = {0};
  if (!workload_make(&load, WORKERS, ROUNDS, false)) return 3;
  if (check(&load, UNF_CUTOFFS_SIZE, &size) != UNF_OK) return 3;
  if (check(&load, UNF_CUTOFFS_ERV, &erv) != UNF_OK) return 3;
  double clock = clock_ns();
  printf("{\"benchmark\": \"cutoffs\", \"fast_8_ns\": %.1f, \"fast_64_ns\": %.1f, "
         "\"strong_8_ns\": %.1f, \"strong_64_ns\": %.1f, \"size_check_ns\": %.1f, "
         "\"erv_check_ns\": %.1f, \"size_checks\": %llu, \"erv_checks\": %llu, "
         "\"erv_kept\": %llu, \"erv_cutoffs\": %llu, \"erv_after\": %llu}\n",
         update_ns(UNF_HASH_FAST, 8), update_ns(UNF_HASH_FAST, 64), update_ns(UNF_HASH_STRONG, 8),
         update_ns(UNF_HASH_STRONG, 64), 1e9 * size.seconds / (double)size.count - clock,
         1e9 * erv.seconds / (double)erv.count - clock, (unsigned long long)size.count,
         (unsigned long long)erv.count, (unsigned long long)erv.counts.kept,
         (unsigned long long)erv.counts.cutoffs, (unsigned long long)erv.counts.after);
  workload_free(&load);
  return 0;
}
