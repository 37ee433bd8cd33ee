/* Running compiled programs: all threads' states in one array of words, so that a step is undone by
 * copying. */
#ifndef MODEL_MACHINE_H
#define MODEL_MACHINE_H

#include "accesses.h"
#include "program.h"

/* Why a thread was stopped for ever. */
enum stop { STOP_NONE, STOP_ASSUME, STOP_BOUND, STOP_ASSERT };

struct machine {
  const struct program *program;
  int64_t bound; /* iterations of a while statement, or -1 */
  /* by thread: */
  uint32_t *body, *base;     /* base: where its words in a state begin */
  uint32_t words;            /* of a state: shared variables, mutexes, threads */
  struct accesses *accesses; /* to which those to shared ints are added; may be NULL */
};

/* What a thread is about to do. */
struct intent {
  enum stop stopped;
  enum opcode
      opcode;       /* an operation, or DO_ASSUME, DO_ASSERT, DO_LOOP where it was stopped by one */
  uint32_t element; /* mutex or thread */
  int64_t low, high; /* of a choice */
  struct place place;
};

/* false: out of memory. */
bool machine_make(struct machine *machine, const struct program *program, int64_t bound);
void machine_free(struct machine *machine);
/* The state at the start, before any silent step. */
void machine_begin(const struct machine *machine, int64_t *state);
/* Runs the thread up to its next operation (silently); false: a run-time error. */
bool machine_settle(const struct machine *machine, int64_t *state, uint32_t thread,
                    struct problem *problem);
void machine_intent(const struct machine *machine, const int64_t *state, uint32_t thread,
                    struct intent *intent);
/* Whether the thread runs from the start on, and whether it has been started. */
bool machine_initial(const struct machine *machine, uint32_t thread);
bool machine_started(const struct machine *machine, const int64_t *state, uint32_t thread);
/* Whether something holds the mutex; then by which thread, and where that took it. */
bool machine_holder(const struct machine *machine, const int64_t *state, uint32_t mutex,
                    uint32_t *thread, struct place *place);
/* Whether the operation that a started thread stands at can happen now. */
bool machine_ready(const struct machine *machine, const int64_t *state, uint32_t thread);
/* The thread's operation happened, with this result (of trylock and choose); does not settle. */
void machine_perform(const struct machine *machine, int64_t *state, uint32_t thread,
                     int64_t result);

#endif
