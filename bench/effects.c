/*
 * unfold-bench-effects FAMILY: what the operations of one family of effects cost, on threads that
 * do them in turn; one line of JSON. perform_ns: a new event, in random schedules; extension_ns:
 * one conflicting extension of what they end in, exactly (at most so many of each, since there can
 * be exponentially many); run_us: a run of the explorer, with the reversal of its races.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <unfold/unfold.h>

#include "clock.h"

enum { THREADS = 4, ROUNDS = 3, SCHEDULES = 200, EXTENSIONS = 2000, RUNS = 3000 };
enum family { MUTEX, CONDITION, RWLOCK, SEMAPHORE, BARRIER, FAMILIES };

static const char *const names[FAMILIES] = {"mutex", "condition", "rwlock", "semaphore", "barrier"};

static unf_context *context;
static unf_unfolding *u;
static enum family family;
static unf_thread thread[THREADS];
static unf_object mutex[THREADS], condition, rwlock, semaphore, round_of[ROUNDS];

static void check(unf_status status) {
  if (status == UNF_OK) return;
  fprintf(stderr, "%s\n", unf_context_detail(context)->text);
  exit(3);
}

static void open_unfolding(void) {
  check(unf_context_new(NULL, &context));
  check(unf_unfolding_new(context, NULL, &u));
  for (uint32_t i = 0; i < THREADS; i++) {
    check(unf_thread_name(u, UNF_THREAD_NONE, i, &thread[i]));
    check(unf_thread_start(u, thread[i]));
    check(unf_object_name(u, UNF_MUTEX, UNF_THREAD_NONE, i, &mutex[i]));
  }
  for (uint32_t i = 0; i < ROUNDS; i++)
    check(unf_object_name(u, UNF_BARRIER, UNF_THREAD_NONE, i, &round_of[i]));
  check(unf_object_name(u, UNF_CONDITION, UNF_THREAD_NONE, 0, &condition));
  check(unf_object_name(u, UNF_RWLOCK, UNF_THREAD_NONE, 0, &rwlock));
  check(unf_object_name(u, UNF_SEMAPHORE, UNF_THREAD_NONE, 0, &semaphore));
  check(unf_object_set_initial(u, semaphore, 1));
}

static void close_unfolding(void) {
  unf_unfolding_free(u);
  unf_context_free(context);
}

/* Where a thread is: its round, and the step in it. */
struct place {
  int round, step;
  bool timed_out;
};

/* Threads 0 and 1 wait, with a time limit; the others notify. */
static unf_operation condition_step(int who, struct place *p) {
  if (who >= 2) {
    if (p->step > 0) return UNF_OP_EXIT();
    return who == 2 ? UNF_OP_SIGNAL(condition) : UNF_OP_BROADCAST(condition);
  }
  switch (p->step) {
  case 0:
    return UNF_OP_LOCK(mutex[who]);
  case 1:
    return UNF_OP_WAIT(condition, mutex[who]);
  case 2:
    return UNF_OP_TIMED_WAKE(condition, mutex[who]);
  case 3:
    if (p->timed_out) return UNF_OP_LOCK(mutex[who]);
    p->step++;
    return UNF_OP_UNLOCK(mutex[who]);
  case 4:
    return UNF_OP_UNLOCK(mutex[who]);
  default:
    return UNF_OP_EXIT();
  }
}

/* The operation at a place; EXIT: the round is over. */
static unf_operation step_of(int who, struct place *p) {
  bool first = p->step == 0;
  if (family == CONDITION) return condition_step(who, p);
  if (p->step == 2) return UNF_OP_EXIT();
  switch (family) {
  case MUTEX:
    return first ? UNF_OP_LOCK(mutex[0]) : UNF_OP_UNLOCK(mutex[0]);
  case RWLOCK:
    if (!first) return UNF_OP_RWUNLOCK(rwlock);
    return who == 0 ? UNF_OP_WRLOCK(rwlock) : UNF_OP_RDLOCK(rwlock);
  case SEMAPHORE:
    return first ? UNF_OP_SEM_WAIT(semaphore) : UNF_OP_POST(semaphore);
  default:
    return first ? UNF_OP_ARRIVE(round_of[p->round], THREADS)
                 : UNF_OP_PASS(round_of[p->round], THREADS);
  }
}

static unf_operation next(int who, struct place *p, int rounds) {
  for (; p->round < rounds; p->round++) {
    unf_operation operation = step_of(who, p);
    if (operation.kind != UNF_EXIT) return operation;
    *p = (struct place){p->round, 0, false};
  }
  return UNF_OP_EXIT();
}

static void advance(struct place *p, const unf_action *action) {
  p->timed_out = action->kind == UNF_DID_TIMEOUT;
  p->step++;
}

struct list {
  unf_action actions[64];
  int count;
};

static bool add(void *user, const unf_action *action) {
  struct list *list = user;
  if (list->count == 64) return false;
  list->actions[list->count++] = *action;
  return true;
}

static bool count(void *user, unf_event event) {
  (void)event;
  return ++*(uint64_t *)user < EXTENSIONS;
}

static uint64_t random_state;

static uint64_t random_next(void) {
  uint64_t z = random_state += 0x9E3779B97F4A7C15u;
  z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
  z = (z ^ z >> 27) * 0x94D049BB133111EBu;
  return z ^ z >> 31;
}

struct figures {
  uint64_t steps, extensions, runs, traces;
  double perform, extend, explore;
};

static void one_schedule(struct figures *f) {
  unf_configuration *c;
  struct place places[THREADS] = {{0}};
  check(unf_configuration_new(u, &c));
  for (int who = 0; who < THREADS; who++) {
    unf_operation operation = next(who, &places[who], ROUNDS);
    check(unf_configuration_offer(c, thread[who], &operation));
  }
  for (;;) {
    struct list list = {.count = 0};
    check(unf_configuration_actions(c, add, &list));
    if (list.count == 0) break;
    const unf_action *action = &list.actions[random_next() % (uint64_t)list.count];
    double start = processor_time();
    check(unf_configuration_perform(c, action, NULL));
    f->perform += processor_time() - start;
    f->steps++;
    int who = 0;
    while (thread[who] != action->thread)
      who++;
    advance(&places[who], action);
    unf_operation operation = next(who, &places[who], ROUNDS);
    check(unf_configuration_offer(c, thread[who], &operation));
  }
  uint64_t extensions = 0;
  double start = processor_time();
  check(unf_extensions_conflicting(c, count, &extensions));
  f->extend += processor_time() - start;
  f->extensions += extensions;
  unf_configuration_free(c);
}

static void explore(struct figures *f) {
  unf_explorer *x;
  unf_counts counts;
  unf_run run;
  double start = processor_time();
  check(unf_explorer_new(u, NULL, &x));
  for (check(unf_explorer_next(x, &run)); !run.finished && run.number <= RUNS;
       check(unf_explorer_next(x, &run))) {
    struct place places[THREADS] = {{0}};
    unf_step step;
    for (int who = 0; who < THREADS; who++) {
      unf_operation operation = next(who, &places[who], 2);
      check(unf_explorer_offer(x, thread[who], &operation));
    }
    for (check(unf_explorer_step(x, &step)); step.kind == UNF_STEP_ACTION;
         check(unf_explorer_step(x, &step))) {
      int who = 0;
      while (thread[who] != step.action.thread)
        who++;
      check(unf_explorer_commit(x, NULL, 0));
      advance(&places[who], &step.action);
      unf_operation operation = next(who, &places[who], 2);
      check(unf_explorer_offer(x, thread[who], &operation));
    }
    check(unf_explorer_finish(x, false, NULL));
  }
  f->explore = processor_time() - start;
  unf_explorer_counts(x, &counts);
  f->runs = counts.executions;
  f->traces = counts.traces;
  unf_explorer_free(x);
}

int main(int argc, char **argv) {
  struct figures f = {0};
  while (argc == 2 && family < FAMILIES && strcmp(argv[1], names[family]) != 0)
    family++;
  if (argc != 2 || family == FAMILIES) {
    fprintf(stderr, "usage: %s mutex|condition|rwlock|semaphore|barrier\n", argv[0]);
    return 2;
  }
  open_unfolding();
  random_state = 1;
  for (int i = 0; i < SCHEDULES; i++)
    one_schedule(&f);
  close_unfolding();
  open_unfolding();
  explore(&f);
  close_unfolding();
  printf("{\"family\": \"%s\", \"steps\": %llu, \"perform_ns\": %.1f, \"extensions\": %llu, "
         "\"extension_ns\": %.1f, \"runs\": %llu, \"traces\": %llu, \"run_us\": %.2f}\n",
         names[family], (unsigned long long)f.steps, 1e9 * f.perform / (double)f.steps,
         (unsigned long long)f.extensions,
         f.extensions > 0 ? 1e9 * f.extend / (double)f.extensions : 0, (unsigned long long)f.runs,
         (unsigned long long)f.traces, 1e6 * f.explore / (double)f.runs);
  return 0;
}
