/* Threads that run on inputs. */
#ifndef MODEL_SYMBOLIC_RUN_H
#define MODEL_SYMBOLIC_RUN_H

#include "symbolic.h"

/* As machine_settle(), where m->symbolic is not NULL. */
bool symbolic_settle(const struct machine *m, int64_t *state, uint32_t thread,
                     struct problem *problem);

#endif
