/*
 * The machine: a program in the compact form, its memory and threads, in one execution. What a
 * thread does silently runs at once, up to where it is about to perform an operation of the library
 * (unf_operation). The instruction at which it stands is executed again when the operation was
 * performed, and knows by then what came of it (frame.phase) and what was decided (thread.decided).
 */
#ifndef LLVM_MACHINE_H
#define LLVM_MACHINE_H

#include "array.h"
#include "asked.h"
#include "coverage.h"
#include "defect.h"
#include "knowledge.h"
#include "memory.h"

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

/* A value of a thread, and a key of all. */
struct specific {
  uint32_t key;
  struct value value;
};
struct key {
  uint32_t number;
  uint64_t destructor;
  bool deleted;
};

enum standing {
  STANDS_NOWHERE, /* it does not run yet */
  STANDS_RUNNING,
  STANDS_AT_OPERATION,
  STANDS_AT_BRANCH, /* an operation too */
  STANDS_AT_END,
  STANDS_ASSUMED, /* at an assumption that does not hold */
  STANDS_BOUND,   /* at a limit of branches */
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
  uint32_t history;  /* set: what is known at the cause */
  uint32_t asked;    /* inputs behind it */
  uint32_t inputs;   /* that it asked for */
  uint32_t branches; /* that it came to */
  uint32_t children;
  uint32_t initialisations;
  uint64_t *copies; /* by global: the address of the thread's own; NULL: none were asked for */
  struct value result;
  bool detached, joined;
  uint64_t calls;           /* made so far */
  int64_t clock;            /* nanoseconds that have passed for it */
  uint32_t keys, destroyed; /* keys that it made, and destructors that were called */
  struct specific *specifics;
  size_t specific_count, specific_room;
  struct jump *jumps;
  size_t jump_count, jump_room;
  uint64_t *handlers; /* buffers of handlers, as addresses */
  size_t handler_count, handler_room;
  bool tries;         /* waits for a value that may never come, which is no defect */
  bool blocks;        /* such a wait is one of the library, as for a lock */
  bool outside;       /* waits for who is not in the program, or for a time that is not explored */
  uint64_t timeouts;  /* limits that were over */
  int64_t signals;    /* that it blocks, as bits */
  enum cli_kind kind; /* of a failure */
  char text[200];
  uint64_t place;      /* of a failure */
  struct image *image; /* a copy as it was once (moment.c), or NULL */
};

/* What is known in an execution of a mutex and the like, by its address; of a barrier, by thread.
 */
struct sync {
  bool used; /* in the execution; the numbers of all are the same in every one */
  uint64_t address;
  unf_object_class kind;
  uint32_t thread; /* UNF_THREAD_NONE: of all */
  uint32_t count;  /* of a barrier: its size, the rounds of a thread */
  uint32_t owner;  /* handle of a thread, or UNF_THREAD_NONE */
  uint32_t depth;  /* holds of a recursive mutex */
  uint64_t place;  /* where it was taken */
  bool begun;      /* an atomic that was used */
  /* A mutex that goes on when its owner ends: whether one did, and nobody can repair it. */
  bool robust, orphaned, lost;
};

/* An atomic. Its values are marked as unknown to the library if they depend on inputs, or if plain
 * accesses change them. */
struct atomic {
  uint64_t address;
  unsigned width;
  bool marked, named;
  int64_t initial;
  uint32_t next; /* another one in the word; UINT32_MAX: none */
};

/* An object in no module that was initialised by a call: by whom, and how many that thread had. */
struct initialised {
  uint64_t address;
  unf_thread thread;
  uint32_t number;
};

/* A file that the program can read, or what a peer sends. */
struct source {
  char *name;
  uint8_t *bytes;
  uint64_t size;
  uint8_t *asked;       /* by byte, whether it is an input; NULL: none is */
  struct value *values; /* of bytes of which some are inputs, in the execution */
  bool peer, stays;     /* of a peer, who stays connected behind it */
  uint64_t *ends;       /* where its packets end */
  size_t end_count;
};

struct machine;
/* Whether an instruction is over, went somewhere itself, is to be executed again behind a call that
 * it made, or the thread stands there. */
enum flow { FLOW_NEXT, FLOW_WENT, FLOW_AGAIN, FLOW_STANDS };
struct arguments {
  const struct instruction *instruction;
  const struct value *values;
  uint32_t count, results;
  uint32_t function;
};
typedef enum flow (*builtin)(struct machine *m, struct thread *t, const struct arguments *a);

/*
 * What an execution changes in the machine, beside its memory, its threads and the inputs it asked
 * for: all of it is kept in states (moment.c), so what is new in an execution belongs here.
 */
struct moment {
  uint32_t started; /* threads */
  unf_thread first; /* the thread of main */
  uint32_t at_exit; /* the function to call at the end of main; UINT32_MAX: none */
  bool exited;      /* main has returned, or exit() was called */
  struct array syncs;
  struct array initialised;
  struct key *keys;
  size_t key_count, key_room;
};

/* A moment of an execution, with all that belongs to it; NULL: none. */
struct kept_moment;

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
  struct index atomic_index; /* by word: the last one in it, and so on by `next` */
  bool again;                /* one was marked: the exploration begins again */
  struct branches accesses;  /* places of accesses that depend on inputs, see machine_race() */
  uint64_t max_branches, max_values, max_timeouts;
  uint64_t silent, next_look; /* work since the last operation, and when limits are looked at */
  uint64_t instructions;      /* performed, in all executions */
  uint64_t decisions;         /* that terms decided, in all executions from their beginnings on */
  uint64_t decided;           /* in this execution */
  struct coverage *coverage;  /* NULL: nobody asks for it */
  bool has_inputs;            /* the program asked for one */
  struct asked asked;         /* those of the execution */
  bool additions_commute;
  bool overflow;             /* of numbers with signs is an error */
  bool over_values;          /* something had more than max_values values */
  bool over_timeouts;        /* a wait with a limit lasted, because of max_timeouts */
  unf_status status;         /* of the library, or UNF_UNSUPPORTED with a message, UNF_MEMORY */
  bool (*stops)(void *user); /* whether to interrupt silent code */
  void *user;
  struct outcomes outcomes;
  struct source *files; /* in all executions; the first one is the standard input */
  size_t file_count, file_room;
  const uint64_t *symbolic_arguments; /* the sizes of arguments of inputs, behind the others */
  size_t symbolic_argument_count;
  uint64_t left_behind; /* executions in which threads are blocked behind that: no deadlocks */
  char message[512];
};

/* machine.c */

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
/* The thread is about to perform an operation, and stands. */
enum flow machine_offer(struct thread *t, uint32_t phase, unf_operation operation);

/* interpret.c */

/* Executes the instruction at which a thread is. */
enum flow machine_execute(struct machine *m, struct thread *t);

/* decide.c */

/*
 * A decision: if it was made already, before the instruction was begun again, machine_decided() has
 * the value of its outcome. Else the outcomes are listed in m->outcomes, and machine_decide() has
 * the value of the one that it is; false: the thread stands.
 */
bool machine_decided(struct machine *m, struct thread *t, int64_t *value);
void machine_list(struct machine *m, term fact, int64_t value);
bool machine_decide(struct machine *m, struct thread *t, int64_t *value);
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

/* access.c: memory as instructions use it, with its errors and races. False: the thread stands. */

bool machine_read(struct machine *m, struct thread *t, struct value address, unsigned width,
                  struct value *value);
bool machine_write(struct machine *m, struct thread *t, struct value address, unsigned width,
                   struct value value);
/* Bytes that a function of the library reads or writes itself. */
bool machine_touch(struct machine *m, struct thread *t, uint64_t address, uint64_t size,
                   bool writes);
/* Says what is wrong with an access. */
enum flow machine_bad_access(struct machine *m, struct thread *t, enum access access,
                             uint64_t address, bool writes);
/* What is at these bytes from now on is another object, for the race detector. */
void machine_forget_accesses(struct machine *m, uint64_t address, uint64_t size);
/* A place that the race detector was given: where it is, and the set of facts under which the
 * access is made. */
uint64_t machine_access_place(const struct machine *m, uint64_t place, uint32_t *set);

/* moment.c */

/* Keeps the moment at hand; NULL: no memory for it, and nothing has changed. */
struct kept_moment *machine_keep(struct machine *m);
/* Goes back to a moment. False: no memory, which is in status. */
bool machine_restore(struct machine *m, const struct kept_moment *kept);
void machine_drop(struct machine *m, struct kept_moment *kept);
void machine_drop_image(struct machine *m, struct thread *t);

/* initialised.c: a thread initialises an object there (false: no memory), and the last one that was
 * initialised there; NULL: none. */
bool machine_initialise(struct machine *m, struct thread *t, uint64_t address);
const struct initialised *machine_initialised_at(const struct machine *m, uint64_t address);

/* input.c: the next input of a thread, of so many bits, by the function __VERIFIER_nondet_… of this
 * type, in static storage, or as bytes in memory (NULL). False: the thread stands. */
bool machine_input(struct machine *m, struct thread *t, unsigned width, const char *name,
                   const char *type, struct value *value);

/* files.c */

/* Adds a file; bytes: NULL if they are inputs. False: no memory. */
bool machine_file(struct machine *m, const char *name, const uint8_t *bytes, uint64_t size);
/* Adds a packet to what the last peer sends, or a peer that sends nothing yet, who stays connected.
 */
bool machine_packet(struct machine *m, const uint8_t *bytes, uint64_t size);
bool machine_peer(struct machine *m, bool stays);
/* Adds a file of the system. 1: it was; 0: it cannot be read; -1: no memory. */
int machine_read_file(struct machine *m, const char *name, const char *path);
/* Makes the inputs that bytes of files are, which the first thread asks for. False: no memory, or
 * one was given that is none; that is in status. */
bool machine_make_inputs(struct machine *m, struct thread *t);
void machine_files_free(struct machine *m);

/* environment.c: whether one more limit of the thread may be over; else that was noted. */
bool machine_times_out(struct machine *m, struct thread *t);

/* atomic.c */
enum flow machine_atomic(struct machine *m, struct thread *t, const struct instruction *i,
                         const struct value *values, struct value *results);

/* sync.c, calls.c: functions that the program calls and does not have. */
struct builtin_entry {
  const char *name; /* with a * at its end: whatever begins so */
  builtin function;
};
extern const struct builtin_entry builtins_atomic[], builtins_sync[], builtins_units[],
    builtins_ends[], builtins_files[], builtins_environment[], builtins_calls[];
/* numeric.c: functions of numbers; NULL: none has this name. */
builtin numeric_find(const char *name);
/* What to call for each function of a program; NULL: no memory. */
builtin *builtins_find(const struct code *code);
/* Keys of objects are addresses, which have so many bits; above them a key can have more. */
enum { MACHINE_KEY_BITS = 56 };
/* The object of the library for an address, or another key. */
bool machine_object(struct machine *m, struct thread *t, unf_object_class kind, uint64_t key,
                    unf_object *object);
extern const struct array_kind syncs_kind, initialised_kind;
/* What is known of it; NULL: no memory, which is in status. */
struct sync *machine_sync(struct machine *m, struct thread *t, unf_object_class kind,
                          uint64_t address, uint32_t of);

#endif
