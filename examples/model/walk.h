/* An execution whose steps somebody else chooses. */
#ifndef MODEL_WALK_H
#define MODEL_WALK_H

#include "model.h"

/* Whether an execution that came to a state has ended there. */
bool session_ended(const struct session *s, const int64_t *state);
struct walk {
  struct session *session;
  unf_configuration *events;
  bool wrong; /* a run-time error ended it */
  struct problem problem;
  bool whole;          /* at its end: it came to the end of the execution */
  unf_verdict verdict; /* then, unless it is wrong */
};
/* False: a limit, or no memory. */
bool walk_begin(struct walk *walk);
/* Performs an action that fits. *happened (may be NULL) is its event. False: as above. */
bool walk_step(struct walk *walk, const unf_action *action, unf_event *happened);
/* Lists what is wrong with it; of one that is not whole, what is so whatever follows. False: as
 * above. */
bool walk_end(struct walk *walk);

#endif
