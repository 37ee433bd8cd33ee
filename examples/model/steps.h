/* One step, for reports and replays. */
#ifndef MODEL_STEPS_H
#define MODEL_STEPS_H

#include "model.h"

/* A step of a thread in the state before it: an object with `thread`, `operation`, `event`,
 * `place`, perhaps `result` and `notified`; several: its operation has other events too. NULL: no
 * memory. */
json_t *describe_step(const struct session *s, const int64_t *state, const unf_action *action,
                      bool *several);

#endif
