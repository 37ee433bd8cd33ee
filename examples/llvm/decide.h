/* Decisions: which outcomes an instruction has for the inputs that are possible here. */
#ifndef LLVM_DECIDE_H
#define LLVM_DECIDE_H

#include "machine.h"

/*
 * A decision: if it was made already, before the instruction was begun again, machine_decided() has
 * the value of its outcome. Else the outcomes are listed in m->outcomes, and machine_decide() has
 * the value of the one that it is; false: the thread stands.
 */
bool machine_decided(struct machine *m, struct thread *t, int64_t *value);
void machine_list(struct machine *m, term fact, int64_t value);
bool machine_decide(struct machine *m, struct thread *t, int64_t *value);
/* The value of an outcome that stands for values which are not explored. */
#define DECIDED_MORE INT64_MIN
/* The thread stands for good, at that outcome. False. */
bool machine_beyond_values(struct thread *t);
/* Keeps the value of an outcome. */
void machine_remember(struct machine *m, struct thread *t, int64_t value);
/* Whether a truth value is true: 1, 0, or -1 as above. */
int machine_test(struct machine *m, struct thread *t, struct value truth);
/* Whether something is wrong, then with this text: false if the thread stands now. */
bool machine_check(struct machine *m, struct thread *t, struct value wrong, enum cli_kind kind,
                   const char *text);
/* The value of a number that has to be known, one outcome for each; false as above. */
bool machine_resolve(struct machine *m, struct thread *t, struct value value, int64_t *number);
uint32_t machine_history(struct machine *m, struct thread *t);

#endif
