/* States of the run at hand. A step copies the state before it, so that an exploration goes back to
 * any step without running anything. */
#include "model.h"

#include <stdlib.h>
#include <string.h>

const char *session_name(const struct session *s) {
  const char *slash = strrchr(s->shown, '/');
  return slash != NULL ? slash + 1 : s->shown;
}

bool session_extend(struct session *s, uint64_t steps) {
  size_t size = s->machine.words * sizeof *s->states;
  if (steps >= s->room) {
    uint64_t room = 2 * steps + 16;
    if (size > 0 && room > SIZE_MAX / size) return false;
    /* One word more, so that a program without any state has an array too. */
    int64_t *states = realloc(s->states, (size_t)room * size + sizeof *states);
    if (states == NULL) return false;
    s->states = states;
    s->room = room;
  }
  if (steps > 0) memcpy(session_state(s, steps), session_state(s, steps - 1), size);
  return true;
}

bool session_restore(struct session *s, uint64_t steps, const struct checkpoint *kept) {
  struct journal *j = &s->checkpoints.journal;
  if (!session_extend(s, steps)) return false;
  if (kept->journal.count > j->room) {
    struct entry *entries = realloc(j->entries, kept->journal.count * sizeof *entries);
    if (entries == NULL) return false;
    j->entries = entries;
    j->room = kept->journal.count;
  }
  j->count = kept->journal.count;
  if (j->count > 0) memcpy(j->entries, kept->journal.entries, j->count * sizeof *j->entries);
  if (s->machine.words > 0)
    memcpy(session_state(s, steps), kept->state, s->machine.words * sizeof *s->states);
  return true;
}

bool session_begin(struct session *s, struct problem *problem) {
  int64_t *state = session_state(s, 0);
  machine_begin(&s->machine, state);
  for (uint32_t t = 0; t < s->program.count[SYMBOL_THREAD]; t++) {
    problem->thread = t;
    if (machine_initial(&s->machine, t) && !machine_settle(&s->machine, state, t, problem))
      return false;
  }
  return true;
}

int64_t session_result(const unf_action *action) {
  switch (action->kind) {
  case UNF_DID_LOCAL:
  case UNF_DID_SIGNAL:
    return action->value;
  case UNF_DID_TRYFAIL:
  case UNF_DID_RDFAIL:
  case UNF_DID_WRFAIL:
  case UNF_DID_SEM_FAIL:
    return 0;
  default:
    return 1;
  }
}

bool session_perform(struct session *s, int64_t *state, const unf_action *action,
                     struct problem *problem) {
  problem->thread = action->thread;
  if (machine_fails(&s->machine, state, action->thread, problem)) return false;
  machine_perform(&s->machine, state, action->thread, session_result(action));
  if (!machine_settle(&s->machine, state, action->thread, problem)) return false;
  if (action->kind != UNF_DID_CREATE) return true;
  problem->thread = action->target;
  return machine_settle(&s->machine, state, action->target, problem);
}
