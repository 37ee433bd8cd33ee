/* unfold-bench-explore FAMILY A B [ALGORITHM [K [WORD [RUNS]]]]: one exploration, of so many runs
 * at most, one line of JSON. The word is an order of cutoffs or of the search, "collect", "probes",
 * or "restart": every execution is performed from its beginning, as by an engine without
 * checkpoints. Bytes are the most that the library had. States of the program are not kept, so that
 * in orders other than depth-first its steps are performed again. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "programs.h"

/* The word at the end of the command line; false: it is none. */
static bool read_word(const char *word, unf_explorer_options *options) {
  if (unf_order_from_text(word, &options->order) == UNF_OK ||
      unf_cutoff_order_from_text(word, &options->cutoffs) == UNF_OK)
    return true;
  if (strcmp(word, "collect") == 0) options->collect = 10000;
  if (strcmp(word, "probes") == 0) options->probes = 2;
  return options->collect > 0 || options->probes > 0 || strcmp(word, "restart") == 0;
}

struct memory {
  size_t now, most;
};

static void *reallocate(void *user, void *block, size_t old_size, size_t new_size) {
  struct memory *m = user;
  void *result = NULL;
  if (new_size > 0)
    result = realloc(block, new_size);
  else
    free(block);
  if (new_size > 0 && result == NULL) return NULL;
  m->now += new_size - old_size;
  if (m->now > m->most) m->most = m->now;
  return result;
}

int main(int argc, char **argv) {
  struct program program;
  unf_explorer_options options = UNF_EXPLORER_OPTIONS_INIT;
  bool known = (argc <= 4 || unf_algorithm_from_text(argv[4], &options.algorithm) == UNF_OK) &&
               (argc <= 6 || read_word(argv[6], &options));
  if (argc < 4 || !known || !program_make(&program, argv[1], atoi(argv[2]), atoi(argv[3]))) {
    fprintf(stderr,
            "usage: %s disp|mpat|mpc|pi|pol|tiny A B [qpor|sdpor|dfs|odpor|eager [K|optimal "
            "[size|erv|dfs|bfs|random|deepest-first|collect|probes|restart [RUNS]]]]\n",
            argv[0]);
    return 2;
  }
  if (argc > 5) options.alternative.k = (uint32_t)atoi(argv[5]);
  unf_context *context;
  unf_unfolding *unfolding;
  struct binding binding;
  unf_counts counts;
  struct memory memory = {0, 0};
  unf_context_options settings = UNF_CONTEXT_OPTIONS_INIT;
  settings.allocator.reallocate = reallocate;
  settings.allocator.user = &memory;
  if (argc > 7) settings.limits.runs = strtoull(argv[7], NULL, 10);
  if (unf_context_new(&settings, &context) != UNF_OK) return 3;
  unf_status status = unf_unfolding_new(context, NULL, &unfolding);
  if (status == UNF_OK) status = program_bind(&program, unfolding, &binding);
  binding.restarts = argc > 6 && strcmp(argv[6], "restart") == 0;
  double begin = processor_time();
  if (status == UNF_OK) status = program_explore(&binding, &options, &counts);
  double seconds = processor_time() - begin;
  if (status == UNF_LIMIT && argc > 7) status = UNF_OK;
  if (status != UNF_OK) {
    fprintf(stderr, "%s\n", unf_context_detail(context)->text);
    return 3;
  }
  const unf_alternative_statistics *a = &counts.alternatives;
  printf("{\"family\": \"%s\", \"a\": %s, \"b\": %s, \"algorithm\": \"%s\", \"k\": %u, \"order\": "
         "\"%s\", \"traces\": %llu, \"redundant\": %llu, \"executions\": %llu, "
         "\"events\": %llu, \"known\": %llu, \"steps\": %llu, \"collections\": %llu, "
         "\"collected\": %llu, \"seconds\": %.6f, \"bytes\": %llu, "
         "\"searches\": %llu, \"found\": %llu, "
         "\"spikes\": %llu, \"read\": %llu, \"kept\": %llu, \"nodes\": %llu}\n",
         argv[1], argv[2], argv[3], unf_algorithm_text(options.algorithm), options.alternative.k,
         unf_order_text(options.order), (unsigned long long)counts.traces,
         (unsigned long long)counts.redundant, (unsigned long long)counts.executions,
         (unsigned long long)counts.events, (unsigned long long)counts.extensions,
         (unsigned long long)counts.steps, (unsigned long long)counts.collections,
         (unsigned long long)counts.collected, seconds, (unsigned long long)memory.most,
         (unsigned long long)a->searches, (unsigned long long)a->found,
         (unsigned long long)a->spikes, (unsigned long long)a->read, (unsigned long long)a->kept,
         (unsigned long long)a->nodes);
  unf_unfolding_free(unfolding);
  unf_context_free(context);
  program_free(&program);
  return 0;
}
