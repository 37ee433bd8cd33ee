/* The list of effect families, and unfoldings that have them. */
#include "base/null.h"
#include "extension/effects.h"
#include "structure/action.h"
#include "structure/cut.h"
#include "structure/effect.h"
#include "structure/event.h"
#include "structure/names.h"

static const struct effect_family *const families[] = {
    &unfi_local_family,     &unfi_thread_family, &unfi_mutex_family,
    &unfi_condition_family, &unfi_rwlock_family, &unfi_semaphore_family,
    &unfi_barrier_family,   &unfi_memory_family, &unfi_custom_family,
};

unf_status unfi_use_target(unf_unfolding *u, const unf_action *action, enum access access) {
  struct use use = {u->objects.data[action->target].site, access};
  if (!vector_reserve(u->context, &u->use_room, 1)) return unfi_refused(u->context);
  vector_push(&u->use_room, use);
  return UNF_OK;
}

unf_status unf_unfolding_new(unf_context *context, const unf_unfolding_options *options,
                             unf_unfolding **out) {
  RETURN_IF_NULL(context, context, out);
  return unfi_unfolding_new(context, options, families, sizeof families / sizeof *families, out);
}

unf_status unfi_outcomes(unf_unfolding *u, struct cut cut, uint32_t thread, uint32_t operation,
                         outcome_visitor visit, void *user) {
  const unf_operation *o = &u->operations.data[operation];
  const struct effect_family *family = u->effects->operations[o->kind].family;
  return family->outcomes(u, cut, thread, o, visit, user);
}

unf_status unfi_conflicting(unf_unfolding *u, struct cut cut, uint32_t thread, uint32_t before,
                            uint32_t event, causes_visitor visit, void *user) {
  uint32_t next = *unfi_next_slot(u, thread, before);
  if (next == 0) return unfi_missing(u, thread);
  /* Copied: interning on the way may move the table. */
  unf_operation operation = u->operations.data[next];
  const struct effect_family *family = u->effects->operations[operation.kind].family;
  if (family->conflicting == NULL)
    return unfi_exact(u, cut, thread, before, &operation, event, visit, user);
  return family->conflicting(u, cut, thread, before, &operation, event, visit, user);
}
