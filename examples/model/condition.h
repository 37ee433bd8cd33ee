/*
 * What the literals among the causes of an event leave open, for cutoffs: the facts that say
 * something of inputs which are still used. An input is used if a value of the state depends on it,
 * if a thread stands at a branch that does, or if a thread can come to read it.
 */
#ifndef MODEL_CONDITION_H
#define MODEL_CONDITION_H

#include "knowledge.h"
#include "machine.h"
#include "uses.h"

/* Where a thread goes on behind an event, and the branch that it stands at, or NO_BRANCH. */
#define NO_BRANCH UINT32_MAX
struct stand {
  uint32_t thread, position, branch;
};

struct conditions {
  const struct machine *machine; /* NULL: not in use */
  struct knowledge *knowledge;
  uint32_t inputs, threads;
  bool *reads; /* by instruction and input: whether it can be read from there on */
  /* By event: where threads stand behind it. The thread that it created stood nowhere before. */
  struct after {
    struct stand own, created;
  } * after;
  uint32_t after_room;
  struct uses uses;     /* of inputs by values */
  struct stand *stands; /* by thread, at the beginning */
  bool begun;
  /* Scratch: of the event at hand. */
  struct stand *now;
  bool *used;
  bool failed; /* there was no memory */
};

/* False: no memory. */
bool conditions_make(struct conditions *conditions, const struct machine *machine,
                     struct knowledge *knowledge);
void conditions_free(struct conditions *conditions);
uint64_t conditions_bytes(const struct conditions *conditions);
/* The state at the beginning of an execution. */
void conditions_begin(struct conditions *conditions, const int64_t *state);
/* The step at hand replaced a term, or TERM_NONE, of a word by another. */
void conditions_changed(struct conditions *conditions, term before, term after);
/* That step was performed and is this event: its condition, as a set of facts; UINT32_MAX: no
 * memory. */
uint32_t conditions_of(struct conditions *conditions, const unf_action *action, unf_event event,
                       const int64_t *state);

#endif
