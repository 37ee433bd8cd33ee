/* Programs of a size n, whose cost must not grow faster than they do; bench/growth measures it. */
#ifndef BENCH_GROWTH_H
#define BENCH_GROWTH_H

#include <stdbool.h>
#include <stdint.h>
#include <unfold/unfold.h>

/* Threads and objects are named in the order of their numbers, so that these are the handles. */
struct program {
  const char *name;
  /* Names what there is at the start, and starts threads. */
  unf_status (*name_all)(unf_unfolding *unfolding, uint32_t n);
  /* What a thread does as its step number `step`, from 0 on. */
  unf_status (*next)(unf_unfolding *unfolding, uint32_t n, uint32_t thread, uint32_t step,
                     unf_operation *out);
  uint32_t (*traces)(uint32_t n); /* NULL: not asked for */
};

/* NULL: there is none of this name. */
const struct program *program_find(const char *name);

#endif
