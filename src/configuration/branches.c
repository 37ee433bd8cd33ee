/* Which configurations are consistent. */
#include "configuration/branches.h"

#include <string.h>

#include "base/null.h"
#include "configuration/offer.h"
#include "configuration/walk.h"

bool unfi_branches(const unf_unfolding *u, struct cut cut, struct cut base, handle_vector *out) {
  uint32_t kept = out->count;
  if (!unfi_cut_events(u, cut, base, out)) return false;
  for (uint32_t i = kept; i < out->count; i++)
    if (is_branch(u, out->data[i])) out->data[kept++] = out->data[i];
  out->count = kept;
  return true;
}

/* `event`: one that is added; NONE: none. */
static unf_status ask(unf_unfolding *u, struct cut cut, uint32_t event, unf_answer *out) {
  struct cut nothing = {NULL, 0};
  handle_vector events = {0};
  unf_status status = UNF_OK;
  if (!unfi_branches(u, cut, nothing, &events) ||
      !vector_reserve(u->context, &events, (uint64_t)events.count + 1))
    status = unfi_refused(u->context);
  uint32_t known = event != NONE ? events.count : 0;
  if (status == UNF_OK && event != NONE) vector_push(&events, event);
  if (status == UNF_OK) status = unfi_ask(u, events.data, events.count, known, out);
  vector_free(u->context, &events);
  return status;
}

unf_status unfi_consistent_with(unf_unfolding *u, struct cut cut, uint32_t event, unf_answer *out) {
  *out = UNF_ANSWER_YES;
  return is_branch(u, event) ? ask(u, cut, event, out) : UNF_OK;
}

unf_status unfi_exists(unf_unfolding *u, uint32_t event, unf_answer *out) {
  *out = UNF_ANSWER_YES;
  if (!is_branch(u, event)) return UNF_OK;
  size_t size = u->sites.count * sizeof(uint32_t);
  uint32_t *entries = unfi_reallocate(u->context, NULL, 0, size);
  if (entries == NULL) return unfi_refused(u->context);
  memset(entries, 0, size);
  struct cut history = {entries, u->sites.count};
  uint32_t before = event_at(u, event)->before;
  bool good = before == 0 || unfi_cut_merge(u, entries, before);
  unf_status status = good ? ask(u, history, event, out) : unfi_refused(u->context);
  unfi_reallocate(u->context, entries, size, 0);
  return status;
}

unf_status unf_configuration_consistent(const unf_configuration *c, unf_answer *out) {
  RETURN_IF_NULL(c->u->context, c, out);
  *out = UNF_ANSWER_YES;
  return c->u->consistency != NULL ? ask(c->u, configuration_cut(c), NONE, out) : UNF_OK;
}

unf_status unf_event_literal(unf_unfolding *u, unf_event event, unf_literal *out) {
  RETURN_IF_NULL(u->context, u, out);
  if (!known_event(u, event)) return unfi_fail(u->context, UNF_UNKNOWN, "event");
  if (event == 0 || !is_branch(u, event))
    return unfi_fail(u->context, UNF_INVALID, "an event of no branch has no literal");
  uint32_t thread = action_of(u, event)->thread;
  uint32_t operation = next_after(u, thread, event_at(u, event)->before);
  if (operation == 0) return unfi_missing(u, thread);
  const unf_operation *o = &u->operations.data[operation];
  *out = (unf_literal){(uint64_t)o->low, (uint32_t)action_of(u, event)->value, (uint32_t)o->high};
  return UNF_OK;
}
