/*
 * Which options of an explorer have a meaning, and what can be asked for together. What an
 * algorithm supports is said by its strategy; this is the only place where a combination is
 * refused.
 */
#include "exploration/options.h"

#include "alternative/comb.h"
#include "base/text.h"
#include "exploration/explorer.h"
#include "exploration/strategies/strategies.h"
#include "extension/adds.h"

/* Options that ask for features. */
enum option { ORDER, CUTOFFS, SWITCHES, PREEMPTIONS, COLLECT, PROBES, OPTIONS };

static const struct {
  const char *name;
  enum feature feature;
} rows[OPTIONS] = {
    [ORDER] = {"order", FEATURE_ORDERS},
    [CUTOFFS] = {"cutoffs", FEATURE_CUTOFFS},
    [SWITCHES] = {"max_switches", FEATURE_BOUNDS},
    [PREEMPTIONS] = {"max_preemptions", FEATURE_BOUNDS},
    [COLLECT] = {"collect", FEATURE_COLLECT},
    [PROBES] = {"probes", FEATURE_PROBES},
};

/* Features that no strategy has together. */
static const uint32_t excluded[] = {
    FEATURE_COLLECT | FEATURE_CUTOFFS, FEATURE_PROBES | FEATURE_BOUNDS,
    FEATURE_PROBES | FEATURE_CUTOFFS,  FEATURE_TRACES | FEATURE_CUTOFFS,
    FEATURE_ITEMS | FEATURE_PROBES,
};

/* The features that an unfolding with branches is not explored with. */
static const uint32_t concrete = FEATURE_PROBES | FEATURE_TRACES;

/* Whether two features can be asked for together. */
static bool together(uint32_t one, uint32_t other) {
  for (unsigned i = 0; i < sizeof excluded / sizeof excluded[0]; i++)
    if (one != other && excluded[i] == (one | other)) return false;
  return true;
}

static uint64_t number_of(const unf_explorer_options *o, enum option option) {
  if (option == SWITCHES) return o->max_switches;
  if (option == PREEMPTIONS) return o->max_preemptions;
  return option == COLLECT ? o->collect : o->probes;
}

static const char *word_of(const unf_explorer_options *o, enum option option) {
  if (option == ORDER) return unf_order_text(o->order);
  return option == CUTOFFS ? unf_cutoff_order_text(o->cutoffs) : NULL;
}

static bool is_given(const unf_explorer_options *o, enum option option) {
  switch (option) {
  case ORDER:
    return o->order != UNF_ORDER_DEPTH_FIRST;
  case CUTOFFS:
    return o->cutoffs != UNF_CUTOFFS_NONE;
  case SWITCHES:
  case PREEMPTIONS:
    return number_of(o, option) != UNF_UNBOUNDED;
  default:
    return number_of(o, option) > 0;
  }
}

uint32_t unfi_options_features(const unf_explorer_options *o) {
  uint32_t features = 0;
  for (enum option i = 0; i < OPTIONS; i++)
    if (is_given(o, i)) features |= rows[i].feature;
  return features;
}

static void add_option(struct text *text, const unf_explorer_options *o, enum option option) {
  const char *word = word_of(o, option);
  unfi_text_add(text, rows[option].name);
  unfi_text_add(text, " ");
  if (word != NULL)
    unfi_text_add(text, word);
  else
    unfi_text_u64(text, number_of(o, option));
}

/* `with`: the strategy if it is OPTIONS. */
static unf_status refuse(unf_context *context, const unf_explorer_options *o,
                         const struct strategy *strategy, enum option option, enum option with) {
  char line[160];
  struct text text = unfi_text(line, sizeof line);
  unfi_text_add(&text, "unf_explorer_options: ");
  add_option(&text, o, option);
  unfi_text_add(&text, " with ");
  if (with != OPTIONS) {
    add_option(&text, o, with);
  } else {
    unfi_text_add(&text, "algorithm ");
    unfi_text_add(&text, strategy->name);
  }
  return unfi_fail(context, UNF_UNSUPPORTED, line);
}

unf_status unfi_options_supported(unf_context *context, const unf_explorer_options *o,
                                  const struct strategy *strategy) {
  for (enum option i = 0; i < OPTIONS; i++) {
    if (!is_given(o, i)) continue;
    if (!(strategy->supports & rows[i].feature)) return refuse(context, o, strategy, i, OPTIONS);
    for (enum option with = 0; with < i; with++)
      if (is_given(o, with) && !together(rows[i].feature, rows[with].feature))
        return refuse(context, o, strategy, i, with);
  }
  return UNF_OK;
}

unf_status unfi_feature_supported(const unf_explorer *x, enum feature feature, const char *call) {
  unf_context *context = x->u->context;
  if (!(x->strategy->supports & feature))
    return unfi_fail(context, UNF_UNSUPPORTED, call, " with algorithm ", x->strategy->name);
  if ((concrete & feature) && unfi_is_symbolic(x))
    return unfi_fail(context, UNF_UNSUPPORTED, call, " with unf_unfolding_set_consistency()");
  for (enum option i = 0; i < OPTIONS; i++)
    if ((x->features & rows[i].feature) && !together(feature, rows[i].feature))
      return unfi_fail(context, UNF_UNSUPPORTED, call, " with ", rows[i].name);
  return UNF_OK;
}

unf_status unfi_options_symbolic(unf_context *context, const unf_explorer_options *o,
                                 const struct strategy *strategy) {
  char line[160];
  struct text text = unfi_text(line, sizeof line);
  if (strategy->samples)
    return unfi_fail(context, UNF_UNSUPPORTED, "unf_explorer_options: algorithm ", strategy->name,
                     " with unf_unfolding_set_consistency()");
  for (enum option i = 0; i < OPTIONS; i++) {
    if (!is_given(o, i) || !(rows[i].feature & concrete)) continue;
    unfi_text_add(&text, "unf_explorer_options: ");
    add_option(&text, o, i);
    unfi_text_add(&text, " with unf_unfolding_set_consistency()");
    return unfi_fail(context, UNF_UNSUPPORTED, line);
  }
  return UNF_OK;
}

/* What only algorithms that draw look at. */
static unf_status check_sampling(unf_context *context, const unf_explorer_options *o) {
  if (!unfi_strategies[o->algorithm]->samples) return UNF_OK;
  if (o->runs == 0) return unfi_wrong_option(context, "unf_explorer_options.runs", 0, 0);
  if (o->depth == 0 || o->depth > UNF_MAX_DEPTH)
    return unfi_wrong_option(context, "unf_explorer_options.depth", o->depth, 0);
  return UNF_OK;
}

unf_status unfi_options_check(unf_context *context, const unf_explorer_options *o) {
  if (o->size != sizeof *o)
    return unfi_wrong_option(context, "unf_explorer_options.size", o->size, sizeof *o);
  if ((unsigned)o->algorithm >= UNF_ALGORITHM_COUNT)
    return unfi_wrong_option(context, "unf_explorer_options.algorithm", (unsigned)o->algorithm, 0);
  if ((unsigned)o->cutoffs >= UNF_CUTOFF_ORDER_COUNT)
    return unfi_wrong_option(context, "unf_explorer_options.cutoffs", (unsigned)o->cutoffs, 0);
  if ((unsigned)o->order >= UNF_ORDER_COUNT)
    return unfi_wrong_option(context, "unf_explorer_options.order", (unsigned)o->order, 0);
  if (o->order == UNF_ORDER_CHOSEN && o->choose == NULL)
    return unfi_fail(context, UNF_INVALID,
                     "unf_explorer_options.choose is NULL, with order UNF_ORDER_CHOSEN");
  unf_status status = check_sampling(context, o);
  return status == UNF_OK ? unfi_alternative_options_check(context, &o->alternative) : status;
}
