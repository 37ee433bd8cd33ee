/*
 * An execution step by step, where somebody else says which step is next. The machine alone decides
 * whether a step fits, since it knows for each thread what that is about to do and whether it can.
 */
#include "walk.h"

#include "describe.h"
#include "objects.h"
#include "races.h"
#include "states.h"
#include "translate.h"

/* Says what a thread is about to do. */
static bool offer(const struct walk *w, uint32_t thread) {
  unf_operation operation;
  return session_operation(w->session, w->session->state, thread, &operation) == UNF_OK &&
         unf_configuration_offer(w->events, thread, &operation) == UNF_OK;
}

bool walk_begin(struct walk *w) {
  struct session *s = w->session;
  uint64_t resumed = 0;
  unf_configuration_clear(w->events);
  if (races_begin(s, 0, &resumed) != UNF_OK) return false;
  w->wrong = !session_begin(s, &w->problem);
  if (s->result.stopped != NULL) return false;
  for (uint32_t t = 0; !w->wrong && t < s->program.count[SYMBOL_THREAD]; t++)
    if (machine_initial(&s->machine, t) && !offer(w, t)) return false;
  return true;
}

bool walk_step(struct walk *w, const unf_action *action, unf_event *happened) {
  struct session *s = w->session;
  unf_event event;
  if (session_step(s) != UNF_OK) return false;
  if (unf_configuration_perform(w->events, action, &event) != UNF_OK) return false;
  races_step(s, event);
  w->wrong = !session_perform(s, action, &w->problem);
  if (happened != NULL) *happened = event;
  if (w->wrong) return s->result.stopped == NULL;
  return offer(w, action->thread) && (action->kind != UNF_DID_CREATE || offer(w, action->target));
}

bool session_ended(const struct session *s, const int64_t *state) {
  for (uint32_t t = 0; t < s->program.count[SYMBOL_THREAD]; t++)
    if (machine_started(&s->machine, state, t) && machine_ready(&s->machine, state, t))
      return false;
  return true;
}

bool walk_end(struct walk *w) {
  struct session *s = w->session;
  bool raced;
  if (races_list(s, NULL, &raced) != UNF_OK) return false;
  w->whole = w->wrong || session_ended(s, s->state);
  if (w->wrong) {
    describe_runtime(s, &w->problem, NULL);
  } else {
    describe_verdict(s, s->state, &w->verdict);
    w->verdict.deadlock &= w->whole;
    describe_end(s, s->state, &w->verdict, NULL);
  }
  return true;
}
