/*
 * The oracle's names in the library. The key of an object is its number times 2^32, so that a
 * comparison that drops the upper half of a key shows, and the round of a barrier in the lower. A
 * bijection between handles and the oracle's events is kept: two handles for one event, or one for
 * two, is a fault of interning.
 */
#include "bridge.h"
#include "bridge_families.h"
#include "lexer.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool report_fail(report *r, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(r->text, sizeof r->text, format, arguments);
  va_end(arguments);
  return false;
}

bool bridge_fail(const bridge *b, report *r, const char *call, unf_status status) {
  const unf_detail *d = b->context != NULL ? unf_context_detail(b->context) : NULL;
  return report_fail(r, "%s returned %s%s%s", call, unf_status_text(status), d != NULL ? ": " : "",
                     d != NULL ? d->text : "");
}

static const struct {
  symbol_kind kind;
  unf_object_class object_class;
} classes[] = {
    {SYMBOL_MUTEX, UNF_MUTEX},         {SYMBOL_COND, UNF_CONDITION},  {SYMBOL_RWLOCK, UNF_RWLOCK},
    {SYMBOL_SEMAPHORE, UNF_SEMAPHORE}, {SYMBOL_BARRIER, UNF_BARRIER}, {SYMBOL_ATOMIC, UNF_LOCATION},
};
#define CLASSES (sizeof classes / sizeof classes[0])

/* The queue beside an atomic, which has its key. */
static unf_object queue_object(const bridge *b, uint32_t atomic) {
  unf_object object = UNF_OBJECT_NONE;
  unf_object_name(b->unfolding, UNF_FUTEX, UNF_THREAD_NONE, (uint64_t)atomic << 32, &object);
  return object;
}

unf_object bridge_object(const bridge *b, symbol_kind kind, uint32_t number, uint32_t round) {
  unf_object object = UNF_OBJECT_NONE;
  for (size_t i = 0; i < CLASSES; i++) {
    if (classes[i].kind != kind) continue;
    uint64_t key = (uint64_t)number << 32 | round;
    unf_object_name(b->unfolding, classes[i].object_class, UNF_THREAD_NONE, key, &object);
  }
  return object;
}

/* The number and round of an object; false if it is not of this kind. */
static bool read_object(const bridge *b, unf_object object, symbol_kind kind, uint32_t *number,
                        uint32_t *round) {
  unf_object_class object_class;
  uint64_t key;
  if (unf_object_describe(b->unfolding, object, &object_class, NULL, &key) != UNF_OK) return false;
  for (size_t i = 0; i < CLASSES; i++) {
    if (classes[i].kind != kind || classes[i].object_class != object_class) continue;
    *number = (uint32_t)(key >> 32);
    *round = (uint32_t)key;
    return *number < b->program->counts[kind];
  }
  return false;
}

/* A location of its own where no other has any of the bytes, and it has all eight. */
static unf_status place(const bridge *b, unf_object object, uint32_t atomic) {
  byte_range own = program_range(b->program, atomic);
  bool shared = own.size < sizeof(int64_t);
  for (uint32_t i = 0; i < b->program->counts[SYMBOL_ATOMIC]; i++) {
    byte_range other = program_range(b->program, i);
    bool meets = own.first < other.first + other.size && other.first < own.first + own.size;
    shared = shared || (meets && i != atomic);
  }
  unf_object space = bridge_object(b, SYMBOL_ATOMIC, 0, 0);
  return shared ? unf_location_place(b->unfolding, object, space, own.first, own.size) : UNF_OK;
}

static unf_status open_names(bridge *b, const uint32_t *order) {
  unf_status status = UNF_OK;
  for (uint32_t i = 0; i < b->program->thread_count && status == UNF_OK; i++) {
    unf_thread t;
    status = unf_thread_name(b->unfolding, UNF_THREAD_NONE, i, &t);
    for (uint32_t j = 0; j < b->program->thread_count && status == UNF_OK; j++) {
      if (order[j] != i) continue;
      b->threads[j] = t;
      b->thread_at[t] = j;
      if (b->program->threads[j].initial) status = unf_thread_start(b->unfolding, t);
    }
  }
  for (size_t i = 0; i < b->program->symbol_count && status == UNF_OK; i++) {
    const symbol *s = &b->program->symbols[i];
    bool valued = s->kind == SYMBOL_SEMAPHORE || s->kind == SYMBOL_ATOMIC;
    for (uint32_t j = 0; valued && j < s->count && status == UNF_OK; j++) {
      unf_object object = bridge_object(b, s->kind, s->base + j, 0);
      if (s->kind == SYMBOL_ATOMIC) status = place(b, object, s->base + j);
      if (status == UNF_OK && !s->overlay)
        status = unf_object_set_initial(b->unfolding, object, s->initial);
      if (status == UNF_OK && s->kind == SYMBOL_SEMAPHORE &&
          program_posts_exceed(b->program, j + s->base))
        status = unf_object_set_maximum(b->unfolding, object, s->maximum);
    }
  }
  return status;
}

bool bridge_open(bridge *b, const program *p, const lattice *l, const uint32_t *order,
                 uint32_t skip_step, report *r) {
  memset(b, 0, sizeof *b);
  b->program = p;
  b->lattice = l;
  b->threads = oracle_allocate(p->thread_count * sizeof *b->threads);
  b->thread_at = oracle_allocate(p->thread_count * sizeof *b->thread_at);
  if (l != NULL) {
    b->handle_of = oracle_allocate(l->event_count * sizeof *b->handle_of);
    memset(b->handle_of, 0xff, l->event_count * sizeof *b->handle_of);
  }
  unf_unfolding_options options = UNF_UNFOLDING_OPTIONS_INIT;
  options.skip_step = skip_step;
  unf_status status = unf_context_new(NULL, &b->context);
  if (status == UNF_OK) status = unf_unfolding_new(b->context, &options, &b->unfolding);
  if (status == UNF_OK) status = bridge_families_open(b);
  if (status == UNF_OK) status = open_names(b, order);
  return status == UNF_OK || bridge_fail(b, r, "naming", status);
}

void bridge_close(bridge *b) {
  unf_unfolding_free(b->unfolding);
  unf_context_free(b->context);
  free(b->threads);
  free(b->thread_at);
  free(b->handle_of);
  free(b->event_of);
  memset(b, 0, sizeof *b);
}

static unf_operation wait_operation(const bridge *b, const operation *o, unf_operation_kind kind) {
  return unf_operation_wait(kind, bridge_object(b, SYMBOL_COND, o->target, 0),
                            bridge_object(b, SYMBOL_MUTEX, o->second, 0));
}

static unf_operation round_operation(const bridge *b, const operation *o, unf_operation_kind kind) {
  machine m;
  machine_init(&m, b->program);
  return unf_operation_make(kind, bridge_object(b, SYMBOL_BARRIER, o->target, o->second),
                            machine_barrier_count(&m, o->target), 0);
}

/* Operations on one object and nothing else. */
static const struct {
  operation_kind own;
  unf_operation_kind kind;
  symbol_kind object;
} object_operations[] = {
    {OPERATION_LOCK, UNF_LOCK, SYMBOL_MUTEX},
    {OPERATION_TRYLOCK, UNF_TRYLOCK, SYMBOL_MUTEX},
    {OPERATION_UNLOCK, UNF_UNLOCK, SYMBOL_MUTEX},
    {OPERATION_SIGNAL, UNF_SIGNAL, SYMBOL_COND},
    {OPERATION_BROADCAST, UNF_BROADCAST, SYMBOL_COND},
    {OPERATION_RDLOCK, UNF_RDLOCK, SYMBOL_RWLOCK},
    {OPERATION_TRYRDLOCK, UNF_TRYRDLOCK, SYMBOL_RWLOCK},
    {OPERATION_WRLOCK, UNF_WRLOCK, SYMBOL_RWLOCK},
    {OPERATION_TRYWRLOCK, UNF_TRYWRLOCK, SYMBOL_RWLOCK},
    {OPERATION_RWUNLOCK, UNF_RWUNLOCK, SYMBOL_RWLOCK},
    {OPERATION_POST, UNF_POST, SYMBOL_SEMAPHORE},
    {OPERATION_SEM_WAIT, UNF_SEM_WAIT, SYMBOL_SEMAPHORE},
    {OPERATION_SEM_TRYWAIT, UNF_SEM_TRYWAIT, SYMBOL_SEMAPHORE},
};

static unf_relation relation_of(uint32_t text) {
  static const struct {
    uint32_t token;
    unf_relation relation;
  } known[] = {{TOKEN2('=', '='), UNF_EQUAL},
               {TOKEN2('!', '='), UNF_UNEQUAL},
               {TOKEN2('<', '='), UNF_AT_MOST},
               {TOKEN2('>', '='), UNF_AT_LEAST},
               {'<', UNF_LESS},
               {'>', UNF_GREATER}};
  size_t i = 0;
  while (known[i].token != text) {
    i++;
  }
  return known[i].relation;
}

static unf_operation memory_operation(const bridge *b, const operation *o) {
  unf_object x = bridge_object(b, SYMBOL_ATOMIC, o->target, 0);
  switch (o->kind) {
  case OPERATION_LOAD:
    return UNF_OP_LOAD(x);
  case OPERATION_STORE:
    return UNF_OP_STORE(x, o->low);
  case OPERATION_FETCH_ADD:
    return o->second != 0 ? UNF_OP_ADD(x, o->low) : UNF_OP_FETCH_ADD(x, o->low);
  case OPERATION_FETCH_AND:
    return UNF_OP_FETCH_AND(x, o->low);
  case OPERATION_FETCH_OR:
    return UNF_OP_FETCH_OR(x, o->low);
  case OPERATION_FETCH_XOR:
    return UNF_OP_FETCH_XOR(x, o->low);
  case OPERATION_FETCH_NAND:
    return UNF_OP_FETCH_NAND(x, o->low);
  case OPERATION_EXCHANGE:
    return UNF_OP_EXCHANGE(x, o->low);
  case OPERATION_CAS:
    return UNF_OP_CAS(x, o->low, o->high);
  case OPERATION_AWAIT:
    return UNF_OP_AWAIT(x, relation_of(o->second), o->low);
  default:
    return UNF_OP_EXCHANGE_AWAIT(x, relation_of(o->second), o->low, o->high);
  }
}

static unf_operation futex_operation(const bridge *b, const operation *o) {
  unf_object queue = queue_object(b, o->target);
  switch (o->kind) {
  case OPERATION_FUTEX_RETURN:
    return UNF_OP_FUTEX_RETURN(queue);
  case OPERATION_TIMED_FUTEX_RETURN:
    return UNF_OP_TIMED_FUTEX_RETURN(queue);
  case OPERATION_FUTEX_WAKE:
    return UNF_OP_FUTEX_WAKE(queue, o->low);
  default:
    return UNF_OP_FUTEX_WAIT(queue, bridge_object(b, SYMBOL_ATOMIC, o->target, 0), o->low);
  }
}

unf_operation bridge_operation(const bridge *b, const operation *o) {
  if (bridge_families_has(o->kind)) return bridge_families_operation(b, o);
  if (o->kind >= OPERATION_FUTEX_WAIT) return futex_operation(b, o);
  if (o->kind >= OPERATION_LOAD) return memory_operation(b, o);
  for (size_t i = 0; i < sizeof object_operations / sizeof object_operations[0]; i++) {
    if (object_operations[i].own != o->kind) continue;
    unf_object object = bridge_object(b, object_operations[i].object, o->target, 0);
    return unf_operation_make(object_operations[i].kind, object, 0, 0);
  }
  switch (o->kind) {
  case OPERATION_FINISHED:
    return UNF_OP_EXIT();
  case OPERATION_STOPPED:
    return UNF_OP_HALT(o->target == STOP_ASSUME  ? UNF_HALT_ASSUME
                       : o->target == STOP_BOUND ? UNF_HALT_BOUND
                                                 : UNF_HALT_ASSERT);
  case OPERATION_SPAWN:
    return UNF_OP_CREATE(b->threads[o->target]);
  case OPERATION_JOIN:
    return UNF_OP_JOIN(b->threads[o->target]);
  case OPERATION_CHOOSE:
    return UNF_OP_LOCAL(o->low, o->high);
  case OPERATION_BRANCH:
    return UNF_OP_BRANCH(o->low, o->high);
  case OPERATION_WAIT:
  case OPERATION_TIMED_WAIT:
    return wait_operation(b, o, UNF_WAIT);
  case OPERATION_WAKE:
    return wait_operation(b, o, UNF_WAKE);
  case OPERATION_TIMED_WAKE:
    return wait_operation(b, o, UNF_TIMED_WAKE);
  case OPERATION_ARRIVE:
    return round_operation(b, o, UNF_ARRIVE);
  case OPERATION_PASS:
    return round_operation(b, o, UNF_PASS);
  default:
    return UNF_OP_HALT(UNF_HALT_UNDEFINED);
  }
}

/* What the target of an action is: an object, THREAD, or nothing (as SHARED). */
static const struct {
  unf_action_kind kind;
  symbol_kind target;
} kinds[ACTION_SEND] = {
    [ACTION_ACQUIRE] = {UNF_DID_ACQUIRE, SYMBOL_MUTEX},
    [ACTION_RELEASE] = {UNF_DID_RELEASE, SYMBOL_MUTEX},
    [ACTION_TRYFAIL] = {UNF_DID_TRYFAIL, SYMBOL_MUTEX},
    [ACTION_SPAWN] = {UNF_DID_CREATE, SYMBOL_THREAD},
    [ACTION_JOIN] = {UNF_DID_JOIN, SYMBOL_THREAD},
    [ACTION_CHOOSE] = {UNF_DID_LOCAL, SYMBOL_SHARED},
    [ACTION_BRANCH] = {UNF_DID_BRANCH, SYMBOL_SHARED},
    [ACTION_WAIT] = {UNF_DID_WAIT, SYMBOL_COND},
    [ACTION_WAKE] = {UNF_DID_WAKE, SYMBOL_COND},
    [ACTION_TIMEOUT] = {UNF_DID_TIMEOUT, SYMBOL_COND},
    [ACTION_SIGNAL] = {UNF_DID_SIGNAL, SYMBOL_COND},
    [ACTION_BROADCAST] = {UNF_DID_BROADCAST, SYMBOL_COND},
    [ACTION_RDACQUIRE] = {UNF_DID_RDLOCK, SYMBOL_RWLOCK},
    [ACTION_RDFAIL] = {UNF_DID_RDFAIL, SYMBOL_RWLOCK},
    [ACTION_WRACQUIRE] = {UNF_DID_WRLOCK, SYMBOL_RWLOCK},
    [ACTION_WRFAIL] = {UNF_DID_WRFAIL, SYMBOL_RWLOCK},
    [ACTION_RDRELEASE] = {UNF_DID_RDUNLOCK, SYMBOL_RWLOCK},
    [ACTION_WRRELEASE] = {UNF_DID_WRUNLOCK, SYMBOL_RWLOCK},
    [ACTION_POST] = {UNF_DID_POST, SYMBOL_SEMAPHORE},
    [ACTION_POST_ALONE] = {UNF_DID_POST, SYMBOL_SEMAPHORE},
    [ACTION_SEM_ACQUIRE] = {UNF_DID_SEM_WAIT, SYMBOL_SEMAPHORE},
    [ACTION_SEM_FAIL] = {UNF_DID_SEM_FAIL, SYMBOL_SEMAPHORE},
    [ACTION_ARRIVE] = {UNF_DID_ARRIVE, SYMBOL_BARRIER},
    [ACTION_PASS] = {UNF_DID_PASS, SYMBOL_BARRIER},
    [ACTION_READ] = {UNF_DID_READ, SYMBOL_ATOMIC},
    [ACTION_WRITE] = {UNF_DID_WRITE, SYMBOL_ATOMIC},
    [ACTION_ADD] = {UNF_DID_ADD, SYMBOL_ATOMIC},
    [ACTION_FUTEX_WAIT] = {UNF_DID_FUTEX_WAIT, SYMBOL_ATOMIC},
    [ACTION_FUTEX_AGAIN] = {UNF_DID_FUTEX_AGAIN, SYMBOL_ATOMIC},
    [ACTION_FUTEX_RETURN] = {UNF_DID_FUTEX_RETURN, SYMBOL_ATOMIC},
    [ACTION_FUTEX_TIMEOUT] = {UNF_DID_FUTEX_TIMEOUT, SYMBOL_ATOMIC},
    [ACTION_FUTEX_WAKE] = {UNF_DID_FUTEX_WAKE, SYMBOL_ATOMIC},
    [ACTION_FUTEX_WAKE_ALL] = {UNF_DID_FUTEX_WAKE_ALL, SYMBOL_ATOMIC},
};

static bool waits(action_kind kind) {
  return kind == ACTION_WAIT || kind == ACTION_WAKE;
}

static bool has_queue(action_kind kind) {
  return kind >= ACTION_FUTEX_WAIT && kind <= ACTION_FUTEX_WAKE_ALL;
}

static bool compares(action_kind kind) {
  return kind == ACTION_FUTEX_WAIT || kind == ACTION_FUTEX_AGAIN;
}

static bool has_set(action_kind kind) {
  return kind == ACTION_BROADCAST || kind == ACTION_FUTEX_WAKE || kind == ACTION_FUTEX_WAKE_ALL;
}

static int64_t set_of(const bridge *b, int64_t bits) {
  unf_thread members[64];
  uint32_t count = 0;
  int64_t set = 0;
  for (uint32_t t = 0; t < b->program->thread_count; t++) {
    if ((bits >> t & 1) != 0) members[count++] = b->threads[t];
  }
  unf_thread_set(b->unfolding, members, count, &set);
  return set;
}

unf_action bridge_action(const bridge *b, const action *a) {
  if (bridge_families_did(a->kind)) return bridge_families_action(b, a);
  unf_action out = {
      .kind = kinds[a->kind].kind, .thread = b->threads[a->thread], .value = a->value};
  symbol_kind target = kinds[a->kind].target;
  if (target == SYMBOL_THREAD) {
    out.target = b->threads[a->target];
  } else if (has_queue(a->kind)) {
    out.target = queue_object(b, a->target);
  } else if (target != SYMBOL_SHARED) {
    out.target = bridge_object(b, target, a->target, target == SYMBOL_BARRIER ? a->second : 0);
  }
  if (waits(a->kind)) out.second = bridge_object(b, SYMBOL_MUTEX, a->second, 0);
  if (compares(a->kind)) out.second = bridge_object(b, SYMBOL_ATOMIC, a->target, 0);
  if (a->kind == ACTION_SIGNAL) out.value = a->value < 0 ? UNF_LOST : b->threads[a->value];
  if (has_set(a->kind)) out.value = set_of(b, a->value);
  return out;
}

typedef struct member_bits {
  const bridge *bridge;
  int64_t bits;
  bool good;
} member_bits;

static bool add_member(void *user, unf_thread thread) {
  member_bits *m = user;
  m->good = m->good && thread < m->bridge->program->thread_count;
  if (m->good) m->bits |= INT64_C(1) << m->bridge->thread_at[thread];
  return m->good;
}

static bool read_value(const bridge *b, int64_t value, action *out) {
  out->value = value;
  if (out->kind == ACTION_SIGNAL && value != UNF_LOST) {
    if (value < 0 || value >= (int64_t)b->program->thread_count) return false;
    out->value = b->thread_at[value];
  } else if (has_set(out->kind)) {
    member_bits m = {b, 0, true};
    if (unf_thread_set_members(b->unfolding, value, add_member, &m) != UNF_OK) return false;
    out->value = m.bits;
    return m.good;
  }
  return true;
}

/* The atomic of a queue, and whether a comparison is with that. */
static bool read_queue(const bridge *b, const unf_action *a, action *out) {
  unf_object_class object_class;
  uint64_t key;
  if (unf_object_describe(b->unfolding, a->target, &object_class, NULL, &key) != UNF_OK ||
      object_class != UNF_FUTEX || (uint32_t)key != 0)
    return false;
  out->target = (uint32_t)(key >> 32);
  if (out->target >= b->program->counts[SYMBOL_ATOMIC]) return false;
  if (!compares(out->kind)) return a->second == 0;
  out->range = program_range(b->program, out->target);
  return a->second == bridge_object(b, SYMBOL_ATOMIC, out->target, 0);
}

static bool read_target(const bridge *b, const unf_action *a, action *out) {
  symbol_kind target = kinds[out->kind].target;
  uint32_t round = 0;
  if (has_queue(out->kind)) return read_queue(b, a, out);
  if (target == SYMBOL_SHARED) return a->target == 0;
  if (target == SYMBOL_THREAD) {
    if (a->target >= b->program->thread_count) return false;
    out->target = b->thread_at[a->target];
    return true;
  }
  if (!read_object(b, a->target, target, &out->target, &round)) return false;
  if (target == SYMBOL_ATOMIC) out->range = program_range(b->program, out->target);
  if (out->kind == ACTION_POST && program_posts_exceed(b->program, out->target))
    out->kind = ACTION_POST_ALONE;
  if (!waits(out->kind)) {
    out->second = round;
    return a->second == 0 && (round == 0 || target == SYMBOL_BARRIER);
  }
  return round == 0 && read_object(b, a->second, SYMBOL_MUTEX, &out->second, &round) && round == 0;
}

bool bridge_read(const bridge *b, const unf_action *a, action *out) {
  memset(out, 0, sizeof *out);
  if (a->thread >= b->program->thread_count) return false;
  out->thread = b->thread_at[a->thread];
  if (a->kind == UNF_DID_CUSTOM) return bridge_families_read(b, a, out);
  while (out->kind < ACTION_SEND && kinds[out->kind].kind != a->kind) {
    out->kind = (action_kind)(out->kind + 1);
  }
  return out->kind != ACTION_SEND && read_target(b, a, out) && read_value(b, a->value, out);
}

uint32_t bridge_event(const bridge *b, unf_event handle) {
  return handle < b->event_capacity ? b->event_of[handle] : ORACLE_NONE;
}

bool bridge_match(bridge *b, uint32_t event_number, unf_event handle) {
  if (handle == UNF_EVENT_NONE || handle == UNF_EVENT_BOTTOM) return false;
  if (handle >= b->event_capacity) {
    size_t bigger = (size_t)handle * 2 + 64;
    b->event_of = oracle_grow(b->event_of, bigger * sizeof *b->event_of);
    memset(b->event_of + b->event_capacity, 0xff,
           (bigger - b->event_capacity) * sizeof *b->event_of);
    b->event_capacity = bigger;
  }
  if (b->handle_of[event_number] == UNF_EVENT_NONE && b->event_of[handle] == ORACLE_NONE) {
    b->handle_of[event_number] = handle;
    b->event_of[handle] = event_number;
  }
  return b->handle_of[event_number] == handle && b->event_of[handle] == event_number;
}

void bridge_renumbered(bridge *b) {
  if (b->handle_of != NULL)
    memset(b->handle_of, 0xff, b->lattice->event_count * sizeof *b->handle_of);
  if (b->event_of != NULL) memset(b->event_of, 0xff, b->event_capacity * sizeof *b->event_of);
}

typedef struct predecessor_text {
  const bridge *bridge;
  char *buffer;
  size_t size, used;
} predecessor_text;

static bool add_predecessor(void *user, unf_event handle) {
  predecessor_text *p = user;
  uint32_t e = bridge_event(p->bridge, handle);
  if (p->used >= p->size) return false;
  int n = e != ORACLE_NONE
              ? snprintf(p->buffer + p->used, p->size - p->used, " %" PRIu32, e)
              : snprintf(p->buffer + p->used, p->size - p->used, " handle %" PRIu32, handle);
  p->used += n < 0 ? 0 : (size_t)n;
  return true;
}

void bridge_text(const bridge *b, unf_event handle, char *buffer, size_t size) {
  unf_action a;
  action own;
  char who[64] = "?", what[96] = "?";
  if (unf_event_action(b->unfolding, handle, &a) == UNF_OK) {
    unf_action_text(b->unfolding, &a, what, sizeof what);
    if (bridge_read(b, &a, &own)) program_thread_name(b->program, own.thread, who, sizeof who);
  }
  int n = snprintf(buffer, size, "%s (%s) after", what, who);
  predecessor_text p = {b, buffer, size, n < 0 ? 0 : (size_t)n};
  unf_event_predecessors(b->unfolding, handle, add_predecessor, &p);
}
