#include "dangling.h"

#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "freed.h"
#include "memory.h"
#include "terms.h"

/* Addresses of an object, in their lower bits; the others can be a mark of the program. */
struct range {
  uint64_t first, last;
};
enum { LOWER_BYTES = 6 };

static uint64_t lower(uint64_t number) {
  return number & ((UINT64_C(1) << 8 * LOWER_BYTES) - 1);
}

static bool is_in(const struct range *r, uint64_t number) {
  return lower(number) - r->first <= r->last - r->first;
}

/* ---- memory ---- */

static uint64_t number_at(const struct object *o, uint64_t at) {
  uint64_t number = 0;
  for (unsigned i = LOWER_BYTES; i > 0; i--)
    number = number << 8 | *(const uint8_t *)array_read(&bytes_kind, &o->bytes, at + i - 1);
  return number;
}

/* Looks for the highest of the lower bytes, wherever something was written. */
static bool object_has(const struct range *r, struct machine *m, const struct object *o) {
  const uint8_t highest = (uint8_t)(r->first >> 8 * (LOWER_BYTES - 1));
  const struct array none = array_fixed(&bytes_kind, o->size);
  uint64_t at = 0;
  while ((at = array_difference(&bytes_kind, &none, &o->bytes, at)) < o->size) {
    const uint64_t run = array_run(&bytes_kind, at, o->size - at);
    const uint8_t *bytes = array_read(&bytes_kind, &o->bytes, at), *end = bytes + run;
    m->bytes_looked_through += run;
    for (const uint8_t *b = bytes; b < end && (b = memchr(b, highest, (size_t)(end - b))) != NULL;
         b++) {
      const uint64_t behind = at + (uint64_t)(b - bytes) + 1;
      if (behind >= LOWER_BYTES && is_in(r, number_at(o, behind - LOWER_BYTES))) return true;
    }
    at += run;
  }
  return false;
}

static bool list_has(const struct range *r, struct machine *m, const struct objects *list) {
  for (uint64_t i = 0; i < list->items.count; i++) {
    const struct object *o = array_read(&objects_kind, &list->items, i);
    m->bytes_looked_through += sizeof *o;
    if (!o->freed && object_has(r, m, o)) return true;
  }
  return false;
}

static bool memory_has(const struct range *r, struct machine *m) {
  for (uint32_t i = 0; i < m->memory.count; i++) {
    const struct region *region = &m->memory.regions[i];
    if (list_has(r, m, &region->stack) || list_has(r, m, &region->heap)) return true;
  }
  return false;
}

/* ---- threads ---- */

static bool value_is(const struct range *r, struct value value) {
  return value_known(value) && is_in(r, (uint64_t)value.number);
}

/* Its operation and action have numbers for the library, which are no pointers. */
static bool thread_has(const struct range *r, const struct thread *t, uint32_t globals) {
  bool has = value_is(r, t->result);
  for (size_t i = 0; !has && t->standing != STANDS_AT_END && i < t->value_count; i++)
    has = value_is(r, t->values[i]);
  for (size_t i = 0; !has && i < t->frame_count; i++)
    has = is_in(r, t->frames[i].kept);
  for (size_t i = 0; !has && i < t->decided_count; i++)
    has = is_in(r, (uint64_t)t->decided[i]);
  for (size_t i = 0; !has && i < t->specific_count; i++)
    has = value_is(r, t->specifics[i].value);
  for (size_t i = 0; !has && i < t->handler_count; i++)
    has = is_in(r, t->handlers[i]);
  for (uint32_t i = 0; !has && t->copies != NULL && i < globals; i++)
    has = is_in(r, t->copies[i]);
  return has;
}

/* ---- terms ---- */

/* Enters addresses on heaps that are constants of new terms. False: no memory. */
static bool list_addresses(struct machine *m) {
  const struct terms *terms = &m->knowledge->terms;
  for (; m->terms_looked_at < terms->count; m->terms_looked_at++) {
    int64_t number;
    const term a = m->terms_looked_at;
    if (a == TERM_NONE || !terms_is_constant(terms, a, &number)) continue;
    const uint64_t address = (uint64_t)number;
    const uint32_t region = memory_region(address);
    if (region == 0 || region >= m->memory.count || !memory_on_heap(address)) continue;
    if (m->in_terms_count == m->in_terms_room) {
      const size_t room = 2 * m->in_terms_room + 16;
      uint64_t *list = realloc(m->in_terms, room * sizeof *list);
      if (list == NULL) return false;
      m->in_terms = list;
      m->in_terms_room = room;
    }
    m->in_terms[m->in_terms_count++] = address;
  }
  return true;
}

static bool terms_have(const struct range *r, struct machine *m) {
  if (!list_addresses(m)) return true; /* it is not known that there is none */
  for (size_t i = 0; i < m->in_terms_count; i++)
    if (is_in(r, m->in_terms[i])) return true;
  return false;
}

void dangling_forget(struct machine *m) {
  m->in_terms_count = 0;
  m->terms_looked_at = 0;
}

/* So much that what the program does itself takes less time. */
static bool is_too_much(const struct machine *m) {
  enum { BYTES_OF_INSTRUCTION = 16 };
  const uint64_t anyway = UINT64_C(1) << 28;
  return m->bytes_looked_through > anyway + BYTES_OF_INSTRUCTION * m->instructions;
}

bool dangling_found(struct machine *m, const struct object *o) {
  if (is_too_much(m)) return true;
  const struct range r = {lower(o->address), lower(o->address) + freed_room(o->size)};
  bool found = terms_have(&r, m) || memory_has(&r, m);
  for (uint32_t i = 0; !found && i < m->thread_count; i++)
    found = m->threads[i] != NULL && m->threads[i]->standing != STANDS_NOWHERE &&
            thread_has(&r, m->threads[i], m->code->global_count);
  return found;
}
