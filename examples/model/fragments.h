/* States as fragments, for explorations with cutoffs. */
#ifndef MODEL_FRAGMENTS_H
#define MODEL_FRAGMENTS_H

#include "model.h"

/* Whether this build has the hash for states that the options ask for. */
bool session_can_hash(const struct session *s);
/* Reports to an explorer with cutoffs what its last step, this action, changed. */
unf_status session_changed(struct session *s, unf_explorer *explorer, const unf_action *action);

#endif
