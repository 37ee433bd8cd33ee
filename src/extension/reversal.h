/* Reversals of races of a maximal configuration. */
#ifndef EXTENSION_REVERSAL_H
#define EXTENSION_REVERSAL_H

#include "configuration/configuration.h"
#include "extension/attempts.h"
#include "structure/effect.h"
#include "structure/event.h"

/* Chooses the sibling (extension/siblings.h) that a step is reversed to; unsets *any: none. */
typedef unf_status (*sibling_drawer)(void *user, uint32_t event, int64_t *value, bool *any);

/* Whether the event with these causes sleeps where `out` was performed. */
typedef unf_status (*sleeper_finder)(void *user, const struct causes *causes, uint32_t out,
                                     bool *asleep);

/* A maximal configuration: its cut, and its events in the order of causes. The first `known` of
 * them were those of a configuration whose races were reversed, too; the first `from` of these are
 * not looked at. */
struct maximal {
  struct cut cut;
  const uint32_t *events;
  uint32_t count, known, from;
  bool complete; /* every thread is known to have come to its end */
  bool again;    /* the last call was for this one too, and was refused: goes on where that stood */
  sibling_drawer draw;   /* NULL: all siblings are visited */
  sleeper_finder asleep; /* NULL: events that sleep are visited as all others */
  void *explorer;        /* the user of both */
};

/* Events for U from a maximal configuration that come of operations whose family does not compute
 * conflicting extensions on its own. The attempts are kept from one call to the next. */
unf_status unfi_reverse(unf_unfolding *u, const struct maximal *M, struct attempts *attempts,
                        causes_visitor visit, void *user);

/* Called before the reversals of the event at a position of a maximal configuration, and with the
 * number of its events before those of the operations that were not performed. once: they are the
 * same for every configuration that has the event, and are not visited again. False ends it. */
typedef bool (*position_visitor)(void *user, uint32_t position, bool once);

/* As unfi_reverse(), for all operations: the reversals that wakeup trees need. */
unf_status unfi_reverse_all(unf_unfolding *u, const struct maximal *M, struct attempts *attempts,
                            position_visitor at_position, causes_visitor visit, void *user);

#endif
