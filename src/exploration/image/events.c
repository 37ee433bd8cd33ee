/*
 * Events by their canonical names: the action, and the maximal events of the causes. An event is
 * interned as any other is, so it is a real one: its causes are free of conflict, the action is
 * possible after them and is one of what the thread was about to do.
 */
#include "exploration/image/events.h"

#include "exploration/explorer.h"
#include "exploration/image/image.h"
#include "structure/action.h"
#include "structure/event.h"
#include "structure/relation.h"
#include "structure/sparse.h"

/* What is said of an event: it is in U, was performed, has another cookie and another next
 * operation than the last event of its action. */
enum {
  EVENT_DISCOVERED = 1,
  EVENT_EXECUTED = 2,
  EVENT_COOKIE = 4,
  EVENT_NEXT = 8,
  EVENT_MOST = 16
};

/* By action: what its last event has, or 0. Most events have what that one has. */
struct usual {
  uint64_t cookie;
  uint32_t next;
};
typedef VECTOR(struct usual) usual_vector;

/* ---- writing ---- */

static void write_event(const unf_explorer *x, uint32_t event, handle_vector *causes,
                        struct usual *usual, struct bytes_out *out) {
  const unf_unfolding *u = x->u;
  const struct event *e = event_at(u, event);
  static const struct mark none = {0};
  const struct mark *mark = by_event_has(&x->path.marks, event) ? mark_at(&x->path, event) : &none;
  uint64_t cookie = event < u->store.cookies.capacity ? u->store.cookies.data[event] : 0;
  uint32_t count = unfi_predecessors(u, event, causes->data);
  const uint32_t what =
      (mark->discovered ? EVENT_DISCOVERED : 0u) | (mark->executed ? EVENT_EXECUTED : 0u) |
      (cookie != usual->cookie ? EVENT_COOKIE : 0u) | (e->next != usual->next ? EVENT_NEXT : 0u);
  bytes_put(out, what);
  bytes_put(out, e->action);
  bytes_put(out, count);
  for (uint32_t i = 0; i < count; i++)
    bytes_put(out, event - causes->data[i]);
  if (what & EVENT_NEXT) bytes_put(out, e->next);
  /* The slots are looked at alone; nothing is changed. */
  const uint32_t *start = unfi_start_slot((unf_unfolding *)x->u, event);
  if (start != NULL) bytes_put(out, *start);
  if (what & EVENT_COOKIE) bytes_put(out, cookie);
  *usual = (struct usual){cookie, e->next};
}

unf_status unfi_events_write(const unf_explorer *x, struct bytes_out *out) {
  unf_context *context = x->u->context;
  handle_vector causes = {0};
  usual_vector usual = {0};
  unf_status status = out->status;
  if (status == UNF_OK && !vector_reserve_zero(context, &usual, x->u->actions.count))
    status = unfi_refused(context);
  unfi_bytes_put(out, x->u->store.count);
  for (uint32_t event = 1; status == UNF_OK && event < x->u->store.count; event++) {
    if (!vector_reserve(context, &causes, unfi_predecessor_bound(x->u, event)))
      status = unfi_refused(context);
    else
      write_event(x, event, &causes, &usual.data[event_at(x->u, event)->action], out);
    if (status == UNF_OK) status = out->status;
  }
  vector_free(context, &usual);
  vector_free(context, &causes);
  return status;
}

/* ---- reading ---- */

/* The causes, united in `past`. */
static unf_status read_causes(unf_unfolding *u, struct bytes_in *in, struct sparse *past) {
  uint64_t count = unfi_bytes_get(in);
  if (!sparse_reserve(u, past)) return unfi_bytes_note(in, unfi_refused(u->context));
  unfi_sparse_clear(past);
  for (uint64_t i = 0; in->status == UNF_OK && i < count; i++) {
    uint32_t back = unfi_bytes_get_below(in, (uint64_t)u->store.count + 1, "a cause");
    if (in->status == UNF_OK && back == 0) return unfi_bytes_malformed(in, "a cause of itself");
    uint32_t cause = u->store.count - back;
    if (in->status != UNF_OK || cause == 0) continue;
    if (unfi_conflict_cut(u, sparse_cut(past), cause))
      return unfi_bytes_malformed(in, "causes that are in conflict");
    if (!unfi_sparse_merge(u, past, cause)) unfi_bytes_note(in, unfi_refused(u->context));
    unfi_bytes_note(in, unfi_work(u->context, 1));
  }
  return in->status;
}

/* Interns the event of an action after the causes; it must be a new one. */
static unf_status intern(unf_unfolding *u, struct bytes_in *in, const struct sparse *past,
                         uint32_t number) {
  unf_action action = unfi_action(u, number);
  struct causes causes;
  uint32_t event, expected = u->store.count;
  unf_status status = unfi_causes(u, sparse_cut(past), &action, &causes);
  if (status == UNF_OK) status = unfi_check_offered(u, sparse_cut(past), &action);
  if (status == UNF_OK) status = unfi_event_intern(u, &causes, &event);
  if (status == UNF_OK && event != expected)
    return unfi_bytes_malformed(in, "an event that is there already");
  bool possible = status != UNF_DISABLED && status != UNF_DIVERGENCE && status != UNF_UNSUPPORTED;
  return possible ? unfi_bytes_note(in, status)
                  : unfi_bytes_malformed(in, "an event that is not possible");
}

/* What an event has beside its name. */
static unf_status read_rest(unf_explorer *x, struct bytes_in *in, uint32_t event, uint32_t what,
                            struct usual *usual) {
  unf_unfolding *u = x->u;
  if (what & EVENT_NEXT)
    usual->next = unfi_bytes_get_below(in, u->operations.count, "next operation");
  uint32_t *start = unfi_start_slot(u, event);
  uint32_t first =
      start != NULL ? unfi_bytes_get_below(in, u->operations.count, "first operation") : 0;
  if (what & EVENT_COOKIE) usual->cookie = unfi_bytes_get(in);
  if (in->status != UNF_OK) return in->status;
  event_at(u, event)->next = usual->next;
  if (start != NULL) *start = first;
  if (usual->cookie != 0) unfi_bytes_note(in, unf_event_set_cookie(u, event, usual->cookie));
  if (in->status == UNF_OK && !unfi_discover_reserve(x, event))
    unfi_bytes_note(in, unfi_refused(u->context));
  if (in->status != UNF_OK) return in->status;
  mark_at(&x->path, event)->executed = (what & EVENT_EXECUTED) != 0;
  if (what & EVENT_DISCOVERED) unfi_discover(x, event);
  return UNF_OK;
}

unf_status unfi_events_read(unf_explorer *x, struct bytes_in *in) {
  unf_unfolding *u = x->u;
  struct sparse past = {0};
  usual_vector usual = {0};
  uint64_t count = unfi_bytes_get(in);
  if (in->status == UNF_OK && !vector_reserve_zero(u->context, &usual, u->actions.count))
    unfi_bytes_note(in, unfi_refused(u->context));
  while (in->status == UNF_OK && u->store.count < count) {
    uint32_t event = u->store.count;
    uint32_t what = unfi_bytes_get_below(in, EVENT_MOST, "what is said of an event");
    uint32_t action = unfi_bytes_get_below(in, u->actions.count, "action of an event");
    if (in->status == UNF_OK && action == 0) unfi_bytes_malformed(in, "no action");
    if (read_causes(u, in, &past) != UNF_OK) break;
    if (intern(u, in, &past, action) == UNF_OK) read_rest(x, in, event, what, &usual.data[action]);
  }
  vector_free(u->context, &usual);
  unfi_sparse_free(u->context, &past);
  return in->status;
}
