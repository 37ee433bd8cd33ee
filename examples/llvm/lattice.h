/* Numbers that the values of a term are among, as its operators and its range show. */
#ifndef LLVM_LATTICE_H
#define LLVM_LATTICE_H

#include <stdbool.h>
#include <stdint.h>

#include "terms.h"

/* Numbers that lie so far apart, of which this is one; a stride of 0 is that one alone. From the
 * base on, which can be below 0, they go so far; SPAN_ALL: in both directions, without an end, and
 * around, so that the stride is a power of two. */
struct lattice {
  uint64_t base, stride, span;
};
#define SPAN_ALL UINT64_MAX
/* A span below this has an end that is of use. */
#define SPAN_SMALL (UINT64_C(1) << 40)

/* Those of all terms so far, by handle; each is found from those of its arguments, once. */
struct lattices {
  struct lattice *list;
  uint32_t count, room;
};
void lattices_free(struct lattices *lattices);
/* O(terms made since the last call). False: no memory. */
bool lattice_of(struct lattices *lattices, const struct terms *terms, term a, struct lattice *out);
/* As lattice_of(), without what is outside of the range of the term. */
bool lattice_in_range(struct lattices *lattices, const struct terms *terms, term a,
                      struct lattice *out);

#endif
