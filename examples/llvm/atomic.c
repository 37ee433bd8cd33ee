/*
 * Atomics: each access is an operation of the library, which knows the values, so that a
 * compare-and-swap that fails is a read. Of an atomic whose value depends on inputs, or that plain
 * accesses change, it is not told them: each access that can write counts as one. When that shows,
 * the exploration begins again.
 */
#include "atomic.h"

#include <stdlib.h>

#include "access.h"
#include "arith.h"
#include "builtin.h"
#include "code.h"
#include "decide.h"
#include "heap.h"
#include "index.h"
#include "machine.h"
#include "memory.h"
#include "sync.h"
#include "terms.h"

/* Atomics of one aligned word can share bytes: they have one space, and are marked together. */
static uint64_t word_of(uint64_t address) {
  return address / sizeof(int64_t) * sizeof(int64_t);
}

/* A number for the library, to which addresses of all objects at a spot are one. */
static int64_t plain_number(struct machine *m, struct value value) {
  return (int64_t)memory_plain(&m->memory, (uint64_t)value.number);
}

static uint32_t first_in(const struct machine *m, uint64_t address) {
  return index_find(&m->atomic_index, word_of(address), 0);
}

/* What is known of an atomic in all executions; NULL: no memory. */
static struct atomic *find_atomic(struct machine *m, uint64_t address, unsigned width) {
  const uint32_t first = first_in(m, address);
  for (uint32_t i = first; i != UINT32_MAX; i = m->atomics[i].next)
    if (m->atomics[i].address == address && m->atomics[i].width == width) return &m->atomics[i];
  if (m->atomic_count == m->atomic_room) {
    const size_t room = 2 * m->atomic_room + 16;
    struct atomic *atomics = realloc(m->atomics, room * sizeof *atomics);
    if (atomics == NULL) {
      machine_stop(m, UNF_MEMORY);
      return NULL;
    }
    m->atomics = atomics;
    m->atomic_room = room;
  }
  if (!index_put(&m->atomic_index, word_of(address), 0, (uint32_t)m->atomic_count)) {
    machine_stop(m, UNF_MEMORY);
    return NULL;
  }
  struct atomic *a = &m->atomics[m->atomic_count++];
  *a = (struct atomic){.address = address, .width = width, .next = first};
  return a;
}

static enum flow mark(struct machine *m, const struct atomic *a) {
  for (uint32_t i = first_in(m, a->address); i != UINT32_MAX; i = m->atomics[i].next)
    m->atomics[i].marked = true;
  return machine_begin_again(m);
}

bool atomic_mark_all(struct machine *m, uint64_t spot, uint64_t size) {
  bool fresh = false;
  for (size_t i = 0; i < m->atomic_count; i++) {
    struct atomic *a = &m->atomics[i];
    if (a->marked || memory_spot(a->address) - spot >= size) continue;
    a->marked = fresh = true;
  }
  if (fresh) machine_begin_again(m);
  return !fresh;
}

/* One of fewer bits is another object than the word that begins there. */
static bool object_of(struct machine *m, struct thread *t, const struct atomic *a,
                      unf_object *object) {
  return machine_object(m, t, UNF_LOCATION, a->address, 64 - a->width, object);
}

/* Names an atomic, with its place and first value, which must be known in the first use of any in
 * its word. */
static void name_one(struct machine *m, struct thread *t, struct atomic *a) {
  unf_object location, space;
  struct value value = value_number(0);
  const struct atomic word = {.address = word_of(a->address), .width = 64};
  if (!object_of(m, t, &word, &space) || !object_of(m, t, a, &location)) return;
  (void)memory_load(&m->memory, &m->knowledge->terms, a->address, a->width, &value);
  if (!a->marked && !value_known(value)) {
    mark(m, a);
    return;
  }
  m->status = unf_location_place(m->unfolding, location, space, a->address - word.address,
                                 bytes_of(a->width));
  if (m->status == UNF_OK && !a->marked)
    m->status = unf_object_set_initial(m->unfolding, location, plain_number(m, value));
  if (m->status == UNF_STATE)
    machine_begin_again(m); /* one that shares its bytes was used: now both are known */
  a->initial = plain_number(m, value);
  a->named = m->status == UNF_OK;
}

/* The atomic's name in the library. */
static bool name(struct machine *m, struct thread *t, struct atomic *a, unf_object *location) {
  struct value value = value_number(0);
  const uint64_t word = word_of(a->address);
  for (uint32_t i = first_in(m, word); m->status == UNF_OK && i != UINT32_MAX;
       i = m->atomics[i].next)
    if (!m->atomics[i].named) name_one(m, t, &m->atomics[i]);
  struct sync *sync = machine_sync(m, t, UNF_LOCATION, word, UNF_THREAD_NONE);
  if (m->status != UNF_OK || sync == NULL || !object_of(m, t, a, location)) return false;
  (void)memory_load(&m->memory, &m->knowledge->terms, a->address, a->width, &value);
  if (!sync->begun && !a->marked && (!value_known(value) || plain_number(m, value) != a->initial))
    mark(m, a);
  sync->begun = true;
  return m->status == UNF_OK;
}

/* One of two values. */
static struct value chosen(struct terms *terms, enum update update, unsigned width,
                           struct value before, struct value with) {
  const bool has_signs = update == UPDATE_MOST || update == UPDATE_LEAST;
  const bool most = update == UPDATE_MOST || update == UPDATE_MOST_UNSIGNED;
  const struct value less = arith_compare(terms, has_signs ? COMPARE_LESS : COMPARE_BELOW, width,
                                          most ? before : with, most ? with : before);
  return arith_select(terms, less, with, before);
}

static struct value updated(struct terms *terms, enum update update, unsigned width,
                            struct value before, struct value with) {
  static const enum instruction_kind kinds[UPDATES] = {
      [UPDATE_ADD] = CODE_ADD, [UPDATE_SUBTRACT] = CODE_SUBTRACT,
      [UPDATE_AND] = CODE_AND, [UPDATE_NAND] = CODE_AND,
      [UPDATE_OR] = CODE_OR,   [UPDATE_XOR] = CODE_XOR};
  struct value result = with;
  if (update == UPDATE_EXCHANGE) return with;
  if (update >= UPDATE_MOST) return chosen(terms, update, width, before, with);
  arith_binary(terms, kinds[update], width, before, with, &result);
  if (update == UPDATE_NAND)
    arith_binary(terms, CODE_XOR, width, result, value_number(-1), &result);
  return result;
}

struct access_of {
  const struct instruction *i;
  const struct value *values; /* as in code.def */
  uint64_t address;
};

static unf_operation marked_operation(const struct access_of *a, unf_object location) {
  const enum instruction_kind kind = a->i->kind;
  const unf_operation_kind as = kind == CODE_ATOMIC_LOAD    ? UNF_LOAD
                                : kind == CODE_ATOMIC_STORE ? UNF_STORE
                                                            : UNF_EXCHANGE;
  return unf_operation_make(as, location, 0, 0);
}

static unf_operation operation_of(struct machine *m, const struct access_of *a,
                                  unf_object location) {
  static const unf_operation_kind kinds[UPDATES] = {
      [UPDATE_EXCHANGE] = UNF_EXCHANGE,  [UPDATE_ADD] = UNF_FETCH_ADD,
      [UPDATE_SUBTRACT] = UNF_FETCH_ADD, [UPDATE_AND] = UNF_FETCH_AND,
      [UPDATE_NAND] = UNF_FETCH_NAND,    [UPDATE_OR] = UNF_FETCH_OR,
      [UPDATE_XOR] = UNF_FETCH_XOR};
  const struct value *v = a->values;
  switch ((enum instruction_kind)a->i->kind) {
  case CODE_ATOMIC_LOAD:
    return UNF_OP_LOAD(location);
  case CODE_ATOMIC_STORE:
    return UNF_OP_STORE(location, plain_number(m, v[0]));
  case CODE_COMPARE_EXCHANGE:
    return UNF_OP_CAS(location, plain_number(m, v[1]), plain_number(m, v[2]));
  default:
    break;
  }
  const enum update update = code_numbers(m->code, a->i)[0];
  struct value with = v[1];
  if (update == UPDATE_SUBTRACT)
    arith_binary(&m->knowledge->terms, CODE_SUBTRACT, a->i->width, value_number(0), with, &with);
  return unf_operation_make(kinds[update], location, plain_number(m, with), 0);
}

static bool depends_on_inputs(const struct access_of *a) {
  for (uint32_t i = 0; i < a->i->values; i++)
    if (!value_known(a->values[i])) return true;
  return false;
}

/* Such an operation is an exchange, as one of a value that depends on inputs. */
static bool has_no_operation(const struct machine *m, const struct access_of *a) {
  return a->i->kind == CODE_ATOMIC_UPDATE && code_numbers(m->code, a->i)[0] >= UPDATE_MOST;
}

static enum flow begin(struct machine *m, struct thread *t, const struct access_of *a) {
  struct value before;
  unf_object location;
  const enum access access =
      memory_load(&m->memory, &m->knowledge->terms, a->address, a->i->width, &before);
  if (access != ACCESS_GOOD && (access != ACCESS_UNWRITTEN || a->i->kind != CODE_ATOMIC_STORE))
    return machine_bad_access(m, t, access, a->address, false);
  if (a->address % bytes_of(a->i->width) != 0)
    return machine_fail(m, t, CLI_MEMORY, "an atomic that is not aligned");
  struct atomic *atomic = find_atomic(m, a->address, a->i->width);
  if (atomic == NULL || !name(m, t, atomic, &location)) return FLOW_STANDS;
  if (!atomic->marked && (depends_on_inputs(a) || has_no_operation(m, a))) return mark(m, atomic);
  return machine_offer(
      t, 1, atomic->marked ? marked_operation(a, location) : operation_of(m, a, location));
}

/* The library thinks that the value is another one. */
static bool differs(struct machine *m, const struct thread *t, const struct access_of *a,
                    const struct atomic *atomic, struct value before) {
  if (atomic->marked) return false;
  if (!value_known(before)) return true;
  return a->i->kind == CODE_COMPARE_EXCHANGE &&
         (t->action.kind == UNF_DID_WRITE) !=
             (plain_number(m, before) == plain_number(m, a->values[1]));
}

static enum flow end(struct machine *m, struct thread *t, const struct access_of *a,
                     struct value *results) {
  struct terms *terms = &m->knowledge->terms;
  const unsigned width = a->i->width;
  struct value before = value_number(0), after = a->values[0];
  enum access access = memory_load(&m->memory, terms, a->address, width, &before);
  const bool stores = a->i->kind == CODE_ATOMIC_STORE;
  if (access != ACCESS_GOOD && !(stores && access == ACCESS_UNWRITTEN))
    return machine_bad_access(m, t, access, a->address, false);
  struct atomic *atomic = find_atomic(m, a->address, width);
  if (atomic == NULL) return FLOW_STANDS;
  if (differs(m, t, a, atomic, before)) return mark(m, atomic);
  if (!stores) results[0] = before;
  if (a->i->kind == CODE_ATOMIC_LOAD) return FLOW_NEXT;
  if (a->i->kind == CODE_ATOMIC_UPDATE) {
    after = updated(terms, code_numbers(m->code, a->i)[0], width, before, a->values[1]);
  } else if (a->i->kind == CODE_COMPARE_EXCHANGE) {
    results[1] = heap_compare(m, COMPARE_EQUAL, width, before, a->values[1]);
    after = arith_select(terms, results[1], a->values[2], before);
  }
  access = memory_store(&m->memory, a->address, width, after);
  return access == ACCESS_GOOD ? FLOW_NEXT : machine_bad_access(m, t, access, a->address, true);
}

enum flow machine_atomic(struct machine *m, struct thread *t, const struct instruction *i,
                         const struct value *values, struct value *results) {
  int64_t address;
  const struct value where = values[i->kind == CODE_ATOMIC_STORE ? 1 : 0];
  if (!machine_resolve(m, t, where, &address)) return FLOW_STANDS;
  const struct access_of a = {i, values, (uint64_t)address};
  m->weaker_orders |= i->weaker && !machine_frame(t)->function->library;
  return machine_frame(t)->phase == 0 ? begin(m, t, &a) : end(m, t, &a, results);
}

/* ---- what a program says itself (unfold/await.h) ---- */

/* The arguments of these functions: the object, its size, then numbers. */
struct request {
  uint64_t address;
  unsigned width;
  int64_t numbers[4];
  uint32_t count;
};

static bool read_request(struct machine *m, struct thread *t, const struct arguments *a,
                         struct request *r) {
  enum { FIRST = 2 };
  int64_t address, size;
  if (a->count < FIRST || a->count > FIRST + sizeof r->numbers / sizeof *r->numbers) {
    machine_refuse(m, t, "a wait or addition with other arguments");
    return false;
  }
  if (!machine_resolve(m, t, a->values[0], &address) || !machine_resolve(m, t, a->values[1], &size))
    return false;
  *r = (struct request){.address = (uint64_t)address, .count = a->count - FIRST};
  if (size != 1 && size != 2 && size != 4 && size != 8) {
    machine_refuse(m, t, "an atomic of %lld bytes", (long long)size);
    return false;
  }
  r->width = 8 * (unsigned)size;
  for (uint32_t i = 0; i < r->count; i++) {
    const struct value value = a->values[FIRST + i];
    if (!value_known(value)) {
      machine_refuse(m, t, "a wait or addition whose numbers depend on inputs");
      return false;
    }
    r->numbers[i] = arith_truncate(&m->knowledge->terms, value, r->width).number;
  }
  return true;
}

/* The atomic of a request, with its value; NULL: the thread stands. */
static struct atomic *find_requested(struct machine *m, struct thread *t, const struct request *r,
                                     struct value *before, unf_object *location) {
  const enum access access =
      memory_load(&m->memory, &m->knowledge->terms, r->address, r->width, before);
  if (access != ACCESS_GOOD) {
    machine_bad_access(m, t, access, r->address, false);
    return NULL;
  }
  struct atomic *atomic = find_atomic(m, r->address, r->width);
  return atomic != NULL && name(m, t, atomic, location) ? atomic : NULL;
}

static enum flow wait_for(struct machine *m, struct thread *t, const struct arguments *a) {
  enum { RELATION, VALUE, EXCHANGES, DESIRED, NUMBERS };
  struct request r;
  struct value before;
  unf_object location;
  if (!read_request(m, t, a, &r)) return FLOW_STANDS;
  if (r.count < NUMBERS) return machine_refuse(m, t, "a wait with other arguments");
  const struct atomic *atomic = find_requested(m, t, &r, &before, &location);
  if (atomic == NULL) return FLOW_STANDS;
  const struct value desired = value_number(r.numbers[DESIRED]);
  if (machine_frame(t)->phase > 0) {
    if (r.numbers[EXCHANGES] != 0 &&
        memory_store(&m->memory, r.address, r.width, desired) == ACCESS_REFUSED)
      return machine_stop(m, UNF_MEMORY);
    return machine_result(t, a, before);
  }
  if (atomic->marked)
    return machine_refuse(m, t,
                          "a wait for the value of an atomic that depends on inputs, or whose "
                          "memory comes back");
  const unf_operation_kind kind = r.numbers[EXCHANGES] != 0 ? UNF_EXCHANGE_AWAIT : UNF_AWAIT;
  return machine_offer(t, 1,
                       unf_operation_await(kind, location, (unf_relation)r.numbers[RELATION],
                                           plain_number(m, value_number(r.numbers[VALUE])),
                                           kind == UNF_AWAIT ? 0 : plain_number(m, desired)));
}

static enum flow await(struct machine *m, struct thread *t, const struct arguments *a) {
  t->tries = t->blocks = false;
  return wait_for(m, t, a);
}

static enum flow try_once(struct machine *m, struct thread *t, const struct arguments *a) {
  t->tries = true;
  t->blocks = false;
  return wait_for(m, t, a);
}

/* Of the library: it waits as for a lock. */
static enum flow block(struct machine *m, struct thread *t, const struct arguments *a) {
  t->tries = false;
  t->blocks = true;
  return wait_for(m, t, a);
}

/* Somebody who is not in the program may still come. */
static enum flow wait_outside(struct machine *m, struct thread *t, const struct arguments *a) {
  t->outside = machine_frame(t)->phase == 0;
  return wait_for(m, t, a);
}

static enum flow add(struct machine *m, struct thread *t, const struct arguments *a) {
  struct request r;
  struct value before, after;
  unf_object location;
  if (!read_request(m, t, a, &r)) return FLOW_STANDS;
  if (r.count < 1) return machine_refuse(m, t, "an addition with other arguments");
  const struct atomic *atomic = find_requested(m, t, &r, &before, &location);
  if (atomic == NULL) return FLOW_STANDS;
  if (machine_frame(t)->phase == 0) {
    const unf_operation_kind kind = atomic->marked         ? UNF_EXCHANGE
                                    : m->additions_commute ? UNF_ADD
                                                           : UNF_FETCH_ADD;
    return machine_offer(t, 1,
                         unf_operation_make(kind, location, atomic->marked ? 0 : r.numbers[0], 0));
  }
  arith_binary(&m->knowledge->terms, CODE_ADD, r.width, before, value_number(r.numbers[0]), &after);
  if (memory_store(&m->memory, r.address, r.width, after) == ACCESS_REFUSED)
    return machine_stop(m, UNF_MEMORY);
  return FLOW_NEXT;
}

static enum flow assume_nothing(struct machine *m, struct thread *t, const struct arguments *a) {
  (void)m;
  (void)a;
  t->standing = STANDS_ASSUMED;
  return FLOW_STANDS;
}

/* The order that a function in place of an atomic instruction was asked for. */
static enum flow note_order(struct machine *m, struct thread *t, const struct arguments *a) {
  enum { SEQUENTIALLY_CONSISTENT = 5 };
  m->weaker_orders |= a->count > 0 && a->values[0].number != SEQUENTIALLY_CONSISTENT;
  return machine_number(t, a, 0);
}

const struct builtin_entry builtins_atomic[] = {
    {"__unfold_order", note_order},
    {"unfold_await_operation", await},
    {"unfold_try_operation", try_once},
    {"__unfold_await", block},
    {"__unfold_await_outside", wait_outside},
    {"unfold_add_operation", add},
    {"unfold_assumption_failed", assume_nothing},
    {NULL, NULL},
};
