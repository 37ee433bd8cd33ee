/*
 * The effects: for each operation the actions that can come of it, for each action what it changes
 * and what it depends on. Events of one thread always depend on each other. In other threads:
 *
 *   spawn(t)    every event of t; every spawn(t) and join(t)
 *   join(t)     every event of t (two joins commute)
 *   loc(v)      nothing
 *   of a condition: effects_condition.c
 *   on the queue of a futex: effects_futex.c
 *   on a channel, on a mailbox: effects_messages.c
 *
 * and the others have an object and a manner of using it. Two uses of one object commute when both
 * are in the same manner and this is not "alone":
 *
 *   mutex             alone: acq, rel, w1, w2          looks: tryfail
 *   rwlock            alone: wracq, wrrel              shares: rdacq, rdrel
 *                     looks: rdfail, wrfail
 *   semaphore         alone: semacq                    shares: post            looks: semfail
 *   semaphore whose posts can exceed its maximum
 *                     alone: semacq, post                                      looks: semfail
 *   round of barrier                                   shares: arrive          looks: pass
 *   bytes of atomics  alone: W                         shares: A               looks: R, fwait,
 *                                                                              fagain
 *   future            alone: set                                               looks: get, unset,
 *                                                                              setagain
 *
 * An effect to come adds its operations and actions to the two tables.
 */
#include "effects.h"

#include <string.h>

/* ---- operations: the index-th action possible ---- */

static bool never(const machine *m, const int64_t *state, const operation *o, uint64_t index,
                  action *a) {
  (void)m, (void)state, (void)o, (void)index, (void)a;
  return false;
}

static bool lock_possible(const machine *m, const int64_t *state, const operation *o,
                          uint64_t index, action *a) {
  a->kind = ACTION_ACQUIRE;
  return index == 0 && mutex_owner(m, state, o->target) < 0;
}

static bool trylock_possible(const machine *m, const int64_t *state, const operation *o,
                             uint64_t index, action *a) {
  a->kind = mutex_owner(m, state, o->target) < 0 ? ACTION_ACQUIRE : ACTION_TRYFAIL;
  return index == 0;
}

static bool unlock_possible(const machine *m, const int64_t *state, const operation *o,
                            uint64_t index, action *a) {
  a->kind = ACTION_RELEASE;
  return index == 0 && mutex_owner(m, state, o->target) == (int64_t)a->thread;
}

static bool spawn_possible(const machine *m, const int64_t *state, const operation *o,
                           uint64_t index, action *a) {
  a->kind = ACTION_SPAWN;
  return index == 0 && machine_next(m, state, o->target).kind == OPERATION_WAITING;
}

static bool join_possible(const machine *m, const int64_t *state, const operation *o,
                          uint64_t index, action *a) {
  a->kind = ACTION_JOIN;
  return index == 0 && machine_next(m, state, o->target).kind == OPERATION_FINISHED;
}

static bool choose_possible(const machine *m, const int64_t *state, const operation *o,
                            uint64_t index, action *a) {
  (void)m, (void)state;
  a->kind = ACTION_CHOOSE;
  a->value = (int64_t)((uint64_t)o->low + index);
  return index <= (uint64_t)o->high - (uint64_t)o->low;
}

/* The value is the outcome; what is none of the others is the last one. */
static bool branch_possible(const machine *m, const int64_t *state, const operation *o,
                            uint64_t index, action *a) {
  (void)m, (void)state;
  a->kind = ACTION_BRANCH;
  a->value = o->low >= 0 && o->low < o->high ? o->low : o->high - 1;
  return index == 0;
}

static const struct {
  const char *name;
  effect_possible possible;
} operations[OPERATION_COUNT] = {
    [OPERATION_WAITING] = {"waiting", never},
    [OPERATION_FINISHED] = {"finished", never},
    [OPERATION_STOPPED] = {"stopped", never},
    [OPERATION_LOCK] = {"lock", lock_possible},
    [OPERATION_TRYLOCK] = {"trylock", trylock_possible},
    [OPERATION_UNLOCK] = {"unlock", unlock_possible},
    [OPERATION_SPAWN] = {"spawn", spawn_possible},
    [OPERATION_JOIN] = {"join", join_possible},
    [OPERATION_CHOOSE] = {"choose", choose_possible},
    [OPERATION_BRANCH] = {"branch", branch_possible},
    [OPERATION_WAIT] = {"wait", condition_possible},
    [OPERATION_TIMED_WAIT] = {"timedwait", condition_possible},
    [OPERATION_WAKE] = {"wake", condition_possible},
    [OPERATION_TIMED_WAKE] = {"timed wake", condition_possible},
    [OPERATION_SIGNAL] = {"signal", condition_possible},
    [OPERATION_BROADCAST] = {"broadcast", condition_possible},
    [OPERATION_RDLOCK] = {"rdlock", rwlock_possible},
    [OPERATION_TRYRDLOCK] = {"tryrdlock", rwlock_possible},
    [OPERATION_WRLOCK] = {"wrlock", rwlock_possible},
    [OPERATION_TRYWRLOCK] = {"trywrlock", rwlock_possible},
    [OPERATION_RWUNLOCK] = {"unlock", rwlock_possible},
    [OPERATION_POST] = {"post", semaphore_possible},
    [OPERATION_SEM_WAIT] = {"sem_wait", semaphore_possible},
    [OPERATION_SEM_TRYWAIT] = {"trywait", semaphore_possible},
    [OPERATION_ARRIVE] = {"arrive", barrier_possible},
    [OPERATION_PASS] = {"pass", barrier_possible},
    [OPERATION_LOAD] = {"load", memory_possible},
    [OPERATION_STORE] = {"store", memory_possible},
    [OPERATION_FETCH_ADD] = {"fetch_add", memory_possible},
    [OPERATION_FETCH_AND] = {"fetch_and", memory_possible},
    [OPERATION_FETCH_OR] = {"fetch_or", memory_possible},
    [OPERATION_FETCH_XOR] = {"fetch_xor", memory_possible},
    [OPERATION_FETCH_NAND] = {"fetch_nand", memory_possible},
    [OPERATION_EXCHANGE] = {"exchange", memory_possible},
    [OPERATION_CAS] = {"cas", memory_possible},
    [OPERATION_AWAIT] = {"await", memory_possible},
    [OPERATION_EXCHANGE_AWAIT] = {"exchange_await", memory_possible},
    [OPERATION_FUTEX_WAIT] = {"futex_wait", futex_possible},
    [OPERATION_TIMED_FUTEX_WAIT] = {"timedfutexwait", futex_possible},
    [OPERATION_FUTEX_RETURN] = {"futex return", futex_possible},
    [OPERATION_TIMED_FUTEX_RETURN] = {"timed futex return", futex_possible},
    [OPERATION_FUTEX_WAKE] = {"futex_wake", futex_possible},
    [OPERATION_SEND] = {"send", channel_possible},
    [OPERATION_TRY_SEND] = {"trysend", channel_possible},
    [OPERATION_RECEIVE] = {"receive", channel_possible},
    [OPERATION_TRY_RECEIVE] = {"tryreceive", channel_possible},
    [OPERATION_CLOSE] = {"close", channel_possible},
    [OPERATION_MAIL] = {"mail", mailbox_possible},
    [OPERATION_ACCEPT] = {"accept", mailbox_possible},
    [OPERATION_TRY_ACCEPT] = {"tryaccept", mailbox_possible},
    [OPERATION_SET] = {"set", future_possible},
    [OPERATION_GET] = {"get", future_possible},
    [OPERATION_POLL] = {"poll", future_possible},
};

const char *operation_name(operation_kind kind) {
  return operations[kind].name;
}

bool machine_action(const machine *m, const int64_t *state, uint32_t thread, uint64_t index,
                    action *out) {
  operation o = machine_next(m, state, thread);
  memset(out, 0, sizeof *out);
  out->thread = thread;
  out->target = o.target;
  return operations[o.kind].possible(m, state, &o, index, out);
}

/* ---- actions: what they change, returning the result; how they use their object ---- */

/* The lock after a time-out gives the wait its result. */
static int64_t mutex_change(machine *m, int64_t *state, const action *a) {
  const instruction *i = &m->program->code[machine_thread(m, state, a->thread)[THREAD_PC]];
  if (a->kind == ACTION_TRYFAIL) return 0;
  mutex_give(m, state, a->target, a->kind == ACTION_ACQUIRE ? (int64_t)a->thread : -1);
  return i->operation != OPERATION_TIMED_WAIT;
}

/* The thread runs silently up to its first operation. */
static int64_t spawn(machine *m, int64_t *state, const action *a) {
  machine_run(m, state, a->target);
  return 0;
}

/* What the finished thread accessed last is ordered before everything that follows. */
static int64_t join(machine *m, int64_t *state, const action *a) {
  memset(machine_thread(m, state, a->target) + THREAD_MASKS, 0, 2 * m->mask_words * sizeof *state);
  return 0;
}

static int64_t chosen(machine *m, int64_t *state, const action *a) {
  (void)m, (void)state;
  return a->value;
}

typedef enum manner { ALONE, SHARES, LOOKS } manner;

static const struct {
  const char *name;
  effect_change change;
  symbol_kind object; /* what the target is; THREAD also for no target */
  manner manner;
  bool stays; /* the operation goes on with another action */
} actions[ACTION_COUNT] = {
    [ACTION_ACQUIRE] = {"acq", mutex_change, SYMBOL_MUTEX, ALONE, false},
    [ACTION_RELEASE] = {"rel", mutex_change, SYMBOL_MUTEX, ALONE, false},
    [ACTION_TRYFAIL] = {"tryfail", mutex_change, SYMBOL_MUTEX, LOOKS, false},
    [ACTION_SPAWN] = {"spawn", spawn, SYMBOL_THREAD, ALONE, false},
    [ACTION_JOIN] = {"join", join, SYMBOL_THREAD, ALONE, false},
    [ACTION_CHOOSE] = {"loc", chosen, SYMBOL_THREAD, ALONE, false},
    [ACTION_BRANCH] = {"branch", chosen, SYMBOL_THREAD, ALONE, false},
    [ACTION_WAIT] = {"w1", condition_change, SYMBOL_COND, ALONE, true},
    [ACTION_WAKE] = {"w2", condition_change, SYMBOL_COND, ALONE, false},
    [ACTION_TIMEOUT] = {"timeout", condition_change, SYMBOL_COND, ALONE, true},
    [ACTION_SIGNAL] = {"sig", condition_change, SYMBOL_COND, ALONE, false},
    [ACTION_BROADCAST] = {"bro", condition_change, SYMBOL_COND, ALONE, false},
    [ACTION_RDACQUIRE] = {"rdacq", rwlock_change, SYMBOL_RWLOCK, SHARES, false},
    [ACTION_RDFAIL] = {"rdfail", rwlock_change, SYMBOL_RWLOCK, LOOKS, false},
    [ACTION_WRACQUIRE] = {"wracq", rwlock_change, SYMBOL_RWLOCK, ALONE, false},
    [ACTION_WRFAIL] = {"wrfail", rwlock_change, SYMBOL_RWLOCK, LOOKS, false},
    [ACTION_RDRELEASE] = {"rdrel", rwlock_change, SYMBOL_RWLOCK, SHARES, false},
    [ACTION_WRRELEASE] = {"wrrel", rwlock_change, SYMBOL_RWLOCK, ALONE, false},
    [ACTION_POST] = {"post", semaphore_change, SYMBOL_SEMAPHORE, SHARES, false},
    [ACTION_POST_ALONE] = {"post", semaphore_change, SYMBOL_SEMAPHORE, ALONE, false},
    [ACTION_SEM_ACQUIRE] = {"semacq", semaphore_change, SYMBOL_SEMAPHORE, ALONE, false},
    [ACTION_SEM_FAIL] = {"semfail", semaphore_change, SYMBOL_SEMAPHORE, LOOKS, false},
    [ACTION_ARRIVE] = {"arrive", barrier_change, SYMBOL_BARRIER, SHARES, true},
    [ACTION_PASS] = {"pass", barrier_change, SYMBOL_BARRIER, LOOKS, false},
    [ACTION_READ] = {"R", memory_change, SYMBOL_ATOMIC, LOOKS, false},
    [ACTION_WRITE] = {"W", memory_change, SYMBOL_ATOMIC, ALONE, false},
    [ACTION_ADD] = {"A", memory_change, SYMBOL_ATOMIC, SHARES, false},
    [ACTION_FUTEX_WAIT] = {"fwait", futex_change, SYMBOL_ATOMIC, LOOKS, true},
    [ACTION_FUTEX_AGAIN] = {"fagain", futex_change, SYMBOL_ATOMIC, LOOKS, false},
    [ACTION_FUTEX_RETURN] = {"fwoken", futex_change, SYMBOL_ATOMIC, ALONE, false},
    [ACTION_FUTEX_TIMEOUT] = {"ftimeout", futex_change, SYMBOL_ATOMIC, ALONE, false},
    [ACTION_FUTEX_WAKE] = {"fwake", futex_change, SYMBOL_ATOMIC, ALONE, false},
    [ACTION_FUTEX_WAKE_ALL] = {"fwakeall", futex_change, SYMBOL_ATOMIC, ALONE, false},
    [ACTION_SEND] = {"send", channel_change, SYMBOL_CHANNEL, ALONE, false},
    [ACTION_RECEIVE] = {"receive", channel_change, SYMBOL_CHANNEL, ALONE, false},
    [ACTION_CLOSE] = {"close", channel_change, SYMBOL_CHANNEL, ALONE, false},
    [ACTION_FULL] = {"full", channel_change, SYMBOL_CHANNEL, LOOKS, false},
    [ACTION_EMPTY] = {"empty", channel_change, SYMBOL_CHANNEL, LOOKS, false},
    [ACTION_ENDED] = {"ended", channel_change, SYMBOL_CHANNEL, LOOKS, false},
    [ACTION_SEND_CLOSED] = {"sendclosed", channel_change, SYMBOL_CHANNEL, LOOKS, false},
    [ACTION_CLOSE_CLOSED] = {"closeclosed", channel_change, SYMBOL_CHANNEL, LOOKS, false},
    [ACTION_MAIL] = {"mail", mailbox_change, SYMBOL_MAILBOX, SHARES, false},
    [ACTION_ACCEPT] = {"accept", mailbox_change, SYMBOL_MAILBOX, ALONE, false},
    [ACTION_NO_MAIL] = {"nomail", mailbox_change, SYMBOL_MAILBOX, LOOKS, false},
    [ACTION_SET] = {"set", future_change, SYMBOL_FUTURE, ALONE, false},
    [ACTION_GET] = {"get", future_change, SYMBOL_FUTURE, LOOKS, false},
    [ACTION_UNSET] = {"unset", future_change, SYMBOL_FUTURE, LOOKS, false},
    [ACTION_SET_AGAIN] = {"setagain", future_change, SYMBOL_FUTURE, LOOKS, false},
};

const char *action_name(action_kind kind) {
  return actions[kind].name;
}

/* The mutex that an action uses, or ORACLE_NONE. */
static uint32_t mutex_of(const action *a) {
  if (a->kind == ACTION_WAIT || a->kind == ACTION_WAKE) return a->second;
  return actions[a->kind].object == SYMBOL_MUTEX ? a->target : ORACLE_NONE;
}

static bool commute_on_object(const action *a, const action *b) {
  return actions[a->kind].manner == actions[b->kind].manner && actions[a->kind].manner != ALONE;
}

static bool threads_dependent(const action *a, const action *b) {
  bool starts = b->kind == ACTION_SPAWN || b->kind == ACTION_JOIN;
  if (a->kind != ACTION_SPAWN && a->kind != ACTION_JOIN) return false;
  return b->thread == a->target || (a->kind == ACTION_SPAWN && starts && a->target == b->target);
}

static bool objects_dependent(const action *a, const action *b) {
  symbol_kind object = actions[a->kind].object;
  uint32_t mutex = mutex_of(a);
  if (mutex != ORACLE_NONE && mutex == mutex_of(b) && !commute_on_object(a, b)) return true;
  if (object == SYMBOL_ATOMIC && actions[b->kind].object == SYMBOL_ATOMIC) {
    bool queued = a->target == b->target && (futex_dependent(a, b) || futex_dependent(b, a));
    return queued || (memory_meet(a->range, b->range) && !commute_on_object(a, b));
  }
  if (object == SYMBOL_THREAD || object != actions[b->kind].object || a->target != b->target) {
    return false;
  }
  if (object == SYMBOL_COND) return condition_dependent(a, b) || condition_dependent(b, a);
  if (object == SYMBOL_CHANNEL) return channel_dependent(a, b) || channel_dependent(b, a);
  if (object == SYMBOL_MAILBOX) return mailbox_dependent(a, b) || mailbox_dependent(b, a);
  if (object == SYMBOL_BARRIER && a->second != b->second) return false;
  return object != SYMBOL_MUTEX && !commute_on_object(a, b);
}

bool actions_dependent(const action *a, const action *b) {
  return a->thread == b->thread || threads_dependent(a, b) || threads_dependent(b, a) ||
         objects_dependent(a, b);
}

bool machine_perform(machine *m, int64_t *state, const action *a) {
  int64_t *t = machine_thread(m, state, a->thread);
  const instruction *i = &m->program->code[t[THREAD_PC]];
  memset(t + THREAD_MASKS, 0, 2 * m->mask_words * sizeof *state);
  int64_t result = actions[a->kind].change(m, state, a);
  if (actions[a->kind].stays) return !m->error;
  if (i->result != ORACLE_NONE) t[THREAD_MASKS + 2 * (int64_t)m->mask_words + i->result] = result;
  t[THREAD_PC]++;
  machine_run(m, state, a->thread);
  return !m->error;
}
