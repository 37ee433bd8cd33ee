/* Objects and their names. A name must not depend on the order in which things happen, so it is
 * made of what a thread alone decides: a mutex in the data of a module is its offset there; one
 * that was initialised at run time is the thread that did so and its count; one on a stack is the
 * thread and the distance from its beginning. One on the heap that is not initialised by a call, as
 * those of C++, is the place of its block, where the heap is ours with every back-end: not with
 * --atomics off. What is left is named by the
 * first thread that used it and its count: if two threads race to be first, the explorer notices
 * and says that the program is not deterministic. */
#include "objects.h"

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unfold/unfold.h>

#include "../control.h"
#include "../control/learned.h"
#include "../control/modules.h"
#include "../control/object_kinds.h"
#include "../labels.h"
#include "../names.h"
#include "arena.h"
#include "engine.h"
#include "entry.h"
#include "findings.h"
#include "heap.h"
#include "modules.h"
#include "patch_later.h"
#include "refuse.h"
#include "scheduler.h"

/* The first word of an object that was destroyed, and by which we know that no other has taken its
 * place. Mutexes have the C library's mark instead. */
static const uint32_t destroyed_mark = 0xdeadc0de;

enum { BYTES_MOST = 8 };
static const uint64_t key_of_place = (uint64_t)SIZE_OF_PLACE << SIZE_BIT;

static unf_object_class class_of(enum object_kind kind) {
  switch (kind) {
  case OBJECT_CONDITION:
    return UNF_CONDITION;
  case OBJECT_RWLOCK:
    return UNF_RWLOCK;
  case OBJECT_SEMAPHORE:
  case OBJECT_THREAD:
  case OBJECT_SIGNAL:
    return UNF_SEMAPHORE;
  case OBJECT_BARRIER:
    return UNF_BARRIER;
  case OBJECT_LOCATION:
  case OBJECT_INIT:
    return UNF_LOCATION;
  case OBJECT_FUTEX:
    return UNF_FUTEX;
  default:
    return UNF_MUTEX;
  }
}

bool locations_near[LOCATIONS_NEAR];

/* Open addressing; objects are never removed, only made nameless. */
static struct object **table;
static size_t capacity, count;
static struct object *locations; /* those on the heap that are known by their block */

/* Atomic objects are apart from the others: what a compiler reads atomically may be one of those
 * too, as the guards of C++ are; and it may have a queue. So are places of initialisations. */
static uint64_t key_of(uint64_t address, enum object_kind kind) {
  return address | (uint64_t)(kind == OBJECT_LOCATION) << 63 |
         (uint64_t)(kind == OBJECT_FUTEX) << 62 | (uint64_t)(kind == OBJECT_INIT) << 61;
}

static struct object **slot_of(uint64_t key) {
  size_t i = (size_t)((key * 0x9e3779b97f4a7c15u) >> 20) & (capacity - 1);
  while (table[i] != NULL && key_of(table[i]->address, table[i]->kind) != key)
    i = (i + 1) & (capacity - 1);
  return &table[i];
}

static void grow(void) {
  struct object **old = table;
  size_t old_capacity = capacity;
  capacity = capacity == 0 ? 256 : capacity * 2;
  table = private_memory(capacity * sizeof(struct object *));
  for (size_t i = 0; i < old_capacity; i++)
    if (old[i] != NULL) *slot_of(key_of(old[i]->address, old[i]->kind)) = old[i];
}

static struct object *find(uint64_t address, enum object_kind kind) {
  if (2 * count >= capacity) grow();
  struct object **slot = slot_of(key_of(address, kind));
  if (*slot == NULL) {
    if (kind == OBJECT_LOCATION) locations_near[near_hash(address)] = true;
    struct object *o = private_memory(sizeof *o);
    o->address = address;
    o->kind = kind;
    o->name = UNF_OBJECT_NONE;
    *slot = o;
    count++;
  }
  return *slot;
}

struct object *object_location(uint64_t address) {
  if (capacity == 0 || !locations_near[near_hash(address)]) return NULL;
  return *slot_of(key_of(address, OBJECT_LOCATION));
}

struct object *object_found(uint64_t address, enum object_kind kind) {
  struct object *o = capacity == 0 ? NULL : *slot_of(key_of(address, kind));
  return o != NULL && o->kind == kind && o->name != UNF_OBJECT_NONE ? o : NULL;
}

static void name_it(struct object *o, unf_thread creator, uint64_t key) {
  unf_status status =
      unf_object_name(engine_unfolding(), class_of(o->kind), creator, key, &o->name);
  if (status == UNF_OK) return;
  give_up(status == UNF_MEMORY || status == UNF_LIMIT ? OUTCOME_LIMIT : OUTCOME_BROKEN, "%s",
          unf_status_text(status));
}

static void give_name(struct object *o, const struct thread *creator, uint64_t key) {
  const int bit = o->kind == OBJECT_BARRIER ? RENEWED_BIT_ROUND : RENEWED_BIT;
  if (o->kind == OBJECT_INIT) key |= key_of_place;
  name_it(o, creator == NULL ? UNF_THREAD_NONE : creator->name, (uint64_t)o->renewed << bit | key);
}

static bool name_static(struct object *o) {
  uint32_t module;
  uint64_t offset;
  if (!module_locate(o->address, &module, &offset)) return false;
  give_name(o, NULL, (uint64_t)module << 32 | offset);
  return true;
}

static bool name_on_stack(struct object *o) {
  for (struct thread *t = threads; t != NULL; t = t->next) {
    if (o->address < t->stack_low || o->address >= t->stack_base) continue;
    uint64_t distance = t->stack_base - o->address;
    give_name(o, t, distance * NAMED_KINDS + NAMED_STACK);
    return true;
  }
  return false;
}

/* Not so those that a thread has named. */
static bool has_place_name(const struct object *o) {
  unf_thread creator;
  uint64_t key;
  object_key(o, &creator, &key);
  return key % NAMED_KINDS == NAMED_HEAP;
}

static bool is_memory(const struct object *o) {
  return o->kind == OBJECT_LOCATION || o->kind == OBJECT_FUTEX || o->kind == OBJECT_INIT;
}

static void list(struct object *o) {
  if (o->listed) return;
  o->listed = true;
  o->next_location = locations;
  locations = o;
}

/* What is initialised by plain accesses is known by its address, which is that of its block: a
 * function of the thread that allocated it. */
static bool name_on_heap(struct object *o) {
  const struct thread *t = is_memory(o) || heap_names() ? heap_owner(o->address) : NULL;
  if (t == NULL) return false;
  if (o->renewed >> (64 - RENEWED_BIT) != 0)
    give_up(OUTCOME_LIMIT, "a block of the heap was allocated too often");
  give_name(o, t, heap_offset(o->address) * NAMED_KINDS + NAMED_HEAP);
  if (o->kind != OBJECT_FUTEX) list(o);
  return true;
}

/* Nor does anything move that is in memory from before main. */
static bool name_before_main(struct object *o) {
  uint32_t number;
  uint64_t offset;
  if (!memory_before(o->address, &number, &offset) || offset > UINT32_MAX) return false;
  give_name(o, NULL, (uint64_t)(MODULES_MAX + number) << 32 | offset);
  return true;
}

/* The memory of an object that was never destroyed has become another object. Whoever holds the old
 * one holds it for ever. */
struct object *object_renew(const struct object *o) {
  struct object *fresh = private_memory(sizeof *fresh);
  fresh->address = o->address;
  fresh->kind = o->kind;
  fresh->name = UNF_OBJECT_NONE;
  fresh->renewed = o->renewed + 1;
  *slot_of(key_of(o->address, o->kind)) = fresh;
  return fresh;
}

/* A block was allocated: what was in it before is gone. */
void objects_allocated(uint64_t address, uint64_t size) {
  for (struct object *o = locations; o != NULL; o = o->next_location) {
    if (o->address - address >= size || o->name == UNF_OBJECT_NONE || o->gone) continue;
    if (!is_memory(o)) {
      o->gone = true;
      object_renew(o)->renewed = has_place_name(o) ? o->renewed + 1 : 0;
      continue;
    }
    object_forget(o);
    o->initial_known = false;
    o->divided = NULL;
    o->present = NULL;
    o->renewed++;
  }
}

static struct object *find_kind(uint64_t address, enum object_kind kind) {
  struct object *o = find(address, kind);
  if (o->name != UNF_OBJECT_NONE && o->kind != kind) o = object_renew(o);
  o->kind = kind;
  return o;
}

/* With those that are known by their block, if there may be another one in it later. */
static void list_block(struct object *o) {
  if (control->inits_watched && o->name == UNF_OBJECT_NONE && heap_owner(o->address) != NULL)
    list(o);
}

static bool marked(const struct object *o) {
  uint32_t word;
  memcpy(&word, (const void *)(uintptr_t)o->address, sizeof word);
  return word == destroyed_mark;
}

struct object *object_at(const void *address, enum object_kind kind) {
  struct object *o = find_kind((uint64_t)(uintptr_t)address, kind);
  if (o->destroyed && kind != OBJECT_MUTEX && !marked(o)) o = object_renew(o);
  if (o->name != UNF_OBJECT_NONE || name_static(o) || name_on_stack(o) || name_on_heap(o) ||
      name_before_main(o))
    return o;
  struct thread *t = thread_self();
  list_block(o);
  give_name(o, t, (uint64_t)t->first_uses++ * NAMED_KINDS + NAMED_FIRST_USE);
  return o;
}

struct object *object_place(uint64_t address) {
  struct object *o = find(address, OBJECT_INIT);
  const bool named = o->name != UNF_OBJECT_NONE || name_static(o) || name_on_stack(o) ||
                     name_on_heap(o) || name_before_main(o);
  o->bits = CHAR_BIT;
  return named ? o : NULL;
}

struct object *object_instance(uint64_t address, enum object_kind kind) {
  struct object *o = private_memory(sizeof *o);
  struct thread *t = thread_self();
  *o = (struct object){.address = address, .kind = kind, .used = true};
  give_name(o, t, (uint64_t)t->inits++ * NAMED_KINDS + NAMED_INITIALISED);
  return o;
}

/* The word that begins there, for objects that have some of its bytes; NULL: it has no name that is
 * the same in every exploration. */
struct object *object_word(uint64_t address) {
  struct object *o = find_kind(address, OBJECT_LOCATION);
  if (o->name == UNF_OBJECT_NONE)
    return name_static(o) || name_on_stack(o) || name_on_heap(o) || name_before_main(o) ? o : NULL;
  unf_thread creator;
  uint64_t key;
  object_key(o, &creator, &key);
  return creator == UNF_THREAD_NONE || key % NAMED_KINDS != NAMED_FIRST_USE ? o : NULL;
}

/* Without what says which bytes, and how often the word was another one. */
void object_key(const struct object *o, unf_thread *creator, uint64_t *key) {
  if (unf_object_describe(engine_unfolding(), o->name, NULL, creator, key) != UNF_OK)
    give_up(OUTCOME_BROKEN, "an object has no name");
  *key &= ((uint64_t)1 << FIRST_BIT) - 1;
}

struct object *object_part(const struct object *word, unsigned first, unsigned size) {
  struct object *o = private_memory(sizeof *o);
  unf_thread creator;
  uint64_t key;
  object_key(word, &creator, &key);
  key |= (uint64_t)first << FIRST_BIT | (uint64_t)size << SIZE_BIT;
  o->address = word->address + first;
  o->kind = OBJECT_LOCATION;
  o->bits = 8 * size;
  o->renewed = word->renewed;
  name_it(o, creator, (uint64_t)o->renewed << RENEWED_BIT | key);
  return o;
}

/* The bytes that a name stands for; false: those of no object that shares them. */
bool object_bytes(unf_object name, unf_thread *creator, uint64_t *word, uint32_t *first,
                  uint32_t *size) {
  unf_object_class object_class;
  uint64_t key;
  if (unf_object_describe(engine_unfolding(), name, &object_class, creator, &key) != UNF_OK)
    return false;
  *word = key & (((uint64_t)1 << FIRST_BIT) - 1);
  *first = (uint32_t)(key >> FIRST_BIT) & 7;
  *size = (uint32_t)(key >> SIZE_BIT) & 15;
  return object_class == UNF_LOCATION && *size != 0 && *size <= BYTES_MOST;
}

const struct object *object_named(unf_object name) {
  size_t i = 0;
  while (i < capacity && (table[i] == NULL || table[i]->name != name))
    i++;
  return i < capacity ? table[i] : NULL;
}

bool object_is_first_use(unf_object name) {
  unf_thread creator;
  uint64_t key;
  return unf_object_describe(engine_unfolding(), name, NULL, &creator, &key) == UNF_OK &&
         creator != UNF_THREAD_NONE &&
         (key & (((uint64_t)1 << FIRST_BIT) - 1)) % NAMED_KINDS == NAMED_FIRST_USE;
}

bool object_is_place(unf_object name) {
  unf_object_class object_class;
  unf_thread creator;
  uint64_t key;
  return unf_object_describe(engine_unfolding(), name, &object_class, &creator, &key) == UNF_OK &&
         object_class == UNF_LOCATION && (key & key_of_place) == key_of_place;
}

/* Where the memory of a name is that an atomic object has, without what says how often it was
 * another one; false: it has no place of its own. */
bool object_where(unf_object name, struct shared_word *w) {
  unf_object_class object_class;
  unf_thread creator;
  uint64_t key;
  if (unf_object_describe(engine_unfolding(), name, &object_class, &creator, &key) != UNF_OK ||
      object_class != UNF_LOCATION)
    return false;
  const uint64_t first = key >> FIRST_BIT & 7, size = key >> SIZE_BIT & 15;
  key &= ((uint64_t)1 << FIRST_BIT) - 1;
  memset(w, 0, sizeof *w);
  w->size = size > 0 ? (uint32_t)size : 1;
  if (creator == UNF_THREAD_NONE) {
    const uint32_t number = (uint32_t)(key >> 32);
    w->where = number < MODULES_MAX ? WORD_IN_MODULE : WORD_ANYWHERE;
    w->at = (number < MODULES_MAX ? key : memory_low(number - MODULES_MAX) + (uint32_t)key) + first;
    return true;
  }
  engine_thread(w->owner, sizeof w->owner, creator);
  const bool stack = key % NAMED_KINDS == NAMED_STACK;
  w->where = stack ? WORD_ON_STACK : WORD_ON_HEAP;
  w->at = key / NAMED_KINDS;
  w->at = stack ? w->at - first : w->at + first;
  return stack || key % NAMED_KINDS == NAMED_HEAP;
}

void object_initialise(const void *address, enum object_kind kind) {
  struct object *o = find_kind((uint64_t)(uintptr_t)address, kind);
  struct thread *t = thread_self();
  const bool counts = kind == OBJECT_SEMAPHORE || kind == OBJECT_BARRIER;
  if (o->owner != NULL || (counts && o->used)) o = object_renew(o);
  o->destroyed = false;
  o->lost_place = 0;
  o->used = true;
  if (name_static(o)) return;
  list_block(o);
  give_name(o, t, (uint64_t)t->inits++ * NAMED_KINDS + NAMED_INITIALISED);
}

/* Its memory is that of a new object now, to be named again when it is used. */
void object_forget(struct object *o) {
  o->destroyed = false;
  o->name = UNF_OBJECT_NONE;
}

static struct object *object_of_thread(const struct thread *t, enum object_kind kind,
                                       uint64_t key) {
  struct object *o = private_memory(sizeof *o);
  o->kind = kind;
  name_it(o, t->name, key);
  return o;
}

/* A semaphore that a thread posts at its end. */
struct object *object_end(struct thread *t) {
  if (t->end == NULL) t->end = object_of_thread(t, OBJECT_THREAD, NAMED_END);
  return t->end;
}

/* A semaphore at 1, which the thread takes that joins this one. */
struct object *object_joins(struct thread *t) {
  if (t->joins != NULL) return t->joins;
  t->joins = object_of_thread(t, OBJECT_THREAD, KEY_OF_JOINS);
  if (!object_initial(t->joins, 1)) give_up(OUTCOME_BROKEN, "joins without an order");
  return t->joins;
}

bool object_is_joins(unf_object name) {
  unf_object_class object_class;
  unf_thread creator;
  uint64_t key;
  return unf_object_describe(engine_unfolding(), name, &object_class, &creator, &key) == UNF_OK &&
         object_class == UNF_SEMAPHORE && creator != UNF_THREAD_NONE && key == KEY_OF_JOINS;
}

/* A semaphore for the signals that are sent to a thread. */
struct object *object_signals(struct thread *t) {
  if (t->signals == NULL) t->signals = object_of_thread(t, OBJECT_SIGNAL, NAMED_SIGNALS);
  return t->signals;
}

/* Only a semaphore and an atomic object have one. False: it had another one in another order. */
bool object_initial(struct object *o, int64_t value) {
  o->value = value;
  o->initial_known = true;
  unf_status status = unf_object_set_initial(engine_unfolding(), o->name, value);
  if (status != UNF_OK && status != UNF_STATE)
    give_up(status == UNF_MEMORY || status == UNF_LIMIT ? OUTCOME_LIMIT : OUTCOME_BROKEN, "%s",
            unf_status_text(status));
  return status == UNF_OK;
}

/* Of a semaphore, before it is used. */
void object_maximum(const struct object *o, int64_t value) {
  unf_status status = unf_object_set_maximum(engine_unfolding(), o->name, value);
  if (status != UNF_OK)
    give_up(status == UNF_MEMORY || status == UNF_LIMIT ? OUTCOME_LIMIT : OUTCOME_BROKEN, "%s",
            unf_status_text(status));
}

/* A round of a barrier, whose object is that of the first round. */
struct object *object_round(struct object *o, uint32_t round) {
  unf_thread creator;
  uint64_t key;
  while (o->round < round && o->next_round != NULL)
    o = o->next_round;
  if (o->round == round) return o;
  struct object *fresh = private_memory(sizeof *fresh);
  *fresh = (struct object){.address = o->address, .kind = o->kind, .round = o->round + 1};
  if (unf_object_describe(engine_unfolding(), o->name, NULL, &creator, &key) != UNF_OK)
    give_up(OUTCOME_BROKEN, "a barrier has no name");
  name_it(fresh, creator, key + ((uint64_t)1 << ROUND_BIT));
  o->next_round = fresh;
  return object_round(fresh, round);
}

void object_destroy(struct object *o) {
  o->destroyed = true;
  memcpy((void *)(uintptr_t)o->address, &destroyed_mark, sizeof destroyed_mark);
}

/* Asked when an operation was performed, and not when a thread comes to it: only then it is in an
 * order with the destruction. */
void object_alive(const struct object *o, uint64_t place) {
  if (o->replaced) misused(MISUSE_EARLY, o, place);
  if (o->destroyed) misused(MISUSE_DESTROYED, o, place);
}

void object_text(char *text, size_t size, const struct object *o) {
  object_mark(engine_unfolding(), o->name, text, size);
}

void object_lock(struct object *o, uint64_t place) {
  schedule(UNF_OP_LOCK(o->name), o, place);
}

void object_unlock(struct object *o, uint64_t place) {
  schedule(UNF_OP_UNLOCK(o->name), o, place);
}

bool object_trylock(struct object *o, uint64_t place) {
  schedule(UNF_OP_TRYLOCK(o->name), o, place);
  return thread_self()->did == UNF_DID_ACQUIRE;
}
