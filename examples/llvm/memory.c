#include "memory.h"

#include <stdlib.h>
#include <string.h>

/* Of each region the lower half is its stack, the upper one its heap. Between objects there is a
 * gap, which is in none. */
enum { REGION_BITS = 40, HALF_BIT = 39, GAP = 16, FIRST = 65536 };

uint32_t memory_region(uint64_t address) {
  return (uint32_t)(address >> REGION_BITS);
}

static void free_object(struct object *o) {
  free(o->bytes);
  free(o->written);
  free(o->parts);
}

static void cut(struct objects *objects, size_t count) {
  while (objects->count > count) {
    struct object *o = &objects->items[--objects->count];
    objects->next = o->address;
    free_object(o);
  }
}

void memory_clear(struct memory *m) {
  for (uint32_t i = 0; i < m->count; i++) {
    cut(&m->regions[i].stack, 0);
    cut(&m->regions[i].heap, 0);
  }
  m->last = NULL;
}

void memory_free(struct memory *m) {
  memory_clear(m);
  for (uint32_t i = 0; i < m->count; i++) {
    free(m->regions[i].stack.items);
    free(m->regions[i].heap.items);
  }
  free(m->regions);
  memset(m, 0, sizeof *m);
}

static struct region *region_of(struct memory *m, uint32_t number) {
  if (number >= m->room) {
    const uint32_t room = 2 * number + 8;
    struct region *regions = realloc(m->regions, room * sizeof *regions);
    if (regions == NULL) return NULL;
    m->regions = regions;
    m->room = room;
  }
  while (m->count <= number)
    m->regions[m->count++] = (struct region){.stack = {.next = FIRST}, .heap = {.next = FIRST}};
  return &m->regions[number];
}

struct object *memory_make(struct memory *m, uint32_t number, enum object_kind kind, uint64_t size,
                           uint64_t alignment, bool written, uint64_t place) {
  struct region *region = region_of(m, number);
  if (region == NULL) return NULL;
  struct objects *objects = kind == OBJECT_HEAP ? &region->heap : &region->stack;
  const uint64_t begin =
      (uint64_t)number << REGION_BITS | (kind == OBJECT_HEAP ? UINT64_C(1) << HALF_BIT : 0);
  if (objects->next < begin) objects->next += begin;
  if (size > UINT64_C(1) << (HALF_BIT - 1)) return NULL;
  if (objects->count == objects->room) {
    const size_t room = 2 * objects->room + 16;
    struct object *items = realloc(objects->items, room * sizeof *items);
    if (items == NULL) return NULL;
    objects->items = items;
    objects->room = room;
  }
  const uint64_t step = alignment > 16 ? alignment : 16;
  struct object *o = &objects->items[objects->count];
  *o = (struct object){.address = (objects->next + step - 1) / step * step,
                       .size = size,
                       .bytes = calloc((size_t)size + 1, 1),
                       .written = written ? NULL : calloc((size_t)size + 1, 1),
                       .kind = kind,
                       .place = place};
  if (o->bytes == NULL || (!written && o->written == NULL)) {
    free_object(o);
    return NULL;
  }
  objects->count++;
  objects->next = o->address + size + GAP;
  m->last = NULL;
  return o;
}

size_t memory_depth(const struct memory *m, uint32_t region) {
  return region < m->count ? m->regions[region].stack.count : 0;
}

void memory_cut(struct memory *m, uint32_t region, size_t depth) {
  if (region < m->count) cut(&m->regions[region].stack, depth);
  m->last = NULL;
}

struct object *memory_find(struct memory *m, uint64_t address) {
  const uint32_t number = memory_region(address);
  if (m->last != NULL && address - m->last->address <= m->last->size)
    return (struct object *)(uintptr_t)m->last;
  if (number >= m->count) return NULL;
  const struct objects *objects =
      (address >> HALF_BIT & 1) != 0 ? &m->regions[number].heap : &m->regions[number].stack;
  size_t low = 0, high = objects->count; /* the last one that begins at the address or before */
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (objects->items[middle].address <= address)
      low = middle + 1;
    else
      high = middle;
  }
  if (low == 0 || address - objects->items[low - 1].address > objects->items[low - 1].size)
    return NULL;
  m->last = &objects->items[low - 1];
  return &objects->items[low - 1];
}

enum access memory_check(struct memory *m, uint64_t address, uint64_t size, bool writes) {
  if (address < FIRST) return ACCESS_NULL;
  const struct object *o = memory_find(m, address);
  if (o == NULL) return ACCESS_OUTSIDE;
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

enum access memory_load(struct memory *m, struct terms *t, uint64_t address, unsigned width,
                        struct value *value) {
  const unsigned count = bytes_of(width);
  const enum access access = memory_check(m, address, count, false);
  if (access != ACCESS_GOOD) return access;
  const struct object *o = memory_find(m, address);
  const size_t at = (size_t)(address - o->address);
  if (o->written != NULL && memchr(o->written + at, 0, count) != NULL) return ACCESS_UNWRITTEN;
  int64_t number = 0;
  memcpy(&number, o->bytes + at, count);
  *value = value_number(number);
  if (o->parts != NULL) {
    if (is_whole(o->parts + at, count))
      *value = (struct value){0, o->parts[at].term};
    else
      *value = join_bytes(t, o->parts + at, o->bytes + at, count);
  }
  *value = arith_truncate(t, *value, width);
  return ACCESS_GOOD;
}

void memory_settle(struct memory *m, uint64_t address, uint64_t size, bool all) {
  if (memory_check(m, address, size, false) != ACCESS_GOOD) return;
  struct object *o = memory_find(m, address);
  uint8_t *written = o->written != NULL ? o->written + (address - o->address) : NULL;
  if (written != NULL && (all || memchr(written, 1, (size_t)size) != NULL))
    memset(written, 1, (size_t)size);
}

enum access memory_store(struct memory *m, uint64_t address, unsigned width, struct value value) {
  const unsigned count = bytes_of(width);
  const enum access access = memory_check(m, address, count, true);
  if (access != ACCESS_GOOD) return access;
  struct object *o = memory_find(m, address);
  const size_t at = (size_t)(address - o->address);
  if (!value_known(value) && o->parts == NULL) {
    o->parts = calloc((size_t)o->size + 1, sizeof *o->parts);
    if (o->parts == NULL) return ACCESS_REFUSED;
  }
  memcpy(o->bytes + at, &value.number, count);
  if (o->written != NULL) memset(o->written + at, 1, count);
  for (unsigned i = 0; o->parts != NULL && i < count; i++)
    o->parts[at + i] = (struct part){value.term, (uint8_t)i};
  return ACCESS_GOOD;
}

enum access memory_fill(struct memory *m, uint64_t to, uint64_t size, struct value byte) {
  const enum access access = size > 0 ? memory_check(m, to, size, true) : ACCESS_GOOD;
  if (access != ACCESS_GOOD || size == 0) return access;
  struct object *o = memory_find(m, to);
  const size_t at = (size_t)(to - o->address);
  if (!value_known(byte) && o->parts == NULL) {
    o->parts = calloc((size_t)o->size + 1, sizeof *o->parts);
    if (o->parts == NULL) return ACCESS_REFUSED;
  }
  memset(o->bytes + at, (int)(byte.number & 255), (size_t)size);
  if (o->written != NULL) memset(o->written + at, 1, (size_t)size);
  for (size_t i = 0; o->parts != NULL && i < size; i++)
    o->parts[at + i] = (struct part){byte.term, 0};
  return ACCESS_GOOD;
}

enum access memory_copy(struct memory *m, uint64_t to, uint64_t from, uint64_t size) {
  enum access access = size > 0 ? memory_check(m, from, size, false) : ACCESS_GOOD;
  if (access == ACCESS_GOOD && size > 0) access = memory_check(m, to, size, true);
  if (access != ACCESS_GOOD || size == 0) return access;
  const struct object *source = memory_find(m, from);
  struct object *target = memory_find(m, to);
  const size_t in = (size_t)(from - source->address), out = (size_t)(to - target->address);
  if (source->parts != NULL && target->parts == NULL) {
    target->parts = calloc((size_t)target->size + 1, sizeof *target->parts);
    if (target->parts == NULL) return ACCESS_REFUSED;
  }
  if (source->written != NULL && target->written == NULL) {
    target->written = malloc((size_t)target->size + 1);
    if (target->written == NULL) return ACCESS_REFUSED;
    memset(target->written, 1, (size_t)target->size);
  }
  memmove(target->bytes + out, source->bytes + in, (size_t)size);
  if (target->parts != NULL) {
    if (source->parts != NULL)
      memmove(target->parts + out, source->parts + in, (size_t)size * sizeof *target->parts);
    else
      memset(target->parts + out, 0, (size_t)size * sizeof *target->parts);
  }
  if (target->written != NULL) {
    if (source->written != NULL)
      memmove(target->written + out, source->written + in, (size_t)size);
    else
      memset(target->written + out, 1, (size_t)size);
  }
  return ACCESS_GOOD;
}
