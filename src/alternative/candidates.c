/*
 * The index of U. Events in conflict have different entries at some site where cuts are compared
 * (structure/relation.c), so an event of D looks at the events of U that sit at such sites of its
 * history, where they have another entry. At a site where all histories of D agree, events of U
 * that agree with them too have no seat: that is most of what D and U have in common.
 */
#include "alternative/candidates.h"

#include <string.h>

#include "alternative/entries.h"
#include "structure/relation.h"
#include "structure/tree.h"

void unfi_candidates_free(struct candidates *c) {
  vector_free(c->u->context, &c->rows);
  vector_free(c->u->context, &c->seats);
  vector_free(c->u->context, &c->next);
  vector_free(c->u->context, &c->looked);
  vector_free(c->u->context, &c->usable);
}

static bool reserve(struct candidates *c, uint32_t U_count, uint32_t D_count) {
  unf_context *context = c->u->context;
  uint32_t sites = c->u->sites.count;
  if (!vector_reserve(context, &c->rows, sites) || !vector_reserve(context, &c->next, D_count) ||
      !vector_reserve(context, &c->looked, U_count) ||
      !vector_reserve(context, &c->usable, U_count))
    return false;
  memset(c->rows.data, 0, sites * sizeof *c->rows.data);
  for (uint32_t i = 0; i < U_count; i++)
    c->looked.data[i] = 0;
  return true;
}

static void enter_D(struct candidates *c, uint32_t i) {
  struct entry_walk walk;
  struct slot at;
  struct row *own = &c->rows.data[action_of(c->u, c->D[i])->site];
  c->next.data[i] = own->last;
  own->last = i + 1;
  entries_begin(&walk, c->u, c->D[i]);
  while (entries_next(&walk, &at)) {
    struct row *row = &c->rows.data[at.site];
    if (!is_compared(c->u, at.site)) continue;
    row->several = row->several || (row->entry != 0 && row->entry != at.entry);
    row->entry = at.entry;
  }
}

/* Whether there is a seat for an entry. */
static bool is_seat(const struct candidates *c, struct slot at) {
  const struct row *row = &c->rows.data[at.site];
  return row->several || (row->entry != 0 && row->entry != at.entry);
}

/* Looks at the history of an event of U, counting the seats that it takes. Returns false if an
 * event of D is in it. */
static bool count_seats(struct candidates *c, uint32_t event) {
  struct entry_walk walk;
  struct slot at;
  entries_begin(&walk, c->u, event);
  while (entries_next(&walk, &at))
    for (uint32_t i = c->rows.data[at.site].last; i != 0; i = c->next.data[i - 1])
      if (unfi_precedes(c->u, c->D[i - 1], event)) return false;
  entries_begin(&walk, c->u, event);
  while (entries_next(&walk, &at))
    c->rows.data[at.site].count += is_seat(c, at);
  return true;
}

static void take_seats(struct candidates *c, uint32_t place) {
  struct entry_walk walk;
  struct slot at;
  entries_begin(&walk, c->u, c->U[place]);
  while (entries_next(&walk, &at)) {
    struct row *row = &c->rows.data[at.site];
    if (is_seat(c, at)) c->seats.data[row->first + row->count++] = (struct seat){place, at.entry};
  }
}

unf_status unfi_candidates_make(struct candidates *c, unf_unfolding *u, const unf_event *U,
                                uint32_t U_count, struct cut C, const unf_event *D,
                                uint32_t D_count) {
  uint64_t seats = 0;
  unf_status status = UNF_OK;
  *c = (struct candidates){.u = u, .U = U, .D = D};
  if (!reserve(c, U_count, D_count)) return unfi_refused(u->context);
  for (uint32_t i = 0; i < D_count; i++)
    enter_D(c, i);
  for (uint32_t i = 0; status == UNF_OK && i < U_count; i++) {
    if (U[i] != 0 && !unfi_conflict_cut(u, C, U[i]) && count_seats(c, U[i]))
      vector_push(&c->usable, i);
    status = unfi_work(u->context, 1);
  }
  if (status != UNF_OK) return status;
  for (uint32_t site = 0; site < u->sites.count; site++) {
    struct row *row = &c->rows.data[site];
    row->first = (uint32_t)seats;
    seats += row->count;
    row->count = 0;
  }
  if (!vector_reserve(u->context, &c->seats, seats)) return unfi_refused(u->context);
  for (uint32_t i = 0; i < c->usable.count; i++)
    take_seats(c, c->usable.data[i]);
  return UNF_OK;
}

bool unfi_candidates_add(struct candidates *c, uint32_t i, struct comb *comb, uint64_t *read) {
  struct entry_walk walk;
  struct slot at;
  entries_begin(&walk, c->u, c->D[i]);
  while (entries_next(&walk, &at)) {
    const struct row *row = &c->rows.data[at.site];
    if (row->count == 0 || !is_compared(c->u, at.site)) continue;
    const struct seat *seats = c->seats.data + row->first;
    for (uint32_t j = 0; j < row->count; j++) {
      uint32_t *looked = &c->looked.data[seats[j].event];
      if (seats[j].entry == at.entry || *looked == i + 1) continue;
      *looked = i + 1;
      ++*read;
      uint32_t event = c->U[seats[j].event];
      if (unfi_conflict(c->u, event, c->D[i]) && !unfi_comb_add(c->u->context, comb, event))
        return false;
    }
  }
  return true;
}
