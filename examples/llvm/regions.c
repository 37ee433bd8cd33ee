/*
 * Locks that are no mutexes of the program: that of its regions which are not interrupted, and
 * those that the library (library/) is built with, which addresses name.
 */
#include "regions.h"

#include <errno.h>

#include "interpret.h"
#include "machine.h"
#include "sync.h"

struct owned_lock {
  unf_object object;
  struct sync *sync;
};

enum { SPIN_MARK_SIZE = 4 };

static bool find_lock(struct machine *m, struct thread *t, uint64_t key, struct owned_lock *held) {
  held->sync = machine_sync(m, t, UNF_MUTEX, key, UNF_THREAD_NONE);
  return held->sync != NULL && machine_object(m, t, UNF_MUTEX, key, 0, &held->object);
}

static enum flow lock_key(struct machine *m, struct thread *t, const struct arguments *a,
                          uint64_t key, bool again) {
  struct owned_lock held;
  if (!find_lock(m, t, key, &held)) return FLOW_STANDS;
  if (machine_frame(t)->phase > 0) {
    sync_take(m, t, held.sync);
    return machine_number(t, a, 0);
  }
  if (again && held.sync->owner == t->handle) {
    held.sync->depth++;
    return machine_number(t, a, 0);
  }
  return machine_offer(t, 1, UNF_OP_LOCK(held.object));
}

static enum flow unlock_key(struct machine *m, struct thread *t, const struct arguments *a,
                            uint64_t key, const char *wrong) {
  struct owned_lock held;
  if (!find_lock(m, t, key, &held)) return FLOW_STANDS;
  if (machine_frame(t)->phase > 0) return machine_number(t, a, 0);
  if (held.sync->owner != t->handle) return machine_fail(m, t, CLI_MISUSE, "%s", wrong);
  if (--held.sync->depth > 0) return machine_number(t, a, 0);
  held.sync->owner = UNF_THREAD_NONE;
  return machine_offer(t, 1, UNF_OP_UNLOCK(held.object));
}

/* Around what must not be interrupted. */
enum { GLOBAL_LOCK = 8 };

static enum flow atomic_begin(struct machine *m, struct thread *t, const struct arguments *a) {
  return lock_key(m, t, a, GLOBAL_LOCK, true);
}

static enum flow atomic_end(struct machine *m, struct thread *t, const struct arguments *a) {
  return unlock_key(m, t, a, GLOBAL_LOCK, "__VERIFIER_atomic_end without its beginning");
}

enum flow regions_function(struct machine *m, struct thread *t, const struct arguments *a) {
  enum { BEGINS, LOCKED, CALLED, UNLOCKED };
  struct owned_lock held;
  struct frame *frame = machine_frame(t);
  if (frame->phase == UNLOCKED) return FLOW_NEXT;
  if (!find_lock(m, t, GLOBAL_LOCK, &held)) return FLOW_STANDS;
  if (frame->phase == CALLED) {
    if (--held.sync->depth > 0) return FLOW_NEXT;
    held.sync->owner = UNF_THREAD_NONE;
    return machine_offer(t, UNLOCKED, UNF_OP_UNLOCK(held.object));
  }
  if (frame->phase == BEGINS && held.sync->owner != t->handle)
    return machine_offer(t, LOCKED, UNF_OP_LOCK(held.object));
  if (frame->phase == BEGINS)
    held.sync->depth++;
  else
    sync_take(m, t, held.sync);
  frame->phase = CALLED;
  return machine_enter(m, t, a) ? FLOW_AGAIN : FLOW_STANDS;
}

bool regions_inside(struct machine *m, struct thread *t) {
  const struct sync *sync = machine_sync(m, t, UNF_MUTEX, GLOBAL_LOCK, UNF_THREAD_NONE);
  return sync != NULL && sync->owner == t->handle;
}

enum flow regions_enter(struct machine *m, struct thread *t, uint32_t phase) {
  struct owned_lock held;
  if (!find_lock(m, t, GLOBAL_LOCK, &held)) return FLOW_STANDS;
  return machine_offer(t, phase, UNF_OP_LOCK(held.object));
}

bool regions_entered(struct machine *m, struct thread *t) {
  struct owned_lock held;
  if (!find_lock(m, t, GLOBAL_LOCK, &held)) return false;
  sync_take(m, t, held.sync);
  return true;
}

enum flow regions_leave(struct machine *m, struct thread *t, uint32_t phase) {
  struct owned_lock held;
  if (!find_lock(m, t, GLOBAL_LOCK, &held)) return FLOW_STANDS;
  held.sync->owner = UNF_THREAD_NONE;
  return machine_offer(t, phase, UNF_OP_UNLOCK(held.object));
}

/* What the library (library/) builds others with: a lock named by an address. */
static enum flow own_lock(struct machine *m, struct thread *t, const struct arguments *a) {
  uint64_t address;
  if (!sync_pointer(m, t, a, 0, SPIN_MARK_SIZE, &address)) return FLOW_STANDS;
  return lock_key(m, t, a, address, false);
}

static enum flow own_unlock(struct machine *m, struct thread *t, const struct arguments *a) {
  uint64_t address;
  if (!sync_pointer(m, t, a, 0, SPIN_MARK_SIZE, &address)) return FLOW_STANDS;
  return unlock_key(m, t, a, address, "unlock of a spin lock that the thread does not hold");
}

static enum flow own_trylock(struct machine *m, struct thread *t, const struct arguments *a) {
  struct owned_lock held;
  uint64_t address;
  if (!sync_pointer(m, t, a, 0, SPIN_MARK_SIZE, &address) || !find_lock(m, t, address, &held))
    return FLOW_STANDS;
  if (machine_frame(t)->phase == 0) return machine_offer(t, 1, UNF_OP_TRYLOCK(held.object));
  if (t->action.kind == UNF_DID_TRYFAIL) return machine_number(t, a, EBUSY);
  sync_take(m, t, held.sync);
  return machine_number(t, a, 0);
}

static enum flow own_holds(struct machine *m, struct thread *t, const struct arguments *a) {
  struct owned_lock held;
  uint64_t address;
  if (!sync_pointer(m, t, a, 0, SPIN_MARK_SIZE, &address) || !find_lock(m, t, address, &held))
    return FLOW_STANDS;
  return machine_number(t, a, held.sync->owner == t->handle);
}

static enum flow alone(struct machine *m, struct thread *t, const struct arguments *a) {
  return machine_number(t, a, t->handle == m->now.first && t->children == 0);
}

static enum flow misused(struct machine *m, struct thread *t, const struct arguments *a) {
  static const char *const texts[] = {"a spin lock is destroyed while it is held",
                                      "a spin lock is used after it was destroyed",
                                      "longjmp to a function that has returned"};
  int64_t which;
  if (!sync_number(m, t, a, 0, &which)) return FLOW_STANDS;
  return machine_fail(m, t, CLI_MISUSE, "%s", texts[which & 1]);
}

const struct builtin_entry builtins_regions[] = {
    {"__unfold_lock", own_lock},
    {"__unfold_trylock", own_trylock},
    {"__unfold_unlock", own_unlock},
    {"__unfold_holds", own_holds},
    {"__unfold_alone", alone},
    {"__unfold_misused", misused},
    {"__VERIFIER_atomic_begin", atomic_begin},
    {"__VERIFIER_atomic_end", atomic_end},
    {NULL, NULL},
};
