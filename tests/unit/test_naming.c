/*
 * Threads that are named while a program runs, as engines do that learn of a thread when it is
 * created. Each block of memory has a fence behind it, so that a table that did not grow with the
 * names is noticed wherever its end is.
 */
#include "fixture.h"

enum { FENCE = 64, MARK = 0xA5, WORKERS = 200 };

/* The fence of a block that had so many bytes must be as it was made. */
static void check_fence(const unsigned char *block, size_t size) {
  for (size_t i = 0; i < FENCE; i++)
    assert_int_equal(block[size + i], MARK);
}

static void *fenced(void *user, void *block, size_t old_size, size_t new_size) {
  (void)user;
  if (old_size > 0) check_fence(block, old_size);
  if (new_size == 0) {
    free(block);
    return NULL;
  }
  unsigned char *moved = realloc(block, new_size + FENCE);
  assert_non_null(moved);
  memset(moved + new_size, MARK, FENCE);
  return moved;
}

/* One thread creates the others, each of which locks a mutex of its own. */
struct engine {
  unf_unfolding *u;
  unf_explorer *x;
  unf_thread main, worker[WORKERS];
  unf_object mutex[WORKERS];
  uint32_t created, done[WORKERS];
};

static void offer_main(struct engine *e) {
  unf_operation create, end = UNF_OP_EXIT();
  if (e->created == WORKERS) {
    ok(unf_explorer_offer(e->x, e->main, &end));
    return;
  }
  ok(unf_thread_name(e->u, e->main, e->created, &e->worker[e->created]));
  create = UNF_OP_CREATE(e->worker[e->created]);
  ok(unf_explorer_offer(e->x, e->main, &create));
}

static void offer_worker(struct engine *e, uint32_t worker) {
  const unf_operation code[] = {UNF_OP_LOCK(e->mutex[worker]), UNF_OP_UNLOCK(e->mutex[worker]),
                                UNF_OP_EXIT()};
  ok(unf_explorer_offer(e->x, e->worker[worker], &code[e->done[worker]]));
}

static void perform_step(struct engine *e, const unf_step *step) {
  ok(unf_explorer_commit(e->x, NULL, 0));
  if (step->action.thread == e->main) {
    uint32_t worker = e->created++;
    ok(unf_object_name(e->u, UNF_MUTEX, e->main, worker, &e->mutex[worker]));
    offer_main(e);
    offer_worker(e, worker);
    return;
  }
  uint32_t worker = 0;
  while (e->worker[worker] != step->action.thread)
    worker++;
  e->done[worker]++;
  offer_worker(e, worker);
}

static void one_run(struct engine *e) {
  unf_step step;
  unf_verdict verdict;
  e->created = 0;
  memset(e->done, 0, sizeof e->done);
  offer_main(e);
  for (ok(unf_explorer_step(e->x, &step)); step.kind == UNF_STEP_ACTION;
       ok(unf_explorer_step(e->x, &step)))
    perform_step(e, &step);
  ok(unf_explorer_finish(e->x, false, &verdict));
  assert_true(verdict.complete && verdict.blocked == 0);
}

static void threads_on_the_way(void **state) {
  (void)state;
  for (unf_algorithm a = 0; a < UNF_ALGORITHM_COUNT; a++) {
    unf_context_options options = UNF_CONTEXT_OPTIONS_INIT;
    unf_explorer_options how = UNF_EXPLORER_OPTIONS_INIT;
    struct engine e;
    unf_context *context;
    unf_counts counts;
    unf_run run;
    if (a == UNF_DFS) continue; /* has all interleavings */
    options.allocator.reallocate = fenced;
    how.algorithm = a;
    how.runs = 3;
    how.steps = 100;
    how.probes = a < UNF_RANDOM ? 2 : 0;
    ok(unf_context_new(&options, &context));
    ok(unf_unfolding_new(context, NULL, &e.u));
    ok(unf_thread_name(e.u, UNF_THREAD_NONE, 0, &e.main));
    ok(unf_thread_start(e.u, e.main));
    ok(unf_explorer_new(e.u, &how, &e.x));
    for (ok(unf_explorer_next(e.x, &run)); !run.finished; ok(unf_explorer_next(e.x, &run)))
      one_run(&e);
    unf_explorer_counts(e.x, &counts);
    assert_int_equal(counts.traces, 1);
    unf_explorer_free(e.x);
    unf_unfolding_free(e.u);
    unf_context_free(context);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(threads_on_the_way)};
  return cmocka_run_group_tests_name("naming", tests, NULL, NULL);
}
