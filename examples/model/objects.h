/* Objects as words of a state. */
#ifndef MODEL_OBJECTS_H
#define MODEL_OBJECTS_H

#include "machine.h"

/* Lays out the words of the objects, from `first` on; returns the word behind them. */
uint64_t objects_place(struct machine *machine, uint32_t first);
/* Fills them in for the start. */
void objects_begin(const struct machine *machine, int64_t *state);

/* Whether the operation that a started thread stands at can happen now. */
bool machine_ready(const struct machine *machine, const int64_t *state, uint32_t thread);
/* Whether one that can happen and can fail or time out would succeed; of an unlock of a lock:
 * whether the thread holds it for writing. */
bool machine_succeeds(const struct machine *machine, const int64_t *state, uint32_t thread);
/* Whether it is undefined behaviour there, which stops the thread for ever. */
bool machine_undefined(const struct machine *machine, const int64_t *state, uint32_t thread);
/* Whether the post, or the operation on a channel, that can happen is a run-time error. */
bool machine_operation_fails(const struct machine *machine, const int64_t *state, uint32_t thread,
                             struct problem *problem);
/* Whether the operation that can happen is a run-time error. */
static inline bool machine_fails(const struct machine *machine, const int64_t *state,
                                 uint32_t thread, struct problem *problem) {
  const int64_t position = state[machine->base[thread] + POSITION];
  const enum opcode opcode = machine->program->code[position].opcode;
  return (opcode == DO_POST || opcode_on_channel(opcode)) &&
         machine_operation_fails(machine, state, thread, problem);
}
/* The thread's operation happened, or its next event if it has several; does not settle. The
 * result: the value of a choice; the thread that a signal notified, or -1; how many threads a futex
 * woke; of others, whether they did not fail or time out. */
void machine_perform(const struct machine *machine, int64_t *state, uint32_t thread,
                     int64_t result);
/* Wakes a thread that waits, before the event that does it is performed. */
void machine_wake(const struct machine *machine, int64_t *state, uint32_t thread);

/* What a word of a state is to the state as a whole. */
enum role {
  ROLE_VALUE,   /* part of it */
  ROLE_COUNTER, /* events that commute add to it */
  ROLE_REPORT   /* follows from the others, or is there for reports only */
};
enum role machine_role(const struct machine *machine, uint32_t word);

/* Whether something holds the mutex, or the lock for writing; then by which thread, and where that
 * took it. The kind is that of the object. */
bool machine_holder(const struct machine *machine, const int64_t *state, enum symbol_kind kind,
                    uint32_t element, uint32_t *thread, struct place *place);
/* Whether a thread holds a lock for reading, and where it took it first. */
bool machine_reads(const struct machine *machine, const int64_t *state, uint32_t rwlock,
                   uint32_t thread, struct place *place);
/* The number of holds for reading. */
int64_t machine_readers(const struct machine *machine, const int64_t *state, uint32_t rwlock);
int64_t machine_semaphore(const struct machine *machine, const int64_t *state, uint32_t semaphore);
/* The round that a barrier is in, and how many have arrived in it. */
int64_t machine_barrier(const struct machine *machine, const int64_t *state, uint32_t barrier,
                        int64_t *arrived);
/* Whether a thread waits at a condition variable, or in the queue of an atomic. */
bool machine_waits(const struct machine *machine, const int64_t *state, enum symbol_kind kind,
                   uint32_t element, uint32_t thread);
/* Whether a notification of the condition variable found nobody waiting; then where the
 * last one was. */
bool machine_lost(const struct machine *machine, const int64_t *state, uint32_t condition,
                  struct place *place);

#endif
