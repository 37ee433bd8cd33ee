/*
 * Rwlocks, semaphores and barriers: POSIX functions as operations of the library. In which round of
 * a barrier a thread is follows from its own past: the rounds that it passed, or that were over
 * when it was created or joined somebody who knows. The serial thread of a round is the first by
 * name.
 */
#include "units.h"

#include <errno.h>
#include <string.h>

#include "arith.h"
#include "builtin.h"
#include "initialised.h"
#include "machine.h"
#include "memory.h"
#include "sync.h"

/* As glibc has them. The marks stand in bytes that are 0 in what was initialised. */
enum { RWLOCK_SIZE = 56, RWLOCK_MARK = 36, SEMAPHORE_SIZE = 32, SEMAPHORE_MARK = 12 };
enum { BARRIER_SIZE = 32, BARRIER_COUNT = 8 };

struct used {
  uint64_t address;
  unf_object object;
};

/* Objects of one address have numbers: rounds of a barrier, semaphores one after the other. */
enum { ROUNDS = 255 };

/* ---- rwlocks ---- */

static bool find_rwlock(struct machine *m, struct thread *t, const struct arguments *a,
                        struct used *used) {
  return sync_pointer(m, t, a, 0, RWLOCK_SIZE, &used->address) &&
         machine_object(m, t, UNF_RWLOCK, used->address, 0, &used->object);
}

/* Who holds it for writing, and how often the thread does for reading. */
static bool find_holds(struct machine *m, struct thread *t, const struct used *used,
                       struct sync **writer, struct sync **reader) {
  if (machine_sync(m, t, UNF_RWLOCK, used->address, t->handle) == NULL) return false;
  *writer = machine_sync(m, t, UNF_RWLOCK, used->address, UNF_THREAD_NONE);
  *reader = machine_sync(m, t, UNF_RWLOCK, used->address, t->handle);
  return *writer != NULL && *reader != NULL;
}

static enum flow hold(struct machine *m, struct thread *t, const struct arguments *a,
                      unf_operation_kind kind, int64_t busy) {
  struct used used;
  struct sync *writer, *reader;
  const bool writes = kind == UNF_WRLOCK || kind == UNF_TRYWRLOCK;
  if (!find_rwlock(m, t, a, &used) || !find_holds(m, t, &used, &writer, &reader))
    return FLOW_STANDS;
  if (machine_frame(t)->phase == 0) {
    const bool waits = kind == UNF_RDLOCK || kind == UNF_WRLOCK || busy == ETIMEDOUT;
    if (writer->owner == t->handle) return machine_number(t, a, waits ? EDEADLK : EBUSY);
    if (!writes && reader->depth > 0) { /* no event: what it holds is its own history */
      reader->depth++;
      return machine_number(t, a, 0);
    }
    return machine_offer(t, 1, unf_operation_make(kind, used.object, 0, 0));
  }
  if (!sync_alive(m, t, used.address + RWLOCK_MARK, "rwlock")) return FLOW_STANDS;
  if (t->action.kind == UNF_DID_RDFAIL || t->action.kind == UNF_DID_WRFAIL)
    return machine_number(t, a, busy);
  if (writes)
    writer->owner = t->handle;
  else
    reader->depth++;
  return machine_number(t, a, 0);
}

static enum flow rdlock(struct machine *m, struct thread *t, const struct arguments *a) {
  return hold(m, t, a, UNF_RDLOCK, EBUSY);
}

static enum flow tryrdlock(struct machine *m, struct thread *t, const struct arguments *a) {
  return hold(m, t, a, UNF_TRYRDLOCK, EBUSY);
}

static enum flow wrlock(struct machine *m, struct thread *t, const struct arguments *a) {
  return hold(m, t, a, UNF_WRLOCK, EBUSY);
}

static enum flow trywrlock(struct machine *m, struct thread *t, const struct arguments *a) {
  return hold(m, t, a, UNF_TRYWRLOCK, EBUSY);
}

static enum flow timedrdlock(struct machine *m, struct thread *t, const struct arguments *a) {
  return hold(m, t, a, UNF_TRYRDLOCK, ETIMEDOUT);
}

static enum flow timedwrlock(struct machine *m, struct thread *t, const struct arguments *a) {
  return hold(m, t, a, UNF_TRYWRLOCK, ETIMEDOUT);
}

static enum flow rwunlock(struct machine *m, struct thread *t, const struct arguments *a) {
  struct used used;
  struct sync *writer, *reader;
  if (!find_rwlock(m, t, a, &used) || !find_holds(m, t, &used, &writer, &reader))
    return FLOW_STANDS;
  if (machine_frame(t)->phase > 0) return machine_number(t, a, 0);
  if (writer->owner != t->handle && reader->depth == 0)
    return machine_fail(m, t, CLI_MISUSE, "unlock of a rwlock that the thread does not hold");
  if (reader->depth > 0 && --reader->depth > 0) return machine_number(t, a, 0);
  if (writer->owner == t->handle) writer->owner = UNF_THREAD_NONE;
  return machine_offer(t, 1, unf_operation_make(UNF_RWUNLOCK, used.object, 0, 0));
}

static enum flow rwlock_init(struct machine *m, struct thread *t, const struct arguments *a) {
  uint64_t address;
  if (!sync_pointer(m, t, a, 0, RWLOCK_SIZE, &address) || !sync_clear(m, t, address, RWLOCK_SIZE) ||
      !machine_initialise(m, t, address))
    return FLOW_STANDS;
  return machine_number(t, a, 0);
}

static enum flow rwlock_destroy(struct machine *m, struct thread *t, const struct arguments *a) {
  struct used used;
  if (!find_rwlock(m, t, a, &used)) return FLOW_STANDS;
  return sync_destroy(m, t, a,
                      (struct destroyed){.object = used.object,
                                         .mark = used.address + RWLOCK_MARK,
                                         .take = UNF_TRYWRLOCK,
                                         .release = UNF_RWUNLOCK,
                                         .refused = UNF_DID_WRFAIL,
                                         .name = "rwlock",
                                         .held = "a rwlock is destroyed while it is held"});
}

/* ---- semaphores ---- */

/* One that is initialised behind its destruction is another object. */
static bool find_semaphore(struct machine *m, struct thread *t, const struct arguments *a,
                           struct used *used, struct sync **sync) {
  if (!sync_pointer(m, t, a, 0, SEMAPHORE_SIZE, &used->address)) return false;
  *sync = machine_sync(m, t, UNF_SEMAPHORE, used->address, UNF_THREAD_NONE);
  return *sync != NULL &&
         machine_object(m, t, UNF_SEMAPHORE, used->address, (*sync)->depth, &used->object);
}

static bool was_destroyed(struct machine *m, uint64_t mark) {
  struct value value;
  return memory_load(&m->memory, &m->knowledge->terms, mark, 32, &value) == ACCESS_GOOD &&
         value.number == -1;
}

static enum flow sem_init(struct machine *m, struct thread *t, const struct arguments *a) {
  struct used used;
  struct sync *sync;
  int64_t value;
  if (!find_semaphore(m, t, a, &used, &sync) || !sync_number(m, t, a, 2, &value))
    return FLOW_STANDS;
  if (was_destroyed(m, used.address + SEMAPHORE_MARK)) {
    if (sync->depth++ == ROUNDS) return machine_refuse(m, t, "so many semaphores in one place");
    if (!find_semaphore(m, t, a, &used, &sync)) return FLOW_STANDS;
  }
  if (!sync_clear(m, t, used.address, SEMAPHORE_SIZE) || !machine_initialise(m, t, used.address))
    return FLOW_STANDS;
  m->status = unf_object_set_initial(m->unfolding, used.object, value);
  if (m->status == UNF_STATE || m->status == UNF_INVALID) {
    m->status = UNF_OK;
    return machine_refuse(m, t, "a semaphore that begins with different values");
  }
  if (m->status != UNF_OK) return FLOW_STANDS;
  sync->count = (uint32_t)value;
  return machine_number(t, a, 0);
}

/* One operation, which comes to `failed` where it cannot take. The value is counted along. */
static enum flow unit(struct machine *m, struct thread *t, const struct arguments *a,
                      unf_operation_kind kind, int64_t failed) {
  struct used used;
  struct sync *sync;
  if (!find_semaphore(m, t, a, &used, &sync)) return FLOW_STANDS;
  if (machine_frame(t)->phase == 0)
    return machine_offer(t, 1, unf_operation_make(kind, used.object, 0, 0));
  if (!sync_alive(m, t, used.address + SEMAPHORE_MARK, "semaphore")) return FLOW_STANDS;
  if (t->action.kind == UNF_DID_SEM_FAIL) return machine_number(t, a, failed);
  sync->count += kind == UNF_POST ? 1 : UINT32_MAX;
  return machine_number(t, a, 0);
}

static enum flow sem_post(struct machine *m, struct thread *t, const struct arguments *a) {
  return unit(m, t, a, UNF_POST, -1);
}

static enum flow sem_wait(struct machine *m, struct thread *t, const struct arguments *a) {
  return unit(m, t, a, UNF_SEM_WAIT, -1);
}

static enum flow sem_trywait(struct machine *m, struct thread *t, const struct arguments *a) {
  return unit(m, t, a, UNF_SEM_TRYWAIT, -1);
}

/* Takes one and gives it back: a try of another thread may fail in between. What it was is written
 * where the second argument points to; to destroy it is the same. */
static enum flow look(struct machine *m, struct thread *t, const struct arguments *a,
                      bool destroys) {
  struct used used;
  struct sync *sync;
  int64_t to = 0;
  if (!find_semaphore(m, t, a, &used, &sync) || (!destroys && !sync_number(m, t, a, 1, &to)))
    return FLOW_STANDS;
  const uint32_t phase = machine_frame(t)->phase;
  if (phase == 0)
    return machine_offer(t, 1, unf_operation_make(UNF_SEM_TRYWAIT, used.object, 0, 0));
  const bool took = phase == 1 && t->action.kind != UNF_DID_SEM_FAIL;
  if (phase == 1 && !sync_alive(m, t, used.address + SEMAPHORE_MARK, "semaphore"))
    return FLOW_STANDS;
  if (took) {
    machine_frame(t)->kept = sync->count;
    return machine_offer(t, 2, unf_operation_make(UNF_POST, used.object, 0, 0));
  }
  if (destroys) sync_mark_destroyed(m, used.address + SEMAPHORE_MARK);
  const int64_t value = phase == 2 ? (int64_t)machine_frame(t)->kept : 0;
  if (!destroys && !sync_put(m, t, (uint64_t)to, 32, value)) return FLOW_STANDS;
  return machine_number(t, a, 0);
}

static enum flow sem_getvalue(struct machine *m, struct thread *t, const struct arguments *a) {
  return look(m, t, a, false);
}

static enum flow sem_destroy(struct machine *m, struct thread *t, const struct arguments *a) {
  return look(m, t, a, true);
}

/* ---- barriers ---- */

static enum flow barrier_init(struct machine *m, struct thread *t, const struct arguments *a) {
  uint64_t address;
  int64_t count;
  if (!sync_pointer(m, t, a, 0, BARRIER_SIZE, &address) || !sync_number(m, t, a, 2, &count))
    return FLOW_STANDS;
  if (count <= 0 || count > INT32_MAX) return machine_number(t, a, EINVAL);
  if (!sync_clear(m, t, address, BARRIER_SIZE) ||
      !sync_put(m, t, address + BARRIER_COUNT, 32, count) || !machine_initialise(m, t, address))
    return FLOW_STANDS;
  return machine_number(t, a, 0);
}

/* Of two threads the one whose name comes first. */
static uint32_t first_of(const struct machine *m, uint32_t one, uint32_t other) {
  enum { NAME_SIZE = 200 };
  char name[NAME_SIZE], second[NAME_SIZE];
  if (one == UNF_THREAD_NONE) return other;
  unf_thread_text(m->unfolding, one, name, sizeof name);
  unf_thread_text(m->unfolding, other, second, sizeof second);
  const size_t length = strlen(name), size = strlen(second);
  if (length != size) return length < size ? one : other;
  return strcmp(name, second) < 0 ? one : other;
}

static enum flow barrier_wait(struct machine *m, struct thread *t, const struct arguments *a) {
  enum { SERIAL = -1 };
  uint64_t address;
  struct value count;
  unf_object object;
  if (!sync_pointer(m, t, a, 0, BARRIER_SIZE, &address)) return FLOW_STANDS;
  if (memory_load(&m->memory, &m->knowledge->terms, address + BARRIER_COUNT, 32, &count) !=
          ACCESS_GOOD ||
      count.number <= 0)
    return machine_fail(m, t, CLI_MISUSE, "a barrier that was not initialised, or is destroyed");
  struct sync *mine = machine_sync(m, t, UNF_BARRIER, address, t->handle);
  if (mine == NULL) return FLOW_STANDS;
  if (mine->count >= ROUNDS) return machine_refuse(m, t, "a barrier with more than 255 rounds");
  const uint32_t number = mine->count;
  const uint64_t key = address | (uint64_t)number << MACHINE_KEY_BITS;
  struct sync *round = machine_sync(m, t, UNF_BARRIER, key, UNF_THREAD_NONE);
  if (round == NULL || !machine_object(m, t, UNF_BARRIER, address, number, &object))
    return FLOW_STANDS;
  switch (machine_frame(t)->phase) {
  case 0:
    return machine_offer(t, 1, unf_operation_make(UNF_ARRIVE, object, count.number, 0));
  case 1:
    round->owner = first_of(m, round->owner, t->handle);
    return machine_offer(t, 2, unf_operation_make(UNF_PASS, object, count.number, 0));
  default:
    machine_sync(m, t, UNF_BARRIER, address, t->handle)->count++;
    return machine_number(t, a, round->owner == t->handle ? SERIAL : 0);
  }
}

/* The threads of its last round know that it is over, so this needs no order. */
static enum flow barrier_destroy(struct machine *m, struct thread *t, const struct arguments *a) {
  uint64_t address;
  if (!sync_pointer(m, t, a, 0, BARRIER_SIZE, &address) ||
      !sync_put(m, t, address + BARRIER_COUNT, 32, 0))
    return FLOW_STANDS;
  return machine_number(t, a, 0);
}

const struct builtin_entry builtins_units[] = {
    {"pthread_rwlock_init", rwlock_init},
    {"pthread_rwlock_destroy", rwlock_destroy},
    {"pthread_rwlock_rdlock", rdlock},
    {"pthread_rwlock_tryrdlock", tryrdlock},
    {"__unfold_rwlock_timedrdlock", timedrdlock},
    {"pthread_rwlock_wrlock", wrlock},
    {"pthread_rwlock_trywrlock", trywrlock},
    {"__unfold_rwlock_timedwrlock", timedwrlock},
    {"pthread_rwlock_unlock", rwunlock},
    {"sem_init", sem_init},
    {"sem_destroy", sem_destroy},
    {"sem_post", sem_post},
    {"sem_wait", sem_wait},
    {"sem_getvalue", sem_getvalue},
    {"__unfold_sem_trywait", sem_trywait},
    {"pthread_barrier_init", barrier_init},
    {"pthread_barrier_wait", barrier_wait},
    {"pthread_barrier_destroy", barrier_destroy},
    {NULL, NULL},
};
