/*
 * Classes of candidates.
 *
 * Two histories are in conflict exactly if their entries are at some site (structure/relation.c),
 * and whether two entries are depends on nothing else: an entry stands for all uses of its site. So
 * candidates with the same entries are alike, and sites at which no candidates of *different*
 * spikes are in conflict need no look. That leaves out, above all, the site at which the candidates
 * of one spike compete with its event of D and so with each other: only one of them is chosen.
 *
 * A site is left out if all its candidates are of one spike, or if their entries are on a path of
 * its tree, perhaps with one layer on the last write of it. It is looked at entry by entry: of
 * entries on a path, the furthest is on a path with a new one exactly if all are. A site too many
 * would only make classes smaller.
 */
#include "alternative/classes.h"

#include <string.h>

#include "alternative/entries.h"
#include "alternative/matrix.h"
#include "structure/layer.h"
#include "structure/relation.h"
#include "structure/tree.h"

void unfi_classes_free(unf_context *context, struct classes *c) {
  vector_free(context, &c->all);
  vector_free(context, &c->claims);
  vector_free(context, &c->of);
  vector_free(context, &c->spikes);
  vector_free(context, &c->places);
  vector_free(context, &c->claimers);
  vector_free(context, &c->slots);
  vector_free(context, &c->rows);
  vector_free(context, &c->made);
}

/* Of looking at a candidate's history. */
#define STEPS 8u

/* ---- sites ---- */

/* Whether two entries are surely not in conflict; the one that goes further is kept. */
static bool on_a_path(const unf_unfolding *u, uint32_t site, uint32_t entry, uint32_t *furthest) {
  uint32_t other = *furthest, write = entry_write(u, entry), other_write = entry_write(u, other);
  if (entry & other & ROW_TAG) {
    const struct layer *a = layer_at(u, entry), *b = layer_at(u, other);
    return write == other_write && a->floor == b->floor && a->access == b->access;
  }
  bool later = write != 0 && other_write != 0 && write != other_write;
  if (later && unfi_diverge(u, site, write, other_write)) return false;
  /* What stands on a write is below no later write, unless that followed it. */
  if ((entry & ROW_TAG && write < other_write) || (other & ROW_TAG && other_write < write))
    return false;
  if (entry & ROW_TAG || (!(other & ROW_TAG) && write > other_write)) *furthest = entry;
  return true;
}

/* Enters what a candidate's history has at each site. */
static void enter(struct classes *c, const struct matrix *m, uint32_t candidate) {
  uint32_t spike = c->spikes.data[candidate];
  struct entry_walk walk;
  struct slot at;
  entries_begin(&walk, m->u, m->event[candidate]);
  while (entries_next(&walk, &at)) {
    struct place *place = &c->places.data[at.site];
    if (!is_compared(m->u, at.site)) continue;
    if (place->entry == 0) {
      place->entry = at.entry;
      place->spike = spike;
      continue;
    }
    place->several = place->several || place->spike != spike;
    if (at.entry != place->entry && !place->parts)
      place->parts = !on_a_path(m->u, at.site, at.entry, &place->entry);
  }
}

/* The claims of a candidate become the last ones. Returns false when refused. */
static bool claim(struct classes *c, const struct matrix *m, uint32_t candidate) {
  uint64_t most = (uint64_t)c->claims.count + m->u->sites.count + 1;
  struct entry_walk walk;
  struct slot at;
  if (!vector_reserve(m->u->context, &c->claims, most)) return false;
  if (m->comb->admission.on) {
    vector_push(&c->claims, ((struct slot){NONE, m->event[candidate]}));
    return true;
  }
  entries_begin(&walk, m->u, m->event[candidate]);
  while (entries_next(&walk, &at)) {
    const struct place *place = &c->places.data[at.site];
    if (place->parts && place->several) vector_push(&c->claims, at);
  }
  return true;
}

/* ---- classes ---- */

static bool same_claims(const struct classes *c, const struct class *a, const struct class *b) {
  return a->count == b->count && memcmp(c->claims.data + a->first, c->claims.data + b->first,
                                        a->count * sizeof *c->claims.data) == 0;
}

static uint32_t hash_claims(const struct classes *c, const struct class *class) {
  uint64_t hash = class->count;
  for (uint32_t i = 0; i < class->count; i++) {
    struct slot claim = c->claims.data[class->first + i];
    hash = (hash ^ ((uint64_t)claim.site << 32 | claim.entry)) * 0x9e3779b97f4a7c15u;
    hash ^= hash >> 29;
  }
  return (uint32_t)hash;
}

/* The class of a candidate, whose claims are the last ones; they go if there is one already. */
static void classify(struct classes *c, uint32_t candidate, uint32_t first) {
  struct class class = {first, c->claims.count - first, candidate, NONE, 0, false};
  uint32_t mask = c->slots.count - 1, slot = hash_claims(c, &class) & mask;
  for (; c->slots.data[slot] != 0; slot = (slot + 1) & mask) {
    struct class *known = &c->all.data[c->slots.data[slot] - 1];
    if (!same_claims(c, known, &class)) continue;
    c->of.data[candidate] = c->slots.data[slot] - 1;
    c->claims.count = first;
    if (c->spikes.data[known->member] != c->spikes.data[candidate]) known->other = candidate;
    return;
  }
  c->of.data[candidate] = c->all.count;
  vector_push(&c->all, class);
  c->slots.data[slot] = c->all.count;
}

static bool reserve(struct classes *c, const struct matrix *m) {
  unf_context *context = m->u->context;
  uint64_t slots = 16;
  while (slots < 2 * (uint64_t)m->candidates)
    slots *= 2;
  if (!vector_reserve(context, &c->all, m->candidates) ||
      !vector_reserve(context, &c->of, m->candidates) ||
      !vector_reserve(context, &c->spikes, m->candidates) ||
      !vector_reserve(context, &c->places, m->u->sites.count) ||
      !vector_reserve(context, &c->slots, slots))
    return false;
  c->all.count = c->claims.count = 0;
  c->slots.count = (uint32_t)slots;
  memset(c->slots.data, 0, slots * sizeof *c->slots.data);
  memset(c->places.data, 0, m->u->sites.count * sizeof *c->places.data);
  for (uint32_t s = 0; s < m->spikes; s++) {
    const struct spike *spike = &m->comb->spikes.data[s];
    for (uint32_t i = 0; i < spike->count; i++)
      c->spikes.data[spike->first + i] = s;
  }
  return true;
}

/* ---- conflicts ---- */

/* The classes by the sites at which they claim something. Returns false when refused. */
static bool gather_claimers(struct classes *c, const struct matrix *m) {
  uint32_t first = 0;
  c->words = c->all.count / 64 + 1;
  if (!vector_reserve(m->u->context, &c->claimers, c->claims.count) ||
      !vector_reserve(m->u->context, &c->made, c->all.count) ||
      !vector_reserve(m->u->context, &c->rows, (uint64_t)c->all.count * c->words))
    return false;
  memset(c->made.data, 0, c->all.count);
  if (m->comb->admission.on) return true;
  for (uint32_t i = 0; i < c->claims.count; i++)
    c->places.data[c->claims.data[i].site].count++;
  for (uint32_t site = 0; site < m->u->sites.count; site++) {
    c->places.data[site].first = first;
    first += c->places.data[site].count;
    c->places.data[site].count = 0;
  }
  for (uint32_t i = 0; i < c->all.count; i++)
    for (uint32_t j = 0; j < c->all.data[i].count; j++) {
      struct slot claim = c->claims.data[c->all.data[i].first + j];
      struct place *place = &c->places.data[claim.site];
      c->claimers.data[place->first + place->count++] = (struct slot){i, claim.entry};
    }
  return true;
}

static bool conflict(const struct classes *c, const struct matrix *m, uint32_t a, uint32_t b) {
  uint32_t x = c->all.data[a].member, y = c->all.data[b].member;
  if (c->made.data[b]) return bit(c->rows.data + (size_t)b * c->words, a);
  /* Those of one spike may be in conflict at a site where nothing is claimed. */
  if (c->spikes.data[x] == c->spikes.data[y]) {
    if (c->all.data[a].other != NONE)
      x = c->all.data[a].other;
    else if (c->all.data[b].other != NONE)
      y = c->all.data[b].other;
  }
  return unfi_conflict(m->u, m->event[x], m->event[y]);
}

const uint64_t *unfi_classes_row(struct classes *c, const struct matrix *m, uint32_t class) {
  uint64_t *row = c->rows.data + (size_t) class * c->words;
  const struct class *own = &c->all.data[class];
  if (c->made.data[class]) return row;
  memset(row, 0, c->words * sizeof *row);
  for (uint32_t i = 0; m->comb->admission.on && i < c->all.count; i++)
    if (i != class && conflict(c, m, class, i)) row[i / 64] |= (uint64_t)1 << (i % 64);
  for (uint32_t i = own->first; !m->comb->admission.on && i < own->first + own->count; i++) {
    struct slot claim = c->claims.data[i];
    const struct place *place = &c->places.data[claim.site];
    for (uint32_t j = place->first; j < place->first + place->count; j++) {
      uint32_t other = c->claimers.data[j].site;
      if (c->claimers.data[j].entry == claim.entry || bit(row, other)) continue;
      if (conflict(c, m, class, other)) row[other / 64] |= (uint64_t)1 << (other % 64);
    }
  }
  c->made.data[class] = 1;
  return row;
}

/* ---- literals ---- */

/* The other class of a pair, or NONE: nothing else claims anything of the one site that they
 * claim. */
static uint32_t partner(struct classes *c, const struct matrix *m, uint32_t class) {
  const struct class *own = &c->all.data[class];
  if (m->comb->admission.on || own->count != 1) return NONE;
  const struct place *place = &c->places.data[c->claims.data[own->first].site];
  if (place->count != 2) return NONE;
  uint32_t other = c->claimers.data[place->first].site;
  if (other == class) other = c->claimers.data[place->first + 1].site;
  bool paired = c->all.data[other].count == 1 && conflict(c, m, class, other);
  return paired ? other : NONE;
}

static void name(struct classes *c, const struct matrix *m) {
  for (uint32_t i = 0; i < c->all.count; i++) {
    uint32_t other = partner(c, m, i);
    c->all.data[i].paired = other != NONE;
    c->all.data[i].literal = other < i ? 2 * other + 1 : 2 * i;
  }
}

unf_status unfi_classes_make(struct classes *c, const struct matrix *m) {
  unf_context *context = m->u->context;
  unf_status status = UNF_OK;
  bool alone = m->comb->admission.on;
  if (!reserve(c, m)) return unfi_refused(context);
  for (uint32_t i = 0; status == UNF_OK && !alone && i < m->candidates; i++) {
    enter(c, m, i);
    status = unfi_work(context, STEPS);
  }
  for (uint32_t i = 0; status == UNF_OK && i < m->candidates; i++) {
    uint32_t first = c->claims.count;
    if (!claim(c, m, i)) return unfi_refused(context);
    classify(c, i, first);
    status = unfi_work(context, STEPS);
  }
  if (status != UNF_OK) return status;
  if (!gather_claimers(c, m)) return unfi_refused(context);
  name(c, m);
  return UNF_OK;
}
