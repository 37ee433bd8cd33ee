/* What the unit tests share: an unfolding in a context of its own, short names for actions, and
 * text collected in memory. */
#ifndef UNIT_FIXTURE_H
#define UNIT_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <unfold/unfold.h>

#define ok(call) assert_int_equal((call), UNF_OK)

/* The context of which fails() looks at the detail: that of the first fixture; NULL: none. */
static inline unf_context **watched(void) {
  static unf_context *context;
  return &context;
}

/* Makes the detail that of a call which failed with another status. */
static inline unf_status spoil(unf_status status) {
  static const unf_limits wrong = {.seconds = -1};
  unf_unfolding *u;
  if (*watched() == NULL) return status;
  if (status != UNF_INVALID) {
    assert_int_equal(unf_context_set_limits(*watched(), &wrong), UNF_INVALID);
  } else if (unf_unfolding_new(*watched(), NULL, &u) == UNF_OK) {
    assert_int_equal(unf_thread_start(u, 0), UNF_UNKNOWN);
    unf_unfolding_free(u);
  }
  return status;
}

static inline void check_failed(unf_status expected, unf_status status) {
  assert_int_equal(status, expected);
  if (*watched() != NULL) assert_int_equal(unf_context_detail(*watched())->status, status);
}

/* A call that must fail with a status, and the detail of which must be its own. */
#define fails(status, call) (spoil(status), check_failed((status), (call)))

/* A call that must fail with a status, and by which no context can be reached. */
#define fails_alone(status, call) assert_int_equal((call), (status))

struct fixture {
  unf_context *context;
  unf_unfolding *u;
  unf_thread main, left, right; /* 0, 0.0, 0.1 */
  unf_object m, n;              /* mutexes 0 and 1 that exist from the start */
};

static inline void open_fixture(struct fixture *f) {
  ok(unf_context_new(NULL, &f->context));
  if (*watched() == NULL) *watched() = f->context;
  ok(unf_unfolding_new(f->context, NULL, &f->u));
  ok(unf_thread_name(f->u, UNF_THREAD_NONE, 0, &f->main));
  ok(unf_thread_name(f->u, f->main, 0, &f->left));
  ok(unf_thread_name(f->u, f->main, 1, &f->right));
  ok(unf_object_name(f->u, UNF_MUTEX, UNF_THREAD_NONE, 0, &f->m));
  ok(unf_object_name(f->u, UNF_MUTEX, UNF_THREAD_NONE, 1, &f->n));
  ok(unf_thread_start(f->u, f->main));
}

/* Also checks that nothing was left behind: `bytes` must be those of the context alone. */
static inline void close_fixture(struct fixture *f) {
  unf_context *empty;
  unf_unfolding_free(f->u);
  ok(unf_context_new(NULL, &empty));
  assert_int_equal(unf_context_bytes(f->context), unf_context_bytes(empty));
  unf_context_free(empty);
  if (*watched() == f->context) *watched() = NULL;
  unf_context_free(f->context);
}

static inline unf_action did(unf_action_kind kind, unf_thread thread, uint32_t target,
                             int64_t value) {
  unf_action action = {kind, thread, target, 0, value};
  return action;
}

static inline unf_event perform(unf_configuration *c, unf_action_kind kind, unf_thread thread,
                                uint32_t target, int64_t value) {
  unf_action action = did(kind, thread, target, value);
  unf_event event = UNF_EVENT_NONE;
  ok(unf_configuration_perform(c, &action, &event));
  return event;
}

/* Text collected by an unf_write; always terminated. Writing fails once `room` is used
 * up (0: never). */
struct collected {
  char *text;
  size_t size, room;
};

static inline bool collect(void *user, const char *text, size_t size) {
  struct collected *c = user;
  if (c->room > 0 && c->size + size > c->room) return false;
  c->text = realloc(c->text, c->size + size + 1);
  assert_non_null(c->text);
  memcpy(c->text + c->size, text, size);
  c->size += size;
  c->text[c->size] = '\0';
  return true;
}

/* Events collected by an unf_event_visitor. */
struct events {
  unf_event event[64];
  unsigned count;
};

static inline bool collect_event(void *user, unf_event event) {
  struct events *events = user;
  assert_true(events->count < 64);
  events->event[events->count++] = event;
  return true;
}

#endif
