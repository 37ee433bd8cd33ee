/* The foundations: vectors, arenas, intern tables, text, sorting, contexts with their
 * accounts and limits. */
#include "fixture.h"

#include <math.h>

#include "base/arena.h"
#include "base/sort.h"
#include "base/table.h"
#include "base/text.h"
#include "base/vector.h"
#include "script.h"

static void vectors(void **state) {
  unf_context *context;
  VECTOR(uint64_t) v = {0};
  VECTOR(uint32_t) zero = {0};
  (void)state;
  ok(unf_context_new(NULL, &context));
  uint64_t alone = unf_context_bytes(context);
  for (uint64_t i = 0; i < 1000; i++) {
    assert_true(vector_reserve(context, &v, v.count + 1));
    vector_push(&v, i * i);
  }
  assert_int_equal(unf_context_bytes(context), alone + v.capacity * sizeof(uint64_t));
  for (uint64_t i = 0; i < 1000; i++)
    assert_int_equal(v.data[i], i * i);
  assert_true(vector_reserve_zero(context, &zero, 10));
  zero.data[3] = 7;
  assert_true(vector_reserve_zero(context, &zero, 500));
  for (uint32_t i = 0; i < 500; i++)
    assert_int_equal(zero.data[i], i == 3 ? 7 : 0);
  assert_false(vector_reserve(context, &v, UINT32_MAX));
  assert_int_equal(v.count, 1000);
  vector_free(context, &v);
  vector_free(context, &zero);
  assert_int_equal(unf_context_bytes(context), alone);
  unf_context_free(context);
}

static void arenas(void **state) {
  unf_context *context;
  struct arena arena = {0};
  uint32_t at[300];
  (void)state;
  ok(unf_context_new(NULL, &context));
  uint64_t alone = unf_context_bytes(context);
  for (uint32_t i = 0; i < 300; i++) {
    uint32_t words = i % 50 == 49 ? 3 * ARENA_CHUNK + 5 : 1 + i % 200;
    at[i] = unfi_arena_take(context, &arena, words);
    assert_int_not_equal(at[i], 0);
    for (uint32_t k = 0; k < words; k++)
      arena_at(&arena, at[i])[k] = i;
  }
  for (uint32_t i = 0; i < 300; i++) {
    uint32_t words = i % 50 == 49 ? 3 * ARENA_CHUNK + 5 : 1 + i % 200;
    for (uint32_t k = 0; k < words; k++)
      assert_int_equal(arena_at(&arena, at[i])[k], i);
  }
  unfi_arena_free(context, &arena);
  assert_int_equal(unf_context_bytes(context), alone);
  unf_context_free(context);
}

static uint64_t weak_hash(const void *owner, uint32_t handle) {
  (void)owner;
  return handle % 3; /* everything collides */
}

static void tables(void **state) {
  unf_context *context;
  struct table table = {0};
  (void)state;
  ok(unf_context_new(NULL, &context));
  for (uint32_t handle = 1; handle <= 200; handle++) {
    assert_true(unfi_table_reserve(context, &table, weak_hash, NULL));
    table_put(&table, weak_hash(NULL, handle), handle);
    assert_true(table.count * 8 <= ((uint64_t)table.mask + 1) * 5);
  }
  for (uint32_t handle = 1; handle <= 200; handle++) {
    uint32_t i = (uint32_t)weak_hash(NULL, handle) & table.mask;
    while (table.slots[i] != handle) {
      assert_int_not_equal(table.slots[i], 0);
      i = (i + 1) & table.mask;
    }
  }
  unfi_table_free(context, &table);
  unf_context_free(context);
}

static void texts(void **state) {
  char buffer[64], few[6];
  (void)state;
  struct text text = unfi_text(buffer, sizeof buffer);
  unfi_text_i64(&text, INT64_MIN);
  unfi_text_add(&text, " ");
  unfi_text_u64(&text, UINT64_MAX);
  unfi_text_add(&text, " ");
  unfi_text_hex(&text, 0xbeef, 6);
  assert_string_equal(buffer, "-9223372036854775808 18446744073709551615 00beef");
  assert_int_equal(text.length, strlen(buffer));
  text = unfi_text(few, sizeof few);
  unfi_text_add(&text, "too long for it");
  assert_string_equal(few, "too l");
  assert_int_equal(text.length, 15);
  text = unfi_text(NULL, 0);
  unfi_text_u64(&text, 0);
  assert_int_equal(text.length, 1);
}

static int by_value(const void *a, const void *b) {
  uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  return x < y ? -1 : x > y;
}

static void sorting(void **state) {
  uint64_t seed = 1;
  uint32_t values[200], expected[200];
  (void)state;
  for (uint32_t count = 0; count <= 200; count++) {
    for (uint32_t i = 0; i < count; i++)
      values[i] = expected[i] = (uint32_t)script_draw(&seed, count % 2 ? 10 : 4000000000u);
    qsort(expected, count, sizeof *expected, by_value);
    unfi_sort(values, count);
    if (count > 0) assert_memory_equal(values, expected, count * sizeof *values);
  }
}

/* What a limit says when it is met: what is allowed, what is held, what was wanted. */
static void limits_are_explained(void **state) {
  struct fixture f;
  unf_limits limits = {0, 0, 0, 0};
  unf_explorer *x;
  unf_run run;
  unf_configuration *c;
  uint64_t bytes;
  char text[128];
  (void)state;
  open_fixture(&f);
  ok(unf_configuration_new(f.u, &c));
  ok(unf_explorer_new(f.u, NULL, &x));
  limits.events = 1;
  ok(unf_context_set_limits(f.context, &limits));
  perform(c, UNF_DID_LOCAL, f.main, 0, 1);
  unf_action second = did(UNF_DID_LOCAL, f.main, 0, 2);
  fails(UNF_LIMIT, unf_configuration_perform(c, &second, NULL));
  assert_string_equal(unf_context_detail(f.context)->text,
                      "a limit was reached: 1 events allowed, 1 held, 1 more wanted");
  limits.events = 0;
  limits.runs = 1;
  ok(unf_context_set_limits(f.context, &limits));
  ok(unf_explorer_next(x, &run));
  unf_explorer_abandon(x);
  fails(UNF_LIMIT, unf_explorer_next(x, &run));
  assert_string_equal(unf_context_detail(f.context)->text,
                      "a limit was reached: 1 runs allowed, 1 begun, 1 more wanted");
  bytes = unf_context_bytes(f.context);
  limits.bytes = bytes + 1;
  ok(unf_context_set_limits(f.context, &limits));
  assert_null(unfi_reallocate(f.context, NULL, 0, 1000));
  fails(UNF_LIMIT, unfi_refused(f.context));
  struct text expected = unfi_text(text, sizeof text);
  unfi_text_add(&expected, "a limit was reached: ");
  unfi_text_u64(&expected, bytes + 1);
  unfi_text_add(&expected, " bytes allowed, ");
  unfi_text_u64(&expected, bytes);
  unfi_text_add(&expected, " held, 1000 more wanted");
  assert_string_equal(unf_context_detail(f.context)->text, text);
  /* No limit of the context: the library's own. */
  limits = (unf_limits){0, 0, 0, 0};
  ok(unf_context_set_limits(f.context, &limits));
  VECTOR(uint32_t) none = {0};
  assert_false(vector_reserve(f.context, &none, (uint64_t)1 << 33));
  fails(UNF_LIMIT, unfi_refused(f.context));
  assert_string_equal(unf_context_detail(f.context)->text,
                      "a limit was reached: 8589934592 entries of one array, more than the library "
                      "can hold");
  unf_explorer_free(x);
  unf_configuration_free(c);
  close_fixture(&f);
}

static void contexts(void **state) {
  unf_context *context;
  unf_unfolding *u;
  unf_context_options options = UNF_CONTEXT_OPTIONS_INIT;
  unf_limits limits = {0, 0, 0, 0};
  unf_run run;
  unf_explorer *x;
  (void)state;
  fails(UNF_INVALID, unf_context_new(NULL, NULL));
  options.size--;
  fails(UNF_INVALID, unf_context_new(&options, &context));
  options.size++;
  options.limits.seconds = -1;
  fails(UNF_INVALID, unf_context_new(&options, &context));
  options.limits.seconds = (double)NAN;
  fails(UNF_INVALID, unf_context_new(&options, &context));
  options.limits.seconds = 0;
  options.limits.bytes = 1;
  ok(unf_context_new(&options, &context));
  fails(UNF_LIMIT, unf_unfolding_new(context, NULL, &u));
  assert_int_equal(unf_context_detail(context)->status, UNF_LIMIT);
  fails(UNF_INVALID, unf_context_set_limits(context, NULL));
  limits.seconds = (double)NAN;
  fails(UNF_INVALID, unf_context_set_limits(context, &limits));
  limits.seconds = 0;
  ok(unf_context_set_limits(context, &limits));
  ok(unf_unfolding_new(context, NULL, &u));
  ok(unf_explorer_new(u, NULL, &x));
  limits.seconds = 1e-9;
  ok(unf_context_set_limits(context, &limits));
  fails(UNF_LIMIT, unf_explorer_next(x, &run));
  assert_non_null(strstr(unf_context_detail(context)->text, "0.000 seconds allowed, 0."));
  unf_context_interrupt(context);
  fails(UNF_INTERRUPTED, unf_explorer_next(x, &run));
  fails(UNF_LIMIT, unf_explorer_next(x, &run));
  unf_explorer_free(x);
  unf_unfolding_free(u);
  unf_context_free(context);
  unf_context_free(NULL);
  unf_unfolding_free(NULL);
  unf_explorer_free(NULL);
  unf_configuration_free(NULL);
}

static void statuses(void **state) {
  (void)state;
  for (int i = 0; i < UNF_STATUS_COUNT; i++)
    assert_true(strlen(unf_status_text((unf_status)i)) > 5);
  assert_string_equal(unf_status_text(UNF_STATUS_COUNT), "unknown status");
  assert_string_equal(unf_status_text((unf_status)-1), "unknown status");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(vectors),
      cmocka_unit_test(arenas),
      cmocka_unit_test(tables),
      cmocka_unit_test(texts),
      cmocka_unit_test(sorting),
      cmocka_unit_test(contexts),
      cmocka_unit_test(limits_are_explained),
      cmocka_unit_test(statuses),
  };
  return cmocka_run_group_tests_name("base", tests, NULL, NULL);
}
