/*
 * Sets of facts, each kept once. A large one is kept as another one that it contains, and what it
 * has beside that, so that the histories of an execution, each with a fact more than the one
 * before, take memory by the number of facts and not by its square. The facts of a set are
 * ascending.
 */
#ifndef TERMS_FACTS_H
#define TERMS_FACTS_H

#include "terms.h"

struct fact_set {
  uint64_t hash;  /* of all its facts */
  uint32_t base;  /* the set that it contains, or UINT32_MAX */
  uint32_t first; /* of its own facts, in facts.own */
  uint32_t own, count;
  uint32_t next; /* the next one with this place in the table, and 1 more; or 0 */
};

struct facts_written; /* sets that were written out, the last few */

struct facts {
  struct fact_set *items;
  uint32_t count, room;
  term *own;
  uint32_t own_count, own_room;
  uint32_t *table; /* by hash: a set and 1 more, or 0 */
  uint32_t table_room;
  struct facts_written *written;
};

/* False: no memory. */
bool facts_make(struct facts *facts);
void facts_free(struct facts *facts);
uint64_t facts_bytes(const struct facts *facts);
/* The set with these facts, ascending and each once; another one (or UINT32_MAX) is likely
 * contained in it. UINT32_MAX: no memory. */
uint32_t facts_intern(struct facts *facts, const term *list, uint32_t count, uint32_t likely);
static inline uint32_t facts_count(const struct facts *facts, uint32_t set) {
  return facts->items[set].count;
}
/* The facts of a set that is not kept as a whole: valid until some others were asked for. */
const term *facts_write_out(const struct facts *facts, uint32_t set);
/* The facts of a set; those of a few sets are valid at once, and until one is made. */
static inline const term *facts_of(const struct facts *facts, uint32_t set) {
  const struct fact_set *s = &facts->items[set];
  return s->base == UINT32_MAX ? facts->own + s->first : facts_write_out(facts, set);
}

#endif
