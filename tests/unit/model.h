/*
 * The relations of an unfolding by their definitions: histories by following predecessors, a
 * conflict where two events, each outside of the other's history, depend on each other. Sets are
 * rows of bits over the events, ⊥ included.
 */
#ifndef UNIT_MODEL_H
#define UNIT_MODEL_H

#include <unfold/unfold.h>

#define MODEL_EVENTS 512
#define MODEL_WORDS  (MODEL_EVENTS / 64)

typedef struct set {
  uint64_t word[MODEL_WORDS];
} set;

struct model {
  unf_unfolding *u;
  uint32_t count; /* events, ⊥ included */
  unf_action action[MODEL_EVENTS];
  set history[MODEL_EVENTS];
  set dependent[MODEL_EVENTS];
  set conflict[MODEL_EVENTS];
  set immediate[MODEL_EVENTS]; /* in conflict, and neither with a cause of the other */
};

/* false: too many events, or a call failed. */
bool model_make(struct model *model, unf_unfolding *u);

static inline bool has(const set *s, uint32_t event) {
  return s->word[event / 64] >> (event % 64) & 1;
}

static inline void put(set *s, uint32_t event) {
  s->word[event / 64] |= (uint64_t)1 << (event % 64);
}

static inline bool meets(const set *a, const set *b) {
  uint64_t any = 0;
  for (unsigned i = 0; i < MODEL_WORDS; i++)
    any |= a->word[i] & b->word[i];
  return any != 0;
}

static inline bool within(const set *a, const set *b) {
  uint64_t any = 0;
  for (unsigned i = 0; i < MODEL_WORDS; i++)
    any |= a->word[i] & ~b->word[i];
  return any == 0;
}

static inline void unite(set *a, const set *b) {
  for (unsigned i = 0; i < MODEL_WORDS; i++)
    a->word[i] |= b->word[i];
}

static inline uint32_t size_of(const set *s) {
  uint32_t size = 0;
  for (uint32_t e = 0; e < MODEL_EVENTS; e++)
    size += has(s, e);
  return size;
}

/* Whether some event of a is in conflict with some event of b. */
bool model_conflict(const struct model *model, const set *a, const set *b);

#endif
