/*
 * Locations that are ranges of bytes. What was placed in one space cuts its bytes into cells, the
 * coarsest partition of which every range is a union; a cell has a site of its own, so that two
 * accesses depend on each other exactly where their ranges meet. Actions keep the sites that they
 * use, and so a cell is only cut in two while no action uses it.
 *
 * Cells are found by their space and first byte, in a table. A range has few bytes, so all of them
 * can be asked for: placing one costs the same however many there are.
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

static uint64_t cell_hash(const void *owner, uint32_t link) {
  const unf_unfolding *u = owner;
  const struct memory_cell *c = &u->cells.data[link - 1];
  return mix(c->first, c->space);
}

/* Room for some cells more. Returns false when refused. */
static bool reserve_cells(unf_unfolding *u, uint32_t count) {
  if (!vector_reserve(u->context, &u->cells, (uint64_t)u->cells.count + count)) return false;
  struct table *table = &u->cell_table;
  while (!table_has_room_for(table, count))
    if (!unfi_table_enlarge_dense(u->context, table, cell_hash, u)) return false;
  return true;
}

/* The cell that begins at a byte; 0: there is none. */
static uint32_t cell_from(const unf_unfolding *u, uint32_t space, uint64_t first) {
  uint64_t hash = mix(first, space);
  unfi_count(u->context, 1);
  table_each(&u->cell_table, hash, link) {
    const struct memory_cell *c = &u->cells.data[link - 1];
    if (c->first == first && c->space == space) return link;
  }
  return 0;
}

/* The cell that has a byte; 0: there is none. */
static uint32_t cell_with(unf_unfolding *u, uint32_t space, uint64_t byte) {
  for (uint64_t back = 0; back < sizeof(uint64_t) && back <= byte; back++) {
    uint32_t link = cell_from(u, space, byte - back);
    if (link != 0) return end_of(cell_at(u, link)) > byte ? link : 0;
  }
  return 0;
}

/* Cells that a range needs beyond those that there are; NONE: one that is used would be cut. */
static uint32_t count_missing(unf_unfolding *u, uint32_t space, uint64_t first, uint64_t end) {
  uint32_t missing = 0, left = cell_with(u, space, first), right = cell_with(u, space, end);
  bool cuts_left = left != 0 && cuts(cell_at(u, left), first);
  bool cuts_right = right != 0 && cuts(cell_at(u, right), end);
  if ((cuts_left && cell_at(u, left)->used) || (cuts_right && cell_at(u, right)->used)) return NONE;
  missing += (uint32_t)cuts_left + (uint32_t)cuts_right;
  bool covered = true;
  for (uint64_t byte = first; byte < end;) {
    uint32_t link = byte == first ? left : cell_from(u, space, byte);
    missing += link == 0 && covered;
    covered = link != 0;
    byte = covered ? end_of(cell_at(u, link)) : byte + 1;
  }
  return missing;
}

/* The location whose range is placed, and the site that it had alone, for one of the cells. */
struct placing {
  unf_unfolding *u;
  uint32_t location, space, spare;
};

static uint32_t add_cell(struct placing *p, struct memory_cell cell) {
  cell.site = p->spare != NONE ? p->spare : unfi_add_site(p->u, p->location, false);
  cell.space = p->space;
  p->spare = NONE;
  vector_push(&p->u->cells, cell);
  table_put(&p->u->cell_table, mix(cell.first, cell.space), p->u->cells.count);
  return p->u->cells.count;
}

/* Cuts the cell that a border lies in. */
static void cut_at_border(struct placing *p, uint64_t border) {
  uint32_t i = cell_with(p->u, p->space, border);
  if (i == 0 || !cuts(cell_at(p->u, i), border)) return;
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

/* New cells where the range has bytes that are in none, and all of its cells in a row; no cell
 * crosses its borders. */
static void fill(struct placing *p, uint64_t first, uint64_t end) {
  uint32_t before = 0;
  for (uint64_t byte = first; byte < end;) {
    uint32_t link = cell_from(p->u, p->space, byte);
    if (link == 0) {
      uint64_t next = byte + 1;
      while (next < end && cell_from(p->u, p->space, next) == 0)
        next++;
      struct memory_cell cell = {.first = byte, .size = (uint32_t)(next - byte)};
      link = add_cell(p, cell);
    }
    if (before != 0) cell_at(p->u, before)->next = link;
    before = link;
    byte = end_of(cell_at(p->u, link));
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
  if (o->cell != 0 || o->fixed || o->used)
    return misplaced(u, UNF_STATE, location, "was used before it was placed here");
  uint32_t missing = count_missing(u, space, first, first + size);
  if (missing == NONE)
    return misplaced(u, UNF_STATE, location, "has only a part of bytes that were used together");
  if (!reserve_cells(u, missing) ||
      !vector_reserve(u->context, &u->said, (uint64_t)u->said.count + 1) ||
      !unfi_reserve_sites(u, missing))
    return unfi_refused(u->context);
  o->space = space;
  o->first = first;
  o->size = (uint8_t)size;
  struct placing placing = {
      .u = u, .location = location, .space = space, .spare = o->site != NO_SITE ? o->site : NONE};
  cut_at_border(&placing, first);
  cut_at_border(&placing, first + size);
  fill(&placing, first, first + size);
  o->cell = cell_from(u, space, first);
  o->site = cell_at(u, o->cell)->site;
  vector_push(&u->said, location);
  return UNF_OK;
}

uint32_t unfi_cells_borders(const unf_unfolding *u, const struct object *location) {
  uint32_t borders = 0;
  for (struct memory_cell *c = first_cell(u, location); c != NULL; c = next_cell(u, location, c))
    borders |= 1u << (c->first - location->first);
  return borders;
}

unf_status unfi_cells_cut(unf_unfolding *u, uint32_t location, uint32_t borders) {
  const struct object *o = &u->objects.data[location];
  struct placing placing = {.u = u, .location = location, .space = o->space, .spare = NONE};
  for (uint32_t byte = 1; byte < o->size; byte++) {
    uint32_t link = cell_with(u, o->space, o->first + byte);
    if (!(borders >> byte & 1) || !cuts(cell_at(u, link), o->first + byte)) continue;
    if (cell_at(u, link)->used)
      return misplaced(u, UNF_STATE, location, "has only a part of bytes that were used together");
    if (!reserve_cells(u, 1) || !unfi_reserve_sites(u, 1)) return unfi_refused(u->context);
    cut_at_border(&placing, o->first + byte);
  }
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

void unfi_cells_copy(unf_unfolding *u, const unf_unfolding *from, uint32_t location) {
  const struct object *o = &u->objects.data[location], *source = &from->objects.data[location];
  struct memory_cell *to = first_cell(u, o);
  const struct memory_cell *c = first_cell(from, source);
  for (; to != NULL; to = next_cell(u, o, to), c = next_cell(from, source, c)) {
    to->initial = c->initial;
    to->said = c->said;
  }
}
