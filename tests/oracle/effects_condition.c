/*
 * Condition variables (appendix D of the extended paper on symbolic partial-order execution, and
 * time-outs). A wait is w1, which gives the mutex back, and w2, which takes it again after a
 * notification; who waits on a condition is known from what the threads are about to do. A time-out
 * ends the waiting of a thread that was not notified; the thread then takes the mutex as by lock.
 *
 *   w1 of i, timeout of i   sig(i), sig(-), every bro
 *   w2 of i                 sig(i), bro(W) with i in W
 *   sig(j)                  w1, w2, timeout of j, sig(j), sig(-), every bro
 *   sig(-), bro(nobody)     every w1 and timeout, sig(j), bro(somebody)
 *   bro(W), W not empty     every w1 and timeout, w2 of members of W, every sig and bro
 */
#include "effects.h"

/* Whether a thread waits on a condition and was not notified yet. */
static bool waits(const machine *m, const int64_t *state, uint32_t thread, uint32_t condition) {
  operation o = machine_next(m, state, thread);
  return (o.kind == OPERATION_WAKE || o.kind == OPERATION_TIMED_WAKE) && o.target == condition &&
         machine_thread_const(m, state, thread)[THREAD_NOTIFIED] == 0;
}

static bool wake_possible(const machine *m, const int64_t *state, const operation *o, action *a) {
  if (machine_thread_const(m, state, a->thread)[THREAD_NOTIFIED] == 0) {
    a->kind = ACTION_TIMEOUT;
    return o->kind == OPERATION_TIMED_WAKE;
  }
  a->kind = ACTION_WAKE;
  a->second = o->second;
  return mutex_owner(m, state, o->second) < 0;
}

/* One action for each waiting thread, or the lost signal. */
static bool signal_possible(const machine *m, const int64_t *state, const operation *o,
                            uint64_t index, action *a) {
  uint64_t waiting = 0;
  a->kind = ACTION_SIGNAL;
  a->value = -1;
  for (uint32_t t = 0; t < m->program->thread_count; t++) {
    if (!waits(m, state, t, o->target)) continue;
    if (waiting++ == index) a->value = t;
  }
  return index < waiting || (waiting == 0 && index == 0);
}

bool condition_possible(const machine *m, const int64_t *state, const operation *o, uint64_t index,
                        action *a) {
  switch (o->kind) {
  case OPERATION_WAIT:
  case OPERATION_TIMED_WAIT:
    a->kind = ACTION_WAIT;
    a->second = o->second;
    return index == 0 && mutex_owner(m, state, o->second) == (int64_t)a->thread;
  case OPERATION_SIGNAL:
    return signal_possible(m, state, o, index, a);
  case OPERATION_BROADCAST:
    a->kind = ACTION_BROADCAST;
    for (uint32_t t = 0; t < m->program->thread_count; t++) {
      if (waits(m, state, t, o->target)) a->value |= INT64_C(1) << t;
    }
    return index == 0;
  default:
    return index == 0 && wake_possible(m, state, o, a);
  }
}

static bool notifies(const action *a, uint32_t thread) {
  return a->kind == ACTION_SIGNAL ? a->value == (int64_t)thread
                                  : a->kind == ACTION_BROADCAST && (a->value >> thread & 1) != 0;
}

int64_t condition_change(machine *m, int64_t *state, const action *a) {
  int64_t *t = machine_thread(m, state, a->thread);
  switch (a->kind) {
  case ACTION_WAIT:
    mutex_give(m, state, a->second, -1);
    t[THREAD_KIND] = t[THREAD_KIND] == OPERATION_WAIT ? OPERATION_WAKE : OPERATION_TIMED_WAKE;
    return 0;
  case ACTION_WAKE:
    mutex_give(m, state, a->second, a->thread);
    t[THREAD_NOTIFIED] = 0;
    return 1;
  case ACTION_TIMEOUT:
    t[THREAD_KIND] = OPERATION_LOCK;
    t[THREAD_TARGET] = t[THREAD_SECOND];
    t[THREAD_SECOND] = 0;
    return 0;
  default:
    for (uint32_t i = 0; i < m->program->thread_count; i++) {
      if (notifies(a, i)) machine_thread(m, state, i)[THREAD_NOTIFIED] = 1;
    }
    return 0;
  }
}

bool condition_dependent(const action *a, const action *b) {
  if (b->kind != ACTION_SIGNAL && b->kind != ACTION_BROADCAST) return false;
  bool lost = b->value == (b->kind == ACTION_SIGNAL ? -1 : 0);
  switch (a->kind) {
  case ACTION_WAIT:
  case ACTION_TIMEOUT:
    return lost || b->kind == ACTION_BROADCAST || notifies(b, a->thread);
  case ACTION_WAKE:
    return notifies(b, a->thread);
  case ACTION_SIGNAL:
    if (a->value != -1) return lost || b->kind == ACTION_BROADCAST || a->value == b->value;
    return !lost;
  default:
    return a->value != 0 || !lost;
  }
}
