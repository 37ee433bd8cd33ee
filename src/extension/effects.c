/* The table of effects, and unfoldings that use it. */
#include "extension/effects.h"

#define ON_OBJECT(family, access, object_class)                                                    \
  { &unfi_##family##_family, access, TARGET_OBJECT, object_class, SECOND_NONE, NULL }
#define WIDE(family, object_class, second)                                                         \
  {                                                                                                \
    &unfi_##family##_family, ACCESS_NONE, TARGET_OBJECT, object_class, second,                     \
        unfi_##family##_uses                                                                       \
  }
#define OPERATES(family, object_class, second)                                                     \
  { &unfi_##family##_family, TARGET_OBJECT, object_class, second }

static const struct effect_table table = {
    .actions =
        {
            [UNF_DID_LOCAL] = {&unfi_local_family, ACCESS_NONE, TARGET_NONE, 0, SECOND_NONE, NULL},
            [UNF_DID_CREATE] = {&unfi_thread_family, ACCESS_WRITE, TARGET_THREAD, 0, SECOND_NONE,
                                NULL},
            [UNF_DID_JOIN] = {&unfi_thread_family, ACCESS_END, TARGET_THREAD, 0, SECOND_NONE, NULL},
            [UNF_DID_ACQUIRE] = ON_OBJECT(mutex, ACCESS_WRITE, UNF_MUTEX),
            [UNF_DID_RELEASE] = ON_OBJECT(mutex, ACCESS_WRITE, UNF_MUTEX),
            [UNF_DID_TRYFAIL] = ON_OBJECT(mutex, ACCESS_READ, UNF_MUTEX),
            [UNF_DID_WAIT] = WIDE(condition, UNF_CONDITION, SECOND_MUTEX),
            [UNF_DID_WAKE] = WIDE(condition, UNF_CONDITION, SECOND_MUTEX),
            [UNF_DID_TIMEOUT] = WIDE(condition, UNF_CONDITION, SECOND_NONE),
            [UNF_DID_SIGNAL] = WIDE(condition, UNF_CONDITION, SECOND_NONE),
            [UNF_DID_BROADCAST] = WIDE(condition, UNF_CONDITION, SECOND_NONE),
            [UNF_DID_RDLOCK] = WIDE(rwlock, UNF_RWLOCK, SECOND_NONE),
            [UNF_DID_RDUNLOCK] = WIDE(rwlock, UNF_RWLOCK, SECOND_NONE),
            [UNF_DID_RDFAIL] = WIDE(rwlock, UNF_RWLOCK, SECOND_NONE),
            [UNF_DID_WRLOCK] = WIDE(rwlock, UNF_RWLOCK, SECOND_NONE),
            [UNF_DID_WRUNLOCK] = WIDE(rwlock, UNF_RWLOCK, SECOND_NONE),
            [UNF_DID_WRFAIL] = WIDE(rwlock, UNF_RWLOCK, SECOND_NONE),
            [UNF_DID_POST] = WIDE(semaphore, UNF_SEMAPHORE, SECOND_NONE),
            [UNF_DID_SEM_WAIT] = WIDE(semaphore, UNF_SEMAPHORE, SECOND_NONE),
            [UNF_DID_SEM_FAIL] = WIDE(semaphore, UNF_SEMAPHORE, SECOND_NONE),
            [UNF_DID_ARRIVE] = WIDE(barrier, UNF_BARRIER, SECOND_NONE),
            [UNF_DID_PASS] = WIDE(barrier, UNF_BARRIER, SECOND_NONE),
            [UNF_DID_READ] = WIDE(memory, UNF_LOCATION, SECOND_NONE),
            [UNF_DID_WRITE] = WIDE(memory, UNF_LOCATION, SECOND_NONE),
            [UNF_DID_ADD] = WIDE(memory, UNF_LOCATION, SECOND_NONE),
            [UNF_DID_CUSTOM] = WIDE(custom, UNF_CUSTOM, SECOND_FAMILY),
        },
    .operations =
        {
            [UNF_EXIT] = {NULL, TARGET_NONE, 0, SECOND_NONE},
            [UNF_HALT] = {NULL, TARGET_NONE, 0, SECOND_NONE},
            [UNF_LOCAL] = {&unfi_local_family, TARGET_NONE, 0, SECOND_NONE},
            [UNF_CREATE] = {&unfi_thread_family, TARGET_THREAD, 0, SECOND_NONE},
            [UNF_JOIN] = {&unfi_thread_family, TARGET_THREAD, 0, SECOND_NONE},
            [UNF_LOCK] = OPERATES(mutex, UNF_MUTEX, SECOND_NONE),
            [UNF_TRYLOCK] = OPERATES(mutex, UNF_MUTEX, SECOND_NONE),
            [UNF_UNLOCK] = OPERATES(mutex, UNF_MUTEX, SECOND_NONE),
            [UNF_WAIT] = OPERATES(condition, UNF_CONDITION, SECOND_MUTEX),
            [UNF_WAKE] = OPERATES(condition, UNF_CONDITION, SECOND_MUTEX),
            [UNF_TIMED_WAKE] = OPERATES(condition, UNF_CONDITION, SECOND_MUTEX),
            [UNF_SIGNAL] = OPERATES(condition, UNF_CONDITION, SECOND_NONE),
            [UNF_BROADCAST] = OPERATES(condition, UNF_CONDITION, SECOND_NONE),
            [UNF_RDLOCK] = OPERATES(rwlock, UNF_RWLOCK, SECOND_NONE),
            [UNF_TRYRDLOCK] = OPERATES(rwlock, UNF_RWLOCK, SECOND_NONE),
            [UNF_WRLOCK] = OPERATES(rwlock, UNF_RWLOCK, SECOND_NONE),
            [UNF_TRYWRLOCK] = OPERATES(rwlock, UNF_RWLOCK, SECOND_NONE),
            [UNF_RWUNLOCK] = OPERATES(rwlock, UNF_RWLOCK, SECOND_NONE),
            [UNF_POST] = OPERATES(semaphore, UNF_SEMAPHORE, SECOND_NONE),
            [UNF_SEM_WAIT] = OPERATES(semaphore, UNF_SEMAPHORE, SECOND_NONE),
            [UNF_SEM_TRYWAIT] = OPERATES(semaphore, UNF_SEMAPHORE, SECOND_NONE),
            [UNF_ARRIVE] = OPERATES(barrier, UNF_BARRIER, SECOND_NONE),
            [UNF_PASS] = OPERATES(barrier, UNF_BARRIER, SECOND_NONE),
            [UNF_LOAD] = OPERATES(memory, UNF_LOCATION, SECOND_NONE),
            [UNF_STORE] = OPERATES(memory, UNF_LOCATION, SECOND_NONE),
            [UNF_EXCHANGE] = OPERATES(memory, UNF_LOCATION, SECOND_NONE),
            [UNF_FETCH_ADD] = OPERATES(memory, UNF_LOCATION, SECOND_NONE),
            [UNF_FETCH_AND] = OPERATES(memory, UNF_LOCATION, SECOND_NONE),
            [UNF_FETCH_OR] = OPERATES(memory, UNF_LOCATION, SECOND_NONE),
            [UNF_FETCH_XOR] = OPERATES(memory, UNF_LOCATION, SECOND_NONE),
            [UNF_FETCH_NAND] = OPERATES(memory, UNF_LOCATION, SECOND_NONE),
            [UNF_ADD] = OPERATES(memory, UNF_LOCATION, SECOND_NONE),
            [UNF_CAS] = OPERATES(memory, UNF_LOCATION, SECOND_NONE),
            [UNF_AWAIT] = OPERATES(memory, UNF_LOCATION, SECOND_RELATION),
            [UNF_EXCHANGE_AWAIT] = OPERATES(memory, UNF_LOCATION, SECOND_RELATION),
            [UNF_OPERATE] = OPERATES(custom, UNF_CUSTOM, SECOND_FAMILY),
        },
};

unf_status unfi_use_target(unf_unfolding *u, const unf_action *action, enum access access) {
  struct use use = {u->objects.data[action->target].site, access};
  if (!vector_reserve(u->context, &u->scratch_uses, 1)) return unfi_refused(u->context);
  vector_push(&u->scratch_uses, use);
  return UNF_OK;
}

unf_status unf_unfolding_new(unf_context *context, const unf_unfolding_options *options,
                             unf_unfolding **out) {
  return unfi_unfolding_new(context, options, &table, out);
}

unf_status unfi_outcomes(unf_unfolding *u, struct cut cut, uint32_t thread, uint32_t operation,
                         outcome_visitor visit, void *user) {
  const unf_operation *o = &u->operations.data[operation];
  const struct effect_family *family = u->effects->operations[o->kind].family;
  return family == NULL ? UNF_OK : family->outcomes(u, cut, thread, o, visit, user);
}

unf_status unfi_conflicting(unf_unfolding *u, struct cut cut, uint32_t thread, uint32_t before,
                            uint32_t event, causes_visitor visit, void *user) {
  uint32_t next = *unfi_next_slot(u, thread, before);
  if (next == 0) return unfi_missing(u, thread);
  /* Copied: interning on the way may move the table. */
  unf_operation operation = u->operations.data[next];
  const struct effect_family *family = u->effects->operations[operation.kind].family;
  if (family == NULL) return UNF_OK;
  if (family->conflicting == NULL)
    return unfi_exact(u, cut, thread, before, &operation, event, visit, user);
  return family->conflicting(u, cut, thread, before, &operation, event, visit, user);
}
