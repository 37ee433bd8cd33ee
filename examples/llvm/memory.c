#include "memory.h"

#include <stdlib.h>
#include <string.h>

#include "arith.h"
#include "array.h"
#include "freed.h"
#include "terms.h"

/* Of each region the lowest part is its stack. The others are its heap: they have the same spots,
 * of objects that were made there one after the other. Between objects there is a gap, which is in
 * none: so large that an index beyond an array is not in another object, unless more than half of
 * the addresses were given. It is not a power of two, since programs hash. */
enum { REGION_BITS = 44, PART_BIT = 41, STEP = 16, FIRST = 65536 };
enum { GAP = (1 << 20) + STEP };
#define PART_ONE (UINT64_C(1) << PART_BIT)
#define PARTS    ((UINT64_C(1) << REGION_BITS) - PART_ONE)
enum { FEW_OBJECTS = 1024 };

uint32_t memory_region(uint64_t address) {
  return (uint32_t)(address >> REGION_BITS);
}

/* 0: the stack. */
static uint64_t part_of(uint64_t address) {
  return address & PARTS;
}

uint64_t memory_spot(uint64_t address) {
  return part_of(address) != 0 ? (address & ~PARTS) | PART_ONE : address;
}

/* What an object holds is copied in pages of so many elements, the list of objects in fewer. */
enum { PAGE_BITS = 9, LIST_BITS = 4 };
const struct array_kind bytes_kind = {.size = 1, .bits = PAGE_BITS, .fixed = true};
const struct array_kind parts_kind = {
    .size = sizeof(struct part), .bits = PAGE_BITS, .fixed = true};

static void keep_object(void *element) {
  const struct object *o = element;
  (void)array_share(&o->bytes);
  (void)array_share(&o->written);
  (void)array_share(&o->parts);
}

static void drop_object(struct array_pool *pool, void *element) {
  struct object *o = element;
  array_drop(pool, &bytes_kind, &o->bytes);
  array_drop(pool, &bytes_kind, &o->written);
  array_drop(pool, &parts_kind, &o->parts);
}

const struct array_kind objects_kind = {
    .size = sizeof(struct object), .bits = LIST_BITS, .keep = keep_object, .drop = drop_object};

/* ---- all of it ---- */

void memory_begin(struct memory *m, struct array_pool *pool) {
  memset(m, 0, sizeof *m);
  m->pool = pool;
  m->generation = 1;
  m->addresses = MEMORY_ADDRESSES;
}

static void drop_regions(struct array_pool *pool, struct region *regions, uint32_t count) {
  for (uint32_t i = 0; i < count; i++) {
    array_drop(pool, &objects_kind, &regions[i].stack.items);
    array_drop(pool, &objects_kind, &regions[i].heap.items);
    array_drop(pool, &spots_kind, &regions[i].given_back);
    array_drop(pool, &queues_kind, &regions[i].waiting);
  }
}

void memory_clear(struct memory *m) {
  drop_regions(m->pool, m->regions, m->count);
  m->count = 0;
  m->generation++;
}

void memory_free(struct memory *m) {
  memory_clear(m);
  free(m->regions);
  m->regions = NULL;
  m->room = 0;
}

static bool make_room(struct memory *m, uint32_t count) {
  if (count <= m->room) return true;
  const uint32_t room = 2 * count + 8;
  struct region *regions = realloc(m->regions, room * sizeof *regions);
  if (regions == NULL) return false;
  m->regions = regions;
  m->room = room;
  return true;
}

/* Two lists of regions that share all objects. */
static void share_regions(struct region *to, const struct region *from, uint32_t count) {
  for (uint32_t i = 0; i < count; i++) {
    to[i] = from[i];
    to[i].stack.items = array_share(&from[i].stack.items);
    to[i].heap.items = array_share(&from[i].heap.items);
    to[i].given_back = array_share(&from[i].given_back);
    to[i].waiting = array_share(&from[i].waiting);
  }
}

bool memory_keep(struct memory *m, struct memory_copy *copy) {
  copy->regions = malloc((m->count + (size_t)1) * sizeof *copy->regions);
  if (copy->regions == NULL) return false;
  copy->count = m->count;
  share_regions(copy->regions, m->regions, m->count);
  m->generation++;
  return true;
}

bool memory_restore(struct memory *m, const struct memory_copy *copy) {
  if (!make_room(m, copy->count)) return false;
  memory_clear(m);
  share_regions(m->regions, copy->regions, copy->count);
  m->count = copy->count;
  return true;
}

void memory_copy_drop(struct array_pool *pool, struct memory_copy *copy) {
  drop_regions(pool, copy->regions, copy->count);
  free(copy->regions);
  *copy = (struct memory_copy){0};
}

/* ---- objects ---- */

static struct region *region_of(struct memory *m, uint32_t number) {
  if (!make_room(m, number + 1)) return NULL;
  if (m->count <= number) m->generation++; /* they can have moved */
  while (m->count <= number)
    m->regions[m->count++] =
        (struct region){.stack = {.next = FIRST}, .heap = {.next = FIRST, .most = FEW_OBJECTS}};
  return &m->regions[number];
}

bool memory_on_heap(uint64_t address) {
  return part_of(address) != 0;
}

bool memory_is_last(const struct memory *m, uint64_t address) {
  return part_of(address) == m->addresses * PART_ONE;
}

/* Such neighbours become one, whose place is known if they have one place. False: no memory. */
static bool join_freed(struct memory *m, struct objects *objects) {
  struct array joined = {0};
  struct object *last = NULL;
  for (uint64_t i = 0; i < objects->items.count; i++) {
    const struct object *o = array_read(&objects_kind, &objects->items, i);
    if (last != NULL && last->gone && o->gone) {
      last->size = o->address + o->size - last->address;
      if (last->place != o->place) last->place = 0;
      continue;
    }
    last = array_push(m->pool, &objects_kind, &joined);
    if (last == NULL) {
      array_drop(m->pool, &objects_kind, &joined);
      return false;
    }
    *last = *o;
    keep_object(last);
  }
  array_drop(m->pool, &objects_kind, &objects->items);
  objects->items = joined;
  objects->most = FEW_OBJECTS + 2 * joined.count;
  return true;
}

bool memory_release(struct memory *m, uint64_t address) {
  struct object *o = memory_change(m, address);
  if (o == NULL) return false;
  drop_object(m->pool, o);
  o->bytes = o->written = array_fixed(&bytes_kind, o->size);
  o->parts = array_fixed(&parts_kind, o->size);
  o->freed = true;
  return true;
}

static struct object fresh_object(const struct memory *m, uint64_t address, enum object_kind kind,
                                  uint64_t size, bool written, uint64_t place) {
  return (struct object){.address = address,
                         .size = size,
                         .bytes = array_fixed(&bytes_kind, size),
                         .written = array_fixed(&bytes_kind, size),
                         .parts = array_fixed(&parts_kind, size),
                         .all_written = written || m->zero,
                         .kind = kind,
                         .place = place};
}

void memory_give_again(struct memory *m, struct object *o, uint64_t size, bool written,
                       uint64_t place) {
  const bool was_last = memory_is_last(m, o->address), came_round = o->came_round || was_last;
  const uint64_t next = was_last ? memory_spot(o->address) : o->address + PART_ONE;
  *o = fresh_object(m, next, OBJECT_HEAP, size, written, place);
  o->came_round = came_round;
  m->gave_again = true;
  m->generation++;
}

const struct object *memory_make(struct memory *m, uint32_t number, enum object_kind kind,
                                 uint64_t size, uint64_t alignment, bool written, uint64_t place) {
  struct region *region = region_of(m, number);
  if (region == NULL) return NULL;
  const bool upper = kind == OBJECT_HEAP || kind == OBJECT_OWN;
  struct objects *objects = upper ? &region->heap : &region->stack;
  const uint64_t begin = (uint64_t)number << REGION_BITS | (upper ? PART_ONE : 0);
  const uint64_t half = PART_ONE / 2, end = begin + PART_ONE;
  const uint64_t room = upper ? freed_room(size) : size;
  if (objects->next < begin) objects->next += begin;
  const uint64_t gap = objects->next - begin < half ? GAP : STEP;
  const uint64_t step = alignment > STEP ? alignment : STEP;
  if (size > half || step > half || objects->next + step + room + gap > end) return NULL;
  const bool many = upper && objects->items.count >= objects->most;
  if (many && !join_freed(m, objects)) return NULL;
  struct object *o = array_push(m->pool, &objects_kind, &objects->items);
  if (o == NULL) return NULL;
  *o = fresh_object(m, (objects->next + step - 1) / step * step, kind, size, written, place);
  objects->next = o->address + room + gap;
  m->generation++;
  return o;
}

uint64_t memory_depth(const struct memory *m, uint32_t region) {
  return region < m->count ? m->regions[region].stack.items.count : 0;
}

void memory_cut(struct memory *m, uint32_t region, uint64_t depth) {
  struct objects *objects = region < m->count ? &m->regions[region].stack : NULL;
  if (objects == NULL || depth >= objects->items.count) return;
  const struct object *first = array_read(&objects_kind, &objects->items, depth);
  objects->next = first->address;
  objects->items.count = depth;
  m->generation++;
}

static bool is_in(const struct object *o, uint64_t address) {
  return address - o->address <= o->size;
}

/* Those of the kind and thread of an address; NULL: there are none. */
static struct objects *list_of(const struct memory *m, uint64_t address) {
  const uint32_t number = memory_region(address);
  if (number >= m->count) return NULL;
  struct region *region = &m->regions[number];
  return part_of(address) != 0 ? &region->heap : &region->stack;
}

/* How many of them begin at the spot of the address or before. */
static uint64_t count_before(const struct objects *objects, uint64_t address) {
  const uint64_t spot = memory_spot(address);
  uint64_t low = 0, high = objects->items.count;
  while (low < high) {
    const uint64_t middle = low + (high - low) / 2;
    const struct object *o = array_read(&objects_kind, &objects->items, middle);
    if (memory_spot(o->address) <= spot)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/* Looks among all objects. */
static bool search(struct memory *m, uint64_t address, struct found *found) {
  struct objects *objects = list_of(m, address);
  const uint64_t before = objects != NULL ? count_before(objects, address) : 0;
  const struct object *o =
      before > 0 ? array_read(&objects_kind, &objects->items, before - 1) : NULL;
  if (o == NULL || !is_in(o, address)) return false;
  *found = (struct found){m->generation, o, objects, before - 1, false};
  return true;
}

const struct object *memory_beside(const struct memory *m, uint64_t address, bool behind) {
  const struct objects *objects = address >= FIRST ? list_of(m, address) : NULL;
  const uint64_t before = objects != NULL ? count_before(objects, address) : 0;
  if (objects == NULL || (behind ? before == objects->items.count : before == 0)) return NULL;
  return array_read(&objects_kind, &objects->items, behind ? before : before - 1);
}

/* ---- spots that are given again ---- */

/* The object that was made last where an address is, in the room that its spot has; NULL: none. */
static const struct object *last_around(const struct memory *m, uint64_t address) {
  const struct object *o = memory_beside(m, address, false);
  if (o == NULL) return NULL;
  const uint64_t size = part_of(address) != 0 ? freed_room(o->size) : o->size;
  return memory_spot(address) - memory_spot(o->address) <= size ? o : NULL;
}

const struct object *memory_find_last(struct memory *m, uint64_t spot) {
  return memory_beside(m, spot, false);
}

struct object *memory_last_at(struct memory *m, uint64_t spot) {
  struct objects *objects = list_of(m, spot);
  m->generation++; /* others can move, too */
  return array_write(m->pool, &objects_kind, &objects->items, count_before(objects, spot) - 1);
}

/* Whether an object of the spot has, or had, an address. */
static bool was_given(const struct object *last, uint64_t address) {
  return last->came_round || part_of(address) <= part_of(last->address);
}

bool memory_was_freed(struct memory *m, uint64_t address) {
  const struct object *o = last_around(m, address);
  if (o == NULL) return false;
  return o->freed || (part_of(address) != part_of(o->address) && was_given(o, address));
}

uint64_t memory_plain(struct memory *m, uint64_t address) {
  if (part_of(address) <= PART_ONE) return address;
  const struct object *o = last_around(m, address);
  return o != NULL && was_given(o, address) ? memory_spot(address) : address;
}

/* Where it was found before, and that one is the last now. NULL: in no object. */
static struct found *find(struct memory *m, uint64_t address) {
  struct found *last = &m->found[FOUND_LAST];
  if (last->generation == m->generation && is_in(last->object, address)) return last;
  struct found *known = &m->found[1 + (address / STEP) % (FOUND_COUNT - 1)];
  if (known->generation != m->generation || !is_in(known->object, address)) {
    if (!search(m, address, known)) return NULL;
  }
  *last = *known;
  return last;
}

const struct object *memory_find(struct memory *m, uint64_t address) {
  const struct found *found = find(m, address);
  return found != NULL ? found->object : NULL;
}

struct object *memory_change(struct memory *m, uint64_t address) {
  struct found *found = find(m, address);
  if (found == NULL) return NULL;
  if (found->owned) return (struct object *)(uintptr_t)found->object;
  struct object *o = array_write(m->pool, &objects_kind, &found->objects->items, found->index);
  if (o == NULL) return NULL;
  if (o != found->object) found->generation = ++m->generation; /* others can have moved, too */
  found->object = o;
  found->owned = true;
  m->found[1 + (address / STEP) % (FOUND_COUNT - 1)] = *found;
  return o;
}

enum access memory_check(struct memory *m, uint64_t address, uint64_t size, bool writes) {
  if (address < FIRST) return ACCESS_NULL;
  const struct object *o = memory_find(m, address);
  if (o == NULL) return memory_was_freed(m, address) ? ACCESS_FREED : ACCESS_OUTSIDE;
  if (o->freed) return ACCESS_FREED;
  if (size > o->size - (address - o->address)) return ACCESS_OUTSIDE;
  return writes && o->constant ? ACCESS_CONSTANT : ACCESS_GOOD;
}

/* Bytes that stand one behind the other in one term are its lowest ones. */
static bool is_whole(const struct part *parts, unsigned count) {
  for (unsigned i = 0; i < count; i++)
    if (parts[i].term == TERM_NONE || parts[i].term != parts[0].term || parts[i].byte != i)
      return false;
  return true;
}

static struct value byte_of(struct terms *t, const struct part *part, uint8_t byte) {
  if (part->term == TERM_NONE) return value_number(byte);
  struct value shifted, eighth = {0, part->term};
  arith_binary(t, CODE_SHIFT_RIGHT_SIGNED, 64, eighth, value_number(8 * part->byte), &shifted);
  return arith_and(t, shifted, value_number(255));
}

static struct value join_bytes(struct terms *t, const struct part *parts, const uint8_t *bytes,
                               unsigned count) {
  struct value all = value_number(0);
  for (unsigned i = 0; i < count; i++) {
    struct value byte = byte_of(t, &parts[i], bytes[i]), shifted;
    arith_binary(t, CODE_SHIFT_LEFT, 64, byte, value_number(8 * i), &shifted);
    arith_binary(t, CODE_OR, 64, all, shifted, &all);
  }
  return all;
}

/* ---- bytes ---- */

static void get(const struct array_kind *kind, const struct array *array, uint64_t at,
                uint64_t count, void *to) {
  for (uint64_t run; count > 0; at += run, count -= run) {
    run = array_run(kind, at, count);
    memcpy(to, array_read(kind, array, at), (size_t)run * kind->size);
    to = (char *)to + run * kind->size;
  }
}

static bool put(struct memory *m, const struct array_kind *kind, struct array *array, uint64_t at,
                uint64_t count, const void *from) {
  for (uint64_t run; count > 0; at += run, count -= run) {
    run = array_run(kind, at, count);
    void *to = array_write(m->pool, kind, array, at);
    if (to == NULL) return false;
    memcpy(to, from, (size_t)run * kind->size);
    from = (const char *)from + run * kind->size;
  }
  return true;
}

/* Sets bytes to one value. */
static bool set_bytes(struct memory *m, struct array *array, uint64_t at, uint64_t count,
                      int value) {
  for (uint64_t run; count > 0; at += run, count -= run) {
    run = array_run(&bytes_kind, at, count);
    void *to = array_write(m->pool, &bytes_kind, array, at);
    if (to == NULL) return false;
    memset(to, value, (size_t)run);
  }
  return true;
}

/* Whether one of the bytes has a value. */
static bool has_byte(const struct array *array, uint64_t at, uint64_t count, int value) {
  for (uint64_t run; count > 0; at += run, count -= run) {
    run = array_run(&bytes_kind, at, count);
    if (memchr(array_read(&bytes_kind, array, at), value, (size_t)run) != NULL) return true;
  }
  return false;
}

static bool is_written(const struct object *o, uint64_t at, uint64_t count) {
  return o->all_written || !has_byte(&o->written, at, count, 0);
}

static bool mark_written(struct memory *m, struct object *o, uint64_t at, uint64_t count) {
  return o->all_written || set_bytes(m, &o->written, at, count, 1);
}

enum access memory_load(struct memory *m, struct terms *t, uint64_t address, unsigned width,
                        struct value *value) {
  const unsigned count = bytes_of(width);
  const enum access access = memory_check(m, address, count, false);
  if (access != ACCESS_GOOD) return access;
  const struct object *o = memory_find(m, address);
  const uint64_t at = address - o->address;
  if (!is_written(o, at, count)) return ACCESS_UNWRITTEN;
  int64_t number = 0;
  get(&bytes_kind, &o->bytes, at, count, &number);
  *value = value_number(number);
  if (o->parts.root != NULL) {
    struct part parts[sizeof number];
    get(&parts_kind, &o->parts, at, count, parts);
    if (is_whole(parts, count))
      *value = (struct value){0, parts[0].term};
    else
      *value = join_bytes(t, parts, (const uint8_t *)&number, count);
  }
  *value = arith_truncate(t, *value, width);
  return ACCESS_GOOD;
}

bool memory_settle(struct memory *m, uint64_t address, uint64_t size, bool all) {
  if (memory_check(m, address, size, false) != ACCESS_GOOD) return true;
  const struct object *o = memory_find(m, address);
  const uint64_t at = address - o->address;
  if (is_written(o, at, size) || (!all && !has_byte(&o->written, at, size, 1))) return true;
  struct object *changed = memory_change(m, address);
  return changed != NULL && mark_written(m, changed, at, size);
}

bool memory_set(struct memory *m, uint64_t address, const void *bytes, uint64_t size) {
  struct object *o = memory_change(m, address);
  return o != NULL && put(m, &bytes_kind, &o->bytes, address - o->address, size, bytes);
}

/* The parts of an object there are those of a term, or of none. */
static bool put_parts(struct memory *m, struct object *o, uint64_t at, unsigned count, term with) {
  struct part parts[sizeof(int64_t)];
  if (with == TERM_NONE && o->parts.root == NULL) return true;
  for (unsigned i = 0; i < count; i++)
    parts[i] = (struct part){with, (uint8_t)i};
  return put(m, &parts_kind, &o->parts, at, count, parts);
}

enum access memory_store(struct memory *m, uint64_t address, unsigned width, struct value value) {
  const unsigned count = bytes_of(width);
  const enum access access = memory_check(m, address, count, true);
  if (access != ACCESS_GOOD) return access;
  struct object *o = memory_change(m, address);
  const uint64_t at = o != NULL ? address - o->address : 0;
  return o != NULL && put(m, &bytes_kind, &o->bytes, at, count, &value.number) &&
                 mark_written(m, o, at, count) && put_parts(m, o, at, count, value.term)
             ? ACCESS_GOOD
             : ACCESS_REFUSED;
}

enum access memory_fill(struct memory *m, uint64_t to, uint64_t size, struct value byte) {
  const enum access access = size > 0 ? memory_check(m, to, size, true) : ACCESS_GOOD;
  if (access != ACCESS_GOOD || size == 0) return access;
  struct object *o = memory_change(m, to);
  const uint64_t at = o != NULL ? to - o->address : 0;
  if (o == NULL || !set_bytes(m, &o->bytes, at, size, (int)(byte.number & 255)) ||
      !mark_written(m, o, at, size))
    return ACCESS_REFUSED;
  const bool parts = !value_known(byte) || o->parts.root != NULL;
  for (uint64_t i = 0; parts && i < size; i++)
    if (!put_parts(m, o, at + i, 1, byte.term)) return ACCESS_REFUSED;
  return ACCESS_GOOD;
}

/* Copies elements from one array to another one, which can be the same. */
static bool copy(struct memory *m, const struct array_kind *kind, struct array *target,
                 uint64_t out, const struct array *source, uint64_t in, uint64_t count) {
  if (source->root == NULL && target->root == NULL) return true;
  if (out > in) { /* from the end, where they can overlap */
    while (count > 0) {
      const uint64_t most = 1 + ((in + count - 1) & ((UINT64_C(1) << kind->bits) - 1));
      const uint64_t fits = 1 + ((out + count - 1) & ((UINT64_C(1) << kind->bits) - 1));
      uint64_t run = most < fits ? most : fits;
      if (run > count) run = count;
      count -= run;
      void *to = array_write(m->pool, kind, target, out + count);
      if (to == NULL) return false;
      memmove(to, array_read(kind, source, in + count), (size_t)run * kind->size);
    }
    return true;
  }
  for (uint64_t run; count > 0; in += run, out += run, count -= run) {
    run = array_run(kind, in, array_run(kind, out, count));
    void *to = array_write(m->pool, kind, target, out);
    if (to == NULL) return false;
    memmove(to, array_read(kind, source, in), (size_t)run * kind->size);
  }
  return true;
}

/* What of an object was written, where it is copied to one of which all was, or the other way. */
static bool copy_written(struct memory *m, struct object *target, uint64_t out,
                         const struct object *source, uint64_t in, uint64_t size) {
  if (source->all_written) return mark_written(m, target, out, size);
  if (target->all_written) {
    if (!set_bytes(m, &target->written, 0, target->size, 1)) return false;
    target->all_written = false;
  }
  return copy(m, &bytes_kind, &target->written, out, &source->written, in, size);
}

enum access memory_copy(struct memory *m, uint64_t to, uint64_t from, uint64_t size) {
  enum access access = size > 0 ? memory_check(m, from, size, false) : ACCESS_GOOD;
  if (access == ACCESS_GOOD && size > 0) access = memory_check(m, to, size, true);
  if (access != ACCESS_GOOD || size == 0) return access;
  struct object *target = memory_change(m, to);
  const struct object *source = target != NULL ? memory_find(m, from) : NULL;
  if (source == NULL) return ACCESS_REFUSED;
  const uint64_t in = from - source->address, out = to - target->address;
  return copy(m, &bytes_kind, &target->bytes, out, &source->bytes, in, size) &&
                 copy(m, &parts_kind, &target->parts, out, &source->parts, in, size) &&
                 copy_written(m, target, out, source, in, size)
             ? ACCESS_GOOD
             : ACCESS_REFUSED;
}
