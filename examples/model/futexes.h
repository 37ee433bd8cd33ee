/* Futexes: waiting at an atomic, and going on. */
#ifndef MODEL_FUTEXES_H
#define MODEL_FUTEXES_H

#include "machine.h"

/* Whether an operation is a wait; of one, whether it can go on; and whether the atomic
 * has the value that it expects. */
bool futexes_waits(enum opcode opcode);
bool futexes_ready(const struct intent *intent);
bool futexes_agree(const struct machine *machine, const int64_t *state,
                   const struct intent *intent);
/* The result that its next event gives; -1: it begins to wait. */
int64_t futexes_result(const struct machine *machine, const int64_t *state,
                       const struct intent *intent);
/* Performs that; whether there is a result. */
bool futexes_wait(const struct machine *machine, int64_t *state, uint32_t thread, int64_t *result);

#endif
