/* What the parts of the preload library know of each other. Everything here belongs to one
 * execution (a child of the worker) unless it says otherwise. */
#ifndef NATIVE_PRELOAD_H
#define NATIVE_PRELOAD_H

#include "../control.h"

#include <pthread.h>
#include <signal.h>
#include <signal.h>
#include <stddef.h>
#include <time.h>
#include <unfold/unfold.h>

/* Exported under a name of the C library. */
#define INTERPOSE __attribute__((visibility("default")))
/* A second exported name of an interposed function, which old programs and libraries refer to. */
#define OLDER_NAME(old, name) __asm__(".globl " #old "\n.set " #old ", " #name)
/* Where the program called an interposed function. */
#define CALLER ((uint64_t)(uintptr_t)__builtin_return_address(0))

enum { KEYS_MAX = 1024 };

/* What threads synchronise by, as the scheduler sees it; of a barrier, one round. */
struct object {
  uint64_t address;
  enum object_kind kind;
  unf_object name;
  struct thread *owner;  /* the only one: not those that hold a rwlock for reading */
  uint64_t place;        /* where the owner locked it */
  uint32_t depth;        /* recursive ones: locks beyond the first */
  bool robust;           /* the mutex, as its owner found it */
  bool orphaned;         /* an owner ended, and it was not made consistent since */
  bool lost;             /* and never can be */
  uint64_t clock;        /* virtual time at the last release, post or arrival */
  uint64_t shared_clock; /* at the last release of a rwlock by a reader, read of an atomic object */
  uint64_t added_clock;  /* at the last addition to an atomic object */
  int64_t value;         /* of a semaphore, or of an atomic object */
  uint64_t lost_place;   /* of a condition variable: where it was notified in vain last, or 0 */
  bool initial_known;    /* of a semaphore, or of an atomic object */
  unsigned bits;         /* of an atomic object */
  bool blank;            /* an atomic object whose memory was never given a value */
  struct word *word;     /* of an atomic object that has bytes in common with others; or NULL */
  struct word *divided;  /* the word that begins here and has such objects, or NULL */
  struct object *next_range; /* of the same word */
  struct object *next_location;
  bool rewritten; /* an atomic object, by a plain access of a thread that has it in its list */
  struct object *next_rewritten;
  uint32_t round, arrived, needed; /* of a round: its number, arrivals seen and needed */
  struct arrival *arrivals;        /* of a round */
  struct object *next_round;
  bool done; /* of a once control */
  bool used; /* of a mutex: by any thread, since main began; of an atomic object: is listed */
  bool destroyed;
  uint32_t renewed; /* how often another object was at this address before */
  struct object *next_held;
};

struct arrival {
  const struct thread *thread;
  struct arrival *next;
};

/* A rwlock that a thread holds for reading. */
struct reading {
  struct object *object;
  uint64_t place;
  uint32_t depth; /* how often, beyond the first time */
  struct reading *next;
};

/* How many rounds of a barrier a thread knows to be over. */
struct rounds {
  const struct object *barrier;
  uint32_t over;
  struct rounds *next;
};

/* An aligned word of memory that is accessed in several ranges; each byte has a bit in the sets. */
struct word {
  struct object *ranges;
  uint64_t value, start; /* as the operations left it; when each byte was met first */
  uint8_t known, blank;  /* bytes that were met; that were never given a value */
};

/* A once control that a thread has been through. */
struct passed {
  const struct object *control;
  struct passed *next;
};

/* One thread of the program. */
struct thread {
  unf_thread name;
  uint32_t children, inits, first_uses; /* counts that names are made of */
  unf_operation operation;              /* the next one, offered */
  uint64_t place;                       /* and where */
  struct object *object;                /* that it is on, or NULL */
  struct object *mutex;                 /* of a wait */
  unf_action_kind did;                  /* what came of the last one */
  int64_t value;                        /* and its value */
  struct object *held;
  struct object *rewritten; /* atomic ones that it has written by plain accesses just now */
  struct reading *readings, *spare_readings;
  struct rounds *rounds;
  struct object *signals; /* the semaphore of object_signals(), or NULL */
  uint64_t blocked, sent; /* sets of signals */
  struct object *end;     /* the semaphore of object_end(), or NULL */
  bool notified;          /* while it waits for a condition variable */
  uint64_t notified_clock;
  bool finished, detached;
  bool tries;   /* it stands at an await that may be given up */
  bool failing; /* a signal of its own is being dealt with */
  void *(*start)(void *);
  void *argument, *result;
  uint64_t handle;                /* its pthread_t */
  uint64_t stack_low, stack_high; /* all of it */
  uint64_t stack_base;            /* where the program's part begins */
  uint64_t clock;                 /* virtual nanoseconds */
  uint64_t timeouts;              /* waits that ended by their time limit */
  int number;                     /* what gettid says */
  char title[16];                 /* what pthread_setname_np set, or "" */
  int policy, priority;
  uint32_t seed;         /* of its random numbers */
  struct random *random; /* their state, or NULL */
  void **values;         /* of the keys, KEYS_MAX of them once one was set, or NULL */
  struct passed *passed;
  struct visits *visits; /* bounds.c */
  void *backend;         /* of the back-end */
  int turn;
  struct thread *next, *next_fresh;
};

/* entry.c: shared with the launcher; whether interposed functions act, which they do only
 * in an execution. */
extern struct control *control;
extern bool running, early_thread;

/* arena.c: memory of the explorer, shared by worker and executions; and private memory that
 * is never freed. */
bool arena_new(uint64_t size);
unf_allocator arena_allocator(void);
void *private_memory(size_t size);
void private_memory_from(char *memory, size_t size); /* from there, which is empty */
size_t private_memory_used(const char *memory);

/* engine.c: who says what happens next: the explorer, or a schedule. */
bool engine_new(void);
unf_unfolding *engine_unfolding(void);
void engine_offer(struct thread *t);
unf_step engine_step(void);
void engine_commit(uint64_t place);
bool engine_next(uint64_t *number);
/* Whether the current execution is one for the estimate, of which nothing is reported. */
bool engine_probes(void);
void engine_finish(bool error, unf_verdict *verdict);
void engine_counts(void);
void engine_action(char *text, size_t size, const unf_action *action);
void engine_thread(char *text, size_t size, unf_thread name);
const char *engine_run_schedule(void);
void engine_write_dot(void);

/* scheduler.c */
extern struct thread *threads;
void stack_of_main(void); /* in the worker */
bool stack_new(struct thread *t, size_t wanted);
struct thread *thread_self(void);
struct thread *thread_add(struct thread *parent, unf_thread name, uint32_t index);
struct thread *thread_find(uint64_t handle);
void schedule(unf_operation operation, struct object *object, uint64_t place);
_Noreturn void schedule_end(unf_operation operation, uint64_t place);
void schedule_wait(unf_operation operation, struct object *object, struct object *mutex,
                   uint64_t place);
void thread_fresh(struct thread *t);
_Noreturn void thread_main(int (*function)(int, char **, char **), int argc, char **argv,
                           char **environment);
struct thread *thread_named(unf_thread name);

/* backend_threads.c and backend_fibers.c behind one interface. */
struct backend {
  void (*begin)(struct thread *main_thread);
  bool (*create)(
      struct thread *t); /* on its stack: made, but does not run before it is switched to */
  void (*switch_to)(struct thread *from, struct thread *to);
};
extern const struct backend backend_threads, backend_fibers;
extern const struct backend *backend;
_Noreturn void thread_body(struct thread *t);

/* perform.c: what an action does to the objects. */
void perform(struct thread *t, const unf_action *action);

/* locations.c: an atomic operation of the program, to be performed when this comes
 * back; a fence. */
struct access {
  const char *name;
  unsigned bits;
  unf_operation_kind kind; /* UNF_OPERATION_COUNT: none that we have */
  const volatile void *address;
  uint64_t low, high; /* as in an unf_operation */
  int order;
  unf_relation relation; /* of an await */
};
int64_t location_value(const struct object *o); /* a signed number of so many bits */
void location_operate(const struct access *access, uint64_t place);
void location_fence(int order);
/* A plain access is about to write there; the thread that did so arrives at an operation. */
extern bool locations_used;
void location_written(const void *address, size_t size, uint64_t place);
void locations_rewritten(struct thread *t);

/* ranges.c: atomic objects that overlap. range_find(): the object of some bytes in a word that is
 * known to be divided, or NULL. range_meet(): as range_find(), for bytes that were not met before
 * in this execution. range_begin_again(): what to do when a word turns out to be divided. */
struct object *range_find(uint64_t address, unsigned bits);
struct object *range_meet(uint64_t address, unsigned bits, uint64_t place);
_Noreturn void range_begin_again(uint64_t address, unsigned bits, uint64_t place);
void range_set(struct object *o, int64_t value);
bool range_blank(const struct object *o);
void ranges_learn(const unf_schedule *schedule);

/* objects.c */
struct object *object_word(uint64_t address);
struct object *object_part(const struct object *word, unsigned first, unsigned size);
void object_key(const struct object *o, unf_thread *creator, uint64_t *key);
bool object_bytes(unf_object name, unf_thread *creator, uint64_t *word, uint32_t *first,
                  uint32_t *size);
struct object *object_location(uint64_t address);
void objects_allocated(uint64_t address, uint64_t size);
struct object *object_at(const void *address, enum object_kind kind);
void object_initialise(const void *address, enum object_kind kind);
struct object *object_renew(const struct object *o);
void object_forget(struct object *o);
bool object_initial(struct object *o, int64_t value);
struct object *object_end(struct thread *t);
struct object *object_signals(struct thread *t);
struct object *object_round(struct object *o, uint32_t round);
void object_destroy(struct object *o);
void object_alive(const struct object *o, uint64_t place);
void object_text(char *text, size_t size, const struct object *o);
void object_lock(struct object *o, uint64_t place);
void object_unlock(struct object *o, uint64_t place);
bool object_trylock(struct object *o, uint64_t place);

/* heap.c: the thread that allocated the block around an address, or NULL; the place in its heap. */
struct thread *heap_owner(uint64_t address);
uint64_t heap_offset(uint64_t address);

/* modules.c */
void modules_read(void);
bool modules_import(const char *const *names);
bool module_locate(uint64_t address, uint32_t *module, uint64_t *offset);

/* identity.c and random.c: what follows from the name of a thread, the index-th of its parent */
void identity_prepare(void);
int identity_number(const struct thread *parent, uint32_t index);
uint32_t random_seed(const struct thread *parent, uint32_t index);

/* clock.c: whether a time limit may still end a wait of the calling thread. It has done so: the
 * clock moves there; ETIMEDOUT, or EINVAL for what is no time. */
bool clock_limits(void);
int clock_timeout(const struct timespec *until);

/* mutex.c: the mutex that a thread is about to wait with, or NULL and the error; that a thread has
 * just given one back; that it has just got one, and what to say about that. */
struct object *mutex_to_wait(pthread_mutex_t *mutex, const struct object *condition, int *error,
                             uint64_t place);
void mutex_left(struct object *o);
int mutex_taken(struct object *o, uint64_t place);
void mutexes_abandon(struct thread *t);

/* rwlock.c */
struct reading *reading_of(const struct thread *t, const struct object *o);

/* barrier.c: what a thread knows of barriers goes to those that it creates or that join it. */
void rounds_learn(struct thread *t, const struct thread *from);

/* thread.c: in the worker, whether the program asks if a thread has ended. */
void threads_prepare(void);
void thread_over(struct thread *t);

/* keys.c */
void keys_finish(struct thread *t);

/* bounds.c: a function was called from there, or left; an operation is about to be performed. */
void bound_call(uint64_t place);
void bound_return(void);
void bound_operation(uint64_t place);

/* findings.c: what was seen in this execution, and (worker) what is kept of it. */
struct pending {
  bool ended, redundant;
  bool exiting;  /* main returned, or exit was called */
  bool given_up; /* a thread stands at an await for ever, and that is no matter */
  bool dropped;  /* a probe that could not go on */
  uint32_t count;
  struct finding findings[INVOLVED_MAX];
  /* Of the whole exploration. */
  uint64_t keys[FINDINGS_MAX];
  unsigned schedules;
};
extern struct pending *pending; /* shared by worker and execution */
bool pending_new(void);
struct finding *finding_new(enum finding_kind kind, struct thread *t, uint64_t place);
void findings_blocked(void);
void findings_keep(bool schedule_wanted);
bool findings_error(void);
_Noreturn void misused(enum misuse how, const struct object *o, uint64_t place);
_Noreturn void halt(uint64_t place); /* after a finding: the thread stops for ever */

/* refuse.c: ends the exploration with exit status 4. */
_Noreturn void refuse(const char *call, uint64_t place);
_Noreturn void leave(int status);
_Noreturn void give_up(enum outcome outcome, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* signals.c and sent.c */
bool signal_of_failure(int number);
void signals_blocked(int how, const sigset_t *set);

/* crash.c */
void crash_handlers(void);
void crash_handler(int number);
bool signal_passed_on(int number, siginfo_t *information, void *machine); /* signals.c */
void crash_stack(void);
uint64_t program_place(uint64_t place);

/* process.c */
_Noreturn void process_exit(int status, uint64_t place);
_Noreturn void process_end(void);  /* of an execution that is over */
_Noreturn void process_drop(void); /* of a probe that cannot go on */
void process_begin(bool show);     /* in an execution, before main */
void process_show(bool show);      /* whether its output reaches anybody */
void process_prepare(void);        /* in the worker */

/* A system call that does not go through the interposed syscall(). */
static inline long raw_call(long number, long a, long b, long c, long d) {
  long result;
  register long r10 __asm__("r10") = d;
  __asm__ volatile("syscall"
                   : "=a"(result)
                   : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10)
                   : "rcx", "r11", "memory");
  return result;
}

/* The C library's own function of that name; REAL() with its type. */
typedef void plain_function(void);
plain_function *real_function(const char *name);
#define REAL(name) ((__typeof__(&(name)))real_function(#name))

#endif
