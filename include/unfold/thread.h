/**
 * @file
 * Unfoldings, and the names of threads and objects in them. Names do not depend on the order in
 * which things happen: a thread is named by its parent and its index among the parent's children,
 * an object by its class, the thread that made it, and a key. Handles are small numbers; the same
 * name always has the same handle.
 */
#ifndef UNFOLD_THREAD_H
#define UNFOLD_THREAD_H

#include <stdbool.h>
#include <stdint.h>
#include <unfold/context.h>
#include <unfold/export.h>
#include <unfold/status.h>

UNF_BEGIN_DECLS

/** An event structure that grows: interned events over threads and objects. */
typedef struct unf_unfolding unf_unfolding;

/** Handle of a thread of one unfolding, see unf_thread_name(). */
typedef uint32_t unf_thread;
/** Handle of an object of one unfolding, see unf_object_name(). */
typedef uint32_t unf_object;
/** No thread; as a parent or creator, ⊥. */
#define UNF_THREAD_NONE ((unf_thread)UINT32_MAX)
/** No object. */
#define UNF_OBJECT_NONE ((unf_object)UINT32_MAX)

/** Classes of objects: X(NAME, "name"). */
#define UNF_OBJECT_TABLE(X)                                                                        \
  X(MUTEX, "mutex")                                                                                \
  X(CONDITION, "condition")                                                                        \
  X(RWLOCK, "rwlock")                                                                              \
  X(SEMAPHORE, "semaphore")                                                                        \
  X(BARRIER, "barrier")   /* one round of a barrier */                                             \
  X(LOCATION, "location") /* memory that is accessed atomically */                                 \
  X(CUSTOM, "custom")     /* of an effect family that the front-end registers */

/** The classes of @ref UNF_OBJECT_TABLE, and their number. */
typedef enum unf_object_class {
/** @cond */
#define UNF_OBJECT_ENUM(name, text) UNF_##name,
  UNF_OBJECT_TABLE(UNF_OBJECT_ENUM)
#undef UNF_OBJECT_ENUM
  /** @endcond */
  UNF_OBJECT_CLASS_COUNT
} unf_object_class;

/** Initialise with UNF_UNFOLDING_OPTIONS_INIT. */
typedef struct unf_unfolding_options {
  uint32_t size; /**< sizeof(unf_unfolding_options) */
  /** The trees of threads and objects have skip pointers to ancestors at distances that are
   * powers of this number. 0: no skip pointers, every query climbs the tree branch by branch; 1
   * is not valid (8). */
  uint32_t skip_step;
} unf_unfolding_options;

/** The defaults. */
#define UNF_UNFOLDING_OPTIONS_INIT                                                                 \
  { sizeof(unf_unfolding_options), 8 }

/**
 * Makes an unfolding that holds nothing but ⊥. options may be NULL. *out is owned by the caller;
 * explorers and configurations made from it must be freed before it. Errors: UNF_INVALID,
 * UNF_MEMORY, UNF_LIMIT. O(1).
 */
UNF_API unf_status unf_unfolding_new(unf_context *context, const unf_unfolding_options *options,
                                     unf_unfolding **out);

/** Frees an unfolding; NULL does nothing. O(bytes held). */
UNF_API void unf_unfolding_free(unf_unfolding *unfolding);

/** The context it was made from. O(1). */
UNF_API unf_context *unf_unfolding_context(const unf_unfolding *unfolding);

/** Number of interned events, without ⊥. Their handles are 1 … that number, causes
 * before effects. O(1). */
UNF_API uint32_t unf_unfolding_events(const unf_unfolding *unfolding);

/** Number of threads named so far; their handles are 0 … that number - 1. O(1). */
UNF_API uint32_t unf_unfolding_threads(const unf_unfolding *unfolding);

/** Number of objects named so far; their handles are 0 … that number - 1. O(1). */
UNF_API uint32_t unf_unfolding_objects(const unf_unfolding *unfolding);

/**
 * The thread that is child number `index` (from 0) of a parent; the parent UNF_THREAD_NONE
 * stands for ⊥. Naming a thread does not start it. Errors: UNF_UNKNOWN (parent), UNF_MEMORY,
 * UNF_LIMIT. Expected O(1).
 */
UNF_API unf_status unf_thread_name(unf_unfolding *unfolding, unf_thread parent, uint32_t index,
                                   unf_thread *out);

/**
 * Declares that a thread runs from ⊥ on, without a create. Must come before any event is interned.
 * Errors: UNF_UNKNOWN, UNF_STATE. O(1).
 */
UNF_API unf_status unf_thread_start(unf_unfolding *unfolding, unf_thread thread);

/** Parent (UNF_THREAD_NONE for a child of ⊥) and index of a thread, and whether it runs from ⊥ on;
 * out-parameters may be NULL. Error: UNF_UNKNOWN. O(1). */
UNF_API unf_status unf_thread_describe(const unf_unfolding *unfolding, unf_thread thread,
                                       unf_thread *parent, uint32_t *index, bool *initial);

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
 * Must be called before the initial value of the location is set, and before any action on another
 * location that overlaps it without lying inside it. Repeating a call is no error. Errors:
 * UNF_UNKNOWN, UNF_INVALID (not locations, or a size that is not 1 to 8), UNF_STATE (too late; the
 * detail names the location that was used), UNF_MEMORY, UNF_LIMIT. O(ranges of the space).
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

UNF_END_DECLS

#endif
