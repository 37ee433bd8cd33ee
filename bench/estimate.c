/* unfold-bench-estimate [PROBES [SEEDS]]: how near the estimate of all traces is to their
 * number, one line of JSON for each program: the estimate and its standard error with the first
 * seed, the tenth, fiftieth and ninetieth percentile of all seeds in parts of the truth, and
 * what a probe costs. */
#include <stdio.h>
#include <stdlib.h>

#include "clock.h"
#include "programs.h"

static const struct {
  const char *family;
  int a, b;
  double traces;
} rows[] = {{"pi", 7, 0, 5040},    {"mpat", 4, 0, 384},   {"mpat", 6, 0, 46080},
            {"disp", 5, 3, 1482},  {"disp", 5, 4, 15282}, {"mpc", 3, 5, 2958},
            {"mpc", 4, 5, 314064}, {"pol", 7, 3, 2440},   {"pol", 12, 3, 12940}};

static int ascending(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* With an unfolding of its own, because nothing is to be known before. */
static unf_status estimate(const struct program *program, uint64_t seed, uint64_t probes,
                           unf_estimate *out) {
  unf_context *context;
  unf_unfolding *unfolding;
  struct binding binding;
  unf_status status = unf_context_new(NULL, &context);
  if (status != UNF_OK) return status;
  status = unf_unfolding_new(context, NULL, &unfolding);
  if (status == UNF_OK) status = program_bind(program, unfolding, &binding);
  if (status == UNF_OK) status = program_estimate(&binding, seed, probes, out);
  unf_unfolding_free(unfolding);
  unf_context_free(context);
  return status;
}

int main(int argc, char **argv) {
  uint64_t probes = argc > 1 ? strtoull(argv[1], NULL, 10) : 100;
  uint64_t seeds = argc > 2 ? strtoull(argv[2], NULL, 10) : 20;
  double *found = seeds > 0 ? calloc(seeds, sizeof *found) : NULL;
  if (found == NULL || probes < 2) return 2;
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    struct program program;
    unf_estimate first = {0}, e;
    if (!program_make(&program, rows[i].family, rows[i].a, rows[i].b)) return 2;
    double begin = processor_time();
    for (uint64_t seed = 0; seed < seeds; seed++) {
      if (estimate(&program, seed, probes, &e) != UNF_OK) return 3;
      found[seed] = e.left / rows[i].traces;
      if (seed == 0) first = e;
    }
    double seconds = (processor_time() - begin) / (double)(seeds * probes);
    qsort(found, seeds, sizeof *found, ascending);
    printf("{\"family\": \"%s\", \"a\": %d, \"b\": %d, \"traces\": %.0f, \"probes\": %llu, "
           "\"estimate\": %.0f, \"error\": %.0f, \"p10\": %.2f, \"p50\": %.2f, \"p90\": %.2f, "
           "\"microseconds\": %.1f}\n",
           rows[i].family, rows[i].a, rows[i].b, rows[i].traces, (unsigned long long)probes,
           first.left, first.error, found[seeds / 10], found[seeds / 2],
           found[seeds - 1 - seeds / 10], 1e6 * seconds);
    program_free(&program);
  }
  free(found);
  return 0;
}
