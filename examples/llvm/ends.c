/*
 * Threads: how they begin and end, and what is done at their end: handlers that the program pushed,
 * destructors of thread-specific data, functions of atexit(). What such a function does is done by
 * the instruction at which the thread ends, which is executed again until nothing is left.
 */
#include "ends.h"

#include <errno.h>
#include <stdlib.h>

#include "../native/names.h"
#include "access.h"
#include "arith.h"
#include "array.h"
#include "builtin.h"
#include "code.h"
#include "decide.h"
#include "machine.h"
#include "memory.h"
#include "moment.h"
#include "sync.h"

/* ---- thread-specific data ---- */

enum { KEYS_OF_A_THREAD = 1024 };

/* The number of a key follows from the thread that makes it, and how many it made. */
static enum flow key_create(struct machine *m, struct thread *t, const struct arguments *a) {
  uint64_t to;
  int64_t destructor;
  if (!sync_pointer(m, t, a, 0, sizeof(uint32_t), &to) || !sync_number(m, t, a, 1, &destructor))
    return FLOW_STANDS;
  if (t->keys == KEYS_OF_A_THREAD) return machine_number(t, a, EAGAIN);
  if (m->now.key_count == m->now.key_room) {
    const size_t room = 2 * m->now.key_room + 8;
    struct key *keys = realloc(m->now.keys, room * sizeof *keys);
    if (keys == NULL) return machine_stop(m, UNF_MEMORY);
    m->now.keys = keys;
    m->now.key_room = room;
  }
  const uint32_t number = t->handle * KEYS_OF_A_THREAD + t->keys++;
  m->now.keys[m->now.key_count++] =
      (struct key){.number = number, .destructor = (uint64_t)destructor};
  return sync_put(m, t, to, 32, (int64_t)number) ? machine_number(t, a, 0) : FLOW_STANDS;
}

static struct key *find_key(struct machine *m, uint32_t number) {
  for (size_t i = 0; i < m->now.key_count; i++)
    if (m->now.keys[i].number == number) return &m->now.keys[i];
  return NULL;
}

static struct specific *find_specific(struct thread *t, uint32_t key) {
  for (size_t i = 0; i < t->specific_count; i++)
    if (t->specifics[i].key == key) return &t->specifics[i];
  return NULL;
}

static enum flow key_delete(struct machine *m, struct thread *t, const struct arguments *a) {
  int64_t number;
  if (!sync_number(m, t, a, 0, &number)) return FLOW_STANDS;
  struct key *key = find_key(m, (uint32_t)number);
  if (key == NULL || key->deleted) return machine_number(t, a, EINVAL);
  key->deleted = true;
  return machine_number(t, a, 0);
}

static enum flow get_specific(struct machine *m, struct thread *t, const struct arguments *a) {
  int64_t number;
  if (!sync_number(m, t, a, 0, &number)) return FLOW_STANDS;
  const struct specific *s = find_specific(t, (uint32_t)number);
  return machine_result(t, a, s != NULL ? s->value : value_number(0));
}

static enum flow set_specific(struct machine *m, struct thread *t, const struct arguments *a) {
  int64_t number;
  if (!sync_has(m, t, a, 2) || !sync_number(m, t, a, 0, &number)) return FLOW_STANDS;
  const struct key *key = find_key(m, (uint32_t)number);
  if (key == NULL || key->deleted) return machine_number(t, a, EINVAL);
  struct specific *s = find_specific(t, (uint32_t)number);
  if (s == NULL && t->specific_count == t->specific_room) {
    const size_t room = 2 * t->specific_room + 8;
    struct specific *all = realloc(t->specifics, room * sizeof *all);
    if (all == NULL) return machine_stop(m, UNF_MEMORY);
    t->specifics = all;
    t->specific_room = room;
  }
  if (s == NULL) s = &t->specifics[t->specific_count++];
  *s = (struct specific){(uint32_t)number, a->values[1]};
  return machine_number(t, a, 0);
}

/* Calls the destructor of a value that is left, if there is one. Destructors may set values again,
 * so there is a limit. */
static bool destroy_one(struct machine *m, struct thread *t) {
  enum { MOST = 4 * KEYS_OF_A_THREAD };
  for (size_t i = 0; i < t->specific_count && t->destroyed < MOST; i++) {
    struct specific *s = &t->specifics[i];
    const struct value value = s->value;
    const struct key *key = find_key(m, s->key);
    s->value = value_number(0);
    if ((value_known(value) && value.number == 0) || key == NULL || key->deleted) continue;
    const uint32_t function = machine_function_at(m, key->destructor);
    if (function == UINT32_MAX || m->code->functions[function].parameters != 1) continue;
    t->destroyed++;
    if (!machine_call(m, t, function, &value, 1, 0, 0)) machine_stop(m, UNF_MEMORY);
    return true;
  }
  return false;
}

/* ---- ends ---- */

enum flow sync_leave(struct machine *m, struct thread *t, bool exits) {
  enum flow flow;
  if (!exits && destroy_one(m, t)) return FLOW_AGAIN;
  if (exits && !m->now.exited && m->now.at_exit != UINT32_MAX) {
    m->now.exited = true;
    if (!machine_call(m, t, m->now.at_exit, NULL, 0, 0, 0)) machine_stop(m, UNF_MEMORY);
    return FLOW_AGAIN;
  }
  m->now.exited |= exits;
  t->exits = exits;
  if (!exits && !sync_abandon(m, t, &flow)) return flow;
  t->standing = STANDS_AT_END;
  t->operation = UNF_OP_EXIT();
  return FLOW_STANDS;
}

/* The others go on, as behind the end of main. */
static enum flow leave(struct machine *m, struct thread *t, const struct arguments *a) {
  (void)a;
  return sync_leave(m, t, true);
}

static enum flow leave_at_once(struct machine *m, struct thread *t, const struct arguments *a) {
  (void)a;
  m->now.exited = true;
  return sync_leave(m, t, true);
}

/* ---- jumps ---- */

/* Where a jump goes to is kept here; the program's buffer has its number. */
static enum flow set_jump(struct machine *m, struct thread *t, const struct arguments *a) {
  uint64_t buffer;
  const struct frame *frame = machine_frame(t);
  if (!sync_pointer(m, t, a, 0, sizeof(int64_t), &buffer)) return FLOW_STANDS;
  if (t->jump_count == t->jump_room) {
    const size_t room = 2 * t->jump_room + 8;
    struct jump *jumps = realloc(t->jumps, room * sizeof *jumps);
    if (jumps == NULL) return machine_stop(m, UNF_MEMORY);
    t->jumps = jumps;
    t->jump_room = room;
  }
  t->jumps[t->jump_count++] = (struct jump){t->frame_count, frame->number, frame->instruction};
  if (!sync_put(m, t, buffer, 64, (int64_t)t->jump_count)) return FLOW_STANDS;
  return machine_number(t, a, 0);
}

static enum flow jump_to(struct machine *m, struct thread *t, uint64_t buffer,
                         struct value result) {
  struct value number;
  if (!machine_read(m, t, value_number((int64_t)buffer), 64, &number)) return FLOW_STANDS;
  const uint64_t which = (uint64_t)number.number - 1;
  const struct jump *j = which < t->jump_count ? &t->jumps[which] : NULL;
  if (j == NULL || j->frames > t->frame_count || t->frames[j->frames - 1].number != j->number)
    return machine_fail(m, t, CLI_MISUSE, "longjmp to a function that has returned");
  if (j->frames < t->frame_count) memory_cut(&m->memory, t->handle + 1, t->frames[j->frames].depth);
  t->frame_count = j->frames;
  struct frame *frame = machine_frame(t);
  t->value_count = frame->extra + frame->extra_count;
  const struct instruction *call = &m->code->instructions[j->instruction];
  if (code_numbers(m->code, call)[0] > 0) t->values[frame->registers + call->result] = result;
  frame->instruction = j->instruction + 1;
  frame->phase = 0;
  return FLOW_WENT;
}

static enum flow long_jump(struct machine *m, struct thread *t, const struct arguments *a) {
  uint64_t buffer;
  int64_t result;
  if (!sync_pointer(m, t, a, 0, sizeof(int64_t), &buffer) || !sync_number(m, t, a, 1, &result))
    return FLOW_STANDS;
  return jump_to(m, t, buffer, value_number(result != 0 ? result : 1));
}

/* ---- handlers that are run when a thread ends inside (pthread_cleanup_push) ---- */

static enum flow push_handler(struct machine *m, struct thread *t, const struct arguments *a) {
  uint64_t buffer;
  if (!sync_pointer(m, t, a, 0, sizeof(int64_t), &buffer)) return FLOW_STANDS;
  if (t->handler_count == t->handler_room) {
    const size_t room = 2 * t->handler_room + 8;
    uint64_t *handlers = realloc(t->handlers, room * sizeof *handlers);
    if (handlers == NULL) return machine_stop(m, UNF_MEMORY);
    t->handlers = handlers;
    t->handler_room = room;
  }
  t->handlers[t->handler_count++] = buffer;
  return FLOW_NEXT;
}

static enum flow pop_handler(struct machine *m, struct thread *t, const struct arguments *a) {
  (void)m;
  (void)a;
  if (t->handler_count > 0) t->handler_count--;
  return FLOW_NEXT;
}

static enum flow unwind(struct machine *m, struct thread *t, const struct arguments *a) {
  (void)a;
  if (t->handler_count > 0) return jump_to(m, t, t->handlers[--t->handler_count], value_number(1));
  return sync_leave(m, t, false);
}

static enum flow end_thread(struct machine *m, struct thread *t, const struct arguments *a) {
  if (a->count > 0) t->result = a->values[0];
  return unwind(m, t, a);
}

/* ---- threads ---- */

enum { CLAIMED = 1, JOINED = 2 }; /* phases of a join */

/* The thread of a number that the program was given as pthread_t; NULL: none. */
static struct thread *thread_of(struct machine *m, int64_t number) {
  const bool is = number > 0 && number <= (int64_t)m->thread_count;
  return is && m->threads[number - 1] != NULL && m->threads[number - 1]->standing != STANDS_NOWHERE
             ? m->threads[number - 1]
             : NULL;
}

static enum flow create_begins(struct machine *m, struct thread *t) {
  unf_thread child;
  if (m->now.started >= m->max_threads) return machine_bound(m, t, "threads");
  m->status = unf_thread_name(m->unfolding, t->handle, t->children, &child);
  if (m->status != UNF_OK || machine_thread(m, child) == NULL) return FLOW_STANDS;
  t->children++;
  machine_frame(t)->kept = child;
  return machine_offer(t, 1, UNF_OP_CREATE(child));
}

/* A thread knows what another one does: rounds of barriers that are over, and the time. */
static bool learn(struct machine *m, struct thread *t, const struct thread *from) {
  for (uint64_t i = 0; i < m->now.syncs.count; i++) {
    const struct sync known = *(const struct sync *)array_read(&syncs_kind, &m->now.syncs, i);
    if (!known.used || known.kind != UNF_BARRIER || known.thread != from->handle) continue;
    struct sync *mine = machine_sync(m, t, UNF_BARRIER, known.address, t->handle);
    if (mine == NULL) return false;
    if (mine->count < known.count) mine->count = known.count;
  }
  if (t->clock < from->clock) t->clock = from->clock;
  return true;
}

/* Attributes have a bit in their second word if the thread is to be detached. */
static bool is_detached(struct machine *m, struct thread *t, struct value attributes,
                        bool *detached) {
  enum { FLAGS = 8 };
  struct value flags = value_number(0);
  if (value_known(attributes) && attributes.number == 0) return true;
  attributes.number += FLAGS;
  if (!machine_read(m, t, attributes, 32, &flags)) return false;
  *detached = (flags.number & 1) != 0;
  return true;
}

static enum flow create(struct machine *m, struct thread *t, const struct arguments *a) {
  int64_t begin;
  uint64_t handle;
  bool detached = false;
  if (!sync_has(m, t, a, 4) || !sync_pointer(m, t, a, 0, sizeof(int64_t), &handle) ||
      !machine_resolve(m, t, a->values[2], &begin) || !is_detached(m, t, a->values[1], &detached))
    return FLOW_STANDS;
  const uint32_t function = machine_function_at(m, (uint64_t)begin);
  if (function == UINT32_MAX || !m->code->functions[function].defined ||
      m->code->functions[function].parameters > 1)
    return machine_fail(m, t, CLI_MEMORY, "pthread_create of an address that is no such function");
  if (machine_frame(t)->phase == 0) return create_begins(m, t);
  struct thread *child = m->threads[machine_frame(t)->kept];
  m->now.started++;
  child->standing = STANDS_RUNNING;
  child->cause = t->cause;
  child->detached = detached;
  child->signals = t->signals;
  child->begins = function;
  if (!machine_call(m, child, function, a->values + 3, m->code->functions[function].parameters, 0,
                    0))
    return machine_stop(m, UNF_MEMORY);
  if (!learn(m, child, t) || !sync_put(m, t, handle, 64, (int64_t)child->handle + 1))
    return FLOW_STANDS;
  return machine_number(t, a, 0);
}

bool ends_is_joins(const unf_unfolding *unfolding, unf_object object) {
  unf_object_class kind;
  unf_thread of;
  uint64_t key;
  return unf_object_describe(unfolding, object, &kind, &of, &key) == UNF_OK &&
         kind == UNF_SEMAPHORE && of != UNF_THREAD_NONE && key == KEY_OF_JOINS;
}

/* Only one of several threads can join one, as `unfold` has it: the first to come does. */
static enum flow claim(struct machine *m, struct thread *t, struct thread *other) {
  unf_object object;
  m->status = unf_object_name(m->unfolding, UNF_SEMAPHORE, other->handle, KEY_OF_JOINS, &object);
  if (m->status == UNF_OK) m->status = unf_object_set_initial(m->unfolding, object, 1);
  if (m->status != UNF_OK) return FLOW_STANDS;
  return machine_offer(t, CLAIMED, UNF_OP_SEM_TRYWAIT(object));
}

static enum flow join(struct machine *m, struct thread *t, const struct arguments *a) {
  int64_t number, to;
  if (!sync_number(m, t, a, 0, &number) || !sync_number(m, t, a, 1, &to)) return FLOW_STANDS;
  struct thread *other = thread_of(m, number);
  if (other == NULL) return machine_fail(m, t, CLI_MISUSE, "a join of what is no thread");
  if (machine_frame(t)->phase == 0) {
    if (other == t) return machine_number(t, a, EDEADLK);
    if (other->joined && other->joiner == t->handle)
      return machine_fail(m, t, CLI_MISUSE, "a join of a thread that was joined before");
    if (other->detached) return machine_number(t, a, EINVAL);
    if (m->joins_watched) return claim(m, t, other);
  } else if (machine_frame(t)->phase == CLAIMED && t->action.kind == UNF_DID_SEM_FAIL) {
    return machine_fail(m, t, CLI_MISUSE,
                        "two threads wait for the end of a thread: only one of them can join it");
  }
  if (machine_frame(t)->phase != JOINED)
    return machine_offer(t, JOINED, UNF_OP_JOIN(other->handle));
  if (other->joined && !m->joins_watched) {
    m->joins_watched = true;
    return machine_begin_again(m);
  }
  other->joined = true;
  other->joiner = t->handle;
  if (!learn(m, t, other)) return FLOW_STANDS;
  if (to != 0 && !machine_write(m, t, value_number(to), 64, other->result)) return FLOW_STANDS;
  return machine_number(t, a, 0);
}

static enum flow detach(struct machine *m, struct thread *t, const struct arguments *a) {
  int64_t number;
  if (!sync_number(m, t, a, 0, &number)) return FLOW_STANDS;
  struct thread *other = thread_of(m, number);
  if (other == NULL) return machine_fail(m, t, CLI_MISUSE, "a detach of what is no thread");
  if (other->detached) return machine_number(t, a, EINVAL);
  other->detached = true;
  return machine_number(t, a, 0);
}

static enum flow self(struct machine *m, struct thread *t, const struct arguments *a) {
  (void)m;
  return machine_number(t, a, (int64_t)t->handle + 1);
}

static enum flow equal(struct machine *m, struct thread *t, const struct arguments *a) {
  if (!sync_has(m, t, a, 2)) return FLOW_STANDS;
  return machine_result(
      t, a, arith_compare(&m->knowledge->terms, COMPARE_EQUAL, 64, a->values[0], a->values[1]));
}

/* Nanoseconds that have passed for the thread, after so many more. */
static enum flow pass_time(struct machine *m, struct thread *t, const struct arguments *a) {
  int64_t more;
  if (!sync_number(m, t, a, 0, &more)) return FLOW_STANDS;
  if (more > 0) t->clock += more;
  return machine_number(t, a, t->clock);
}

const struct builtin_entry builtins_ends[] = {
    {"pthread_create", create},
    {"pthread_join", join},
    {"pthread_detach", detach},
    {"pthread_self", self},
    {"pthread_equal", equal},
    {"pthread_exit", end_thread},
    {"pthread_key_create", key_create},
    {"pthread_key_delete", key_delete},
    {"pthread_getspecific", get_specific},
    {"pthread_setspecific", set_specific},
    {"__pthread_register_cancel", push_handler},
    {"__pthread_unregister_cancel", pop_handler},
    {"__pthread_unwind_next", unwind},
    {"setjmp", set_jump},
    {"_setjmp", set_jump},
    {"__sigsetjmp", set_jump},
    {"longjmp", long_jump},
    {"_longjmp", long_jump},
    {"siglongjmp", long_jump},
    {"exit", leave},
    {"_exit", leave_at_once},
    {"_Exit", leave_at_once},
    {"quick_exit", leave_at_once},
    {"sched_yield", sync_succeed},
    {"__unfold_time", pass_time},
    {NULL, NULL},
};
