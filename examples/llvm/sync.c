/*
 * Threads and what they wait for: POSIX functions as operations of the library. Each begins with
 * phase 0, where the thread is brought to stand at an operation, and is called again with the next
 * phase when that was performed.
 */
#include <errno.h>
#include <stdlib.h>

#include "machine.h"

/* ---- objects ---- */

bool machine_object(struct machine *m, struct thread *t, unf_object_class kind, uint64_t key,
                    unf_object *object) {
  const uint32_t region = memory_region(key & ((UINT64_C(1) << MACHINE_KEY_BITS) - 1));
  (void)t;
  m->status =
      unf_object_name(m->unfolding, kind, region > 0 ? region - 1 : UNF_THREAD_NONE, key, object);
  return m->status == UNF_OK;
}

struct sync *machine_sync(struct machine *m, struct thread *t, unf_object_class kind,
                          uint64_t address, uint32_t of) {
  (void)t;
  const uint64_t which = (uint64_t)of << 8 | (uint64_t)kind;
  const uint32_t found = index_find(&m->sync_index, address, which);
  if (found != UINT32_MAX) return &m->syncs[found];
  if (m->sync_count == m->sync_room) {
    const size_t room = 2 * m->sync_room + 16;
    struct sync *syncs = realloc(m->syncs, room * sizeof *syncs);
    if (syncs == NULL) {
      machine_stop(m, UNF_MEMORY);
      return NULL;
    }
    m->syncs = syncs;
    m->sync_room = room;
  }
  if (!index_put(&m->sync_index, address, which, (uint32_t)m->sync_count)) {
    machine_stop(m, UNF_MEMORY);
    return NULL;
  }
  struct sync *s = &m->syncs[m->sync_count++];
  *s = (struct sync){.address = address, .kind = kind, .thread = of, .owner = UNF_THREAD_NONE};
  return s;
}

/* The address that an argument is, of so many bytes that can be written. False: the thread stands.
 */
static bool pointer(struct machine *m, struct thread *t, const struct arguments *a, uint32_t index,
                    uint64_t size, uint64_t *address) {
  int64_t number;
  if (index >= a->count) {
    machine_fail(m, t, CLI_MEMORY, "a call of %s with too few arguments",
                 m->code->functions[a->function].name);
    return false;
  }
  if (!machine_resolve(m, t, a->values[index], &number)) return false;
  *address = (uint64_t)number;
  const enum access access = memory_check(&m->memory, *address, size, false);
  if (access != ACCESS_GOOD) machine_bad_access(m, t, access, *address, false);
  return access == ACCESS_GOOD;
}

static bool put(struct machine *m, struct thread *t, uint64_t address, unsigned width,
                int64_t number) {
  return machine_write(m, t, value_number((int64_t)address), width, value_number(number));
}

/* Bytes that a function makes what they are. */
static bool clear(struct machine *m, struct thread *t, uint64_t address, uint64_t size) {
  for (uint64_t i = 0; i < size; i += sizeof(int32_t))
    if (!put(m, t, address + i, 32, 0)) return false;
  return true;
}

static enum flow succeed(struct machine *m, struct thread *t, const struct arguments *a) {
  (void)m;
  return machine_number(t, a, 0);
}

/* ---- mutexes ---- */

/* As glibc has them: the type is in the bytes from 16 on. */
enum { MUTEX_SIZE = 40, MUTEX_TYPE = 16, NORMAL = 0, RECURSIVE = 1, ERRORCHECK = 2 };

struct held {
  struct sync *sync;
  unf_object object;
  uint64_t address;
  int64_t type;
};

static bool find_mutex(struct machine *m, struct thread *t, const struct arguments *a,
                       uint32_t index, struct held *held) {
  struct value type;
  if (!pointer(m, t, a, index, MUTEX_SIZE, &held->address)) return false;
  const enum access access =
      memory_load(&m->memory, &m->knowledge->terms, held->address + MUTEX_TYPE, 32, &type);
  if (access == ACCESS_UNWRITTEN) {
    machine_fail(m, t, CLI_MISUSE, "a mutex that was not initialised");
    return false;
  }
  held->type = type.number;
  held->sync = machine_sync(m, t, UNF_MUTEX, held->address, UNF_THREAD_NONE);
  return held->sync != NULL && machine_object(m, t, UNF_MUTEX, held->address, &held->object);
}

static void take(struct machine *m, struct thread *t, struct sync *sync) {
  sync->owner = t->handle;
  sync->depth = 1;
  sync->place = machine_place(m, t);
}

static enum flow lock(struct machine *m, struct thread *t, const struct arguments *a) {
  struct held held;
  if (!find_mutex(m, t, a, 0, &held)) return FLOW_STANDS;
  if (machine_frame(t)->phase > 0) {
    take(m, t, held.sync);
    return machine_number(t, a, 0);
  }
  if (held.sync->owner == t->handle && held.type == RECURSIVE) {
    held.sync->depth++;
    return machine_number(t, a, 0);
  }
  if (held.sync->owner == t->handle && held.type == ERRORCHECK)
    return machine_number(t, a, EDEADLK);
  return machine_offer(t, 1, UNF_OP_LOCK(held.object));
}

static enum flow lock_if(struct machine *m, struct thread *t, const struct arguments *a,
                         int error) {
  struct held held;
  if (!find_mutex(m, t, a, 0, &held)) return FLOW_STANDS;
  if (machine_frame(t)->phase > 0) {
    if (t->action.kind == UNF_DID_TRYFAIL) return machine_number(t, a, error);
    take(m, t, held.sync);
    return machine_number(t, a, 0);
  }
  if (held.sync->owner == t->handle && held.type == RECURSIVE) {
    held.sync->depth++;
    return machine_number(t, a, 0);
  }
  return machine_offer(t, 1, UNF_OP_TRYLOCK(held.object));
}

static enum flow try_lock(struct machine *m, struct thread *t, const struct arguments *a) {
  return lock_if(m, t, a, EBUSY);
}

static enum flow timed_lock(struct machine *m, struct thread *t, const struct arguments *a) {
  return lock_if(m, t, a, ETIMEDOUT);
}

static enum flow unlock(struct machine *m, struct thread *t, const struct arguments *a) {
  struct held held;
  if (!find_mutex(m, t, a, 0, &held)) return FLOW_STANDS;
  if (machine_frame(t)->phase > 0) return machine_number(t, a, 0);
  if (held.sync->owner != t->handle) {
    if (held.type != NORMAL) return machine_number(t, a, EPERM);
    return machine_fail(m, t, CLI_MISUSE, "unlock of a mutex that the thread does not hold");
  }
  if (--held.sync->depth > 0) return machine_number(t, a, 0);
  held.sync->owner = UNF_THREAD_NONE;
  return machine_offer(t, 1, UNF_OP_UNLOCK(held.object));
}

static enum flow mutex_init(struct machine *m, struct thread *t, const struct arguments *a) {
  uint64_t address, attribute;
  struct value type = value_number(NORMAL);
  if (!pointer(m, t, a, 0, MUTEX_SIZE, &address)) return FLOW_STANDS;
  if (a->count > 1 && a->values[1].number != 0) {
    if (!pointer(m, t, a, 1, sizeof(int32_t), &attribute) ||
        !machine_read(m, t, value_number((int64_t)attribute), 32, &type))
      return FLOW_STANDS;
  }
  if (!clear(m, t, address, MUTEX_SIZE) || !put(m, t, address + MUTEX_TYPE, 32, type.number & 3) ||
      !machine_initialise(m, t, address))
    return FLOW_STANDS;
  return machine_number(t, a, 0);
}

static enum flow mutexattr_init(struct machine *m, struct thread *t, const struct arguments *a) {
  uint64_t address;
  if (!pointer(m, t, a, 0, sizeof(int32_t), &address) || !put(m, t, address, 32, NORMAL))
    return FLOW_STANDS;
  return machine_number(t, a, 0);
}

static enum flow mutexattr_settype(struct machine *m, struct thread *t, const struct arguments *a) {
  uint64_t address;
  int64_t type;
  if (!pointer(m, t, a, 0, sizeof(int32_t), &address) || a->count < 2 ||
      !machine_resolve(m, t, a->values[1], &type) || !put(m, t, address, 32, type))
    return FLOW_STANDS;
  return machine_number(t, a, 0);
}

/* A lock that is around what must not be interrupted. */
enum { GLOBAL_LOCK = 8 };

static enum flow atomic_begin(struct machine *m, struct thread *t, const struct arguments *a) {
  unf_object object;
  struct sync *sync = machine_sync(m, t, UNF_MUTEX, GLOBAL_LOCK, UNF_THREAD_NONE);
  if (sync == NULL || !machine_object(m, t, UNF_MUTEX, GLOBAL_LOCK, &object)) return FLOW_STANDS;
  if (machine_frame(t)->phase > 0) {
    take(m, t, sync);
    return machine_number(t, a, 0);
  }
  if (sync->owner == t->handle) {
    sync->depth++;
    return machine_number(t, a, 0);
  }
  return machine_offer(t, 1, UNF_OP_LOCK(object));
}

static enum flow atomic_end(struct machine *m, struct thread *t, const struct arguments *a) {
  unf_object object;
  struct sync *sync = machine_sync(m, t, UNF_MUTEX, GLOBAL_LOCK, UNF_THREAD_NONE);
  if (sync == NULL || !machine_object(m, t, UNF_MUTEX, GLOBAL_LOCK, &object)) return FLOW_STANDS;
  if (machine_frame(t)->phase > 0) return machine_number(t, a, 0);
  if (sync->owner != t->handle)
    return machine_fail(m, t, CLI_MISUSE, "__VERIFIER_atomic_end without its beginning");
  if (--sync->depth > 0) return machine_number(t, a, 0);
  sync->owner = UNF_THREAD_NONE;
  return machine_offer(t, 1, UNF_OP_UNLOCK(object));
}

/* ---- condition variables ---- */

enum { CONDITION_SIZE = 48 };
enum { BEGINS, WAITS, LOCKS };

static enum flow wait(struct machine *m, struct thread *t, const struct arguments *a, bool timed) {
  uint64_t address;
  unf_object condition;
  struct held held;
  if (!pointer(m, t, a, 0, CONDITION_SIZE, &address) ||
      !machine_object(m, t, UNF_CONDITION, address, &condition) || !find_mutex(m, t, a, 1, &held))
    return FLOW_STANDS;
  switch (machine_frame(t)->phase) {
  case BEGINS:
    if (held.sync->owner != t->handle)
      return machine_fail(m, t, CLI_MISUSE, "a wait without holding the mutex");
    if (held.sync->depth > 1) return machine_refuse(m, t, "a wait with a mutex held twice");
    return machine_offer(t, WAITS, UNF_OP_WAIT(condition, held.object));
  case WAITS:
    if (t->action.kind == UNF_DID_WAIT) {
      held.sync->owner = UNF_THREAD_NONE;
      return machine_offer(t, WAITS,
                           timed ? UNF_OP_TIMED_WAKE(condition, held.object)
                                 : UNF_OP_WAKE(condition, held.object));
    }
    if (t->action.kind == UNF_DID_TIMEOUT) return machine_offer(t, LOCKS, UNF_OP_LOCK(held.object));
    take(m, t, held.sync);
    return machine_number(t, a, 0);
  default:
    take(m, t, held.sync);
    return machine_number(t, a, ETIMEDOUT);
  }
}

static enum flow cond_wait(struct machine *m, struct thread *t, const struct arguments *a) {
  return wait(m, t, a, false);
}

static enum flow cond_timedwait(struct machine *m, struct thread *t, const struct arguments *a) {
  return wait(m, t, a, true);
}

static enum flow notify(struct machine *m, struct thread *t, const struct arguments *a,
                        unf_operation_kind kind) {
  uint64_t address;
  unf_object condition;
  if (machine_frame(t)->phase > 0) return machine_number(t, a, 0);
  if (!pointer(m, t, a, 0, CONDITION_SIZE, &address) ||
      !machine_object(m, t, UNF_CONDITION, address, &condition))
    return FLOW_STANDS;
  return machine_offer(t, 1, unf_operation_make(kind, condition, 0, 0));
}

static enum flow cond_signal(struct machine *m, struct thread *t, const struct arguments *a) {
  return notify(m, t, a, UNF_SIGNAL);
}

static enum flow cond_broadcast(struct machine *m, struct thread *t, const struct arguments *a) {
  return notify(m, t, a, UNF_BROADCAST);
}

static enum flow cond_init(struct machine *m, struct thread *t, const struct arguments *a) {
  uint64_t address;
  if (!pointer(m, t, a, 0, CONDITION_SIZE, &address) || !clear(m, t, address, CONDITION_SIZE) ||
      !machine_initialise(m, t, address))
    return FLOW_STANDS;
  return machine_number(t, a, 0);
}

/* ---- rwlocks and semaphores ---- */

enum { RWLOCK_SIZE = 56, SEMAPHORE_SIZE = 32 };

/* One operation on an object; its result is `failed` where the action is of that kind. */
static enum flow one(struct machine *m, struct thread *t, const struct arguments *a, uint64_t size,
                     unf_object_class class_of, unf_operation_kind kind, unf_action_kind fails,
                     int64_t failed) {
  uint64_t address;
  unf_object object;
  if (machine_frame(t)->phase > 0)
    return machine_number(t, a, t->action.kind == fails ? failed : 0);
  if (!pointer(m, t, a, 0, size, &address) || !machine_object(m, t, class_of, address, &object))
    return FLOW_STANDS;
  return machine_offer(t, 1, unf_operation_make(kind, object, 0, 0));
}

static enum flow rdlock(struct machine *m, struct thread *t, const struct arguments *a) {
  return one(m, t, a, RWLOCK_SIZE, UNF_RWLOCK, UNF_RDLOCK, UNF_DID_RDFAIL, EBUSY);
}

static enum flow tryrdlock(struct machine *m, struct thread *t, const struct arguments *a) {
  return one(m, t, a, RWLOCK_SIZE, UNF_RWLOCK, UNF_TRYRDLOCK, UNF_DID_RDFAIL, EBUSY);
}

static enum flow wrlock(struct machine *m, struct thread *t, const struct arguments *a) {
  return one(m, t, a, RWLOCK_SIZE, UNF_RWLOCK, UNF_WRLOCK, UNF_DID_WRFAIL, EBUSY);
}

static enum flow trywrlock(struct machine *m, struct thread *t, const struct arguments *a) {
  return one(m, t, a, RWLOCK_SIZE, UNF_RWLOCK, UNF_TRYWRLOCK, UNF_DID_WRFAIL, EBUSY);
}

static enum flow rwunlock(struct machine *m, struct thread *t, const struct arguments *a) {
  return one(m, t, a, RWLOCK_SIZE, UNF_RWLOCK, UNF_RWUNLOCK, UNF_DID_RDFAIL, EPERM);
}

static enum flow rwlock_init(struct machine *m, struct thread *t, const struct arguments *a) {
  uint64_t address;
  if (!pointer(m, t, a, 0, RWLOCK_SIZE, &address) || !clear(m, t, address, RWLOCK_SIZE) ||
      !machine_initialise(m, t, address))
    return FLOW_STANDS;
  return machine_number(t, a, 0);
}

static enum flow sem_init(struct machine *m, struct thread *t, const struct arguments *a) {
  uint64_t address;
  int64_t value;
  unf_object object;
  if (!pointer(m, t, a, 0, SEMAPHORE_SIZE, &address) || a->count < 3 ||
      !machine_resolve(m, t, a->values[2], &value) || !clear(m, t, address, SEMAPHORE_SIZE) ||
      !machine_initialise(m, t, address) || !machine_object(m, t, UNF_SEMAPHORE, address, &object))
    return FLOW_STANDS;
  m->status = unf_object_set_initial(m->unfolding, object, value);
  if (m->status == UNF_STATE || m->status == UNF_INVALID) {
    m->status = UNF_OK;
    return machine_refuse(m, t, "a semaphore that begins with different values");
  }
  return m->status == UNF_OK ? machine_number(t, a, 0) : FLOW_STANDS;
}

static enum flow sem_post(struct machine *m, struct thread *t, const struct arguments *a) {
  return one(m, t, a, SEMAPHORE_SIZE, UNF_SEMAPHORE, UNF_POST, UNF_DID_SEM_FAIL, -1);
}

static enum flow sem_wait(struct machine *m, struct thread *t, const struct arguments *a) {
  return one(m, t, a, SEMAPHORE_SIZE, UNF_SEMAPHORE, UNF_SEM_WAIT, UNF_DID_SEM_FAIL, -1);
}

/* Also with a time limit, which is over where it would wait. */
static enum flow sem_trywait(struct machine *m, struct thread *t, const struct arguments *a) {
  return one(m, t, a, SEMAPHORE_SIZE, UNF_SEMAPHORE, UNF_SEM_TRYWAIT, UNF_DID_SEM_FAIL, -1);
}

/* ---- threads ---- */

struct thread *machine_thread_of(struct machine *m, int64_t number) {
  const bool is = number > 0 && number <= (int64_t)m->thread_count;
  return is && m->threads[number - 1] != NULL && m->threads[number - 1]->standing != STANDS_NOWHERE
             ? m->threads[number - 1]
             : NULL;
}

static enum flow create_begins(struct machine *m, struct thread *t) {
  unf_thread child;
  m->status = unf_thread_name(m->unfolding, t->handle, t->children, &child);
  if (m->status != UNF_OK || machine_thread(m, child) == NULL) return FLOW_STANDS;
  t->children++;
  machine_frame(t)->kept = child;
  return machine_offer(t, 1, UNF_OP_CREATE(child));
}

static enum flow create(struct machine *m, struct thread *t, const struct arguments *a) {
  int64_t begin;
  uint64_t handle;
  if (a->count < 4 || !pointer(m, t, a, 0, sizeof(int64_t), &handle) ||
      !machine_resolve(m, t, a->values[2], &begin))
    return FLOW_STANDS;
  const uint32_t function = machine_function_at(m, (uint64_t)begin);
  if (function == UINT32_MAX || !m->code->functions[function].defined ||
      m->code->functions[function].parameters > 1)
    return machine_fail(m, t, CLI_MEMORY, "pthread_create of an address that is no such function");
  if (machine_frame(t)->phase == 0) return create_begins(m, t);
  struct thread *child = m->threads[machine_frame(t)->kept];
  m->started++;
  child->standing = STANDS_RUNNING;
  child->cause = t->cause;
  if (!machine_call(m, child, function, a->values + 3, m->code->functions[function].parameters, 0,
                    0))
    return machine_stop(m, UNF_MEMORY);
  if (!put(m, t, handle, 64, (int64_t)child->handle + 1)) return FLOW_STANDS;
  return machine_number(t, a, 0);
}

static enum flow join(struct machine *m, struct thread *t, const struct arguments *a) {
  int64_t number, to;
  if (a->count < 2 || !machine_resolve(m, t, a->values[0], &number) ||
      !machine_resolve(m, t, a->values[1], &to))
    return FLOW_STANDS;
  struct thread *other = machine_thread_of(m, number);
  if (other == NULL) return machine_fail(m, t, CLI_MISUSE, "a join of what is no thread");
  if (machine_frame(t)->phase == 0) {
    if (other->detached || other->joined)
      return machine_fail(m, t, CLI_MISUSE, "a join of a thread that was %s before",
                          other->joined ? "joined" : "detached");
    return machine_offer(t, 1, UNF_OP_JOIN(other->handle));
  }
  other->joined = true;
  if (to != 0 && !machine_write(m, t, value_number(to), 64, other->result)) return FLOW_STANDS;
  return machine_number(t, a, 0);
}

static enum flow detach(struct machine *m, struct thread *t, const struct arguments *a) {
  int64_t number;
  if (a->count < 1 || !machine_resolve(m, t, a->values[0], &number)) return FLOW_STANDS;
  struct thread *other = machine_thread_of(m, number);
  if (other == NULL) return machine_fail(m, t, CLI_MISUSE, "a detach of what is no thread");
  other->detached = true;
  return machine_number(t, a, 0);
}

static enum flow self(struct machine *m, struct thread *t, const struct arguments *a) {
  (void)m;
  return machine_number(t, a, (int64_t)t->handle + 1);
}

static enum flow equal(struct machine *m, struct thread *t, const struct arguments *a) {
  if (a->count < 2) return FLOW_STANDS;
  return machine_result(
      t, a, arith_compare(&m->knowledge->terms, COMPARE_EQUAL, 64, a->values[0], a->values[1]));
}

static enum flow end_thread(struct machine *m, struct thread *t, const struct arguments *a) {
  (void)m;
  if (a->count > 0) t->result = a->values[0];
  t->standing = STANDS_AT_END;
  t->operation = UNF_OP_EXIT();
  return FLOW_STANDS;
}

const struct builtin_entry builtins_sync[] = {
    {"pthread_mutex_init", mutex_init},
    {"pthread_mutex_destroy", succeed},
    {"pthread_mutex_lock", lock},
    {"pthread_mutex_trylock", try_lock},
    {"pthread_mutex_timedlock", timed_lock},
    {"pthread_mutex_unlock", unlock},
    {"pthread_mutexattr_init", mutexattr_init},
    {"pthread_mutexattr_destroy", succeed},
    {"pthread_mutexattr_settype", mutexattr_settype},
    {"pthread_cond_init", cond_init},
    {"pthread_cond_destroy", succeed},
    {"pthread_cond_wait", cond_wait},
    {"pthread_cond_timedwait", cond_timedwait},
    {"pthread_cond_signal", cond_signal},
    {"pthread_cond_broadcast", cond_broadcast},
    {"pthread_rwlock_init", rwlock_init},
    {"pthread_rwlock_destroy", succeed},
    {"pthread_rwlock_rdlock", rdlock},
    {"pthread_rwlock_tryrdlock", tryrdlock},
    {"pthread_rwlock_wrlock", wrlock},
    {"pthread_rwlock_trywrlock", trywrlock},
    {"pthread_rwlock_unlock", rwunlock},
    {"sem_init", sem_init},
    {"sem_destroy", succeed},
    {"sem_post", sem_post},
    {"sem_wait", sem_wait},
    {"sem_trywait", sem_trywait},
    {"sem_timedwait", sem_trywait},
    {"pthread_create", create},
    {"pthread_join", join},
    {"pthread_detach", detach},
    {"pthread_self", self},
    {"pthread_equal", equal},
    {"pthread_exit", end_thread},
    {"pthread_attr_init", succeed},
    {"pthread_attr_destroy", succeed},
    {"sched_yield", succeed},
    {"pthread_yield", succeed},
    {"__VERIFIER_atomic_begin", atomic_begin},
    {"__VERIFIER_atomic_end", atomic_end},
    {NULL, NULL},
};
