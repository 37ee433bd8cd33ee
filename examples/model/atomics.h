/* Operations on atomics. */
#ifndef MODEL_ATOMICS_H
#define MODEL_ATOMICS_H

#include "machine.h"

/* Of an operation on an atomic, whether its comparison holds, if it has one; what its
 * result is in this state; and performing it, with that result. */
bool atomics_agree(const struct machine *machine, const int64_t *state,
                   const struct intent *intent);
int64_t atomics_result(const struct machine *machine, const int64_t *state,
                       const struct intent *intent);
int64_t atomics_access(const struct machine *machine, int64_t *state, enum opcode opcode,
                       uint32_t atomic, int64_t operand, int64_t desired);
/* Lists the bytes of all; there is room. */
void atomics_place(struct machine *machine);
/* Gives an atomic its value at the start. */
void atomics_begin(const struct machine *machine, int64_t *state, uint32_t atomic, int64_t value);

/* Its value. */
int64_t machine_atomic(const struct machine *machine, const int64_t *state, uint32_t atomic);

#endif
