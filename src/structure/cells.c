/*
 * Locations that are ranges of bytes. What was placed in one space cuts its bytes into cells, the
 * coarsest partition of which every range is a union; a cell has a site of its own, so that two
 * accesses depend on each other exactly where their ranges meet. Actions keep the sites that they
 * use, and so a cell is only cut in two while no action uses it.
 */
#include "structure/cells.h"

#include "base/null.h"
#include "base/text.h"
#include "structure/names.h"
#include "structure/text.h"

enum { BITS = 8 };

static struct memory_cell *cell_at(unf_unfolding *u, uint32_t link) {
  return &u->cells.data[link - 1];
}

static uint64_t end_of(const struct memory_cell *c) {
  return c->first + c->size;
}

static bool cuts(const struct memory_cell *c, uint64_t border) {
  return c->first < border && border < end_of(c);
}

/* The first bytes of a value. */
static uint64_t mask_of(uint32_t size) {
  return size >= sizeof(uint64_t) ? UINT64_MAX : ((uint64_t)1 << BITS * size) - 1;
}

/* The first bytes of a value as a set of bytes, a bit each. */
static uint32_t bytes_of(uint32_t size) {
  return (1u << size) - 1;
}

static uint64_t upper(uint64_t bytes, uint64_t count) {
  return bytes >> BITS * count;
}

/* Cells that a range needs beyond those that there are; NONE: one that is used would be cut. */
static uint32_t count_missing(unf_unfolding *u, uint32_t space, uint64_t first, uint64_t end) {
  uint32_t missing = 0;
  uint64_t covered = first;
  for (uint32_t i = u->objects.data[space].cells; i != 0; i = cell_at(u, i)->next) {
    const struct memory_cell *c = cell_at(u, i);
    uint32_t parts = (uint32_t)cuts(c, first) + (uint32_t)cuts(c, end);
    if (parts > 0 && c->used) return NONE;
    missing += parts;
    if (end_of(c) <= first || c->first >= end) continue;
    missing += c->first > covered;
    covered = end_of(c);
  }
  return missing + (covered < end);
}

/* The location whose range is placed, and the site that it had alone, for one of the cells. */
struct placing {
  unf_unfolding *u;
  uint32_t location, spare;
  uint32_t *cells; /* of the space */
};

static uint32_t add_cell(struct placing *p, struct memory_cell cell) {
  cell.site = p->spare != NONE ? p->spare : unfi_add_site(p->u, p->location, false);
  p->spare = NONE;
  vector_push(&p->u->cells, cell);
  return p->u->cells.count;
}

/* Cuts the cell that a border lies in. */
static void cut_at_border(struct placing *p, uint64_t border) {
  uint32_t i = *p->cells;
  while (i != 0 && !cuts(cell_at(p->u, i), border))
    i = cell_at(p->u, i)->next;
  if (i == 0) return;
  struct memory_cell rest = *cell_at(p->u, i);
  uint64_t lower = border - rest.first;
  rest.first = border;
  rest.size -= (uint32_t)lower;
  rest.initial = upper(rest.initial, lower);
  rest.said >>= lower;
  uint32_t link = add_cell(p, rest);
  struct memory_cell *c = cell_at(p->u, i);
  c->size = (uint32_t)lower;
  c->next = link;
  c->initial &= mask_of(c->size);
  c->said &= bytes_of(c->size);
}

/* New cells where the range has bytes that are in none. */
static void fill(struct placing *p, uint64_t first, uint64_t end) {
  uint32_t *link = p->cells;
  while (first < end) {
    while (*link != 0 && end_of(cell_at(p->u, *link)) <= first)
      link = &cell_at(p->u, *link)->next;
    uint64_t next = *link != 0 ? cell_at(p->u, *link)->first : end;
    if (next > end) next = end;
    if (next > first) {
      struct memory_cell cell = {.first = first, .size = (uint32_t)(next - first), .next = *link};
      *link = add_cell(p, cell);
    }
    first = end_of(cell_at(p->u, *link));
  }
}

static unf_status misplaced(unf_unfolding *u, unf_status status, uint32_t location,
                            const char *what) {
  char name[64];
  struct text text = unfi_text(name, sizeof name);
  unfi_text_object(&text, u, location);
  return unfi_fail(u->context, status, name, " ", what);
}

unf_status unf_location_place(unf_unfolding *u, unf_object location, unf_object space,
                              uint64_t first, uint32_t size) {
  RETURN_IF_NULL(u->context, u);
  if (location >= u->objects.count || space >= u->objects.count)
    return unfi_fail(u->context, UNF_UNKNOWN, "object");
  struct object *o = &u->objects.data[location];
  if (o->object_class != UNF_LOCATION || u->objects.data[space].object_class != UNF_LOCATION ||
      size < 1 || size > sizeof(uint64_t) || first > UINT64_MAX - size)
    return misplaced(u, UNF_INVALID, location, "cannot have such a place");
  if (o->cell != 0 && o->space == space && o->first == first && o->size == size) return UNF_OK;
  if (o->cell != 0 || o->fixed)
    return misplaced(u, UNF_STATE, location, "was used before it was placed here");
  uint32_t missing = count_missing(u, space, first, first + size);
  if (missing == NONE)
    return misplaced(u, UNF_STATE, location, "has only a part of bytes that were used together");
  if (!vector_reserve(u->context, &u->cells, (uint64_t)u->cells.count + missing) ||
      !vector_reserve(u->context, &u->said, (uint64_t)u->said.count + 1) ||
      !unfi_reserve_sites(u, missing))
    return unfi_refused(u->context);
  o->space = space;
  o->first = first;
  o->size = (uint8_t)size;
  struct placing placing = {.u = u,
                            .location = location,
                            .spare = o->site != NO_SITE ? o->site : NONE,
                            .cells = &u->objects.data[space].cells};
  cut_at_border(&placing, first);
  cut_at_border(&placing, first + size);
  fill(&placing, first, first + size);
  o->cell = u->objects.data[space].cells;
  while (cell_at(u, o->cell)->first != first)
    o->cell = cell_at(u, o->cell)->next;
  o->site = cell_at(u, o->cell)->site;
  vector_push(&u->said, location);
  return UNF_OK;
}

unf_status unf_location_describe(const unf_unfolding *u, unf_object location, unf_object *space,
                                 uint64_t *first, uint32_t *size) {
  RETURN_IF_NULL(u->context, u);
  if (location >= u->objects.count) return unfi_fail(u->context, UNF_UNKNOWN, "object");
  const struct object *o = &u->objects.data[location];
  if (o->object_class != UNF_LOCATION) return unfi_fail(u->context, UNF_INVALID, "not a location");
  if (space != NULL) *space = o->cell != 0 ? o->space : UNF_OBJECT_NONE;
  if (first != NULL) *first = o->first;
  if (size != NULL) *size = o->cell != 0 ? o->size : (uint32_t)sizeof(int64_t);
  return UNF_OK;
}

/* Bytes of a value that fall into a cell of the location. */
static uint64_t bytes_in(const struct object *o, const struct memory_cell *c, uint64_t value) {
  return upper(value, c->first - o->first) & mask_of(c->size);
}

bool unfi_cells_initial(unf_unfolding *u, uint32_t location, int64_t value) {
  const struct object *o = &u->objects.data[location];
  for (struct memory_cell *c = first_cell(u, o); c != NULL; c = next_cell(u, o, c)) {
    uint64_t fixed = c->used ? mask_of(c->size) : 0;
    for (uint32_t b = 0; b < c->size; b++)
      if (c->said >> b & 1) fixed |= (uint64_t)UINT8_MAX << BITS * b;
    if (((bytes_in(o, c, (uint64_t)value) ^ c->initial) & fixed) != 0) return false;
  }
  for (struct memory_cell *c = first_cell(u, o); c != NULL; c = next_cell(u, o, c)) {
    c->initial = bytes_in(o, c, (uint64_t)value);
    c->said = bytes_of(c->size);
  }
  return true;
}

void unfi_cells_use(unf_unfolding *u, uint32_t location) {
  const struct object *o = &u->objects.data[location];
  for (struct memory_cell *c = first_cell(u, o); c != NULL; c = next_cell(u, o, c))
    c->used = true;
}

void unfi_cells_copy(unf_unfolding *u, const unf_unfolding *from, uint32_t space) {
  uint32_t to = u->objects.data[space].cells, i = from->objects.data[space].cells;
  while (to != 0 && i != 0) {
    const struct memory_cell *c = &from->cells.data[i - 1];
    u->cells.data[to - 1].initial = c->initial;
    u->cells.data[to - 1].said = c->said;
    to = u->cells.data[to - 1].next;
    i = c->next;
  }
}
