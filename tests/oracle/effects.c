/*
 * The effects: for each operation the actions that can come of it, for each action what it changes
 * and what it depends on. The table of dependences is that of the language's events page:
 *
 *   acq, rel      acq, rel, tryfail of the same mutex
 *   tryfail       acq, rel of the same mutex (two failures commute)
 *   spawn(t)      every event of t; every spawn(t) and join(t)
 *   join(t)       every event of t (two joins commute)
 *   loc(v)        nothing
 *
 * and events of one thread always depend on each other. An effect to come adds its operations and
 * actions to the two tables.
 */
#include "machine.h"

#include <string.h>

/* ---- operations: the index-th action possible ---- */

typedef bool (*possible)(const machine *m, const int64_t *state, const operation *o, uint64_t index,
                         action *a);

static int64_t owner_of(const machine *m, const int64_t *state, uint32_t mutex) {
  return state[m->program->shared_count + mutex] - 1;
}

static bool never(const machine *m, const int64_t *state, const operation *o, uint64_t index,
                  action *a) {
  (void)m, (void)state, (void)o, (void)index, (void)a;
  return false;
}

static bool lock_possible(const machine *m, const int64_t *state, const operation *o,
                          uint64_t index, action *a) {
  a->kind = ACTION_ACQUIRE;
  return index == 0 && owner_of(m, state, o->target) < 0;
}

static bool trylock_possible(const machine *m, const int64_t *state, const operation *o,
                             uint64_t index, action *a) {
  a->kind = owner_of(m, state, o->target) < 0 ? ACTION_ACQUIRE : ACTION_TRYFAIL;
  return index == 0;
}

static bool unlock_possible(const machine *m, const int64_t *state, const operation *o,
                            uint64_t index, action *a) {
  a->kind = ACTION_RELEASE;
  return index == 0 && owner_of(m, state, o->target) == (int64_t)a->thread;
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

static const struct {
  const char *name;
  possible possible;
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

/* ---- actions: what they change, returning the result; and what they depend on in other threads
 * ---- */

typedef int64_t (*change)(machine *m, int64_t *state, const action *a);
typedef bool (*dependence)(const action *a, const action *b);

static int64_t acquire(machine *m, int64_t *state, const action *a) {
  *machine_owner(m, state, a->target) = (int64_t)a->thread + 1;
  return 1;
}

static int64_t release(machine *m, int64_t *state, const action *a) {
  *machine_owner(m, state, a->target) = 0;
  return 0;
}

static int64_t nothing(machine *m, int64_t *state, const action *a) {
  (void)m, (void)state, (void)a;
  return 0;
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

static bool on_mutex(const action *a) {
  return a->kind == ACTION_ACQUIRE || a->kind == ACTION_RELEASE || a->kind == ACTION_TRYFAIL;
}

static bool with_mutex(const action *a, const action *b) {
  return on_mutex(b) && a->target == b->target;
}

static bool with_changes_of_mutex(const action *a, const action *b) {
  return with_mutex(a, b) && b->kind != ACTION_TRYFAIL;
}

static bool with_thread(const action *a, const action *b) {
  return b->thread == a->target;
}

static bool with_thread_and_starts(const action *a, const action *b) {
  return with_thread(a, b) ||
         ((b->kind == ACTION_SPAWN || b->kind == ACTION_JOIN) && b->target == a->target);
}

static bool with_nothing(const action *a, const action *b) {
  (void)a, (void)b;
  return false;
}

static const struct {
  const char *name;
  change change;
  dependence dependent;
} actions[ACTION_COUNT] = {
    [ACTION_ACQUIRE] = {"acq", acquire, with_mutex},
    [ACTION_RELEASE] = {"rel", release, with_mutex},
    [ACTION_TRYFAIL] = {"tryfail", nothing, with_changes_of_mutex},
    [ACTION_SPAWN] = {"spawn", spawn, with_thread_and_starts},
    [ACTION_JOIN] = {"join", join, with_thread},
    [ACTION_CHOOSE] = {"loc", chosen, with_nothing},
};

const char *action_name(action_kind kind) {
  return actions[kind].name;
}

bool actions_dependent(const action *a, const action *b) {
  return a->thread == b->thread || actions[a->kind].dependent(a, b) ||
         actions[b->kind].dependent(b, a);
}

bool machine_perform(machine *m, int64_t *state, const action *a) {
  int64_t *t = machine_thread(m, state, a->thread);
  const instruction *i = &m->program->code[t[THREAD_PC]];
  memset(t + THREAD_MASKS, 0, 2 * m->mask_words * sizeof *state);
  int64_t result = actions[a->kind].change(m, state, a);
  if (i->result != ORACLE_NONE) t[THREAD_MASKS + 2 * (int64_t)m->mask_words + i->result] = result;
  t[THREAD_PC]++;
  machine_run(m, state, a->thread);
  return !m->error;
}
