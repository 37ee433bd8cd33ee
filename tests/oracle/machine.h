/*
 * The interpreter of the oracle: what each thread does next, what actions come of it, and their
 * performance. A state is a flat array of program->state words, so that it is copied by copying.
 */
#ifndef ORACLE_MACHINE_H
#define ORACLE_MACHINE_H

#include "program.h"

#define MACHINE_STEPS_MAX 100000u

/* What a thread is about to do. */
typedef struct operation {
  operation_kind kind;
  uint32_t target; /* object, thread, or stop_reason */
  /* Mutex of a wait, round of a barrier, token of an await, thread of MAIL; FETCH_ADD: commutes. */
  uint32_t second;
  /* CHOOSE, BRANCH, the operands on an atomic, how many FUTEX_WAKE wakes, messages, tags */
  int64_t low, high;
} operation;

typedef enum action_kind {
  ACTION_ACQUIRE,
  ACTION_RELEASE,
  ACTION_TRYFAIL,
  ACTION_SPAWN,
  ACTION_JOIN,
  ACTION_CHOOSE,
  ACTION_BRANCH,
  ACTION_WAIT,
  ACTION_WAKE,
  ACTION_TIMEOUT,
  ACTION_SIGNAL,
  ACTION_BROADCAST,
  ACTION_RDACQUIRE,
  ACTION_RDFAIL,
  ACTION_WRACQUIRE,
  ACTION_WRFAIL,
  ACTION_RDRELEASE,
  ACTION_WRRELEASE,
  ACTION_POST,
  ACTION_POST_ALONE, /* where the posts of the program can exceed the maximum */
  ACTION_SEM_ACQUIRE,
  ACTION_SEM_FAIL,
  ACTION_ARRIVE,
  ACTION_PASS,
  ACTION_READ,
  ACTION_WRITE,
  ACTION_ADD,
  ACTION_FUTEX_WAIT,
  ACTION_FUTEX_AGAIN, /* the value was another one */
  ACTION_FUTEX_RETURN,
  ACTION_FUTEX_TIMEOUT,
  ACTION_FUTEX_WAKE,     /* as many as were to be woken */
  ACTION_FUTEX_WAKE_ALL, /* fewer: all that wait */
  ACTION_SEND,
  ACTION_RECEIVE,
  ACTION_CLOSE,
  ACTION_FULL,
  ACTION_EMPTY,
  ACTION_ENDED,       /* a receive of a closed and empty channel */
  ACTION_SEND_CLOSED, /* an error of the program, see program_options */
  ACTION_CLOSE_CLOSED,
  ACTION_MAIL,
  ACTION_ACCEPT,
  ACTION_NO_MAIL,
  ACTION_SET,
  ACTION_GET,
  ACTION_UNSET,
  ACTION_SET_AGAIN,
  ACTION_COUNT
} action_kind;

/* What a thread did. Equal actions are equal in every field. */
typedef struct action {
  action_kind kind;
  uint32_t thread, target;
  /* Mutex of WAIT and WAKE, round of ARRIVE and PASS; capacity of a channel, 0: none; tag of MAIL
   * and ACCEPT. */
  uint32_t second;
  /* CHOOSE, BRANCH; SIGNAL: thread or -1; BROADCAST, FUTEX_WAKE, FUTEX_WAKE_ALL: bit set of
   * threads; SEND, RECEIVE: number of the message, FULL, EMPTY: of what would be next; CLOSE:
   * how many were sent, and received times 2^32; MAIL: number
   * among those of the sender, ACCEPT: the sender times 2^32 too; NO_MAIL: the tags */
  int64_t value;
  byte_range range; /* READ, WRITE, ADD, FUTEX_WAIT, FUTEX_AGAIN: the bytes of the target */
} action;

typedef struct machine {
  const program *program;
  size_t words;               /* of a state */
  size_t base[SYMBOL_THREAD]; /* first word of the objects of each kind */
  size_t mask_words;          /* of a set of shared cells */
  size_t thread_base;         /* first word of thread 0 */
  size_t thread_words;
  /* Called for each access to a shared cell, with its line; may be NULL. */
  void (*noted)(void *user, uint32_t thread, uint32_t cell, bool write, uint32_t line);
  void *noted_user;
  bool error; /* a run-time error: no state is worth anything any more */
  char text[ORACLE_ERROR_MAX];
} machine;

void machine_init(machine *m, const program *p);

/* The state before any event: the silent code of every initial thread has run. False after a
 * run-time error. */
bool machine_start(machine *m, int64_t *state);

operation machine_next(const machine *m, const int64_t *state, uint32_t thread);

/* The index-th action that the thread can do now; false if it has no more than index. */
bool machine_action(const machine *m, const int64_t *state, uint32_t thread, uint64_t index,
                    action *out);

/* Performs an action that is possible, and the silent code after it. False after
 * a run-time error. */
bool machine_perform(machine *m, int64_t *state, const action *a);

/* Whether two threads access one shared cell, one of them writing, with nothing between them that
 * orders the accesses. Every race shows in some state. */
bool machine_racy(const machine *m, const int64_t *state);

/* Whether more threads contend for a round of a barrier than it lets pass, so that which of them
 * arrive in it is open. Such programs are not supported. */
bool machine_contended(const machine *m, const int64_t *state);

/* Name of the action as the language page writes it, such as acq. */
const char *action_name(action_kind kind);
const char *operation_name(operation_kind kind);

/* Whether the actions of two different events depend on each other. */
bool actions_dependent(const action *a, const action *b);

/* For the files of the machine. */
enum {
  THREAD_PC,
  THREAD_KIND,
  THREAD_TARGET,
  THREAD_SECOND,
  THREAD_LOW,
  THREAD_HIGH,
  THREAD_NOTIFIED, /* of a thread that is about to wake, or to return from a queue */
  THREAD_MASKS
};

static inline int64_t *machine_thread(const machine *m, int64_t *state, uint32_t thread) {
  return state + m->thread_base + thread * m->thread_words;
}
static inline const int64_t *machine_thread_const(const machine *m, const int64_t *state,
                                                  uint32_t thread) {
  return state + m->thread_base + thread * m->thread_words;
}
/* The most messages of a channel, and of a thread to a mailbox; words of a mailbox for each thread.
 */
enum { CHANNEL_MESSAGES = 24, MAILBOX_MESSAGES = 8, MAILBOX_WORDS = 1 + 3 * MAILBOX_MESSAGES };

/* The words of an object. MUTEX: 1 + its owner, or 0. RWLOCK: 1 + its writer, or 0, then how
 * often each thread reads. SEMAPHORE, SHARED: the value. BARRIER: how often a thread arrived.
 * CHANNEL, MAILBOX, FUTURE: see effects_messages.c.
 * COND: none, the waiting threads know. ATOMIC: none each; the bytes of all stand in the
 * words, see memory_value. */
static inline size_t machine_object_words(const program *p, symbol_kind kind) {
  if (kind == SYMBOL_ATOMIC || kind == SYMBOL_COND) return 0;
  if (kind == SYMBOL_CHANNEL) return 3 + CHANNEL_MESSAGES;
  if (kind == SYMBOL_MAILBOX) return p->thread_count * MAILBOX_WORDS;
  if (kind == SYMBOL_FUTURE) return 2;
  return kind == SYMBOL_RWLOCK ? 1 + p->thread_count : 1;
}
static inline int64_t *machine_object(const machine *m, int64_t *state, symbol_kind kind,
                                      uint32_t number) {
  return state + m->base[kind] + number * machine_object_words(m->program, kind);
}
static inline const int64_t *machine_object_const(const machine *m, const int64_t *state,
                                                  symbol_kind kind, uint32_t number) {
  return state + m->base[kind] + number * machine_object_words(m->program, kind);
}
/* How many threads a barrier lets pass together. */
int64_t machine_barrier_count(const machine *m, uint32_t barrier);

/* evaluate.c: the value of an expression for a thread; notes the shared cells read. */
int64_t machine_evaluate(machine *m, int64_t *state, uint32_t thread, uint32_t expression);
/* The number of the element of a symbol at an index (ORACLE_NONE: scalar), among those
 * of its kind. */
uint32_t machine_element(machine *m, int64_t *state, uint32_t thread, uint32_t symbol_number,
                         uint32_t index, uint32_t line);
void machine_fail(machine *m, uint32_t line, const char *what);
void machine_note(const machine *m, int64_t *state, uint32_t thread, uint32_t cell, bool write,
                  uint32_t line);

/* effects_memory.c: the value of an atomic, put together from its bytes, the least significant
 * first: a signed number of so many. */
int64_t memory_value(const machine *m, const int64_t *state, uint32_t atomic);
void memory_set(const machine *m, int64_t *state, uint32_t atomic, int64_t value);
/* Whether everybody who has one byte of an atomic has all of them. */
bool memory_undivided(const program *p, uint32_t atomic);
bool memory_meet(byte_range a, byte_range b);

/* machine.c: lets a started thread run silently up to its next operation. */
void machine_run(machine *m, int64_t *state, uint32_t thread);

#endif
