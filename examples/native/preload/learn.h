/* Places that take a lock, which are learned: there a thread waits until it is free. */
#ifndef NATIVE_PRELOAD_LEARN_H
#define NATIVE_PRELOAD_LEARN_H

#include <stdbool.h>
#include <stdint.h>
#include <unfold/unfold.h>

struct access;
struct object;
struct patched;
struct thread;

/* What a thread does that did not get a lock. */
struct acquiring {
  const struct patched *site; /* where its exchange failed, or NULL */
  uint64_t address;           /* of the word */
  /* While an execution runs without what was learned: it is on that way; it sleeps there, was
   * woken, and it is its turn, or it looks once more; what it did there that is no operation of the
   * trace. */
  bool slow, asleep, woken, turn, looks;
  uint32_t done;
};

/* ---- finding them out ---- */

/* The exchange of the thread that calls has failed. */
void learn_failed(const struct patched *p, const struct access *access);
/* It is about to perform an operation; an object, or NULL. */
void learn_operation(const struct object *o);
/* It has changed an atomic object. */
void learn_changed(const struct object *o, int64_t old, int64_t value);
/* It is about to wait for that word, in its queue or by looking again and again. Does not return if
 * that is learned. */
void learn_wait(uint64_t address, bool limited, uint64_t place);

/* ---- using them ---- */

/* Whether the exchange waits until the word is 0. */
bool learn_acquires(const struct patched *p, const struct access *access);

/* ---- an execution without them ---- */

/* One that stands at such a place and finds the lock taken, and goes on there; or NULL. */
struct thread *learn_next(void);
/* The trace is over: one that was woken, and looks once more; or NULL. */
struct thread *learn_woken(void);
/* Whether an operation is no operation of the trace, and is performed as it is. */
bool learn_extra(const struct object *o, const unf_operation *operation, int64_t old,
                 int64_t value);
/* A wait at a word; false: it is an operation. */
bool learn_sleep(uint64_t address, int32_t value, bool limited, long *result);
/* A wake: how many it wakes that are no threads of the queue as the trace has it; -1: it is an
 * operation as always. *alone: it is none. */
long learn_wake(uint64_t address, const unf_operation *operation, bool *alone);
/* Such an execution is over, and was different because of these places, or was not. If it was, does
 * not return. */
void learn_tested(bool different);

#endif
