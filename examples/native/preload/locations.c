/* Atomic objects of programs compiled with callbacks. The library decides what a compare and
 * swap does and when an await ends, in any order, so its values must be those of the memory:
 * signed numbers of as many bytes as the object has. What is written otherwise, without our
 * knowledge, is refused. */
#include "locations.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <unfold/unfold.h>

#include "../control.h"
#include "accesses.h"
#include "arena.h"
#include "bounds.h"
#include "engine.h"
#include "entry.h"
#include "heap.h"
#include "learn.h"
#include "modules.h"
#include "objects.h"
#include "patch.h"
#include "patch_filter.h"
#include "ranges.h"
#include "refuse.h"
#include "scheduler.h"
#include "words.h"

enum { BITS = 8, BYTES_MOST = 8, READS_MOST = 64, SEQUENTIALLY_CONSISTENT = 5, ORDER_MASK = 0xff };

bool locations_used;

static int64_t signed_of(uint64_t value, unsigned bits) {
  return (int64_t)(value << (64 - bits)) >> (64 - bits);
}

static int64_t memory_of(const struct object *o) {
  uint64_t value = 0;
  memcpy(&value, (const void *)(uintptr_t)o->address, o->bits / BITS);
  return signed_of(value, o->bits);
}

int64_t location_value(const struct object *o) {
  if (o->word == NULL) return o->value;
  return signed_of(o->word->value >> o->address % BYTES_MOST * BITS, o->bits);
}

static void set_value(struct object *o, int64_t value) {
  o->value = value;
  o->blank = false;
  if (o->word != NULL) range_set(o, value);
}

/* Whether what it began with, in this order, is known to this execution alone. */
static bool is_blank(const struct object *o) {
  return o->word != NULL ? range_blank(o) : o->blank;
}

static bool atomic_at(uint64_t address, unsigned bits_least) {
  const struct object *o = object_location(address);
  return o != NULL && o->name != UNF_OBJECT_NONE && o->bits >= bits_least;
}

_Noreturn static void refuse_object(const char *what, const struct object *o, uint64_t place) {
  control->refused_object = o->address;
  object_text(control->refused_name, sizeof control->refused_name, o);
  refuse(what, place);
}

/* A store that was not seen. If plain accesses were not watched, they are from now on. */
_Noreturn static void missed_store(const struct object *o, uint64_t place) {
  static const char what[] = "an atomic object that is also written by plain accesses";
  /* What else was learned comes first: it may be the reason, and the exploration begins again for
   * it in any case. Objects that are compared before it is known which memory is shared would show
   * stores of code that is going to be seen. */
  if (words_watched() && !control->learned && !control->compares && !control->settings.replay) {
    control->compares = control->learned = true;
    give_up(OUTCOME_AGAIN, "%s", what);
  }
  control->stored_plainly = true;
  if (patch_any() && !words_watched() && !control->settings.replay)
    give_up(OUTCOME_AGAIN, "%s", what);
  refuse_object(what, o, place);
}

/* What is on a stack or on the heap may have any value as long as it is written before
 * it is read. */
static void check_value(const struct object *o, unf_operation_kind kind, uint64_t place) {
  const bool overwrites = kind == UNF_STORE;
  if (o->contended) return;
  if (is_blank(o) && !overwrites)
    refuse_object("an atomic object whose initial value depends on the order", o, place);
  if (memory_of(o) != location_value(o) && !overwrites) missed_store(o, place);
}

/* Whether another atomic object has bytes of this one. */
static bool overlaps(uint64_t address, unsigned bits) {
  uint64_t first = address & ~(uint64_t)(BYTES_MOST - 1);
  for (uint64_t at = first; at < address + bits / BITS; at++) {
    unsigned least = at < address ? (unsigned)(BITS * (address - at)) + 1 : 1;
    if (at != address && atomic_at(at, least)) return true;
  }
  return false;
}

/* False: in another execution it had another size. */
static bool place_alone(const struct object *o, unsigned bits) {
  unf_status status = unf_location_place(engine_unfolding(), o->name, o->name, 0, bits / BITS);
  if (status != UNF_OK && status != UNF_STATE)
    give_up(status == UNF_MEMORY || status == UNF_LIMIT ? OUTCOME_LIMIT : OUTCOME_BROKEN, "%s",
            unf_status_text(status));
  return status == UNF_OK;
}

struct object *location_known(uint64_t address, unsigned bits) {
  struct object *o = object_location(address);
  if (o == NULL || o->name == UNF_OBJECT_NONE || o->bits != bits) o = range_find(address, bits);
  return o;
}

/* Objects that this execution has met, if all are compared. */
static struct object *met;

static void add_met(struct object *o) {
  if (!control->compares || o->listed_met) return;
  o->listed_met = true;
  o->next_met = met;
  met = o;
}

/* NULL: the exploration is to begin again. */
static struct object *object_of(const struct access *access, uint64_t place) {
  const uint64_t address = (uint64_t)(uintptr_t)access->address;
  struct object *o = location_known(address, access->bits);
  if (o != NULL && o->initial_known) return o;
  if (address % (access->bits / BITS) != 0) {
    *(const volatile char *)(uintptr_t)address; /* a pointer to nowhere fails here */
    refuse("an atomic object that is not aligned", place);
  }
  locations_used = true;
  o = range_meet(address, access->bits, place);
  if (o != NULL) {
    add_met(o);
    return o;
  }
  o = object_at((const void *)(uintptr_t)address, OBJECT_LOCATION);
  if (o->initial_known || overlaps(address, access->bits) || !place_alone(o, access->bits)) {
    range_begin_again(address, access->bits, place);
    return NULL;
  }
  o->bits = access->bits;
  o->blank = !object_initial(o, memory_of(o));
  add_met(o);
  return o;
}

static int64_t value_after(const struct object *o, const unf_operation *operation, int64_t old) {
  const uint64_t value = (uint64_t)old, low = (uint64_t)operation->low;
  switch (operation->kind) {
  case UNF_STORE:
  case UNF_EXCHANGE:
    return operation->low;
  case UNF_FETCH_ADD:
  case UNF_ADD:
    return signed_of(value + low, o->bits);
  case UNF_FETCH_AND:
    return old & operation->low;
  case UNF_FETCH_OR:
    return old | operation->low;
  case UNF_FETCH_XOR:
    return old ^ operation->low;
  case UNF_FETCH_NAND:
    return ~(old & operation->low);
  case UNF_CAS:
    return old == operation->low ? operation->high : old;
  case UNF_EXCHANGE_AWAIT:
    return operation->high;
  default:
    return old;
  }
}

void location_fence(int order) {
  if (running && (order & ORDER_MASK) != SEQUENTIALLY_CONSISTENT) control->weaker_orders = true;
}

static bool comes_first(const struct object *a, const struct object *b) {
  return a->address > b->address || (a->address == b->address && a->bits > b->bits);
}

/* In an order that does not depend on how they were found, which a replay does otherwise: of
 * objects with the same bytes the first store says what the others are worth. */
static void write_plainly(struct object *o, uint64_t place) {
  struct thread *me = thread_self();
  if (!running || me == NULL || o == NULL || !o->initial_known || o->rewritten) return;
  o->rewritten = true;
  o->place = place;
  struct object **at = &me->rewritten;
  while (*at != NULL && comes_first(*at, o))
    at = &(*at)->next_rewritten;
  o->next_rewritten = *at;
  *at = o;
}

static bool is_changed(const struct object *o, int64_t value) {
  return is_blank(o) || value != location_value(o);
}

static void set_memory(const struct object *o, int64_t value) {
  if (memory_of(o) != value) memcpy((void *)(uintptr_t)o->address, &value, o->bits / BITS);
}

/* What a wide access read, up to the thread's next operation: no other thread runs until then. */
static struct object *kept;

static void keep(struct object *o, int64_t value) {
  if (location_value(o) == value || ranges_divided()) return;
  set_memory(o, value);
  o->next_kept = kept;
  kept = o;
}

/* Those that are written since are put right where the store comes. */
static void locations_release(void) {
  for (; kept != NULL; kept = kept->next_kept)
    if (!kept->rewritten) set_memory(kept, location_value(kept));
}

/* Not a stack, where what was left behind is nobody's, nor what was mapped and is gone. */
static bool is_there(uint64_t address) {
  uint32_t module;
  uint64_t offset;
  if (heap_holds(address)) return true;
  if (heap_owner(address) == NULL && !module_locate(address, &module, &offset)) return false;
  return unfold_mapped((const void *)(uintptr_t)address, 1);
}

/* Whether code that is not changed, as that without descriptions of its functions, has written to
 * it: it was the thread that ran until now. */
static bool is_written(const struct object *o) {
  return o->name != UNF_OBJECT_NONE && !o->rewritten && !o->gone && !o->contended && !is_blank(o) &&
         is_there(o->address) && memory_of(o) != location_value(o);
}

static void compare_all(void) {
  for (struct object *o = met; o != NULL; o = o->next_met)
    if (is_written(o)) write_plainly(o, control->last_place);
}

/* They are about to be written in part. */
static void release_parts(const struct byte_span *m) {
  for (const struct object *o = kept; o != NULL; o = o->next_kept) {
    const uint64_t end = o->address + o->bits / BITS, to = m->address + m->size;
    if (o->address < to && end > m->address && (o->address < m->address || end > to))
      set_memory(o, location_value(o));
  }
}

/* What a plain access wrote to an object. Another thread may do the same meanwhile. */
struct rewrite {
  struct object *object;
  int64_t coming;
  bool covered;
};

static void rewrites_reserve(struct thread *t, uint32_t count) {
  if (count <= t->rewrite_room) return;
  const struct rewrite *before = t->rewrites;
  t->rewrite_room = 2 * count;
  t->rewrites = private_memory(t->rewrite_room * sizeof *t->rewrites);
  for (uint32_t i = 0; i < t->rewrite_count; i++)
    t->rewrites[i] = before[i];
}

/* The thread's list, which is empty then, behind those that are becoming stores. Until each comes,
 * the object has the value that it had. */
static void take_rewrites(struct thread *t) {
  const uint32_t first = t->rewrite_count;
  uint32_t count = first;
  for (const struct object *o = t->rewritten; o != NULL; o = o->next_rewritten)
    count++;
  rewrites_reserve(t, count);
  for (struct object *o = t->rewritten; o != NULL; o = o->next_rewritten) {
    t->rewrites[t->rewrite_count++] = (struct rewrite){o, memory_of(o), o->covered};
    o->rewritten = o->covered = false;
  }
  t->rewritten = NULL;
  for (uint32_t i = first; i < count; i++) {
    const struct object *o = t->rewrites[i].object;
    if (o->name != UNF_OBJECT_NONE) set_memory(o, location_value(o));
  }
}

/* In schedule() others may be found (compare_all()), which come behind these. */
static void store_rewrites(struct thread *t) {
  for (uint32_t i = 0; i < t->rewrite_count; i++) {
    const struct rewrite r = t->rewrites[i];
    struct object *o = r.object;
    if (o->name == UNF_OBJECT_NONE || (!r.covered && !is_changed(o, r.coming))) continue;
    schedule(UNF_OP_STORE(o->name, r.coming), o, o->place);
    if (memory_of(o) != location_value(o)) missed_store(o, o->place);
    set_memory(o, r.coming);
    set_value(o, r.coming);
  }
  t->rewrite_count = 0;
}

/* Objects that are initialised anew, or written by an access that is wider than they are. It does
 * not matter that the stores come a little later than the write, since no other thread ran in the
 * meantime. */
void locations_rewritten(struct thread *t) {
  const bool inside = t->rewrite_count > 0;
  take_rewrites(t);
  if (!inside) store_rewrites(t);
}

void locations_settle(struct thread *t) {
  const bool inside = t->rewrite_count > 0;
  locations_release();
  take_rewrites(t);
  if (met != NULL) compare_all();
  take_rewrites(t);
  if (!inside) store_rewrites(t);
}

/* What functions of the C library and what is pushed leave on a thread's own stack or heap is not
 * seen: it is a store of that thread, which comes when it looks there. */
static void write_own(struct object *o, uint64_t place) {
  struct thread *me = thread_self();
  const bool own =
      (o->address >= me->stack_low && o->address < me->stack_high) || heap_owner(o->address) == me;
  if (!own || !words_watched() || !is_changed(o, memory_of(o))) return;
  write_plainly(o, place);
  locations_rewritten(me);
}

bool location_operate(const struct access *access, uint64_t place) {
  if (ranges_divided()) {
    if (access->kind != UNF_OPERATION_COUNT && access->bits <= 64) object_of(access, place);
    return false;
  }
  locations_settle(thread_self());
  if (access->kind == UNF_OPERATION_COUNT || access->bits > 64) refuse(access->name, place);
  location_fence(access->order);
  bound_operation(place);
  struct object *o = object_of(access, place);
  if (o == NULL) return false;
  unf_operation operation = unf_operation_make(
      access->kind, o->name, signed_of(access->low, o->bits), signed_of(access->high, o->bits));
  operation.second = (uint32_t)access->relation;
  if (access->kind != UNF_STORE) write_own(o, place);
  const int64_t there = memory_of(o);
  if (learn_extra(o, &operation, there, value_after(o, &operation, there))) return false;
  check_value(o, access->kind, place);
  schedule(operation, o, place);
  if (thread_self()->acquiring.slow) return false;
  check_value(o, access->kind, place);
  if (operation.kind == UNF_LOAD || operation.kind == UNF_AWAIT) return false;
  const int64_t old = location_value(o), value = value_after(o, &operation, old);
  set_value(o, value);
  learn_changed(o, old, value);
  return old != value;
}

void location_await(const struct access *access, uint64_t value, bool perhaps, uint64_t place) {
  const struct access wait = {.name = access->name,
                              .bits = access->bits,
                              .kind = UNF_AWAIT,
                              .address = access->address,
                              .low = value,
                              .order = access->order,
                              .relation = UNF_UNEQUAL};
  struct thread *me = thread_self();
  me->tries = perhaps;
  location_operate(&wait, place);
  me->tries = false;
}

struct object *location_at(const void *address, unsigned bits, uint64_t place) {
  const struct access access = {.bits = bits, .address = address};
  locations_release();
  bound_operation(place);
  words_learn((uint64_t)(uintptr_t)address, bits / BITS);
  struct object *o = object_of(&access, place);
  ranges_check();
  write_own(o, place);
  location_check(o, place);
  return o;
}

void location_check(const struct object *o, uint64_t place) {
  check_value(o, UNF_LOAD, place);
}

void location_written(const void *address, size_t size, uint64_t place) {
  write_plainly(location_known((uint64_t)(uintptr_t)address, BITS * (unsigned)size), place);
}

/* Whether an operation of this execution was at an object that may have one of these bytes. */
static bool is_met(uint64_t address, uint64_t size) {
  for (uint64_t at = address & ~(uint64_t)(BYTES_MOST - 1); at < address + size; at++)
    if (object_location(at) != NULL) return true;
  return false;
}

/* One that this execution did not come to yet begins with what is there before the write. */
static void meet(uint64_t address, uint32_t size, uint64_t place) {
  const struct access access = {.bits = BITS * size, .address = (const void *)(uintptr_t)address};
  if (address % size == 0 && !is_met(address, size)) object_of(&access, place);
}

static bool is_within(const struct object *o, uint64_t address, uint64_t size) {
  return o->address >= address && o->address + o->bits / BITS <= address + size;
}

/* Whether another object of its word has all of its bytes that an access has: that one says
 * enough. */
static bool is_part(const struct object *o, const struct word *word, const struct byte_span *m) {
  for (const struct object *r = word->ranges; r != NULL; r = r->next_range)
    if (r->bits > o->bits && is_within(o, r->address, r->bits / BITS) &&
        is_within(r, m->address, m->size))
      return true;
  return false;
}

/* All of it is written: a store, whatever value others gave it. */
static void cover(struct object *o, uint64_t address, uint64_t size, uint64_t place) {
  write_plainly(o, place);
  o->covered = o->rewritten && is_within(o, address, size);
}

/* What the thread wrote there before, and is no store yet, becomes one before it is written again:
 * another thread may see it. What code wrote that is not changed came before this, too. */
static void settle(const struct byte_span *m) {
  struct thread *me = thread_self();
  bool found = false;
  if (!running || me == NULL) return;
  for (const struct object *o = me->rewritten; o != NULL; o = o->next_rewritten)
    found |= o->address < m->address + m->size && m->address < o->address + o->bits / BITS;
  for (const struct object *o = met; o != NULL && !found; o = o->next_met)
    found = is_written(o);
  if (found) locations_settle(me);
}

void locations_meet(const struct byte_span *m, uint64_t place) {
  settle(m);
  words_each(m->address, m->size, meet, place);
}

/* The next byte at which there may be an object. */
static uint64_t next_near(uint64_t at) {
  return locations_near[near_hash(at)] ? at + 1 : (at | (BYTES_MOST - 1)) + 1;
}

void locations_covered(uint64_t address, uint64_t size, uint64_t place) {
  const struct byte_span m = {address, size};
  release_parts(&m);
  locations_meet(&m, place);
  const uint64_t first = address & ~(uint64_t)(BYTES_MOST - 1);
  for (uint64_t at = first; at < address + size; at = next_near(at)) {
    struct object *o = object_location(at);
    if (o == NULL) continue;
    for (struct object *r = o->divided == NULL ? NULL : o->divided->ranges; r != NULL;
         r = r->next_range)
      if (!is_part(r, o->divided, &m)) cover(r, address, size, place);
    if (o->name != UNF_OBJECT_NONE && o->bits != 0 && at + o->bits / BITS > address)
      cover(o, address, size, place);
  }
}

/* The objects of an access, in the order of their places, with what was read. */
struct reads {
  unsigned count;
  struct object *objects[READS_MOST];
  int64_t values[READS_MOST];
};

static bool comes_later(const struct object *a, const struct object *b) {
  return a->address != b->address ? a->address > b->address : a->bits > b->bits;
}

/* False: there are too many. */
static bool insert(struct reads *r, unsigned first, struct object *o, const struct byte_span *m) {
  if (o->address + o->bits / BITS <= m->address || o->address >= m->address + m->size) return true;
  for (unsigned i = 0; i < r->count; i++)
    if (r->objects[i] == o) return true;
  if (r->count == READS_MOST) return false;
  unsigned at = r->count++;
  for (; at > first && comes_later(r->objects[at - 1], o); at--)
    r->objects[at] = r->objects[at - 1];
  r->objects[at] = o;
  return true;
}

static bool find_all(struct reads *r, unsigned first, const struct byte_span *m, uint64_t place) {
  bool room = true;
  words_each(m->address, m->size, meet, place);
  const uint64_t word = m->address & ~(uint64_t)(BYTES_MOST - 1);
  for (uint64_t at = word; at < m->address + m->size; at = next_near(at)) {
    struct object *o = object_location(at);
    if (o == NULL) continue;
    struct object *part = o->divided == NULL ? NULL : o->divided->ranges;
    for (; part != NULL; part = part->next_range)
      room &= is_part(part, o->divided, m) || insert(r, first, part, m);
    if (o->name != UNF_OBJECT_NONE && o->bits != 0) room &= insert(r, first, o, m);
  }
  return room;
}

/* An access that is wider than its objects, and was no operation. */
static void note_unseen(uint64_t place) {
  if (control->wide_accesses++ == 0) control->wide_place = place;
}

/* Loads those from there on. */
static void read_from(struct reads *r, unsigned first, uint64_t place) {
  for (unsigned i = first; i < r->count; i++) {
    const struct object *o = r->objects[i];
    const struct access access = {.name = "a plain access",
                                  .bits = o->bits,
                                  .kind = UNF_LOAD,
                                  .address = (const volatile void *)(uintptr_t)o->address,
                                  .order = SEQUENTIALLY_CONSISTENT};
    location_operate(&access, place);
    r->values[i] = location_value(o);
  }
}

void locations_read(const struct byte_span *m, uint64_t place) {
  struct reads r = {.count = 0};
  if (!find_all(&r, 0, m, place)) note_unseen(place);
  read_from(&r, 0, place);
  for (unsigned i = 0; i < r.count; i++)
    keep(r.objects[i], r.values[i]);
}

/* Loads the objects with that byte, behind those that were read before, and says where they end. */
static uint64_t read_next(struct reads *r, const struct byte_span *byte, uint64_t place) {
  const unsigned first = r->count;
  uint64_t end = byte->address + 1;
  if (!words_pages(byte->address, 1) || !words_atomic(byte->address, 1) || locations_early(byte))
    return end;
  if (!find_all(r, first, byte, place)) note_unseen(place);
  read_from(r, first, place);
  for (unsigned i = first; i < r->count; i++)
    end = r->objects[i]->address + r->objects[i]->bits / BITS;
  return end;
}

/* How many bytes of a text are read. A pointer to nothing is for the call itself to refuse. */
static size_t read_text(struct reads *r, const struct reading *text, uint64_t place) {
  const uint64_t address = (uint64_t)(uintptr_t)text->address;
  const bool watched = running && thread_self() != NULL && words_watched();
  uint64_t known = address;
  size_t size = 0;
  if (address == 0) return 0;
  for (bool ended = false; size < text->size && !ended; size++) {
    const struct byte_span byte = {address + size, 1};
    if (watched && byte.address >= known) known = read_next(r, &byte, place);
    const char read = *(const char *)(uintptr_t)byte.address;
    ended = read == '\0' || read == text->last;
  }
  return size;
}

static void read_bytes(struct reads *r, const struct byte_span *m, uint64_t place) {
  const unsigned first = r->count;
  if (!running || thread_self() == NULL || m->size == 0 || !words_watched()) return;
  if (!words_pages(m->address, m->size) || !words_atomic(m->address, m->size)) return;
  if (locations_early(m)) return;
  if (!find_all(r, first, m, place)) note_unseen(place);
  read_from(r, first, place);
}

void locations_read_all(struct reading *readings, unsigned count, uint64_t place) {
  struct reads r = {.count = 0};
  for (unsigned i = 0; i < count; i++) {
    struct reading *reading = &readings[i];
    if (reading->text)
      reading->size = read_text(&r, reading, place);
    else
      read_bytes(&r, &(struct byte_span){(uint64_t)(uintptr_t)reading->address, reading->size},
                 place);
  }
  for (unsigned i = 0; i < r.count; i++)
    keep(r.objects[i], r.values[i]);
}

bool locations_early(const struct byte_span *m) {
  return threads->next == NULL && !is_met(m->address, m->size);
}
