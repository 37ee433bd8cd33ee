/* Fingerprints by their algebra and by known hashes; the table of cutoffs by states that the test
 * makes up; the rules of the explorer. */
#include "fixture.h"

#define START UNF_FINGERPRINT_INIT

static unf_fingerprint fragment(unf_hash hash, uint64_t location, uint64_t value) {
  unf_fingerprint f = START;
  ok(unf_fingerprint_toggle(hash, &f, location, &value, sizeof value));
  return f;
}

/* ---- fingerprints ---- */

/* Not every build has every hash. */
static bool built(unf_hash hash) {
  unf_fingerprint f = START;
  return unf_fingerprint_toggle(hash, &f, 0, NULL, 0) != UNF_UNSUPPORTED;
}

static void fragments_come_and_go(void **state) {
  (void)state;
  for (int i = 0; i < UNF_HASH_COUNT && built((unf_hash)i); i++) {
    unf_hash hash = (unf_hash)i;
    unf_fingerprint f = START, g = START, nothing = START;
    uint64_t three = 3, four = 4, five = 5;
    ok(unf_fingerprint_toggle(hash, &f, 1, &three, sizeof three));
    ok(unf_fingerprint_replace(hash, &f, 1, &three, &four, sizeof four));
    ok(unf_fingerprint_toggle(hash, &f, 2, &five, sizeof five));
    ok(unf_fingerprint_toggle(hash, &g, 2, &five, sizeof five));
    assert_false(unf_fingerprint_equal(&f, &g));
    ok(unf_fingerprint_toggle(hash, &g, 1, &four, sizeof four));
    assert_true(unf_fingerprint_equal(&f, &g));
    unf_fingerprint_remove(&f, &g);
    assert_true(unf_fingerprint_equal(&f, &nothing));
    ok(unf_fingerprint_replace(hash, &f, 1, &four, &four, sizeof four));
    assert_true(unf_fingerprint_equal(&f, &nothing));
    /* Location and value are not exchangeable, nor is a value with a longer one. */
    f = fragment(hash, 1, 2);
    g = fragment(hash, 2, 1);
    assert_false(unf_fingerprint_equal(&f, &g));
    g = nothing;
    ok(unf_fingerprint_toggle(hash, &g, 1, "\2", 1));
    assert_false(unf_fingerprint_equal(&f, &g));
  }
}

static void counters_add_up(void **state) {
  (void)state;
  for (int i = 0; i < UNF_HASH_COUNT && built((unf_hash)i); i++) {
    unf_hash hash = (unf_hash)i;
    unf_fingerprint f = START, g = START, nothing = START;
    ok(unf_fingerprint_count(hash, &f, 1, 1));
    ok(unf_fingerprint_count(hash, &f, 1, 1));
    assert_false(unf_fingerprint_equal(&f, &nothing));
    ok(unf_fingerprint_count(hash, &g, 1, 2));
    assert_true(unf_fingerprint_equal(&f, &g));
    ok(unf_fingerprint_count(hash, &g, 2, 1));
    assert_false(unf_fingerprint_equal(&f, &g));
    unf_fingerprint_combine(&f, &g);
    ok(unf_fingerprint_count(hash, &f, 1, -4));
    ok(unf_fingerprint_count(hash, &f, 2, -1));
    assert_true(unf_fingerprint_equal(&f, &nothing));
  }
}

/* BLAKE2b of Python's hashlib, XXH3 of xxhsum -H2, over the bytes that fingerprint.c describes. */
static void hashes_are_the_known_ones(void **state) {
  (void)state;
  unf_fingerprint f = START, g = START, c = START;
  const unf_fingerprint fast = {{0xd4177faa99145732, 0x6c5c3cee0af99156, 0, 0}, {0, 0}};
  const unf_fingerprint strong = {
      {0x7287e39fe35356fb, 0x30ba2ae8ca96369b, 0x8c95e214adeb1856, 0x655c4dd5159ab48d}, {0, 0}};
  const unf_fingerprint count = {{0, 0, 0, 0}, {0x75a48398ef505922, 0x57f6c63346f91913}};
  ok(unf_fingerprint_toggle(UNF_HASH_FAST, &f, 7, "abc", 3));
  assert_true(unf_fingerprint_equal(&f, &fast));
  if (!built(UNF_HASH_STRONG)) return;
  ok(unf_fingerprint_toggle(UNF_HASH_STRONG, &g, 7, "abc", 3));
  assert_true(unf_fingerprint_equal(&g, &strong));
  ok(unf_fingerprint_count(UNF_HASH_STRONG, &c, 7, 1));
  assert_true(unf_fingerprint_equal(&c, &count));
}

/* Long values take another way through the hash. */
static void long_values(void **state) {
  static char text[1000];
  (void)state;
  for (int i = 0; i < UNF_HASH_COUNT && built((unf_hash)i); i++)
    for (size_t size = 250; size < 262; size++) {
      unf_fingerprint f = START, g = START;
      text[size] = 0;
      ok(unf_fingerprint_toggle((unf_hash)i, &f, 1, text, size));
      text[size - 1] = 1;
      ok(unf_fingerprint_toggle((unf_hash)i, &g, 1, text, size));
      text[size - 1] = 0;
      assert_false(unf_fingerprint_equal(&f, &g));
      ok(unf_fingerprint_toggle((unf_hash)i, &g, 1, text, size + 1));
      ok(unf_fingerprint_toggle((unf_hash)i, &f, 1, text, size + 1));
      assert_false(unf_fingerprint_equal(&f, &g));
    }
}

/*
 * Sums of fragments are only as good as the fragments are independent. Over small locations and
 * values: no four corners of a rectangle cancel, and 64 fragments have nearly full rank.
 */
static void fragments_are_independent(void **state) {
  enum { SIDE = 24 };
  static unf_fingerprint grid[SIDE][SIDE];
  uint64_t rows[64];
  unsigned rank = 0;
  (void)state;
  for (uint64_t l = 0; l < SIDE; l++)
    for (uint64_t v = 0; v < SIDE; v++)
      grid[l][v] = fragment(UNF_HASH_FAST, l, v);
  for (unsigned a = 0; a < SIDE; a++)
    for (unsigned b = a + 1; b < SIDE; b++)
      for (unsigned v = 0; v < SIDE; v++)
        for (unsigned w = v + 1; w < SIDE; w++) {
          uint64_t any = 0;
          for (unsigned i = 0; i < 2; i++)
            any |=
                grid[a][v].bits[i] ^ grid[a][w].bits[i] ^ grid[b][v].bits[i] ^ grid[b][w].bits[i];
          assert_true(any != 0);
        }
  for (unsigned i = 0; i < 64; i++)
    rows[i] = grid[i / 8][i % 8].bits[0];
  for (unsigned bit = 0; bit < 64; bit++) {
    unsigned pivot = rank;
    while (pivot < 64 && !(rows[pivot] >> bit & 1))
      pivot++;
    if (pivot == 64) continue;
    uint64_t row = rows[pivot];
    rows[pivot] = rows[rank];
    rows[rank++] = row;
    for (unsigned i = rank; i < 64; i++)
      if (rows[i] >> bit & 1) rows[i] ^= row;
  }
  assert_true(rank >= 58);
}

static void wrong_arguments(void **state) {
  unf_fingerprint f = START, before = START;
  (void)state;
  fails(UNF_INVALID, unf_fingerprint_toggle(UNF_HASH_COUNT, &f, 1, "a", 1));
  fails(UNF_INVALID, unf_fingerprint_toggle((unf_hash)-1, &f, 1, "a", 1));
  fails(UNF_INVALID, unf_fingerprint_toggle(UNF_HASH_FAST, &f, 1, NULL, 1));
  fails(UNF_INVALID, unf_fingerprint_replace(UNF_HASH_FAST, &f, 1, "a", NULL, 1));
  fails(UNF_INVALID, unf_fingerprint_count(UNF_HASH_COUNT, &f, 1, 1));
  assert_true(unf_fingerprint_equal(&f, &before));
  ok(unf_fingerprint_toggle(UNF_HASH_FAST, &f, 1, NULL, 0));
}

/* ---- the table ---- */

/* Three threads that run from the start, each a row of choices. */
struct table {
  unf_context *context;
  unf_unfolding *u;
  unf_thread threads[3];
  unf_configuration *c;
  unf_cutoffs *cutoffs;
};

static void open_table(struct table *t, unf_cutoff_order order) {
  ok(unf_context_new(NULL, &t->context));
  *watched() = t->context;
  ok(unf_unfolding_new(t->context, NULL, &t->u));
  for (uint32_t i = 0; i < 3; i++) {
    ok(unf_thread_name(t->u, UNF_THREAD_NONE, i, &t->threads[i]));
    ok(unf_thread_start(t->u, t->threads[i]));
  }
  ok(unf_configuration_new(t->u, &t->c));
  ok(unf_cutoffs_new(t->u, order, &t->cutoffs));
}

static void close_table(struct table *t) {
  unf_context *empty;
  unf_configuration_free(t->c);
  unf_cutoffs_free(t->cutoffs);
  unf_unfolding_free(t->u);
  ok(unf_context_new(NULL, &empty));
  assert_int_equal(unf_context_bytes(t->context), unf_context_bytes(empty));
  unf_context_free(empty);
  unf_context_free(t->context);
  *watched() = NULL;
}

/* The next event of a thread, which makes the fragments whose bits are set in `from`
 * those of `to`. */
static unf_event step(struct table *t, unsigned thread, unsigned from, unsigned to,
                      unf_cutoff_verdict *verdict) {
  unf_event e = perform(t->c, UNF_DID_LOCAL, t->threads[thread], 0, 0);
  unf_fingerprint change = START;
  for (unsigned i = 0; i < 16; i++)
    if ((from ^ to) >> i & 1) ok(unf_fingerprint_toggle(UNF_HASH_FAST, &change, i, NULL, 0));
  ok(unf_cutoffs_add(t->cutoffs, e, &change, verdict));
  return e;
}

static unf_cutoff_verdict verdict_of(struct table *t, unf_event e) {
  unf_cutoff_verdict verdict;
  ok(unf_cutoffs_verdict(t->cutoffs, e, &verdict));
  return verdict;
}

static void assert_counts(struct table *t, uint64_t kept, uint64_t cutoffs, uint64_t after,
                          uint64_t states) {
  unf_cutoff_counts counts;
  unf_cutoffs_counts(t->cutoffs, &counts);
  assert_int_equal(counts.kept, kept);
  assert_int_equal(counts.cutoffs, cutoffs);
  assert_int_equal(counts.after, after);
  assert_int_equal(counts.states, states);
}

static void loops_are_cut(void **state) {
  (void)state;
  for (int order = UNF_CUTOFFS_SIZE; order <= UNF_CUTOFFS_ERV; order++) {
    struct table t;
    unf_cutoff_verdict verdict;
    open_table(&t, (unf_cutoff_order)order);
    step(&t, 0, 0, 1, &verdict);
    assert_int_equal(verdict, UNF_CUTOFF_KEPT);
    unf_event back = step(&t, 0, 1, 0, &verdict); /* to the state at the start */
    assert_int_equal(verdict, UNF_CUTOFF_IS);
    unf_event after = perform(t.c, UNF_DID_LOCAL, t.threads[0], 0, 0);
    assert_int_equal(verdict_of(&t, after), UNF_CUTOFF_AFTER);
    assert_int_equal(verdict_of(&t, back), UNF_CUTOFF_IS);
    assert_int_equal(verdict_of(&t, UNF_EVENT_BOTTOM), UNF_CUTOFF_KEPT);
    /* Another thread's event has only its own history. */
    step(&t, 1, 0, 2, &verdict);
    assert_int_equal(verdict, UNF_CUTOFF_KEPT);
    assert_counts(&t, 2, 1, 0, 3);
    close_table(&t);
  }
}

/* Two threads that come to one state in as many steps: the total order decides, by names, whoever
 * comes first; sizes alone do not. */
static void ties_are_decided_by_names(void **state) {
  (void)state;
  for (unsigned first = 0; first < 2; first++)
    for (int order = UNF_CUTOFFS_SIZE; order <= UNF_CUTOFFS_ERV; order++) {
      struct table t;
      unf_event e[2];
      int compared;
      open_table(&t, (unf_cutoff_order)order);
      e[first] = step(&t, first, 0, 1, NULL);
      e[1 - first] = step(&t, 1 - first, 0, 1, NULL);
      assert_int_equal(verdict_of(&t, e[0]), UNF_CUTOFF_KEPT);
      assert_int_equal(verdict_of(&t, e[1]),
                       order == UNF_CUTOFFS_ERV ? UNF_CUTOFF_IS : UNF_CUTOFF_KEPT);
      ok(unf_cutoffs_compare(t.cutoffs, e[0], e[1], &compared));
      assert_true(order == UNF_CUTOFFS_ERV ? compared < 0 : compared == 0);
      ok(unf_cutoffs_compare(t.cutoffs, e[1], e[0], &compared));
      assert_true(order == UNF_CUTOFFS_ERV ? compared > 0 : compared == 0);
      ok(unf_cutoffs_compare(t.cutoffs, e[1], e[1], &compared));
      assert_int_equal(compared, 0);
      close_table(&t);
    }
}

/*
 * f comes to a state in two steps, e' goes on from it, and e comes to the state of e' in four, so
 * it is a cutoff. Then f' comes to the state of f in one step: f is a cutoff, e' after one, and e,
 * though cut off for the sake of e', stays so until the table is settled.
 */
static void smaller_ones_take_over(void **state) {
  (void)state;
  for (int order = UNF_CUTOFFS_SIZE; order <= UNF_CUTOFFS_ERV; order++) {
    struct table t;
    unf_cutoff_verdict verdict;
    struct events restored = {.count = 0};
    open_table(&t, (unf_cutoff_order)order);
    step(&t, 0, 0, 1, NULL);
    unf_event f = step(&t, 0, 1, 3, NULL);
    unf_event e1 = step(&t, 0, 3, 7, NULL);
    step(&t, 2, 0, 8, NULL);
    step(&t, 2, 8, 16, NULL);
    step(&t, 2, 16, 32, NULL);
    unf_event e = step(&t, 2, 32, 7, &verdict);
    assert_int_equal(verdict, UNF_CUTOFF_IS);
    assert_counts(&t, 6, 1, 0, 7);
    unf_event smaller = step(&t, 1, 0, 3, &verdict);
    assert_int_equal(verdict, UNF_CUTOFF_KEPT);
    assert_int_equal(verdict_of(&t, f), UNF_CUTOFF_IS);
    assert_int_equal(verdict_of(&t, e1), UNF_CUTOFF_AFTER);
    assert_int_equal(verdict_of(&t, e), UNF_CUTOFF_IS);
    assert_counts(&t, 5, 2, 1, 6);

    ok(unf_cutoffs_settle(t.cutoffs, collect_event, &restored));
    assert_int_equal(restored.count, 1);
    assert_int_equal(restored.event[0], e);
    assert_int_equal(verdict_of(&t, e), UNF_CUTOFF_KEPT);
    assert_int_equal(verdict_of(&t, f), UNF_CUTOFF_IS);
    assert_int_equal(verdict_of(&t, e1), UNF_CUTOFF_AFTER);
    assert_int_equal(verdict_of(&t, smaller), UNF_CUTOFF_KEPT);
    assert_counts(&t, 6, 1, 1, 7);
    ok(unf_cutoffs_settle(t.cutoffs, collect_event, &restored));
    assert_int_equal(restored.count, 1);
    close_table(&t);
  }
}

static void states_are_those_of_local_configurations(void **state) {
  struct table t;
  unf_fingerprint f, expected = START;
  (void)state;
  open_table(&t, UNF_CUTOFFS_ERV);
  step(&t, 0, 0, 1, NULL);
  step(&t, 1, 0, 2, NULL);
  unf_event last = step(&t, 0, 1, 5, NULL);
  ok(unf_fingerprint_toggle(UNF_HASH_FAST, &expected, 0, NULL, 0));
  ok(unf_fingerprint_toggle(UNF_HASH_FAST, &expected, 2, NULL, 0));
  ok(unf_cutoffs_state(t.cutoffs, last, &f));
  assert_true(unf_fingerprint_equal(&f, &expected));
  close_table(&t);
}

/* What the creator changed before counts once, in every state of the new thread. */
static void created_threads_begin_with_nothing(void **state) {
  struct table t;
  unf_thread child;
  unf_fingerprint f, expected = START, change = START;
  (void)state;
  open_table(&t, UNF_CUTOFFS_ERV);
  ok(unf_thread_name(t.u, t.threads[0], 0, &child));
  step(&t, 0, 0, 1, NULL);
  unf_event create = perform(t.c, UNF_DID_CREATE, t.threads[0], child, 0);
  ok(unf_fingerprint_toggle(UNF_HASH_FAST, &change, 1, NULL, 0));
  ok(unf_cutoffs_add(t.cutoffs, create, &change, NULL));
  unf_event first = perform(t.c, UNF_DID_LOCAL, child, 0, 0);
  change = (unf_fingerprint)START;
  ok(unf_fingerprint_toggle(UNF_HASH_FAST, &change, 2, NULL, 0));
  ok(unf_cutoffs_add(t.cutoffs, first, &change, NULL));
  for (uint64_t location = 0; location < 3; location++)
    ok(unf_fingerprint_toggle(UNF_HASH_FAST, &expected, location, NULL, 0));
  ok(unf_cutoffs_state(t.cutoffs, first, &f));
  assert_true(unf_fingerprint_equal(&f, &expected));
  close_table(&t);
}

static void the_table_refuses(void **state) {
  struct table t;
  unf_cutoffs *none;
  unf_fingerprint change = START, other = fragment(UNF_HASH_FAST, 1, 1);
  unf_cutoff_verdict verdict;
  int compared;
  (void)state;
  open_table(&t, UNF_CUTOFFS_ERV);
  fails(UNF_INVALID, unf_cutoffs_new(t.u, UNF_CUTOFFS_NONE, &none));
  fails(UNF_INVALID, unf_cutoffs_new(t.u, UNF_CUTOFF_ORDER_COUNT, &none));
  unf_event first = perform(t.c, UNF_DID_LOCAL, t.threads[0], 0, 0);
  unf_event second = perform(t.c, UNF_DID_LOCAL, t.threads[0], 0, 0);
  fails(UNF_MISSING, unf_cutoffs_add(t.cutoffs, second, &change, &verdict));
  fails(UNF_UNKNOWN, unf_cutoffs_add(t.cutoffs, second + 1, &change, &verdict));
  fails(UNF_INVALID, unf_cutoffs_add(t.cutoffs, UNF_EVENT_BOTTOM, &change, &verdict));
  fails(UNF_UNKNOWN, unf_cutoffs_verdict(t.cutoffs, second + 1, &verdict));
  fails(UNF_MISSING, unf_cutoffs_state(t.cutoffs, first, &change));
  fails(UNF_MISSING, unf_cutoffs_compare(t.cutoffs, first, first, &compared));
  assert_int_equal(verdict_of(&t, first), UNF_CUTOFF_UNKNOWN);
  assert_counts(&t, 0, 0, 0, 1);
  ok(unf_cutoffs_add(t.cutoffs, first, &other, &verdict));
  ok(unf_cutoffs_add(t.cutoffs, first, &other, &verdict));
  fails(UNF_NONDETERMINISM, unf_cutoffs_add(t.cutoffs, first, &change, &verdict));
  assert_counts(&t, 1, 0, 0, 2);
  unf_cutoffs_free(NULL);
  close_table(&t);
}

/* ---- the explorer ---- */

/* Threads 0 and 1 lock and unlock m for ever; the state is who holds it and how far they are. */
struct loops {
  struct table t;
  unf_object m;
  unf_explorer *x;
  bool inside[2];
};

static void offer_loop(struct loops *l, unsigned i) {
  unf_operation op = l->inside[i] ? UNF_OP_UNLOCK(l->m) : UNF_OP_LOCK(l->m);
  ok(unf_explorer_offer(l->x, l->t.threads[i], &op));
}

static unf_step_kind run_loops(struct loops *l, unf_verdict *verdict) {
  unf_step step;
  l->inside[0] = l->inside[1] = false;
  for (unsigned i = 0; i < 2; i++)
    offer_loop(l, i);
  for (;;) {
    ok(unf_explorer_step(l->x, &step));
    if (step.kind != UNF_STEP_ACTION) break;
    unsigned i = step.action.thread == l->t.threads[1];
    unf_fingerprint change = START;
    ok(unf_explorer_commit(l->x, NULL, 0));
    fails(UNF_STATE, unf_explorer_step(l->x, &step));
    l->inside[i] = !l->inside[i];
    ok(unf_fingerprint_toggle(UNF_HASH_FAST, &change, i, NULL, 0));
    ok(unf_explorer_changed(l->x, &change));
    fails(UNF_STATE, unf_explorer_changed(l->x, &change));
    offer_loop(l, i);
  }
  ok(unf_explorer_finish(l->x, false, verdict));
  return step.kind;
}

static void open_loops(struct loops *l, unf_algorithm algorithm) {
  unf_explorer_options options = UNF_EXPLORER_OPTIONS_INIT;
  unf_operation idle = UNF_OP_EXIT();
  l->inside[0] = l->inside[1] = false;
  open_table(&l->t, UNF_CUTOFFS_ERV);
  ok(unf_object_name(l->t.u, UNF_MUTEX, UNF_THREAD_NONE, 0, &l->m));
  ok(unf_configuration_offer(l->t.c, l->t.threads[2], &idle));
  options.algorithm = algorithm;
  options.cutoffs = UNF_CUTOFFS_ERV;
  ok(unf_explorer_new(l->t.u, &options, &l->x));
}

static void close_loops(struct loops *l) {
  unf_explorer_free(l->x);
  close_table(&l->t);
}

/* Each thread takes the mutex and gives it back, which leads to the state at the start: two kept
 * events and two cutoffs. */
static void endless_loops_end(void **state) {
  (void)state;
  for (int algorithm = 0; algorithm < UNF_ODPOR; algorithm++) {
    struct loops l;
    unf_run run;
    unf_verdict verdict;
    unf_counts counts;
    unf_cutoff_counts table;
    open_loops(&l, (unf_algorithm)algorithm);
    for (;;) {
      ok(unf_explorer_next(l.x, &run));
      if (run.finished) break;
      assert_int_equal(run_loops(&l, &verdict), UNF_STEP_CUTOFF);
      assert_true(verdict.truncated && !verdict.complete && !verdict.deadlock);
    }
    ok(unf_explorer_next(l.x, &run));
    assert_true(run.finished);
    unf_explorer_counts(l.x, &counts);
    assert_int_equal(counts.traces, 0);
    assert_int_equal(counts.truncated, counts.executions);
    unf_cutoffs_counts(unf_explorer_cutoffs(l.x), &table);
    assert_int_equal(table.kept, 2);
    assert_int_equal(table.cutoffs, 2);
    assert_int_equal(table.states, 3);
    ok(unf_check_explorer(l.x));
    close_loops(&l);
  }
}

static void the_explorer_refuses(void **state) {
  struct loops l;
  unf_explorer_options options = UNF_EXPLORER_OPTIONS_INIT;
  unf_explorer *plain;
  unf_fingerprint change = START;
  unf_run run;
  (void)state;
  open_loops(&l, UNF_QPOR);
  options.cutoffs = UNF_CUTOFF_ORDER_COUNT;
  fails(UNF_INVALID, unf_explorer_new(l.t.u, &options, &plain));
  options.cutoffs = UNF_CUTOFFS_SIZE;
  options.algorithm = UNF_ODPOR;
  fails(UNF_UNSUPPORTED, unf_explorer_new(l.t.u, &options, &plain));
  ok(unf_explorer_new(l.t.u, NULL, &plain));
  assert_null(unf_explorer_cutoffs(plain));
  ok(unf_explorer_next(plain, &run));
  fails(UNF_STATE, unf_explorer_changed(plain, &change));
  unf_explorer_free(plain);
  fails(UNF_STATE, unf_explorer_changed(l.x, &change));
  ok(unf_explorer_next(l.x, &run));
  fails(UNF_STATE, unf_explorer_changed(l.x, &change));
  fails(UNF_UNSUPPORTED, unf_explorer_feed(l.x, NULL, 0, NULL, 0, false, NULL));
  /* A dropped run owes nothing. */
  unf_step step;
  for (unsigned i = 0; i < 2; i++)
    offer_loop(&l, i);
  ok(unf_explorer_step(l.x, &step));
  ok(unf_explorer_commit(l.x, NULL, 0));
  unf_explorer_abandon(l.x);
  ok(unf_explorer_next(l.x, &run));
  for (unsigned i = 0; i < 2; i++)
    offer_loop(&l, i);
  ok(unf_explorer_step(l.x, &step));
  close_loops(&l);
}

/* Whether an action is cut off is found out with its event, of which there may be no more. */
static void a_test_that_fails_is_made_again(void **state) {
  struct loops l;
  unf_run run;
  unf_step step;
  unf_verdict verdict;
  unf_limits limits = {0};
  (void)state;
  open_loops(&l, UNF_QPOR);
  limits.events = 1;
  ok(unf_context_set_limits(l.t.context, &limits));
  ok(unf_explorer_next(l.x, &run));
  for (unsigned i = 0; i < 2; i++)
    offer_loop(&l, i);
  unf_fingerprint change = START;
  ok(unf_explorer_step(l.x, &step));
  ok(unf_explorer_commit(l.x, NULL, 0));
  ok(unf_fingerprint_toggle(UNF_HASH_FAST, &change, 0, NULL, 0));
  ok(unf_explorer_changed(l.x, &change));
  l.inside[0] = true;
  offer_loop(&l, 0);
  fails(UNF_LIMIT, unf_explorer_step(l.x, &step));
  limits.events = 0;
  ok(unf_context_set_limits(l.t.context, &limits));
  ok(unf_explorer_step(l.x, &step));
  assert_int_equal(step.action.kind, UNF_DID_RELEASE);
  unf_explorer_abandon(l.x);
  ok(unf_explorer_next(l.x, &run));
  assert_int_equal(run_loops(&l, &verdict), UNF_STEP_CUTOFF);
  close_loops(&l);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(fragments_come_and_go),
      cmocka_unit_test(counters_add_up),
      cmocka_unit_test(hashes_are_the_known_ones),
      cmocka_unit_test(long_values),
      cmocka_unit_test(fragments_are_independent),
      cmocka_unit_test(wrong_arguments),
      cmocka_unit_test(loops_are_cut),
      cmocka_unit_test(ties_are_decided_by_names),
      cmocka_unit_test(smaller_ones_take_over),
      cmocka_unit_test(states_are_those_of_local_configurations),
      cmocka_unit_test(created_threads_begin_with_nothing),
      cmocka_unit_test(the_table_refuses),
      cmocka_unit_test(endless_loops_end),
      cmocka_unit_test(the_explorer_refuses),
      cmocka_unit_test(a_test_that_fails_is_made_again),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
