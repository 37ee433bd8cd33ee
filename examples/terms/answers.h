/* Answers of the solver. */
#ifndef TERMS_ANSWERS_H
#define TERMS_ANSWERS_H

#include "knowledge.h"

/* Whether all of a set can be true together. Another set, or UINT32_MAX, has most of these facts.
 * NO, with core not NULL: that gets facts of the set that exclude each other, as many as
 * *core_count, or none. */
enum solver_answer knowledge_look_up(struct knowledge *knowledge, uint32_t set, uint32_t like,
                                     term *core, uint32_t *core_count);
/* The values of a model for all inputs that there are now; valid until the next. NULL: no memory.
 */
const int64_t *knowledge_values(struct knowledge *knowledge, uint32_t model);
/* The value of a term in a model. False: no memory. */
bool answers_evaluate(struct knowledge *knowledge, uint32_t model, term a, int64_t *value);
/* Whether a fact is true in a model; not if there is no memory. */
bool answers_hold(struct knowledge *knowledge, uint32_t model, term fact);
void answers_free(struct answers *answers);
uint64_t answers_bytes(const struct answers *answers);

#endif
