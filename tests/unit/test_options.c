/* Options that mean nothing, or nothing together: the text says which one, and its value. */
#include "fixture.h"

static void says(const struct fixture *f, const char *text) {
  assert_non_null(strstr(unf_context_detail(f->context)->text, text));
}

static void refused_as(struct fixture *f, const unf_explorer_options *options, unf_status status,
                       const char *text) {
  unf_explorer *x;
  fails(status, unf_explorer_new(f->u, options, &x));
  says(f, text);
}

/* A value as an enumeration cannot have it. */
static void set_enumeration(void *field, unsigned value) {
  memcpy(field, &value, sizeof value);
}

static void options_of_an_explorer(void **state) {
  static const unf_explorer_options defaults = UNF_EXPLORER_OPTIONS_INIT;
  struct fixture f;
  (void)state;
  open_fixture(&f);
  unf_explorer_options o = defaults;
  o.size = 12;
  refused_as(&f, &o, UNF_INVALID, ": unf_explorer_options.size is 12, not ");
  o = defaults;
  set_enumeration(&o.algorithm, 9);
  refused_as(&f, &o, UNF_INVALID, ": unf_explorer_options.algorithm is 9, which means nothing");
  o = defaults;
  set_enumeration(&o.cutoffs, 7);
  refused_as(&f, &o, UNF_INVALID, ": unf_explorer_options.cutoffs is 7, ");
  o = defaults;
  set_enumeration(&o.order, 70);
  refused_as(&f, &o, UNF_INVALID, ": unf_explorer_options.order is 70, ");
  o.order = UNF_ORDER_CHOSEN;
  refused_as(&f, &o, UNF_INVALID, ": unf_explorer_options.choose is NULL, ");
  o = defaults;
  o.alternative.size = 0;
  refused_as(&f, &o, UNF_INVALID, ": unf_alternative_options.size is 0, not ");
  o = defaults;
  set_enumeration(&o.alternative.spikes, 3);
  refused_as(&f, &o, UNF_INVALID, ": unf_alternative_options.spikes is 3, ");
  o = defaults;
  set_enumeration(&o.alternative.candidates, 2);
  refused_as(&f, &o, UNF_INVALID, ": unf_alternative_options.candidates is 2, ");

  o = defaults;
  o.algorithm = UNF_EAGER;
  o.order = UNF_ORDER_RANDOM;
  refused_as(&f, &o, UNF_UNSUPPORTED, "order random with algorithm eager");
  o.order = UNF_ORDER_DEPTH_FIRST;
  o.max_preemptions = 2;
  refused_as(&f, &o, UNF_UNSUPPORTED, "max_preemptions 2 with algorithm eager");
  o = defaults;
  o.algorithm = UNF_DFS;
  o.collect = 5;
  refused_as(&f, &o, UNF_UNSUPPORTED, "collect 5 with algorithm dfs");
  o = defaults;
  o.probes = 4;
  o.cutoffs = UNF_CUTOFFS_ERV;
  refused_as(&f, &o, UNF_UNSUPPORTED, "probes 4 with cutoffs erv");
  close_fixture(&f);
}

static void options_of_the_others(void **state) {
  unf_unfolding_options unfolding = UNF_UNFOLDING_OPTIONS_INIT;
  unf_races_options races = UNF_RACES_OPTIONS_INIT;
  unf_purity_options purity = UNF_PURITY_OPTIONS_INIT;
  unf_unfolding *u;
  unf_races *r;
  unf_flow *flow;
  unf_purity *p;
  struct fixture f;
  (void)state;
  open_fixture(&f);
  unfolding.skip_step = 1;
  fails(UNF_INVALID, unf_unfolding_new(f.context, &unfolding, &u));
  says(&f, ": unf_unfolding_options.skip_step is 1, which means nothing");
  unfolding.size = 7;
  fails(UNF_INVALID, unf_unfolding_new(f.context, &unfolding, &u));
  says(&f, ": unf_unfolding_options.size is 7, not ");
  races.every = 0;
  fails(UNF_INVALID, unf_races_new(f.u, &races, &r));
  says(&f, ": unf_races_options.every is 0, which means nothing");
  ok(unf_flow_new(f.context, &flow));
  purity.conjuncts = 65;
  fails(UNF_INVALID, unf_purity_new(flow, &purity, &p));
  says(&f, ": unf_purity_options.conjuncts is 65, which means nothing");
  unf_flow_free(flow);
  close_fixture(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(options_of_an_explorer),
      cmocka_unit_test(options_of_the_others),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
