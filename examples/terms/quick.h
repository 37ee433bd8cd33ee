/*
 * What can be said of facts without the solver: that they exclude each other, because the values
 * that terms can have follow from them and are none; or values of the inputs that make them true,
 * found from others by changing some. Neither is complete; what is left is for the solver. The
 * answer depends on the facts and on the values that are given, and on nothing else.
 */
#ifndef TERMS_QUICK_H
#define TERMS_QUICK_H

#include "term_list.h"
#include "solver.h"

/* Values that a term can have under the facts. */
struct quick_range {
  int64_t low, high;
};

struct quick {
  struct term_list terms;     /* of the facts of the question */
  struct quick_range *ranges; /* by term; of those that are listed */
  uint32_t range_room;
};

void quick_free(struct quick *quick);

/*
 * Values of the inputs come in, and those that make the facts true go out with YES. NO, with core
 * not NULL: that gets indices of some that exclude each other, *core_count of them. UNKNOWN: it
 * cannot say, or there was no memory.
 */
enum solver_answer quick_ask(struct quick *quick, struct terms *terms, const term *facts,
                             uint32_t count, int64_t *values, uint32_t *core, uint32_t *core_count);

#endif
