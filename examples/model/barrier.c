/*
 * Which round of a barrier an arrival belongs to.
 *
 * Arrivals do not depend on each other, so the round must follow from what the thread knows: it is
 * the one after the last round of which a pass lies in its history. As long as at no time more
 * threads stand at a round, or have arrived in it, than the barrier is for, that is the round that
 * the barrier is in when the thread comes to stand at it, and when it arrives. Otherwise there is
 * an order in which one of them comes too late; what that means would depend on the order of
 * events that do not depend on each other. Such a barrier is contended, and the program refused.
 *
 * Looking when a thread comes to stand there finds each contended barrier in some execution, in
 * whatever order its events are performed: a thread that stands there in a later round than it
 * knows of is one that too many others have overtaken, and if all stand there in the round that
 * they know of, the last of too many finds the others there.
 */
#include "barrier.h"

#include <inttypes.h>
#include <stdlib.h>

#include "blocked.h"
#include "objects.h"
#include "translate.h"

/* Whether the last event of the run has a pass of a round in its history. */
struct pass_search {
  const struct session *session;
  unf_object round;
  unf_event last;
  bool found;
};

static bool look_at(void *user, unf_event event) {
  struct pass_search *search = user;
  const unf_unfolding *unfolding = search->session->unfolding;
  unf_action action;
  bool precedes = false;
  if (unf_event_action(unfolding, event, &action) != UNF_OK || action.kind != UNF_DID_PASS ||
      action.target != search->round)
    return true;
  search->found =
      event == search->last ||
      (unf_event_precedes(unfolding, event, search->last, &precedes) == UNF_OK && precedes);
  return !search->found;
}

static int64_t size_of(const struct session *s, uint32_t barrier) {
  return program_symbol(&s->program, SYMBOL_BARRIER, barrier)->initial;
}

/* Threads that stand at a barrier in this round, or have arrived in it. */
static int64_t contenders(const struct session *s, const int64_t *state, uint32_t barrier) {
  int64_t count, round = machine_barrier(&s->machine, state, barrier, &count);
  for (uint32_t t = 0; t < s->program.count[SYMBOL_THREAD]; t++) {
    struct intent in;
    count += machine_remains(&s->machine, state, t, &in) && in.opcode == DO_ARRIVE &&
             in.phase == PHASE_BEFORE && in.element == barrier && in.round == round;
  }
  return count;
}

static unf_status contended_at(struct session *s, const struct intent *in) {
  char name[NAME_SIZE], place[TEXT_SIZE];
  describe_name(s, SYMBOL_BARRIER, in->element, name);
  describe_place(s, in->place, place, sizeof place);
  snprintf(s->message, sizeof s->message,
           "%s: contended barrier: more than %" PRId64 " threads come to '%s' in one round", place,
           size_of(s, in->element), name);
  return UNF_UNSUPPORTED;
}

unf_status session_contended_at_start(struct session *s, const int64_t *state) {
  const uint32_t barriers = s->program.count[SYMBOL_BARRIER];
  const uint32_t threads = s->program.count[SYMBOL_THREAD];
  struct intent in;
  if (barriers == 0) return UNF_OK;
  int64_t *standing = calloc(barriers, sizeof *standing);
  unf_status status = standing != NULL ? UNF_OK : UNF_MEMORY;
  for (uint32_t t = 0; status == UNF_OK && t < threads; t++)
    if (machine_remains(&s->machine, state, t, &in) && in.opcode == DO_ARRIVE)
      standing[in.element]++;
  for (uint32_t t = 0; status == UNF_OK && t < threads; t++)
    if (machine_remains(&s->machine, state, t, &in) && in.opcode == DO_ARRIVE &&
        standing[in.element] > size_of(s, in.element))
      status = contended_at(s, &in);
  free(standing);
  return status;
}

unf_status session_contended(struct session *s, const int64_t *state, uint32_t thread,
                             const unf_explorer *x) {
  struct intent in;
  if (s->program.count[SYMBOL_BARRIER] == 0) return UNF_OK;
  machine_intent(&s->machine, state, thread, &in);
  if (in.opcode != DO_ARRIVE || in.phase != PHASE_BEFORE) return UNF_OK;
  bool contended = contenders(s, state, in.element) > size_of(s, in.element);
  if (!contended && in.round > 0 && !s->probing) {
    struct pass_search search = {s, UNF_OBJECT_NONE, unf_explorer_last(x), false};
    unf_status status = session_round(s, in.element, in.round - 1, &search.round);
    if (status != UNF_OK) return status;
    unf_explorer_path(x, look_at, &search);
    contended = !search.found;
  }
  return contended ? contended_at(s, &in) : UNF_OK;
}
