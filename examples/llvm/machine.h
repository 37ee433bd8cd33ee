/*
 * The machine: a program in the compact form, its memory and threads, in one execution. What a
 * thread does silently runs at once, up to where it is about to perform an operation of the library
 * (unf_operation). The instruction at which it stands is executed again when the operation was
 * performed, and knows by then what came of it (frame.phase) and what was decided (thread.decided).
 */
#ifndef LLVM_MACHINE_H
#define LLVM_MACHINE_H

#include "arith.h"
#include "array.h"
#include "asked.h"
#include "branches.h"
#include "builtin.h"
#include "code.h"
#include "defect.h"
#include "index.h"
#include "knowledge.h"
#include "lattice.h"
#include "memory.h"
#include "moment.h"
#include "term_list.h"

struct frame {
  const struct function *function;
  uint32_t instruction;      /* in code.instructions */
  size_t registers;          /* the first, in thread.values */
  size_t depth;              /* of the stack before */
  uint32_t result, results;  /* registers of the caller */
  uint32_t phase;            /* of a call that is several operations; 0: it begins */
  uint64_t kept;             /* between its phases */
  size_t extra, extra_count; /* arguments behind the parameters, in thread.values */
  uint64_t number;           /* of the call, among those of the thread */
};

/* Where setjmp() was called. */
struct jump {
  size_t frames;
  uint64_t number; /* of the frame */
  uint32_t instruction;
};

/* A value of a thread, by the number of its key (moment.h). */
struct specific {
  uint32_t key;
  struct value value;
};

enum standing {
  STANDS_NOWHERE, /* it does not run yet */
  STANDS_RUNNING,
  STANDS_AT_OPERATION,
  STANDS_AT_BRANCH, /* an operation too */
  STANDS_AT_END,
  STANDS_ASSUMED, /* at an assumption that does not hold */
  STANDS_BOUND,   /* at a limit of what threads do */
  STANDS_FAILED
};

struct image;
struct thread {
  unf_thread handle;
  enum standing standing;
  unf_operation operation;
  unf_action action; /* the last one */
  struct frame *frames;
  size_t frame_count, frame_room;
  struct value *values; /* registers of all frames */
  size_t value_count, value_room;
  int64_t *decided; /* values of outcomes at the instruction at hand */
  size_t decided_count, decided_room, decision;
  unf_event cause; /* the last event */
  uint32_t begins; /* number of the function that it begins with */
  bool has_history;
  uint32_t history;    /* set: what is known at the cause */
  uint32_t asked;      /* inputs behind it */
  uint32_t inputs;     /* that it asked for */
  uint32_t branches;   /* that it came to */
  uint64_t operations; /* that it performed, branches among them */
  uint32_t children;
  uint32_t initialisations;
  uint64_t *copies; /* by global: the address of the thread's own; NULL: none were asked for */
  struct value result;
  bool detached, joined;
  unf_thread joiner; /* who joined it */
  bool exits; /* the process ended, as far as it knows: it is inside of exit(), or main returned */
  uint64_t calls;           /* made so far */
  int64_t clock;            /* nanoseconds that have passed for it */
  uint32_t keys, destroyed; /* keys that it made, and destructors that were called */
  struct specific *specifics;
  size_t specific_count, specific_room;
  struct jump *jumps;
  size_t jump_count, jump_room;
  uint64_t *handlers; /* buffers of handlers, as addresses */
  size_t handler_count, handler_room;
  uint64_t *freed; /* memory of others that it freed behind its last event */
  size_t freed_count, freed_room;
  bool tries;         /* waits for a value that may never come, which is no defect */
  bool blocks;        /* such a wait is one of the library, as for a lock */
  bool outside;       /* waits for who is not in the program, or for a time that is not explored */
  uint64_t spurious;  /* waits that ended without a wake-up */
  uint64_t timeouts;  /* limits that were over */
  int64_t signals;    /* that it blocks, as bits */
  enum cli_kind kind; /* of a failure */
  char text[200];
  uint64_t place;      /* of a failure */
  struct image *image; /* a copy as it was once (moment.c), or NULL */
};

struct atomic;
struct waits;
struct coverage;
struct source;

struct machine {
  const struct code *code;
  const builtin *builtins; /* by function; NULL: none */
  unf_unfolding *unfolding;
  unf_races *races; /* NULL: none is watched */
  bool races_watched;
  /* Gets what the race detector is told: an access, or, of no thread, bytes that are another object
   * now. False: no memory. NULL: nobody asks. */
  bool (*accessed)(void *user, const unf_access *access);
  struct knowledge *knowledge;
  struct array_pool pool;
  struct memory memory;
  struct moment now;
  uint64_t *globals;       /* their addresses */
  struct thread **threads; /* by handle; NULL: not known yet */
  uint32_t thread_count, thread_room;
  struct index sync_index; /* by address, thread and kind, in all executions */
  struct atomic *atomics;  /* in all executions */
  size_t atomic_count, atomic_room;
  struct index atomic_index;           /* by word: the last one in it, and so on by `next` */
  struct index apart;                  /* places of machine_note_apart(), in all executions */
  uint32_t apart_count, apart_decided; /* the first ones */
  bool again;                          /* what holds in all of them is known now: it begins again */
  uint64_t *racing;                    /* bytes that race, see racing.h, in all executions */
  size_t racing_count, racing_room, racing_begun; /* so many when the exploration began */
  struct index racing_index;
  bool joins_watched;       /* several threads join one: which of them, is decided by an event */
  bool has_regions;         /* the program has some that are not interrupted */
  struct branches accesses; /* places of accesses that depend on inputs, see access.h */
  /* What is a branch, and its outcomes, follow from terms and memory, and not from what the thread
   * did before: with cutoffs. */
  bool by_terms;
  /* Told of an input, a term, that a thread asked for at the place where it is. NULL: nobody asks.
   */
  void (*asked_for)(void *user, const struct thread *t, term input);
  struct waits *waits; /* NULL: nobody asks; with cutoffs */
  uint64_t max_branches, max_values, max_timeouts;
  uint64_t max_operations, max_silent; /* of a thread; instructions between two operations */
  uint64_t max_threads, max_spurious;
  const char *bounded;        /* the limit at which a thread stopped, as a word; NULL: none did */
  bool aborts_end;            /* abort() is no defect */
  uint64_t silent, next_look; /* work since the last operation, and when limits are looked at */
  uint64_t instructions;      /* performed, in all executions */
  uint64_t decisions;         /* that terms decided, in all executions from their beginnings on */
  uint64_t decided;           /* in this execution */
  struct coverage *coverage;  /* NULL: nobody asks for it */
  bool has_inputs;            /* the program asked for one */
  struct asked asked;         /* those of the execution */
  bool additions_commute;
  bool overflow;       /* of numbers with signs is an error */
  bool weaker_orders;  /* an atomic access asked for less than sequential consistency */
  bool over_addresses; /* memory came back as often as it has addresses, see heap.h */
  bool spots_end;      /* none is given behind its last address, in all executions */
  struct index spots;  /* of memory, see heap.c, in all executions */
  uint64_t *in_terms;  /* addresses that are constants of terms, see dangling.h */
  size_t in_terms_count, in_terms_room;
  term terms_looked_at;
  uint64_t bytes_looked_through; /* for that */
  bool over_values;              /* something had more than max_values values */
  bool over_timeouts;            /* a wait with a limit lasted, because of max_timeouts */
  unf_status status;             /* of the library, or UNF_UNSUPPORTED with a message, UNF_MEMORY */
  bool (*stops)(void *user);     /* whether to interrupt silent code */
  void *user;
  struct outcomes outcomes;
  struct lattices lattices;
  struct term_list origins; /* what an address is made of, while its outcomes are listed */
  struct source *files;     /* in all executions; the first one is the standard input */
  size_t file_count, file_room;
  const uint64_t *symbolic_arguments; /* the sizes of arguments of inputs, behind the others */
  size_t symbolic_argument_count;
  uint64_t left_behind; /* executions in which threads are blocked behind that: no deadlocks */
  char message[512];
};

/* Before anything else. */
void machine_open(struct machine *m);
/* Brings the program to its beginning: main stands at its first operation. Errors are in status. */
void machine_begin(struct machine *m, int argc, char **argv);
void machine_free(struct machine *m);
/* Nothing was performed; threads are as they were. */
void machine_clear(struct machine *m);
/* Brings a thread to where it does not run yet; what it has room for stays. */
void machine_reset_thread(struct machine *m, struct thread *t);
struct thread *machine_thread(struct machine *m, unf_thread handle);
/* Runs a thread until it stands. */
void machine_run(struct machine *m, unf_thread handle);
/* An action of a thread was performed, which is this event. */
void machine_performed(struct machine *m, const unf_action *action, unf_event event);
/* Whether the exploration has no more time: the thread ends where it is. */
bool machine_out_of_time(struct machine *m, const struct thread *t);
/* Counts work of a silent part, in instructions. False: it is to end here, for it may be one
 * without an end. */
bool machine_work(struct machine *m, struct thread *t, uint64_t work);
/* Pushes a call onto a thread, whose results go to registers of its frame. False: no memory. */
bool machine_call(struct machine *m, struct thread *t, uint32_t function,
                  const struct value *arguments, uint32_t count, uint32_t result, uint32_t results);
/* Where a thread is: a text and a line. */
uint64_t machine_place(const struct machine *m, const struct thread *t);
/* The address of a global for a thread; 0: no memory, which is in status. */
uint64_t machine_own(struct machine *m, struct thread *t, uint32_t global);
/* The frame at which a thread is. */
static inline struct frame *machine_frame(struct thread *t) {
  return &t->frames[t->frame_count - 1];
}
/* The result of a call. */
enum flow machine_result(struct thread *t, const struct arguments *a, struct value value);
enum flow machine_number(struct thread *t, const struct arguments *a, int64_t number);
uint64_t machine_function_address(uint32_t function);
/* UINT32_MAX: no function is there. */
uint32_t machine_function_at(const struct machine *m, uint64_t address);

/* What ends a thread, an exploration: all return FLOW_STANDS. */
enum flow machine_fail(struct machine *m, struct thread *t, enum cli_kind kind, const char *format,
                       ...);
enum flow machine_refuse(struct machine *m, struct thread *t, const char *format, ...);
enum flow machine_stop(struct machine *m, unf_status status);
/* The exploration begins again, with what is known by now. */
enum flow machine_begin_again(struct machine *m);
/* The thread stops for good, at a limit with this word. */
enum flow machine_bound(struct machine *m, struct thread *t, const char *limit);
/* The thread is about to perform an operation, and stands. */
enum flow machine_offer(struct thread *t, uint32_t phase, unf_operation operation);

#endif
