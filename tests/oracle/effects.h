/*
 * The families of effects: what each gives to the tables of effects.c.
 */
#ifndef ORACLE_EFFECTS_H
#define ORACLE_EFFECTS_H

#include "machine.h"

/* Fills in kind, second and value of the index-th action that can come of an operation, thread and
 * target being set; false if there are no more than index. */
typedef bool (*effect_possible)(const machine *m, const int64_t *state, const operation *o,
                                uint64_t index, action *a);

/* Performs a possible action and returns the result of the operation. The thread still
 * has the operation. */
typedef int64_t (*effect_change)(machine *m, int64_t *state, const action *a);

bool condition_possible(const machine *m, const int64_t *state, const operation *o, uint64_t index,
                        action *a);
int64_t condition_change(machine *m, int64_t *state, const action *a);
/* Whether two actions on one condition depend on each other: to be asked in both directions. */
bool condition_dependent(const action *a, const action *b);

bool rwlock_possible(const machine *m, const int64_t *state, const operation *o, uint64_t index,
                     action *a);
int64_t rwlock_change(machine *m, int64_t *state, const action *a);

bool semaphore_possible(const machine *m, const int64_t *state, const operation *o, uint64_t index,
                        action *a);
int64_t semaphore_change(machine *m, int64_t *state, const action *a);

bool barrier_possible(const machine *m, const int64_t *state, const operation *o, uint64_t index,
                      action *a);
int64_t barrier_change(machine *m, int64_t *state, const action *a);

bool memory_possible(const machine *m, const int64_t *state, const operation *o, uint64_t index,
                     action *a);
int64_t memory_change(machine *m, int64_t *state, const action *a);

bool futex_possible(const machine *m, const int64_t *state, const operation *o, uint64_t index,
                    action *a);
int64_t futex_change(machine *m, int64_t *state, const action *a);
/* Whether two actions on one queue depend on each other: to be asked in both directions. */
bool futex_dependent(const action *a, const action *b);

/* What a receive gives, or a poll, that finds a channel closed and empty, or nothing there; nobody
 * can send these. */
#define MESSAGE_CLOSED INT64_MIN
#define MESSAGE_EMPTY  (INT64_MIN + 1)

/* The capacity of a channel, 0: it has none; the thread of a mailbox. */
uint32_t channel_capacity(const program *p, uint32_t channel);
uint32_t mailbox_owner(const program *p, uint32_t mailbox);

bool channel_possible(const machine *m, const int64_t *state, const operation *o, uint64_t index,
                      action *a);
int64_t channel_change(machine *m, int64_t *state, const action *a);
/* Whether two actions on one channel depend on each other: to be asked in both directions. */
bool channel_dependent(const action *a, const action *b);

bool mailbox_possible(const machine *m, const int64_t *state, const operation *o, uint64_t index,
                      action *a);
int64_t mailbox_change(machine *m, int64_t *state, const action *a);
/* Whether two actions on one mailbox depend on each other: to be asked in both directions. */
bool mailbox_dependent(const action *a, const action *b);

bool future_possible(const machine *m, const int64_t *state, const operation *o, uint64_t index,
                     action *a);
int64_t future_change(machine *m, int64_t *state, const action *a);

/* The owner of a mutex, or -1. */
static inline int64_t mutex_owner(const machine *m, const int64_t *state, uint32_t mutex) {
  return *machine_object_const(m, state, SYMBOL_MUTEX, mutex) - 1;
}
static inline void mutex_give(machine *m, int64_t *state, uint32_t mutex, int64_t owner) {
  *machine_object(m, state, SYMBOL_MUTEX, mutex) = owner + 1;
}

#endif
