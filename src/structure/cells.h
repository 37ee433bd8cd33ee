/* Locations that are ranges of bytes: their cells. */
#ifndef STRUCTURE_CELLS_H
#define STRUCTURE_CELLS_H

#include "structure/names.h"

/* Bytes of a space that every location there has all or none of. */
struct memory_cell {
  uint64_t first, initial;
  uint32_t size, site, space;
  uint32_t
      next; /* 1 + the one that begins where it ends, where a location has both; else any, or 0 */
  uint32_t said; /* bytes whose initial value was said */
  bool used;     /* by an action */
};

/* Sets the initial value of a location that was placed; false: some of its bytes have
 * another one. */
bool unfi_cells_initial(unf_unfolding *u, uint32_t location, int64_t value);
/* The borders of its cells within a location that was placed: a bit for each byte where one begins.
 * And cuts its cells at some, as placing others would: UNF_STATE if one is used that has one
 * within. */
uint32_t unfi_cells_borders(const unf_unfolding *u, const struct object *location);
unf_status unfi_cells_cut(unf_unfolding *u, uint32_t location, uint32_t borders);
/* An action uses all bytes of a location, which need not have been placed. */
void unfi_cells_use(unf_unfolding *u, uint32_t location);
/* Gives the bytes of a location what they have in another unfolding, where its space is cut into
 * the same cells. */
void unfi_cells_copy(unf_unfolding *u, const unf_unfolding *from, uint32_t location);

/* The cells of a location that was placed, by their bytes. */
static inline struct memory_cell *first_cell(const unf_unfolding *u, const struct object *o) {
  return o->cell == 0 ? NULL : &u->cells.data[o->cell - 1];
}

/* Whether others have a part of its bytes. */
static inline bool has_several_cells(const unf_unfolding *u, const struct object *o) {
  const struct memory_cell *c = first_cell(u, o);
  return c != NULL && c->size != o->size;
}

static inline struct memory_cell *next_cell(const unf_unfolding *u, const struct object *o,
                                            const struct memory_cell *c) {
  bool last = c->next == 0 || u->cells.data[c->next - 1].first >= o->first + o->size;
  return last ? NULL : &u->cells.data[c->next - 1];
}

#endif
