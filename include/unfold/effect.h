/**
 * @file
 * Effect families of a front-end's own: what its operations can do to objects that the library does
 * not know, such as mailboxes or the places of a net. Such a family says which objects an action
 * uses, and how, which is its whole dependence; and which actions an operation can have after what
 * happened to its objects so far. Relations, extensions, exploration and output work as for the
 * library's own families; the explorer finds other orders by reversing races.
 */
#ifndef UNFOLD_EFFECT_H
#define UNFOLD_EFFECT_H

#include <stdint.h>
#include <unfold/action.h>
#include <unfold/configuration.h>
#include <unfold/event.h>
#include <unfold/export.h>
#include <unfold/extension.h>

UNF_BEGIN_DECLS

/**
 * How an action uses an object. Two actions of different threads depend on each other when they use
 * one object in ways that do not commute: WRITE with everything, READ and ADD each with all but
 * their own kind. Two actions that do not depend on each other must commute: neither enables or
 * disables the other, nor changes what it is, and their order does not matter to what can come
 * after; see unf_check_independence().
 */
typedef enum unf_mode {
  UNF_MODE_WRITE, /**< changes it in a way that matters to all others */
  UNF_MODE_READ,  /**< only looks at it */
  UNF_MODE_ADD,   /**< changes it in a way whose order does not matter among its own kind */
  UNF_MODE_COUNT
} unf_mode;

/** What happened to objects before an operation; valid during the call that it is given to. */
typedef struct unf_view unf_view;

/** Receives an object that is used; returning UNF_OK asks for the next. */
typedef unf_status (*unf_use_visitor)(void *visitor, unf_object object, unf_mode access);

/** A family; the functions get `user`, and must give the same for the same arguments and
 * the same history. */
typedef struct unf_effect {
  uint32_t size;    /**< sizeof(unf_effect) */
  const char *name; /**< of the family: a word of lower-case letters; copied */
  void *user;       /**< given back to the functions */
  /** Tells visit the objects that an action uses, each once, and returns the first status that is
   * not UNF_OK. */
  unf_status (*uses)(void *user, const unf_action *action, unf_use_visitor visit, void *visitor);
  /**
   * Tells visit the actions that an operation of a thread can have where `view` is what happened
   * before; none while it is blocked. An action has the kind UNF_DID_CUSTOM, the thread, the target
   * and the family (`second`) of the operation, and a value of the family's choice.
   */
  unf_status (*outcomes)(void *user, const unf_view *view, unf_thread thread,
                         const unf_operation *operation, unf_action_visitor visit, void *visitor);
  /** Tells visit every object that some action of the operation may use (its access does not
   * count); NULL: the target alone. */
  unf_status (*concerns)(void *user, const unf_operation *operation, unf_use_visitor visit,
                         void *visitor);
} unf_effect;

/** Registers a family; its number is the `second` of its operations and actions. Errors:
 * UNF_INVALID, UNF_MEMORY, UNF_LIMIT. O(1). */
UNF_API unf_status unf_effect_register(unf_unfolding *unfolding, const unf_effect *effect,
                                       uint32_t *out);

/** An operation of a registered family on an object of class UNF_CUSTOM; low and high are its
 * arguments. O(1). */
static inline unf_operation unf_operation_custom(uint32_t family, unf_object target, int64_t low,
                                                 int64_t high) {
  unf_operation operation = unf_operation_make(UNF_OPERATE, target, low, high);
  operation.second = family;
  return operation;
}

/**
 * The events that used an object before, in an order in which they can have happened. Errors:
 * UNF_UNKNOWN, UNF_MEMORY. O(events on the object).
 */
UNF_API unf_status unf_view_history(const unf_view *view, unf_object object,
                                    unf_event_visitor visit, void *user);

/** The unfolding that a view is of, for the actions of its events. O(1). */
UNF_API const unf_unfolding *unf_view_unfolding(const unf_view *view);

UNF_END_DECLS

#endif
