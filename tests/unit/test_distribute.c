/* One exploration by several workers: what is refused, and in which states; and what the ledger
 * keeps as bytes, where it is larger than in random programs. */
#include "exploration/distribution/explored.h"
#include "exploration/distribution/ledger.h"
#include "exploration/distribution/tail.h"
#include "structure/action.h"
#include "worker.h"

static const unf_explorer_options plain = UNF_EXPLORER_OPTIONS_INIT;

/* ---- the order of calls ---- */

static unf_status try_report(struct worker *w, uint32_t size) {
  unf_report told = UNF_REPORT_INIT;
  struct collected text = {0};
  told.size = size;
  unf_status status = unf_explorer_report(w->x, true, collect, &text, &told);
  free(text.text);
  return status;
}

static void states(void **state) {
  struct office o;
  struct worker w, other;
  unf_run run_begun;
  bool finished = false;
  uint64_t item;
  (void)state;
  open_office(&o, NULL);
  open_worker(&w, locks, NULL);
  ok(unf_ledger_new(o.u, &o.ledger));
  struct collected text = give(&o, &item);
  *watched() = w.context;
  fails(UNF_STATE, try_report(&w, sizeof(unf_report)));
  ok(unf_explorer_next(w.x, &run_begun));
  fails(UNF_STATE, begin(&w, &text));
  unf_explorer_abandon(w.x);
  ok(begin(&w, &text));
  fails(UNF_STATE, begin(&w, &text));
  fails(UNF_INVALID, try_report(&w, 3));
  ok(unf_explorer_next(w.x, &run_begun));
  fails(UNF_STATE, try_report(&w, sizeof(unf_report)));
  unf_explorer_abandon(w.x);
  ok(run(&w, &finished));
  fails(UNF_STATE, begin(&w, &text));
  fails(UNF_UNSUPPORTED, unf_explorer_write(w.x, collect, &text));
  assert_non_null(strstr(unf_context_detail(w.context)->text, "unf_explorer_begin_item()"));
  while (!finished)
    ok(run(&w, &finished));
  /* The end is to be reported. */
  fails(UNF_STATE, begin(&w, &text));
  w.item = item;
  assert_true(send(&o, &w, true).finished);
  fails(UNF_STATE, try_report(&w, sizeof(unf_report)));
  ok(begin(&w, &text));
  *watched() = NULL;
  open_worker(&other, locks, NULL);
  ok(run(&other, &finished));
  assert_int_equal(begin(&other, &text), UNF_STATE);
  close_worker(&other);
  close_worker(&w);
  close_office(&o);
  free(text.text);
}

static void refused(const unf_explorer_options *options, const struct collected *item,
                    const char *word) {
  struct worker w;
  open_names(&w, locks, NULL);
  ok(unf_explorer_new(w.u, options, &w.x));
  assert_int_equal(begin(&w, item), UNF_UNSUPPORTED);
  const char *text = unf_context_detail(w.context)->text;
  assert_non_null(strstr(text, word));
  assert_non_null(strstr(text, "unf_explorer_begin_item()"));
  assert_int_equal(try_report(&w, sizeof(unf_report)), UNF_STATE);
  close_worker(&w);
}

static void by_name(void **state) {
  struct office o;
  uint64_t item;
  (void)state;
  open_office(&o, NULL);
  ok(unf_ledger_new(o.u, &o.ledger));
  struct collected text = give(&o, &item);
  refused(NULL, &text, "qpor");
  for (unsigned a = 0; a < UNF_ALGORITHM_COUNT; a++) {
    unf_explorer_options options = plain;
    options.algorithm = (unf_algorithm)a;
    if (a != UNF_ODPOR) refused(&options, &text, unf_algorithm_text(options.algorithm));
  }
  unf_explorer_options options = plain;
  options.algorithm = UNF_ODPOR;
  options.probes = 4;
  refused(&options, &text, "probes");
  free(text.text);
  close_office(&o);
}

static void unknown_items(void **state) {
  struct office o;
  struct worker w;
  bool finished = false;
  unf_report told;
  uint64_t item, second;
  (void)state;
  open_office(&o, NULL);
  ok(unf_ledger_new(o.u, &o.ledger));
  open_worker(&w, locks, NULL);
  *watched() = o.context;
  fails(UNF_UNKNOWN, unf_ledger_take_back(o.ledger, 0));
  fails(UNF_UNKNOWN, unf_ledger_take_back(o.ledger, 1));
  struct collected text = give(&o, &item), none = give(&o, &second);
  assert_true(item == 1 && second == 0 && none.size == 0);
  ok(begin(&w, &text));
  ok(run(&w, &finished));
  struct collected letter = report(&w, true, &told);
  fails(UNF_UNKNOWN, deliver(&o, 2, &letter));
  ok(unf_ledger_take_back(o.ledger, item));
  fails(UNF_UNKNOWN, unf_ledger_take_back(o.ledger, item));
  /* It comes too late. */
  fails(UNF_UNKNOWN, deliver(&o, item, &letter));
  assert_true(look(&o).open == 1 && look(&o).lost == 1 && look(&o).sequences == 0);
  unf_ledger_state state_of_ledger = {.size = 7};
  fails(UNF_INVALID, unf_ledger_look(o.ledger, &state_of_ledger));
  *watched() = NULL;
  free(letter.text);
  free(text.text);
  close_worker(&w);
  close_office(&o);
}

/* The callbacks fail: nothing is changed. */
static void broken_ways(void **state) {
  struct office o;
  struct worker w;
  bool finished = false;
  uint64_t item;
  unf_report told = UNF_REPORT_INIT;
  struct collected small = {.room = 3};
  struct bytes broken = {"", 0, 0, true}, short_one = {"", 0, 0, false};
  unf_ledger *read = NULL;
  (void)state;
  open_office(&o, NULL);
  ok(unf_ledger_new(o.u, &o.ledger));
  open_worker(&w, locks, NULL);
  *watched() = o.context;
  fails(UNF_WRITE, unf_ledger_give(o.ledger, collect, &small, &item));
  assert_true(item == 0 && look(&o).open == 1);
  fails(UNF_WRITE, unf_ledger_write(o.ledger, collect, &small));
  struct collected text = give(&o, &item);
  fails(UNF_READ, unf_ledger_report(o.ledger, item, take, &broken));
  fails(UNF_CHECKSUM, unf_ledger_report(o.ledger, item, take, &short_one));
  fails(UNF_READ, unf_ledger_read(o.u, take, &broken, &read));
  assert_null(read);
  *watched() = w.context;
  fails(UNF_READ, unf_explorer_begin_item(w.x, take, &broken));
  fails(UNF_STATE, try_report(&w, sizeof told));
  ok(begin(&w, &text));
  ok(run(&w, &finished));
  fails(UNF_WRITE, unf_explorer_report(w.x, true, collect, &small, &told));
  *watched() = NULL;
  w.item = item;
  told = send(&o, &w, true);
  assert_true(told.split && !told.finished);
  free(text.text);
  free(small.text);
  close_worker(&w);
  close_office(&o);
}

/* ---- names and paths ---- */

/* What a thread is about to do by its next operation. */
static struct named_step name_step(struct worker *w, const unf_action *action) {
  struct named_step step;
  unf_operation operation = w->code[action->thread][w->pc[action->thread]];
  ok(unfi_action_intern(w->u, action, &step.action));
  ok(unfi_operation_intern(w->u, &operation, &step.operation));
  return step;
}

/* An item by the actions of its path, beyond which nothing is decided, where some sleep at the
 * first node. */
static struct collected craft_asleep(struct worker *w, const unf_action *actions, unsigned count,
                                     const unf_action *asleep, unsigned asleep_count) {
  struct letter letter = {.u = w->u};
  struct collected text = {0};
  memset(w->pc, 0, sizeof w->pc);
  assert_true(letter_put(&letter, true) && letter_put(&letter, count));
  for (unsigned i = 0; i < count; i++) {
    bool any = i == 0 && asleep_count > 0;
    assert_true(letter_put(&letter, any));
    for (unsigned k = 0; any && k < asleep_count; k++)
      assert_true(letter_put_step(&letter, name_step(w, &asleep[k])));
    assert_true(!any || letter_put_end(&letter));
    assert_true(letter_put_step(&letter, name_step(w, &actions[i])));
    w->pc[actions[i].thread]++;
  }
  assert_true(letter_put_end(&letter));
  ok(unfi_letter_send(&letter, LETTER_ITEM, collect, &text));
  unfi_letter_free(&letter);
  return text;
}

static struct collected craft(struct worker *w, const unf_action *actions, unsigned count) {
  return craft_asleep(w, actions, count, NULL, 0);
}

static unsigned explore_item(struct worker *w, const struct collected *text) {
  bool finished = false;
  unsigned runs = 0;
  ok(begin(w, text));
  for (ok(run(w, &finished)); !finished; ok(run(w, &finished)))
    runs++;
  return runs;
}

/* What slept at the end of the path when a call failed does not sleep in the next item. */
static void awake_after_a_failure(void **state) {
  struct worker w, fresh, names;
  (void)state;
  open_worker(&w, locks, NULL);
  open_worker(&fresh, locks, NULL);
  open_names(&names, locks, NULL);
  unf_object m = worker_name(&names, UNF_MUTEX, 0);
  const unf_thread *t = names.thread;
  const unf_action path[] = {did(UNF_DID_CREATE, t[0], t[2], 0)};
  /* The second one has not started. */
  const unf_action asleep[] = {did(UNF_DID_ACQUIRE, t[1], m, 0), did(UNF_DID_ACQUIRE, t[2], m, 0)};
  struct collected wrong = craft_asleep(&names, path, 1, asleep, 2);
  struct collected part = craft_asleep(&names, path, 1, asleep, 1);
  struct collected whole = craft(&names, path, 1);
  *watched() = w.context;
  fails(UNF_INVALID, begin(&w, &wrong));
  *watched() = NULL;
  unsigned runs = explore_item(&fresh, &whole);
  assert_int_equal(explore_item(&w, &whole), runs);
  close_worker(&fresh);
  open_worker(&fresh, locks, NULL);
  assert_true(explore_item(&fresh, &part) < runs);
  free(wrong.text);
  free(part.text);
  free(whole.text);
  close_worker(&names);
  close_worker(&fresh);
  close_worker(&w);
}

static void impossible_paths(void **state) {
  struct worker w, names;
  (void)state;
  open_worker(&w, locks, NULL);
  open_names(&names, locks, NULL);
  unf_object m = worker_name(&names, UNF_MUTEX, 0);
  const unf_thread *t = names.thread;
  const unf_action wrong[][3] = {
      /* A thread that has not started; one that is created twice; a mutex that is held. */
      {did(UNF_DID_ACQUIRE, t[2], m, 0)},
      {did(UNF_DID_CREATE, t[0], t[2], 0), did(UNF_DID_CREATE, t[0], t[2], 0)},
      {did(UNF_DID_CREATE, t[0], t[2], 0), did(UNF_DID_ACQUIRE, t[0], m, 0),
       did(UNF_DID_ACQUIRE, t[1], m, 0)},
  };
  const unf_action right[] = {did(UNF_DID_CREATE, t[0], t[2], 0), did(UNF_DID_ACQUIRE, t[1], m, 0)};
  *watched() = w.context;
  for (unsigned i = 0; i < 3; i++) {
    struct collected text = craft(&names, wrong[i], i + 1);
    fails(UNF_INVALID, begin(&w, &text));
    assert_non_null(strstr(unf_context_detail(w.context)->text, "not possible"));
    fails(UNF_STATE, try_report(&w, sizeof(unf_report)));
    free(text.text);
  }
  struct collected text = craft(&names, right, 2);
  ok(begin(&w, &text));
  *watched() = NULL;
  unf_run begun;
  ok(unf_explorer_next(w.x, &begun));
  assert_true(begun.decided == 2 && begun.shared == 0);
  close_worker(&names);
  close_worker(&w);
  free(text.text);
}

/* An item whose path has steps: what a second worker is given after a split. */
static struct collected deep_item(program code) {
  struct office o;
  struct worker w;
  bool finished = false;
  uint64_t item;
  open_office(&o, NULL);
  ok(unf_ledger_new(o.u, &o.ledger));
  open_worker(&w, code, NULL);
  hand_over(&o, &w);
  ok(run(&w, &finished));
  assert_true(send(&o, &w, true).split);
  struct collected text = give(&o, &item);
  assert_true(item != 0);
  close_worker(&w);
  close_office(&o);
  return text;
}

/* The path is one of another program, of the same names. */
static void other_program(void **state) {
  struct worker w;
  bool finished;
  (void)state;
  struct collected text = deep_item(locks);
  open_worker(&w, locks, NULL);
  w.code[0][0] = w.code[0][1];
  ok(begin(&w, &text));
  *watched() = w.context;
  fails(UNF_NONDETERMINISM, run(&w, &finished));
  *watched() = NULL;
  close_worker(&w);
  free(text.text);
}

/* What was said of an object is not what the letter says. */
static void other_names(void **state) {
  enum { SEMAPHORE, INITIAL, PLACE, CASES };
  unf_explorer_options odpor = plain;
  struct worker names;
  odpor.algorithm = UNF_ODPOR;
  (void)state;
  open_names(&names, words, NULL);
  unf_object half = worker_name(&names, UNF_LOCATION, 2);
  unf_object semaphore = worker_name(&names, UNF_SEMAPHORE, 3);
  const unf_action path[] = {did(UNF_DID_READ, names.thread[1], half, 0),
                             did(UNF_DID_SEM_WAIT, names.thread[1], semaphore, 0)};
  struct collected text = craft(&names, path, 2);
  for (unsigned i = 0; i < CASES; i++) {
    struct worker w;
    memset(&w, 0, sizeof w);
    ok(unf_context_new(NULL, &w.context));
    ok(unf_unfolding_new(w.context, NULL, &w.u));
    unf_object space = worker_name(&w, UNF_LOCATION, 0), own = worker_name(&w, UNF_LOCATION, 2);
    ok(unf_location_place(w.u, own, space, i == PLACE ? 24 : 18, 2));
    ok(unf_object_set_initial(w.u, own, i == INITIAL ? 9 : 7));
    if (i == SEMAPHORE) ok(unf_object_set_initial(w.u, worker_name(&w, UNF_SEMAPHORE, 3), 2));
    ok(unf_explorer_new(w.u, &odpor, &w.x));
    *watched() = w.context;
    fails(UNF_STATE, begin(&w, &text));
    assert_non_null(strstr(unf_context_detail(w.context)->text, "another one here"));
    *watched() = NULL;
    close_worker(&w);
  }
  free(text.text);
  close_worker(&names);
}

/* A worker that has not named its objects yet is given those of the letter, with all that was said
 * of them. */
static void names_are_given(void **state) {
  unf_explorer_options odpor = plain;
  odpor.algorithm = UNF_ODPOR;
  (void)state;
  for (unsigned p = 0; p < WORKER_PROGRAMS; p++) {
    struct collected text = deep_item(programs[p]);
    struct worker w;
    bool finished;
    memset(&w, 0, sizeof w);
    ok(unf_context_new(NULL, &w.context));
    ok(unf_unfolding_new(w.context, NULL, &w.u));
    for (uint32_t t = 0; t < WORKER_THREADS; t++) {
      ok(unf_thread_name(w.u, UNF_THREAD_NONE, t, &w.thread[t]));
      if (programs[p] != locks || t < 2) ok(unf_thread_start(w.u, w.thread[t]));
    }
    ok(unf_explorer_new(w.u, &odpor, &w.x));
    ok(begin(&w, &text));
    programs[p](&w);
    ok(run(&w, &finished));
    assert_false(finished);
    ok(unf_check_explorer(w.x));
    close_worker(&w);
    free(text.text);
  }
}

static void events_in_the_unfolding(void **state) {
  struct worker w;
  bool finished;
  unf_ledger *ledger = NULL;
  (void)state;
  open_worker(&w, locks, NULL);
  ok(run(&w, &finished));
  *watched() = w.context;
  fails(UNF_STATE, unf_ledger_new(w.u, &ledger));
  struct bytes bytes = {"", 0, 0, false};
  fails(UNF_STATE, unf_ledger_read(w.u, take, &bytes, &ledger));
  *watched() = NULL;
  assert_null(ledger);
  close_worker(&w);
}

/* ---- as bytes ---- */

/* Of 300 that differ, some with the same action. */
static struct named_step some_step(uint32_t number) {
  return (struct named_step){1 + number % 300 / 2, 1 + number % 2};
}

static void check_step(struct named_step step, struct named_step wanted) {
  assert_int_equal(step.action, wanted.action);
  assert_int_equal(step.operation, wanted.operation);
}

/* Some leaves, and behind them a branch that has all of these below it. */
static void list_leaves(struct shared_tree *tree, uint32_t leaves, struct branches *out) {
  for (uint32_t i = 0; i <= leaves; i++) {
    const uint32_t number = step_number(&tree->numbers, some_step(i));
    const struct explored_branch branch = {number, i < leaves ? 0 : leaves};
    assert_true(branches_push(tree->u->context, out, branch));
  }
}

/* `longs`: of the branches so many fit into no word. */
static void check_list(struct shared_tree *tree, uint32_t leaves, uint32_t longs) {
  struct branches branches = {.words.count = 0};
  list_leaves(tree, leaves, &branches);
  assert_int_equal(branches.longs.count, longs);
  assert_int_equal(unfi_explored_roots(&branches, 0, leaves + 1), 1);
  assert_int_equal(unfi_explored_roots(&branches, 0, leaves), leaves);
  assert_true(unfi_explored_reserve(tree, &branches));
  const uint32_t list = unfi_explored_begin(tree, &branches);
  assert_int_equal(tree->held, leaves + 1);
  for (uint32_t i = 0; i < leaves; i++) {
    const struct explored_branch branch = explored_at(tree, (struct stretch){list, 1, leaves}, i);
    check_step(step_numbered(&tree->numbers, branch.number), some_step(i + 1));
    assert_int_equal(branch.below, i + 1 < leaves ? 0 : leaves);
  }
  unfi_explored_end(tree, list);
  assert_int_equal(tree->held, 0);
  unfi_branches_free(tree->u->context, &branches);
}

/* The first is copied, the others are taken as they are. */
static void long_lists(void **state) {
  struct office o;
  (void)state;
  open_office(&o, NULL);
  ok(unf_ledger_new(o.u, &o.ledger));
  check_list(&o.ledger->tree, 1000, 0);
  check_list(&o.ledger->tree, 4095, 0);
  check_list(&o.ledger->tree, 4096, 1);
  check_list(&o.ledger->tree, 70000, 1);
  close_office(&o);
}

/* Some fit into no word, because of either number. */
static struct explored_branch some_branch(uint32_t place) {
  const uint32_t most = (1u << 20) - 1;
  return (struct explored_branch){place % 5 == 3 ? most + place % 2 : 1 + place % 1000,
                                  place % 7 == 5 ? 4095 + place % 2 : place % 100};
}

static void check_branches(const struct branches *branches, uint32_t dropped, uint32_t count) {
  assert_int_equal(branches_count(branches), count - dropped);
  for (uint32_t i = 0; i < count - dropped; i++) {
    const struct explored_branch branch = branches_at(branches, i);
    assert_int_equal(branch.number, some_branch(dropped + i).number);
    assert_int_equal(branch.below, some_branch(dropped + i).below);
  }
}

/* Those in front of some place are dropped, time after time; and what is left is copied. */
static void branches_of_all_sizes(void **state) {
  enum { COUNT = 3000, EACH = 613 };
  struct branches branches = {.words.count = 0}, copy = {.words.count = 0};
  struct office o;
  (void)state;
  open_office(&o, NULL);
  unf_context *context = o.context;
  for (uint32_t i = 0; i < COUNT; i++)
    assert_true(branches_push(context, &branches, some_branch(i)));
  for (uint32_t dropped = 0; dropped < COUNT; dropped += EACH) {
    unfi_branches_drop(&branches, dropped > 0 ? EACH : 0);
    check_branches(&branches, dropped, COUNT);
    assert_true(unfi_branches_reserve(context, &copy, &branches));
    unfi_branches_copy(&copy, &branches);
    check_branches(&copy, dropped, COUNT);
  }
  unfi_branches_free(context, &branches);
  unfi_branches_free(context, &copy);
  close_office(&o);
}

enum { SEQUENCES = 2000, LONGEST = 5000 };

/* Most are short; some are longer than a block. */
static uint32_t length_of(uint32_t sequence) {
  return sequence % 500 == 7 ? LONGEST : 1 + sequence % 50;
}

static void check_sequence(const struct named_step *steps, uint32_t count, uint32_t sequence) {
  assert_int_equal(count, length_of(sequence));
  for (uint32_t i = 0; i < count; i++)
    check_step(steps[i], some_step(sequence + i));
}

/* Those that wait come in their order, and wait elsewhere in it. */
static void long_waiting(void **state) {
  struct office o;
  static struct named_step steps[LONGEST];
  (void)state;
  open_office(&o, NULL);
  ok(unf_ledger_new(o.u, &o.ledger));
  struct shared_tree *tree = &o.ledger->tree;
  assert_true(unfi_shared_reserve(tree, 1));
  const uint32_t child = unfi_shared_append(tree, 1, some_step(0), NODE_OPEN, false);
  for (uint32_t s = 0; s < SEQUENCES; s++) {
    for (uint32_t i = 0; i < length_of(s); i++)
      steps[i] = some_step(s + i);
    assert_true(unfi_tail_wait(tree, 1, steps, length_of(s)));
  }
  for (uint32_t turn = 0, from = 1, to = child; turn < 4;
       turn++, from = to, to = 1 + child - from) {
    assert_true(unfi_tail_reserve(tree, from));
    for (uint32_t s = 0; s < SEQUENCES; s++) {
      const uint32_t count = unfi_tail_awaken(tree, from);
      check_sequence(tree->rest.data, count, s);
      assert_true(unfi_tail_wait(tree, to, tree->rest.data, count));
    }
    assert_int_equal(unfi_tail_awaken(tree, from), 0);
    assert_int_equal(tree->promised, 0);
  }
  close_office(&o);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(states),           cmocka_unit_test(by_name),
      cmocka_unit_test(unknown_items),    cmocka_unit_test(broken_ways),
      cmocka_unit_test(impossible_paths), cmocka_unit_test(awake_after_a_failure),
      cmocka_unit_test(other_program),    cmocka_unit_test(other_names),
      cmocka_unit_test(names_are_given),  cmocka_unit_test(events_in_the_unfolding),
      cmocka_unit_test(long_lists),       cmocka_unit_test(branches_of_all_sizes),
      cmocka_unit_test(long_waiting),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
