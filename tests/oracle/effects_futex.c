/*
 * Futexes: a word is an atomic with a queue of threads. A wait that finds the expected value enters
 * the queue, in one step with the comparison; then it is about to return, which it can when it was
 * woken, or, with a time limit, time out as long as it was not. A wake takes n threads out of the
 * queue, any of them, or all if there are fewer; no thread wakes up otherwise. Who is in a queue is
 * known from what the threads are about to do.
 *
 *   fwait of i              R of x; fwake and fwakeall as below
 *   fagain                  R of x
 *   fwait, ftimeout of i    fwake(S) with i in S, every fwakeall
 *   fwoken of i             fwake(S) and fwakeall(S) with i in S
 *   fwake(S): n of more     fwait, ftimeout, fwoken of members, fwake(T) with a common member,
 *                           every fwakeall if S is not empty
 *   fwakeall(S): fewer      every fwait and ftimeout, fwoken of members, every fwake(T) with T not
 *   than n were there       empty, every fwakeall unless both are of nobody
 */
#include "effects.h"

/* Whether a thread is in the queue of an atomic. */
static bool waits(const machine *m, const int64_t *state, uint32_t thread, uint32_t atomic) {
  operation o = machine_next(m, state, thread);
  return (o.kind == OPERATION_FUTEX_RETURN || o.kind == OPERATION_TIMED_FUTEX_RETURN) &&
         o.target == atomic && machine_thread_const(m, state, thread)[THREAD_NOTIFIED] == 0;
}

static int64_t members(int64_t set) {
  int64_t count = 0;
  for (; set != 0; set &= set - 1) {
    count++;
  }
  return count;
}

/* The subsets of n threads in the order of their numbers as bits; or all, if there are fewer. */
static bool wake_possible(const machine *m, const int64_t *state, const operation *o,
                          uint64_t index, action *a) {
  int64_t queue = 0, set = 0;
  for (uint32_t t = 0; t < m->program->thread_count; t++) {
    if (waits(m, state, t, o->target)) queue |= INT64_C(1) << t;
  }
  if (members(queue) < o->low) {
    a->kind = ACTION_FUTEX_WAKE_ALL;
    a->value = queue;
    return index == 0;
  }
  a->kind = ACTION_FUTEX_WAKE;
  for (uint64_t seen = 0;; set = (set - queue) & queue) {
    a->value = set;
    if (members(set) == o->low && seen++ == index) return true;
    if (set == queue) return false;
  }
}

bool futex_possible(const machine *m, const int64_t *state, const operation *o, uint64_t index,
                    action *a) {
  bool woken = machine_thread_const(m, state, a->thread)[THREAD_NOTIFIED] != 0;
  switch (o->kind) {
  case OPERATION_FUTEX_WAIT:
  case OPERATION_TIMED_FUTEX_WAIT:
    a->kind = memory_value(m, state, o->target) == o->low ? ACTION_FUTEX_WAIT : ACTION_FUTEX_AGAIN;
    a->range = program_range(m->program, o->target);
    return index == 0;
  case OPERATION_FUTEX_WAKE:
    return wake_possible(m, state, o, index, a);
  default:
    a->kind = woken ? ACTION_FUTEX_RETURN : ACTION_FUTEX_TIMEOUT;
    return index == 0 && (woken || o->kind == OPERATION_TIMED_FUTEX_RETURN);
  }
}

int64_t futex_change(machine *m, int64_t *state, const action *a) {
  int64_t *t = machine_thread(m, state, a->thread);
  switch (a->kind) {
  case ACTION_FUTEX_WAIT:
    t[THREAD_KIND] = t[THREAD_KIND] == OPERATION_FUTEX_WAIT ? OPERATION_FUTEX_RETURN
                                                            : OPERATION_TIMED_FUTEX_RETURN;
    t[THREAD_LOW] = 0;
    return 0;
  case ACTION_FUTEX_AGAIN:
    return 1;
  case ACTION_FUTEX_RETURN:
    t[THREAD_NOTIFIED] = 0;
    return 0;
  case ACTION_FUTEX_TIMEOUT:
    return 2;
  default:
    for (uint32_t i = 0; i < m->program->thread_count; i++) {
      if ((a->value >> i & 1) != 0) machine_thread(m, state, i)[THREAD_NOTIFIED] = 1;
    }
    return members(a->value);
  }
}

bool futex_dependent(const action *a, const action *b) {
  if (b->kind != ACTION_FUTEX_WAKE && b->kind != ACTION_FUTEX_WAKE_ALL) return false;
  bool all = b->kind == ACTION_FUTEX_WAKE_ALL;
  switch (a->kind) {
  case ACTION_FUTEX_WAIT:
  case ACTION_FUTEX_TIMEOUT:
    return all || (b->value >> a->thread & 1) != 0;
  case ACTION_FUTEX_RETURN:
    return (b->value >> a->thread & 1) != 0;
  case ACTION_FUTEX_WAKE:
    return all ? a->value != 0 : (a->value & b->value) != 0;
  case ACTION_FUTEX_WAKE_ALL:
    return all ? (a->value | b->value) != 0 : b->value != 0;
  default:
    return false;
  }
}
