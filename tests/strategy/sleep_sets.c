/*
 * A strategy of its own, against the internal table: sleep sets alone (Godefroid, "Partial-Order
 * Methods for the Verification of Concurrent Systems", 1996). At each node every action that is
 * enabled and not asleep is taken. Each trace comes once, and runs where everything that is enabled
 * sleeps are cut short: many of them, since no node is left out. Nothing has to be learned from a
 * run, and no event is held.
 */
#include "sleep_sets.h"

#include "exploration/explorer.h"
#include "exploration/free_step.h"
#include "exploration/options.h"

/* The first action that is not asleep when `event`, which left the node last, is. */
static unf_status another(unf_explorer *x, uint32_t event, bool *found) {
  unfi_sleep(x, event);
  unf_status status = unfi_free_branch(x, found);
  unfi_unsleep(x, event);
  return status;
}

static const struct strategy sleep_sets = {
    .name = "sleep-sets",
    .supports = FEATURE_ORDERS | FEATURE_COLLECT | FEATURE_PROBES | FEATURE_BLOCKING,
    .choose = unfi_free_step,
    .another = another,
};

unf_status sleep_sets_explorer(unf_unfolding *u, const unf_explorer_options *options,
                               unf_explorer **out) {
  return unfi_explorer_new(u, &sleep_sets, options, out);
}
