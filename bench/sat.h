/*
 * Random 3-SAT instances as searches for an alternative, in the manner of the proof of Theorem 4 of
 * the CAV 2018 paper.
 *
 * The program behind it: for each variable a mutex that a thread "true" and a thread "false"
 * compete for; whoever is first decides the variable. For each clause and each of its three
 * literals a thread that joins the thread of the literal's side and then takes the mutex of the
 * clause before the clause's own thread does. D has the clauses' own acquires; an event in conflict
 * with one of them exists for each literal, and two such events are in conflict when their literals
 * contradict each other. So D has an alternative exactly if the instance can be satisfied.
 */
#ifndef BENCH_SAT_H
#define BENCH_SAT_H

#include <unfold/unfold.h>

enum { SAT_VARIABLES = 200, SAT_CLAUSES = 900 };

struct sat {
  unsigned variables, clauses;
  int literal[SAT_CLAUSES][3]; /* variable + 1, negative if negated */
};

/* Draws the clauses, each of three variables. */
void sat_draw(struct sat *sat, uint64_t seed);

/* A second opinion, by trying values: for instances of up to some 50 variables. */
bool sat_satisfiable(const struct sat *sat);

struct sat_encoding {
  unf_event U[3 * SAT_CLAUSES], D[SAT_CLAUSES];
};

/* Performs the events in a configuration of an unfolding that has no names yet; what is in it after
 * that means nothing. */
unf_status sat_encode(const struct sat *sat, unf_unfolding *unfolding, unf_configuration *scratch,
                      struct sat_encoding *encoding);

#endif
