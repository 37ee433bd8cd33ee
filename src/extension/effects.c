/* The table of effects, and unfoldings that use it. */
#include "extension/effects.h"

static const struct effect_table table = {
    .actions =
        {
            [UNF_DID_LOCAL] = {&unfi_local_family, ACCESS_NONE, false, 0},
            [UNF_DID_CREATE] = {&unfi_thread_family, ACCESS_WRITE, true, 0},
            [UNF_DID_JOIN] = {&unfi_thread_family, ACCESS_END, true, 0},
            [UNF_DID_ACQUIRE] = {&unfi_mutex_family, ACCESS_WRITE, false, UNF_MUTEX},
            [UNF_DID_RELEASE] = {&unfi_mutex_family, ACCESS_WRITE, false, UNF_MUTEX},
            [UNF_DID_TRYFAIL] = {&unfi_mutex_family, ACCESS_READ, false, UNF_MUTEX},
        },
    .operations =
        {
            [UNF_EXIT] = {NULL, false, false, 0},
            [UNF_HALT] = {NULL, false, false, 0},
            [UNF_LOCAL] = {&unfi_local_family, false, false, 0},
            [UNF_CREATE] = {&unfi_thread_family, true, false, 0},
            [UNF_JOIN] = {&unfi_thread_family, true, false, 0},
            [UNF_LOCK] = {&unfi_mutex_family, false, true, UNF_MUTEX},
            [UNF_TRYLOCK] = {&unfi_mutex_family, false, true, UNF_MUTEX},
            [UNF_UNLOCK] = {&unfi_mutex_family, false, true, UNF_MUTEX},
        },
};

unf_status unf_unfolding_new(unf_context *context, const unf_unfolding_options *options,
                             unf_unfolding **out) {
  return unfi_unfolding_new(context, options, &table, out);
}

bool unfi_outcomes(unf_unfolding *u, struct cut cut, uint32_t thread, uint32_t operation,
                   outcome_visitor visit, void *user) {
  const unf_operation *o = &u->operations.data[operation];
  const struct effect_family *family = u->effects->operations[o->kind].family;
  return family == NULL || family->outcomes(u, cut, thread, o, visit, user);
}

unf_status unfi_conflicting(unf_unfolding *u, struct cut cut, uint32_t thread, uint32_t before,
                            uint32_t event, causes_visitor visit, void *user) {
  uint32_t next = *unfi_next_slot(u, thread, before);
  if (next == 0) return unfi_missing(u, thread);
  /* Copied: interning on the way may move the table. */
  unf_operation operation = u->operations.data[next];
  const struct effect_family *family = u->effects->operations[operation.kind].family;
  if (family == NULL) return UNF_OK;
  return family->conflicting(u, cut, thread, before, &operation, event, visit, user);
}
