/* Numbers that the values of a term are among, as its operators and its range show. */
#ifndef LLVM_LATTICE_H
#define LLVM_LATTICE_H

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

struct lattice lattice_of(const struct terms *terms, term a);
/* As lattice_of(), without what is outside of the range of the term. */
struct lattice lattice_in_range(const struct terms *terms, term a);

#endif
