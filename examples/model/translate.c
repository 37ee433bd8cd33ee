/*
 * Between the language and the library: names, operations, actions. Threads have their numbers as
 * handles, the objects of a kind handles in a row. Each round of a barrier is an object of the
 * library, named when a thread first stands at it.
 */
#include "translate.h"

#include <stdlib.h>

#include "channels.h"
#include "futexes.h"
#include "objects.h"
#include "operation.h"

static const struct {
  enum symbol_kind kind;
  unf_object_class object_class;
} classes[] = {{SYMBOL_ATOMIC, UNF_LOCATION},     {SYMBOL_MUTEX, UNF_MUTEX},
               {SYMBOL_COND, UNF_CONDITION},      {SYMBOL_RWLOCK, UNF_RWLOCK},
               {SYMBOL_SEMAPHORE, UNF_SEMAPHORE}, {SYMBOL_CHANNEL, UNF_CUSTOM}};

static bool is_placed(const struct symbol *symbol) {
  return symbol->shared || symbol->size < sizeof(int64_t);
}

/* Bytes are numbered from the first element of the symbol on that is no overlay, which has its name
 * by then: overlays come behind it. */
static unf_status place(const struct session *s, const struct symbol *symbol, uint32_t atomic) {
  unf_object location = s->objects[SYMBOL_ATOMIC] + atomic;
  if (!symbol->shared) return unf_location_place(s->unfolding, location, location, 0, symbol->size);
  uint32_t begin = program_symbol(&s->program, SYMBOL_ATOMIC, symbol->space)->address;
  uint32_t first = symbol->address + (atomic - symbol->first) * symbol->size - begin;
  return unf_location_place(s->unfolding, location, s->objects[SYMBOL_ATOMIC] + symbol->space,
                            first, symbol->size);
}

static unf_status name_objects(struct session *s, enum symbol_kind kind,
                               unf_object_class object_class) {
  unf_status status = UNF_OK;
  unf_object object;
  s->objects[kind] = unf_unfolding_objects(s->unfolding);
  for (uint32_t i = 0; status == UNF_OK && i < s->program.count[kind]; i++) {
    status = unf_object_name(s->unfolding, object_class, UNF_THREAD_NONE, i, &object);
    if (status != UNF_OK || (kind != SYMBOL_ATOMIC && kind != SYMBOL_SEMAPHORE)) continue;
    const struct symbol *symbol = program_symbol(&s->program, kind, i);
    if (kind == SYMBOL_ATOMIC && is_placed(symbol)) status = place(s, symbol, i);
    if (status == UNF_OK && !symbol->overlay)
      status = unf_object_set_initial(s->unfolding, object, symbol->initial);
    if (status == UNF_OK && kind == SYMBOL_SEMAPHORE && program_posts_exceed(symbol))
      status = unf_object_set_maximum(s->unfolding, object, symbol->maximum);
  }
  return status;
}

unf_status session_name_all(struct session *s) {
  unf_status status = UNF_OK;
  unf_thread thread;
  if (s->program.count[SYMBOL_CHANNEL] > 0)
    status = unf_channel_register(s->unfolding, &s->channels);
  for (uint32_t t = 0; status == UNF_OK && t < s->program.count[SYMBOL_THREAD]; t++) {
    status = unf_thread_name(s->unfolding, UNF_THREAD_NONE, t, &thread);
    if (status == UNF_OK && machine_initial(&s->machine, t))
      status = unf_thread_start(s->unfolding, thread);
  }
  for (size_t i = 0; status == UNF_OK && i < sizeof classes / sizeof *classes; i++)
    status = name_objects(s, classes[i].kind, classes[i].object_class);
  return status;
}

unf_status session_round(const struct session *s, uint32_t barrier, int64_t round,
                         unf_object *object) {
  uint64_t key = (uint64_t)round * s->program.count[SYMBOL_BARRIER] + barrier;
  return unf_object_name(s->unfolding, UNF_BARRIER, UNF_THREAD_NONE, key, object);
}

/* The queue of an atomic is an object of the library, named when a thread first uses it. */
static unf_status queue_of(const struct session *s, uint32_t atomic, unf_object *object) {
  return unf_object_name(s->unfolding, UNF_FUTEX, UNF_THREAD_NONE, atomic, object);
}

/* Operations of one event: what the library calls them, what comes of them, and what
 * where they fail. */
static const struct simple {
  bool is;
  unf_operation_kind operation;
  unf_action_kind action, failed;
} simple[OPCODES] = {
    [DO_LOCK] = {true, UNF_LOCK, UNF_DID_ACQUIRE, UNF_DID_ACQUIRE},
    [DO_TRYLOCK] = {true, UNF_TRYLOCK, UNF_DID_ACQUIRE, UNF_DID_TRYFAIL},
    [DO_TIMEDLOCK] = {true, UNF_TRYLOCK, UNF_DID_ACQUIRE, UNF_DID_TRYFAIL},
    [DO_UNLOCK] = {true, UNF_UNLOCK, UNF_DID_RELEASE, UNF_DID_RELEASE},
    [DO_SIGNAL] = {true, UNF_SIGNAL, UNF_DID_SIGNAL, UNF_DID_SIGNAL},
    [DO_BROADCAST] = {true, UNF_BROADCAST, UNF_DID_BROADCAST, UNF_DID_BROADCAST},
    [DO_RDLOCK] = {true, UNF_RDLOCK, UNF_DID_RDLOCK, UNF_DID_RDLOCK},
    [DO_TRYRDLOCK] = {true, UNF_TRYRDLOCK, UNF_DID_RDLOCK, UNF_DID_RDFAIL},
    [DO_WRLOCK] = {true, UNF_WRLOCK, UNF_DID_WRLOCK, UNF_DID_WRLOCK},
    [DO_TRYWRLOCK] = {true, UNF_TRYWRLOCK, UNF_DID_WRLOCK, UNF_DID_WRFAIL},
    [DO_RWUNLOCK] = {true, UNF_RWUNLOCK, UNF_DID_WRUNLOCK,
                     UNF_DID_RDUNLOCK}, /* fails: does not write */
    [DO_POST] = {true, UNF_POST, UNF_DID_POST, UNF_DID_POST},
    [DO_SEM_WAIT] = {true, UNF_SEM_WAIT, UNF_DID_SEM_WAIT, UNF_DID_SEM_WAIT},
    [DO_TRYWAIT] = {true, UNF_SEM_TRYWAIT, UNF_DID_SEM_WAIT, UNF_DID_SEM_FAIL},
    [DO_LOAD] = {true, UNF_LOAD, UNF_DID_READ, UNF_DID_READ},
    [DO_STORE] = {true, UNF_STORE, UNF_DID_WRITE, UNF_DID_WRITE},
    [DO_EXCHANGE] = {true, UNF_EXCHANGE, UNF_DID_WRITE, UNF_DID_WRITE},
    [DO_FETCH_ADD] = {true, UNF_FETCH_ADD, UNF_DID_WRITE, UNF_DID_WRITE},
    [DO_FETCH_AND] = {true, UNF_FETCH_AND, UNF_DID_WRITE, UNF_DID_WRITE},
    [DO_FETCH_OR] = {true, UNF_FETCH_OR, UNF_DID_WRITE, UNF_DID_WRITE},
    [DO_FETCH_XOR] = {true, UNF_FETCH_XOR, UNF_DID_WRITE, UNF_DID_WRITE},
    [DO_FETCH_NAND] = {true, UNF_FETCH_NAND, UNF_DID_WRITE, UNF_DID_WRITE},
    [DO_CAS] = {true, UNF_CAS, UNF_DID_WRITE, UNF_DID_READ},
    [DO_AWAIT] = {true, UNF_AWAIT, UNF_DID_READ, UNF_DID_READ},
    [DO_EXCHANGE_AWAIT] = {true, UNF_EXCHANGE_AWAIT, UNF_DID_WRITE, UNF_DID_WRITE},
    [DO_SPAWN] = {true, UNF_CREATE, UNF_DID_CREATE, UNF_DID_CREATE},
    [DO_JOIN] = {true, UNF_JOIN, UNF_DID_JOIN, UNF_DID_JOIN},
};

/* A fetch_add that commutes with others (--ifaa). With cutoffs one of a few bytes does not: where
 * it wraps, what it changes in a state is not the same in every order. */
static bool commutes(const struct session *s, const struct intent *in) {
  if (in->opcode != DO_FETCH_ADD || !s->options.ifaa || in->used) return false;
  if (s->machine.tainted[in->element]) return false; /* sums of terms depend on the order */
  return s->options.cutoffs.order == UNF_CUTOFFS_NONE ||
         !is_placed(program_symbol(&s->program, SYMBOL_ATOMIC, in->element));
}

static const struct simple *find_simple(enum opcode opcode) {
  return simple[opcode].is ? &simple[opcode] : NULL;
}

static unf_operation halt(enum stop stopped) {
  return UNF_OP_HALT(stopped == STOP_ASSUME || stopped == STOP_PURE ? UNF_HALT_ASSUME
                     : stopped == STOP_BOUND                        ? UNF_HALT_BOUND
                                                                    : UNF_HALT_ASSERT);
}

static unf_operation access_operation(const struct session *s, const struct intent *in,
                                      unf_operation_kind kind) {
  static const unf_relation relations[RELATIONS] = {
      [RELATION_EQUAL] = UNF_EQUAL,     [RELATION_UNEQUAL] = UNF_UNEQUAL,
      [RELATION_LESS] = UNF_LESS,       [RELATION_AT_MOST] = UNF_AT_MOST,
      [RELATION_GREATER] = UNF_GREATER, [RELATION_AT_LEAST] = UNF_AT_LEAST};
  unf_object location = s->objects[SYMBOL_ATOMIC] + in->element;
  if (s->machine.tainted[in->element]) /* the library must not compare its values */
    return unf_operation_make(in->swaps ? UNF_EXCHANGE : kind, location, 0, 0);
  if (in->opcode == DO_AWAIT || in->opcode == DO_EXCHANGE_AWAIT)
    return unf_operation_await(kind, location, relations[in->relation], in->value, in->desired);
  return unf_operation_make(commutes(s, in) ? UNF_ADD : kind, location, in->value, in->desired);
}

static unf_operation wait_operation(const struct session *s, const struct intent *in) {
  unf_object condition = s->objects[SYMBOL_COND] + in->element;
  unf_object mutex = s->objects[SYMBOL_MUTEX] + in->mutex;
  if (in->phase == PHASE_BEFORE) return UNF_OP_WAIT(condition, mutex);
  if (in->phase == PHASE_TIMED_OUT) return UNF_OP_LOCK(mutex);
  return in->opcode == DO_WAIT ? UNF_OP_WAKE(condition, mutex)
                               : UNF_OP_TIMED_WAKE(condition, mutex);
}

static unf_status futex_operation(const struct session *s, const struct intent *in,
                                  unf_operation *out) {
  unf_object queue;
  unf_status status = queue_of(s, in->element, &queue);
  if (status != UNF_OK) return status;
  if (in->opcode == DO_FUTEX_WAKE)
    *out = UNF_OP_FUTEX_WAKE(queue, in->value);
  else if (in->phase == PHASE_BEFORE)
    *out = UNF_OP_FUTEX_WAIT(queue, s->objects[SYMBOL_ATOMIC] + in->element, in->value);
  else
    *out =
        in->opcode == DO_FUTEX_WAIT ? UNF_OP_FUTEX_RETURN(queue) : UNF_OP_TIMED_FUTEX_RETURN(queue);
  return UNF_OK;
}

static unf_operation channel_operation(const struct session *s, const struct intent *in) {
  const int64_t places = program_symbol(&s->program, SYMBOL_CHANNEL, in->element)->initial;
  const unf_channel channel = {s->channels, s->objects[SYMBOL_CHANNEL] + in->element,
                               places > 0 ? (uint32_t)places : UNF_CHANNEL_UNBOUNDED};
  switch (in->opcode) {
  case DO_SEND:
    return unf_channel_send(channel, in->value);
  case DO_TRYSEND:
    return unf_channel_try_send(channel, in->value);
  case DO_RECEIVE:
    return unf_channel_receive(channel);
  case DO_TRYRECEIVE:
    return unf_channel_try_receive(channel);
  default:
    return unf_channel_close(channel);
  }
}

/* Whether an action on a channel is what comes of the operation. */
static bool hands_on(const struct session *s, const int64_t *state, const struct intent *in,
                     const unf_action *action) {
  uint64_t number, expected;
  return unf_channel_did(action, &number) == channels_outcome(&s->machine, state, in, &expected) &&
         number == expected;
}

unf_status session_operation(const struct session *s, const int64_t *state, uint32_t thread,
                             unf_operation *out) {
  struct intent in;
  machine_intent(&s->machine, state, thread, &in);
  const struct simple *row = find_simple(in.opcode);
  if (in.stopped != STOP_NONE) {
    *out = halt(in.stopped);
  } else if (row != NULL && opcode_on_atomic(in.opcode)) {
    *out = access_operation(s, &in, row->operation);
  } else if (row != NULL) {
    unf_object first = s->objects[opcode_kind(in.opcode)];
    *out = unf_operation_make(row->operation, first + in.element, 0, 0);
  } else if (opcode_on_atomic(in.opcode)) {
    return futex_operation(s, &in, out);
  } else if (opcode_on_channel(in.opcode)) {
    *out = channel_operation(s, &in);
  } else if (in.opcode == DO_CHOOSE) {
    *out = UNF_OP_LOCAL(in.low, in.high);
  } else if (in.opcode == DO_BRANCH) {
    const struct knowledge *k = &s->inputs.knowledge;
    *out = UNF_OP_BRANCH(k->content.names[in.branch], k->branches.items[in.branch].count);
  } else if (in.opcode == DO_EXIT) {
    *out = UNF_OP_EXIT();
  } else if (in.opcode == DO_ARRIVE) {
    unf_object round;
    int64_t count = program_symbol(&s->program, SYMBOL_BARRIER, in.element)->initial;
    unf_status status = session_round(s, in.element, in.round, &round);
    if (status != UNF_OK) return status;
    *out = in.phase == PHASE_BEFORE ? UNF_OP_ARRIVE(round, count) : UNF_OP_PASS(round, count);
  } else {
    *out = wait_operation(s, &in);
  }
  return UNF_OK;
}

static uint32_t count_waiting(const struct session *s, const int64_t *state, uint32_t atomic) {
  uint32_t count = 0;
  for (uint32_t t = 0; t < s->program.count[SYMBOL_THREAD]; t++)
    count += machine_waits(&s->machine, state, SYMBOL_ATOMIC, atomic, t);
  return count;
}

static unf_action_kind futex_outcome(const struct session *s, const int64_t *state,
                                     const struct intent *in) {
  if (in->opcode == DO_FUTEX_WAKE)
    return count_waiting(s, state, in->element) < in->value ? UNF_DID_FUTEX_WAKE_ALL
                                                            : UNF_DID_FUTEX_WAKE;
  if (in->phase != PHASE_BEFORE)
    return in->phase == PHASE_NOTIFIED ? UNF_DID_FUTEX_RETURN : UNF_DID_FUTEX_TIMEOUT;
  return futexes_agree(&s->machine, state, in) ? UNF_DID_FUTEX_WAIT : UNF_DID_FUTEX_AGAIN;
}

/* What comes of the operation that a thread can perform now. */
static unf_action_kind outcome(const struct session *s, const int64_t *state, uint32_t thread,
                               const struct intent *in) {
  const struct simple *row = find_simple(in->opcode);
  if (commutes(s, in)) return UNF_DID_ADD;
  if (in->swaps) return UNF_DID_WRITE;
  if (row != NULL) return machine_succeeds(&s->machine, state, thread) ? row->action : row->failed;
  if (opcode_on_atomic(in->opcode)) return futex_outcome(s, state, in);
  if (in->opcode == DO_CHOOSE) return UNF_DID_LOCAL;
  if (opcode_on_channel(in->opcode)) return UNF_DID_CUSTOM;
  if (in->opcode == DO_ARRIVE) return in->phase == PHASE_BEFORE ? UNF_DID_ARRIVE : UNF_DID_PASS;
  switch (in->phase) {
  case PHASE_BEFORE:
    return UNF_DID_WAIT;
  case PHASE_WAITING:
    return UNF_DID_TIMEOUT;
  case PHASE_TIMED_OUT:
    return UNF_DID_ACQUIRE;
  default:
    return UNF_DID_WAKE;
  }
}

/* Whether the threads that a notification notifies can be these. */
static bool notifies(const struct session *s, const int64_t *state, const struct intent *in,
                     int64_t value) {
  uint32_t threads = s->program.count[SYMBOL_THREAD], count = 0;
  int64_t all = -1;
  unf_thread *waiting = malloc(threads * sizeof *waiting);
  for (uint32_t t = 0; waiting != NULL && t < threads; t++)
    if (machine_waits(&s->machine, state, SYMBOL_COND, in->element, t)) waiting[count++] = t;
  bool good = waiting != NULL;
  if (in->opcode == DO_BROADCAST)
    good = good && unf_thread_set(s->unfolding, waiting, count, &all) == UNF_OK && all == value;
  else if (value == UNF_LOST)
    good = good && count == 0;
  else
    good = good && value >= 0 && value < threads &&
           machine_waits(&s->machine, state, SYMBOL_COND, in->element, (uint32_t)value);
  free(waiting);
  return good;
}

struct woken {
  const struct session *session;
  const int64_t *state;
  uint32_t atomic, count;
};

static bool count_woken(void *user, unf_thread thread) {
  struct woken *w = user;
  bool waits = thread < w->session->program.count[SYMBOL_THREAD] &&
               machine_waits(&w->session->machine, w->state, SYMBOL_ATOMIC, w->atomic, thread);
  w->count += waits;
  return waits;
}

/* Whether the threads that a wake wakes can be these: as many as it is to wake, or all, which wait
 * one and all. */
static bool wakes(const struct session *s, const int64_t *state, const struct intent *in,
                  int64_t set) {
  struct woken w = {s, state, in->element, 0};
  uint32_t waiting = count_waiting(s, state, in->element);
  int64_t number = waiting < in->value ? waiting : in->value;
  return unf_thread_set_members(s->unfolding, set, count_woken, &w) == UNF_OK && w.count == number;
}

bool session_fits(const struct session *s, const int64_t *state, const unf_action *action) {
  struct intent in;
  unf_operation operation;
  if (action->thread >= s->program.count[SYMBOL_THREAD] ||
      !machine_started(&s->machine, state, action->thread) ||
      !machine_ready(&s->machine, state, action->thread))
    return false;
  machine_intent(&s->machine, state, action->thread, &in);
  if (outcome(s, state, action->thread, &in) != action->kind ||
      session_operation(s, state, action->thread, &operation) != UNF_OK)
    return false;
  if (operation.target != action->target) return false;
  bool names_second = action->kind == UNF_DID_WAIT || action->kind == UNF_DID_WAKE ||
                      action->kind == UNF_DID_FUTEX_WAIT || action->kind == UNF_DID_FUTEX_AGAIN ||
                      action->kind == UNF_DID_CUSTOM;
  if (action->second != (names_second ? operation.second : 0)) return false;
  if (in.opcode == DO_CHOOSE) return action->value >= in.low && action->value <= in.high;
  if (in.opcode == DO_SIGNAL || in.opcode == DO_BROADCAST)
    return notifies(s, state, &in, action->value);
  if (opcode_on_channel(in.opcode)) return hands_on(s, state, &in, action);
  if (in.opcode == DO_FUTEX_WAKE) return wakes(s, state, &in, action->value);
  return true;
}
