/*
 * A textbook implementation of what the relation workload asks of the library, timed beside it in
 * the same run: events interned by action and predecessors, a vector clock with each, causality by
 * clocks, conflict by looking at siblings. It checks nothing of what it is given, and knows the
 * actions of the workload only: local steps, creates, joins and mutexes.
 */
#ifndef BENCH_REFERENCE_H
#define BENCH_REFERENCE_H

#include <stdbool.h>
#include <stdint.h>
#include <unfold/action.h>

struct reference;

/* Threads and mutexes are 0 … that number - 1; no memory: NULL. */
struct reference *reference_new(uint32_t threads, uint32_t mutexes);
void reference_free(struct reference *reference);

/* Goes back to the empty configuration; events stay. */
void reference_clear(struct reference *reference);

/* Adds the event of an action; its number, from 1 on in the order of interning; 0: no memory. */
uint32_t reference_perform(struct reference *reference, const unf_action *action);

uint32_t reference_events(const struct reference *reference);

/* Whether a is b or a cause of b. */
bool reference_precedes(const struct reference *reference, uint32_t a, uint32_t b);
bool reference_conflicts(const struct reference *reference, uint32_t a, uint32_t b);

#endif
