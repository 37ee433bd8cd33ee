/*
 * unfold-bench-combs VARIABLES CLAUSES SEED: an optimal alternative for a random 3-SAT instance
 * (sat.h), one line of JSON. It has one exactly if the instance can be satisfied, which a second
 * opinion checks: CaDiCaL, which is timed in the same run, or where it is missing a backtracking
 * solver.
 */
#include <stdio.h>
#include <stdlib.h>

#ifdef HAVE_CADICAL
#include <ccadical.h>
#endif

#include "clock.h"
#include "sat.h"

#ifdef HAVE_CADICAL

static bool satisfiable(const struct sat *in) {
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

static bool satisfiable(const struct sat *in) {
  return sat_satisfiable(in);
}

#endif

static void check(unf_status status, const unf_context *context) {
  if (status == UNF_OK) return;
  fprintf(stderr, "%s\n",
          context != NULL ? unf_context_detail(context)->text : unf_status_text(status));
  exit(3);
}

int main(int argc, char **argv) {
  static struct sat in;
  static struct sat_encoding e;
  unf_context *context;
  unf_unfolding *unfolding;
  unf_configuration *C, *J;
  in.variables = argc > 1 ? (unsigned)atoi(argv[1]) : 0;
  in.clauses = argc > 2 ? (unsigned)atoi(argv[2]) : 0;
  if (argc < 4 || in.variables < 3 || in.variables > SAT_VARIABLES || in.clauses < 1 ||
      in.clauses > SAT_CLAUSES) {
    fprintf(stderr, "usage: %s VARIABLES(3-%d) CLAUSES(1-%d) SEED\n", argv[0], SAT_VARIABLES,
            SAT_CLAUSES);
    return 2;
  }
  sat_draw(&in, strtoull(argv[3], NULL, 10));
  check(unf_context_new(NULL, &context), NULL);
  check(unf_unfolding_new(context, NULL, &unfolding), context);
  check(unf_configuration_new(unfolding, &C), context);
  check(unf_configuration_new(unfolding, &J), context);
  check(sat_encode(&in, unfolding, C, &e), context);
  unf_alternative_statistics statistics = {0};
  bool found;
  double start = processor_time();
  check(unf_alternative_find(unfolding, e.U, 3 * in.clauses, C, e.D, in.clauses, NULL, &found, J,
                             &statistics),
        context);
  double seconds = processor_time() - start;
  start = processor_time();
  bool expected = satisfiable(&in);
  double solver = processor_time() - start;
  printf("{\"variables\": %u, \"clauses\": %u, \"seed\": %s, \"found\": %s, \"expected\": %s, "
         "\"seconds\": %.6f, \"solver_seconds\": %.6f, \"nodes\": %llu, \"kept\": %llu}\n",
         in.variables, in.clauses, argv[3], found ? "true" : "false", expected ? "true" : "false",
         seconds, solver, (unsigned long long)statistics.nodes,
         (unsigned long long)statistics.kept);
  unf_configuration_free(C);
  unf_configuration_free(J);
  unf_unfolding_free(unfolding);
  unf_context_free(context);
  return found == expected ? 0 : 1;
}
