/* Locations that are ranges of bytes: where they can be placed, what they have in common, and the
 * values that are put together from their parts. */
#include "fixture.h"

static unf_object location(struct fixture *f, uint64_t key) {
  unf_object object;
  ok(unf_object_name(f->u, UNF_LOCATION, UNF_THREAD_NONE, key, &object));
  return object;
}

/* A location with some bytes of a word. */
static unf_object part(struct fixture *f, unf_object word, uint64_t first, uint32_t size) {
  unf_object object = location(f, 1000 + 10 * first + size);
  ok(unf_location_place(f->u, object, word, first, size));
  return object;
}

static bool dependent(struct fixture *f, unf_action_kind a, unf_object x, unf_action_kind b,
                      unf_object y) {
  unf_action left = did(a, f->left, x, 0), right = did(b, f->right, y, 0);
  bool result;
  ok(unf_actions_dependent(f->u, &left, &right, &result));
  return result;
}

static int64_t value(const unf_configuration *c, unf_object object) {
  int64_t result;
  ok(unf_configuration_value(c, object, &result));
  return result;
}

static void operate(unf_configuration *c, unf_thread thread, unf_operation operation,
                    unf_action_kind kind) {
  ok(unf_configuration_offer(c, thread, &operation));
  perform(c, kind, thread, operation.target, 0);
}

static void places(void **state) {
  struct fixture f;
  unf_object space;
  uint64_t first;
  uint32_t size;
  (void)state;
  open_fixture(&f);
  unf_object word = location(&f, 0), other = location(&f, 1);
  fails(UNF_INVALID, unf_location_place(f.u, word, word, 0, 0));
  fails(UNF_INVALID, unf_location_place(f.u, word, word, 0, 9));
  fails(UNF_INVALID, unf_location_place(f.u, word, word, UINT64_MAX - 1, 2));
  fails(UNF_INVALID, unf_location_place(f.u, f.m, word, 0, 1));
  fails(UNF_INVALID, unf_location_place(f.u, word, f.m, 0, 1));
  fails(UNF_UNKNOWN, unf_location_place(f.u, 1000, word, 0, 1));
  fails(UNF_UNKNOWN, unf_location_place(f.u, word, 1000, 0, 1));
  fails(UNF_INVALID, unf_location_describe(f.u, f.m, NULL, NULL, NULL));
  fails(UNF_UNKNOWN, unf_location_describe(f.u, 1000, NULL, NULL, NULL));
  ok(unf_location_describe(f.u, word, &space, &first, &size));
  assert_int_equal(space, UNF_OBJECT_NONE);
  assert_int_equal(size, 8);
  ok(unf_location_place(f.u, word, word, 0, 8));
  ok(unf_location_place(f.u, word, word, 0, 8));
  fails(UNF_STATE, unf_location_place(f.u, word, word, 0, 4));
  ok(unf_location_place(f.u, other, word, 6, 4));
  ok(unf_location_describe(f.u, other, &space, &first, &size));
  assert_int_equal(space, word);
  assert_int_equal(first, 6);
  assert_int_equal(size, 4);
  close_fixture(&f);
}

static void bytes_in_common(void **state) {
  struct fixture f;
  (void)state;
  open_fixture(&f);
  unf_object word = location(&f, 0);
  unf_object high = part(&f, word, 6, 4), low = part(&f, word, 0, 2);
  ok(unf_location_place(f.u, word, word, 0, 8));
  unf_object twin = part(&f, word, 0, 8), middle = part(&f, word, 1, 6),
             far = part(&f, word, 12, 1);
  assert_true(dependent(&f, UNF_DID_WRITE, word, UNF_DID_READ, high));
  assert_true(dependent(&f, UNF_DID_WRITE, low, UNF_DID_WRITE, twin));
  assert_true(dependent(&f, UNF_DID_READ, middle, UNF_DID_WRITE, low));
  assert_true(dependent(&f, UNF_DID_WRITE, middle, UNF_DID_WRITE, high));
  assert_false(dependent(&f, UNF_DID_READ, word, UNF_DID_READ, twin));
  assert_false(dependent(&f, UNF_DID_WRITE, low, UNF_DID_WRITE, high));
  assert_false(dependent(&f, UNF_DID_WRITE, word, UNF_DID_WRITE, far));
  assert_true(dependent(&f, UNF_DID_ADD, far, UNF_DID_READ, far));
  assert_false(dependent(&f, UNF_DID_ADD, far, UNF_DID_ADD, far));
  /* The word has parts of its own, so that additions to it carry. */
  unf_action sum = did(UNF_DID_ADD, f.main, word, 0);
  bool result;
  fails(UNF_INVALID, unf_actions_dependent(f.u, &sum, &sum, &result));
  close_fixture(&f);
}

/* Three ranges of a space, placed in this order, depend on each other where they overlap. */
static void place_three(const uint64_t first[3], const uint32_t size[3]) {
  struct fixture f;
  unf_object object[3];
  open_fixture(&f);
  unf_object word = location(&f, 0);
  for (unsigned i = 0; i < 3; i++)
    object[i] = part(&f, word, first[i], size[i]);
  for (unsigned i = 0; i < 3; i++)
    for (unsigned j = 0; j < 3; j++) {
      bool overlap = first[i] < first[j] + size[j] && first[j] < first[i] + size[i];
      assert_int_equal(dependent(&f, UNF_DID_WRITE, object[i], UNF_DID_READ, object[j]), overlap);
    }
  close_fixture(&f);
}

static void ranges_in_every_order(void **state) {
  static const uint32_t sizes[] = {1, 4, 8};
  enum { PLACES = 9, RANGES = 3 * PLACES };
  (void)state;
  for (unsigned n = 0; n < RANGES * RANGES * RANGES; n++) {
    uint64_t first[3];
    uint32_t size[3];
    for (unsigned i = 0, rest = n; i < 3; i++, rest /= RANGES) {
      first[i] = rest % RANGES / 3;
      size[i] = sizes[rest % 3];
    }
    place_three(first, size);
  }
}

static void used_bytes_stay_together(void **state) {
  struct fixture f;
  unf_configuration *c;
  (void)state;
  open_fixture(&f);
  unf_object word = location(&f, 7), late = location(&f, 8), plain = location(&f, 9);
  ok(unf_location_place(f.u, word, word, 0, 4));
  ok(unf_configuration_new(f.u, &c));
  operate(c, f.main, UNF_OP_STORE(word, 5), UNF_DID_WRITE);
  operate(c, f.main, UNF_OP_STORE(plain, 5), UNF_DID_WRITE);
  fails(UNF_STATE, unf_location_place(f.u, late, word, 0, 2));
  assert_non_null(strstr(unf_context_detail(f.context)->text, "location - 8"));
  fails(UNF_STATE, unf_location_place(f.u, late, word, 3, 2));
  fails(UNF_STATE, unf_location_place(f.u, plain, word, 0, 4));
  fails(UNF_STATE, unf_object_set_initial(f.u, word, 1));
  ok(unf_location_place(f.u, late, word, 0, 6));
  assert_int_equal(value(c, late), 5);
  unf_configuration_free(c);
  close_fixture(&f);
}

/* What an action uses is decided when it is named, even if no event has it. */
static void named_actions_stay(void **state) {
  struct fixture f;
  bool dependent = false;
  (void)state;
  open_fixture(&f);
  unf_object word = location(&f, 0), plain = location(&f, 1), part = location(&f, 2);
  const unf_action store = {UNF_DID_WRITE, f.main, plain, 0, 0},
                   load = {UNF_DID_READ, f.main, word, 0, 0};
  ok(unf_location_place(f.u, word, word, 0, 4));
  ok(unf_actions_dependent(f.u, &store, &load, &dependent));
  fails(UNF_STATE, unf_location_place(f.u, plain, word, 0, 4));
  assert_non_null(strstr(unf_context_detail(f.context)->text, "location - 1"));
  fails(UNF_STATE, unf_location_place(f.u, part, word, 0, 2));
  ok(unf_object_set_initial(f.u, plain, 1));
  close_fixture(&f);
}

static void values_at_the_start(void **state) {
  struct fixture f;
  unf_configuration *c;
  (void)state;
  open_fixture(&f);
  unf_object word = location(&f, 0);
  ok(unf_location_place(f.u, word, word, 0, 4));
  ok(unf_object_set_initial(f.u, word, 0x81020304));
  unf_object low = part(&f, word, 0, 2), high = part(&f, word, 3, 3);
  fails(UNF_STATE, unf_object_set_initial(f.u, low, 1));
  ok(unf_object_set_initial(f.u, low, 0x0304));
  fails(UNF_STATE, unf_object_set_initial(f.u, high, 0x0080));
  ok(unf_object_set_initial(f.u, high, 0x7f0081));
  ok(unf_configuration_new(f.u, &c));
  assert_int_equal(value(c, word), (int32_t)0x81020304);
  assert_int_equal(value(c, low), 0x0304);
  assert_int_equal(value(c, high), 0x7f0081);
  assert_int_equal(value(c, part(&f, word, 2, 2)), (int16_t)0x8102);
  unf_configuration_free(c);
  close_fixture(&f);
}

static void values_of_parts(void **state) {
  struct fixture f;
  unf_configuration *c;
  (void)state;
  open_fixture(&f);
  unf_object word = location(&f, 0);
  ok(unf_location_place(f.u, word, word, 0, 4));
  unf_object low = part(&f, word, 0, 1), middle = part(&f, word, 1, 2);
  ok(unf_configuration_new(f.u, &c));
  operate(c, f.main, UNF_OP_STORE(word, 0x11223344), UNF_DID_WRITE);
  operate(c, f.main, UNF_OP_STORE(middle, 0xaabb), UNF_DID_WRITE);
  assert_int_equal(value(c, word), 0x11aabb44);
  operate(c, f.main, UNF_OP_ADD(low, 0xbb), UNF_DID_ADD);
  operate(c, f.main, UNF_OP_ADD(low, 2), UNF_DID_ADD);
  assert_int_equal(value(c, word), 0x11aabb01);
  operate(c, f.main, UNF_OP_ADD(word, 0xff), UNF_DID_WRITE);
  assert_int_equal(value(c, word), 0x11aabc00);
  operate(c, f.main, UNF_OP_FETCH_NAND(middle, 0xff00), UNF_DID_WRITE);
  operate(c, f.main, UNF_OP_FETCH_OR(word, 0x80000000), UNF_DID_WRITE);
  assert_int_equal(value(c, word), (int32_t)0x9155ff00);
  operate(c, f.main, UNF_OP_FETCH_XOR(low, 0x1ff), UNF_DID_WRITE);
  operate(c, f.main, UNF_OP_FETCH_AND(word, 0xffff), UNF_DID_WRITE);
  assert_int_equal(value(c, word), 0xffff);
  assert_int_equal(value(c, low), -1);
  assert_int_equal(value(c, middle), 0xff);
  ok(unf_check_unfolding(f.u));
  unf_configuration_free(c);
  close_fixture(&f);
}

/* Values follow from the causes of an event, and are not put together again from its whole past. */
static void many_overlapping_additions(void **state) {
  struct fixture f;
  unf_configuration *c;
  (void)state;
  open_fixture(&f);
  unf_object word = location(&f, 0);
  ok(unf_location_place(f.u, word, word, 0, 8));
  unf_object low = part(&f, word, 0, 4), high = part(&f, word, 4, 4);
  ok(unf_configuration_new(f.u, &c));
  for (int i = 0; i < 2000; i++) {
    operate(c, f.main, UNF_OP_FETCH_ADD(word, 1), UNF_DID_WRITE);
    operate(c, f.main, UNF_OP_FETCH_ADD(low, 1), UNF_DID_WRITE);
    operate(c, f.main, UNF_OP_FETCH_ADD(high, 1), UNF_DID_WRITE);
  }
  assert_int_equal(value(c, word), ((int64_t)2000 << 32) + 4000);
  unf_configuration_free(c);
  close_fixture(&f);
}

/* A schedule is there before it is known what its locations are. */
static void placed_after_a_schedule(void **state) {
  struct fixture f;
  unf_schedule *schedule;
  unf_configuration *c;
  (void)state;
  open_fixture(&f);
  unf_object word = location(&f, 0), low = location(&f, 1), space = location(&f, 2);
  const unf_operation operations[] = {UNF_OP_STORE(word, 0), UNF_OP_CAS(low, 0, 1),
                                      UNF_OP_STORE(word, 513)};
  ok(unf_schedule_new(f.u, "p", &schedule));
  for (int i = 0; i < 3; i++) {
    const unf_action step = did(UNF_DID_WRITE, f.main, operations[i].target, 0);
    ok(unf_schedule_append(schedule, &step));
  }
  ok(unf_location_place(f.u, word, space, 0, 8));
  ok(unf_location_place(f.u, low, space, 0, 1));
  ok(unf_configuration_new(f.u, &c));
  for (int i = 0; i < 3; i++) {
    unf_action step;
    ok(unf_schedule_step(schedule, (uint64_t)i, &step));
    ok(unf_configuration_offer(c, f.main, &operations[i]));
    ok(unf_configuration_perform(c, &step, NULL));
    assert_int_equal(value(c, word), i == 2 ? 513 : i);
    assert_int_equal(value(c, low), i > 0);
  }
  unf_configuration_free(c);
  unf_schedule_free(schedule);
  close_fixture(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(places),
      cmocka_unit_test(bytes_in_common),
      cmocka_unit_test(ranges_in_every_order),
      cmocka_unit_test(used_bytes_stay_together),
      cmocka_unit_test(named_actions_stay),
      cmocka_unit_test(values_at_the_start),
      cmocka_unit_test(values_of_parts),
      cmocka_unit_test(placed_after_a_schedule),
      cmocka_unit_test(many_overlapping_additions),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
