/*
 * Causality, conflict and extensions, from their definitions. Two events are in conflict when some
 * a in the history of the one and some b in that of the other are dependent and different, and
 * neither is in the history of the other (Section 2 of the CAV 2018 paper). So: the pairs (a, b)
 * themselves, then inherited along causality to all successors, for which the maximal causes are
 * enough. Cost: O(events²).
 */
#include "lattice.h"

#include <stdlib.h>
#include <string.h>

static void set_bit(uint64_t *rows, size_t words, uint32_t row, uint32_t column) {
  rows[row * words + column / 64] |= UINT64_C(1) << (column % 64);
}

/* e against every event of a smaller number. */
static void find_conflicts(const lattice *l, relations *r, uint32_t e) {
  const event *x = &l->events[e];
  for (uint32_t f = 0; f < e; f++) {
    const event *y = &l->events[f];
    bool conflict = !relations_precedes(r, f, e) && actions_dependent(&x->action, &y->action);
    for (uint32_t i = 0; i < x->maximal_count && !conflict; i++) {
      conflict = relations_conflict(r, x->maximal[i], f);
    }
    for (uint32_t i = 0; i < y->maximal_count && !conflict; i++) {
      conflict = relations_conflict(r, e, y->maximal[i]);
    }
    if (conflict) {
      set_bit(r->conflict, r->words, e, f);
      set_bit(r->conflict, r->words, f, e);
    }
  }
}

relations *relations_make(const lattice *l) {
  relations *r = oracle_allocate(sizeof *r);
  r->events = l->event_count;
  r->words = (l->event_count + 63) / 64;
  r->causality = oracle_allocate(r->events * r->words * sizeof *r->causality);
  r->conflict = oracle_allocate(r->events * r->words * sizeof *r->conflict);
  for (uint32_t e = 0; e < l->event_count; e++) {
    set_bit(r->causality, r->words, e, e);
    for (uint32_t i = 0; i < l->events[e].cause_count; i++) {
      set_bit(r->causality, r->words, e, l->events[e].causes[i]);
    }
    find_conflicts(l, r, e);
  }
  return r;
}

void relations_free(relations *r) {
  if (r == NULL) return;
  free(r->causality);
  free(r->conflict);
  free(r);
}

/* Whether an event is in conflict with a cause of another. */
static bool conflicts_with_causes(const lattice *l, const relations *r, uint32_t a, uint32_t b) {
  for (uint32_t i = 0; i < l->events[b].cause_count; i++) {
    if (relations_conflict(r, a, l->events[b].causes[i])) return true;
  }
  return false;
}

bool relations_conflict_immediately(const lattice *l, const relations *r, uint32_t a, uint32_t b) {
  return relations_conflict(r, a, b) && !conflicts_with_causes(l, r, a, b) &&
         !conflicts_with_causes(l, r, b, a);
}

uint32_t relations_extensions(const lattice *l, const relations *r, uint32_t configuration_number,
                              uint32_t *extensions, bool *enabled) {
  const configuration *c = &l->configurations[configuration_number];
  uint64_t *inside = oracle_allocate(r->words * sizeof *inside);
  for (uint32_t i = 0; i < c->count; i++) {
    set_bit(inside, r->words, 0, c->events[i]);
  }
  uint32_t count = 0;
  for (uint32_t e = 0; e < l->event_count; e++) {
    bool outside = !relations_bit(inside, r->words, 0, e);
    for (uint32_t i = 0; i < l->events[e].maximal_count && outside; i++) {
      outside = relations_bit(inside, r->words, 0, l->events[e].maximal[i]);
    }
    if (!outside) continue;
    bool conflict = false;
    for (size_t w = 0; w < r->words && !conflict; w++) {
      conflict = (r->conflict[e * r->words + w] & inside[w]) != 0;
    }
    extensions[count] = e;
    enabled[count++] = !conflict;
  }
  free(inside);
  return count;
}
