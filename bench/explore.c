/* unfold-bench-explore FAMILY A B [ALGORITHM [K [size|erv]]]: one exploration, one line of JSON. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "programs.h"

int main(int argc, char **argv) {
  struct program program;
  if (argc < 4 || !program_make(&program, argv[1], atoi(argv[2]), atoi(argv[3]))) {
    fprintf(stderr, "usage: %s disp|mpat|mpc|pi|pol A B [qpor|sdpor|dfs [K|optimal [size|erv]]]\n",
            argv[0]);
    return 2;
  }
  unf_explorer_options options = UNF_EXPLORER_OPTIONS_INIT;
  if (argc > 4 && strcmp(argv[4], "sdpor") == 0) options.algorithm = UNF_SDPOR;
  if (argc > 4 && strcmp(argv[4], "dfs") == 0) options.algorithm = UNF_DFS;
  if (argc > 5) options.alternative.k = (uint32_t)atoi(argv[5]);
  if (argc > 6) options.cutoffs = strcmp(argv[6], "erv") == 0 ? UNF_CUTOFFS_ERV : UNF_CUTOFFS_SIZE;
  unf_context *context;
  unf_unfolding *unfolding;
  struct binding binding;
  unf_counts counts;
  if (unf_context_new(NULL, &context) != UNF_OK) return 3;
  unf_status status = unf_unfolding_new(context, NULL, &unfolding);
  if (status == UNF_OK) status = program_bind(&program, unfolding, &binding);
  double begin = processor_time();
  if (status == UNF_OK) status = program_explore(&binding, &options, &counts);
  double seconds = processor_time() - begin;
  if (status != UNF_OK) {
    fprintf(stderr, "%s\n", unf_context_detail(context)->text);
    return 3;
  }
  const unf_alternative_statistics *a = &counts.alternatives;
  printf("{\"family\": \"%s\", \"a\": %s, \"b\": %s, \"algorithm\": \"%s\", \"k\": %u, \"traces\": "
         "%llu, \"redundant\": %llu, \"executions\": %llu, "
         "\"events\": %llu, \"known\": %llu, \"steps\": %llu, \"seconds\": %.6f, \"bytes\": %llu, "
         "\"searches\": %llu, \"found\": %llu, "
         "\"spikes\": %llu, \"read\": %llu, \"kept\": %llu, \"nodes\": %llu}\n",
         argv[1], argv[2], argv[3], argc > 4 ? argv[4] : "qpor", options.alternative.k,
         (unsigned long long)counts.traces, (unsigned long long)counts.redundant,
         (unsigned long long)counts.executions, (unsigned long long)counts.events,
         (unsigned long long)counts.extensions, (unsigned long long)counts.steps, seconds,
         (unsigned long long)unf_context_bytes(context), (unsigned long long)a->searches,
         (unsigned long long)a->found, (unsigned long long)a->spikes, (unsigned long long)a->read,
         (unsigned long long)a->kept, (unsigned long long)a->nodes);
  unf_unfolding_free(unfolding);
  unf_context_free(context);
  program_free(&program);
  return 0;
}
