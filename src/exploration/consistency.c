/* Asking about the path: each step is looked at once in a run, beside the questions. */
#include "exploration/consistency.h"

#include "exploration/explorer.h"
#include "extension/siblings.h"
#include "structure/event.h"

/* ---- lists ---- */

bool unfi_list_branches(unf_explorer *x, uint32_t steps) {
  struct consistent *c = &x->consistent;
  const uint32_t same = steps < c->listed ? steps : c->listed;
  if (!vector_reserve(x->u->context, &c->events, (uint64_t)steps + 1) ||
      !vector_reserve(x->u->context, &c->steps, (uint64_t)steps + 1))
    return false;
  while (c->steps.count > 0 && (same == 0 || c->steps.data[c->steps.count - 1] >= same))
    c->steps.count--;
  c->events.count = c->steps.count;
  unfi_witnessed_cut(&c->known, c->events.count);
  for (uint32_t i = same; i < steps; i++) {
    if (!is_branch(x->u, x->path.steps.data[i].event)) continue;
    vector_push(&c->events, x->path.steps.data[i].event);
    vector_push(&c->steps, i);
  }
  c->listed = steps;
  return true;
}

/* There is room for one more event. */
static const uint32_t *with(unf_explorer *x, uint32_t event) {
  handle_vector *events = &x->consistent.events;
  events->data[events->count] = event;
  return events->data;
}

unf_status unfi_list_ask(unf_explorer *x, uint32_t event, unf_answer *out) {
  uint32_t known = x->consistent.events.count;
  return unfi_ask(x->u, with(x, event), known + 1, known, out);
}

bool unfi_next_witnessed(unf_explorer *x, uint32_t event) {
  struct consistent *c = &x->consistent;
  bool good = unfi_witnessed_with(x->u, &c->known, c->events.data, c->events.count, event);
  if (good) c->certain = x->path.steps.count + 1;
  return good;
}

unf_status unfi_next_ask(unf_explorer *x, uint32_t event, unf_answer *out) {
  unf_status status = unfi_list_ask(x, event, out);
  if (status == UNF_OK && *out == UNF_ANSWER_YES) x->consistent.certain = x->path.steps.count + 1;
  return status;
}

/* ---- runs ---- */

void unfi_consistent_begin(unf_explorer *x) {
  if (x->consistent.certain > x->run.shared) x->consistent.certain = x->run.shared;
}

unf_status unfi_consistent_end(unf_explorer *x, unf_answer *out) {
  struct consistent *c = &x->consistent;
  *out = UNF_ANSWER_YES;
  if (!unfi_list_branches(x, c->certain)) return unfi_refused(x->u->context);
  uint32_t known = c->events.count;
  if (!unfi_list_branches(x, x->path.steps.count)) return unfi_refused(x->u->context);
  if (c->events.count == known) return UNF_OK;
  unf_status status = unfi_ask(x->u, c->events.data, c->events.count, known, out);
  if (status == UNF_OK && *out == UNF_ANSWER_YES) c->certain = x->path.steps.count;
  return status;
}

unf_status unfi_discover_outcomes(unf_explorer *x, uint32_t event) {
  unf_unfolding *u = x->u;
  uint32_t thread = action_of(u, event)->thread, before = event_at(u, event)->before, other;
  if (!is_branch(u, event) || !x->strategy->keeps_outcomes) return UNF_OK;
  int64_t count = u->operations.data[next_after(u, thread, before)].high;
  struct causes causes;
  for (int64_t value = 0; value < count; value++) {
    unf_status status = unfi_sibling(u, event, value, &causes);
    if (status == UNF_OK) status = unfi_event_intern(u, &causes, &other);
    if (status != UNF_OK) return status;
    if (!unfi_discover_reserve(x, other)) return unfi_refused(u->context);
    if (other != event) unfi_discover(x, other);
  }
  return UNF_OK;
}
