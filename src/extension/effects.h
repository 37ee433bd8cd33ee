/* The library's effect families. */
#ifndef EXTENSION_EFFECTS_H
#define EXTENSION_EFFECTS_H

#include "configuration/configuration.h"
#include "structure/action.h"
#include "structure/cut.h"
#include "structure/effect.h"

extern const struct effect_family unfi_local_family;
extern const struct effect_family unfi_thread_family;
extern const struct effect_family unfi_mutex_family;
extern const struct effect_family unfi_condition_family;
extern const struct effect_family unfi_rwlock_family;
extern const struct effect_family unfi_semaphore_family;
extern const struct effect_family unfi_barrier_family;
extern const struct effect_family unfi_memory_family;
extern const struct effect_family unfi_custom_family;

/* An action that uses only its target. */
unf_status unfi_use_target(unf_unfolding *u, const unf_action *action, enum access access);

bool unfi_relation_holds(int64_t value, uint32_t relation, int64_t other);
/* The value of a location after an operation that writes or adds, beyond its bytes too. */
int64_t unfi_value_after(const unf_operation *operation, int64_t value);
/* The thread that holds a mutex after a cut, or NONE. */
uint32_t unfi_mutex_owner(const unf_unfolding *u, struct cut cut, uint32_t mutex);
/* Whether some thread waits, un-notified, at a condition variable. */
bool unfi_anybody_waits(const unf_unfolding *u, struct cut cut, uint32_t condition);

/* The sites that an operation of a registered family concerns, into u->use_room. */
unf_status unfi_custom_concerns(unf_unfolding *u, const unf_operation *operation);
/* Outcomes of such an operation; backwards: commuting events of the history in the other order. */
unf_status unfi_custom_outcomes(unf_unfolding *u, struct cut cut, bool backwards, uint32_t thread,
                                const unf_operation *operation, outcome_visitor visit, void *user);

/* site_history.c: the events of a cut that use a site beside that of their thread, those above the
 * last write too, ascending; false: refused. */
bool unfi_site_history(unf_unfolding *u, struct cut cut, uint32_t site, handle_vector *out);

/* The entry of a site without some events and their successors; false: refused. */
bool unfi_entry_without(unf_unfolding *u, uint32_t *entry, uint32_t site, const uint32_t *outs,
                        uint32_t count);

/* adds.c: visits the events whose first use is that of an entry's members, and that its layers have
 * above the last write, in layers that add: thread by thread, newest first. */
typedef void (*add_visitor)(void *user, uint32_t event, const struct action *action);
void unfi_adds(const unf_unfolding *u, uint32_t entry, add_visitor visit, void *user);

/* The actions that an operation can have after a cut, without engine-made blocks. */
unf_status unfi_outcomes(unf_unfolding *u, struct cut cut, uint32_t thread, uint32_t operation,
                         outcome_visitor visit, void *user);

/* Conflicting extensions that come of one operation, exactly; see effect_family.conflicting. */
unf_status unfi_conflicting(unf_unfolding *u, struct cut cut, uint32_t thread, uint32_t before,
                            uint32_t event, causes_visitor visit, void *user);

/* exact.c: the same for families that do not compute them on their own. */
unf_status unfi_exact(unf_unfolding *u, struct cut cut, uint32_t thread, uint32_t before,
                      const unf_operation *operation, uint32_t event, causes_visitor visit,
                      void *user);

/* What was tried for a thread that is blocked after `before`: what a location of memory had. */
struct attempt {
  uint32_t thread, before, entry;
};
struct attempts {
  VECTOR(struct attempt) list;
  struct table table;
  handle_vector cut, outs, predecessors, cuts; /* room for the next reversal */
};
void unfi_attempts_forget(unf_context *context, struct attempts *attempts);
void unfi_attempts_free(unf_context *context, struct attempts *attempts);

/* A maximal configuration: its cut, and its events in the order of causes. The first `known` of
 * them were those of a configuration whose races were reversed, too; the first `from` of these are
 * not looked at. */
struct maximal {
  struct cut cut;
  const uint32_t *events;
  uint32_t count, known, from;
};

/* reversal.c: events for U from a maximal configuration that come of operations whose family does
 * not compute conflicting extensions on its own. The attempts are kept from one call to the next.
 */
unf_status unfi_reverse(unf_unfolding *u, const struct maximal *M, struct attempts *attempts,
                        causes_visitor visit, void *user);

/* Told before the reversals of the event at a position of a maximal configuration, and with the
 * number of its events before those of the operations that were not performed. once: they are the
 * same for every configuration that has the event, and are not visited again. False ends it. */
typedef bool (*position_visitor)(void *user, uint32_t position, bool once);

/* The same for all operations: the reversals that wakeup trees need. */
unf_status unfi_reverse_all(unf_unfolding *u, const struct maximal *M, struct attempts *attempts,
                            position_visitor place, causes_visitor visit, void *user);

#endif
