/*
 * Events by their canonical names: the action, and events whose histories are the causes. One is
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
 * operation than the last event of its action. Above these bits stands the number of its causes. */
enum { EVENT_DISCOVERED = 1, EVENT_EXECUTED = 2, EVENT_COOKIE = 4, EVENT_NEXT = 8, EVENT_BITS = 4 };

/* By action: what its last event has, or 0. Most events have what that one has. */
struct usual {
  uint64_t cookie;
  uint32_t next;
  bool one_use, starts; /* the action has one use, starts a thread; to write alone */
};
typedef VECTOR(struct usual) usual_vector;

/* ---- writing ---- */

/* All that is held is gone through, so each event costs few instructions: what is the same for all
 * events stands in local variables, which no byte that is written can change. */

struct events_out {
  const unf_explorer *x;
  struct bytes_out *out;
  usual_vector usual;
  handle_vector causes;
};

/* Numbers of an event beside those of its causes; causes for which room is asked at once. */
enum { NUMBERS = 5, CAUSES_AT_ONCE = 8, ROOM = (NUMBERS + CAUSES_AT_ONCE) * BYTES_LONGEST };

/* The head of an event, and how far back its causes are: events whose histories together are all of
 * them. Most events have two at most, and to ask whether one of these comes before the other would
 * cost more than to write both. */
static inline uint8_t *put_two(uint8_t *to, uint32_t event, const struct event *e, uint32_t what) {
  const uint32_t before = e->before, follows = e->follows;
  const bool apart = follows != 0 && follows != before;
  const uint32_t count = (uint32_t)(before != 0) + apart;
  to = bytes_at(to, count << EVENT_BITS | what);
  to = bytes_at(to, e->action);
  if (before != 0) to = bytes_at(to, event - before);
  return apart ? bytes_at(to, event - follows) : to;
}

/* Head and causes of an event with several uses. NULL: it was refused. */
APART uint8_t *put_several(struct events_out *w, uint8_t *to, uint32_t event, uint32_t what) {
  const unf_unfolding *u = w->x->u;
  if (!vector_reserve(u->context, &w->causes, unfi_predecessor_bound(u, event))) return NULL;
  const uint32_t count = unfi_predecessors(u, event, w->causes.data);
  to = bytes_at(to, (uint64_t)count << EVENT_BITS | what);
  to = bytes_at(to, event_at(u, event)->action);
  for (uint32_t i = 0; i < count; i++) {
    to = bytes_at(to, event - w->causes.data[i]);
    if (i % CAUSES_AT_ONCE != CAUSES_AT_ONCE - 1) continue;
    bytes_end(w->out, to);
    to = bytes_room(w->out, ROOM);
  }
  return to;
}

APART uint8_t *put_start(const unf_unfolding *u, uint8_t *to, uint32_t event) {
  /* The slots are looked at alone; nothing is changed. */
  const uint32_t *start = unfi_start_slot((unf_unfolding *)u, event);
  return start != NULL ? bytes_at(to, *start) : to;
}

/* Events of one chunk, all of which have a cookie, or none. */
static unf_status write_some(struct events_out *w, uint32_t first, uint32_t end, bool cookies) {
  static const struct mark unmarked = {0};
  static const uint64_t none = 0;
  const unf_unfolding *u = w->x->u;
  const struct path *path = &w->x->path;
  const bool marked = by_event_has(&path->marks, first);
  const struct mark *mark = marked ? mark_at(path, first) : &unmarked;
  const uint64_t *cookie = cookies ? &u->store.cookies.data[first] : &none;
  const struct event *e = event_at(u, first);
  struct usual *usuals = w->usual.data;
  uint8_t *to = bytes_room(w->out, ROOM), *const last = bytes_last(w->out, ROOM);
  for (uint32_t event = first; event < end; event++, e++, mark += marked, cookie += cookies) {
    struct usual *usual = &usuals[e->action];
    const bool same_cookie = *cookie == usual->cookie, same_next = e->next == usual->next;
    const uint32_t what = (mark->word & MARK_DISCOVERED ? EVENT_DISCOVERED : 0u) |
                          (mark->word & MARK_EXECUTED ? EVENT_EXECUTED : 0u) |
                          (same_cookie ? 0u : EVENT_COOKIE) | (same_next ? 0u : EVENT_NEXT);
    if (to > last) {
      bytes_end(w->out, to);
      to = bytes_room(w->out, ROOM);
    }
    if (usual->one_use && (e->follows & ROW_TAG) == 0)
      to = put_two(to, event, e, what);
    else if ((to = put_several(w, to, event, what)) == NULL)
      return unfi_refused(u->context);
    if (!same_next) to = bytes_at(to, usual->next = e->next);
    if (usual->starts) to = put_start(u, to, event);
    if (!same_cookie) to = bytes_at(to, usual->cookie = *cookie);
  }
  bytes_end(w->out, to);
  return w->out->status;
}

/* Room for what is said of actions. Returns false when refused. */
static bool begin(struct events_out *w) {
  const unf_unfolding *u = w->x->u;
  if (!vector_reserve_zero(u->context, &w->usual, u->actions.count)) return false;
  for (uint32_t i = 0; i < u->actions.count; i++) {
    w->usual.data[i].one_use = u->actions.data[i].count == 1;
    w->usual.data[i].starts = u->actions.data[i].starts;
  }
  return true;
}

unf_status unfi_events_write(const unf_explorer *x, struct bytes_out *out) {
  unf_context *context = x->u->context;
  const uint32_t count = x->u->store.count, cookies = x->u->store.cookies.capacity;
  struct events_out w = {.x = x, .out = out};
  unf_status status = out->status;
  if (status == UNF_OK && !begin(&w)) status = unfi_refused(context);
  unfi_bytes_put(out, count);
  for (uint32_t event = 1; status == UNF_OK && event < count;) {
    uint32_t end = ((event >> EVENT_SHIFT) + 1) << EVENT_SHIFT;
    if (end > count) end = count;
    if (event < cookies && cookies < end) end = cookies;
    status = write_some(&w, event, end, event < cookies);
    event = end;
  }
  vector_free(context, &w.usual);
  vector_free(context, &w.causes);
  return status;
}

/* ---- reading ---- */

/* The causes, united in `past`. */
static unf_status read_causes(unf_unfolding *u, struct bytes_in *in, uint64_t count,
                              struct sparse *past) {
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
static unf_status read_rest(unf_explorer *x, struct bytes_in *in, uint32_t event, uint64_t what,
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
  if (what & EVENT_EXECUTED) mark_at(&x->path, event)->word |= MARK_EXECUTED;
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
    uint64_t what = unfi_bytes_get(in);
    uint32_t action = unfi_bytes_get_below(in, u->actions.count, "action of an event");
    if (in->status == UNF_OK && action == 0) unfi_bytes_malformed(in, "no action");
    if (read_causes(u, in, what >> EVENT_BITS, &past) != UNF_OK) break;
    if (intern(u, in, &past, action) == UNF_OK) read_rest(x, in, event, what, &usual.data[action]);
  }
  vector_free(u->context, &usual);
  unfi_sparse_free(u->context, &past);
  return in->status;
}
