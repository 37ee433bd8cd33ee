/*
 * Conflict-driven clause learning, as solvers for propositional logic do it: the answer is a value
 * for each variable that makes one literal of each clause true. What clauses cannot say well is
 * said by a theory.
 *
 *   unfi_solver_begin → unfi_solver_clause … → unfi_solver_search → literal_is_true …
 *
 * A literal is twice its variable, plus one if it is negated. All memory is reused by the next
 * search.
 */
#ifndef ALTERNATIVE_SOLVER_H
#define ALTERNATIVE_SOLVER_H

#include "base/vector.h"

struct theory {
  void *user;
  /* The variables that cannot be true together with one, as bits; NULL: there are none. Counts
   * steps. */
  const uint64_t *(*excluded)(void *user, uint32_t variable, uint64_t *steps);
  /* NULL: what is true so far goes together. Otherwise called for variables when they are true,
   * in this order; *admitted: the variable goes with those before it, and is one of them until it
   * is taken back; *matters: later ones may be refused because of it. */
  unf_status (*admit)(void *user, uint32_t variable, bool *admitted, bool *matters);
  void (*take_back)(void *user); /* the last one that was admitted */
};

/* A variable that the theory admitted. */
struct admitted {
  uint32_t variable;
  bool matters;
};

struct solver {
  unf_context *context;
  const struct theory *theory;
  uint32_t variables, level;
  uint32_t head;      /* of the trail: literals that were propagated */
  bool over;          /* the clauses cannot be satisfied, whatever is chosen */
  uint32_t learned;   /* clauses */
  uint32_t limit;     /* of them, from which on some are forgotten */
  uint32_t originals; /* where learned clauses begin */
  double weight;      /* of a failure now */
  /* By variable: level, and reason (see solver.c), while it has a value; place in the heap or NONE;
   * whether it was true when it last had a value. By level: scratch of counting them. */
  uint32_t *level_of, *reason, *place, *was_true, *stamp;
  uint32_t stamps;
  uint32_t *watches; /* by literal: a list of the clauses that watch it */
  VECTOR(uint32_t) numbers;
  VECTOR(int8_t) values;    /* by literal: 1 true, -1 false, 0 neither */
  VECTOR(uint8_t) seen;     /* by variable, in the analysis of a failure */
  VECTOR(double) weights;   /* by variable: how often, and how lately, it was part of a failure */
  VECTOR(uint32_t) heap;    /* variables, those without value among them, the heaviest first */
  VECTOR(uint32_t) clauses; /* records, one after the other, see clauses.c */
  VECTOR(uint32_t) trail;   /* true literals, in the order in which they became it */
  VECTOR(uint32_t) levels;  /* where each level begins in the trail */
  VECTOR(uint32_t) members; /* of a clause that is being made */
  VECTOR(uint32_t) open;    /* variables to be looked at */
  VECTOR(uint32_t) marked;  /* variables that were seen */
  VECTOR(struct admitted) admitted;
  uint32_t asked; /* how much of the trail the theory was asked about */
};

/* Begins with a number of variables and no clause. Returns false when refused. */
bool unfi_solver_begin(struct solver *s, unf_context *context, uint32_t variables,
                       const struct theory *theory);
/* Adds a clause of different literals, before the search. Returns false when refused. */
bool unfi_solver_clause(struct solver *s, const uint32_t *literals, uint32_t count);
/* Searches for an answer; counts decisions in *nodes. */
unf_status unfi_solver_search(struct solver *s, uint64_t *nodes, bool *found);
void unfi_solver_free(unf_context *context, struct solver *s);

static inline bool literal_is_true(const struct solver *s, uint32_t literal) {
  return s->values.data[literal] > 0;
}

#endif
