/*
 * What operations wait for and what they change.
 *
 * Words of a mutex: its holder (0: free, else the thread's number and 1 more), the instruction
 * that took it. Of a condition variable: the instruction of the last notification that found
 * nobody waiting and 1 more; the states of the threads say who waits. Of a reader-writer lock: the
 * same two as of a mutex for the writer, the number of holds for reading, and further behind for
 * each thread its holds and the instruction of the first. Of the atomics: their bytes. Of a
 * semaphore: its value. Of a barrier: its round, and how many have arrived in it; further behind
 * for each thread how often it arrived, up to twice what the barrier is for. Of a channel: see
 * channels.c. The instructions are there for reports only.
 *
 * A thread that stands at a barrier keeps whether the round in which it stood there first is an odd
 * one. As long as no more threads contend for a round than the barrier is for, that is the one in
 * which it arrives; and when it has, that round is the present one or the one before. So no part of
 * a state that counts grows with the rounds: the sum of the arrivals of all threads gives how many
 * have arrived in the present round, and whether that is an odd one.
 */
#include "objects.h"

#include <inttypes.h>
#include <stdio.h>

#include "atomics.h"
#include "channels.h"
#include "futexes.h"
#include "operation.h"

enum { HOLDER, TAKEN_AT, READERS };
enum { VALUE };
enum { LOST_AT };
enum { ROUND, ARRIVED };
enum { HOLDS, FIRST_AT, READER_WORDS };

static const uint32_t object_words[SYMBOL_KINDS] = {
    [SYMBOL_MUTEX] = TAKEN_AT + 1,  [SYMBOL_COND] = LOST_AT + 1,
    [SYMBOL_RWLOCK] = READERS + 1,  [SYMBOL_SEMAPHORE] = VALUE + 1,
    [SYMBOL_BARRIER] = ARRIVED + 1, [SYMBOL_CHANNEL] = CHANNEL_WORDS};

/* The words of all elements of a kind. */
static uint64_t words_of(const struct program *p, unsigned kind) {
  if (kind == SYMBOL_ATOMIC) return p->bytes / sizeof(int64_t);
  return (uint64_t)object_words[kind] * p->count[kind];
}

uint64_t objects_place(struct machine *m, uint32_t first) {
  const struct program *p = m->program;
  uint64_t words = first;
  for (unsigned kind = 0; kind < SYMBOL_KINDS; kind++) {
    m->first[kind] = (uint32_t)words;
    words += words_of(p, kind);
  }
  m->readers = (uint32_t)words;
  words += (uint64_t)READER_WORDS * p->count[SYMBOL_RWLOCK] * p->count[SYMBOL_THREAD];
  m->arrivals = (uint32_t)words;
  return words + (uint64_t)p->count[SYMBOL_BARRIER] * p->count[SYMBOL_THREAD];
}

/* The words of an object that is about to be changed, once in a step. */
static int64_t *object(const struct machine *m, int64_t *state, enum symbol_kind kind,
                       uint32_t element) {
  const size_t first = m->first[kind] + (size_t)element * object_words[kind];
  machine_enter(m, state, first, object_words[kind]);
  return state + first;
}

static const int64_t *seen(const struct machine *m, const int64_t *state, enum symbol_kind kind,
                           uint32_t element) {
  return state + m->first[kind] + (size_t)element * object_words[kind];
}

static size_t reader(const struct machine *m, uint32_t rwlock, uint32_t thread) {
  size_t row = (size_t)rwlock * m->program->count[SYMBOL_THREAD] + thread;
  return m->readers + row * READER_WORDS;
}

void objects_begin(const struct machine *m, int64_t *state) {
  const struct program *p = m->program;
  for (uint32_t i = 0; i < p->symbol_count; i++) {
    const struct symbol *s = &p->symbols[i];
    for (uint32_t j = 0; s->kind == SYMBOL_ATOMIC && !s->overlay && j < s->count; j++)
      atomics_begin(m, state, s->first + j, s->initial);
    for (uint32_t j = 0; s->kind == SYMBOL_SEMAPHORE && j < s->count; j++)
      object(m, state, s->kind, s->first + j)[VALUE] = s->initial;
  }
}

bool machine_holder(const struct machine *m, const int64_t *state, enum symbol_kind kind,
                    uint32_t element, uint32_t *thread, struct place *place) {
  const int64_t *words = seen(m, state, kind, element);
  if (words[HOLDER] == 0) return false;
  *thread = (uint32_t)(words[HOLDER] - 1);
  *place = m->program->code[words[TAKEN_AT]].place;
  return true;
}

bool machine_reads(const struct machine *m, const int64_t *state, uint32_t rwlock, uint32_t thread,
                   struct place *place) {
  const int64_t *words = state + reader(m, rwlock, thread);
  if (words[HOLDS] == 0) return false;
  *place = m->program->code[words[FIRST_AT]].place;
  return true;
}

int64_t machine_readers(const struct machine *m, const int64_t *state, uint32_t rwlock) {
  return seen(m, state, SYMBOL_RWLOCK, rwlock)[READERS];
}

int64_t machine_semaphore(const struct machine *m, const int64_t *state, uint32_t semaphore) {
  return seen(m, state, SYMBOL_SEMAPHORE, semaphore)[VALUE];
}

int64_t machine_barrier(const struct machine *m, const int64_t *state, uint32_t barrier,
                        int64_t *arrived) {
  const int64_t *words = seen(m, state, SYMBOL_BARRIER, barrier);
  *arrived = words[ARRIVED];
  return words[ROUND];
}

bool machine_waits(const struct machine *m, const int64_t *state, enum symbol_kind kind,
                   uint32_t element, uint32_t thread) {
  const int64_t *words = state + m->base[thread];
  return words[PHASE] == PHASE_WAITING && words[OPERAND] == (int64_t)element &&
         opcode_kind(m->program->code[words[POSITION]].opcode) == kind;
}

bool machine_lost(const struct machine *m, const int64_t *state, uint32_t condition,
                  struct place *place) {
  const int64_t *words = seen(m, state, SYMBOL_COND, condition);
  if (words[LOST_AT] == 0) return false;
  *place = m->program->code[words[LOST_AT] - 1].place;
  return true;
}

static enum role object_role(const struct machine *m, enum symbol_kind kind, uint32_t word) {
  if (kind == SYMBOL_ATOMIC) return ROLE_COUNTER; /* additions may commute */
  uint32_t part = (word - m->first[kind]) % object_words[kind];
  switch (kind) {
  case SYMBOL_MUTEX:
  case SYMBOL_RWLOCK:
    return part == HOLDER ? ROLE_VALUE : ROLE_REPORT;
  case SYMBOL_SEMAPHORE:
    return ROLE_COUNTER;
  default:
    return ROLE_REPORT;
  }
}

/* Of the term that a word is: what is added to a counter is a number, and events do not commute
 * where a counter holds terms. */
static enum role machine_term_role(const struct machine *m, uint32_t word) {
  const enum role role = machine_role(m, word);
  return role == ROLE_COUNTER ? ROLE_VALUE : role;
}

/* How many branches a thread came to is of use only where they are limited. */
static bool counts_branches(const struct machine *m, uint32_t word) {
  if (m->symbolic->max_branches != UINT64_MAX) return false;
  for (uint32_t t = 0; t < m->program->count[SYMBOL_THREAD]; t++)
    if (word == m->base[t] + m->extent[t] - SYMBOLIC_WORDS + BRANCHES) return true;
  return false;
}

enum role machine_role(const struct machine *m, uint32_t word) {
  if (m->symbolic != NULL && word >= m->plain) return machine_term_role(m, word - m->plain);
  if (m->symbolic != NULL && counts_branches(m, word)) return ROLE_REPORT;
  size_t readers =
      (size_t)READER_WORDS * m->program->count[SYMBOL_RWLOCK] * m->program->count[SYMBOL_THREAD];
  if (word >= m->readers && word - m->readers < readers)
    return (word - m->readers) % READER_WORDS == HOLDS ? ROLE_VALUE : ROLE_REPORT;
  for (unsigned kind = 0; kind < SYMBOL_KINDS; kind++) {
    uint64_t words = words_of(m->program, kind);
    if (word >= m->first[kind] && word - m->first[kind] < words)
      return object_role(m, (enum symbol_kind)kind, word);
  }
  return ROLE_VALUE;
}

/* ---- whether an operation can happen ---- */

static bool free_of(const struct machine *m, const int64_t *state, enum symbol_kind kind,
                    uint32_t element) {
  return seen(m, state, kind, element)[HOLDER] == 0;
}

static bool holds(const struct machine *m, const int64_t *state, enum symbol_kind kind,
                  uint32_t element, uint32_t thread) {
  return seen(m, state, kind, element)[HOLDER] == (int64_t)thread + 1;
}

static bool joinable(const struct machine *m, const int64_t *state, uint32_t thread) {
  struct intent other;
  machine_intent(m, state, thread, &other);
  return machine_started(m, state, thread) && other.opcode == DO_EXIT;
}

static bool defined(const struct machine *m, const int64_t *state, uint32_t thread,
                    const struct intent *in) {
  switch (in->opcode) {
  case DO_UNLOCK:
    return holds(m, state, SYMBOL_MUTEX, in->element, thread);
  case DO_RWUNLOCK:
    return holds(m, state, SYMBOL_RWLOCK, in->element, thread) ||
           state[reader(m, in->element, thread) + HOLDS] > 0;
  case DO_WAIT:
  case DO_TIMEDWAIT:
    return in->phase != PHASE_BEFORE || holds(m, state, SYMBOL_MUTEX, in->mutex, thread);
  case DO_SPAWN:
    return !machine_started(m, state, in->element);
  default:
    return true;
  }
}

bool machine_undefined(const struct machine *m, const int64_t *state, uint32_t thread) {
  struct intent in;
  machine_intent(m, state, thread, &in);
  return in.stopped == STOP_NONE && !defined(m, state, thread, &in);
}

/* Behind the first event of a wait: with a notification or at the end of its time it takes the
 * mutex; a time-out itself needs nothing. */
static bool wait_ready(const struct machine *m, const int64_t *state, const struct intent *in) {
  if (in->phase == PHASE_BEFORE) return true;
  if (in->phase == PHASE_WAITING) return in->opcode == DO_TIMEDWAIT;
  return free_of(m, state, SYMBOL_MUTEX, in->mutex);
}

/* Whether what the operation takes is free to be taken. */
static bool available(const struct machine *m, const int64_t *state, const struct intent *in) {
  switch (in->opcode) {
  case DO_LOCK:
  case DO_TRYLOCK:
  case DO_TIMEDLOCK:
    return free_of(m, state, SYMBOL_MUTEX, in->element);
  case DO_RDLOCK:
  case DO_TRYRDLOCK:
    return free_of(m, state, SYMBOL_RWLOCK, in->element);
  case DO_WRLOCK:
  case DO_TRYWRLOCK:
    return free_of(m, state, SYMBOL_RWLOCK, in->element) &&
           machine_readers(m, state, in->element) == 0;
  case DO_SEM_WAIT:
  case DO_TRYWAIT:
    return machine_semaphore(m, state, in->element) > 0;
  case DO_CAS:
  case DO_AWAIT:
  case DO_EXCHANGE_AWAIT:
    return atomics_agree(m, state, in);
  default:
    return true;
  }
}

bool machine_succeeds(const struct machine *m, const int64_t *state, uint32_t thread) {
  struct intent in;
  machine_intent(m, state, thread, &in);
  if (in.opcode == DO_RWUNLOCK) return holds(m, state, SYMBOL_RWLOCK, in.element, thread);
  return available(m, state, &in);
}

bool machine_ready(const struct machine *m, const int64_t *state, uint32_t thread) {
  struct intent in;
  machine_intent(m, state, thread, &in);
  if (in.stopped != STOP_NONE || !defined(m, state, thread, &in)) return false;
  switch (in.opcode) {
  case DO_LOCK:
  case DO_RDLOCK:
  case DO_WRLOCK:
  case DO_SEM_WAIT:
  case DO_AWAIT:
  case DO_EXCHANGE_AWAIT:
    return available(m, state, &in);
  case DO_WAIT:
  case DO_TIMEDWAIT:
    return wait_ready(m, state, &in);
  case DO_FUTEX_WAIT:
  case DO_TIMEDFUTEXWAIT:
    return futexes_ready(&in);
  case DO_SEND:
  case DO_RECEIVE:
    return channels_ready(m, state, &in);
  case DO_ARRIVE:
    return in.phase == PHASE_BEFORE || seen(m, state, SYMBOL_BARRIER, in.element)[ROUND] > in.round;
  case DO_JOIN:
    return joinable(m, state, in.element);
  default:
    return in.opcode != DO_EXIT;
  }
}

bool machine_operation_fails(const struct machine *m, const int64_t *state, uint32_t thread,
                             struct problem *problem) {
  struct intent in;
  machine_intent(m, state, thread, &in);
  if (opcode_on_channel(in.opcode)) return channels_fail(m, state, &in, problem);
  if (in.opcode != DO_POST) return false;
  const struct symbol *s = program_symbol(m->program, SYMBOL_SEMAPHORE, in.element);
  if (machine_semaphore(m, state, in.element) < s->maximum) return false;
  problem->place = in.place;
  snprintf(problem->text, sizeof problem->text, "a post to '%.*s' at its maximum, %" PRId64,
           (int)(s->length > 60 ? 60 : s->length), s->name, s->maximum);
  return true;
}

/* ---- what it changes ---- */

static void take(const struct machine *m, int64_t *state, enum symbol_kind kind, uint32_t element,
                 uint32_t thread, int64_t at) {
  int64_t *words = object(m, state, kind, element);
  words[HOLDER] = (int64_t)thread + 1;
  words[TAKEN_AT] = at;
}

static void read_lock(const struct machine *m, int64_t *state, uint32_t element, uint32_t thread,
                      int64_t at) {
  const size_t first = reader(m, element, thread);
  int64_t *words = state + first;
  machine_enter(m, state, first, READER_WORDS);
  if (words[HOLDS]++ == 0) words[FIRST_AT] = at;
  object(m, state, SYMBOL_RWLOCK, element)[READERS]++;
}

static void unlock(const struct machine *m, int64_t *state, uint32_t element, uint32_t thread) {
  int64_t *words = object(m, state, SYMBOL_RWLOCK, element);
  if (words[HOLDER] != 0) {
    words[HOLDER] = 0;
  } else {
    const size_t first = reader(m, element, thread);
    machine_enter(m, state, first, READER_WORDS);
    state[first + HOLDS]--;
    words[READERS]--;
  }
}

void machine_wake(const struct machine *m, int64_t *state, uint32_t thread) {
  machine_enter(m, state, m->base[thread] + PHASE, 1);
  state[m->base[thread] + PHASE] = PHASE_NOTIFIED;
}

static void notify_all(const struct machine *m, int64_t *state, uint32_t condition, int64_t at) {
  bool lost = true;
  for (uint32_t t = 0; t < m->program->count[SYMBOL_THREAD]; t++) {
    if (!machine_waits(m, state, SYMBOL_COND, condition, t)) continue;
    machine_wake(m, state, t);
    lost = false;
  }
  if (lost) object(m, state, SYMBOL_COND, condition)[LOST_AT] = at + 1;
}

static void notify(const struct machine *m, int64_t *state, uint32_t condition, int64_t at,
                   int64_t thread) {
  if (thread >= 0)
    machine_wake(m, state, (uint32_t)thread);
  else
    object(m, state, SYMBOL_COND, condition)[LOST_AT] = at + 1;
}

/* The next event of a wait; true: it was the last one. */
static bool wait_on(const struct machine *m, int64_t *state, uint32_t thread) {
  int64_t *words = state + m->base[thread];
  uint32_t mutex = (uint32_t)words[SECOND_OPERAND];
  if (words[PHASE] == PHASE_BEFORE) {
    object(m, state, SYMBOL_MUTEX, mutex)[HOLDER] = 0;
    words[PHASE] = PHASE_WAITING;
    return false;
  }
  if (words[PHASE] == PHASE_WAITING) {
    words[PHASE] = PHASE_TIMED_OUT;
    return false;
  }
  take(m, state, SYMBOL_MUTEX, mutex, thread, words[POSITION]);
  return true;
}

static bool arrive(const struct machine *m, int64_t *state, uint32_t thread) {
  int64_t *words = state + m->base[thread];
  uint32_t element = (uint32_t)words[OPERAND];
  int64_t size = program_symbol(m->program, SYMBOL_BARRIER, element)->initial;
  size_t row = (size_t)element * m->program->count[SYMBOL_THREAD] + thread;
  if (words[PHASE] == PHASE_ARRIVED) return true;
  int64_t *barrier = object(m, state, SYMBOL_BARRIER, element);
  words[PHASE] = PHASE_ARRIVED;
  machine_enter(m, state, m->arrivals + row, 1);
  state[m->arrivals + row] = (state[m->arrivals + row] + 1) % (2 * size);
  if (++barrier[ARRIVED] == size) {
    barrier[ARRIVED] = 0;
    barrier[ROUND]++;
  }
  return false;
}

/* What an operation of one event changes. */
static void change(const struct machine *m, int64_t *state, uint32_t thread, int64_t result) {
  int64_t at = state[m->base[thread] + POSITION];
  uint32_t element = (uint32_t)state[m->base[thread] + OPERAND];
  switch (m->program->code[at].opcode) {
  case DO_LOCK:
  case DO_TRYLOCK:
  case DO_TIMEDLOCK:
    if (result != 0) take(m, state, SYMBOL_MUTEX, element, thread, at);
    break;
  case DO_UNLOCK:
    object(m, state, SYMBOL_MUTEX, element)[HOLDER] = 0;
    break;
  case DO_RDLOCK:
  case DO_TRYRDLOCK:
    if (result != 0) read_lock(m, state, element, thread, at);
    break;
  case DO_WRLOCK:
  case DO_TRYWRLOCK:
    if (result != 0) take(m, state, SYMBOL_RWLOCK, element, thread, at);
    break;
  case DO_RWUNLOCK:
    unlock(m, state, element, thread);
    break;
  case DO_POST:
    object(m, state, SYMBOL_SEMAPHORE, element)[VALUE]++;
    break;
  case DO_SEM_WAIT:
  case DO_TRYWAIT:
    object(m, state, SYMBOL_SEMAPHORE, element)[VALUE] -= result;
    break;
  case DO_SIGNAL:
    notify(m, state, element, at, result);
    break;
  case DO_BROADCAST:
    notify_all(m, state, element, at);
    break;
  case DO_SPAWN:
    machine_enter_thread(m, state, element);
    state[m->base[element] + STARTED] = 1;
    break;
  default:
    break; /* join, choose, futex_wake */
  }
}

/* Whether it is an operation on an atomic that is one event, without its queue. */
static bool is_access(enum opcode opcode) {
  return opcode >= DO_LOAD && opcode <= DO_EXCHANGE_AWAIT;
}

/* Performs an operation on an atomic that is one event; returns its result. */
static int64_t access_atomic(const struct machine *m, int64_t *state, uint32_t thread,
                             enum opcode opcode) {
  const int64_t *words = state + m->base[thread];
  uint32_t element = (uint32_t)words[OPERAND];
  if (m->symbolic == NULL || !m->tainted[element])
    return atomics_access(m, state, opcode, element, words[SECOND_OPERAND], words[THIRD_OPERAND]);
  struct intent in;
  machine_intent(m, state, thread, &in);
  return symbolic_access(m, state, thread, &in);
}

void machine_perform(const struct machine *m, int64_t *state, uint32_t thread, int64_t result) {
  int64_t *words = state + m->base[thread];
  enum opcode opcode = m->program->code[words[POSITION]].opcode;
  machine_enter_thread(m, state, thread);
  if (words[PHASE] >= PHASE_TEST) {
    symbolic_perform(m, state, thread, result);
    return;
  }
  if (is_access(opcode)) {
    result = access_atomic(m, state, thread, opcode);
  } else if (opcode == DO_WAIT || opcode == DO_TIMEDWAIT) {
    result = words[PHASE] == PHASE_NOTIFIED;
    if (!wait_on(m, state, thread)) return;
  } else if (opcode == DO_ARRIVE) {
    if (!arrive(m, state, thread)) return;
  } else if (futexes_waits(opcode)) {
    if (!futexes_wait(m, state, thread, &result)) return;
  } else if (opcode_on_channel(opcode)) {
    result = channels_perform(m, state, thread);
  } else {
    change(m, state, thread, result);
  }
  words[POSITION]++;
  words[PHASE] = opcode_has_result(opcode) ? PHASE_RESULT : PHASE_BEFORE;
  words[OPERAND] = result;
}
