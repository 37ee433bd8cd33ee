/* The program's names, operations and actions as the library's. */
#ifndef MODEL_TRANSLATE_H
#define MODEL_TRANSLATE_H

#include "model.h"

/* Names all threads and objects. */
unf_status session_name_all(struct session *s);
/* What a started thread is about to do. */
unf_status session_operation(const struct session *s, const int64_t *state, uint32_t thread,
                             unf_operation *operation);
/* Whether an action can happen in a state. */
bool session_fits(const struct session *s, const int64_t *state, const unf_action *action);
/* The handle of a round of a barrier. */
unf_status session_round(const struct session *s, uint32_t barrier, int64_t round,
                         unf_object *object);

#endif
