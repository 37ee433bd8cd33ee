/*
 * unfold-bench-combs VARIABLES CLAUSES SEED: an optimal alternative for a random 3-SAT instance in
 * the manner of the proof of Theorem 4 of the CAV 2018 paper, one line of JSON.
 *
 * The program behind it: for each variable a mutex that a thread "true" and a thread "false"
 * compete for; whoever is first decides the variable. For each clause and each of its three
 * literals a thread that joins the thread of the literal's side and then takes the mutex of the
 * clause before the clause's own thread does. D has the clauses' own acquires; an event in conflict
 * with one of them exists for each literal, and two such events are in conflict when their literals
 * contradict each other. So D has an alternative exactly if the instance can be satisfied, which a
 * second opinion checks: CaDiCaL, which is timed in the same run, or where it is missing a
 * backtracking solver.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef HAVE_CADICAL
#include <ccadical.h>
#endif

#include "clock.h"
#include "workload.h"

enum { MOST_VARIABLES = 200, MOST_CLAUSES = 900 };

struct instance {
  unsigned variables, clauses;
  int literal[MOST_CLAUSES][3]; /* variable + 1, negative if negated */
};

static void draw(struct instance *in, uint64_t seed) {
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

#ifdef HAVE_CADICAL

static bool satisfiable(const struct instance *in) {
  CCaDiCaL *solver = ccadical_init();
  for (unsigned c = 0; c < in->clauses; c++) {
    for (unsigned l = 0; l < 3; l++)
      ccadical_add(solver, in->literal[c][l]);
    ccadical_add(solver, 0);
  }
  bool answer = ccadical_solve(solver) == 10;
  ccadical_release(solver);
  return answer;
}

#else

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
static bool can_be_completed(const struct instance *in, int8_t *value) {
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

static bool satisfiable(const struct instance *in) {
  int8_t value[MOST_VARIABLES] = {0};
  return can_be_completed(in, value);
}

#endif

static void check(unf_status status, const unf_context *context) {
  if (status == UNF_OK) return;
  fprintf(stderr, "%s\n",
          context != NULL ? unf_context_detail(context)->text : unf_status_text(status));
  exit(3);
}

/* The event of a thread that takes a mutex after the events given, which have run. */
static unf_event acquire(unf_configuration *c, unf_thread thread, unf_object mutex,
                         unf_context *context) {
  unf_action action = {UNF_DID_ACQUIRE, thread, mutex, 0, 0};
  unf_event event;
  check(unf_configuration_perform(c, &action, &event), context);
  return event;
}

struct encoding {
  unf_context *context;
  unf_unfolding *unfolding;
  unf_configuration *C, *past;
  unf_event U[3 * MOST_CLAUSES], D[MOST_CLAUSES];
  unsigned U_count;
};

/* Thread number n, and the mutex number n; both exist from the start. */
static unf_thread thread(struct encoding *e, unsigned n) {
  unf_thread t;
  check(unf_thread_name(e->unfolding, UNF_THREAD_NONE, n, &t), e->context);
  check(unf_thread_start(e->unfolding, t), e->context);
  return t;
}

static unf_object mutex(struct encoding *e, unsigned n) {
  unf_object m;
  check(unf_object_name(e->unfolding, UNF_MUTEX, UNF_THREAD_NONE, n, &m), e->context);
  return m;
}

/* A literal's thread joins the thread of the variable's side, which ended after it took the
 * variable's mutex; joins do not exclude each other. */
static void encode(struct encoding *e, const struct instance *in) {
  unsigned clauses = in->clauses, threads = 2 * in->variables + 4 * clauses;
  unf_operation end = UNF_OP_EXIT();
  for (unsigned t = 0; t < threads; t++)
    thread(e, t);
  for (unsigned c = 0; c < clauses; c++) {
    unf_object clause = mutex(e, c);
    unf_configuration_clear(e->past);
    e->D[c] = acquire(e->past, 2 * in->variables + 4 * c, clause, e->context);
    for (unsigned l = 0; l < 3; l++) {
      int literal = in->literal[c][l];
      unsigned variable = (unsigned)abs(literal) - 1;
      unf_thread side = 2 * variable + (literal > 0), own = 2 * in->variables + 4 * c + 1 + l;
      unf_configuration_clear(e->past);
      acquire(e->past, side, mutex(e, clauses + variable), e->context);
      check(unf_configuration_offer(e->past, side, &end), e->context);
      check(unf_configuration_perform(e->past, &(unf_action){UNF_DID_JOIN, own, side, 0, 0}, NULL),
            e->context);
      e->U[e->U_count++] = acquire(e->past, own, clause, e->context);
    }
  }
}

int main(int argc, char **argv) {
  static struct instance in;
  static struct encoding e;
  in.variables = argc > 1 ? (unsigned)atoi(argv[1]) : 0;
  in.clauses = argc > 2 ? (unsigned)atoi(argv[2]) : 0;
  if (argc < 4 || in.variables < 3 || in.variables > MOST_VARIABLES || in.clauses < 1 ||
      in.clauses > MOST_CLAUSES) {
    fprintf(stderr, "usage: %s VARIABLES(3-%d) CLAUSES(1-%d) SEED\n", argv[0], MOST_VARIABLES,
            MOST_CLAUSES);
    return 2;
  }
  draw(&in, strtoull(argv[3], NULL, 10));
  check(unf_context_new(NULL, &e.context), NULL);
  check(unf_unfolding_new(e.context, NULL, &e.unfolding), e.context);
  check(unf_configuration_new(e.unfolding, &e.past), e.context);
  check(unf_configuration_new(e.unfolding, &e.C), e.context);
  encode(&e, &in);
  unf_alternative_statistics statistics = {0};
  bool found;
  double start = processor_time();
  check(unf_alternative_find(e.unfolding, e.U, e.U_count, e.C, e.D, in.clauses, NULL, &found,
                             e.past, &statistics),
        e.context);
  double seconds = processor_time() - start;
  start = processor_time();
  bool expected = satisfiable(&in);
  double solver = processor_time() - start;
  printf("{\"variables\": %u, \"clauses\": %u, \"seed\": %s, \"found\": %s, \"expected\": %s, "
         "\"seconds\": %.6f, \"solver_seconds\": %.6f, \"nodes\": %llu, \"kept\": %llu}\n",
         in.variables, in.clauses, argv[3], found ? "true" : "false", expected ? "true" : "false",
         seconds, solver, (unsigned long long)statistics.nodes, (unsigned long long)statistics.kept);
  unf_configuration_free(e.C);
  unf_configuration_free(e.past);
  unf_unfolding_free(e.unfolding);
  unf_context_free(e.context);
  return found == expected ? 0 : 1;
}
