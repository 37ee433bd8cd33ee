/**
 * @file
 * Objects, operations on them, and actions. An *object* is named by its class, the thread that made
 * it, and a key, whatever the order in which things happen. An *operation* is what a thread is
 * about to do (trylock m); an *action* is what came of it (acquired, or failed). The same operation
 * can have different actions in different executions, and several possible actions in one place
 * where data decide.
 */
#ifndef UNFOLD_ACTION_H
#define UNFOLD_ACTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <unfold/export.h>
#include <unfold/status.h>
#include <unfold/thread.h>

UNF_BEGIN_DECLS

/** Classes of objects: X(NAME, "name"). */
#define UNF_OBJECT_TABLE(X)                                                                        \
  X(MUTEX, "mutex")                                                                                \
  X(CONDITION, "condition")                                                                        \
  X(RWLOCK, "rwlock")                                                                              \
  X(SEMAPHORE, "semaphore")                                                                        \
  X(BARRIER, "barrier")   /* one round of a barrier */                                             \
  X(LOCATION, "location") /* memory that is accessed atomically */                                 \
  X(CUSTOM, "custom")     /* of an effect family that the front-end registers */                   \
  X(FUTEX, "futex")       /* the queue of threads that wait at a location */

/** The classes of @ref UNF_OBJECT_TABLE, and their number. */
typedef enum unf_object_class {
/** @cond */
#define UNF_OBJECT_ENUM(name, text) UNF_##name,
  UNF_OBJECT_TABLE(UNF_OBJECT_ENUM)
#undef UNF_OBJECT_ENUM
  /** @endcond */
  UNF_OBJECT_CLASS_COUNT
} unf_object_class;

/**
 * The object of a class that a thread made (creator UNF_THREAD_NONE: it exists from the start) and
 * that has this key among the objects of the class and creator; all 64 bits of the key count.
 * Errors: UNF_INVALID (class), UNF_UNKNOWN (creator), UNF_MEMORY, UNF_LIMIT. Expected O(1).
 */
UNF_API unf_status unf_object_name(unf_unfolding *unfolding, unf_object_class object_class,
                                   unf_thread creator, uint64_t key, unf_object *out);

/**
 * Sets the value that a semaphore or a location has before its first event (0 if never set). For a
 * placed location it is the value of its bytes, which other locations may share. Setting the same
 * value again is no error. Errors: UNF_UNKNOWN, UNF_INVALID (neither a semaphore nor a location, or
 * a negative value of a semaphore), UNF_STATE (another value after one was set, after an event on
 * the object was interned, or after an action on its bytes was used), UNF_MEMORY, UNF_LIMIT. O(1).
 */
UNF_API unf_status unf_object_set_initial(unf_unfolding *unfolding, unf_object object,
                                          int64_t value);

/**
 * Sets the maximum of a semaphore, and says that posts may exceed it. A post at the maximum is an
 * event that leaves the value as it is; whether that is an error of the program or a call that
 * fails is up to the front-end. Posts to a semaphore with a maximum depend on each other. Without
 * one they commute, and fewer traces are explored, so set it only where the initial value plus all
 * posts of an execution can be more.
 *
 * Must be called before any action on the semaphore. Repeating a call is no error. Errors:
 * UNF_UNKNOWN, UNF_INVALID (not a semaphore, or a maximum below 1 or below the initial value),
 * UNF_STATE (another maximum was set, or it was used before), UNF_MEMORY, UNF_LIMIT. O(1).
 */
UNF_API unf_status unf_object_set_maximum(unf_unfolding *unfolding, unf_object semaphore,
                                          int64_t maximum);

/**
 * Makes a location a range of bytes: `size` bytes of a space, beginning with byte number `first`
 * (from 0). A space is named by a location, for example the widest one in it. Locations of one
 * space whose ranges overlap depend on each other. The value of a placed location is a signed
 * number of `size` bytes, its first byte the least significant; values that are written are
 * truncated to that size, and additions wrap. A location that was not placed has 64 bits and
 * shares no bytes.
 *
 * Must be called before the initial value of the location is set, before any action on it is known,
 * and before any on another location that overlaps it without lying inside it. Repeating a call is
 * no error. Errors: UNF_UNKNOWN, UNF_INVALID (not locations, or a size that is not 1 to 8),
 * UNF_STATE (too late; the detail names the location that was used), UNF_MEMORY, UNF_LIMIT. O(1),
 * however many locations lie in the space.
 */
UNF_API unf_status unf_location_place(unf_unfolding *unfolding, unf_object location,
                                      unf_object space, uint64_t first, uint32_t size);

/** The range of a location. If it was not placed, its space is UNF_OBJECT_NONE and its size 8.
 * Out-parameters may be NULL. Errors: UNF_UNKNOWN, UNF_INVALID (no location). O(1). */
UNF_API unf_status unf_location_describe(const unf_unfolding *unfolding, unf_object location,
                                         unf_object *space, uint64_t *first, uint32_t *size);

/** Class, creator and key of an object; out-parameters may be NULL. Error: UNF_UNKNOWN. O(1). */
UNF_API unf_status unf_object_describe(const unf_unfolding *unfolding, unf_object object,
                                       unf_object_class *object_class, unf_thread *creator,
                                       uint64_t *key);

/**
 * What a thread can be about to do: X(NAME, "name", target). `target` is what unf_operation.target
 * holds: NONE, THREAD, REASON (a @ref unf_halt), or an object of that class. Blocking operations
 * have no time limit; one with a time limit is offered as its TRY form, because it can time out
 * exactly where it would block.
 */
#define UNF_OPERATION_TABLE(X)                                                                     \
  X(EXIT, "exit", NONE)        /* finished: no event; a join of the thread becomes possible */     \
  X(HALT, "halt", REASON)      /* stopped for ever, without an event */                            \
  X(LOCAL, "local", NONE)      /* one action for each value low … high */                        \
  X(CREATE, "create", THREAD)  /* starts a thread; blocks for ever once it was started */          \
  X(JOIN, "join", THREAD)      /* waits for EXIT */                                                \
  X(LOCK, "lock", MUTEX)       /* waits until the mutex is free, also of the thread's own hold */  \
  X(TRYLOCK, "trylock", MUTEX) /* ACQUIRE when it is free, TRYFAIL when it is held */              \
  X(UNLOCK, "unlock", MUTEX)   /* blocks for ever unless the thread holds it */                    \
  X(WAIT, "wait", CONDITION)   /* releases the mutex and begins to wait; then WAKE */              \
  X(WAKE, "wake", CONDITION)   /* waits for a notification and for the mutex */                    \
  X(TIMED_WAKE, "timedwake", CONDITION)   /* or for TIMEOUT, while not notified; then LOCK */      \
  X(SIGNAL, "signal", CONDITION)          /* one action for each waiting thread; lost if none */   \
  X(BROADCAST, "broadcast", CONDITION)    /* notifies every waiting thread */                      \
  X(RDLOCK, "rdlock", RWLOCK)             /* waits until no thread holds it for writing */         \
  X(TRYRDLOCK, "tryrdlock", RWLOCK)       /* DID_RDFAIL where RDLOCK blocks */                     \
  X(WRLOCK, "wrlock", RWLOCK)             /* waits until no thread holds it */                     \
  X(TRYWRLOCK, "trywrlock", RWLOCK)       /* DID_WRFAIL where WRLOCK blocks */                     \
  X(RWUNLOCK, "rwunlock", RWLOCK)         /* ends one hold; blocks for ever if there is none */    \
  X(POST, "post", SEMAPHORE)              /* adds one */                                           \
  X(SEM_WAIT, "semwait", SEMAPHORE)       /* waits until it is above 0 and takes one */            \
  X(SEM_TRYWAIT, "semtrywait", SEMAPHORE) /* DID_SEM_FAIL where SEM_WAIT blocks */                 \
  X(ARRIVE, "arrive", BARRIER)            /* low: the number of arrivals that the round needs */   \
  X(PASS, "pass", BARRIER)                /* waits for that number */                              \
  X(LOAD, "load", LOCATION)               /* reads */                                              \
  X(STORE, "store", LOCATION)             /* writes low */                                         \
  X(EXCHANGE, "exchange", LOCATION)       /* writes low, and its result is used */                 \
  X(FETCH_ADD, "fetchadd", LOCATION)      /* adds low, and its result is used */                   \
  X(FETCH_AND, "fetchand", LOCATION)      /* writes value & low, and its result is used */         \
  X(FETCH_OR, "fetchor", LOCATION)        /* writes value | low, and its result is used */         \
  X(FETCH_XOR, "fetchxor", LOCATION)      /* writes value ^ low, and its result is used */         \
  X(FETCH_NAND, "fetchnand", LOCATION)    /* writes ~(value & low), and its result is used */      \
  X(ADD, "add", LOCATION)                 /* adds low, without a result: commutes */               \
  X(CAS, "cas", LOCATION)                 /* writes high if the value is low, else reads */        \
  X(AWAIT, "await", LOCATION)             /* waits until the value is in relation to low; reads */ \
  X(EXCHANGE_AWAIT, "exchangeawait", LOCATION) /* waits as AWAIT does; writes high */              \
  X(OPERATE, "operate", CUSTOM)         /* of an effect family of the front-end, see effect.h */   \
  X(FUTEX_WAIT, "futexwait", FUTEX)     /* if the location's value is low: then FUTEX_RETURN */    \
  X(FUTEX_RETURN, "futexreturn", FUTEX) /* waits for a wake */                                     \
  X(TIMED_FUTEX_RETURN, "timedfutexreturn", FUTEX) /* or for FUTEX_TIMEOUT, while not woken */     \
  X(FUTEX_WAKE, "futexwake", FUTEX) /* wakes low threads: one action for each choice of them */    \
  X(BRANCH, "branch", NONE)         /* one action for each outcome; see consistency.h */

/** The kinds of @ref UNF_OPERATION_TABLE, and their number. */
typedef enum unf_operation_kind {
/** @cond */
#define UNF_OPERATION_ENUM(name, text, target) UNF_##name,
  UNF_OPERATION_TABLE(UNF_OPERATION_ENUM)
#undef UNF_OPERATION_ENUM
  /** @endcond */
  UNF_OPERATION_COUNT
} unf_operation_kind;

/** Why a thread stopped, which decides how the execution is counted. */
typedef enum unf_halt {
  UNF_HALT_ASSUME = 0,    /**< a false assumption: not a deadlock */
  UNF_HALT_BOUND = 1,     /**< a loop bound: not a deadlock */
  UNF_HALT_ASSERT = 2,    /**< a failed assertion or crash: an error, not a deadlock */
  UNF_HALT_UNDEFINED = 3, /**< undefined behaviour: counts as a thread that is blocked for ever */
  UNF_HALT_COUNT
} unf_halt;

/** Comparisons of the value of a location, the left side, as signed numbers: X(NAME, "text"). */
#define UNF_RELATION_TABLE(X)                                                                      \
  X(EQUAL, "==")                                                                                   \
  X(UNEQUAL, "!=")                                                                                 \
  X(LESS, "<")                                                                                     \
  X(AT_MOST, "<=")                                                                                 \
  X(GREATER, ">")                                                                                  \
  X(AT_LEAST, ">=")

/** The comparisons of @ref UNF_RELATION_TABLE, and their number. */
typedef enum unf_relation {
/** @cond */
#define UNF_RELATION_ENUM(name, text) UNF_##name,
  UNF_RELATION_TABLE(UNF_RELATION_ENUM)
#undef UNF_RELATION_ENUM
  /** @endcond */
  UNF_RELATION_COUNT
} unf_relation;

/** What a thread is about to do. */
typedef struct unf_operation {
  unf_operation_kind kind; /**< a kind of UNF_OPERATION_TABLE */
  uint32_t target;         /**< thread, object or reason, see UNF_OPERATION_TABLE; else 0 */
  /** WAIT, WAKE, TIMED_WAKE: the mutex; FUTEX_WAIT: the location; AWAIT, EXCHANGE_AWAIT: an @ref
   * unf_relation; OPERATE: the number of the family; else 0. */
  uint32_t second;
  /** LOCAL: the least value that can be chosen; BRANCH: the term, see consistency.h; ARRIVE, PASS:
   * the number of arrivals that the round needs; on locations and FUTEX_WAIT: what is stored, added
   * or compared with; FUTEX_WAKE: how many threads to wake, at least 0; OPERATE: an argument; else
   * 0. */
  int64_t low;
  /** LOCAL: the greatest value that can be chosen; BRANCH: the number of outcomes; CAS,
   * EXCHANGE_AWAIT: what is stored; OPERATE: an argument; else 0. */
  int64_t high;
} unf_operation;

/** What a thread did: X(NAME, "name", target). */
#define UNF_ACTION_TABLE(X)                                                                        \
  X(DID_LOCAL, "loc", NONE)                                                                        \
  X(DID_CREATE, "create", THREAD)                                                                  \
  X(DID_JOIN, "join", THREAD)                                                                      \
  X(DID_ACQUIRE, "acq", MUTEX)                                                                     \
  X(DID_RELEASE, "rel", MUTEX)                                                                     \
  X(DID_TRYFAIL, "tryfail", MUTEX)                                                                 \
  X(DID_WAIT, "w1", CONDITION)                                                                     \
  X(DID_WAKE, "w2", CONDITION)                                                                     \
  X(DID_TIMEOUT, "timeout", CONDITION)                                                             \
  X(DID_SIGNAL, "sig", CONDITION)                                                                  \
  X(DID_BROADCAST, "bro", CONDITION)                                                               \
  X(DID_RDLOCK, "rdacq", RWLOCK)                                                                   \
  X(DID_RDUNLOCK, "rdrel", RWLOCK)                                                                 \
  X(DID_RDFAIL, "rdfail", RWLOCK)                                                                  \
  X(DID_WRLOCK, "wracq", RWLOCK)                                                                   \
  X(DID_WRUNLOCK, "wrrel", RWLOCK)                                                                 \
  X(DID_WRFAIL, "wrfail", RWLOCK)                                                                  \
  X(DID_POST, "post", SEMAPHORE)                                                                   \
  X(DID_SEM_WAIT, "semacq", SEMAPHORE)                                                             \
  X(DID_SEM_FAIL, "semfail", SEMAPHORE)                                                            \
  X(DID_ARRIVE, "arrive", BARRIER)                                                                 \
  X(DID_PASS, "pass", BARRIER)                                                                     \
  X(DID_READ, "read", LOCATION)                                                                    \
  X(DID_WRITE, "write", LOCATION)                                                                  \
  X(DID_ADD, "add", LOCATION)                                                                      \
  X(DID_CUSTOM, "custom", CUSTOM)                                                                  \
  X(DID_FUTEX_WAIT, "fwait", FUTEX)   /* waits in the queue from here on */                        \
  X(DID_FUTEX_AGAIN, "fagain", FUTEX) /* the location had another value (EAGAIN) */                \
  X(DID_FUTEX_RETURN, "fwoken", FUTEX)                                                             \
  X(DID_FUTEX_TIMEOUT, "ftimeout", FUTEX)                                                          \
  X(DID_FUTEX_WAKE, "fwake", FUTEX)        /* as many as were asked for */                         \
  X(DID_FUTEX_WAKE_ALL, "fwakeall", FUTEX) /* fewer: everybody in the queue */                     \
  X(DID_BRANCH, "branch", NONE)

/** The kinds of @ref UNF_ACTION_TABLE, and their number. */
typedef enum unf_action_kind {
/** @cond */
#define UNF_ACTION_ENUM(name, text, target) UNF_##name,
  UNF_ACTION_TABLE(UNF_ACTION_ENUM)
#undef UNF_ACTION_ENUM
  /** @endcond */
  UNF_ACTION_COUNT
} unf_action_kind;

/** The value of a DID_SIGNAL that finds nobody waiting. */
#define UNF_LOST ((int64_t)-1)

/** What a thread did; two actions are the same when all fields are equal. */
typedef struct unf_action {
  unf_action_kind kind; /**< a kind of UNF_ACTION_TABLE */
  unf_thread thread;    /**< the thread that did it */
  uint32_t target;      /**< the thread or object that it was done to; else 0 */
  /** DID_WAIT, DID_WAKE: the mutex; DID_FUTEX_WAIT, DID_FUTEX_AGAIN: the location; DID_CUSTOM: the
   * family; else 0. */
  uint32_t second;
  /** DID_LOCAL: the value chosen; DID_BRANCH: the outcome, from 0 on; DID_SIGNAL: the thread
   * notified, or @ref UNF_LOST; DID_BROADCAST, DID_FUTEX_WAKE, DID_FUTEX_WAKE_ALL: the set of
   * threads notified, see unf_thread_set(); DID_CUSTOM: as the family defines it; else 0. */
  int64_t value;
} unf_action;

/** Makes an operation; the parameters are the fields of unf_operation. O(1). */
UNF_INLINE unf_operation unf_operation_make(unf_operation_kind kind, uint32_t target, int64_t low,
                                            int64_t high) {
  unf_operation operation;
  operation.kind = kind;
  operation.target = target;
  operation.second = 0;
  operation.low = low;
  operation.high = high;
  return operation;
}

/** An operation on a condition variable and its mutex. O(1). */
UNF_INLINE unf_operation unf_operation_wait(unf_operation_kind kind, uint32_t condition,
                                            uint32_t mutex) {
  unf_operation operation = unf_operation_make(kind, condition, 0, 0);
  operation.second = mutex;
  return operation;
}

/** An operation that waits for the value of a location. O(1). */
UNF_INLINE unf_operation unf_operation_await(unf_operation_kind kind, uint32_t location,
                                             unf_relation relation, int64_t value,
                                             int64_t desired) {
  unf_operation operation = unf_operation_make(kind, location, value, desired);
  operation.second = (uint32_t)relation;
  return operation;
}

/** Compares a location, and waits in a queue if it has this value. O(1). */
UNF_INLINE unf_operation unf_operation_futex(uint32_t futex, uint32_t location, int64_t value) {
  unf_operation operation = unf_operation_make(UNF_FUTEX_WAIT, futex, value, 0);
  operation.second = location;
  return operation;
}

/** The thread has finished. */
#define UNF_OP_EXIT() unf_operation_make(UNF_EXIT, 0, 0, 0)
/** The thread stops for ever, for a reason of @ref unf_halt. */
#define UNF_OP_HALT(reason) unf_operation_make(UNF_HALT, (uint32_t)(reason), 0, 0)
/** A step of its own, with one action for each value from low to high. */
#define UNF_OP_LOCAL(low, high) unf_operation_make(UNF_LOCAL, 0, (low), (high))
/** A test of unknown data, with a number of outcomes. `term` is a number of the front-end's that
 * says what is tested, see consistency.h. */
#define UNF_OP_BRANCH(term, outcomes)                                                              \
  unf_operation_make(UNF_BRANCH, 0, (int64_t)(term), (int64_t)(outcomes))
/** Starts a thread. */
#define UNF_OP_CREATE(thread) unf_operation_make(UNF_CREATE, (thread), 0, 0)
/** Waits until a thread has finished. */
#define UNF_OP_JOIN(thread) unf_operation_make(UNF_JOIN, (thread), 0, 0)
/** Waits for a mutex and takes it. */
#define UNF_OP_LOCK(mutex) unf_operation_make(UNF_LOCK, (mutex), 0, 0)
/** Takes a mutex if it is free. */
#define UNF_OP_TRYLOCK(mutex) unf_operation_make(UNF_TRYLOCK, (mutex), 0, 0)
/** Releases a mutex. */
#define UNF_OP_UNLOCK(mutex) unf_operation_make(UNF_UNLOCK, (mutex), 0, 0)

/** Releases a mutex and begins to wait at a condition variable. */
#define UNF_OP_WAIT(condition, mutex) unf_operation_wait(UNF_WAIT, (condition), (mutex))
/** Wakes up when notified and the mutex is free. */
#define UNF_OP_WAKE(condition, mutex) unf_operation_wait(UNF_WAKE, (condition), (mutex))
/** Wakes up as UNF_OP_WAKE() does, or times out while not notified, which needs no mutex. */
#define UNF_OP_TIMED_WAKE(condition, mutex) unf_operation_wait(UNF_TIMED_WAKE, (condition), (mutex))
/** Notifies one waiting thread, any of them. */
#define UNF_OP_SIGNAL(condition) unf_operation_make(UNF_SIGNAL, (condition), 0, 0)
/** Notifies all waiting threads. */
#define UNF_OP_BROADCAST(condition) unf_operation_make(UNF_BROADCAST, (condition), 0, 0)
/** Takes a reader-writer lock for reading. */
#define UNF_OP_RDLOCK(rwlock) unf_operation_make(UNF_RDLOCK, (rwlock), 0, 0)
/** Takes a reader-writer lock for reading, or fails where a thread holds it for writing. */
#define UNF_OP_TRYRDLOCK(rwlock) unf_operation_make(UNF_TRYRDLOCK, (rwlock), 0, 0)
/** Takes a reader-writer lock for writing. */
#define UNF_OP_WRLOCK(rwlock) unf_operation_make(UNF_WRLOCK, (rwlock), 0, 0)
/** Takes a reader-writer lock for writing, or fails where a thread holds it. */
#define UNF_OP_TRYWRLOCK(rwlock) unf_operation_make(UNF_TRYWRLOCK, (rwlock), 0, 0)
/** Ends one hold of a reader-writer lock: a thread that locked it twice for reading, and unlocks it
 * once, still holds it. */
#define UNF_OP_RWUNLOCK(rwlock) unf_operation_make(UNF_RWUNLOCK, (rwlock), 0, 0)
/** Adds one to a semaphore. */
#define UNF_OP_POST(semaphore) unf_operation_make(UNF_POST, (semaphore), 0, 0)
/** Waits until a semaphore is above 0 and takes one. */
#define UNF_OP_SEM_WAIT(semaphore) unf_operation_make(UNF_SEM_WAIT, (semaphore), 0, 0)
/** Takes one from a semaphore, or fails where it is 0. */
#define UNF_OP_SEM_TRYWAIT(semaphore) unf_operation_make(UNF_SEM_TRYWAIT, (semaphore), 0, 0)
/** Arrives at a round of a barrier that needs so many arrivals. */
#define UNF_OP_ARRIVE(round, count) unf_operation_make(UNF_ARRIVE, (round), (count), 0)
/** Waits for all arrivals of the round. */
#define UNF_OP_PASS(round, count) unf_operation_make(UNF_PASS, (round), (count), 0)

/** Reads a location. */
#define UNF_OP_LOAD(location) unf_operation_make(UNF_LOAD, (location), 0, 0)
/** Writes a location. */
#define UNF_OP_STORE(location, value) unf_operation_make(UNF_STORE, (location), (value), 0)
/** Writes a location and uses what was there. */
#define UNF_OP_EXCHANGE(location, value) unf_operation_make(UNF_EXCHANGE, (location), (value), 0)
/** Adds to a location and uses what was there. */
#define UNF_OP_FETCH_ADD(location, value) unf_operation_make(UNF_FETCH_ADD, (location), (value), 0)
/** Keeps the bits of a location that are set in value, and uses what was there. */
#define UNF_OP_FETCH_AND(location, value) unf_operation_make(UNF_FETCH_AND, (location), (value), 0)
/** Sets the bits of a location that are set in value, and uses what was there. */
#define UNF_OP_FETCH_OR(location, value) unf_operation_make(UNF_FETCH_OR, (location), (value), 0)
/** Inverts the bits of a location that are set in value, and uses what was there. */
#define UNF_OP_FETCH_XOR(location, value) unf_operation_make(UNF_FETCH_XOR, (location), (value), 0)
/** Writes ~(location & value), and uses what was there. */
#define UNF_OP_FETCH_NAND(location, value)                                                         \
  unf_operation_make(UNF_FETCH_NAND, (location), (value), 0)
/** Adds to a location. */
#define UNF_OP_ADD(location, value) unf_operation_make(UNF_ADD, (location), (value), 0)
/** Writes a location if it has the expected value. */
#define UNF_OP_CAS(location, expected, desired)                                                    \
  unf_operation_make(UNF_CAS, (location), (expected), (desired))
/** Waits until a location is in a relation to a value, and reads it. */
#define UNF_OP_AWAIT(location, relation, value)                                                    \
  unf_operation_await(UNF_AWAIT, (location), (relation), (value), 0)
/** Waits until a location is in a relation to a value, and writes it. */
#define UNF_OP_EXCHANGE_AWAIT(location, relation, value, desired)                                  \
  unf_operation_await(UNF_EXCHANGE_AWAIT, (location), (relation), (value), (desired))

/**
 * Waits in the queue of a futex if the location has this value; one step with the comparison. What
 * comes of it is DID_FUTEX_WAIT, after which the thread is about to return (UNF_OP_FUTEX_RETURN()
 * or UNF_OP_TIMED_FUTEX_RETURN()), or DID_FUTEX_AGAIN, which is all.
 *
 * The comparison reads the location; a wake says nothing of it, and depends on waits by the queue
 * alone. A waiting thread is woken by wakes only: there are no spurious wake-ups, which a program
 * for Linux must expect. A front-end that wants them offers TIMED_FUTEX_RETURN and calls the
 * time-out a return.
 */
#define UNF_OP_FUTEX_WAIT(futex, location, value) unf_operation_futex((futex), (location), (value))
/** Returns from the queue when woken. */
#define UNF_OP_FUTEX_RETURN(futex) unf_operation_make(UNF_FUTEX_RETURN, (futex), 0, 0)
/** Returns from the queue when woken, or times out while not woken. */
#define UNF_OP_TIMED_FUTEX_RETURN(futex) unf_operation_make(UNF_TIMED_FUTEX_RETURN, (futex), 0, 0)
/** Wakes any `count` of the threads in the queue, in every way that there is, for the order of a
 * kernel's queue is no promise; or all of them, if there are fewer. The call's result is the number
 * of members of the action's set. */
#define UNF_OP_FUTEX_WAKE(futex, count) unf_operation_make(UNF_FUTEX_WAKE, (futex), (count), 0)

/** Receives threads one by one; returning false ends the enumeration early, which is no error. */
typedef bool (*unf_thread_visitor)(void *user, unf_thread thread);

/** Interns a set of threads, for the value of a DID_BROADCAST or of a wake; 0 is the empty set. The
 * order of the threads and repetitions do not matter. Errors: UNF_UNKNOWN, UNF_MEMORY, UNF_LIMIT.
 * O(count²). */
UNF_API unf_status unf_thread_set(unf_unfolding *unfolding, const unf_thread *threads,
                                  uint32_t count, int64_t *out);

/** The members of a set of threads, in the order of their paths. Error: UNF_UNKNOWN (not a set of
 * this unfolding). O(members² · depth). */
UNF_API unf_status unf_thread_set_members(const unf_unfolding *unfolding, int64_t set,
                                          unf_thread_visitor visit, void *user);

/** Name of a kind, as in UNF_OPERATION_TABLE; "?" for an unknown one. Static storage. O(1). */
UNF_API const char *unf_operation_kind_text(unf_operation_kind kind);

/** Name of a kind, as in UNF_ACTION_TABLE; "?" for an unknown one. Static storage. O(1). */
UNF_API const char *unf_action_kind_text(unf_action_kind kind);

/**
 * Writes an action as text with canonical names, such as "0.1 acq mutex - 3": the path of the
 * thread, the name of the action, then class, creator and key of the object. As with snprintf(),
 * the text is cut to the size of the buffer and always terminated, and the result is the length of
 * the whole text without the terminator. O(length).
 */
UNF_API size_t unf_action_text(const unf_unfolding *unfolding, const unf_action *action,
                               char *buffer, size_t size);

/** Writes an operation as text, without a thread, as unf_action_text() writes
 * an action. O(length). */
UNF_API size_t unf_operation_text(const unf_unfolding *unfolding, const unf_operation *operation,
                                  char *buffer, size_t size);

/** Writes the path of a thread, such as "0.2.1": its index and those of its ancestors, from a child
 * of ⊥ down. Size and result are as for unf_action_text(). O(length). */
UNF_API size_t unf_thread_text(const unf_unfolding *unfolding, unf_thread thread, char *buffer,
                               size_t size);

/**
 * What a program calls its threads, objects and events, for labels and pictures that people read.
 * Initialise with UNF_NAMES_INIT. A function writes a name into a buffer, as snprintf() would: cut
 * to its size and terminated (with size 0 the buffer may be NULL), and returns the length of the
 * whole name, whatever the size. Where a function is NULL or returns 0, the canonical name stands.
 * The same handle must have the same name as long as a call lasts. Names are any text: where they
 * have to be escaped, the library does so.
 */
typedef struct unf_names {
  uint32_t size; /**< sizeof(unf_names) */
  void *user;    /**< given to the functions */
  /** Writes the name of a thread (NULL). */
  size_t (*thread)(void *user, unf_thread thread, char *buffer, size_t size);
  /** Writes the name of an object (NULL). */
  size_t (*object)(void *user, unf_object object, char *buffer, size_t size);
  /** Writes what stands for an event of the unfolding, without its thread, in place of its action
   * (NULL); only in pictures that have events: of unfoldings, configurations and prefixes, and of
   * trees through unf_tree_add_named(). */
  size_t (*event)(void *user, uint32_t event, char *buffer, size_t size);
} unf_names;

/** The defaults. */
#define UNF_NAMES_INIT                                                                             \
  { sizeof(unf_names), NULL, NULL, NULL, NULL }

/** Writes an action for people, without its thread and in names of the program, such as "acq
 * queue": names may be NULL. Size and result are as for unf_action_text(); 0 also for names of
 * another size. O(length). */
UNF_API size_t unf_action_label(const unf_unfolding *unfolding, const unf_names *names,
                                const unf_action *action, char *buffer, size_t size);

/** Writes a thread in names of the program, which may be NULL, as unf_action_label() does.
 * O(length). */
UNF_API size_t unf_thread_label(const unf_unfolding *unfolding, const unf_names *names,
                                unf_thread thread, char *buffer, size_t size);

UNF_END_DECLS

#endif
