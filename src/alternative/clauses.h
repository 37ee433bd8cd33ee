/* The clauses of a solver, and the values that follow from them. */
#ifndef ALTERNATIVE_CLAUSES_H
#define ALTERNATIVE_CLAUSES_H

#include <stddef.h>

#include "alternative/solver.h"
#include "structure/unfolding.h"

/* A record of `clauses`: how many literals; of how many levels they were when it was learned, with
 * USED if it was a reason since some were forgotten last; where each of the two lists goes on that
 * it is in (a link: twice the record, plus which of its watches); and the literals, the watched
 * ones first. */
enum { CLAUSE_COUNT, CLAUSE_SPREAD, CLAUSE_NEXT, CLAUSE_LITERALS = CLAUSE_NEXT + 2 };
#define USED 0x80000000u

/* Why a literal is true: nothing, a clause all of whose others are false, or another literal, which
 * a theory says excludes its negation. */
#define BY_DECISION         0u
#define BY_CLAUSE(record)   (2 * (record))
#define BY_LITERAL(literal) (2 * (literal) + 1)

/* A literal that is false, though there is a reason for it to be true; NONE: there is none. */
struct failure {
  uint32_t literal, reason;
};

static inline void solver_assign(struct solver *s, uint32_t literal, uint32_t reason) {
  s->values.data[literal] = 1;
  s->values.data[literal ^ 1] = -1;
  s->level_of[literal / 2] = s->level;
  s->reason[literal / 2] = reason;
  vector_push(&s->trail, literal);
}

/* Keeps a clause of two literals or more, of which the first two are watched. Returns 0 when
 * refused. */
uint32_t unfi_clause_keep(struct solver *s, const uint32_t *literals, uint32_t count,
                          uint32_t spread);
/* Drops learned clauses, half of them at most. At level 0, where no reason is asked for. */
void unfi_clauses_forget(struct solver *s);
/* Finds what follows from the trail; counts steps. */
struct failure unfi_clauses_propagate(struct solver *s, uint64_t *steps);

#endif
