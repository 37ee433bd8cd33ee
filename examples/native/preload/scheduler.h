/* The threads of the program, and who of them runs. */
#ifndef NATIVE_PRELOAD_SCHEDULER_H
#define NATIVE_PRELOAD_SCHEDULER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <unfold/unfold.h>

#include "learn.h"

enum { STACK_GUARD = 4096 };

/* One thread of the program. */
struct thread {
  unf_thread name;
  uint32_t children, inits, first_uses; /* counts that names are made of */
  uint32_t number_here;                 /* in the order in which threads were created here */
  unf_event last;                       /* of its own, or the one that created it */
  struct object *initialised;           /* since then */
  unf_operation operation;              /* the next one, offered */
  uint64_t place;                       /* and where */
  struct object *object;                /* that it is on, or NULL */
  struct object *mutex;                 /* of a wait */
  unf_action_kind did;                  /* what came of the last one */
  int64_t value;                        /* and its value */
  struct object *held;
  struct object *rewritten; /* atomic ones that it has written by plain accesses just now */
  struct rewrite *rewrites; /* those that are becoming stores (locations.c) */
  uint32_t rewrite_count, rewrite_room;
  struct read_hold *readings, *spare_readings;
  struct initialising *initialising; /* what it does once (once.c) */
  struct rounds *rounds;
  struct object *signals; /* the semaphore of object_signals(), or NULL */
  uint64_t blocked, sent; /* sets of signals */
  struct object *end;     /* the semaphore of object_end(), or NULL */
  struct object *joins;   /* the semaphore of object_joins(), or NULL */
  struct thread *joiner;  /* who came first to join it, or NULL */
  bool notified;          /* while it waits for a condition variable */
  uint64_t notified_clock;
  bool finished, detached, joined;
  bool tries;   /* it stands at an await that may be given up */
  bool failing; /* a signal of its own is being dealt with */
  void *(*start)(void *);
  void *(*creates)(void *); /* the start of the thread that it creates */
  void *argument, *result;
  uint64_t handle;                /* its pthread_t */
  uint64_t stack_low, stack_high; /* all of it */
  uint64_t guard;                 /* what it knows of that below its stack */
  uint64_t stack_base;            /* where the program's part begins */
  uint64_t clock;                 /* virtual nanoseconds */
  uint64_t asked;                 /* how often it has read that, or drawn random numbers */
  uint64_t timeouts;              /* waits that ended by their time limit */
  int number;                     /* what gettid says */
  unsigned keys;                  /* of thread-specific data that it has made */
  int system_number;              /* of a kernel thread of its own that has begun, or 0 */
  char title[16];                 /* what pthread_setname_np set, or "" */
  int policy, priority;
  uint32_t seed;         /* of its random numbers */
  struct random *random; /* their state, or NULL */
  void **values;         /* of the keys, KEYS_MAX of them once one was set, or NULL */
  struct passed *passed;
  struct visits *visits; /* bounds.c */
  struct waits *waits;   /* waits.c */
  struct turns *turns;   /* turns.c */
  bool wrote;            /* since its last access to an atomic object, to what others may look at */
  struct acquiring acquiring;
  const struct patched *acquires; /* the place where it is about to take a lock, or NULL */
  uint64_t operations;            /* that it offered */
  void *backend;                  /* of the back-end */
  int turn;
  struct thread *next, *next_fresh;
};

extern struct thread *threads;
void stack_of_main(void); /* in the worker */
bool stack_new(struct thread *t, size_t wanted);
struct thread *thread_self(void);
/* The index-th thread of its parent; it belongs to the execution when it is added. */
struct thread *thread_new(const struct thread *parent, unf_thread name, uint32_t index);
void thread_add(struct thread *t, const struct thread *parent);
struct thread *thread_find(uint64_t handle);
void schedule(unf_operation operation, struct object *object, uint64_t place);
/* The thread that calls has nothing to do until it is its turn. */
void schedule_away(void);
_Noreturn void schedule_end(unf_operation operation, uint64_t place);
void schedule_wait(unf_operation operation, struct object *object, struct object *mutex,
                   uint64_t place);
void thread_fresh(struct thread *t);
_Noreturn void thread_main(int (*function)(int, char **, char **), int argc, char **argv,
                           char **environment);
struct thread *thread_named(unf_thread name);
_Noreturn void thread_body(struct thread *t); /* on the thread itself, by the back-end */

#endif
