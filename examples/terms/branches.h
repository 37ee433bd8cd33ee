/*
 * Branches: what a thread can do next where that depends on inputs, as a list of outcomes. Each
 * list is kept once, so that a thread which comes to a branch again offers the same one again.
 */
#ifndef TERMS_BRANCHES_H
#define TERMS_BRANCHES_H

#include "terms.h"

/* One way to go on. What is beside the fact is for the interpreter that lists it. */
struct outcome {
  term fact;         /* holds exactly for the inputs that go this way */
  int64_t value;     /* of an index or a bound: what it is */
  uint32_t position; /* of an error: where */
  uint32_t error;    /* and which one */
};

/* Outcomes while they are collected. */
struct outcomes {
  struct outcome *items;
  size_t count, room;
};

/* False: no memory. */
bool outcomes_append(struct outcomes *list, struct outcome outcome);

/* The outcomes of a branch. The same ones in the same order are the same branch. */
struct branch {
  uint32_t first, count; /* in branches.outcomes */
  uint32_t next;         /* branch of the same hash, and 1 more; or 0 */
};

struct branches {
  struct outcome *outcomes;
  uint32_t outcome_count, outcome_room;
  struct branch *items;
  uint32_t count, room;
  uint32_t *table; /* by hash: a branch and 1 more, or 0 */
  uint32_t table_room;
};

/* UINT32_MAX: no memory. */
uint32_t branches_intern(struct branches *branches, const struct outcome *outcomes, uint32_t count);
void branches_free(struct branches *branches);
uint64_t branches_bytes(const struct branches *branches);
static inline const struct outcome *branches_outcomes(const struct branches *b, uint32_t branch) {
  return b->outcomes + b->items[branch].first;
}

/* What may be so, after what a thread did, of which it knows; REFUSED: no memory. */
enum possible { POSSIBLE_NO, POSSIBLE_YES, POSSIBLE_UNKNOWN, POSSIBLE_REFUSED };

/* Says whether a fact is possible there. With YES *value has what the second term is for some such
 * inputs, if value is not NULL. */
typedef enum possible possible_function(void *user, term fact, term wanted, int64_t *value);

enum { OUTCOMES_OPEN = -1, OUTCOMES_REFUSED = -2 };

/* The only outcome of a list that is possible, or one of these. Where none is possible the history
 * is not either, which the solver did not know before: that is OPEN. */
int64_t outcomes_only(const struct terms *terms, const struct outcomes *list,
                      possible_function *possible, void *user);

/* Whether all values were found; there are more than asked for, or may be; no memory. */
enum outcomes_found { OUTCOMES_ALL, OUTCOMES_MORE, OUTCOMES_MAYBE_MORE, OUTCOMES_NO_MEMORY };

/* Lists values of a term that are possible between two numbers, as outcomes, ascending, and not
 * more than `most`. O(values) questions, each of which is as large as the term. */
enum outcomes_found outcomes_values(struct terms *terms, struct outcomes *list, term a, int64_t low,
                                    int64_t high, uint64_t most, possible_function *possible,
                                    void *user);

#endif
