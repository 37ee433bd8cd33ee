/* The comb search against trying everything, on random C, D and U of random unfoldings, for every
 * choice of options. */
#include "alternative/learning.h"
#include "fixture.h"
#include "model.h"
#include "script.h"

#define MOST 6

struct instance {
  set C;
  unf_event U[MODEL_EVENTS], D[MOST];
  uint32_t U_count, D_count;
};

static struct model model;
static struct instance instance;

/* A candidate against event d of D: in conflict with it, compatible with C, no event of D
 * in its history. */
static bool candidate(uint32_t a, uint32_t d) {
  if (!has(&model.conflict[a], instance.D[d]) ||
      model_conflict(&model, &model.history[a], &instance.C))
    return false;
  for (uint32_t i = 0; i < instance.D_count; i++)
    if (has(&model.history[a], instance.D[i])) return false;
  return true;
}

/* Whether one candidate for each event of D from d on goes with those that were chosen. */
static bool any_choice(uint32_t d, unf_event *chosen) {
  if (d == instance.D_count) return true;
  if (meets(&model.conflict[instance.D[d]], &instance.C)) {
    chosen[d] = 0;
    return any_choice(d + 1, chosen);
  }
  for (uint32_t i = 0; i < instance.U_count; i++) {
    bool fits = candidate(instance.U[i], d);
    for (uint32_t j = 0; fits && j < d; j++)
      fits = !has(&model.conflict[instance.U[i]], chosen[j]);
    chosen[d] = instance.U[i];
    if (fits && any_choice(d + 1, chosen)) return true;
  }
  return false;
}

static bool draw_instance(uint64_t *seed, unf_configuration *C) {
  uint32_t events = model.count - 1;
  memset(&instance, 0, sizeof instance);
  unf_configuration_clear(C);
  put(&instance.C, 0);
  for (uint64_t tries = script_draw(seed, 6); tries > 0; tries--) {
    uint32_t e = 1 + (uint32_t)script_draw(seed, events);
    if (unf_configuration_add(C, e) == UNF_OK) unite(&instance.C, &model.history[e]);
  }
  for (uint64_t tries = 1 + script_draw(seed, MOST); tries > 0; tries--) {
    uint32_t e = 1 + (uint32_t)script_draw(seed, events);
    bool fits = !has(&instance.C, e);
    for (uint32_t i = 0; fits && i < instance.D_count; i++)
      fits = instance.D[i] != e;
    if (fits) instance.D[instance.D_count++] = e;
  }
  uint64_t density = 1 + script_draw(seed, 4);
  for (uint32_t e = 1; e <= events; e++)
    if (script_draw(seed, 4) < density) instance.U[instance.U_count++] = e;
  return instance.D_count > 0;
}

struct gathered {
  set events;
};

static bool gather(void *user, unf_event event) {
  put(&((struct gathered *)user)->events, event);
  return true;
}

/* What an answer must satisfy; `needed` events of D, at least, must be contradicted by it
 * or by C. */
static void check_answer(const unf_configuration *J, uint32_t needed) {
  struct gathered all = {{{0}}};
  uint32_t contradicted = 0;
  put(&all.events, 0);
  ok(unf_configuration_linearize(J, gather, &all));
  ok(unf_check_configuration(J));
  assert_false(model_conflict(&model, &all.events, &instance.C));
  for (uint32_t i = 0; i < instance.D_count; i++) {
    assert_false(has(&all.events, instance.D[i]));
    contradicted += meets(&model.conflict[instance.D[i]], &all.events) ||
                    meets(&model.conflict[instance.D[i]], &instance.C);
  }
  assert_true(contradicted >= needed);
}

/* The comb of the instance by the search that learns, which other searches come to only when they
 * are hard. */
static void learn(unf_unfolding *u, unf_configuration *J, uint32_t open, bool exists) {
  struct comb comb = {0};
  struct matrix matrix;
  unf_alternative_statistics statistics = {0, 0, 0, 0, 0, 0};
  bool found = false;
  for (uint32_t d = 0; d < instance.D_count; d++) {
    if (meets(&model.conflict[instance.D[d]], &instance.C)) continue;
    assert_true(unfi_comb_begin(u->context, &comb, instance.D[d]));
    for (uint32_t i = 0; i < instance.U_count; i++)
      if (candidate(instance.U[i], d)) assert_true(unfi_comb_add(u->context, &comb, instance.U[i]));
    unfi_comb_end(&comb, UNF_CANDIDATES_NEWEST);
  }
  /* Searches begin with some spikes, and with none that is empty. */
  bool empty = false;
  for (uint32_t i = 0; i < comb.spikes.count; i++)
    empty = empty || comb.spikes.data[i].count == 0;
  if (open == 0) found = true;
  if (open > 0 && !empty) {
    assert_true(vector_reserve(u->context, &comb.chosen, open));
    assert_true(unfi_matrix_make(&matrix, u, &comb, open));
    ok(unfi_comb_learn(&matrix, &statistics, &found));
  }
  assert_int_equal(found, exists);
  unf_configuration_clear(J);
  for (uint32_t i = 0; i < comb.chosen.count; i++)
    ok(unf_configuration_add(J, comb.chosen.data[i]));
  if (found) check_answer(J, instance.D_count);
  unfi_comb_free(u->context, &comb);
}

static void solve(unf_unfolding *u, const unf_configuration *C, unf_configuration *J,
                  unsigned *found, unsigned *not_found) {
  unf_event chosen[MOST];
  bool exists = any_choice(0, chosen);
  *(exists ? found : not_found) += 1;
  uint32_t open = 0;
  for (uint32_t i = 0; i < instance.D_count; i++)
    open += !meets(&model.conflict[instance.D[i]], &instance.C);
  learn(u, J, open, exists);
  for (unsigned spikes = 0; spikes <= UNF_SPIKES_FIRST; spikes++)
    for (unsigned order = 0; order <= UNF_CANDIDATES_OLDEST; order++)
      for (uint32_t k = 0; k < 4; k++) {
        unf_alternative_options options = UNF_ALTERNATIVE_OPTIONS_INIT;
        unf_alternative_statistics statistics = {0, 0, 0, 0, 0, 0};
        bool answer;
        options.k = k;
        options.spikes = (unf_spike_choice)spikes;
        options.candidates = (unf_candidate_order)order;
        options.greedy = k % 2 == 0;
        ok(unf_alternative_find(u, instance.U, instance.U_count, C, instance.D, instance.D_count,
                                &options, &answer, J, &statistics));
        assert_int_equal(statistics.searches, 1);
        assert_int_equal(statistics.found, answer);
        assert_true(statistics.kept <= statistics.read);
        if (k == UNF_K_OPTIMAL) assert_int_equal(answer, exists);
        /* Fewer conditions never lose an alternative. */
        assert_true(answer || !exists);
        uint32_t wanted = k == UNF_K_OPTIMAL || k > open ? open : k;
        if (answer) check_answer(J, instance.D_count - open + wanted);
      }
}

static void against_all_choices(void **state) {
  uint64_t seed = 29;
  unsigned found = 0, not_found = 0;
  (void)state;
  for (unsigned i = 0; i < 25; i++) {
    struct script script;
    struct session s = {0};
    unf_configuration *C, *J;
    if (i == 0)
      script_dispatcher(&script, 2, 1);
    else
      script_random(&script, &seed);
    ok(session_open(&s, &script, NULL));
    ok(session_explorer(&s, NULL));
    ok(session_explore(&s));
    ok(unf_configuration_new(s.u, &C));
    ok(unf_configuration_new(s.u, &J));
    if (unf_unfolding_events(s.u) > 1 && unf_unfolding_events(s.u) < 250) {
      assert_true(model_make(&model, s.u));
      for (unsigned n = 0; n < 40; n++)
        if (draw_instance(&seed, C)) solve(s.u, C, J, &found, &not_found);
    }
    unf_configuration_free(C);
    unf_configuration_free(J);
    session_close(&s);
  }
  print_message("%u instances with an alternative, %u without\n", found, not_found);
  assert_true(found > 100 && not_found > 100);
}

/* With one pigeon more than holes there is no alternative, and the search has to go back. */
static bool place_pigeons(unsigned pigeons, unsigned holes,
                          unf_alternative_statistics *statistics) {
  unf_context *context;
  unf_unfolding *u;
  unf_configuration *empty, *J;
  unf_event D[16], U[256];
  bool found = false;
  ok(unf_context_new(NULL, &context));
  ok(unf_unfolding_new(context, NULL, &u));
  ok(unf_configuration_new(u, &empty));
  ok(unf_configuration_new(u, &J));
  ok(pigeons_make(u, pigeons, holes, D, U));
  ok(unf_alternative_find(u, U, pigeons * holes, empty, D, pigeons, NULL, &found, J, statistics));
  if (found) assert_int_equal(unf_configuration_size(J), 2 * pigeons);
  unf_configuration_free(J);
  unf_configuration_free(empty);
  unf_unfolding_free(u);
  unf_context_free(context);
  return found;
}

static void pigeons(void **state) {
  (void)state;
  for (unsigned holes = 1; holes <= 8; holes++) {
    unf_alternative_statistics statistics = {0, 0, 0, 0, 0, 0};
    assert_true(place_pigeons(holes, holes, &statistics));
    assert_false(place_pigeons(holes + 1, holes, &statistics));
    assert_true(statistics.nodes >= holes);
  }
}

static void wrong_arguments(void **state) {
  struct fixture f, other;
  unf_configuration *C, *J, *foreign;
  unf_alternative_options options = UNF_ALTERNATIVE_OPTIONS_INIT;
  bool found;
  (void)state;
  open_fixture(&f);
  open_fixture(&other);
  ok(unf_configuration_new(f.u, &C));
  ok(unf_configuration_new(f.u, &J));
  ok(unf_configuration_new(other.u, &foreign));
  unf_event inside = perform(C, UNF_DID_LOCAL, f.main, 0, 1), unknown = 99;
  fails(UNF_INVALID, unf_alternative_find(f.u, NULL, 0, C, &inside, 1, NULL, &found, J, NULL));
  fails(UNF_UNKNOWN, unf_alternative_find(f.u, NULL, 0, C, &unknown, 1, NULL, &found, J, NULL));
  fails(UNF_UNKNOWN, unf_alternative_find(f.u, &unknown, 1, C, NULL, 0, NULL, &found, J, NULL));
  fails(UNF_INVALID, unf_alternative_find(f.u, NULL, 0, C, NULL, 0, NULL, &found, foreign, NULL));
  fails(UNF_INVALID, unf_alternative_find(f.u, NULL, 0, foreign, NULL, 0, NULL, &found, J, NULL));
  options.size = 1;
  fails(UNF_INVALID, unf_alternative_find(f.u, NULL, 0, C, NULL, 0, &options, &found, J, NULL));
  ok(unf_alternative_find(f.u, NULL, 0, C, NULL, 0, NULL, &found, J, NULL));
  assert_true(found);
  assert_int_equal(unf_configuration_size(J), 0);
  unf_configuration_free(C);
  unf_configuration_free(J);
  unf_configuration_free(foreign);
  close_fixture(&f);
  close_fixture(&other);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(against_all_choices),
      cmocka_unit_test(pigeons),
      cmocka_unit_test(wrong_arguments),
  };
  return cmocka_run_group_tests_name("alternative", tests, NULL, NULL);
}
