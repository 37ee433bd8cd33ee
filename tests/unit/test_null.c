/* Every public function with each of its pointers NULL in turn: refused by name, or nothing done.
 * null.py makes the calls from the headers; here is what their other arguments are. */
#include "fixture.h"

struct world {
  unf_context *unf_context;
  unf_unfolding *unf_unfolding;
  unf_configuration *unf_configuration;
  unf_explorer *unf_explorer;
  unf_ledger *unf_ledger;
  unf_cutoffs *unf_cutoffs;
  unf_races *unf_races;
  unf_flow *unf_flow;
  unf_purity *unf_purity;
  unf_schedule *unf_schedule;
  unf_std *unf_std;
  unf_std_writer *unf_std_writer;
  unf_tree *unf_tree;
  unf_sleep_sets *unf_sleep_sets;
  unf_wakeup_trees *unf_wakeup_trees;
  const unf_view *unf_view; /* only while a family's function runs */
  unf_thread thread;
  unf_object object;
  unf_event event;
  char text[64];
  /* Where calls that may succeed put what they make. */
  struct {
    unf_context *unf_context;
    unf_unfolding *unf_unfolding;
    unf_configuration *unf_configuration;
    unf_explorer *unf_explorer;
    unf_ledger *unf_ledger;
    unf_cutoffs *unf_cutoffs;
    unf_races *unf_races;
    unf_flow *unf_flow;
    unf_purity *unf_purity;
    unf_schedule *unf_schedule;
    unf_std *unf_std;
    unf_std_writer *unf_std_writer;
    unf_tree *unf_tree;
    unf_sleep_sets *unf_sleep_sets;
    unf_wakeup_trees *unf_wakeup_trees;
  } made;
};

typedef void (*body)(struct world *w);

static bool see_unf_write(void *user, const char *text, size_t size) {
  return true;
}

static void open_world(struct world *w) {
  unf_block block;
  memset(w, 0, sizeof *w);
  ok(unf_context_new(NULL, &w->unf_context));
  ok(unf_unfolding_new(w->unf_context, NULL, &w->unf_unfolding));
  ok(unf_thread_name(w->unf_unfolding, UNF_THREAD_NONE, 0, &w->thread));
  ok(unf_thread_start(w->unf_unfolding, w->thread));
  ok(unf_object_name(w->unf_unfolding, UNF_MUTEX, UNF_THREAD_NONE, 0, &w->object));
  ok(unf_ledger_new(w->unf_unfolding, &w->unf_ledger));
  ok(unf_configuration_new(w->unf_unfolding, &w->unf_configuration));
  w->event = perform(w->unf_configuration, UNF_DID_ACQUIRE, w->thread, w->object, 0);
  ok(unf_explorer_new(w->unf_unfolding, NULL, &w->unf_explorer));
  ok(unf_cutoffs_new(w->unf_unfolding, UNF_CUTOFFS_ERV, &w->unf_cutoffs));
  ok(unf_races_new(w->unf_unfolding, NULL, &w->unf_races));
  ok(unf_flow_new(w->unf_context, &w->unf_flow));
  ok(unf_flow_block(w->unf_flow, NULL, &block));
  ok(unf_purity_new(w->unf_flow, NULL, &w->unf_purity));
  ok(unf_schedule_new(w->unf_unfolding, "program", &w->unf_schedule));
  ok(unf_std_read(w->unf_unfolding, NULL, NULL, 0, &w->unf_std));
  ok(unf_std_writer_new(w->unf_unfolding, see_unf_write, NULL, &w->unf_std_writer));
  ok(unf_tree_new(w->unf_unfolding, &w->unf_tree));
  ok(unf_sleep_new(w->unf_unfolding, &w->unf_sleep_sets));
  ok(unf_wakeup_new(w->unf_unfolding, &w->unf_wakeup_trees));
  strcpy(w->text, "text");
}

static void close_world(struct world *w) {
  unf_context *empty;
  unf_wakeup_free(w->unf_wakeup_trees);
  unf_sleep_free(w->unf_sleep_sets);
  unf_tree_free(w->unf_tree);
  unf_std_writer_free(w->unf_std_writer);
  unf_std_free(w->unf_std);
  unf_schedule_free(w->unf_schedule);
  unf_purity_free(w->unf_purity);
  unf_flow_free(w->unf_flow);
  unf_races_free(w->unf_races);
  unf_cutoffs_free(w->unf_cutoffs);
  unf_ledger_free(w->unf_ledger);
  unf_explorer_free(w->unf_explorer);
  unf_configuration_free(w->unf_configuration);
  unf_unfolding_free(w->unf_unfolding);
  ok(unf_context_new(NULL, &empty));
  assert_int_equal(unf_context_bytes(w->unf_context), unf_context_bytes(empty));
  unf_context_free(empty);
  unf_context_free(w->unf_context);
}

static void free_made(struct world *w) {
  unf_wakeup_free(w->made.unf_wakeup_trees);
  unf_sleep_free(w->made.unf_sleep_sets);
  unf_tree_free(w->made.unf_tree);
  unf_std_writer_free(w->made.unf_std_writer);
  unf_std_free(w->made.unf_std);
  unf_schedule_free(w->made.unf_schedule);
  unf_purity_free(w->made.unf_purity);
  unf_flow_free(w->made.unf_flow);
  unf_races_free(w->made.unf_races);
  unf_cutoffs_free(w->made.unf_cutoffs);
  unf_ledger_free(w->made.unf_ledger);
  unf_explorer_free(w->made.unf_explorer);
  unf_configuration_free(w->made.unf_configuration);
  unf_unfolding_free(w->made.unf_unfolding);
  unf_context_free(w->made.unf_context);
  memset(&w->made, 0, sizeof w->made);
}

/* The status of a call, and what its detail says: that the pointer of this name is NULL. */
static void refused(struct world *w, unf_status status, const char *name) {
  char text[64];
  const unf_detail *detail = unf_context_detail(w->unf_context);
  strcat(strcpy(text, name), " is NULL");
  assert_int_equal(status, UNF_INVALID);
  assert_int_equal(detail->status, UNF_INVALID);
  assert_non_null(strstr(detail->text, text));
}

/* A call that may fail, but not because of this pointer. */
static void allowed(struct world *w, unf_status status, const char *name) {
  char text[64];
  strcat(strcpy(text, name), " is NULL");
  assert_true(status == UNF_OK || strstr(unf_context_detail(w->unf_context)->text, text) == NULL);
  free_made(w);
}

static void run(body call) {
  struct world w;
  open_world(&w);
  call(&w);
  close_world(&w);
}

/* What the functions of a family get as `user`. */
struct viewing {
  struct world *w;
  body body;
  bool ran;
};

static unf_status uses_target(void *user, const unf_action *action, unf_use_visitor visit,
                              void *visitor) {
  return visit(visitor, action->target, UNF_MODE_WRITE);
}

static unf_status view_outcomes(void *user, const unf_view *view, unf_thread thread,
                                const unf_operation *operation, unf_action_visitor visit,
                                void *visitor) {
  struct viewing *viewing = user;
  viewing->w->unf_view = view;
  viewing->body(viewing->w);
  viewing->ran = true;
  return UNF_OK;
}

static bool see_unf_action_visitor(void *user, const unf_action *action) {
  return true;
}

static void run_in_view(body call) {
  struct world w;
  struct viewing viewing = {&w, call, false};
  unf_effect effect = {sizeof effect, "viewer", &viewing, uses_target, view_outcomes, NULL, NULL, NULL};
  uint32_t family;
  open_world(&w);
  ok(unf_effect_register(w.unf_unfolding, &effect, &family));
  ok(unf_object_name(w.unf_unfolding, UNF_CUSTOM, UNF_THREAD_NONE, 0, &w.object));
  unf_operation operation = unf_operation_custom(family, w.object, 0, 0);
  ok(unf_configuration_offer(w.unf_configuration, w.thread, &operation));
  ok(unf_configuration_actions(w.unf_configuration, see_unf_action_visitor, NULL));
  assert_true(viewing.ran);
  close_world(&w);
}

static bool see_unf_event_visitor(void *user, unf_event event) {
  return true;
}

static bool see_unf_thread_visitor(void *user, unf_thread thread) {
  return true;
}

static bool see_unf_racing_visitor(void *user, uint64_t first, uint64_t second) {
  return true;
}

static bool see_unf_reversal_visitor(void *user, const unf_reversal *reversal) {
  return true;
}

static bool see_unf_wakeup_visitor(void *user, unf_event event, uint32_t level) {
  return true;
}

static bool see_unf_read(void *user, void *bytes, size_t size, size_t *got) {
  *got = 0;
  return true;
}

static int64_t no_value(void *user, unf_register variable) {
  return 0;
}

#include "null_calls.h"

int main(void) {
  return cmocka_run_group_tests(tests, NULL, NULL);
}
