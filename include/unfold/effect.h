/**
 * @file
 * Effect families defined by a front-end: what its operations can do to objects that the library
 * does not know, such as mailboxes or the places of a Petri net. A family says which objects an
 * action uses, and how, which alone determines on what the action depends; and which actions an
 * operation can have, given what happened to its objects before. Relations, extensions, exploration
 * and output work as for the families of the library; the explorer finds other orders by reversing
 * races. doc/writing-a-family.md has an example and a list of what a family must guarantee.
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
 * How an action uses an object. Two actions of different threads depend on each other if they use
 * the same object in modes that do not commute: WRITE commutes with no mode, READ only with READ,
 * and ADD only with ADD. Two actions that do not depend on each other must commute: neither
 * enables, disables or changes the other, and what can come after them does not depend on their
 * order; see unf_check_independence(). Where they do not commute, executions are lost, or the
 * program seems not to be deterministic: the text of UNF_NONDETERMINISM then names the family too.
 */
typedef enum unf_mode {
  UNF_MODE_WRITE = 0, /**< changes the object in a way that matters to all others */
  UNF_MODE_READ = 1,  /**< only looks at the object */
  UNF_MODE_ADD = 2,   /**< changes the object; the order of several such changes does not matter */
  UNF_MODE_COUNT
} unf_mode;

/** What happened to objects before an operation; valid only during the call that receives it. */
typedef struct unf_view unf_view;

/** Receives an object that is used; returning UNF_OK asks for the next. */
typedef unf_status (*unf_use_visitor)(void *visitor, unf_object object, unf_mode access);

/** An effect family. Its functions receive `user`, and must give the same results for the same
 * arguments and the same history. Of the library they may call what takes the unfolding as const,
 * unf_use_part(), and what takes a view; whatever else would change the structure that is being
 * asked about. */
typedef struct unf_effect {
  uint32_t size;    /**< sizeof(unf_effect) */
  const char *name; /**< name of the family: a word of lower-case letters; copied */
  void *user;       /**< passed to the functions */
  /** Calls visit for each object that an action uses, once, and returns the first status that is
   * not UNF_OK, or UNF_OK. */
  unf_status (*uses)(void *user, const unf_action *action, unf_use_visitor visit, void *visitor);
  /**
   * Calls visit for each action that an operation of a thread can have after what `view` shows; for
   * none if the operation is blocked there. An action has the kind UNF_DID_CUSTOM, the thread,
   * target and family (`second`) of the operation, and a value that the family chooses.
   */
  unf_status (*outcomes)(void *user, const unf_view *view, unf_thread thread,
                         const unf_operation *operation, unf_action_visitor visit, void *visitor);
  /** Calls visit for every object that some action of the operation may use; the mode does not
   * matter here. NULL: an operation uses only its target. */
  unf_status (*concerns)(void *user, const unf_operation *operation, unf_use_visitor visit,
                         void *visitor);
  /**
   * Calls visit for events of the view that together keep an operation from an outcome, which it
   * would have without all of them, but has with any one of them: messages, say, of which any one
   * keeps a try from finding nothing. Other outcomes of an operation are found by leaving out
   * single events. NULL, or none visited: there is no such outcome. This field and those behind it
   * came later: a struct of the size that it has without them is accepted.
   */
  unf_status (*hinders)(void *user, const unf_view *view, unf_thread thread,
                        const unf_operation *operation, unf_event_visitor visit, void *visitor);
  /**
   * Writes what came of an operation, such as "sent 2", for labels and pictures that people read
   * (unf_action_label()); there it stands behind the name of the target. As snprintf() would: cut
   * to `size` and terminated. NULL, or an empty text: the name of the family and the value.
   */
  void (*label)(void *user, const unf_action *action, char *buffer, size_t size);
} unf_effect;

/** Registers a family. *out is its number, which its operations and actions have as `second`.
 * Errors: UNF_INVALID, UNF_MEMORY, UNF_LIMIT. O(1). */
UNF_API unf_status unf_effect_register(unf_unfolding *unfolding, const unf_effect *effect,
                                       uint32_t *out);

/**
 * Says why a family refuses something: the detail of the context ends in "family NAME: WHY". For
 * its functions, which return what this returns, and for those that make its operations. Returns
 * UNF_INVALID, or UNF_UNKNOWN if there is no such family. O(length of the text).
 */
UNF_API unf_status unf_effect_refuse(const unf_unfolding *unfolding, uint32_t family,
                                     const char *why);

/** Makes an operation of a registered family on an object of class UNF_CUSTOM; low and high are
 * its arguments. O(1). */
UNF_INLINE unf_operation unf_operation_custom(uint32_t family, unf_object target, int64_t low,
                                              int64_t high) {
  unf_operation operation = unf_operation_make(UNF_OPERATE, target, low, high);
  operation.second = family;
  return operation;
}

/**
 * The events that used an object before the operation, in some order in which they can have
 * happened. Errors: UNF_UNKNOWN, UNF_MEMORY. O(events on the object).
 */
UNF_API unf_status unf_view_history(const unf_view *view, unf_object object,
                                    unf_event_visitor visit, void *user);

/**
 * The last event before the operation that used an object as UNF_MODE_WRITE; UNF_EVENT_BOTTOM if
 * there is none. What a family needs to know of a long history can stand in the value of this
 * event's action. Errors: UNF_UNKNOWN, UNF_INVALID (NULL). O(1).
 */
UNF_API unf_status unf_view_last_write(const unf_view *view, unf_object object, unf_event *out);

/**
 * Parts of objects. An object of class UNF_CUSTOM has as many parts as there are numbers of 64
 * bits: each is used like an object of its own, independent of the other parts and of the object
 * itself, and need not be named before. So the first message of a channel is another thing than
 * the second, however many there will be. To be called by `uses` and `concerns`, with the visitor
 * that they got, in place of `visit`. A part that is used takes some tens of bytes. Errors: those
 * of `visit`, which `uses` and `concerns` hand on. Expected O(1).
 */
UNF_API unf_status unf_use_part(void *visitor, unf_object object, uint64_t part, unf_mode access);

/** unf_view_history() of a part of an object. Errors: the same. O(events on the part). */
UNF_API unf_status unf_view_part_history(const unf_view *view, unf_object object, uint64_t part,
                                         unf_event_visitor visit, void *user);

/** unf_view_last_write() of a part of an object. Errors: the same. Expected O(1). */
UNF_API unf_status unf_view_part_last_write(const unf_view *view, unf_object object, uint64_t part,
                                            unf_event *out);

/** The unfolding of a view, for asking about its events (unf_event_action()). O(1). */
UNF_API const unf_unfolding *unf_view_unfolding(const unf_view *view);

UNF_END_DECLS

#endif
