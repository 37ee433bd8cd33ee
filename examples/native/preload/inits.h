/* Objects that are initialised while other threads run. */
#ifndef NATIVE_PRELOAD_INITS_H
#define NATIVE_PRELOAD_INITS_H

#include <stdbool.h>
#include <stdint.h>
#include <unfold/unfold.h>

#include "../control/findings.h"
#include "../control/object_kinds.h"

struct object;
struct thread;

/* The object there, for an operation on it. */
struct object *object_use(const void *address, enum object_kind kind, uint64_t place);
/* A thread initialises an object there. It replaces the one in the result, if there is one: when
 * the memory has been written, that must be free, by an operation on it. */
struct object *object_begin(const void *address, enum object_kind kind, uint64_t place,
                            struct object **replaced);
void object_replaced(struct object *o, bool held, enum misuse how, uint64_t place);
/* The caller uses what was never initialised. */
_Noreturn void object_early(struct object *o, uint64_t place);

/* Counts what is locked before main: the error of a call, and what it adds. */
int before_main(int *held, int error, int change);

/* Barriers, whose destruction is no operation of their own. A thread has arrived in a round; it
 * destroys the barrier, or initialises it again, and knows so many rounds to be over. */
void object_waits(struct object *barrier, struct object *round, uint64_t place);
void object_ends(struct object *barrier, uint32_t over, uint64_t place);

/* A thread has performed an event. */
void inits_step(struct thread *t);
/* Which initialisations are operations in a schedule. */
void inits_learn(const unf_schedule *schedule);
/* Whether those that are led to what seems not deterministic, so that none must be. */
bool inits_give_up(void);

#endif
