/* J ∪ C is asked about where a candidate brings a branch event that was not there before. */
#include "alternative/admission.h"

#include <string.h>

unf_status unfi_admission_begin(unf_unfolding *u, struct admission *a, struct cut C) {
  struct cut nothing = {NULL, 0};
  a->on = u->consistency != NULL;
  a->C = C;
  a->events.count = a->counts.count = 0;
  if (!a->on) return UNF_OK;
  return unfi_branches(u, C, nothing, &a->events) ? UNF_OK : unfi_refused(u->context);
}

void unfi_admission_free(unf_context *context, struct admission *a) {
  vector_free(context, &a->events);
  vector_free(context, &a->counts);
  vector_free(context, &a->cut);
}

/* Leaves of the events from a place on those that are not before it. */
static void drop_known(handle_vector *events, uint32_t from) {
  uint32_t kept = from;
  for (uint32_t i = from; i < events->count; i++) {
    uint32_t j = 0;
    while (j < from && events->data[j] != events->data[i])
      j++;
    if (j == from) events->data[kept++] = events->data[i];
  }
  events->count = kept;
}

unf_status unfi_admit_consistent(unf_unfolding *u, struct admission *a, uint32_t candidate,
                                 bool *admitted) {
  unf_answer answer = UNF_ANSWER_YES;
  uint32_t known = a->events.count;
  if (!vector_reserve(u->context, &a->cut, u->sites.count) ||
      !vector_reserve(u->context, &a->counts, (uint64_t)a->counts.count + 1))
    return unfi_refused(u->context);
  memset(a->cut.data, 0, u->sites.count * sizeof *a->cut.data);
  struct cut history = {a->cut.data, u->sites.count};
  if (!unfi_cut_merge(u, a->cut.data, candidate) || !unfi_branches(u, history, a->C, &a->events))
    return unfi_refused(u->context);
  drop_known(&a->events, known);
  unf_status status = UNF_OK;
  if (a->events.count > known)
    status = unfi_ask(u, a->events.data, a->events.count, known, &answer);
  *admitted = status == UNF_OK && answer != UNF_ANSWER_NO;
  if (*admitted)
    vector_push(&a->counts, known);
  else
    a->events.count = known;
  return status;
}
