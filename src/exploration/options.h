/* Which options of an explorer have a meaning, and what can be asked for together. */
#ifndef EXPLORATION_OPTIONS_H
#define EXPLORATION_OPTIONS_H

#include <unfold/explore.h>

#include "exploration/strategies/strategy.h"

/* What a strategy may support. */
enum feature {
  FEATURE_ORDERS = 1, /* another order than depth-first */
  FEATURE_BOUNDS = 2, /* bounds of the schedule */
  FEATURE_CUTOFFS = 4,
  FEATURE_COLLECT = 8, /* events are freed */
  FEATURE_PROBES = 16,
  FEATURE_BLOCKING = 32, /* threads blocked by the engine */
  FEATURE_TRACES = 64,   /* whole traces */
  FEATURE_ITEMS = 128    /* parts for several workers */
};

/* Whether the options have a meaning each: UNF_OK, or UNF_INVALID with a detail that names the
 * first that has none, and its value. */
unf_status unfi_options_check(unf_context *context, const unf_explorer_options *options);

/* The features that the options ask for. */
uint32_t unfi_options_features(const unf_explorer_options *options);

/* Whether a strategy supports what the options ask for, and they can be combined: UNF_OK, or
 * UNF_UNSUPPORTED with a detail that names the options and their values. */
unf_status unfi_options_supported(unf_context *context, const unf_explorer_options *options,
                                  const struct strategy *strategy);

/* Whether an unfolding with a predicate can be explored with the options and the strategy, as that.
 */
unf_status unfi_options_symbolic(unf_context *context, const unf_explorer_options *options,
                                 const struct strategy *strategy);

/* As unfi_options_supported(), for a feature that a call needs; the detail names the `call`. */
unf_status unfi_feature_supported(const unf_explorer *x, enum feature feature, const char *call);

#endif
