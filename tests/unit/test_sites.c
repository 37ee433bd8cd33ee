/* Programs of many threads and objects, whose cuts are trees of blocks: relations, histories and
 * unions against their definitions. */
#include "fixture.h"
#include "model.h"

/* As many threads as objects of each class. */
enum { THREADS = 24, OBJECTS = 24, STEPS = 30, EVENTS = 300 };

static struct model model;

struct many {
  unf_context *context;
  unf_unfolding *u;
  unf_configuration *c;
  unf_thread threads[THREADS];
  unf_object mutexes[OBJECTS], locks[OBJECTS], semaphores[OBJECTS];
  uint64_t seed;
};

static uint32_t draw(struct many *m, uint32_t below) {
  m->seed = m->seed * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)(m->seed >> 33) % below;
}

static void open_many(struct many *m, uint64_t seed) {
  m->seed = seed;
  ok(unf_context_new(NULL, &m->context));
  ok(unf_unfolding_new(m->context, NULL, &m->u));
  for (uint32_t i = 0; i < THREADS; i++) {
    ok(unf_thread_name(m->u, UNF_THREAD_NONE, i, &m->threads[i]));
    ok(unf_thread_start(m->u, m->threads[i]));
  }
  for (uint32_t i = 0; i < OBJECTS; i++) {
    ok(unf_object_name(m->u, UNF_MUTEX, UNF_THREAD_NONE, i, &m->mutexes[i]));
    ok(unf_object_name(m->u, UNF_RWLOCK, UNF_THREAD_NONE, i, &m->locks[i]));
    ok(unf_object_name(m->u, UNF_SEMAPHORE, UNF_THREAD_NONE, i, &m->semaphores[i]));
  }
  ok(unf_configuration_new(m->u, &m->c));
}

static void close_many(struct many *m) {
  unf_configuration_free(m->c);
  unf_unfolding_free(m->u);
  unf_context_free(m->context);
}

/* Some action of some thread, of a few threads and objects more often. */
static unf_action draw_action(struct many *m) {
  static const struct {
    unf_action_kind kind;
    int object; /* class */
  } kinds[] = {{UNF_DID_LOCAL, -1},   {UNF_DID_ACQUIRE, 0},  {UNF_DID_RELEASE, 0},
               {UNF_DID_RELEASE, 0},  {UNF_DID_TRYFAIL, 0},  {UNF_DID_RDLOCK, 1},
               {UNF_DID_RDUNLOCK, 1}, {UNF_DID_RDUNLOCK, 1}, {UNF_DID_WRLOCK, 1},
               {UNF_DID_WRUNLOCK, 1}, {UNF_DID_POST, 2},     {UNF_DID_SEM_WAIT, 2},
               {UNF_DID_SEM_FAIL, 2}};
  uint32_t few = draw(m, 2), k = draw(m, sizeof kinds / sizeof *kinds);
  const unf_object *objects[] = {m->mutexes, m->locks, m->semaphores};
  uint32_t target = kinds[k].object < 0 ? 0 : objects[kinds[k].object][draw(m, few ? 3 : OBJECTS)];
  int64_t value = kinds[k].object < 0 ? draw(m, 2) : 0;
  return did(kinds[k].kind, m->threads[draw(m, few ? 4 : THREADS)], target, value);
}

/* Executions that begin like others, until there are events enough. */
static void perform_some(struct many *m) {
  unf_event known[EVENTS + 1];
  while (unf_unfolding_events(m->u) < EVENTS - STEPS) {
    unf_configuration_clear(m->c);
    uint32_t events = unf_unfolding_events(m->u), steps = draw(m, 4);
    for (uint32_t i = 0; i < events; i++)
      known[i] = i + 1;
    /* The union of some histories. */
    for (uint32_t i = 0; i < steps && events > 0; i++) {
      unf_status status = unf_configuration_add(m->c, known[draw(m, events)]);
      assert_true(status == UNF_OK || status == UNF_CONFLICT);
    }
    for (uint32_t done = 0; done < STEPS;) {
      unf_action action = draw_action(m);
      unf_status status = unf_configuration_perform(m->c, &action, NULL);
      assert_true(status == UNF_OK || status == UNF_DISABLED);
      done += status == UNF_OK;
    }
  }
}

static void compare_pairs(struct many *m) {
  bool told;
  for (uint32_t a = 0; a < model.count; a++)
    for (uint32_t b = 0; b < model.count; b++) {
      ok(unf_event_precedes(m->u, a, b, &told));
      assert_int_equal(told, has(&model.history[b], a));
      ok(unf_event_conflicts(m->u, a, b, &told));
      assert_int_equal(told, has(&model.conflict[a], b));
    }
}

static bool list(void *user, unf_event event) {
  put(user, event);
  return true;
}

/* Unions of histories, events one by one and whole configurations. */
static void compare_unions(struct many *m) {
  unf_configuration *other;
  ok(unf_configuration_new(m->u, &other));
  for (uint32_t round = 0; round < 200; round++) {
    set expected = {{0}}, listed = {{0}};
    put(&expected, 0);
    put(&listed, 0);
    unf_configuration_clear(m->c);
    for (uint32_t i = 0; i < 12; i++) {
      uint32_t event = 1 + draw(m, model.count - 1);
      bool apart = model_conflict(&model, &expected, &model.history[event]), told;
      ok(unf_configuration_conflicts(m->c, event, &told));
      assert_int_equal(told, apart);
      unf_configuration_clear(other);
      ok(unf_configuration_add(other, event));
      assert_int_equal(unf_configuration_size(other), size_of(&model.history[event]) - 1);
      unf_status status = draw(m, 2) == 0 ? unf_configuration_add(m->c, event)
                                          : unf_configuration_unite(m->c, other);
      assert_int_equal(status, apart ? UNF_CONFLICT : UNF_OK);
      if (!apart) unite(&expected, &model.history[event]);
    }
    ok(unf_configuration_linearize(m->c, list, &listed));
    assert_true(within(&listed, &expected) && within(&expected, &listed));
    assert_int_equal(unf_configuration_size(m->c), size_of(&expected) - 1);
  }
  unf_configuration_free(other);
}

static void against_definitions(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 6; seed++) {
    struct many m;
    open_many(&m, seed);
    perform_some(&m);
    assert_true(model_make(&model, m.u));
    compare_pairs(&m);
    compare_unions(&m);
    close_many(&m);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(against_definitions),
  };
  return cmocka_run_group_tests_name("sites", tests, NULL, NULL);
}
