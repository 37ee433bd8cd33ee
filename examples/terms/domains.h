/*
 * Facts about inputs of few values, as bytes have, decided by trying these. Which values make a
 * fact about one input true is kept with it, so that whether several of them exclude each other is
 * seen at once; where facts are about several inputs, the values that are left for each are tried
 * together, as long as these are not too many. What is decided is decided for good: the answer
 * depends on the facts alone, and the values on those that are given, too.
 */
#ifndef TERMS_DOMAINS_H
#define TERMS_DOMAINS_H

#include "marks.h"
#include "solver.h"
#include "terms.h"

struct knowledge;

enum { DOMAIN_VALUES = 256, DOMAIN_WORDS = DOMAIN_VALUES / 64 };

/* Values of an input, counted from its lowest one. */
struct domain {
  uint64_t bits[DOMAIN_WORDS];
};

/* An input and what is left for it. */
struct domain_input {
  uint32_t input;
  struct domain domain;
  /* While values are tried: how many there are, they, and how many trials have each of them. */
  uint32_t count;
  uint8_t values[DOMAIN_VALUES];
  uint64_t stride;
};

struct domains {
  uint32_t *known; /* by fact: the number of its domain and 1 more; UINT32_MAX: it has none */
  struct domain *domains;
  uint32_t known_room, count, room;
  struct domain_input *inputs; /* of the question at hand */
  struct marks met;
  uint32_t *met_places; /* by input: where it is among them */
  uint32_t input_count, input_room, met_room;
  term *others; /* its facts that are not about one of these inputs alone */
  uint32_t other_count, other_room;
  int64_t (*columns)[DOMAIN_VALUES]; /* what terms that are listed are in as many trials */
  uint32_t *places;                  /* by term */
  uint32_t column_room, place_room;
  /* Terms that have many others in them, of one input, with what they are for each value of it. */
  uint32_t *kept; /* by term: the number of its column and 1 more */
  int64_t (*kept_columns)[DOMAIN_VALUES];
  uint32_t kept_room, kept_count, kept_column_room;
  uint64_t answers;
};

void domains_free(struct domains *domains);
uint64_t domains_bytes(const struct domains *domains);
/* The values of a term about one input of few values, ascending; returns how many there are, 0: it
 * is no such term, has too many terms, or there was no memory or no more time. */
uint32_t domains_values(struct knowledge *knowledge, term a, int64_t values[DOMAIN_VALUES]);
/* As quick_ask(), about facts that share inputs, with the values in knowledge->now. O(values tried
 * x terms), which is bounded. */
enum solver_answer domains_ask(struct knowledge *knowledge, const term *facts, uint32_t count,
                               uint32_t *core, uint32_t *core_count);

#endif
