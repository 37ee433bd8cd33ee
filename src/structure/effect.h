/*
 * Effect families. A family says for its operations which actions they can have after a cut, what
 * an action follows there, and which conflicting extensions come of it; everything else in the
 * library is the same for all. The table is filled in extension/.
 */
#ifndef STRUCTURE_EFFECT_H
#define STRUCTURE_EFFECT_H

#include "structure/unfolding.h"

/* Takes what an action would follow; false ends the enumeration, with a status of the receiver's
 * own. */
typedef bool (*causes_visitor)(void *user, const struct causes *causes);
typedef bool (*outcome_visitor)(void *user, const unf_action *action);

struct effect_family {
  const char *name;
  /* Gives the actions that the operation can have after the cut, none if it blocks; false: the
   * visitor ended it. */
  bool (*outcomes)(unf_unfolding *u, struct cut cut, uint32_t thread,
                   const unf_operation *operation, outcome_visitor visit, void *user);
  /* Whether the action can happen after the cut; fills what it follows (not its id). */
  bool (*follow)(unf_unfolding *u, struct cut cut, const struct action *action,
                 struct causes *causes);
  /*
   * Conflicting extensions that come from the operation of `thread` after `before`: every other
   * event that the operation can become within the history of `event`, which it became, or within
   * the cut of a configuration where it is still to be performed (event NONE). Returns UNF_OK also
   * when the visitor ended it.
   */
  unf_status (*conflicting)(unf_unfolding *u, struct cut cut, uint32_t thread, uint32_t before,
                            const unf_operation *operation, uint32_t event, causes_visitor visit,
                            void *user);
};

struct action_row {
  const struct effect_family *family;
  enum access access;
  bool on_thread; /* target is a thread; else an object of object_class, if access says so */
  unf_object_class object_class;
};

struct operation_row {
  const struct effect_family *family; /* NULL: it becomes no event */
  bool on_thread, on_object;
  unf_object_class object_class;
};

struct effect_table {
  struct action_row actions[UNF_ACTION_COUNT];
  struct operation_row operations[UNF_OPERATION_COUNT];
};

/* Makes an unfolding over a table of effects; unf_unfolding_new() supplies the library's own. */
unf_status unfi_unfolding_new(unf_context *context, const unf_unfolding_options *options,
                              const struct effect_table *effects, unf_unfolding **out);

#endif
