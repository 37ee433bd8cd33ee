/* Data races: what is ordered and what is not, the bytes that overlap, steps that executions share,
 * executions that are not watched, and refusals. */
#include "fixture.h"

#include <stdio.h>

struct watch {
  struct fixture f;
  unf_configuration *c;
  unf_races *races;
};

static void begin(struct watch *w, uint64_t shared, uint64_t resumed) {
  uint64_t kept = resumed;
  bool watched = false;
  ok(unf_races_begin(w->races, shared, &kept, &watched));
  assert_true(watched);
  assert_int_equal(kept, resumed);
}

static void open_watch(struct watch *w, const unf_races_options *options) {
  open_fixture(&w->f);
  ok(unf_configuration_new(w->f.u, &w->c));
  ok(unf_races_new(w->f.u, options, &w->races));
}

static void close_watch(struct watch *w) {
  unf_races_free(w->races);
  unf_configuration_free(w->c);
  close_fixture(&w->f);
}

static void step(struct watch *w, unf_action_kind kind, unf_thread thread, uint32_t target) {
  ok(unf_races_step(w->races, perform(w->c, kind, thread, target, 0)));
}

static void join_left(struct watch *w) {
  unf_operation end = UNF_OP_EXIT();
  ok(unf_configuration_offer(w->c, w->f.left, &end));
  step(w, UNF_DID_JOIN, w->f.main, w->f.left);
}

static void touch(struct watch *w, unf_thread thread, bool write, uint64_t address, uint64_t size,
                  uint64_t place) {
  unf_access access = {thread, write, address, size, place};
  ok(unf_races_access(w->races, &access));
}

static uint64_t found(const struct watch *w) {
  unf_races_counts counts;
  unf_races_counts_get(w->races, &counts);
  return counts.races;
}

/* main has created both threads. */
static void open_threads(struct watch *w) {
  open_watch(w, NULL);
  begin(w, 0, 0);
  step(w, UNF_DID_CREATE, w->f.main, w->f.left);
  step(w, UNF_DID_CREATE, w->f.main, w->f.right);
}

static void unordered(void **state) {
  struct watch w;
  unf_race race;
  open_threads(&w);
  touch(&w, w.f.left, false, 16, 4, 1);
  touch(&w, w.f.right, false, 16, 4, 2);
  assert_int_equal(found(&w), 0);
  touch(&w, w.f.right, true, 18, 1, 3);
  touch(&w, w.f.right, true, 18, 1, 3);
  assert_int_equal(found(&w), 1);
  ok(unf_races_get(w.races, 0, &race));
  assert_int_equal(race.first.thread, w.f.left);
  assert_false(race.first.write);
  assert_int_equal(race.first.place, 1);
  assert_int_equal(race.second.thread, w.f.right);
  assert_true(race.second.write);
  assert_int_equal(race.second.place, 3);
  assert_int_equal(race.first.address, 18);
  assert_int_equal(race.first.size, 1);
  assert_int_equal(race.count, 1);
  assert_int_equal(race.execution, 1);
  assert_int_equal(race.steps, 2);
  fails(UNF_UNKNOWN, unf_races_get(w.races, 1, &race));
  close_watch(&w);
}

static void check_after(const struct watch *w, uint64_t index, unf_event first, unf_event second) {
  unf_event after[2];
  ok(unf_races_after(w->races, index, &after[0], &after[1]));
  assert_int_equal(after[0], first);
  assert_int_equal(after[1], second);
}

/* Behind which events the accesses of a race are. */
static void places_of_accesses(void **state) {
  struct watch w;
  unf_event first, second;
  open_threads(&w);
  touch(&w, w.f.left, false, 16, 4, 1);
  touch(&w, w.f.right, true, 16, 4, 2);
  check_after(&w, 0, 1, 2);
  touch(&w, w.f.main, true, 32, 4, 3);
  step(&w, UNF_DID_ACQUIRE, w.f.left, w.f.m);
  touch(&w, w.f.left, true, 64, 4, 4);
  step(&w, UNF_DID_RELEASE, w.f.left, w.f.m);
  touch(&w, w.f.left, true, 32, 4, 5);
  check_after(&w, 1, 2, 4);
  touch(&w, w.f.right, true, 64, 4, 6);
  check_after(&w, 2, 3, 2);
  touch(&w, w.f.right, true, 16, 4, 2); /* known */
  check_after(&w, 0, 1, 2);
  fails(UNF_UNKNOWN, unf_races_after(w.races, 3, &first, &second));
  close_watch(&w);
}

static void ordered(void **state) {
  struct watch w;
  open_watch(&w, NULL);
  begin(&w, 0, 0);
  touch(&w, w.f.main, true, 8, 8, 1);
  step(&w, UNF_DID_CREATE, w.f.main, w.f.left);
  touch(&w, w.f.left, true, 8, 8, 2);
  step(&w, UNF_DID_ACQUIRE, w.f.left, w.f.m);
  touch(&w, w.f.left, true, 24, 8, 3);
  step(&w, UNF_DID_RELEASE, w.f.left, w.f.m);
  step(&w, UNF_DID_ACQUIRE, w.f.main, w.f.m);
  touch(&w, w.f.main, true, 24, 8, 4);
  touch(&w, w.f.main, true, 8, 8, 5);
  assert_int_equal(found(&w), 0);
  /* After its last event left is ordered by the join alone. */
  touch(&w, w.f.left, true, 32, 8, 6);
  join_left(&w);
  touch(&w, w.f.main, true, 32, 8, 7);
  assert_int_equal(found(&w), 0);
  close_watch(&w);
}

static void without_a_join(void **state) {
  struct watch w;
  open_threads(&w);
  step(&w, UNF_DID_ACQUIRE, w.f.left, w.f.m);
  step(&w, UNF_DID_RELEASE, w.f.left, w.f.m);
  touch(&w, w.f.left, true, 8, 8, 1);
  step(&w, UNF_DID_ACQUIRE, w.f.right, w.f.m);
  touch(&w, w.f.right, false, 8, 8, 2);
  assert_int_equal(found(&w), 1);
  /* The join orders main only. */
  join_left(&w);
  touch(&w, w.f.main, false, 8, 8, 3);
  assert_int_equal(found(&w), 1);
  touch(&w, w.f.right, false, 8, 8, 4);
  assert_int_equal(found(&w), 2);
  close_watch(&w);
}

/* An access that comes before does not hide one that does not, also of the same
 * thread and place. */
static void every_pair(void **state) {
  struct watch w;
  open_threads(&w);
  touch(&w, w.f.left, true, 8, 8, 1);
  step(&w, UNF_DID_ACQUIRE, w.f.left, w.f.m);
  touch(&w, w.f.left, true, 8, 8, 2);
  step(&w, UNF_DID_RELEASE, w.f.left, w.f.m);
  touch(&w, w.f.left, true, 8, 8, 3);
  touch(&w, w.f.left, true, 8, 8, 2);
  step(&w, UNF_DID_ACQUIRE, w.f.right, w.f.m);
  touch(&w, w.f.right, false, 8, 8, 4);
  assert_int_equal(found(&w), 2);
  close_watch(&w);
}

static void bytes(void **state) {
  struct watch w;
  unf_race race;
  open_threads(&w);
  touch(&w, w.f.left, true, 6, 20, 1);
  touch(&w, w.f.right, true, 4, 2, 2);
  touch(&w, w.f.right, true, 26, 40, 3);
  assert_int_equal(found(&w), 0);
  touch(&w, w.f.right, true, 25, 1, 4);
  touch(&w, w.f.right, true, 0, 7, 5);
  touch(&w, w.f.right, true, 12, 1, 6);
  assert_int_equal(found(&w), 3);
  ok(unf_races_get(w.races, 1, &race));
  assert_int_equal(race.first.address, 6);
  assert_int_equal(race.first.size, 1);
  touch(&w, w.f.left, true, UINT64_MAX, 1, 7);
  touch(&w, w.f.right, false, UINT64_MAX - 4, 5, 8);
  assert_int_equal(found(&w), 4);
  close_watch(&w);
}

static void forgotten(void **state) {
  struct watch w;
  open_threads(&w);
  touch(&w, w.f.left, true, 0, 64, 1);
  ok(unf_races_forget(w.races, 9, 20));
  touch(&w, w.f.right, true, 9, 20, 2);
  assert_int_equal(found(&w), 0);
  touch(&w, w.f.right, true, 8, 1, 3);
  touch(&w, w.f.right, true, 29, 1, 4);
  assert_int_equal(found(&w), 2);
  ok(unf_races_forget(w.races, 0, 1 << 20));
  touch(&w, w.f.right, true, 0, 64, 5);
  assert_int_equal(found(&w), 2);
  close_watch(&w);
}

static void second_run(struct watch *w, bool again) {
  if (again) {
    step(w, UNF_DID_CREATE, w->f.main, w->f.left);
    step(w, UNF_DID_CREATE, w->f.main, w->f.right);
    touch(w, w->f.left, true, 8, 8, 1);
    touch(w, w->f.right, true, 8, 8, 2);
    touch(w, w->f.left, true, 16, 8, 3);
  }
  step(w, UNF_DID_ACQUIRE, w->f.right, w->f.m);
  touch(w, w->f.right, true, 16, 8, 5);
}

/* The race of the steps shared counts for both executions, whether they are performed again or
 * not; what the first did after them is taken back. */
static void shared_steps(void **state) {
  for (int again = 0; again < 2; again++) {
    struct watch w;
    unf_race race;
    open_threads(&w);
    touch(&w, w.f.left, true, 8, 8, 1);
    touch(&w, w.f.right, true, 8, 8, 2);
    touch(&w, w.f.left, true, 16, 8, 3);
    step(&w, UNF_DID_ACQUIRE, w.f.left, w.f.m);
    touch(&w, w.f.left, true, 24, 8, 4);
    touch(&w, w.f.left, true, 16, 8, 3);
    assert_int_equal(found(&w), 1);
    if (again) {
      unf_configuration_clear(w.c);
    } else {
      unf_configuration_free(w.c);
      ok(unf_configuration_new(w.f.u, &w.c));
      perform(w.c, UNF_DID_CREATE, w.f.main, w.f.left, 0);
      perform(w.c, UNF_DID_CREATE, w.f.main, w.f.right, 0);
    }
    begin(&w, 2, again ? 0 : 2);
    second_run(&w, again);
    touch(&w, w.f.right, false, 24, 8, 6);
    assert_int_equal(found(&w), 2);
    ok(unf_races_get(w.races, 0, &race));
    assert_int_equal(race.count, 2);
    assert_int_equal(race.execution, 1);
    ok(unf_races_get(w.races, 1, &race));
    assert_int_equal(race.count, 1);
    assert_int_equal(race.execution, 2);
    assert_int_equal(race.steps, 3);
    close_watch(&w);
  }
}

/* The same places, raced at by others in the second execution. */
static void here(void **state) {
  struct watch w;
  uint64_t index;
  unf_race race;
  open_threads(&w);
  touch(&w, w.f.left, true, 16, 8, 1);
  touch(&w, w.f.right, true, 16, 8, 2);
  touch(&w, w.f.left, true, 32, 8, 3);
  touch(&w, w.f.right, true, 32, 8, 4);
  assert_int_equal(unf_races_here_count(w.races), 2);
  unf_configuration_clear(w.c);
  begin(&w, 0, 0);
  assert_int_equal(unf_races_here_count(w.races), 0);
  step(&w, UNF_DID_CREATE, w.f.main, w.f.left);
  step(&w, UNF_DID_CREATE, w.f.main, w.f.right);
  touch(&w, w.f.right, false, 40, 4, 3);
  touch(&w, w.f.left, true, 40, 8, 4);
  assert_int_equal(unf_races_here_count(w.races), 1);
  ok(unf_races_here(w.races, 0, &index, &race));
  assert_int_equal(index, 1);
  assert_int_equal(race.first.thread, w.f.right);
  assert_false(race.first.write);
  assert_int_equal(race.first.address, 40);
  assert_int_equal(race.first.size, 4);
  assert_int_equal(race.count, 2);
  assert_int_equal(race.execution, 2);
  ok(unf_races_get(w.races, 1, &race)); /* as it was seen first */
  assert_int_equal(race.first.thread, w.f.left);
  assert_int_equal(race.first.address, 32);
  assert_int_equal(race.execution, 1);
  fails(UNF_UNKNOWN, unf_races_here(w.races, 1, &index, &race));
  close_watch(&w);
}

static void sampled(void **state) {
  struct watch w;
  unf_races_options options = UNF_RACES_OPTIONS_INIT;
  unf_access access = {0, true, 8, 8, 1};
  unf_races_counts counts;
  uint64_t resumed = 0;
  bool watched;
  options.every = 3;
  open_watch(&w, &options);
  begin(&w, 0, 0);
  step(&w, UNF_DID_CREATE, w.f.main, w.f.left);
  step(&w, UNF_DID_CREATE, w.f.main, w.f.right);
  for (int i = 0; i < 2; i++) {
    resumed = 1;
    ok(unf_races_begin(w.races, 1, &resumed, &watched));
    assert_false(watched);
    assert_int_equal(resumed, 1);
    fails(UNF_STATE, unf_races_access(w.races, &access));
    fails(UNF_STATE, unf_races_step(w.races, 1));
    fails(UNF_STATE, unf_races_forget(w.races, 8, 8));
  }
  /* The second execution that was not watched went another way from the first step on. */
  resumed = 5;
  ok(unf_races_begin(w.races, 5, &resumed, &watched));
  assert_true(watched);
  assert_int_equal(resumed, 1);
  close_watch(&w);
  options.every = 4;
  options.seed = 7;
  open_watch(&w, &options);
  for (int i = 0; i < 4000; i++) {
    resumed = 0;
    ok(unf_races_begin(w.races, 0, &resumed, &watched));
  }
  unf_races_counts_get(w.races, &counts);
  assert_int_equal(counts.executions, 4000);
  assert_in_range(counts.watched, 900, 1100);
  close_watch(&w);
}

/* An execution dropped before it reported what follows its last step. */
static void dropped(void **state) {
  struct watch w;
  uint64_t resumed = 2;
  bool watched;
  open_threads(&w);
  touch(&w, w.f.left, true, 8, 8, 1);
  ok(unf_races_begin(w.races, 2, &resumed, &watched));
  assert_int_equal(resumed, 1);
  unf_configuration_clear(w.c);
  perform(w.c, UNF_DID_CREATE, w.f.main, w.f.left, 0);
  step(&w, UNF_DID_CREATE, w.f.main, w.f.right);
  touch(&w, w.f.left, true, 8, 8, 1);
  touch(&w, w.f.right, true, 8, 8, 2);
  assert_int_equal(found(&w), 1);
  close_watch(&w);
}

/* A detector that goes on behind so many executions watches those that the first one would. */
static void sampled_on(void **state) {
  enum { BEFORE = 37, AFTER = 200 };
  static const uint64_t seeds[] = {0, 7};
  (void)state;
  for (unsigned i = 0; i < 2; i++) {
    bool watched[BEFORE + AFTER], again;
    unf_races_options options = UNF_RACES_OPTIONS_INIT;
    uint64_t resumed = 0;
    struct watch w;
    options.every = 5;
    options.seed = seeds[i];
    open_watch(&w, &options);
    for (unsigned j = 0; j < BEFORE + AFTER; j++, resumed = 0)
      ok(unf_races_begin(w.races, 0, &resumed, &watched[j]));
    close_watch(&w);
    options.before = BEFORE;
    open_watch(&w, &options);
    for (unsigned j = 0; j < AFTER; j++, resumed = 0) {
      ok(unf_races_begin(w.races, 0, &resumed, &again));
      assert_int_equal(again, watched[BEFORE + j]);
    }
    close_watch(&w);
  }
}

static void refusals(void **state) {
  struct watch w;
  unf_races *none;
  unf_races_options options = UNF_RACES_OPTIONS_INIT;
  uint64_t resumed = 3;
  bool watched;
  unf_access access = {99, true, 8, 8, 1};
  open_watch(&w, NULL);
  options.every = 0;
  fails(UNF_INVALID, unf_races_new(w.f.u, &options, &none));
  fails_alone(UNF_INVALID, unf_races_new(NULL, NULL, &none));
  fails(UNF_INVALID, unf_races_begin(w.races, 2, &resumed, &watched));
  fails(UNF_STATE, unf_races_step(w.races, 1));
  begin(&w, 0, 0);
  fails(UNF_UNKNOWN, unf_races_step(w.races, 1));
  fails(UNF_INVALID, unf_races_step(w.races, UNF_EVENT_BOTTOM));
  unf_event event = perform(w.c, UNF_DID_CREATE, w.f.main, w.f.left, 0);
  unf_event next = perform(w.c, UNF_DID_CREATE, w.f.main, w.f.right, 0);
  fails(UNF_STATE, unf_races_step(w.races, next));
  ok(unf_races_step(w.races, event));
  fails(UNF_UNKNOWN, unf_races_access(w.races, &access));
  access.thread = w.f.right;
  fails(UNF_STATE, unf_races_access(w.races, &access));
  access.thread = w.f.left;
  access.size = 0;
  fails(UNF_INVALID, unf_races_access(w.races, &access));
  fails(UNF_INVALID, unf_races_forget(w.races, 8, 0));
  access.address = UINT64_MAX - 3;
  access.size = 5;
  fails(UNF_INVALID, unf_races_access(w.races, &access));
  fails(UNF_INVALID, unf_races_forget(w.races, access.address, 5));
  unf_races_free(NULL);
  close_watch(&w);
}

/* Cells beyond the first growth of every table, and back. */
static void many(void **state) {
  struct watch w;
  open_threads(&w);
  for (unsigned i = 0; i < 5000; i++) {
    touch(&w, w.f.left, true, 8 * i, 8, 1 + i % 7);
    if (i % 500 == 0) {
      step(&w, UNF_DID_ACQUIRE, w.f.left, w.f.m);
      step(&w, UNF_DID_RELEASE, w.f.left, w.f.m);
    }
  }
  touch(&w, w.f.right, false, 0, 40000, 10);
  assert_int_equal(found(&w), 7);
  begin(&w, 2, 2);
  touch(&w, w.f.right, false, 8, 40000, 11);
  close_watch(&w);
}

/* Accesses and forgotten bytes of whole pages, and the same in pieces that are never a page. */
struct pieces {
  struct watch w; /* is told of everything as it is */
  unf_races *pieces;
  uint64_t random;
};

static uint64_t draw(struct pieces *p, uint64_t below) {
  p->random = p->random * 6364136223846793005u + 1442695040888963407u;
  return (p->random >> 33) % below;
}

static void piecewise(struct pieces *p, const unf_access *access, bool forget) {
  enum { PIECE = 1000 };
  for (uint64_t at = 0; at < access->size; at += PIECE) {
    unf_access piece = *access;
    piece.address += at;
    piece.size = access->size - at < PIECE ? access->size - at : PIECE;
    ok(forget ? unf_races_forget(p->pieces, piece.address, piece.size)
              : unf_races_access(p->pieces, &piece));
  }
}

static void draw_access(struct pieces *p) {
  enum { PAGE = 4096, PAGES = 5 };
  static const uint64_t sizes[] = {1, 8, 40, 700, PAGE, 2 * PAGE, 3 * PAGE + 24};
  const bool even = draw(p, 2) == 0, forget = draw(p, 5) == 0;
  const struct fixture *f = &p->w.f;
  const unf_thread threads[] = {f->main, f->left, f->right};
  const unf_access access = {threads[draw(p, 3)], draw(p, 3) == 0,
                             even ? PAGE * draw(p, PAGES) : draw(p, (uint64_t)PAGE * PAGES),
                             sizes[draw(p, sizeof sizes / sizeof *sizes)], 1 + draw(p, 6)};
  ok(forget ? unf_races_forget(p->w.races, access.address, access.size)
            : unf_races_access(p->w.races, &access));
  piecewise(p, &access, forget);
}

/* An event of one of them, the same for both. */
static void draw_step(struct pieces *p) {
  const struct fixture *f = &p->w.f;
  const unf_thread thread = draw(p, 2) == 0 ? f->left : f->right;
  const unf_action_kind kinds[] = {UNF_DID_ACQUIRE, UNF_DID_RELEASE};
  for (unsigned i = 0; i < 2; i++) {
    const unf_event event = perform(p->w.c, kinds[i], thread, f->m, 0);
    ok(unf_races_step(p->w.races, event));
    ok(unf_races_step(p->pieces, event));
  }
}

static bool has_race(const unf_races *races, uint64_t a, uint64_t b, uint64_t *count) {
  unf_races_counts counts;
  unf_races_counts_get(races, &counts);
  for (uint64_t i = 0; i < counts.races; i++) {
    unf_race race;
    ok(unf_races_get(races, i, &race));
    if ((race.first.place != a || race.second.place != b) &&
        (race.first.place != b || race.second.place != a))
      continue;
    *count = race.count;
    return true;
  }
  return false;
}

static void same_found(const struct pieces *p) {
  for (uint64_t a = 1; a < 7; a++)
    for (uint64_t b = a; b < 7; b++) {
      uint64_t whole = 0, parts = 0;
      assert_int_equal(has_race(p->w.races, a, b, &whole), has_race(p->pieces, a, b, &parts));
      assert_int_equal(whole, parts);
    }
}

/* Again from after the two creates, as an execution that shares these and resumes there. */
static void go_back(struct pieces *p) {
  uint64_t resumed = 2;
  bool watched;
  draw_step(p); /* the accesses after the last step may be incomplete */
  begin(&p->w, 2, 2);
  ok(unf_races_begin(p->pieces, 2, &resumed, &watched));
  unf_configuration_clear(p->w.c);
  perform(p->w.c, UNF_DID_CREATE, p->w.f.main, p->w.f.left, 0);
  perform(p->w.c, UNF_DID_CREATE, p->w.f.main, p->w.f.right, 0);
}

static void pages(void **state) {
  for (uint64_t seed = 1; seed <= 300; seed++) {
    struct pieces p = {.random = seed};
    uint64_t resumed = 0;
    bool watched;
    open_watch(&p.w, NULL);
    ok(unf_races_new(p.w.f.u, NULL, &p.pieces));
    begin(&p.w, 0, 0);
    ok(unf_races_begin(p.pieces, 0, &resumed, &watched));
    const unf_thread created[] = {p.w.f.left, p.w.f.right};
    for (unsigned i = 0; i < 2; i++) {
      const unf_event event = perform(p.w.c, UNF_DID_CREATE, p.w.f.main, created[i], 0);
      ok(unf_races_step(p.w.races, event));
      ok(unf_races_step(p.pieces, event));
    }
    for (unsigned round = 0; round < 4; round++) {
      const uint64_t few = 3 + draw(&p, 12);
      for (uint64_t i = 0; i < few; i++)
        if (draw(&p, 3) == 0)
          draw_step(&p);
        else
          draw_access(&p);
      same_found(&p);
      if (draw(&p, 2) == 0) go_back(&p);
    }
    unf_races_free(p.pieces);
    close_watch(&p.w);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(unordered),  cmocka_unit_test(places_of_accesses),
      cmocka_unit_test(ordered),    cmocka_unit_test(without_a_join),
      cmocka_unit_test(every_pair), cmocka_unit_test(bytes),
      cmocka_unit_test(forgotten),  cmocka_unit_test(shared_steps),
      cmocka_unit_test(sampled),    cmocka_unit_test(sampled_on),
      cmocka_unit_test(dropped),    cmocka_unit_test(here),
      cmocka_unit_test(refusals),   cmocka_unit_test(many),
      cmocka_unit_test(pages),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
