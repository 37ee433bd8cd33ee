/* What programs of many steps, threads and objects cost: bytes, or elementary steps that are
 * counted, at two sizes, so that no cost grows faster than the work. The sizes of tables that grow
 * by half are counted at their largest. */
#include "fixture.h"

#include "base/context.h"

struct large {
  unf_context *context;
  unf_unfolding *u;
  unf_configuration *c;
};

static void open_large(struct large *l) {
  ok(unf_context_new(NULL, &l->context));
  ok(unf_unfolding_new(l->context, NULL, &l->u));
}

static void close_large(struct large *l) {
  unf_configuration_free(l->c);
  unf_unfolding_free(l->u);
  unf_context_free(l->context);
}

static unf_thread start(struct large *l, uint32_t index) {
  unf_thread thread;
  ok(unf_thread_name(l->u, UNF_THREAD_NONE, index, &thread));
  ok(unf_thread_start(l->u, thread));
  return thread;
}

static unf_object location(struct large *l, uint64_t key) {
  unf_object object;
  ok(unf_object_name(l->u, UNF_LOCATION, UNF_THREAD_NONE, key, &object));
  return object;
}

static void store(struct large *l, unf_thread thread, unf_object object) {
  unf_operation operation = UNF_OP_STORE(object, 1);
  ok(unf_configuration_offer(l->c, thread, &operation));
  perform(l->c, UNF_DID_WRITE, thread, object, 0);
}

/* 1,000 stores to the last one of so many objects; *names: what naming them costs. */
static uint64_t last_of(uint64_t objects, uint64_t *names) {
  struct large l;
  open_large(&l);
  unf_thread thread = start(&l, 0);
  uint64_t before = unf_context_bytes(l.context);
  unf_object object = 0;
  for (uint64_t i = 0; i < objects; i++)
    object = location(&l, i);
  *names = unf_context_bytes(l.context) - before;
  ok(unf_configuration_new(l.u, &l.c));
  for (int i = 0; i < 1000; i++)
    store(&l, thread, object);
  uint64_t bytes = unf_context_bytes(l.context) - *names;
  close_large(&l);
  return bytes;
}

static void unused_objects(void **state) {
  uint64_t few, many;
  (void)state;
  uint64_t with_few = last_of(10, &few), with_many = last_of(70000, &many);
  assert_true(many <= 100 * 70000);
  assert_true(with_many <= 400000);
  assert_true(with_many <= with_few + 1000);
}

/* One thread that stores to another location at each step. */
static uint64_t fresh_locations(uint64_t steps) {
  struct large l;
  open_large(&l);
  unf_thread thread = start(&l, 0);
  ok(unf_configuration_new(l.u, &l.c));
  for (uint64_t i = 0; i < steps; i++)
    store(&l, thread, location(&l, i));
  uint64_t bytes = unf_context_bytes(l.context);
  close_large(&l);
  return bytes;
}

/* The trees of blocks become one level deeper. */
static void a_location_for_each_step(void **state) {
  (void)state;
  uint64_t few = fresh_locations(8000), many = fresh_locations(64000);
  assert_true(few <= 8000 * 800);
  assert_true(many <= 10 * few);
}

static uint64_t independent_threads(uint32_t threads) {
  struct large l;
  open_large(&l);
  for (uint32_t i = 0; i < threads; i++)
    start(&l, i);
  ok(unf_configuration_new(l.u, &l.c));
  for (uint32_t i = 0; i < threads; i++)
    for (uint32_t j = 0; j < 2; j++)
      store(&l, i, location(&l, 2 * i + j));
  uint64_t bytes = unf_context_bytes(l.context);
  close_large(&l);
  return bytes;
}

static void threads_apart(void **state) {
  (void)state;
  uint64_t few = independent_threads(1000), many = independent_threads(10000);
  assert_true(many <= 50000000);
  assert_true(many <= 15 * few);
}

/* Each thread creates the next. */
static uint64_t chain_of_creates(uint32_t threads) {
  struct large l;
  open_large(&l);
  unf_thread last = start(&l, 0);
  ok(unf_configuration_new(l.u, &l.c));
  for (uint32_t i = 0; i < threads; i++) {
    unf_thread next;
    ok(unf_thread_name(l.u, last, 0, &next));
    perform(l.c, UNF_DID_CREATE, last, next, 0);
    last = next;
  }
  uint64_t bytes = unf_context_bytes(l.context);
  close_large(&l);
  return bytes;
}

static void creates(void **state) {
  (void)state;
  uint64_t few = chain_of_creates(1000), many = chain_of_creates(10000);
  assert_true(many <= 50000000);
  assert_true(many <= 15 * few);
}

static bool count(void *user, unf_event event) {
  (void)event;
  ++*(uint64_t *)user;
  return true;
}

/* The history of an event, where the program has many other sites, in the memory of its length. */
static void history_of_few(void **state) {
  struct large l;
  unf_limits limits = {0};
  uint64_t events = 0;
  (void)state;
  open_large(&l);
  unf_thread first = start(&l, 0), second = start(&l, 1);
  ok(unf_configuration_new(l.u, &l.c));
  for (uint64_t i = 0; i < 20000; i++)
    store(&l, first, location(&l, i));
  for (int i = 0; i < 10; i++)
    store(&l, second, location(&l, 20000));
  limits.bytes = unf_context_bytes(l.context) + 1000;
  ok(unf_context_set_limits(l.context, &limits));
  ok(unf_event_history(l.u, unf_unfolding_events(l.u), count, &events));
  assert_int_equal(events, 10);
  close_large(&l);
}

/* What an extension costs when so many threads lock and unlock one mutex. */
static uint64_t one_mutex(uint32_t threads) {
  struct large l;
  unf_object mutex;
  uint64_t extensions = 0;
  open_large(&l);
  ok(unf_object_name(l.u, UNF_MUTEX, UNF_THREAD_NONE, 0, &mutex));
  for (uint32_t i = 0; i < threads; i++)
    start(&l, i);
  ok(unf_configuration_new(l.u, &l.c));
  unf_operation lock = UNF_OP_LOCK(mutex), unlock = UNF_OP_UNLOCK(mutex), end = UNF_OP_EXIT();
  for (uint32_t i = 0; i < threads; i++) {
    ok(unf_configuration_offer(l.c, i, &lock));
    perform(l.c, UNF_DID_ACQUIRE, i, mutex, 0);
    ok(unf_configuration_offer(l.c, i, &unlock));
    perform(l.c, UNF_DID_RELEASE, i, mutex, 0);
    ok(unf_configuration_offer(l.c, i, &end));
  }
  uint64_t before = unf_context_bytes(l.context);
  ok(unf_extensions_conflicting(l.c, count, &extensions));
  assert_int_equal(extensions, (uint64_t)threads * (threads - 1) / 2);
  uint64_t bytes = unf_context_bytes(l.context) - before;
  close_large(&l);
  return bytes / extensions;
}

static void a_mutex_of_all(void **state) {
  (void)state;
  assert_true(one_mutex(300) <= 100);
  assert_true(one_mutex(1000) <= 100);
}

/* ---- ranges ---- */

/* Elementary steps of placing both halves of so many words of one space, and the words. */
static uint64_t place_words(uint32_t words, bool descending, uint64_t *bytes) {
  struct large l = {0};
  open_large(&l);
  unf_object space = location(&l, 0);
  for (uint32_t i = 0; i < words; i++) {
    uint64_t first = 8 * (uint64_t)(descending ? words - 1 - i : i);
    for (uint32_t part = 0; part < 3; part++)
      ok(unf_location_place(l.u, location(&l, 3 * first + part + 1), space,
                            part == 2 ? first + 4 : first, part == 0 ? 8 : 4));
  }
  *bytes = unf_context_bytes(l.context);
  uint64_t steps = l.context->work.steps;
  close_large(&l);
  return steps;
}

static void ranges_of_one_space(void **state) {
  (void)state;
  for (int descending = 0; descending < 2; descending++) {
    uint64_t few, many;
    assert_true(place_words(1000, descending, &few) <= 100 * 1000);
    assert_true(place_words(8000, descending, &many) <= 100 * 8000);
    assert_true(many <= 12 * few);
  }
}

/* ---- configurations of few events ---- */

/* Elementary steps of clearing, copying, uniting and comparing configurations of ten events, in an
 * unfolding with so many sites in use. */
static uint64_t small_configurations(uint32_t sites) {
  struct large l = {0};
  unf_configuration *other, *both;
  bool equal;
  open_large(&l);
  unf_thread many = start(&l, 0), few = start(&l, 1), third = start(&l, 2);
  ok(unf_configuration_new(l.u, &l.c));
  for (uint32_t i = 0; i < sites; i++)
    store(&l, many, location(&l, i));
  unf_configuration *all = l.c;
  ok(unf_configuration_new(l.u, &l.c));
  ok(unf_configuration_new(l.u, &other));
  ok(unf_configuration_new(l.u, &both));
  /* From here on there is room for all sites. */
  ok(unf_configuration_assign(other, l.c));
  ok(unf_configuration_assign(both, l.c));
  for (uint32_t i = 0; i < 5; i++)
    store(&l, few, location(&l, i * (sites / 5)));
  uint64_t before = l.context->work.steps;
  for (unsigned round = 0; round < 3; round++) {
    ok(unf_configuration_assign(both, l.c));
    ok(unf_configuration_equal(both, l.c, &equal));
    assert_true(equal);
    unf_configuration *swap = l.c;
    l.c = other;
    store(&l, third, location(&l, sites));
    l.c = swap;
    ok(unf_configuration_unite(both, other));
    assert_int_equal(unf_configuration_size(both), 6);
    ok(unf_configuration_equal(both, l.c, &equal));
    assert_false(equal);
    unf_configuration_clear(both);
    unf_configuration_clear(other);
    assert_int_equal(unf_configuration_size(both), 0);
    ok(unf_configuration_equal(both, other, &equal));
    assert_true(equal);
  }
  uint64_t steps = l.context->work.steps - before;
  unf_configuration_free(all);
  unf_configuration_free(other);
  unf_configuration_free(both);
  close_large(&l);
  return steps;
}

static void configurations_of_few_events(void **state) {
  (void)state;
  uint64_t few = small_configurations(2000), many = small_configurations(20000);
  assert_true(few > 0 && few <= 300);
  assert_int_equal(many, few);
}

/* Elementary steps of listing a configuration of ten events of as many threads, and its maximal
 * ones, among so many threads that have started. */
static uint64_t walk_few(uint32_t threads) {
  struct large l = {0};
  uint64_t listed = 0, maximal = 0;
  open_large(&l);
  for (uint32_t i = 0; i < threads; i++)
    start(&l, i);
  ok(unf_configuration_new(l.u, &l.c));
  for (uint32_t i = 0; i < threads; i++)
    store(&l, i, location(&l, i));
  unf_configuration_clear(l.c);
  for (uint32_t i = 0; i < 10; i++)
    store(&l, i * (threads / 10), location(&l, i * (threads / 10)));
  uint64_t before = l.context->work.steps;
  ok(unf_configuration_linearize(l.c, count, &listed));
  ok(unf_configuration_maximal(l.c, count, &maximal));
  uint64_t steps = l.context->work.steps - before;
  assert_true(listed == 10 && maximal == 10);
  close_large(&l);
  return steps;
}

/* Elementary steps of finding the maximal ones of so many threads' only events. */
static uint64_t maximal_of_all(uint32_t threads) {
  struct large l = {0};
  uint64_t maximal = 0;
  open_large(&l);
  for (uint32_t i = 0; i < threads; i++)
    start(&l, i);
  ok(unf_configuration_new(l.u, &l.c));
  for (uint32_t i = 0; i < threads; i++)
    store(&l, i, location(&l, i));
  uint64_t before = l.context->work.steps;
  ok(unf_configuration_maximal(l.c, count, &maximal));
  uint64_t steps = l.context->work.steps - before;
  assert_int_equal(maximal, threads);
  close_large(&l);
  return steps;
}

static void walks_of_few_events(void **state) {
  (void)state;
  uint64_t few = walk_few(2000), many = walk_few(20000);
  assert_true(few > 0 && few <= 2 * 20 * 32 + 10);
  assert_int_equal(many, few);
  assert_true(maximal_of_all(3000) <= 2 * 3000);
}

struct peak {
  size_t now, most;
};

static void *count_peak(void *user, void *block, size_t old_size, size_t new_size) {
  struct peak *peak = user;
  void *moved = NULL;
  if (new_size == 0)
    free(block);
  else if ((moved = realloc(block, new_size)) == NULL)
    return NULL;
  peak->now += new_size - old_size;
  if (peak->now > peak->most) peak->most = peak->now;
  return moved;
}

/* What it takes to find the conflicting extensions of a thread that waits for a semaphore to which
 * others posted, in an unfolding with so many sites in use. */
static uint64_t exact_extensions(uint32_t sites) {
  enum { POSTS = 8 };
  struct large l = {0};
  struct peak peak = {0, 0};
  unf_context_options options = UNF_CONTEXT_OPTIONS_INIT;
  unf_object semaphore;
  uint64_t extensions = 0;
  options.allocator = (unf_allocator){count_peak, &peak};
  ok(unf_context_new(&options, &l.context));
  ok(unf_unfolding_new(l.context, NULL, &l.u));
  ok(unf_object_name(l.u, UNF_SEMAPHORE, UNF_THREAD_NONE, 0, &semaphore));
  ok(unf_object_set_initial(l.u, semaphore, 1));
  for (uint32_t i = 0; i < POSTS + 2; i++)
    start(&l, i);
  ok(unf_configuration_new(l.u, &l.c));
  /* Its site is among the first ones. */
  perform(l.c, UNF_DID_POST, 0, semaphore, 0);
  unf_configuration_clear(l.c);
  for (uint32_t i = 0; i < sites; i++)
    store(&l, POSTS + 1, location(&l, i));
  unf_configuration_clear(l.c);
  const unf_operation post = UNF_OP_POST(semaphore), take = UNF_OP_SEM_WAIT(semaphore);
  const unf_operation end = UNF_OP_EXIT();
  for (uint32_t i = 0; i < POSTS + 1; i++)
    ok(unf_configuration_offer(l.c, i, i < POSTS ? &post : &take));
  for (uint32_t i = 0; i < POSTS; i++) {
    perform(l.c, UNF_DID_POST, i, semaphore, 0);
    ok(unf_configuration_offer(l.c, i, &end));
  }
  size_t before = peak.now;
  peak.most = before;
  ok(unf_extensions_conflicting(l.c, count, &extensions));
  assert_int_equal(extensions, (1u << POSTS) - 1);
  uint64_t bytes = peak.most - before;
  close_large(&l);
  return bytes;
}

/* At most one more cut of all sites is held. */
static void exact_extensions_beside_sites(void **state) {
  (void)state;
  uint64_t few = exact_extensions(1000), many = exact_extensions(20000);
  assert_true(many <= few + 16 * 19000);
}

/* ---- steps in a row at one object ---- */

/* Bytes of so many steps of one thread: locks and unlocks of a mutex, or uses that are no writes.
 */
static uint64_t steps_in_a_row(unf_object_class class, unf_action_kind kind, uint32_t steps) {
  struct large l = {0};
  unf_object object;
  open_large(&l);
  unf_thread thread = start(&l, 0);
  ok(unf_object_name(l.u, class, UNF_THREAD_NONE, 0, &object));
  ok(unf_configuration_new(l.u, &l.c));
  for (uint32_t i = 0; i < steps; i++)
    perform(l.c, kind == UNF_DID_ACQUIRE && i % 2 == 1 ? UNF_DID_RELEASE : kind, thread, object, 0);
  uint64_t bytes = unf_context_bytes(l.context);
  close_large(&l);
  return bytes;
}

/* Of such a use beside one of a mutex. */
#ifdef UNF_PLAIN_ARENAS /* where every record is an allocation */
enum { MORE_BYTES = 160 };
#else
enum { MORE_BYTES = 55 };
#endif

/* What is no write has a layer of its own at each step. */
static void layers_in_a_row(void **state) {
  static const struct {
    unf_object_class class;
    unf_action_kind kind;
  } uses[] = {{UNF_RWLOCK, UNF_DID_RDLOCK}, {UNF_SEMAPHORE, UNF_DID_POST}};
  (void)state;
  uint64_t mutex = steps_in_a_row(UNF_MUTEX, UNF_DID_ACQUIRE, 8000);
  for (unsigned i = 0; i < 2; i++) {
    uint64_t few = steps_in_a_row(uses[i].class, uses[i].kind, 1000);
    uint64_t many = steps_in_a_row(uses[i].class, uses[i].kind, 8000);
    assert_true(many <= 12 * few);
    assert_true(many <= mutex + MORE_BYTES * 8000);
  }
}

/* ---- free steps ---- */

enum { STORES = 300 };

/* Each thread locks the mutex, which is never unlocked, and stores to a location of its own. */
static void offer_next(unf_explorer *x, unf_thread thread, uint32_t done) {
  unf_operation o = done == 0        ? UNF_OP_LOCK(0)
                    : done <= STORES ? UNF_OP_STORE(1 + thread, 1)
                                     : UNF_OP_EXIT();
  ok(unf_explorer_offer(x, thread, &o));
}

/* Elementary steps of choosing all steps of a run. */
static uint64_t choose_all(struct large *l, unf_explorer *x, uint32_t threads) {
  uint64_t chosen = 0;
  uint32_t done = 0;
  unf_step step;
  for (uint32_t t = 0; t < threads; t++)
    offer_next(x, t, 0);
  for (;;) {
    uint64_t before = l->context->work.steps;
    ok(unf_explorer_step(x, &step));
    chosen += l->context->work.steps - before;
    if (step.kind != UNF_STEP_ACTION) break;
    ok(unf_explorer_commit(x, NULL, 0));
    offer_next(x, step.action.thread, ++done);
  }
  assert_int_equal(step.kind, UNF_STEP_MAXIMAL);
  assert_int_equal(done, 1 + STORES);
  return chosen;
}

static uint64_t free_steps(unf_algorithm algorithm, bool probe, uint32_t threads) {
  unf_explorer_options options = UNF_EXPLORER_OPTIONS_INIT;
  struct large l = {0};
  unf_object mutex;
  unf_explorer *x;
  unf_run run;
  open_large(&l);
  ok(unf_object_name(l.u, UNF_MUTEX, UNF_THREAD_NONE, 0, &mutex));
  for (uint32_t i = 0; i < threads; i++) {
    start(&l, i);
    location(&l, i);
  }
  options.algorithm = algorithm;
  options.probes = probe;
  ok(unf_explorer_new(l.u, &options, &x));
  ok(unf_explorer_next(x, &run));
  uint64_t chosen = choose_all(&l, x, threads);
  if (probe) {
    ok(unf_explorer_finish(x, false, NULL));
    ok(unf_explorer_next(x, &run));
    assert_true(run.probe);
    chosen = choose_all(&l, x, threads);
  }
  unf_explorer_free(x);
  close_large(&l);
  return chosen;
}

/* Threads that wait are not looked at again before something happens to what they wait for. */
static void steps_beside_threads(void **state) {
  static const unf_algorithm algorithms[] = {UNF_QPOR, UNF_ODPOR, UNF_EAGER, UNF_QPOR};
  (void)state;
  for (unsigned i = 0; i < 4; i++) {
    uint64_t few = free_steps(algorithms[i], i == 3, 50);
    uint64_t many = free_steps(algorithms[i], i == 3, 1000);
    assert_true(few <= 2 * (50 + STORES));
    assert_true(many <= 2 * (1000 + STORES));
  }
}

/* ---- tables that grow meanwhile ---- */

/* Moves a block whenever its size changes, and leaves nothing of it where it was. */
static void *move_always(void *user, void *block, size_t old_size, size_t new_size) {
  void *moved = new_size > 0 ? malloc(new_size) : NULL;
  size_t kept = old_size < new_size ? old_size : new_size;
  (void)user;
  if (new_size > 0 && moved == NULL) return NULL;
  if (kept > 0) memcpy(moved, block, kept);
  if (old_size > 0) memset(block, 0xEE, old_size);
  free(block);
  return moved;
}

/* Three threads lock for writing, for ever; at the end of each run many threads get names. */
static uint64_t traces_with_names(unf_algorithm algorithm) {
  enum { THREADS = 3, NAMES = 200 };
  struct large l;
  unf_context_options context_options = UNF_CONTEXT_OPTIONS_INIT;
  unf_explorer_options options = UNF_EXPLORER_OPTIONS_INIT;
  unf_explorer *x;
  unf_object object;
  unf_counts counts;
  unf_run run;
  unf_step step;
  uint32_t names = THREADS;
  unf_thread named;
  context_options.allocator.reallocate = move_always;
  ok(unf_context_new(&context_options, &l.context));
  ok(unf_unfolding_new(l.context, NULL, &l.u));
  ok(unf_object_name(l.u, UNF_RWLOCK, UNF_THREAD_NONE, 0, &object));
  for (uint32_t i = 0; i < THREADS; i++)
    start(&l, i);
  options.algorithm = algorithm;
  ok(unf_explorer_new(l.u, &options, &x));
  for (ok(unf_explorer_next(x, &run)); !run.finished; ok(unf_explorer_next(x, &run))) {
    const unf_operation lock = UNF_OP_WRLOCK(object), end = UNF_OP_EXIT();
    for (uint32_t i = 0; i < THREADS; i++)
      ok(unf_explorer_offer(x, i, &lock));
    for (ok(unf_explorer_step(x, &step)); step.kind == UNF_STEP_ACTION;) {
      ok(unf_explorer_commit(x, &step.action, 0));
      ok(unf_explorer_offer(x, step.action.thread, &end));
      ok(unf_explorer_step(x, &step));
    }
    for (unsigned i = 0; i < NAMES; i++)
      ok(unf_thread_name(l.u, UNF_THREAD_NONE, names++, &named));
    ok(unf_explorer_finish(x, false, NULL));
  }
  unf_explorer_counts(x, &counts);
  unf_explorer_free(x);
  l.c = NULL;
  close_large(&l);
  return counts.traces;
}

/* A run is learned from while tables grow; each thread is the one that gets the lock. */
static void names_at_the_end_of_a_run(void **state) {
  (void)state;
  for (unsigned i = 0; i < UNF_RANDOM; i++)
    assert_int_equal(traces_with_names((unf_algorithm)i), 3);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(unused_objects),       cmocka_unit_test(a_location_for_each_step),
      cmocka_unit_test(threads_apart),        cmocka_unit_test(creates),
      cmocka_unit_test(history_of_few),       cmocka_unit_test(a_mutex_of_all),
      cmocka_unit_test(steps_beside_threads), cmocka_unit_test(names_at_the_end_of_a_run),
      cmocka_unit_test(ranges_of_one_space),  cmocka_unit_test(configurations_of_few_events),
      cmocka_unit_test(walks_of_few_events),  cmocka_unit_test(exact_extensions_beside_sites),
      cmocka_unit_test(layers_in_a_row),
  };
  return cmocka_run_group_tests_name("growth", tests, NULL, NULL);
}
