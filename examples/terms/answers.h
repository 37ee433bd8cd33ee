/* Answers of the solver. */
#ifndef TERMS_ANSWERS_H
#define TERMS_ANSWERS_H

#include "knowledge.h"

/* Whether all of a set can be true together. Another set, or UINT32_MAX, has most of these facts.
 * NO, with core not NULL: that gets indices of facts of the set that exclude each other, as many as
 * *core_count, or none. */
enum solver_answer knowledge_look_up(struct knowledge *knowledge, uint32_t set, uint32_t like,
                                     uint32_t *core, uint32_t *core_count);

/* The set of those facts of a set that say something of inputs which are used, by number, or of
 * inputs that such facts join with them; the others can be left out, as long as they are known to
 * be true for some values: else it is the set itself. UINT32_MAX: no memory. */
uint32_t knowledge_about_used(struct knowledge *knowledge, uint32_t set, const bool *used);
/* The inputs that a term depends on: their number, and they; valid until the next. NULL: no memory.
 */
const uint32_t *knowledge_inputs(struct knowledge *knowledge, term a);
/* The values of a model for all inputs that there are now; valid until the next. NULL: no memory.
 */
const int64_t *knowledge_values(struct knowledge *knowledge, uint32_t model);
bool knowledge_holds(struct knowledge *knowledge, term fact, const int64_t *values);
void answers_free(struct answers *answers);
uint64_t answers_bytes(const struct answers *answers);

#endif
