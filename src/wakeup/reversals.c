/*
 * Races of an execution, and its reversals. extension/reversal.c finds the events that could have
 * happened instead. Where the first event was performed that such an event leaves out, the
 * execution could have continued with the rest of it, and then that event (rest.h).
 */
#include "wakeup/reversals.h"

#include <string.h>

#include "base/null.h"
#include "configuration/offer.h"
#include "structure/action.h"
#include "structure/cut.h"
#include "structure/effect.h"
#include "structure/event.h"
#include "structure/layer.h"
#include "structure/names.h"
#include "structure/relation.h"
#include "wakeup/outcomes.h"

void unfi_reversals_free(unf_context *context, struct reversals *r) {
  vector_free(context, &r->found);
  vector_free(context, &r->last);
  r->covered = 0;
  unfi_few_free(context, &r->few);
  vector_free(context, &r->earliest);
  vector_free(context, &r->firsts);
  vector_free(context, &r->threads);
  vector_free(context, &r->steps);
  vector_free(context, &r->events);
  unfi_attempts_free(context, &r->attempts);
}

void unfi_reversals_forget(unf_context *context, struct reversals *r) {
  enum { ROOM = 1 << 16 };
  struct reversals left = {.stamp = r->stamp};
  if (r->events.capacity > 0 && r->events.capacity <= ROOM) {
    left.events = r->events;
    memset(left.events.data, 0, left.events.capacity * sizeof *left.events.data);
    r->events.data = NULL;
    r->events.capacity = 0;
  }
  unfi_reversals_free(context, r);
  *r = left;
}

/* Whether an event of the execution is left out, as far as is known yet. */
static bool is_out(const struct rest *rest, uint32_t event) {
  return event != 0 && event >= ~rest->threads[action_of(rest->u, event)->thread].not_kept;
}

/* Whether an event comes after one that is left out. */
static bool after_out(const struct rest *rest, uint32_t event) {
  const unf_unfolding *u = rest->u;
  uint32_t count;
  const uint32_t *follows = event_follows(u, event, &count);
  if (is_out(rest, event_at(u, event)->before)) return true;
  for (uint32_t i = 0; i < count; i++) {
    const struct layer *layer = follows[i] & ROW_TAG ? layer_at(u, follows[i]) : NULL;
    const uint32_t *events = layer != NULL ? layer->members : &follows[i];
    for (uint32_t j = layer != NULL ? layer_count(layer) : 1; j > 0; j--)
      if (is_out(rest, events[j - 1])) return true;
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

/* Finds, for each thread, its first event that is left out, and where the rest begins: not before
 * `position`, as what is left out does not. The event is not in the execution. *any: something is
 * left out, because the event is in conflict with some event of the execution. */
static unf_status find_left_out(struct rest *rest, uint32_t position, bool *any) {
  unf_unfolding *u = rest->u;
  const struct action *a = action_of(u, rest->event);
  const struct view view = view_event(u, rest->event);
  const uint32_t before = event_at(u, rest->event)->before;
  *any = false;
  for (uint32_t i = position; i < rest->count; i++) {
    uint64_t steps = steps_from(i - position, 1);
    unf_status status = steps > 0 ? unfi_work(u->context, steps) : UNF_OK;
    if (status != UNF_OK) return status;
    const struct placed *p = &rest->steps[i];
    const struct action *b = &u->actions.data[p->action];
    uint32_t *not_kept = &rest->threads[p->thread].not_kept;
    if (*not_kept != 0) continue;
    bool cause = is_cause(u, &view, before, p->event, b->site);
    if (!cause && unfi_dependent(u, a, b)) {
      if (!*any) rest->position = i;
      *any = true;
      *not_kept = ~p->event;
    } else if (*any && !cause && after_out(rest, p->event)) {
      *not_kept = ~p->event;
    }
  }
  return UNF_OK;
}

/* What is left out, of an execution of few steps: all at once. */
static bool few_left_out(struct rest *rest, uint32_t position) {
  unf_unfolding *u = rest->u;
  const struct few_steps *few = rest->few;
  uint64_t out = few_dependent(u, few, action_of(u, rest->event)) &
                 ~unfi_few_causes(u, few, rest->event, rest->events) &
                 steps_between(position, rest->count);
  if (out == 0) return false;
  rest->position = (uint32_t)__builtin_ctzll(out);
  rest->left = steps_between(rest->position, rest->count) & ~few_after(few, out, rest->count);
  return true;
}

struct reversal_pass {
  unf_unfolding *u;
  struct reversals *r;
  const struct maximal *M;
  uint32_t shared, position;
  rest_visitor visit;
  void *user;
  unf_status status;
};

static bool refuse(struct reversal_pass *in) {
  in->status = unfi_refused(in->u->context);
  return false;
}

/* The execution as a rest from which nothing is left out. All fields are named, so that they are
 * written one by one: that is quicker than clearing them first. */
static inline struct rest all_of(const struct reversal_pass *in) {
  const struct reversals *r = in->r;
  return (struct rest){.u = in->u,
                       .steps = r->steps.data,
                       .events = r->events.data,
                       .firsts = r->firsts.data,
                       .threads = r->threads.data,
                       .few = in->M->count <= FEW_STEPS ? &r->few : NULL,
                       .left = 0,
                       .position = 0,
                       .count = in->M->count,
                       .event = 0,
                       .out = 0,
                       .event_done = false};
}

/* Visits the rest for an event, if something is left out: that begins at *first or behind it;
 * *first: where it does, or NONE. after: it is what comes after the step at *first. */
static bool make(struct reversal_pass *in, uint32_t event, uint32_t *first, bool after) {
  struct reversals *r = in->r;
  struct rest rest = all_of(in);
  rest.event = event;
  rest.position = *first;
  bool any = after;
  if (rest.few != NULL && !few_reserve(in->u, &r->few)) return refuse(in);
  if (rest.few == NULL) {
    rest.out = after ? in->M->events[*first] : 0;
    memset(r->threads.data, 0, r->earliest.count * sizeof *r->threads.data);
    if (!after) in->status = find_left_out(&rest, *first, &any);
  } else if (after) {
    uint64_t out = (uint64_t)1 << *first;
    rest.left = steps_between(*first, rest.count) & ~few_after(&r->few, out, rest.count);
  } else {
    any = few_left_out(&rest, *first);
  }
  *first = any ? rest.position : NONE;
  return in->status == UNF_OK && (!any || in->visit(in->user, &rest));
}

/* Where what an event leaves out begins, or a position before that. */
struct beginning {
  uint32_t first;
  bool after; /* it is what comes after the step at `first` */
};

/*
 * Of an event that was possible without one event of the execution and its successors: what it
 * leaves out is not before that one, because it follows all else that it depends on. So if it
 * depends on that one itself, it leaves out just this and the successors.
 */
static struct beginning where_left_out(const struct reversal_pass *in, uint32_t f) {
  const unf_unfolding *u = in->u;
  uint32_t out = in->r->attempts.out, position = out != 0 ? in->r->events.data[out].step : 0;
  bool after = out != 0 && unfi_dependent(u, action_of(u, f), action_of(u, out));
  return (struct beginning){position, after};
}

/* Notes that the present position leads to an event, and visits its rest, unless an earlier
 * position led to the event. */
static bool note(struct reversal_pass *in, uint32_t f, struct beginning b) {
  struct reversals *r = in->r;
  bool again = r->events.data[f].stamp == r->stamp;
  struct reversal_entry entry = {in->position, f, b.first, again, b.after};
  if (!vector_reserve(in->u->context, &r->found, (uint64_t)r->found.count + 1)) return refuse(in);
  if (again) entry.first = NONE;
  if (!again && !make(in, f, &entry.first, b.after)) return false;
  vector_push(&r->found, entry);
  r->events.data[f].stamp = r->stamp;
  return true;
}

static bool reverse_to(void *user, const struct causes *causes) {
  struct reversal_pass *in = user;
  unf_unfolding *u = in->u;
  uint32_t f;
  in->status = unfi_event_intern(u, causes, &f);
  if (in->status != UNF_OK) return false;
  if (!vector_reserve_zero(u->context, &in->r->events, u->store.count)) return refuse(in);
  return unfi_in_cut(u, in->M->cut, f) || note(in, f, where_left_out(in, f));
}

/* What comes before all new steps comes before this one. */
static void come_before(struct reversal_pass *in, uint32_t event) {
  const unf_unfolding *u = in->u;
  const struct view view = view_event(u, event);
  for (uint32_t t = 0; t < in->r->earliest.count; t++) {
    uint32_t entry = view_at(u, &view, u->threads.data[t].site);
    uint32_t *earliest = &in->r->earliest.data[t];
    if (entry < *earliest) *earliest = entry;
  }
}

/* Whether an event is one of the new steps that were entered. */
static bool is_new(const struct reversal_pass *in, uint32_t event) {
  uint32_t step = in->r->events.data[event].step;
  return step >= in->shared && step < in->r->progress.at && in->r->steps.data[step].event == event;
}

/* Whether an event follows a new step: what comes before that comes before it. */
static bool follows_new(const struct reversal_pass *in, uint32_t event) {
  const unf_unfolding *u = in->u;
  uint32_t count;
  const uint32_t *follows = event_follows(u, event, &count);
  if (is_new(in, event_at(u, event)->before)) return true;
  for (uint32_t i = 0; i < count; i++) {
    const struct layer *layer = follows[i] & ROW_TAG ? layer_at(u, follows[i]) : NULL;
    if (is_new(in, layer != NULL ? layer->members[0] : follows[i])) return true;
  }
  return false;
}

/* Enters an event as a step. */
static inline void place(struct reversals *r, const unf_unfolding *u, uint32_t step,
                         uint32_t event) {
  const struct event *e = event_at(u, event);
  uint32_t thread = u->actions.data[e->action].thread;
  r->steps.data[step] = (struct placed){event, e->action, thread, e->before, NONE};
  r->events.data[event].step = step;
}

/* Links a step with the one before it on its thread, where all in front of it are linked. */
static void link(struct reversals *r, const unf_unfolding *u, uint32_t step) {
  const struct placed *p = &r->steps.data[step];
  if (p->before == 0 || action_of(u, p->before)->thread != p->thread)
    r->firsts.data[p->thread] = step;
  else
    r->steps.data[r->events.data[p->before].step].next = step;
}

/* The first step that does not come before all new ones. */
static uint32_t first_open(const struct reversal_pass *in) {
  struct rest all = all_of(in);
  uint32_t open = in->M->count;
  for (uint32_t t = 0; in->shared < in->M->count && t < in->r->earliest.count; t++) {
    uint32_t step = step_after(&all, t, in->r->earliest.data[t]);
    if (step < open) open = step;
  }
  return open;
}

/* Room for the steps of the execution, and what is known by thread. Returns false when refused. */
static bool reserve_steps(struct reversal_pass *in) {
  const unf_unfolding *u = in->u;
  struct reversals *r = in->r;
  if (!vector_reserve(u->context, &r->earliest, u->threads.count) ||
      !vector_reserve_zero(u->context, &r->firsts, u->threads.count) ||
      !vector_reserve(u->context, &r->threads, u->threads.count) ||
      !vector_reserve(u->context, &r->steps, in->M->count) || !few_reserve(u, &r->few))
    return refuse(in);
  return true;
}

/* Lists the steps after those that this execution shares with the last one, which is one of few
 * steps, and finds those that come before all of them. Returns false when refused. */
static bool look_behind_few(struct reversal_pass *in) {
  const unf_unfolding *u = in->u;
  struct reversals *r = in->r;
  in->status = unfi_work(u->context, in->M->count);
  if (in->status != UNF_OK) return false;
  unfi_few_back(u, &r->few, r->steps.data, in->shared);
  for (uint32_t i = in->shared; i < in->M->count; i++)
    place(r, u, i, in->M->events[i]);
  r->common = unfi_few_enter(u, &r->few, r->steps.data, r->events.data, in->M->count);
  return true;
}

/* Of an execution of any length: for each thread its last event that comes before all of
 * them. */
static bool look_behind(struct reversal_pass *in) {
  const unf_unfolding *u = in->u;
  struct reversals *r = in->r;
  uint32_t *at = &r->progress.at;
  if (!reserve_steps(in)) return false;
  if (in->M->count <= FEW_STEPS) return look_behind_few(in);
  if (r->few.before.count > 0) {
    in->status = unfi_work(u->context, FEW_STEPS);
    if (in->status != UNF_OK) return false;
    unfi_few_back(u, &r->few, r->steps.data, 0);
    for (uint32_t i = 0; i < in->shared; i++)
      link(r, u, i);
  }
  if (*at == in->shared) {
    r->earliest.count = u->threads.count;
    for (uint32_t t = 0; t < r->earliest.count; t++)
      r->earliest.data[t] = NONE;
  }
  for (; *at < in->M->count; ++*at) {
    uint32_t event = in->M->events[*at];
    in->status = unfi_work(u->context, r->earliest.count);
    if (in->status != UNF_OK) return false;
    place(r, u, *at, event);
    link(r, u, *at);
    if (!follows_new(in, event)) come_before(in, event);
    unfi_done(u->context);
  }
  r->open = first_open(in);
  return true;
}

/*
 * Whether the sequence of a reversal of the last execution has no event in this one that it did not
 * have when it was visited: all steps after the shared ones come after the first event that the
 * sequence leaves out. If it had more events then, these commuted with the event of the reversal,
 * so what covers the old sequence covers the new one.
 */
static inline bool covered(const struct reversal_pass *in, const struct reversal_entry *entry) {
  const struct reversals *r = in->r;
  if (in->M->count <= FEW_STEPS) return entry->first < FEW_STEPS && r->common >> entry->first & 1;
  if (entry->first < r->open) return true;
  if (entry->first == NONE) return false;
  const struct placed *first = &r->steps.data[entry->first];
  return first->event <= r->earliest.data[first->thread];
}

/* What an event leaves out is not before this position, as it was not in the last execution. If one
 * event decided, and is in this execution, it decides still: of the site where they are in a race
 * whatever comes later comes after that event. */
static struct beginning where_it_was(const struct reversal_pass *in,
                                     const struct reversal_entry *entry) {
  if (entry->again) return (struct beginning){0, false};
  if (entry->first >= in->shared) return (struct beginning){in->shared, false};
  return (struct beginning){entry->first, entry->after};
}

static bool at_position(void *user, uint32_t position, bool once) {
  struct reversal_pass *in = user;
  struct reversals *r = in->r;
  in->position = position;
  if (once && r->once == position) r->once++;
  if (position >= in->shared) return true;
  while (r->next < r->last.count && r->last.data[r->next].position < position)
    r->next++;
  if (!once) return true;
  for (; r->next < r->last.count && r->last.data[r->next].position == position; r->next++) {
    const struct reversal_entry *entry = &r->last.data[r->next];
    if (entry->again || !covered(in, entry)) {
      if (!note(in, entry->event, where_it_was(in, entry))) return false;
      continue;
    }
    if (!vector_reserve(in->u->context, &r->found, (uint64_t)r->found.count + 1)) return refuse(in);
    r->events.data[entry->event].stamp = r->stamp;
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
    if (!r->found.data[i].again) r->events.data[r->found.data[i].event].stamp = 0;
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
    struct beginning b = where_it_was(in, entry);
    if (!make(in, entry->event, &b.first, b.after)) return false;
    entry->first = b.first;
    entry->after = b.after;
    unfi_done(in->u->context);
  }
  return true;
}

/* Begins with an execution. Returns false when refused. */
static bool begin_reversals(struct reversal_pass *in) {
  unf_unfolding *u = in->u;
  struct reversals *r = in->r;
  if (r->covered == 0 && ++r->stamp == 0) {
    vector_free(u->context, &r->events);
    r->stamp = 1;
  }
  if (r->covered == 0) r->found.count = 0;
  r->covered = 0;
  if (!vector_reserve_zero(u->context, &r->events, u->store.count)) return refuse(in);
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
                          rest_visitor visit, void *user) {
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
  uint32_t *sequence;
  bool more;
};

static bool pass_on(void *user, struct rest *rest) {
  struct public_visitor *in = user;
  uint32_t count = unfi_rest_list(rest, in->sequence);
  unf_reversal public = {rest->event, rest->position, in->sequence, count};
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
  handle_vector sequence = {0};
  if (!open_execution(u, execution, count, &C, &status)) return status;
  if (!vector_reserve(u->context, &sequence, count + 1)) status = unfi_refused(u->context);
  struct public_visitor adapter = {visit, user, sequence.data, true};
  for (uint32_t t = 0; status == UNF_OK && t < u->threads.count; t++) {
    uint32_t last = cut_last(u, configuration_cut(C), t);
    if (last != NONE && next_after(u, t, last) == 0) status = unfi_missing(u, t);
  }
  struct maximal M = {.cut = configuration_cut(C), .events = execution, .count = C->size};
  if (status == UNF_OK) status = unfi_reversals(u, &reversals, &M, pass_on, &adapter);
  if (status == UNF_OK && adapter.more) status = unfi_outcome_reversals(u, &M, pass_on, &adapter);
  unfi_reversals_free(u->context, &reversals);
  vector_free(u->context, &sequence);
  unf_configuration_free(C);
  return status;
}
