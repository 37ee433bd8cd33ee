/*
 * Reader-writer locks, semaphores and barriers. What waits is whoever cannot go on; there is no
 * queue, so that the order of those who wait is not part of the state. A barrier goes through
 * rounds: a thread arrives in the open one and passes once as many as the barrier counts have
 * arrived in it.
 */
#include "effects.h"

/* ---- reader-writer locks ---- */

bool rwlock_possible(const machine *m, const int64_t *state, const operation *o, uint64_t index,
                     action *a) {
  const int64_t *words = machine_object_const(m, state, SYMBOL_RWLOCK, o->target);
  bool written = words[0] != 0, held = written;
  for (uint32_t t = 0; t < m->program->thread_count; t++) {
    held = held || words[1 + t] > 0;
  }
  if (index > 0) return false;
  switch (o->kind) {
  case OPERATION_RDLOCK:
  case OPERATION_TRYRDLOCK:
    a->kind = written ? ACTION_RDFAIL : ACTION_RDACQUIRE;
    return !written || o->kind == OPERATION_TRYRDLOCK;
  case OPERATION_WRLOCK:
  case OPERATION_TRYWRLOCK:
    a->kind = held ? ACTION_WRFAIL : ACTION_WRACQUIRE;
    return !held || o->kind == OPERATION_TRYWRLOCK;
  default:
    a->kind = written ? ACTION_WRRELEASE : ACTION_RDRELEASE;
    return written ? words[0] - 1 == (int64_t)a->thread : words[1 + a->thread] > 0;
  }
}

int64_t rwlock_change(machine *m, int64_t *state, const action *a) {
  int64_t *words = machine_object(m, state, SYMBOL_RWLOCK, a->target);
  switch (a->kind) {
  case ACTION_RDACQUIRE:
    words[1 + a->thread]++;
    return 1;
  case ACTION_WRACQUIRE:
    words[0] = (int64_t)a->thread + 1;
    return 1;
  case ACTION_RDRELEASE:
    words[1 + a->thread]--;
    return 0;
  case ACTION_WRRELEASE:
    words[0] = 0;
    return 0;
  default:
    return 0;
  }
}

/* ---- semaphores ---- */

bool semaphore_possible(const machine *m, const int64_t *state, const operation *o, uint64_t index,
                        action *a) {
  bool above = *machine_object_const(m, state, SYMBOL_SEMAPHORE, o->target) > 0;
  if (o->kind == OPERATION_POST) {
    a->kind = program_posts_exceed(m->program, o->target) ? ACTION_POST_ALONE : ACTION_POST;
  } else {
    a->kind = above ? ACTION_SEM_ACQUIRE : ACTION_SEM_FAIL;
  }
  return index == 0 && (above || o->kind != OPERATION_SEM_WAIT);
}

/* At the maximum a post is an error of the program. The order of posts decides which one it is, so
 * where that can be, they do not commute. */
int64_t semaphore_change(machine *m, int64_t *state, const action *a) {
  int64_t *value = machine_object(m, state, SYMBOL_SEMAPHORE, a->target);
  if (a->kind == ACTION_SEM_ACQUIRE) {
    --*value;
  } else if (a->kind != ACTION_SEM_FAIL &&
             *value < program_semaphore(m->program, a->target)->maximum) {
    ++*value;
  } else if (a->kind != ACTION_SEM_FAIL && !m->program->options.saturating) {
    const int64_t *t = machine_thread_const(m, state, a->thread);
    machine_fail(m, m->program->code[t[THREAD_PC]].line, "a post beyond the maximum");
  }
  return a->kind == ACTION_SEM_ACQUIRE;
}

/* ---- barriers ---- */

bool barrier_possible(const machine *m, const int64_t *state, const operation *o, uint64_t index,
                      action *a) {
  int64_t arrived = *machine_object_const(m, state, SYMBOL_BARRIER, o->target);
  a->kind = o->kind == OPERATION_ARRIVE ? ACTION_ARRIVE : ACTION_PASS;
  a->second = o->second;
  return index == 0 && (a->kind == ACTION_ARRIVE ||
                        arrived / machine_barrier_count(m, o->target) > (int64_t)o->second);
}

int64_t barrier_change(machine *m, int64_t *state, const action *a) {
  if (a->kind == ACTION_ARRIVE) {
    ++*machine_object(m, state, SYMBOL_BARRIER, a->target);
    machine_thread(m, state, a->thread)[THREAD_KIND] = OPERATION_PASS;
  }
  return 0;
}
