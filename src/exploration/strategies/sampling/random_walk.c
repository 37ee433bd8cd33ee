/* Random walks: at each step a thread that can act, each with the same probability. */
#include "exploration/explorer.h"
#include "exploration/options.h"
#include "exploration/strategies/sampling/sampling.h"
#include "exploration/strategies/strategies.h"

static unf_status choose(unf_explorer *x) {
  return unfi_sampling_step(x, unfi_sampling_any_thread);
}

const struct strategy unfi_random = {
    .name = "random",
    .supports = FEATURE_COLLECT,
    .state = sizeof(struct sampling),
    .samples = true,
    .names_traces = true,
    .begin = unfi_sampling_begin,
    .end = unfi_sampling_end,
    .choose = choose,
    .learn = unfi_sampling_learn,
    .leave = unfi_sampling_leave,
    .write = unfi_sampling_write,
    .read = unfi_sampling_read,
};
