/**
 * @file
 * Operations and actions. A thread is about to perform an *operation* (trylock m); the *action* is
 * what came of it (acquired, or failed). The same operation can have another action elsewhere in
 * the order, and it has several in one place where data decide.
 */
#ifndef UNFOLD_ACTION_H
#define UNFOLD_ACTION_H

#include <stddef.h>
#include <stdint.h>
#include <unfold/export.h>
#include <unfold/status.h>
#include <unfold/thread.h>

UNF_BEGIN_DECLS

/**
 * What a thread can be about to do: X(NAME, "name", target), where target tells what the field of
 * that name holds: NONE, THREAD, MUTEX, or REASON (a @ref unf_halt).
 */
#define UNF_OPERATION_TABLE(X)                                                                     \
  X(EXIT, "exit", NONE)        /* finished: no event; a join of the thread becomes possible */     \
  X(HALT, "halt", REASON)      /* stopped for ever, without an event */                            \
  X(LOCAL, "local", NONE)      /* one action for each value low … high */                        \
  X(CREATE, "create", THREAD)  /* starts a thread; blocks for ever once it was started */          \
  X(JOIN, "join", THREAD)      /* waits for EXIT */                                                \
  X(LOCK, "lock", MUTEX)       /* waits until the mutex is free, also of the thread's own hold */  \
  X(TRYLOCK, "trylock", MUTEX) /* ACQUIRE when it is free, TRYFAIL when it is held */              \
  X(UNLOCK, "unlock", MUTEX)   /* blocks for ever unless the thread holds it */

/** The kinds of @ref UNF_OPERATION_TABLE, and their number. */
typedef enum unf_operation_kind {
/** @cond */
#define UNF_OPERATION_ENUM(name, text, target) UNF_##name,
  UNF_OPERATION_TABLE(UNF_OPERATION_ENUM)
#undef UNF_OPERATION_ENUM
  /** @endcond */
  UNF_OPERATION_COUNT
} unf_operation_kind;

/** Why a thread stopped; decides how a blocked execution is counted. */
typedef enum unf_halt {
  UNF_HALT_ASSUME,    /**< a false assumption: not a deadlock */
  UNF_HALT_BOUND,     /**< a loop bound: not a deadlock */
  UNF_HALT_ASSERT,    /**< a failed assertion or crash: an error, not a deadlock */
  UNF_HALT_UNDEFINED, /**< undefined behaviour stops the thread, as one that blocks for ever */
  UNF_HALT_COUNT
} unf_halt;

/** What a thread is about to do. */
typedef struct unf_operation {
  unf_operation_kind kind; /**< what kind of thing */
  uint32_t target;         /**< thread, object or reason, see UNF_OPERATION_TABLE; 0 otherwise */
  int64_t low;  /**< LOCAL: the least value that data or the environment may choose; else 0 */
  int64_t high; /**< LOCAL: the greatest one; 0 otherwise */
} unf_operation;

/** What a thread did: X(NAME, "name", target). */
#define UNF_ACTION_TABLE(X)                                                                        \
  X(DID_LOCAL, "loc", NONE)                                                                        \
  X(DID_CREATE, "create", THREAD)                                                                  \
  X(DID_JOIN, "join", THREAD)                                                                      \
  X(DID_ACQUIRE, "acq", MUTEX)                                                                     \
  X(DID_RELEASE, "rel", MUTEX)                                                                     \
  X(DID_TRYFAIL, "tryfail", MUTEX)

/** The kinds of @ref UNF_ACTION_TABLE, and their number. */
typedef enum unf_action_kind {
/** @cond */
#define UNF_ACTION_ENUM(name, text, target) UNF_##name,
  UNF_ACTION_TABLE(UNF_ACTION_ENUM)
#undef UNF_ACTION_ENUM
  /** @endcond */
  UNF_ACTION_COUNT
} unf_action_kind;

/** What a thread did; two actions are the same when all fields are equal. */
typedef struct unf_action {
  unf_action_kind kind; /**< what kind of thing */
  unf_thread thread;    /**< who */
  uint32_t target;      /**< the thread or object it was done to; 0 otherwise */
  int64_t value;        /**< DID_LOCAL: the value chosen; 0 otherwise */
} unf_action;

/** An operation of these fields, which are described there. O(1). */
static inline unf_operation unf_operation_make(unf_operation_kind kind, uint32_t target,
                                               int64_t low, int64_t high) {
  unf_operation operation;
  operation.kind = kind;
  operation.target = target;
  operation.low = low;
  operation.high = high;
  return operation;
}

/** The thread has finished. */
#define UNF_OP_EXIT() unf_operation_make(UNF_EXIT, 0, 0, 0)
/** The thread stops for ever, for a reason of @ref unf_halt. */
#define UNF_OP_HALT(reason) unf_operation_make(UNF_HALT, (uint32_t)(reason), 0, 0)
/** A step of its own, with one action for each value from low to high. */
#define UNF_OP_LOCAL(low, high) unf_operation_make(UNF_LOCAL, 0, (low), (high))
/** Starts a thread. */
#define UNF_OP_CREATE(thread) unf_operation_make(UNF_CREATE, (thread), 0, 0)
/** Waits until a thread has finished. */
#define UNF_OP_JOIN(thread) unf_operation_make(UNF_JOIN, (thread), 0, 0)
/** Waits for a mutex and takes it. */
#define UNF_OP_LOCK(mutex) unf_operation_make(UNF_LOCK, (mutex), 0, 0)
/** Takes a mutex if it is free. */
#define UNF_OP_TRYLOCK(mutex) unf_operation_make(UNF_TRYLOCK, (mutex), 0, 0)
/** Gives a mutex back. */
#define UNF_OP_UNLOCK(mutex) unf_operation_make(UNF_UNLOCK, (mutex), 0, 0)

/** Name of a kind, as in the tables; "?" for a value that is none. Static storage. O(1). */
UNF_API const char *unf_operation_kind_text(unf_operation_kind kind);

/** Name of a kind, as in the tables; "?" for a value that is none. Static storage. O(1). */
UNF_API const char *unf_action_kind_text(unf_action_kind kind);

/**
 * Writes an action as text with canonical names, such as "0.1 acq mutex - 3" (thread path, name,
 * then the class, creator and key of the object), always terminated. Returns the length it would
 * need, without the end, like snprintf(). O(length).
 */
UNF_API size_t unf_action_text(const unf_unfolding *unfolding, const unf_action *action,
                               char *buffer, size_t size);

/** The same for an operation, without a thread. O(length). */
UNF_API size_t unf_operation_text(const unf_unfolding *unfolding, const unf_operation *operation,
                                  char *buffer, size_t size);

/** The path of a thread, such as "0.2.1": indices from a child of ⊥ down. Same conventions.
 * O(length). */
UNF_API size_t unf_thread_text(const unf_unfolding *unfolding, unf_thread thread, char *buffer,
                               size_t size);

UNF_END_DECLS

#endif
