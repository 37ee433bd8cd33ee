/*
 * unfold-bench-wakeup parts THREADS STEPS | FAMILY N odpor|eager: one line of JSON.
 *
 * parts: races, reversals, weak initials and insertions of one execution of threads that store to
 * and load from few locations, by the public functions, in ns each.
 *
 * FAMILY: what waits for later runs at its peak, on programs where wakeup trees grow. writers: N
 * threads store to one location; pairs: two of N threads each store to a location of their own,
 * which another thread reads; ladder: thread i stores to locations i and i + 1; tries: N threads
 * try a mutex, and give it back. Events are freed (unf_explorer_options.collect), so that the bytes
 * that the library had at most are what the mode needs.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unfold/unfold.h>

#include "clock.h"

enum { MOST = 64, STEPS = 64, LOCATIONS = 5 };

static void must(unf_status status, const char *call) {
  if (status == UNF_OK) return;
  fprintf(stderr, "%s: %s\n", call, unf_status_text(status));
  exit(3);
}
#define MUST(call) must((call), #call)

static struct {
  uint32_t threads, length[MOST];
  unf_operation code[MOST][STEPS];
} program;

struct memory {
  size_t now, most;
};

static void *reallocate(void *user, void *block, size_t old_size, size_t new_size) {
  struct memory *m = user;
  void *result = NULL;
  if (new_size > 0)
    result = realloc(block, new_size);
  else
    free(block);
  if (new_size > 0 && result == NULL) return NULL;
  m->now += new_size - old_size;
  if (m->now > m->most) m->most = m->now;
  return result;
}

static void add(uint32_t thread, unf_operation operation) {
  if (thread >= program.threads) program.threads = thread + 1;
  program.code[thread][program.length[thread]++] = operation;
}

static unf_operation next_of(uint32_t thread, uint32_t pc) {
  return pc < program.length[thread] ? program.code[thread][pc] : UNF_OP_EXIT();
}

static uint32_t location(unf_unfolding *u, uint32_t number) {
  unf_object object;
  MUST(unf_object_name(u, UNF_LOCATION, UNF_THREAD_NONE, number, &object));
  return object;
}

static bool write_family(unf_unfolding *u, const char *family, uint32_t n) {
  unf_object mutex;
  MUST(unf_object_name(u, UNF_MUTEX, UNF_THREAD_NONE, 0, &mutex));
  for (uint32_t i = 0; i < n; i++) {
    if (strcmp(family, "writers") == 0) {
      add(i, UNF_OP_STORE(location(u, 0), i));
    } else if (strcmp(family, "pairs") == 0) {
      add(2 * i, UNF_OP_STORE(location(u, i), 1));
      add(2 * i + 1, UNF_OP_STORE(location(u, i), 2));
      add(2 * n, UNF_OP_LOAD(location(u, i)));
    } else if (strcmp(family, "ladder") == 0) {
      add(i, UNF_OP_STORE(location(u, i), 1));
      add(i, UNF_OP_STORE(location(u, i + 1), 1));
    } else if (strcmp(family, "tries") == 0) {
      add(i, UNF_OP_TRYLOCK(mutex));
      add(i, UNF_OP_UNLOCK(mutex));
    } else {
      return false;
    }
  }
  return true;
}

static void name_threads(unf_unfolding *u) {
  unf_thread thread;
  for (uint32_t t = 0; t < program.threads; t++) {
    MUST(unf_thread_name(u, UNF_THREAD_NONE, t, &thread));
    MUST(unf_thread_start(u, thread));
  }
}

/* A failed try leaves out the next step. */
static void explore(unf_explorer *x) {
  unf_run run;
  for (MUST(unf_explorer_next(x, &run)); !run.finished; MUST(unf_explorer_next(x, &run))) {
    uint32_t pc[MOST] = {0};
    unf_step step;
    for (uint32_t t = 0; t < program.threads; t++) {
      unf_operation o = next_of(t, 0);
      MUST(unf_explorer_offer(x, t, &o));
    }
    for (MUST(unf_explorer_step(x, &step)); step.kind == UNF_STEP_ACTION;
         MUST(unf_explorer_step(x, &step))) {
      uint32_t t = step.action.thread;
      MUST(unf_explorer_commit(x, NULL, 0));
      pc[t] += step.action.kind == UNF_DID_TRYFAIL ? 2 : 1;
      unf_operation o = next_of(t, pc[t]);
      MUST(unf_explorer_offer(x, t, &o));
    }
    MUST(unf_explorer_finish(x, false, NULL));
  }
}

static int waiting(const char *family, uint32_t n, const char *algorithm) {
  struct memory memory = {0, 0};
  unf_context_options settings = UNF_CONTEXT_OPTIONS_INIT;
  unf_explorer_options options = UNF_EXPLORER_OPTIONS_INIT;
  unf_context *context;
  unf_unfolding *u;
  unf_explorer *x;
  unf_counts c;
  settings.allocator.reallocate = reallocate;
  settings.allocator.user = &memory;
  MUST(unf_context_new(&settings, &context));
  MUST(unf_unfolding_new(context, NULL, &u));
  if (!write_family(u, family, n)) return 2;
  name_threads(u);
  MUST(unf_algorithm_from_text(algorithm, &options.algorithm));
  options.collect = 4096;
  MUST(unf_explorer_new(u, &options, &x));
  double begin = processor_time();
  explore(x);
  double seconds = processor_time() - begin;
  unf_explorer_counts(x, &c);
  printf("{\"family\": \"%s\", \"n\": %u, \"algorithm\": \"%s\", \"traces\": %llu, \"redundant\": "
         "%llu, \"waiting\": %llu, \"waiting_bytes\": %llu, \"bytes\": %llu, \"seconds\": %.6f}\n",
         family, n, algorithm, (unsigned long long)c.traces, (unsigned long long)c.redundant,
         (unsigned long long)c.waiting, (unsigned long long)c.waiting_bytes,
         (unsigned long long)memory.most, seconds);
  unf_explorer_free(x);
  unf_unfolding_free(u);
  unf_context_free(context);
  return 0;
}

/* ---- parts ---- */

static struct {
  unf_event path[MOST * STEPS];
  uint64_t count;
  struct {
    unf_event event, *sequence;
    uint64_t position, count;
  } reversals[4096];
  uint32_t reversal_count;
} execution;

static bool count_race(void *user, uint64_t first, uint64_t second) {
  *(uint64_t *)user += first < second;
  return true;
}

static bool keep(void *user, const unf_reversal *r) {
  uint32_t i = execution.reversal_count;
  (void)user;
  if (i == 4096) return false;
  execution.reversals[i].event = r->event;
  execution.reversals[i].position = r->position;
  execution.reversals[i].count = r->count;
  execution.reversals[i].sequence = malloc(r->count * sizeof *r->sequence);
  if (execution.reversals[i].sequence == NULL) return false;
  memcpy(execution.reversals[i].sequence, r->sequence, r->count * sizeof *r->sequence);
  execution.reversal_count++;
  return true;
}

static bool count_reversal(void *user, const unf_reversal *r) {
  *(uint64_t *)user += r->count > 0;
  return true;
}

/* Round-robin. */
static void perform(unf_unfolding *u, uint32_t threads, uint32_t steps) {
  unf_configuration *c;
  uint64_t seed = 1;
  for (uint32_t t = 0; t < threads; t++)
    for (uint32_t i = 0; i < steps; i++) {
      seed = seed * 6364136223846793005u + 1442695040888963407u;
      uint32_t object = location(u, (uint32_t)(seed >> 33) % LOCATIONS);
      add(t, seed >> 62 ? UNF_OP_LOAD(object) : UNF_OP_STORE(object, 1));
    }
  name_threads(u);
  MUST(unf_configuration_new(u, &c));
  for (uint32_t i = 0; i <= steps; i++)
    for (uint32_t t = 0; t < threads; t++) {
      unf_operation o = next_of(t, i);
      MUST(unf_configuration_offer(c, t, &o));
      if (o.kind == UNF_EXIT) continue;
      unf_action action = {o.kind == UNF_LOAD ? UNF_DID_READ : UNF_DID_WRITE, t, o.target, 0, 0};
      MUST(unf_configuration_perform(c, &action, &execution.path[execution.count++]));
    }
  unf_configuration_free(c);
}

static int parts(uint32_t threads, uint32_t steps) {
  enum { ROUNDS = 20 };
  unf_context *context;
  unf_unfolding *u;
  uint64_t races = 0, reversals = 0, tests = 0, initials = 0, insertions = 0;
  double at[5];
  if (threads > MOST || steps > STEPS) return 2;
  MUST(unf_context_new(NULL, &context));
  MUST(unf_unfolding_new(context, NULL, &u));
  perform(u, threads, steps);
  MUST(unf_execution_reversals(u, execution.path, execution.count, keep, NULL));
  at[0] = processor_time();
  for (int i = 0; i < ROUNDS; i++)
    MUST(unf_execution_races(u, execution.path, execution.count, count_race, &races));
  at[1] = processor_time();
  for (int i = 0; i < ROUNDS; i++)
    MUST(unf_execution_reversals(u, execution.path, execution.count, count_reversal, &reversals));
  at[2] = processor_time();
  for (uint32_t i = 0; i < execution.reversal_count; i++)
    for (uint32_t j = 0; j < execution.reversal_count; j++, tests++) {
      bool initial;
      MUST(unf_weak_initial(u, execution.reversals[j].event, execution.reversals[i].sequence,
                            execution.reversals[i].count, &initial));
      initials += initial;
    }
  at[3] = processor_time();
  for (int round = 0; round < ROUNDS; round++) {
    unf_wakeup_trees *trees;
    MUST(unf_wakeup_new(u, &trees));
    for (uint32_t i = 0; i < execution.reversal_count; i++, insertions++)
      MUST(unf_wakeup_insert(trees, execution.reversals[i].position,
                             execution.reversals[i].sequence, execution.reversals[i].count, NULL));
    unf_wakeup_free(trees);
  }
  at[4] = processor_time();
  printf("{\"parts\": %u, \"steps\": %llu, \"races\": %llu, \"race_ns\": %.1f, \"reversals\": %u, "
         "\"reversal_ns\": %.1f, \"initials\": %llu, \"initial_ns\": %.1f, \"insertion_ns\": "
         "%.1f}\n",
         threads, (unsigned long long)execution.count, (unsigned long long)races / ROUNDS,
         1e9 * (at[1] - at[0]) / (double)races, execution.reversal_count,
         1e9 * (at[2] - at[1]) / (double)reversals, (unsigned long long)initials,
         1e9 * (at[3] - at[2]) / (double)tests, 1e9 * (at[4] - at[3]) / (double)insertions);
  for (uint32_t i = 0; i < execution.reversal_count; i++)
    free(execution.reversals[i].sequence);
  unf_unfolding_free(u);
  unf_context_free(context);
  return 0;
}

int main(int argc, char **argv) {
  int status = 2;
  if (argc == 4 && strcmp(argv[1], "parts") == 0)
    status = parts((uint32_t)atoi(argv[2]), (uint32_t)atoi(argv[3]));
  else if (argc == 4)
    status = waiting(argv[1], (uint32_t)atoi(argv[2]), argv[3]);
  if (status == 2)
    fprintf(stderr, "usage: %s parts THREADS STEPS | writers|pairs|ladder|tries N odpor|eager\n",
            argv[0]);
  return status;
}
