/* Running compiled programs. The state of all threads and objects is one array of words; what a
 * step changes in it is entered in a history first. */
#ifndef MODEL_MACHINE_H
#define MODEL_MACHINE_H

#include "history.h"
#include "program.h"
#include "symbolic.h"

/* Called for each access to a shared int. */
struct watcher {
  void (*access)(void *user, uint32_t thread, uint32_t variable, bool write, struct place place);
  void *user;
};

/* Why a thread was stopped for ever. */
enum stop {
  STOP_NONE,
  STOP_ASSUME,
  STOP_BOUND,
  STOP_ASSERT,
  STOP_PURE,
  STOP_ERROR /* a run-time error of a program with inputs; its operand is the enum error */
};

/* The bytes of an atomic. */
struct range {
  uint32_t first, size;
};

/* The values that an input can have. */
struct machine_input {
  int64_t low, high;
};

struct machine {
  const struct program *program;
  int64_t bound; /* iterations of a while statement, or -1 */
  /* by thread: */
  uint32_t *body;
  uint32_t *base, *extent;      /* where its words in a state begin, and how many they are */
  struct range *atomics;        /* by atomic */
  uint32_t first[SYMBOL_KINDS]; /* where the words of the elements of a kind begin */
  uint32_t readers;             /* where it is kept which thread holds which lock for reading */
  uint32_t arrivals;            /* and which thread came to which barrier how often */
  uint32_t words;               /* of a state */
  uint32_t plain;               /* of them, those in front of the terms, if there are any */
  struct machine_input *inputs;
  bool *tainted;             /* by atomic: it may hold a term (taint.c) */
  struct messages *messages; /* that were sent through channels */
  struct symbolic *symbolic; /* NULL: all inputs have one value, the lowest one */
  struct watcher watcher;    /* access may be NULL */
  struct history *history;   /* NULL: changes are not entered */
};

/* Words of a thread. */
enum { POSITION, STOPPED, PHASE, OPERAND, SECOND_OPERAND, THIRD_OPERAND, STARTED, REGISTERS };

/* How far a thread is with its operation, where that is more than one event. */
enum phase {
  PHASE_BEFORE,
  PHASE_WAITING,   /* waits for a notification, or in the queue of a futex */
  PHASE_NOTIFIED,  /* was notified, and has not taken the mutex again; or was woken */
  PHASE_TIMED_OUT, /* timed out, and has not taken the mutex again */
  PHASE_ARRIVED,   /* has arrived at a barrier, and not passed it */
  PHASE_RESULT,    /* has performed it; there is a result */
  /* Of a program with inputs, what it stands at is a branch: */
  PHASE_TEST,     /* of an if, a while, an assume or an assert */
  PHASE_COMPARED, /* whether a compare-and-swap that was performed found what it expected */
  PHASE_ERRORS,   /* whether the statement that it stands at goes wrong */
  PHASE_VALUE     /* which value an index or a bound of the operation has */
};

/* What a thread is about to do. */
struct intent {
  enum stop stopped;
  /* An operation; or DO_ASSUME, DO_ASSERT or DO_LOOP, which stopped the thread. */
  enum opcode opcode;
  enum phase phase;
  uint32_t element;       /* object or thread */
  uint32_t mutex;         /* of a wait */
  int64_t low, high;      /* of a choice */
  int64_t round;          /* of a barrier */
  uint32_t branch;        /* of a branch */
  int64_t value;          /* stored, added, compared with; how many threads to wake */
  int64_t desired;        /* stored if the comparison holds */
  enum relation relation; /* of an await */
  bool used;              /* of a fetch_add: its result */
  bool swaps;             /* of a compare-and-swap: it is performed as an exchange */
  struct place place;
};

/* With the symbolic part, or NULL, which is the caller's; of the inputs, all have the values that
 * the program says. false: out of memory. */
bool machine_make(struct machine *machine, const struct program *program, int64_t bound);
void machine_free(struct machine *machine);
/* Inputs with more than one value are unknown, from here on; the part is the caller's. Before any
 * state is made. False: a state is too large. */
bool machine_set_symbolic(struct machine *machine, struct symbolic *symbolic);
/* The state at the start, before any silent step. */
void machine_begin(const struct machine *machine, int64_t *state);
/* Runs the thread up to its next operation (silently); false: a run-time error. */
bool machine_settle(const struct machine *machine, int64_t *state, uint32_t thread,
                    struct problem *problem);
/* Where the thread stands in the text. */
struct place machine_place(const struct machine *machine, const int64_t *state, uint32_t thread);
/* Whether the thread runs from the start on, and whether it has been started. */
bool machine_initial(const struct machine *machine, uint32_t thread);
bool machine_started(const struct machine *machine, const int64_t *state, uint32_t thread);
/* Whether a thread was started and did not finish; then what it stands at. */
bool machine_remains(const struct machine *machine, const int64_t *state, uint32_t thread,
                     struct intent *intent);

/* Items of a history: the shared ints, then the threads. */
uint64_t machine_items(const struct machine *machine);
/* Words are about to be changed; the words of a thread, whatever happens to it in this step. */
static inline void machine_enter(const struct machine *machine, const int64_t *state, size_t first,
                                 uint32_t count) {
  if (machine->history == NULL) return;
  history_enter(machine->history, state, (uint32_t)first, count);
  if (machine->symbolic != NULL)
    history_enter(machine->history, state, machine->plain + (uint32_t)first, count);
}
/* An item, with its terms, if there are any. */
static inline void machine_enter_item(const struct machine *machine, uint64_t item,
                                      const int64_t *state, uint32_t first, uint32_t count) {
  struct history *history = machine->history;
  if (history == NULL || !history_enter_item(history, item, state, first, count)) return;
  if (machine->symbolic != NULL) history_enter(history, state, machine->plain + first, count);
}
static inline void machine_enter_shared(const struct machine *machine, const int64_t *state,
                                        uint32_t variable) {
  machine_enter_item(machine, variable, state, variable, 1);
}
static inline void machine_enter_thread(const struct machine *machine, const int64_t *state,
                                        uint32_t thread) {
  machine_enter_item(machine, (uint64_t)machine->program->count[SYMBOL_SHARED] + thread, state,
                     machine->base[thread], machine->extent[thread]);
}

/* Numbers among the operands of an operation, behind the objects. */
int machine_numbers(enum opcode opcode);
/* Statements and loop tests without an operation. */
enum { DIVERGES = 100000 };
/* The round of a barrier that a thread with these words stands at or has arrived in: the present
 * one or the one before. */
int64_t machine_round(const struct machine *machine, const int64_t *state, const int64_t *words);
/* What a thread is about to do. Made where it is used: seldom is all of it needed. */
static inline void machine_intent(const struct machine *machine, const int64_t *state,
                                  uint32_t thread, struct intent *intent) {
  const int64_t *words = state + machine->base[thread];
  const struct instruction *in = &machine->program->code[words[POSITION]];
  *intent = (struct intent){.stopped = (enum stop)words[STOPPED],
                            .opcode = in->opcode,
                            .phase = (enum phase)words[PHASE],
                            .element = (uint32_t)words[OPERAND],
                            .mutex = (uint32_t)words[SECOND_OPERAND],
                            .low = words[OPERAND],
                            .high = words[SECOND_OPERAND],
                            .value = words[SECOND_OPERAND],
                            .desired = words[THIRD_OPERAND],
                            .relation = (enum relation)in->value,
                            .used = in->value != 0,
                            .place = in->place};
  if (in->opcode == DO_ARRIVE) intent->round = machine_round(machine, state, words);
  intent->swaps = in->opcode == DO_CAS && machine->tainted[intent->element];
  if (words[PHASE] < PHASE_TEST) return;
  intent->opcode = DO_BRANCH;
  intent->branch = (uint32_t)words[machine->extent[thread] - SYMBOLIC_WORDS + BRANCH];
}

#endif
