/* DOT and JSON to the byte for a small structure, the tree by its leaves, and failures of the
 * callback at every place. */
#include "fixture.h"
#include <stdio.h>
#include "script.h"

/* 0 creates 0.0 and 0.1, which both want mutex 0: two events in conflict. */
static unf_configuration *two_lockers(struct fixture *f) {
  unf_configuration *c, *other;
  ok(unf_configuration_new(f->u, &c));
  ok(unf_configuration_new(f->u, &other));
  unf_event create = perform(c, UNF_DID_CREATE, f->main, f->left, 0);
  perform(c, UNF_DID_CREATE, f->main, f->right, 0);
  ok(unf_configuration_assign(other, c));
  perform(c, UNF_DID_ACQUIRE, f->left, f->m, 0);
  perform(other, UNF_DID_ACQUIRE, f->right, f->m, 0);
  ok(unf_event_set_cookie(f->u, create, UINT64_MAX));
  unf_configuration_free(other);
  return c;
}

static void dot_of_an_unfolding(void **state) {
  struct fixture f;
  struct collected out = {0};
  (void)state;
  open_fixture(&f);
  unf_configuration_free(two_lockers(&f));
  ok(unf_dot_unfolding(f.u, collect, &out));
  assert_non_null(strstr(out.text, "digraph unfolding {\n"));
  assert_non_null(strstr(
      out.text,
      "  subgraph \"cluster_0.1\" {\n    label=\"thread 0.1\"; color=gray; fontcolor=gray30;\n"
      "    e4 [label=\"acq mutex - 0\"];\n  }\n"));
  assert_non_null(strstr(
      out.text, "    e1 [label=\"create thread 0.0\"];\n    e2 [label=\"create thread 0.1\"];\n"));
  assert_non_null(strstr(out.text,
                         "  e0 -> e1;\n  e1 -> e2;\n  e1 -> e3;\n  e2 -> e4;\n"
                         "  e3 -> e4 [dir=none, style=dashed, color=red, constraint=false];\n}\n"));
  free(out.text);
  close_fixture(&f);
}

static unsigned occurrences(const char *text, const char *word) {
  unsigned count = 0;
  for (text = strstr(text, word); text != NULL; text = strstr(text + 1, word))
    count++;
  return count;
}

/* Names of a program: left is a long one, the second mutex has none of its own. */
struct program {
  const struct fixture *f;
  const char *left, *m;
};

static size_t put_name(const char *name, char *buffer, size_t size) {
  return (size_t)snprintf(buffer, size, "%s", name);
}

static size_t name_thread(void *user, unf_thread thread, char *buffer, size_t size) {
  const struct program *p = user;
  return thread == p->f->left ? put_name(p->left, buffer, size) : 0;
}

static size_t name_object(void *user, unf_object object, char *buffer, size_t size) {
  const struct program *p = user;
  return put_name(object == p->f->m ? p->m : "", buffer, size);
}

/* Of one event, which has markup in it. */
static size_t name_event(void *user, uint32_t event, char *buffer, size_t size) {
  (void)user;
  return put_name(event == 3 ? "x < \"3\"" : "", buffer, size);
}

static unf_names names_of(struct program *program) {
  unf_names names = UNF_NAMES_INIT;
  names.user = program;
  names.thread = name_thread;
  names.object = name_object;
  return names;
}

static void names_of_the_program(void **state) {
  struct fixture f;
  struct collected out = {0};
  struct program program = {&f, "worker", "queue"};
  unf_names names = names_of(&program);
  (void)state;
  open_fixture(&f);
  unf_configuration *c = two_lockers(&f);
  ok(unf_dot_unfolding_named(f.u, &names, collect, &out));
  assert_non_null(strstr(out.text, "cluster_0.0\" {\n    label=\"thread worker\"; "));
  assert_non_null(strstr(out.text, "cluster_0.1\" {\n    label=\"thread 0.1\"; "));
  assert_non_null(strstr(out.text, "e1 [label=\"create worker\"];\n    e2 [label=\"create 0.1\"]"));
  assert_non_null(strstr(out.text, "e3 [label=\"acq queue\"]"));
  assert_non_null(strstr(out.text, "e4 [label=\"acq queue\"]"));
  out.size = 0;
  program.m = "";
  ok(unf_dot_configuration_named(c, &names, collect, &out));
  assert_non_null(strstr(out.text, "e3 [label=\"acq mutex - 0\"]"));
  out.size = 0;
  names.event = name_event;
  ok(unf_dot_unfolding_named(f.u, &names, collect, &out));
  assert_non_null(strstr(out.text, "e3 [label=\"x < \\\"3\\\"\"]"));
  assert_non_null(strstr(out.text, "e4 [label=\"acq mutex - 0\"]"));
  names.size--;
  fails(UNF_INVALID, unf_dot_unfolding_named(f.u, &names, collect, &out));
  fails(UNF_INVALID, unf_dot_configuration_named(c, &names, collect, &out));
  free(out.text);
  unf_configuration_free(c);
  close_fixture(&f);
}

static void labels(void **state) {
  struct fixture f;
  struct program program = {&f, "worker", "queue"};
  unf_names names = names_of(&program);
  char text[16] = "x";
  (void)state;
  open_fixture(&f);
  const unf_action lock = did(UNF_DID_ACQUIRE, f.left, f.m, 0);
  assert_int_equal(unf_action_label(f.u, &names, &lock, text, sizeof text), 9);
  assert_string_equal(text, "acq queue");
  assert_int_equal(unf_action_label(f.u, &names, &lock, text, 7), 9);
  assert_string_equal(text, "acq qu");
  assert_int_equal(unf_action_label(f.u, &names, &lock, NULL, 0), 9);
  assert_int_equal(unf_action_label(f.u, NULL, &lock, text, sizeof text), 13);
  assert_string_equal(text, "acq mutex - 0");
  assert_int_equal(unf_thread_label(f.u, &names, f.left, text, sizeof text), 6);
  assert_string_equal(text, "worker");
  assert_int_equal(unf_thread_label(f.u, &names, f.right, text, sizeof text), 3);
  assert_string_equal(text, "0.1");
  assert_int_equal(unf_thread_label(f.u, &names, 99, text, sizeof text), 1);
  names.size++;
  assert_int_equal(unf_action_label(f.u, &names, &lock, text, sizeof text), 0);
  assert_int_equal(unf_thread_label(f.u, &names, f.left, text, sizeof text), 0);
  close_fixture(&f);
}

/* Whatever a name is, it stays within its quotation marks, and is text there. */
static void hostile_names(void **state) {
  enum { LONG = 5000 };
  static const char *const cases[][2] = {
      {"\"]; x [label=\"y", "acq \\\"]; x [label=\\\"y\"];\n"},
      {"a\\", "acq a\\\\\"];\n"},
      {"\\N\\G\n\t", "acq \\\\N\\\\G\xef\xbf\xbd\xef\xbf\xbd\"];\n"},
      {"&lt;<b>", "acq &amp;lt;<b>\"];\n"},
      {"caf\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80",
       "acq caf\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80\"];\n"},
      {"\xff\xc3(\xe2\x82", "acq \xef\xbf\xbd\xef\xbf\xbd(\xef\xbf\xbd\xef\xbf\xbd\"];\n"},
      {"\xc0\x80\xed\xa0\x80\xf4\x90\x80\x80\xe0\x80\x80",
       "acq \xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"
       "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\"];\n"},
  };
  struct fixture f;
  struct collected out = {0};
  struct program program = {&f, "worker", NULL};
  unf_names names = names_of(&program);
  char *name = malloc(LONG + 1);
  (void)state;
  open_fixture(&f);
  unf_configuration *c = two_lockers(&f);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    program.m = cases[i][0];
    out.size = 0;
    ok(unf_dot_configuration_named(c, &names, collect, &out));
    assert_non_null(strstr(out.text, cases[i][1]));
  }
  memset(name, '"', LONG);
  name[LONG] = '\0';
  program.m = program.left = name;
  out.size = 0;
  ok(unf_dot_configuration_named(c, &names, collect, &out));
  assert_int_equal(occurrences(out.text, "\\\""), 3 * LONG);
  free(name);
  free(out.text);
  unf_configuration_free(c);
  close_fixture(&f);
}

static void json_to_the_byte(void **state) {
  struct fixture f;
  struct collected out = {0};
  (void)state;
  open_fixture(&f);
  unf_configuration *c = two_lockers(&f);
  ok(unf_json_unfolding(f.u, collect, &out));
  assert_string_equal(
      out.text,
      "{\n  \"format\": \"unfold-unfolding\",\n  \"version\": 1,\n  \"threads\": [\n"
      "    {\"name\": \"0\", \"initial\": true},\n    {\"name\": \"0.0\", \"initial\": false},\n"
      "    {\"name\": \"0.1\", \"initial\": false}],\n  \"objects\": [\n"
      "    {\"class\": \"mutex\", \"creator\": \"-\", \"key\": \"0\"},\n"
      "    {\"class\": \"mutex\", \"creator\": \"-\", \"key\": \"1\"}],\n  \"events\": [\n"
      "    {\"id\": 1, \"action\": \"0 create thread 0.0\", \"after\": [0], \"cookie\": "
      "\"18446744073709551615\"},\n"
      "    {\"id\": 2, \"action\": \"0 create thread 0.1\", \"after\": [1]},\n"
      "    {\"id\": 3, \"action\": \"0.0 acq mutex - 0\", \"after\": [1]},\n"
      "    {\"id\": 4, \"action\": \"0.1 acq mutex - 0\", \"after\": [2]}]\n}\n");
  out.size = 0;
  ok(unf_json_configuration(c, collect, &out));
  assert_string_equal(
      out.text, "{\n  \"format\": \"unfold-configuration\",\n  \"version\": 1,\n  \"size\": 3,\n  "
                "\"events\": [\n"
                "    {\"id\": 1, \"action\": \"0 create thread 0.0\", \"after\": [0], \"cookie\": "
                "\"18446744073709551615\"},\n"
                "    {\"id\": 2, \"action\": \"0 create thread 0.1\", \"after\": [1]},\n"
                "    {\"id\": 3, \"action\": \"0.0 acq mutex - 0\", \"after\": [1]}],\n  "
                "\"maximal\": [2, 3]\n}\n");
  free(out.text);
  unf_configuration_free(c);
  close_fixture(&f);
}

static void nothing_but_bottom(void **state) {
  unf_context *context;
  unf_unfolding *u;
  struct collected out = {0};
  (void)state;
  ok(unf_context_new(NULL, &context));
  ok(unf_unfolding_new(context, NULL, &u));
  ok(unf_json_unfolding(u, collect, &out));
  assert_non_null(strstr(out.text, "\"threads\": [],\n  \"objects\": [],\n  \"events\": []\n}\n"));
  ok(unf_dot_unfolding(u, collect, &out));
  free(out.text);
  unf_unfolding_free(u);
  unf_context_free(context);
}

static size_t name_lock(void *user, unf_object object, char *buffer, size_t size) {
  (void)object;
  return put_name(user, buffer, size);
}

static void add_run(struct session *s, const unf_verdict *verdict) {
  ok(unf_tree_add(s->finished_user, s->x, verdict));
}

/* What stands for events: of every other thread, and longer than any buffer of the library. */
struct events_named {
  unf_unfolding *u;
  unf_tree *tree;
  unsigned asked;
};

static size_t name_some_events(void *user, uint32_t event, char *buffer, size_t size) {
  struct events_named *named = user;
  unf_action action;
  ok(unf_event_action(named->u, event, &action));
  if (action.thread % 2 == 0) return 0;
  named->asked++;
  return (size_t)snprintf(buffer, size, "\"%0100u\"", action.thread);
}

static void add_named(struct session *s, const unf_verdict *verdict) {
  struct events_named *named = s->finished_user;
  unf_names names = UNF_NAMES_INIT;
  names.user = named;
  names.event = name_some_events;
  ok(unf_tree_add_named(named->tree, s->x, verdict, &names));
  const unsigned asked = named->asked;
  ok(unf_tree_add_named(named->tree, s->x, verdict, &names)); /* nothing is new there */
  assert_int_equal(named->asked, asked);
  names.size = 1;
  fails_alone(UNF_INVALID, unf_tree_add_named(named->tree, s->x, verdict, &names));
}

/* Without the unfolding's events, which are there no more when it is drawn. */
static void tree_with_what_stands_for_events(void **state) {
  struct script script;
  struct session s = {.finished = add_named};
  struct collected out = {0};
  struct events_named named = {0};
  (void)state;
  script_crossing(&script, false);
  ok(session_open(&s, &script, NULL));
  ok(session_explorer(&s, NULL));
  ok(unf_tree_new(s.u, &named.tree));
  named.u = s.u;
  s.finished_user = &named;
  ok(session_explore(&s));
  ok(unf_dot_tree(named.tree, collect, &out));
  const unsigned told = occurrences(out.text, "0001\\\"\"];\n");
  assert_true(told > 0);
  assert_int_equal(told + occurrences(out.text, " [label=\"0 ") +
                       occurrences(out.text, " [label=\"2 "),
                   occurrences(out.text, " -> "));
  assert_int_equal(occurrences(out.text, "label=\"1 \\\"000"), told);
  unf_tree_free(named.tree);
  free(out.text);
  session_close(&s);
}

static void tree_of_an_exploration(void **state) {
  struct script script;
  struct session s = {.finished = add_run};
  struct collected out = {0};
  unf_tree *tree;
  unf_run run;
  unf_verdict verdict = {0};
  (void)state;
  script_crossing(&script, false);
  ok(session_open(&s, &script, NULL));
  ok(session_explorer(&s, NULL));
  ok(unf_tree_new(s.u, &tree));
  s.finished_user = tree;
  fails(UNF_STATE, unf_tree_add(tree, s.x, &verdict));
  ok(session_explore(&s));
  ok(unf_explorer_next(s.x, &run));
  fails(UNF_STATE, unf_tree_add(tree, s.x, &verdict));
  ok(unf_dot_tree(tree, collect, &out));
  assert_int_equal(occurrences(out.text, "label=\"deadlock\""), 1);
  assert_int_equal(occurrences(out.text, "label=\"complete\""), 2);
  assert_int_equal(occurrences(out.text, "label=\"redundant\""), 0);
  char lock[] = "a \"lock\"";
  unf_names names = UNF_NAMES_INIT;
  names.user = lock;
  names.object = name_lock;
  out.size = 0;
  ok(unf_dot_tree_named(tree, &names, collect, &out));
  assert_non_null(strstr(out.text, " [label=\"2 rel a \\\"lock\\\"\"];\n"));
  assert_int_equal(occurrences(out.text, "mutex"), 0);
  names.size = 1;
  fails_alone(UNF_INVALID, unf_dot_tree_named(tree, &names, collect, &out));
  unf_tree_free(tree);
  unf_tree_free(NULL);
  free(out.text);
  session_close(&s);
}

/* The callback gives up after n bytes, for every n. */
static void every_write_can_fail(void **state) {
  struct fixture f;
  (void)state;
  open_fixture(&f);
  unf_configuration *c = two_lockers(&f);
  struct program program = {&f, "\"\"", "&"};
  const unf_names names = names_of(&program);
  for (int form = 0; form < 5; form++) {
    for (size_t room = 0;; room += 100) {
      struct collected out = {0};
      out.room = room;
      unf_status status = form == 0   ? unf_dot_unfolding(f.u, collect, &out)
                          : form == 1 ? unf_dot_configuration(c, collect, &out)
                          : form == 2 ? unf_json_unfolding(f.u, collect, &out)
                          : form == 3 ? unf_dot_unfolding_named(f.u, &names, collect, &out)
                                      : unf_json_configuration(c, collect, &out);
      free(out.text);
      if (room > 0 && status == UNF_OK) break;
      assert_int_equal(status, room == 0 ? UNF_OK : UNF_WRITE);
    }
  }
  unf_configuration_free(c);
  close_fixture(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(dot_of_an_unfolding),
      cmocka_unit_test(names_of_the_program),
      cmocka_unit_test(labels),
      cmocka_unit_test(hostile_names),
      cmocka_unit_test(json_to_the_byte),
      cmocka_unit_test(nothing_but_bottom),
      cmocka_unit_test(tree_of_an_exploration),
      cmocka_unit_test(tree_with_what_stands_for_events),
      cmocka_unit_test(every_write_can_fail),
  };
  return cmocka_run_group_tests_name("output", tests, NULL, NULL);
}
