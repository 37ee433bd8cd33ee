/* Letters between workers and the ledger: that a split loses nothing, that whatever the bytes are
 * they are refused or do no harm, and that the same letters are written when memory is refused. */
#include "base/table.h"
#include "worker.h"

static uint64_t draw(uint64_t *seed, uint64_t below) {
  *seed = *seed * 6364136223846793005u + 1442695040888963407u;
  return (*seed >> 33) % below;
}

/* ---- sums ---- */

static void explore_alone(program code, unf_counts *counts) {
  struct worker w;
  bool finished = false;
  open_worker(&w, code, NULL);
  while (!finished)
    ok(run(&w, &finished));
  unf_explorer_counts(w.x, counts);
  close_worker(&w);
}

static void add_counts(unf_counts *sum, const unf_counts *more) {
  sum->traces += more->traces;
  sum->complete += more->complete;
  sum->blocked += more->blocked;
  sum->deadlocks += more->deadlocks;
  sum->executions += more->executions;
  sum->steps += more->steps;
  sum->redundant += more->redundant;
}

static void same_sums(const unf_counts *sum, const unf_counts *expected) {
  assert_int_equal(sum->traces, expected->traces);
  assert_int_equal(sum->complete, expected->complete);
  assert_int_equal(sum->blocked, expected->blocked);
  assert_int_equal(sum->deadlocks, expected->deadlocks);
  assert_int_equal(sum->executions, expected->executions);
  assert_int_equal(sum->steps, expected->steps);
  assert_int_equal(sum->redundant, 0);
}

/* Everything is explored by one worker after the other, each of which splits after every execution,
 * makes a second one that does not count, and is lost. */
static void lost_in_the_middle(void **state) {
  (void)state;
  for (unsigned p = 0; p < WORKER_PROGRAMS; p++) {
    struct office o;
    unf_counts sum, expected;
    memset(&sum, 0, sizeof sum);
    explore_alone(programs[p], &expected);
    open_office(&o, NULL);
    ok(unf_ledger_new(o.u, &o.ledger));
    while (look(&o).open > 0) {
      struct worker w;
      bool finished = false;
      open_worker(&w, programs[p], NULL);
      hand_over(&o, &w);
      uint64_t item = w.item;
      ok(run(&w, &finished));
      unf_report told = send(&o, &w, true);
      add_counts(&sum, &told.counts);
      assert_int_equal(told.counts.executions, told.committed);
      if (told.finished) {
        close_worker(&w);
        continue;
      }
      ok(run(&w, &finished));
      if (finished) {
        told = send(&o, &w, false);
        assert_true(told.finished);
        add_counts(&sum, &told.counts);
      } else {
        ok(unf_ledger_take_back(o.ledger, item));
      }
      close_worker(&w);
    }
    assert_true(look(&o).given == 0 && look(&o).nodes == 1);
    same_sums(&sum, &expected);
    close_office(&o);
  }
}

/* What belongs to a ledger that is written after some executions, and to an item that was given
 * after it. */
struct letters {
  struct collected item, report, ledger;
};

static void make_letters(struct letters *l, program code, unsigned executions) {
  struct office o;
  struct worker w;
  bool finished = false;
  unf_report told;
  memset(l, 0, sizeof *l);
  open_office(&o, NULL);
  ok(unf_ledger_new(o.u, &o.ledger));
  open_worker(&w, code, NULL);
  hand_over(&o, &w);
  for (unsigned i = 0; i < executions; i++) {
    ok(run(&w, &finished));
    assert_false(finished);
    send(&o, &w, true);
  }
  assert_true(look(&o).open > 0);
  ok(unf_ledger_write(o.ledger, collect, &l->ledger));
  close_worker(&w);
  open_worker(&w, code, NULL);
  uint64_t item;
  struct collected first = give(&o, &item);
  ok(begin(&w, &first));
  ok(run(&w, &finished));
  l->report = report(&w, true, &told);
  l->item = first;
  close_worker(&w);
  close_office(&o);
}

static void free_letters(struct letters *l) {
  free(l->item.text);
  free(l->report.text);
  free(l->ledger.text);
}

static unf_status read_ledger(struct office *o, const struct collected *text) {
  struct bytes bytes = {text->text, text->size, 0, false};
  unf_status status = unf_ledger_read(o->u, take, &bytes, &o->ledger);
  if (status == UNF_OK) assert_int_equal(bytes.at, bytes.size);
  return status;
}

/* ---- written and read ---- */

/* A ledger that was read gives what the first one gave, and ends with the same sums. */
static void read_again(void **state) {
  (void)state;
  for (unsigned p = 0; p < WORKER_PROGRAMS; p++) {
    struct office first, second;
    struct worker w;
    bool finished = false;
    unf_counts sum, expected;
    unf_report told = UNF_REPORT_INIT;
    memset(&sum, 0, sizeof sum);
    explore_alone(programs[p], &expected);
    open_office(&first, NULL);
    ok(unf_ledger_new(first.u, &first.ledger));
    open_worker(&w, programs[p], NULL);
    hand_over(&first, &w);
    for (bool whole = false; !whole;) {
      struct collected text = {0};
      ok(run(&w, &finished));
      told = send(&first, &w, true);
      add_counts(&sum, &told.counts);
      if (!told.finished) ok(run(&w, &finished));
      if (!told.finished && finished) {
        told = send(&first, &w, false);
        add_counts(&sum, &told.counts);
      }
      ok(unf_ledger_write(first.ledger, collect, &text));
      unf_ledger_state before = look(&first);
      open_office(&second, NULL);
      ok(read_ledger(&second, &text));
      unf_ledger_state after = look(&second);
      /* What is left of an item that somebody had can be several. */
      assert_true(after.open >= before.open + before.given && after.given == 0);
      assert_int_equal(after.finished, before.finished);
      assert_int_equal(after.nodes, before.nodes);
      close_office(&first);
      first = second;
      free(text.text);
      close_worker(&w);
      open_worker(&w, programs[p], NULL);
      whole = after.open == 0;
      if (!whole) hand_over(&first, &w);
    }
    same_sums(&sum, &expected);
    close_worker(&w);
    close_office(&first);
  }
}

/* ---- damage ---- */

static bool is_damage(unf_status status) {
  return status == UNF_CHECKSUM || status == UNF_FORMAT || status == UNF_UNSUPPORTED;
}

static void damaged(const struct letters *l, program code) {
  struct office o;
  struct worker w;
  uint64_t item;
  open_worker(&w, code, NULL);
  assert_true(is_damage(begin(&w, &l->item)));
  close_worker(&w);
  open_office(&o, NULL);
  assert_true(is_damage(read_ledger(&o, &l->ledger)));
  assert_null(o.ledger);
  ok(unf_ledger_new(o.u, &o.ledger));
  struct collected text = give(&o, &item);
  unf_ledger_state before = look(&o);
  assert_true(is_damage(deliver(&o, item, &l->report)));
  unf_ledger_state after = look(&o);
  assert_memory_equal(&before, &after, sizeof before);
  free(text.text);
  close_office(&o);
}

static void flip(struct letters *l, size_t at, unsigned bit) {
  l->item.text[at % l->item.size] ^= (char)(1u << bit);
  l->report.text[at % l->report.size] ^= (char)(1u << bit);
  l->ledger.text[at % l->ledger.size] ^= (char)(1u << bit);
}

static void every_byte(void **state) {
  (void)state;
  for (unsigned p = 0; p < WORKER_PROGRAMS; p++) {
    struct letters l, cut;
    make_letters(&l, programs[p], 2);
    size_t most = l.item.size > l.report.size ? l.item.size : l.report.size;
    if (l.ledger.size > most) most = l.ledger.size;
    for (size_t i = 0; i < most; i++) {
      cut = l;
      cut.item.size = i % l.item.size;
      cut.report.size = i % l.report.size;
      cut.ledger.size = i % l.ledger.size;
      damaged(&cut, programs[p]);
      flip(&l, i, i % 8);
      damaged(&l, programs[p]);
      flip(&l, i, i % 8);
    }
    /* A letter of another kind. */
    struct collected item = l.item;
    l.item = l.report;
    l.report = l.ledger;
    l.ledger = item;
    damaged(&l, programs[p]);
    free_letters(&l);
  }
}

/* ---- enemies ---- */

/* The sums of all blocks, made right again. */
static void sum_again(struct collected *text) {
  uint64_t sum = 0x756e666f6c64u;
  for (size_t at = 0; at + 12 <= text->size;) {
    uint64_t length = 0;
    for (unsigned j = 0; j < 4; j++)
      length |= (uint64_t)(unsigned char)text->text[at + j] << 8 * j;
    if (length > text->size - at - 12) return;
    sum = mix(sum, length);
    for (uint64_t i = 0; i < length; i += 8) {
      uint64_t word = 0;
      for (unsigned j = 0; j < 8 && i + j < length; j++)
        word |= (uint64_t)(unsigned char)text->text[at + 12 + i + j] << 8 * j;
      sum = mix(sum, word);
    }
    for (unsigned j = 0; j < 8; j++)
      text->text[at + 4 + j] = (char)(sum >> 8 * j);
    at += 12 + length;
  }
}

static struct collected changed(const struct collected *text, uint64_t *seed) {
  struct collected copy = {malloc(text->size), text->size, 0};
  assert_non_null(copy.text);
  memcpy(copy.text, text->text, text->size);
  for (uint64_t j = 0; j <= draw(seed, 3); j++) {
    size_t at = 12 + draw(seed, text->size - 24);
    copy.text[at] =
        (char)(draw(seed, 2) ? copy.text[at] + 1 - 2 * (int)draw(seed, 2) : (int)draw(seed, 256));
  }
  sum_again(&copy);
  return copy;
}

/* Whatever a ledger believed, it can be used, and written down and read. */
static void use_ledger(struct office *o) {
  struct collected text = {0};
  struct office again;
  uint64_t item, last = 0;
  for (unsigned i = 0; i < 200 && look(o).open > 0; i++) {
    struct collected one = give(o, &item);
    assert_true(item > last);
    last = item;
    free(one.text);
  }
  if (last != 0) ok(unf_ledger_take_back(o->ledger, last));
  ok(unf_ledger_write(o->ledger, collect, &text));
  open_office(&again, NULL);
  ok(read_ledger(&again, &text));
  assert_true(look(&again).open >= look(o).open + look(o).given);
  close_office(&again);
  free(text.text);
}

/* Whatever a worker believed, it can go on, or sees that it is not its program. */
static bool believe_item(program code, const struct collected *text, uint64_t *seed) {
  struct worker w;
  bool finished = false;
  open_worker(&w, code, NULL);
  unf_status status = begin(&w, text);
  bool believed = status == UNF_OK;
  for (unsigned i = 0; i < 30 && !finished && status == UNF_OK; i++) {
    unf_report told = UNF_REPORT_INIT;
    status = run(&w, &finished);
    if (status != UNF_OK || draw(seed, 3) > 0) continue;
    struct collected letter = report(&w, draw(seed, 2) > 0, &told);
    free(letter.text);
    if (told.finished) break;
  }
  close_worker(&w);
  return believed;
}

static bool believe_report(const struct letters *l, const struct collected *text) {
  struct office o;
  uint64_t item;
  open_office(&o, NULL);
  ok(read_ledger(&o, &l->ledger));
  struct collected given = give(&o, &item);
  bool believed = deliver(&o, item, text) == UNF_OK;
  use_ledger(&o);
  close_office(&o);
  free(given.text);
  return believed;
}

static bool believe_ledger(const struct collected *text) {
  struct office o;
  open_office(&o, NULL);
  bool believed = read_ledger(&o, text) == UNF_OK;
  if (believed) use_ledger(&o);
  close_office(&o);
  return believed;
}

static void enemies(void **state) {
  uint64_t seed = 1, believed[3] = {0};
  (void)state;
  for (unsigned p = 0; p < WORKER_PROGRAMS; p++) {
    struct letters l;
    make_letters(&l, programs[p], 1 + p % 2);
    for (unsigned i = 0; i < 3000; i++) {
      struct collected item = changed(&l.item, &seed), told = changed(&l.report, &seed);
      struct collected ledger = changed(&l.ledger, &seed);
      believed[0] += believe_item(programs[p], &item, &seed);
      believed[1] += believe_report(&l, &told);
      believed[2] += believe_ledger(&ledger);
      free(item.text);
      free(told.text);
      free(ledger.text);
    }
    free_letters(&l);
  }
  for (unsigned i = 0; i < 3; i++)
    assert_true(believed[i] > 100);
}

/* ---- no memory ---- */

struct memory {
  uint64_t calls, fail_at;
};

static void *reallocate(void *user, void *block, size_t old_size, size_t new_size) {
  struct memory *m = user;
  (void)old_size;
  if (new_size > 0 && ++m->calls == m->fail_at) return NULL;
  if (new_size > 0) return realloc(block, new_size);
  free(block);
  return NULL;
}

/* Two workers and a ledger that write to each other. What is in a report may be there twice after a
 * call that was refused; the ledger makes the same of it. */
struct talk {
  struct office o;
  struct worker workers[2];
  struct memory *memory;
  uint64_t sum; /* of all that the ledger writes */
  unf_counts counts;
};

static void note(struct talk *t, const struct collected *text) {
  for (size_t i = 0; i < text->size; i++)
    t->sum = mix(t->sum, (unsigned char)text->text[i]);
}

/* What a call wrote that failed is dropped. */
#define TRY_WRITING(letter, call)                                                                  \
  do {                                                                                             \
    unf_status status_;                                                                            \
    do {                                                                                           \
      (letter)->size = 0;                                                                          \
      status_ = (call);                                                                            \
    } while (status_ == UNF_MEMORY);                                                               \
    assert_int_equal(status_, UNF_OK);                                                             \
  } while (0)

#define TRY_OK(call)                                                                               \
  do {                                                                                             \
    unf_status status_;                                                                            \
    do                                                                                             \
      status_ = (call);                                                                            \
    while (status_ == UNF_MEMORY);                                                                 \
    assert_int_equal(status_, UNF_OK);                                                             \
  } while (0)

static void report_one(struct talk *t, struct worker *w, bool split) {
  struct collected letter = {0};
  unf_report told = UNF_REPORT_INIT;
  TRY_WRITING(&letter, unf_explorer_report(w->x, split, collect, &letter, &told));
  TRY_OK(deliver(&t->o, w->item, &letter));
  add_counts(&t->counts, &told.counts);
  if (told.finished) w->item = 0;
  free(letter.text);
}

static void work(struct talk *t, struct worker *w, bool split) {
  struct collected letter = {0};
  bool finished;
  if (w->item == 0) {
    TRY_WRITING(&letter, unf_ledger_give(t->o.ledger, collect, &letter, &w->item));
    note(t, &letter);
    if (w->item != 0) TRY_OK(begin(w, &letter));
    free(letter.text);
    return;
  }
  TRY_OK(run(w, &finished));
  if (finished || split) report_one(t, w, split);
}

/* The ledger dies, and both workers. Contexts are made anew, of which nothing is refused. */
static void change_ledger(struct talk *t, program code, const unf_context_options *options) {
  struct collected letter = {0};
  uint64_t fail_at = t->memory->fail_at;
  unf_status status;
  TRY_WRITING(&letter, unf_ledger_write(t->o.ledger, collect, &letter));
  note(t, &letter);
  do {
    t->memory->fail_at = 0;
    close_office(&t->o);
    open_office(&t->o, options);
    t->memory->fail_at = fail_at;
    status = read_ledger(&t->o, &letter);
  } while (status == UNF_MEMORY);
  assert_int_equal(status, UNF_OK);
  t->memory->fail_at = 0;
  for (unsigned i = 0; i < 2; i++) {
    close_worker(&t->workers[i]);
    open_worker(&t->workers[i], code, options);
  }
  t->memory->fail_at = fail_at;
  free(letter.text);
}

static void talk(struct talk *t, program code, struct memory *memory, uint64_t fail_at) {
  unf_context_options with = UNF_CONTEXT_OPTIONS_INIT;
  unsigned i = 0;
  with.allocator = (unf_allocator){reallocate, memory};
  memset(t, 0, sizeof *t);
  t->memory = memory;
  *memory = (struct memory){0, 0};
  open_office(&t->o, &with);
  for (unsigned j = 0; j < 2; j++)
    open_worker(&t->workers[j], code, &with);
  *memory = (struct memory){0, fail_at};
  TRY_OK(unf_ledger_new(t->o.u, &t->o.ledger));
  do {
    work(t, &t->workers[i % 2], i % 3 == 0);
    i++;
    if (i != 9) continue;
    change_ledger(t, code, &with);
  } while (look(&t->o).open + look(&t->o).given > 0);
  memory->fail_at = 0;
  assert_int_equal(look(&t->o).nodes, 1);
  for (unsigned j = 0; j < 2; j++)
    close_worker(&t->workers[j]);
  close_office(&t->o);
}

static void no_memory(void **state) {
  (void)state;
  for (unsigned p = 0; p < WORKER_PROGRAMS; p++) {
    struct talk undisturbed, t;
    struct memory memory;
    unf_counts expected;
    explore_alone(programs[p], &expected);
    talk(&undisturbed, programs[p], &memory, 0);
    same_sums(&undisturbed.counts, &expected);
    uint64_t calls = memory.calls;
    assert_true(calls > 100);
    for (uint64_t i = 1; i <= calls; i++) {
      talk(&t, programs[p], &memory, i);
      assert_true(t.sum == undisturbed.sum);
      same_sums(&t.counts, &expected);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(lost_in_the_middle), cmocka_unit_test(read_again),
      cmocka_unit_test(every_byte),         cmocka_unit_test(enemies),
      cmocka_unit_test(no_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
