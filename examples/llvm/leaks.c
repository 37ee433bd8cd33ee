#include "leaks.h"

#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "knowledge.h"
#include "memory.h"
#include "terms.h"

struct block {
  const struct object *object;
  bool reached;
};

struct search {
  struct machine *machine;
  struct block *blocks; /* what can be lost, by its spot */
  size_t count;
  size_t *found; /* blocks that are reached, and were not looked into */
  size_t found_count;
  term *terms; /* among what is reached, each once */
  size_t term_count, term_room;
  bool *known; /* by term: it is among these, or is a part of one */
  bool refused;
};

/* How many blocks begin at the spot of the address or before. */
static size_t blocks_before(const struct search *s, uint64_t address) {
  size_t low = 0, high = s->count;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (memory_spot(s->blocks[middle].object->address) <= memory_spot(address))
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static void reach(struct search *s, size_t block) {
  if (s->blocks[block].reached) return;
  s->blocks[block].reached = true;
  s->found[s->found_count++] = block;
}

/* An object without bytes has an address, too. */
static void follow(struct search *s, uint64_t address) {
  const size_t before = blocks_before(s, address);
  const struct object *o = before > 0 ? s->blocks[before - 1].object : NULL;
  if (o == NULL) return;
  if (address - o->address < o->size + (o->size == 0)) reach(s, before - 1);
}

static void note_term(struct search *s, term a) {
  if (s->known[a]) return;
  if (s->term_count == s->term_room) {
    const size_t room = 2 * s->term_room + 16;
    term *terms = realloc(s->terms, room * sizeof *terms);
    s->refused |= terms == NULL;
    if (terms == NULL) return;
    s->terms = terms;
    s->term_room = room;
  }
  s->known[a] = true;
  s->terms[s->term_count++] = a;
}

static void follow_value(struct search *s, struct value value) {
  if (value_known(value))
    follow(s, (uint64_t)value.number);
  else
    note_term(s, value.term);
}

/* A constant of a pointer that depends on inputs: an object near to it is the one that it is in
 * with what is added. */
static void follow_near(struct search *s, uint64_t address) {
  enum { NEAR = 1 << 19 };
  const size_t before = blocks_before(s, address + NEAR);
  const struct object *o = before > 0 ? s->blocks[before - 1].object : NULL;
  if (o != NULL && address + NEAR - o->address < o->size + 2 * (uint64_t)NEAR) reach(s, before - 1);
}

static void follow_term(struct search *s, term a) {
  const struct terms *terms = &s->machine->knowledge->terms;
  const struct term_node *node = terms_node(terms, a);
  int64_t number;
  if (terms_is_constant(terms, a, &number)) follow_near(s, (uint64_t)number);
  for (size_t i = 0; i < sizeof node->argument / sizeof *node->argument; i++)
    if (node->argument[i] != TERM_NONE) note_term(s, node->argument[i]);
}

/* ---- what holds pointers ---- */

enum { WORD = sizeof(uint64_t) };

/* Bytes of one leaf. */
static void scan_run(struct search *s, const struct object *o, uint64_t at, uint64_t run) {
  const char *bytes = array_read(&bytes_kind, &o->bytes, at);
  const struct part *parts = o->parts.root != NULL ? array_read(&parts_kind, &o->parts, at) : NULL;
  for (uint64_t i = 0; i + WORD <= run; i += WORD) {
    uint64_t word;
    bool known = true;
    for (unsigned j = 0; parts != NULL && j < WORD; j++) {
      if (parts[i + j].term == TERM_NONE) continue;
      note_term(s, parts[i + j].term);
      known = false;
    }
    memcpy(&word, bytes + i, sizeof word);
    if (known && word != 0) follow(s, word);
  }
}

static void scan_object(struct search *s, const struct object *o) {
  if (o->freed || (o->bytes.root == NULL && o->parts.root == NULL)) return;
  for (uint64_t at = 0, run; at + WORD <= o->size; at += run) {
    run = array_run(&bytes_kind, at, o->size - at);
    scan_run(s, o, at, run);
  }
}

static void scan_stack(struct search *s, uint32_t region) {
  if (region >= s->machine->memory.count) return;
  const struct array *items = &s->machine->memory.regions[region].stack.items;
  for (uint64_t i = 0; i < items->count; i++)
    scan_object(s, array_read(&objects_kind, items, i));
}

/* Whether nothing is left of the calls of main. */
static bool has_returned(const struct machine *m, const struct thread *t) {
  const struct frame *frame = &t->frames[t->frame_count - 1];
  return t->standing == STANDS_AT_END && t->frame_count == 1 &&
         m->code->instructions[frame->instruction].kind == CODE_RETURN;
}

/* Of a thread that ended nothing is left but its result. */
static void scan_thread(struct search *s, const struct thread *t) {
  if (t->standing == STANDS_AT_END && !t->exits) {
    if (!t->joined && !t->detached) follow_value(s, t->result);
    return;
  }
  if (t->standing == STANDS_NOWHERE) return;
  if (!has_returned(s->machine, t)) {
    scan_stack(s, t->handle + 1);
    for (size_t i = 0; i < t->value_count; i++)
      follow_value(s, t->values[i]);
  }
  for (uint32_t i = 0; t->copies != NULL && i < s->machine->code->global_count; i++) {
    const struct object *o =
        t->copies[i] != 0 ? memory_find(&s->machine->memory, t->copies[i]) : NULL;
    if (o != NULL) scan_object(s, o);
  }
  for (size_t i = 0; i < t->specific_count; i++)
    follow_value(s, t->specifics[i].value);
}

static void scan_found(struct search *s) {
  while (s->found_count > 0)
    scan_object(s, s->blocks[s->found[--s->found_count]].object);
}

/* ---- the search ---- */

static bool open_search(struct search *s) {
  const struct memory *memory = &s->machine->memory;
  size_t room = 1;
  for (uint32_t i = 0; i < memory->count; i++)
    room += memory->regions[i].heap.items.count;
  s->blocks = malloc(room * sizeof *s->blocks);
  s->found = malloc(room * sizeof *s->found);
  s->known = calloc((size_t)s->machine->knowledge->terms.count + 1, sizeof *s->known);
  if (s->blocks == NULL || s->found == NULL || s->known == NULL) return false;
  for (uint32_t i = 0; i < memory->count; i++) {
    const struct array *items = &memory->regions[i].heap.items;
    for (uint64_t j = 0; j < items->count; j++) {
      const struct object *o = array_read(&objects_kind, items, j);
      if (o->kind != OBJECT_HEAP || o->freed) continue;
      s->blocks[s->count++] = (struct block){o, false};
    }
  }
  return true;
}

static void find_reached(struct search *s) {
  for (size_t i = 0; i < s->count; i++)
    if (s->blocks[i].object->kept) reach(s, i);
  scan_stack(s, 0);
  for (uint32_t i = 0; i < s->machine->thread_count; i++)
    if (s->machine->threads[i] != NULL) scan_thread(s, s->machine->threads[i]);
  scan_found(s);
}

bool leaks_find(struct machine *m, leaks_lost *lost, void *user, bool *unsure) {
  struct search s = {.machine = m};
  *unsure = false;
  bool good = open_search(&s);
  if (good) find_reached(&s);
  while (good && !s.refused && s.term_count > 0) {
    follow_term(&s, s.terms[--s.term_count]);
    *unsure |= s.found_count > 0;
    scan_found(&s);
  }
  good = good && !s.refused;
  for (size_t i = 0; good && i < s.count; i++)
    if (!s.blocks[i].reached) good = lost(user, s.blocks[i].object);
  free(s.blocks);
  free(s.found);
  free(s.terms);
  free(s.known);
  return good;
}
