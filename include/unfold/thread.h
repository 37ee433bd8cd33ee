/**
 * @file
 * Unfoldings, and the names of threads in them. Names do not depend on the order in which things
 * happen: a thread is named by its parent and its index among the parent's children. Handles are
 * small numbers; the same name always has the same handle.
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

UNF_END_DECLS

#endif
