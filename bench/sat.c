#include "sat.h"

#include <stdlib.h>

#include "../src/base/random.h"

void sat_draw(struct sat *in, uint64_t seed) {
  for (unsigned c = 0; c < in->clauses; c++)
    for (unsigned l = 0; l < 3; l++) {
      bool fresh;
      do {
        uint64_t r = splitmix64(&seed);
        int variable = (int)(r % in->variables) + 1;
        in->literal[c][l] = r >> 63 ? -variable : variable;
        fresh = true;
        for (unsigned k = 0; k < l; k++)
          fresh = fresh && abs(in->literal[c][k]) != variable;
      } while (!fresh);
    }
}

/* ---- trying values ---- */

/* How many literals of a clause are undecided, and one of them; -1 if the clause is satisfied. */
static int undecided(const int clause[3], const int8_t *value, int *which) {
  int count = 0;
  for (unsigned l = 0; l < 3; l++) {
    int v = value[abs(clause[l]) - 1];
    if (v == 0) {
      *which = clause[l];
      count++;
    } else if ((v > 0) == (clause[l] > 0)) {
      return -1;
    }
  }
  return count;
}

/* Decides a literal of the clause with the fewest undecided ones, so that what is forced comes
 * first. */
static bool can_be_completed(const struct sat *in, int8_t *value) {
  int fewest = 4, literal = 0;
  for (unsigned c = 0; c < in->clauses; c++) {
    int which = 0, count = undecided(in->literal[c], value, &which);
    if (count == 0) return false;
    if (count > 0 && count < fewest) {
      fewest = count;
      literal = which;
    }
  }
  if (literal == 0) return true;
  int8_t *decided = &value[abs(literal) - 1];
  for (int side = 1; side >= -1; side -= 2) {
    *decided = (int8_t)(literal > 0 ? side : -side);
    if (can_be_completed(in, value)) return true;
  }
  *decided = 0;
  return false;
}

bool sat_satisfiable(const struct sat *in) {
  int8_t value[SAT_VARIABLES] = {0};
  return can_be_completed(in, value);
}

/* ---- events ---- */

/* The event of a thread that takes a mutex after what is in the configuration. */
static unf_status acquire(unf_configuration *c, unf_thread thread, unf_object mutex,
                          unf_event *event) {
  return unf_configuration_perform(c, &(unf_action){UNF_DID_ACQUIRE, thread, mutex, 0, 0}, event);
}

/* Threads and mutexes, which exist from the start: their handles are consecutive. */
static unf_status name_all(const struct sat *in, unf_unfolding *u, unf_thread *threads,
                           unf_object *mutexes) {
  const unsigned count = 2 * in->variables + 4 * in->clauses;
  unf_status status = UNF_OK;
  for (unsigned i = 0; status == UNF_OK && i < count; i++) {
    unf_thread t;
    status = unf_thread_name(u, UNF_THREAD_NONE, i, &t);
    if (status == UNF_OK) status = unf_thread_start(u, t);
    if (i == 0) *threads = t;
  }
  for (unsigned i = 0; status == UNF_OK && i < in->clauses + in->variables; i++) {
    unf_object m;
    status = unf_object_name(u, UNF_MUTEX, UNF_THREAD_NONE, i, &m);
    if (i == 0) *mutexes = m;
  }
  return status;
}

/* A literal's thread joins the thread of the variable's side, which ended after it took the
 * variable's mutex; joins do not exclude each other. */
static unf_status encode_literal(int literal, unf_configuration *c, unf_thread sides,
                                 unf_object variables, unf_thread own, unf_object clause,
                                 unf_event *event) {
  const unsigned variable = (unsigned)abs(literal) - 1;
  const unf_thread side = sides + 2 * variable + (literal > 0);
  const unf_operation end = UNF_OP_EXIT();
  unf_configuration_clear(c);
  unf_status status = acquire(c, side, variables + variable, NULL);
  if (status == UNF_OK) status = unf_configuration_offer(c, side, &end);
  if (status == UNF_OK)
    status = unf_configuration_perform(c, &(unf_action){UNF_DID_JOIN, own, side, 0, 0}, NULL);
  return status == UNF_OK ? acquire(c, own, clause, event) : status;
}

unf_status sat_encode(const struct sat *in, unf_unfolding *u, unf_configuration *c,
                      struct sat_encoding *e) {
  unf_thread threads = 0;
  unf_object mutexes = 0;
  unf_status status = name_all(in, u, &threads, &mutexes);
  for (unsigned i = 0; status == UNF_OK && i < in->clauses; i++) {
    const unf_thread own = threads + 2 * in->variables + 4 * i;
    unf_configuration_clear(c);
    status = acquire(c, own, mutexes + i, &e->D[i]);
    for (unsigned l = 0; status == UNF_OK && l < 3; l++)
      status = encode_literal(in->literal[i][l], c, threads, mutexes + in->clauses, own + 1 + l,
                              mutexes + i, &e->U[3 * i + l]);
  }
  unf_configuration_clear(c);
  return status;
}
