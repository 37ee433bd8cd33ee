/*
 * Races of an execution, and its reversals as sequences. extension/reversal.c finds the events that
 * could have happened instead. For such an event f, let K be the events of the execution that
 * depend on f and are not causes of f. Where the first event of K was performed, the execution
 * could have continued with the rest of it, without K and without what happens after K, and then f.
 */
#include <string.h>

#include "base/null.h"
#include "structure/action.h"
#include "structure/cut.h"
#include "structure/effect.h"
#include "structure/event.h"
#include "structure/layer.h"
#include "structure/names.h"
#include "structure/relation.h"
#include "wakeup/wakeup.h"

void unfi_reversals_free(unf_context *context, struct reversals *r) {
  vector_free(context, &r->found);
  vector_free(context, &r->last);
  r->covered = 0;
  vector_free(context, &r->threads);
  vector_free(context, &r->sequence);
  vector_free(context, &r->steps);
  vector_free(context, &r->stamps);
  unfi_attempts_free(context, &r->attempts);
}

/* Whether an event of the execution is left out: on each thread these are all from one on. */
static bool is_out(const unf_unfolding *u, const struct reversals *r, uint32_t event) {
  return event != 0 && event >= r->threads.data[action_of(u, event)->thread].out;
}

/* Whether an event comes after one that is left out. */
static bool after_out(const unf_unfolding *u, const struct reversals *r, uint32_t event) {
  uint32_t count;
  const uint32_t *follows = event_follows(u, event, &count);
  if (is_out(u, r, event_at(u, event)->before)) return true;
  for (uint32_t i = 0; i < count; i++) {
    const struct layer *layer = follows[i] & ROW_TAG ? layer_at(u, follows[i]) : NULL;
    const uint32_t *events = layer != NULL ? layer->members : &follows[i];
    for (uint32_t j = layer != NULL ? layer_count(layer) : 1; j > 0; j--)
      if (is_out(u, r, events[j - 1])) return true;
  }
  return false;
}

/* Whether an event of the execution, on the thread with this site, is a cause of f, of which this
 * is the view, and `before` the event that it follows on its thread. What another thread did that f
 * starts instead is no cause of it. */
static inline bool is_cause(const unf_unfolding *u, const struct view *f, uint32_t before,
                            uint32_t event, uint32_t site) {
  if (site == f->own) return event <= before;
  return site != f->written && event <= block_entry(u, f->record, site);
}

/* Nothing is left out yet. Returns false when refused. */
static bool begin_sequence(const unf_unfolding *u, struct reversals *r, uint32_t count) {
  if (!vector_reserve(u->context, &r->threads, u->threads.count) ||
      !vector_reserve(u->context, &r->sequence, (uint64_t)count + 1))
    return false;
  for (uint32_t t = 0; t < u->threads.count; t++)
    r->threads.data[t].out = NONE;
  r->sequence.count = 0;
  return true;
}

/* Makes the sequence of an event that is not in the execution, from `position` on, before which K
 * has no event; *any: there is one, because the event is in conflict with some event of the
 * execution. */
static unf_status make_sequence(unf_unfolding *u, struct reversals *r, uint32_t position,
                                uint32_t count, uint32_t f, struct reversed *out, bool *any) {
  const struct action *a = action_of(u, f);
  const struct view view = view_event(u, f);
  const uint32_t before = event_at(u, f)->before;
  handle_vector *v = &r->sequence;
  *any = false;
  if (!begin_sequence(u, r, count)) return unfi_refused(u->context);
  for (uint32_t i = position; i < count; i++) {
    uint64_t steps = steps_from(i - position, 1);
    unf_status status = steps > 0 ? unfi_work(u->context, steps) : UNF_OK;
    if (status != UNF_OK) return status;
    const struct placed *p = &r->steps.data[i];
    const struct action *b = &u->actions.data[p->action];
    uint32_t *left_out = &r->threads.data[p->thread].out;
    if (*left_out != NONE) continue;
    bool cause = is_cause(u, &view, before, p->event, b->site);
    if (!cause && unfi_dependent(u, a, b)) {
      if (!*any) *out = (struct reversed){.event = f, .position = i};
      *any = true;
      *left_out = p->event;
    } else if (*any && !cause && after_out(u, r, p->event)) {
      *left_out = p->event;
    } else if (*any) {
      vector_push(v, p->event);
    }
  }
  if (!*any) return UNF_OK;
  vector_push(v, f);
  out->count = v->count;
  out->sequence = v->data;
  return UNF_OK;
}

struct reversal_pass {
  unf_unfolding *u;
  struct reversals *r;
  const struct maximal *M;
  uint32_t shared, position;
  reversed_visitor visit;
  void *user;
  unf_status status;
};

static bool refuse(struct reversal_pass *in) {
  in->status = unfi_refused(in->u->context);
  return false;
}

/* Makes the sequence of an event, whose K begins at *first or behind it, and visits it; *first:
 * where K begins, NONE: there is no sequence. */
static bool make(struct reversal_pass *in, uint32_t event, uint32_t *first) {
  struct reversed reversed;
  bool any = false;
  in->status = make_sequence(in->u, in->r, *first, in->M->count, event, &reversed, &any);
  *first = any ? reversed.position : NONE;
  return in->status == UNF_OK && (!any || in->visit(in->user, &reversed));
}

/* The position of what the attempt at hand leaves out, if that is one event: what K has of an event
 * that was possible without that and its successors is not before it. */
static uint32_t position_left_out(const struct reversals *r) {
  uint32_t position = 0, out = r->attempts.out;
  while (out != 0 && r->steps.data[position].event != out)
    position++;
  return position;
}

/* Notes that the present position leads to an event, whose K begins at `first` or behind it; makes
 * its sequence, unless an earlier position led to the event. */
static bool note(struct reversal_pass *in, uint32_t f, uint32_t first) {
  struct reversals *r = in->r;
  struct reversal_entry entry = {in->position, f, first, r->stamps.data[f] == r->stamp};
  if (!vector_reserve(in->u->context, &r->found, (uint64_t)r->found.count + 1)) return refuse(in);
  if (entry.again) entry.first = NONE;
  if (!entry.again && !make(in, f, &entry.first)) return false;
  vector_push(&r->found, entry);
  r->stamps.data[f] = r->stamp;
  return true;
}

static bool reverse_to(void *user, const struct causes *causes) {
  struct reversal_pass *in = user;
  unf_unfolding *u = in->u;
  uint32_t f;
  in->status = unfi_event_intern(u, causes, &f);
  if (in->status != UNF_OK) return false;
  if (!vector_reserve_zero(u->context, &in->r->stamps, u->store.count)) return refuse(in);
  return unfi_in_cut(u, in->M->cut, f) || note(in, f, position_left_out(in->r));
}

/* What comes before all new steps comes before this one. */
static void come_before(struct reversal_pass *in, uint32_t event) {
  const unf_unfolding *u = in->u;
  const struct view view = view_event(u, event);
  for (uint32_t t = 0; t < in->r->threads.count; t++) {
    uint32_t entry = view_at(u, &view, u->threads.data[t].site);
    uint32_t *earliest = &in->r->threads.data[t].earliest;
    if (entry < *earliest) *earliest = entry;
  }
}

/* Lists the steps after those that this execution shares with the last one, and finds for each
 * thread its last event that comes before all of them. What comes before the first new step of a
 * thread comes before its others. Returns false when refused. */
static bool look_behind(struct reversal_pass *in) {
  const unf_unfolding *u = in->u;
  struct reversals *r = in->r;
  uint32_t *at = &r->progress.at;
  if (!vector_reserve(u->context, &r->threads, u->threads.count) ||
      !vector_reserve(u->context, &r->steps, in->M->count))
    return refuse(in);
  if (*at == in->shared) {
    r->threads.count = u->threads.count;
    for (uint32_t t = 0; t < r->threads.count; t++) {
      r->threads.data[t].earliest = NONE;
      r->threads.data[t].stepped = false;
    }
  }
  for (; *at < in->M->count; ++*at) {
    uint32_t event = in->M->events[*at], action = event_at(u, event)->action;
    uint32_t thread = u->actions.data[action].thread;
    in->status = unfi_work(u->context, r->threads.count);
    if (in->status != UNF_OK) return false;
    r->steps.data[*at] = (struct placed){event, action, thread};
    if (!r->threads.data[thread].stepped) come_before(in, event);
    r->threads.data[thread].stepped = true;
    unfi_done(u->context);
  }
  return true;
}

/*
 * Whether the sequence of a reversal of the last execution has no event in this one that it did not
 * have when it was visited: all steps after the shared ones come after the first event that the
 * sequence leaves out. If it had more events then, these commuted with the event of the reversal,
 * so what covers the old sequence covers the new one.
 */
static inline bool covered(const struct reversal_pass *in, const struct reversal_entry *entry) {
  if (entry->first == NONE) return false;
  const struct placed *first = &in->r->steps.data[entry->first];
  return first->event <= in->r->threads.data[first->thread].earliest;
}

/* What K has of an event is not before this position, as it was not in the last execution. */
static uint32_t where_K_was(const struct reversal_pass *in, const struct reversal_entry *entry) {
  return entry->first < in->shared ? entry->first : in->shared;
}

static bool at_position(void *user, uint32_t position, bool once) {
  struct reversal_pass *in = user;
  struct reversals *r = in->r;
  in->position = position;
  if (once && r->once == position) r->once++;
  while (r->next < r->last.count && r->last.data[r->next].position < position)
    r->next++;
  if (!once || position >= in->shared) return true;
  for (; r->next < r->last.count && r->last.data[r->next].position == position; r->next++) {
    const struct reversal_entry *entry = &r->last.data[r->next];
    if (entry->again || !covered(in, entry)) {
      if (!note(in, entry->event, entry->again ? 0 : where_K_was(in, entry))) return false;
      continue;
    }
    if (!vector_reserve(in->u->context, &r->found, (uint64_t)r->found.count + 1)) return refuse(in);
    r->stamps.data[entry->event] = r->stamp;
    vector_push(&r->found, *entry);
  }
  return true;
}

/* Keeps the reversals that the first `from` positions led to, and moves the others to `last`.
 * Returns false when refused. */
static bool keep_reversals(struct reversal_pass *in, uint32_t from) {
  struct reversals *r = in->r;
  uint32_t kept = r->found.count;
  while (kept > 0 && r->found.data[kept - 1].position >= from)
    kept--;
  r->last.count = r->next = 0;
  if (!vector_reserve(in->u->context, &r->last, r->found.count - kept)) return refuse(in);
  for (uint32_t i = kept; i < r->found.count; i++) {
    vector_push(&r->last, r->found.data[i]);
    if (!r->found.data[i].again) r->stamps.data[r->found.data[i].event] = 0;
  }
  r->found.count = kept;
  return true;
}

/* Visits those of the kept reversals again that have more events in their sequence now. */
static bool visit_kept(struct reversal_pass *in) {
  struct reversals *r = in->r;
  for (uint32_t *at = &r->progress.at; *at < r->found.count; ++*at) {
    struct reversal_entry *entry = &r->found.data[*at];
    uint64_t steps = steps_from(*at, 1);
    if (steps > 0) in->status = unfi_work(in->u->context, steps);
    if (in->status != UNF_OK) return false;
    if (entry->again || covered(in, entry)) continue;
    uint32_t first = where_K_was(in, entry);
    if (!make(in, entry->event, &first)) return false;
    entry->first = first;
    unfi_done(in->u->context);
  }
  return true;
}

/* Begins with an execution. Returns false when refused. */
static bool begin_reversals(struct reversal_pass *in) {
  unf_unfolding *u = in->u;
  struct reversals *r = in->r;
  if (r->covered == 0 && ++r->stamp == 0) {
    vector_free(u->context, &r->stamps);
    r->stamp = 1;
  }
  if (r->covered == 0) r->found.count = 0;
  r->covered = 0;
  if (!vector_reserve_zero(u->context, &r->stamps, u->store.count)) return refuse(in);
  /* Attempts depend on the whole execution, so those of the last one are forgotten. */
  unfi_attempts_forget(u->context, &r->attempts);
  if (!keep_reversals(in, in->M->from)) return false;
  r->once = in->M->from;
  return true;
}

/* Everything before the races. Returns false when refused. */
static bool go_to_races(struct reversal_pass *in) {
  struct reversals *r = in->r;
  if (r->progress.phase == REVERSALS_BEGIN) {
    if (!begin_reversals(in)) return false;
    r->progress.phase = REVERSALS_BEHIND;
    r->progress.at = in->shared;
  }
  if (r->progress.phase == REVERSALS_BEHIND) {
    if (!look_behind(in)) return false;
    r->progress.phase = REVERSALS_KEPT;
    r->progress.at = 0;
  }
  return r->progress.phase == REVERSALS_RACES || visit_kept(in);
}

unf_status unfi_reversals(unf_unfolding *u, struct reversals *r, const struct maximal *M,
                          reversed_visitor visit, void *user) {
  struct maximal now = *M;
  if (!M->again || r->progress.phase == REVERSALS_BEGIN) {
    r->progress.phase = REVERSALS_BEGIN;
    r->progress.known = now.known > r->covered ? r->covered : now.known;
    r->progress.from = r->progress.known < r->once ? r->progress.known : r->once;
  }
  now.known = r->progress.known;
  now.from = r->progress.from;
  now.again = r->progress.phase == REVERSALS_RACES;
  struct reversal_pass in = {u, r, &now, now.known, 0, visit, user, UNF_OK};
  if (!go_to_races(&in)) return in.status;
  r->progress.phase = REVERSALS_RACES;
  unf_status status = unfi_reverse_all(u, &now, &r->attempts, at_position, reverse_to, &in);
  if (status == UNF_OK) status = in.status;
  if (status == UNF_OK) r->covered = M->count;
  return status;
}

/* Makes the configuration of an execution; returns false, with the status, if it is not one. */
static bool open_execution(unf_unfolding *u, const unf_event *execution, uint64_t count,
                           unf_configuration **out, unf_status *status) {
  *status = unf_configuration_new(u, out);
  if (*status != UNF_OK) return false;
  for (uint64_t i = 0; *status == UNF_OK && i < count; i++)
    *status = unf_configuration_extend(*out, execution[i]);
  if (*status == UNF_OK) return true;
  unf_configuration_free(*out);
  return false;
}

unf_status unf_execution_races(unf_unfolding *u, const unf_event *execution, uint64_t count,
                               unf_racing_visitor visit, void *user) {
  RETURN_IF_NULL(u->context, u, visit);
  RETURN_IF_NULL_ARRAY(u->context, execution, count);
  unf_configuration *C;
  unf_status status;
  handle_vector predecessors = {0};
  bool more = true;
  if (!open_execution(u, execution, count, &C, &status)) return status;
  for (uint64_t second = 0; more && status == UNF_OK && second < count; second++) {
    uint32_t event = execution[second];
    if (!vector_reserve(u->context, &predecessors, unfi_predecessor_bound(u, event))) {
      status = unfi_refused(u->context);
      break;
    }
    uint32_t n = unfi_predecessors(u, event, predecessors.data);
    for (uint32_t i = 0; more && i < n; i++) {
      uint32_t e = predecessors.data[i];
      uint64_t first = 0;
      if (e == 0 || e == event_at(u, event)->before) continue;
      while (execution[first] != e)
        first++;
      more = visit(user, first, second);
    }
  }
  vector_free(u->context, &predecessors);
  unf_configuration_free(C);
  return status;
}

struct public_visitor {
  unf_reversal_visitor visit;
  void *user;
  bool more;
};

static bool pass_on(void *user, const struct reversed *reversed) {
  struct public_visitor *in = user;
  unf_reversal public = {reversed->event, reversed->position, reversed->sequence, reversed->count};
  in->more = in->visit(in->user, &public);
  return in->more;
}

unf_status unf_execution_reversals(unf_unfolding *u, const unf_event *execution, uint64_t count,
                                   unf_reversal_visitor visit, void *user) {
  RETURN_IF_NULL(u->context, u, visit);
  RETURN_IF_NULL_ARRAY(u->context, execution, count);
  unf_configuration *C;
  unf_status status;
  struct reversals reversals = {0};
  struct public_visitor adapter = {visit, user, true};
  if (!open_execution(u, execution, count, &C, &status)) return status;
  for (uint32_t t = 0; status == UNF_OK && t < u->threads.count; t++) {
    uint32_t last = cut_last(u, configuration_cut(C), t);
    if (last != NONE && next_after(u, t, last) == 0) status = unfi_missing(u, t);
  }
  struct maximal M = {.cut = configuration_cut(C), .events = execution, .count = C->size};
  if (status == UNF_OK) status = unfi_reversals(u, &reversals, &M, pass_on, &adapter);
  if (status == UNF_OK && adapter.more) status = unfi_outcome_reversals(u, &M, pass_on, &adapter);
  unfi_reversals_free(u->context, &reversals);
  unf_configuration_free(C);
  return status;
}
