/*
 * Mutexes and condition variables: POSIX functions as operations of the library. Each begins with
 * phase 0, where the thread is brought to stand at an operation, and is called again with the next
 * phase when that was performed. (units.c has rwlocks, semaphores and barriers, ends.c threads.)
 */
#include "sync.h"

#include <errno.h>
#include <stdlib.h>

#include "access.h"
#include "arith.h"
#include "array.h"
#include "builtin.h"
#include "decide.h"
#include "environment.h"
#include "heap.h"
#include "index.h"
#include "initialised.h"
#include "machine.h"
#include "memory.h"
#include "moment.h"

/* ---- objects ---- */

enum { SYNCS_BITS = 4 };
const struct array_kind syncs_kind = {.size = sizeof(struct sync), .bits = SYNCS_BITS};

bool machine_object(struct machine *m, struct thread *t, unf_object_class kind, uint64_t address,
                    unsigned number, unf_object *object) {
  const uint32_t region = memory_region(address);
  const uint64_t key = address | (uint64_t)number << MACHINE_KEY_BITS;
  if (address >> MACHINE_KEY_BITS != 0) {
    machine_refuse(m, t, "synchronisation in memory of a thread beyond the first 4,095");
    return false;
  }
  if (!heap_name(m, address)) return false;
  m->status =
      unf_object_name(m->unfolding, kind, region > 0 ? region - 1 : UNF_THREAD_NONE, key, object);
  return m->status == UNF_OK;
}

struct sync *machine_sync(struct machine *m, struct thread *t, unf_object_class kind,
                          uint64_t address, uint32_t of) {
  (void)t;
  const uint64_t which = (uint64_t)of << 8 | (uint64_t)kind;
  struct moment *now = &m->now;
  uint32_t number = index_find(&m->sync_index, address, which);
  if (number == UINT32_MAX) {
    number = (uint32_t)m->sync_index.count;
    if (!index_put(&m->sync_index, address, which, number)) {
      machine_stop(m, UNF_MEMORY);
      return NULL;
    }
  }
  struct sync *s = array_reach(&m->pool, &syncs_kind, &now->syncs, number)
                       ? array_write(&m->pool, &syncs_kind, &now->syncs, number)
                       : NULL;
  if (s == NULL)
    machine_stop(m, UNF_MEMORY);
  else if (!s->used)
    *s = (struct sync){
        .address = address, .kind = kind, .thread = of, .owner = UNF_THREAD_NONE, .used = true};
  return s;
}

bool sync_has(struct machine *m, struct thread *t, const struct arguments *a, uint32_t count) {
  if (count <= a->count) return true;
  machine_fail(m, t, CLI_MEMORY, "a call of %s with too few arguments",
               m->code->functions[a->function].name);
  return false;
}

bool sync_number(struct machine *m, struct thread *t, const struct arguments *a, uint32_t index,
                 int64_t *number) {
  return sync_has(m, t, a, index + 1) && machine_resolve(m, t, a->values[index], number);
}

bool sync_pointer(struct machine *m, struct thread *t, const struct arguments *a, uint32_t index,
                  uint64_t size, uint64_t *address) {
  int64_t number;
  if (!sync_number(m, t, a, index, &number)) return false;
  *address = (uint64_t)number;
  const enum access access = memory_check(&m->memory, *address, size, false);
  if (access != ACCESS_GOOD) machine_bad_access(m, t, access, *address, false);
  return access == ACCESS_GOOD;
}

bool sync_put(struct machine *m, struct thread *t, uint64_t address, unsigned width,
              int64_t number) {
  return machine_write(m, t, value_number((int64_t)address), width, value_number(number));
}

bool sync_clear(struct machine *m, struct thread *t, uint64_t address, uint64_t size) {
  for (uint64_t i = 0; i < size; i += sizeof(int32_t))
    if (!sync_put(m, t, address + i, 32, 0)) return false;
  return true;
}

enum flow sync_succeed(struct machine *m, struct thread *t, const struct arguments *a) {
  (void)m;
  return machine_number(t, a, 0);
}

enum { DESTROYED = -1 };

void sync_mark_destroyed(struct machine *m, uint64_t mark) {
  if (memory_store(&m->memory, mark, 32, value_number(DESTROYED)) == ACCESS_REFUSED)
    machine_stop(m, UNF_MEMORY);
}

bool sync_alive(struct machine *m, struct thread *t, uint64_t mark, const char *what) {
  struct value value;
  const enum access access = memory_load(&m->memory, &m->knowledge->terms, mark, 32, &value);
  if (access == ACCESS_FREED) {
    machine_bad_access(m, t, access, mark, false);
    return false;
  }
  if (access != ACCESS_GOOD || value.number != DESTROYED) return true;
  machine_fail(m, t, CLI_MISUSE, "a %s is used after it was destroyed", what);
  return false;
}

/* ---- mutexes ---- */

/* As glibc has them: the type is in the bytes from 16 on, with a bit for robust ones. */
enum { MUTEX_SIZE = 40, MUTEX_TYPE = 16, NORMAL = 0, RECURSIVE = 1, ERRORCHECK = 2, TYPES = 3 };
enum { ROBUST = 16, CEILING = 64 };

struct held {
  struct sync *sync;
  unf_object object;
  uint64_t address;
  int64_t type;
  bool robust;
};

static bool find_mutex(struct machine *m, struct thread *t, const struct arguments *a,
                       uint32_t index, struct held *held) {
  struct value type;
  if (!sync_pointer(m, t, a, index, MUTEX_SIZE, &held->address)) return false;
  const enum access access =
      memory_load(&m->memory, &m->knowledge->terms, held->address + MUTEX_TYPE, 32, &type);
  if (access == ACCESS_UNWRITTEN) {
    machine_fail(m, t, CLI_MISUSE, "a mutex that was not initialised");
    return false;
  }
  if (type.number != DESTROYED && (type.number & CEILING) != 0) {
    machine_refuse(m, t, "a mutex with a priority ceiling");
    return false;
  }
  held->type = type.number == DESTROYED ? NORMAL : type.number & TYPES;
  held->robust = type.number != DESTROYED && (type.number & ROBUST) != 0;
  held->sync = machine_sync(m, t, UNF_MUTEX, held->address, UNF_THREAD_NONE);
  return held->sync != NULL && machine_object(m, t, UNF_MUTEX, held->address, 0, &held->object);
}

void sync_take(struct machine *m, struct thread *t, struct sync *sync) {
  sync->owner = t->handle;
  sync->depth = 1;
  sync->place = machine_place(m, t);
}

enum { FREED_AGAIN = 9 }; /* a phase: one that nobody can repair was released */

/* The thread has it now. A robust mutex says that its last owner ended; one that was released and
 * not repaired then is lost, and released at once. */
static enum flow taken(struct machine *m, struct thread *t, const struct arguments *a,
                       const struct held *held) {
  if (!sync_alive(m, t, held->address + MUTEX_TYPE, "mutex")) return FLOW_STANDS;
  sync_take(m, t, held->sync);
  held->sync->robust = held->robust;
  if (!held->robust || !held->sync->orphaned) return machine_number(t, a, 0);
  if (!held->sync->lost) return machine_number(t, a, EOWNERDEAD);
  held->sync->owner = UNF_THREAD_NONE;
  return machine_offer(t, FREED_AGAIN, UNF_OP_UNLOCK(held->object));
}

static enum flow lock(struct machine *m, struct thread *t, const struct arguments *a) {
  struct held held;
  if (!find_mutex(m, t, a, 0, &held)) return FLOW_STANDS;
  if (machine_frame(t)->phase == FREED_AGAIN) return machine_number(t, a, ENOTRECOVERABLE);
  if (machine_frame(t)->phase > 0) return taken(m, t, a, &held);
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
  if (machine_frame(t)->phase == FREED_AGAIN) return machine_number(t, a, ENOTRECOVERABLE);
  if (machine_frame(t)->phase > 0) {
    if (t->action.kind == UNF_DID_TRYFAIL) return machine_number(t, a, error);
    return taken(m, t, a, &held);
  }
  if (held.sync->owner == t->handle && held.type == ERRORCHECK && error == ETIMEDOUT)
    return machine_number(t, a, EDEADLK);
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
  held.sync->lost = held.sync->orphaned;
  return machine_offer(t, 1, UNF_OP_UNLOCK(held.object));
}

/* Whether it is held depends on the order of events, so destroying is one. */
enum flow sync_destroy(struct machine *m, struct thread *t, const struct arguments *a,
                       struct destroyed lock) {
  switch (machine_frame(t)->phase) {
  case 0:
    return machine_offer(t, 1, unf_operation_make(lock.take, lock.object, 0, 0));
  case 1:
    if (t->action.kind == lock.refused) return machine_fail(m, t, CLI_MISUSE, lock.held);
    if (!sync_alive(m, t, lock.mark, lock.name)) return FLOW_STANDS;
    return machine_offer(t, 2, unf_operation_make(lock.release, lock.object, 0, 0));
  default:
    sync_mark_destroyed(m, lock.mark);
    return machine_number(t, a, 0);
  }
}

static enum flow mutex_destroy(struct machine *m, struct thread *t, const struct arguments *a) {
  struct held held;
  if (!find_mutex(m, t, a, 0, &held)) return FLOW_STANDS;
  if (machine_frame(t)->phase == 2) held.sync->orphaned = held.sync->lost = false;
  return sync_destroy(m, t, a,
                      (struct destroyed){.object = held.object,
                                         .mark = held.address + MUTEX_TYPE,
                                         .take = UNF_TRYLOCK,
                                         .release = UNF_UNLOCK,
                                         .refused = UNF_DID_TRYFAIL,
                                         .name = "mutex",
                                         .held = "a mutex is destroyed while it is held"});
}

/* A robust mutex whose last owner ended is in order again. */
static enum flow mutex_consistent(struct machine *m, struct thread *t, const struct arguments *a) {
  struct held held;
  if (!find_mutex(m, t, a, 0, &held)) return FLOW_STANDS;
  if (!held.robust || held.sync->owner != t->handle || !held.sync->orphaned)
    return machine_number(t, a, EINVAL);
  held.sync->orphaned = false;
  return machine_number(t, a, 0);
}

static enum flow mutex_init(struct machine *m, struct thread *t, const struct arguments *a) {
  uint64_t address, attribute;
  struct value type = value_number(NORMAL);
  if (!sync_pointer(m, t, a, 0, MUTEX_SIZE, &address)) return FLOW_STANDS;
  if (a->count > 1 && a->values[1].number != 0) {
    if (!sync_pointer(m, t, a, 1, sizeof(int32_t), &attribute) ||
        !machine_read(m, t, value_number((int64_t)attribute), 32, &type))
      return FLOW_STANDS;
  }
  if (!sync_clear(m, t, address, MUTEX_SIZE) ||
      !sync_put(m, t, address + MUTEX_TYPE, 32, type.number & (TYPES | ROBUST | CEILING)) ||
      !machine_initialise(m, t, address))
    return FLOW_STANDS;
  return machine_number(t, a, 0);
}

static enum flow mutexattr_init(struct machine *m, struct thread *t, const struct arguments *a) {
  uint64_t address;
  if (!sync_pointer(m, t, a, 0, sizeof(int32_t), &address) || !sync_put(m, t, address, 32, NORMAL))
    return FLOW_STANDS;
  return machine_number(t, a, 0);
}

/* Changes some bits of attributes. */
static bool set_bits(struct machine *m, struct thread *t, uint64_t address, int64_t mask,
                     int64_t bits) {
  struct value all;
  return machine_read(m, t, value_number((int64_t)address), 32, &all) &&
         sync_put(m, t, address, 32, (all.number & ~mask) | bits);
}

static enum flow mutexattr_settype(struct machine *m, struct thread *t, const struct arguments *a) {
  uint64_t address;
  int64_t type;
  if (!sync_pointer(m, t, a, 0, sizeof(int32_t), &address) || !sync_has(m, t, a, 2) ||
      !machine_resolve(m, t, a->values[1], &type) || !set_bits(m, t, address, TYPES, type & TYPES))
    return FLOW_STANDS;
  return machine_number(t, a, 0);
}

static enum flow mutexattr_setrobust(struct machine *m, struct thread *t,
                                     const struct arguments *a) {
  uint64_t address;
  int64_t robust;
  if (!sync_pointer(m, t, a, 0, sizeof(int32_t), &address) || !sync_number(m, t, a, 1, &robust) ||
      !set_bits(m, t, address, ROBUST, robust != 0 ? ROBUST : 0))
    return FLOW_STANDS;
  return machine_number(t, a, 0);
}

static enum flow mutexattr_setprotocol(struct machine *m, struct thread *t,
                                       const struct arguments *a) {
  enum { PROTECT = 2 };
  uint64_t address;
  int64_t protocol;
  if (!sync_pointer(m, t, a, 0, sizeof(int32_t), &address) || !sync_number(m, t, a, 1, &protocol) ||
      !set_bits(m, t, address, CEILING, protocol == PROTECT ? CEILING : 0))
    return FLOW_STANDS;
  return machine_number(t, a, 0);
}

/* ---- condition variables ---- */

enum { CONDITION_SIZE = 48, CONDITION_MARK = 40 };
enum { BEGINS, WAITS, LOCKS };
/* What a wait may end with, beside being woken. */
enum { NOTHING, TIME_LIMIT, SPURIOUS };

static uint64_t may_wake(const struct machine *m, const struct thread *t) {
  return t->spurious < m->max_spurious ? SPURIOUS : NOTHING;
}

static enum flow wait(struct machine *m, struct thread *t, const struct arguments *a, bool timed) {
  uint64_t address;
  unf_object condition;
  struct held held;
  if (!sync_pointer(m, t, a, 0, CONDITION_SIZE, &address) ||
      !machine_object(m, t, UNF_CONDITION, address, 0, &condition) ||
      !find_mutex(m, t, a, 1, &held))
    return FLOW_STANDS;
  struct frame *frame = machine_frame(t);
  switch (frame->phase) {
  case BEGINS:
    if (held.sync->owner != t->handle && held.type != NORMAL) return machine_number(t, a, EPERM);
    if (held.sync->owner != t->handle)
      return machine_fail(m, t, CLI_MISUSE, "a wait without holding the mutex");
    if (held.sync->depth > 1) return machine_refuse(m, t, "a wait with a mutex held twice");
    frame->kept = !timed ? may_wake(m, t) : machine_times_out(m, t) ? TIME_LIMIT : NOTHING;
    t->outside = timed && frame->kept == NOTHING;
    return machine_offer(t, WAITS, UNF_OP_WAIT(condition, held.object));
  case WAITS:
    if (t->action.kind == UNF_DID_WAIT) {
      held.sync->owner = UNF_THREAD_NONE;
      if (!sync_alive(m, t, address + CONDITION_MARK, "condition variable")) return FLOW_STANDS;
      return machine_offer(t, WAITS,
                           frame->kept != NOTHING ? UNF_OP_TIMED_WAKE(condition, held.object)
                                                  : UNF_OP_WAKE(condition, held.object));
    }
    t->outside = false;
    if (t->action.kind == UNF_DID_TIMEOUT) {
      t->timeouts += frame->kept == TIME_LIMIT;
      t->spurious += frame->kept == SPURIOUS;
      return machine_offer(t, LOCKS, UNF_OP_LOCK(held.object));
    }
    return taken(m, t, a, &held);
  default:
    if (!sync_alive(m, t, held.address + MUTEX_TYPE, "mutex")) return FLOW_STANDS;
    sync_take(m, t, held.sync);
    return machine_number(t, a, frame->kept == SPURIOUS ? 0 : ETIMEDOUT);
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
  if (!sync_pointer(m, t, a, 0, CONDITION_SIZE, &address) ||
      !machine_object(m, t, UNF_CONDITION, address, 0, &condition))
    return FLOW_STANDS;
  if (machine_frame(t)->phase == 0)
    return machine_offer(t, 1, unf_operation_make(kind, condition, 0, 0));
  if (!sync_alive(m, t, address + CONDITION_MARK, "condition variable")) return FLOW_STANDS;
  return machine_number(t, a, 0);
}

/* Who waits depends on the order of events, so destroying is one: a broadcast, which should reach
 * nobody. */
static enum flow cond_destroy(struct machine *m, struct thread *t, const struct arguments *a) {
  uint64_t address;
  unf_object condition;
  if (!sync_pointer(m, t, a, 0, CONDITION_SIZE, &address) ||
      !machine_object(m, t, UNF_CONDITION, address, 0, &condition))
    return FLOW_STANDS;
  if (machine_frame(t)->phase == 0)
    return machine_offer(t, 1, unf_operation_make(UNF_BROADCAST, condition, 0, 0));
  if (!sync_alive(m, t, address + CONDITION_MARK, "condition variable")) return FLOW_STANDS;
  if (t->action.value != 0)
    return machine_fail(m, t, CLI_MISUSE,
                        "a condition variable is destroyed while threads wait for it");
  sync_mark_destroyed(m, address + CONDITION_MARK);
  return machine_number(t, a, 0);
}

static enum flow cond_signal(struct machine *m, struct thread *t, const struct arguments *a) {
  return notify(m, t, a, UNF_SIGNAL);
}

static enum flow cond_broadcast(struct machine *m, struct thread *t, const struct arguments *a) {
  return notify(m, t, a, UNF_BROADCAST);
}

static enum flow cond_init(struct machine *m, struct thread *t, const struct arguments *a) {
  uint64_t address;
  if (!sync_pointer(m, t, a, 0, CONDITION_SIZE, &address) ||
      !sync_clear(m, t, address, CONDITION_SIZE) || !machine_initialise(m, t, address))
    return FLOW_STANDS;
  return machine_number(t, a, 0);
}

/* At the end of a thread its robust mutexes go to whoever asks next, one after the other: in the
 * order of their addresses, for the other orders are not the same in all executions. */
bool sync_abandon(struct machine *m, struct thread *t, enum flow *flow) {
  const struct sync *next = NULL;
  for (uint64_t i = 0; i < m->now.syncs.count; i++) {
    const struct sync *sync = array_read(&syncs_kind, &m->now.syncs, i);
    if (!sync->used || sync->kind != UNF_MUTEX || sync->owner != t->handle || !sync->robust)
      continue;
    if (next == NULL || sync->address < next->address) next = sync;
  }
  if (next == NULL) return true;
  unf_object object;
  struct sync *sync = machine_sync(m, t, UNF_MUTEX, next->address, UNF_THREAD_NONE);
  if (sync == NULL || !machine_object(m, t, UNF_MUTEX, sync->address, 0, &object)) return false;
  sync->owner = UNF_THREAD_NONE;
  sync->lost = sync->orphaned;
  sync->orphaned = true;
  *flow = machine_offer(t, machine_frame(t)->phase + 1, UNF_OP_UNLOCK(object));
  return false;
}

const struct builtin_entry builtins_sync[] = {
    {"pthread_mutex_init", mutex_init},
    {"pthread_mutex_destroy", mutex_destroy},
    {"pthread_mutex_lock", lock},
    {"pthread_mutex_trylock", try_lock},
    {"__unfold_mutex_timedlock", timed_lock},
    {"pthread_mutex_unlock", unlock},
    {"pthread_mutex_consistent", mutex_consistent},
    {"pthread_mutexattr_init", mutexattr_init},
    {"pthread_mutexattr_destroy", sync_succeed},
    {"pthread_mutexattr_settype", mutexattr_settype},
    {"pthread_mutexattr_setrobust", mutexattr_setrobust},
    {"pthread_mutexattr_setprotocol", mutexattr_setprotocol},
    {"pthread_cond_init", cond_init},
    {"pthread_cond_destroy", cond_destroy},
    {"pthread_cond_wait", cond_wait},
    {"__unfold_cond_timedwait", cond_timedwait},
    {"pthread_cond_signal", cond_signal},
    {"pthread_cond_broadcast", cond_broadcast},
    {NULL, NULL},
};
