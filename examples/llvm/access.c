#include "access.h"

#include <stdlib.h>

#include "arith.h"
#include "branches.h"
#include "builtin.h"
#include "code.h"
#include "decide.h"
#include "knowledge.h"
#include "lattice.h"
#include "machine.h"
#include "memory.h"
#include "racing.h"
#include "solver.h"
#include "term_list.h"
#include "terms.h"

/* ---- what is wrong ---- */

enum flow machine_bad_access(struct machine *m, struct thread *t, enum access access,
                             uint64_t address, bool writes) {
  static const char *const texts[] = {
      [ACCESS_NULL] = "a null pointer, or an address close to it",
      [ACCESS_OUTSIDE] = "an address that is in no object, or an access beyond its end",
      [ACCESS_FREED] = "memory that was freed",
      [ACCESS_CONSTANT] = "a constant",
      [ACCESS_UNWRITTEN] = "memory that was never written",
  };
  if (access == ACCESS_REFUSED) return machine_stop(m, UNF_MEMORY);
  (void)address;
  return machine_fail(m, t, CLI_MEMORY, "%s %s", writes ? "write to" : "read of", texts[access]);
}

/* ---- races ---- */

uint64_t machine_access_place(const struct machine *m, uint64_t place, uint32_t *set) {
  *set = UINT32_MAX;
  if ((place & UINT64_C(1) << 63) == 0) return place;
  const struct outcome *o = branches_outcomes(&m->accesses, (uint32_t)place);
  *set = o->position;
  return (uint64_t)o->value;
}

/* The place of an access that is made under what the thread knows, and a fact. */
static uint64_t place_under(struct machine *m, struct thread *t, term fact) {
  const uint64_t place = machine_place(m, t);
  const uint32_t history = machine_history(m, t);
  if (m->status != UNF_OK) return place;
  const uint32_t set = fact != TERM_NONE ? knowledge_with(m->knowledge, history, fact) : history;
  if (set == UINT32_MAX) {
    machine_stop(m, UNF_MEMORY);
    return place;
  }
  if (knowledge_is_empty(m->knowledge, set)) return place;
  const struct outcome outcome = {.value = (int64_t)place, .position = set};
  const uint32_t number = branches_intern(&m->accesses, &outcome, 1);
  if (number == UINT32_MAX) machine_stop(m, UNF_MEMORY);
  return UINT64_C(1) << 63 | number;
}

static bool is_watched(const struct machine *m, uint64_t size) {
  return m->races_watched && m->now.started > 1 && size > 0;
}

static bool tell(struct machine *m, struct thread *t, uint64_t address, uint64_t size, bool writes,
                 uint64_t place) {
  const unf_access access = {
      .thread = t->handle, .write = writes, .address = address, .size = size, .place = place};
  if (m->status == UNF_OK && m->accessed != NULL && !m->accessed(m->user, &access))
    machine_stop(m, UNF_MEMORY);
  if (m->status == UNF_OK) m->status = unf_races_access(m->races, &access);
  return m->status == UNF_OK;
}

static bool record(struct machine *m, struct thread *t, uint64_t address, uint64_t size,
                   bool writes, term fact) {
  return !is_watched(m, size) || tell(m, t, address, size, writes, place_under(m, t, fact));
}

bool machine_note_access(struct machine *m, struct thread *t, uint64_t address, uint64_t size,
                         bool writes, uint64_t more) {
  return !is_watched(m, size) ||
         tell(m, t, address, size, writes, place_under(m, t, TERM_NONE) | more);
}

void machine_forget_accesses(struct machine *m, uint64_t address, uint64_t size) {
  const unf_access access = {.thread = UNF_THREAD_NONE, .address = address, .size = size};
  if (m->accessed != NULL && !m->accessed(m->user, &access)) machine_stop(m, UNF_MEMORY);
  if (m->status == UNF_OK) m->status = unf_races_forget(m->races, address, size);
}

bool machine_touch(struct machine *m, struct thread *t, uint64_t address, uint64_t size,
                   bool writes) {
  if (size == 0) return true;
  const enum access access = memory_check(&m->memory, address, size, writes);
  if (access == ACCESS_GOOD) return record(m, t, address, size, writes, TERM_NONE);
  machine_bad_access(m, t, access, address, writes);
  return false;
}

/* ---- addresses that depend on inputs ---- */

/* An object that a term can point into, and whether all of the access lies in it. */
struct target {
  uint64_t first, last; /* addresses of the access */
};

static struct value lies_in(struct machine *m, struct value address, const struct target *target) {
  struct terms *terms = &m->knowledge->terms;
  const struct value low =
      arith_compare(terms, COMPARE_AT_MOST, 64, value_number((int64_t)target->first), address);
  const struct value high =
      arith_compare(terms, COMPARE_AT_MOST, 64, address, value_number((int64_t)target->last));
  return arith_and(terms, low, high);
}

static bool find_target(struct machine *m, uint64_t address, uint64_t size, struct target *target) {
  if (memory_check(&m->memory, address, size, false) != ACCESS_GOOD) return false;
  const struct object *o = memory_find(&m->memory, address);
  *target = (struct target){o->address, o->address + o->size - size};
  return true;
}

enum { TARGETS_MAX = 64 };

void machine_note_apart(struct machine *m, uint64_t place) {
  if (index_find(&m->apart, place, 0) != UINT32_MAX) return;
  if (!index_put(&m->apart, place, 0, m->apart_count++)) machine_stop(m, UNF_MEMORY);
}

bool machine_decide_addresses(struct machine *m) {
  if (m->apart_decided == m->apart_count) return false;
  m->apart_decided = m->apart_count;
  machine_begin_again(m);
  return true;
}

static bool decides_addresses(const struct machine *m, const struct thread *t) {
  return m->apart_decided > 0 && index_find(&m->apart, machine_place(m, t), 0) < m->apart_decided;
}

static struct value is_at(struct machine *m, struct value address, uint64_t place) {
  return arith_compare(&m->knowledge->terms, COMPARE_EQUAL, 64, address,
                       value_number((int64_t)place));
}

/* The outcomes of an address, while they are listed. */
struct listing {
  struct machine *m;
  struct thread *t;
  struct value address, rest; /* what is not listed yet */
  uint64_t size, most;
  bool all;     /* addresses, not objects */
  int64_t left; /* the outcome of the rest */
};

/* An address of the rest that is possible after what the thread did, within something. */
static enum solver_answer find_address(const struct listing *l, struct value within,
                                       int64_t *number) {
  struct knowledge *k = l->m->knowledge;
  const term fact = value_term(&k->terms, arith_and(&k->terms, l->rest, within));
  const uint32_t set = knowledge_with(k, machine_history(l->m, l->t), fact);
  enum solver_answer answer = knowledge_ask(k, set);
  if (k->refused || k->terms.failed) machine_stop(l->m, UNF_MEMORY);
  if (answer == SOLVER_YES && !knowledge_value(k, set, l->address.term, number))
    answer = SOLVER_UNKNOWN;
  if (answer == SOLVER_UNKNOWN) machine_out_of_time(l->m, l->t);
  return l->m->status == UNF_OK ? answer : SOLVER_NO;
}

/* Lists an object, or an address in it. False: there are too many. */
static bool list_target(struct listing *l, const struct target *target, int64_t number) {
  struct machine *m = l->m;
  struct terms *terms = &m->knowledge->terms;
  if (m->outcomes.count == l->most) {
    m->over_values = true;
    l->left = DECIDED_MORE;
    return false;
  }
  const struct value in =
      l->all ? is_at(m, l->address, (uint64_t)number) : lies_in(m, l->address, target);
  machine_list(m, value_term(terms, in), l->all ? number : (int64_t)target->first);
  l->rest = arith_and(terms, l->rest, arith_not(terms, in));
  return m->status == UNF_OK;
}

/* The addresses in an object that it can be, one after the other: at equal distances, or where it
 * has few values, these. */
struct places {
  uint64_t at, last, stride;
  uint32_t next, count; /* of the values; count 0: at equal distances */
  int64_t values[DOMAIN_VALUES];
};

static bool has_place(const struct places *p) {
  return p->at <= p->last;
}

static void next_place(struct places *p) {
  if (p->count == 0)
    p->at += p->stride;
  else if (p->next < p->count)
    p->at = (uint64_t)p->values[p->next++];
  else
    p->last = p->at - 1;
}

static bool are_few_places(const struct places *p, uint64_t most) {
  return !has_place(p) || p->count > 0 || (p->last - p->at) / p->stride < most;
}

static void places_by_lattice(struct lattice l, const struct target *target, struct places *p) {
  const uint64_t stride = l.stride > 0 ? l.stride : target->last - target->first + 1;
  const bool ends = l.span != SPAN_ALL;
  const int64_t base = (int64_t)l.base, end = ends ? base + (int64_t)l.span : INT64_MAX;
  const uint64_t low = ends && base > (int64_t)target->first ? l.base : target->first;
  const uint64_t high = end < (int64_t)target->last ? (uint64_t)end : target->last;
  const bool none = end < (int64_t)low;
  p->at = none ? 1 : low + (stride - (low - l.base) % stride) % stride;
  p->last = none ? 0 : high;
  p->stride = stride;
  p->next = p->count = 0;
}

static void find_places(struct machine *m, struct value address, const struct target *target,
                        struct places *p) {
  struct lattice l = {0, 1, SPAN_ALL};
  if (!lattice_of(&m->lattices, &m->knowledge->terms, address.term, &l))
    machine_stop(m, UNF_MEMORY);
  places_by_lattice(l, target, p);
  if (are_few_places(p, DOMAIN_VALUES)) return;
  const uint32_t count = domains_values(m->knowledge, address.term, p->values);
  if (m->knowledge->refused) machine_stop(m, UNF_MEMORY);
  for (uint32_t i = 0; i < count; i++) {
    const uint64_t at = (uint64_t)p->values[i];
    if (at >= target->first && at <= target->last) p->values[p->count++] = p->values[i];
  }
  if (p->count > 0)
    next_place(p);
  else if (count > 0)
    p->last = p->at - 1;
}

/* Whether that is the value of one of the first outcomes. */
static bool is_listed(const struct listing *l, int64_t number, size_t count) {
  size_t i = 0;
  while (i < count && l->m->outcomes.items[i].value != number)
    i++;
  return i < count;
}

/* Each address in an object that the term can be is an outcome, but for those that are listed:
 * which of them are possible is not known, and the rest is to be outside. */
static void list_places(struct listing *l, const struct target *target) {
  struct places p;
  const size_t known = l->m->outcomes.count;
  bool more = true;
  for (find_places(l->m, l->address, target, &p); more && has_place(&p); next_place(&p))
    more = is_listed(l, (int64_t)p.at, known) || list_target(l, target, (int64_t)p.at);
}

static void list_object(struct listing *l, const struct object *o) {
  struct target target;
  int64_t number = 0;
  if (o == NULL || !find_target(l->m, o->address, l->size, &target)) return;
  const struct value in = lies_in(l->m, l->address, &target);
  enum solver_answer answer = find_address(l, in, &number);
  while (answer == SOLVER_YES && list_target(l, &target, number))
    answer = find_address(l, in, &number);
  if (answer != SOLVER_UNKNOWN) return;
  if (l->all)
    list_places(l, &target);
  else if (!is_listed(l, (int64_t)target.first, l->m->outcomes.count))
    list_target(l, &target, number);
}

/* The object that a constant of an address lies in, or those beside it: the number that is added
 * can be a part of it. */
static void list_origin(struct listing *l, uint64_t constant) {
  struct memory *memory = &l->m->memory;
  const struct object *o = memory_find(memory, constant);
  if (o == NULL) list_object(l, memory_beside(memory, constant, true));
  list_object(l, o != NULL ? o : memory_beside(memory, constant, false));
}

/* Lists the objects that the address is computed from, for a value outside of all ends the list. */
static void list_origins(struct listing *l) {
  struct machine *m = l->m;
  const struct terms *terms = &m->knowledge->terms;
  struct term_list *of = &m->origins;
  if (!term_list_make(of, terms, &l->address.term, 1, UINT32_MAX, NULL, NULL))
    machine_stop(m, UNF_MEMORY);
  for (uint32_t i = of->count; i-- > 0 && m->status == UNF_OK;) {
    int64_t number;
    if (terms_is_constant(terms, of->list[i], &number)) list_origin(l, (uint64_t)number);
  }
}

/* Lists the objects that the address can lie in after what the thread did, or all addresses in
 * them, and at the end that it lies in none. Values outside of all are one outcome: what an address
 * is computed from is an object, and beyond its end is an error wherever that is. */
static bool list_targets(struct machine *m, struct thread *t, struct value address, uint64_t size) {
  const bool all = decides_addresses(m, t);
  const struct value anywhere = value_number(1);
  struct listing l = {m, t, address, anywhere, size, all ? m->max_values : TARGETS_MAX, all, 0};
  struct target target;
  int64_t number;
  m->outcomes.count = 0;
  list_origins(&l);
  while (l.left == 0 && find_address(&l, anywhere, &number) == SOLVER_YES &&
         find_target(m, (uint64_t)number, size, &target) && list_target(&l, &target, number)) {
  }
  machine_list(m, value_term(&m->knowledge->terms, l.rest), l.left);
  return m->status == UNF_OK;
}

/* The object that an address lies in whatever the inputs are. */
static bool find_by_term(struct machine *m, struct thread *t, struct value address, uint64_t size,
                         struct target *target) {
  struct lattice l;
  if (!lattice_of(&m->lattices, &m->knowledge->terms, address.term, &l))
    return machine_stop(m, UNF_MEMORY) == FLOW_NEXT;
  if (l.span < SPAN_SMALL && find_target(m, l.base, size, target) &&
      l.base + l.span <= target->last)
    return true;
  machine_refuse(m, t,
                 "with --cutoffs, an address that depends on inputs and is not within one "
                 "object by its term");
  return false;
}

/* The beginning of the object that an address is decided to lie in, or the address in it. */
static bool decide_first(struct machine *m, struct thread *t, struct value address, uint64_t size,
                         int64_t *first) {
  struct target target = {0, 0};
  if (m->by_terms) {
    if (!find_by_term(m, t, address, size, &target)) return false;
    *first = (int64_t)target.first;
    return !decides_addresses(m, t) || machine_resolve(m, t, address, first);
  }
  return machine_decided(m, t, first) ||
         (list_targets(m, t, address, size) && machine_decide(m, t, first));
}

/* The object that an address is decided to lie in, or the address in it. */
static bool decide_target(struct machine *m, struct thread *t, struct value address, uint64_t size,
                          bool writes, struct target *target) {
  int64_t first;
  if (!decide_first(m, t, address, size, &first)) return false;
  if (first == DECIDED_MORE) return machine_beyond_values(t);
  if (!find_target(m, (uint64_t)first, size, target)) {
    machine_bad_access(m, t, ACCESS_OUTSIDE, 0, writes);
    return false;
  }
  if (decides_addresses(m, t)) target->first = target->last = (uint64_t)first;
  struct places p;
  find_places(m, address, target, &p);
  if (m->status != UNF_OK || are_few_places(&p, m->max_values)) return m->status == UNF_OK;
  if (machine_out_of_time(m, t)) return false;
  /* They are too many for terms: from the beginning on each possible one is an outcome. */
  machine_note_apart(m, machine_place(m, t));
  machine_decide_addresses(m);
  return false;
}

/* ---- reads and writes ---- */

static bool read_at(struct machine *m, struct thread *t, uint64_t address, unsigned width,
                    struct value *value) {
  const enum access access = memory_load(&m->memory, &m->knowledge->terms, address, width, value);
  if (access != ACCESS_GOOD) machine_bad_access(m, t, access, address, false);
  return access == ACCESS_GOOD;
}

static bool read_known(struct machine *m, struct thread *t, uint64_t address, unsigned width,
                       struct value *value) {
  return read_at(m, t, address, width, value) &&
         record(m, t, address, bytes_of(width), false, TERM_NONE);
}

/* As read_at(), where the address may be this one: what was never written is wrong only if it is.
 */
static bool read_if(struct machine *m, struct thread *t, struct value here, uint64_t address,
                    unsigned width, struct value *value, bool *is) {
  const enum access access = memory_load(&m->memory, &m->knowledge->terms, address, width, value);
  *is = access == ACCESS_GOOD;
  if (access != ACCESS_UNWRITTEN)
    return access == ACCESS_GOOD || read_at(m, t, address, width, value);
  const int truth = machine_test(m, t, here);
  if (truth == 1) machine_bad_access(m, t, access, address, false);
  return truth == 0;
}

bool machine_aim(struct machine *m, struct thread *t, struct value address, unsigned width,
                 bool writes, struct aim *aim) {
  struct target target = {0, 0};
  *aim = (struct aim){.address = address};
  if (value_known(address)) return true;
  if (!decide_target(m, t, address, bytes_of(width), writes, &target)) return false;
  aim->first = target.first;
  aim->last = target.last;
  if (target.first == target.last)
    aim->address.number = (int64_t)target.first;
  else if (!racing_meets(m, target.first, target.last - target.first + bytes_of(width)))
    return true;
  else if (!machine_resolve(m, t, address, &aim->address.number))
    return false;
  aim->address.term = TERM_NONE;
  return true;
}

bool machine_read_at(struct machine *m, struct thread *t, const struct aim *aim, unsigned width,
                     struct value *value) {
  struct terms *terms = &m->knowledge->terms;
  const struct target target = {aim->first, aim->last};
  if (value_known(aim->address))
    return read_known(m, t, (uint64_t)aim->address.number, width, value);
  struct places p;
  bool first = true;
  for (find_places(m, aim->address, &target, &p); has_place(&p); next_place(&p)) {
    struct value part;
    const struct value here = is_at(m, aim->address, p.at);
    if (value_known(here) && here.number == 0) continue;
    bool is;
    if (!read_if(m, t, here, p.at, width, &part, &is)) return false;
    if (!is) continue;
    if (!record(m, t, p.at, bytes_of(width), false, value_term(terms, here))) return false;
    *value = first ? part : arith_select(terms, here, part, *value);
    first = false;
  }
  if (first) machine_bad_access(m, t, ACCESS_OUTSIDE, 0, false);
  return !first;
}

static bool write_at(struct machine *m, struct thread *t, uint64_t address, unsigned width,
                     struct value value) {
  const enum access access = memory_store(&m->memory, address, width, value);
  if (access != ACCESS_GOOD) machine_bad_access(m, t, access, address, true);
  return access == ACCESS_GOOD;
}

static bool write_known(struct machine *m, struct thread *t, uint64_t address, unsigned width,
                        struct value value) {
  return write_at(m, t, address, width, value) &&
         record(m, t, address, bytes_of(width), true, TERM_NONE);
}

bool machine_write_at(struct machine *m, struct thread *t, const struct aim *aim, unsigned width,
                      struct value value) {
  struct terms *terms = &m->knowledge->terms;
  const struct target target = {aim->first, aim->last};
  if (value_known(aim->address))
    return write_known(m, t, (uint64_t)aim->address.number, width, value);
  struct places p;
  for (find_places(m, aim->address, &target, &p); has_place(&p); next_place(&p)) {
    struct value old = value;
    const struct value here = is_at(m, aim->address, p.at);
    if (value_known(here) && here.number == 0) continue;
    const enum access access = memory_load(&m->memory, terms, p.at, width, &old);
    if (access != ACCESS_GOOD && access != ACCESS_UNWRITTEN)
      return machine_bad_access(m, t, access, p.at, true) == FLOW_NEXT;
    if (!write_at(m, t, p.at, width, arith_select(terms, here, value, old)) ||
        !record(m, t, p.at, bytes_of(width), true, value_term(terms, here)))
      return false;
  }
  return true;
}

bool machine_read(struct machine *m, struct thread *t, struct value address, unsigned width,
                  struct value *value) {
  struct aim aim;
  return machine_aim(m, t, address, width, false, &aim) &&
         machine_read_at(m, t, &aim, width, value);
}

bool machine_write(struct machine *m, struct thread *t, struct value address, unsigned width,
                   struct value value) {
  struct aim aim;
  return machine_aim(m, t, address, width, true, &aim) &&
         machine_write_at(m, t, &aim, width, value);
}
