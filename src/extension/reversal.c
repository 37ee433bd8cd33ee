/*
 * Reversals of races: from a maximal configuration M, events for U that are enough to explore
 * everything, though fewer than its conflicting extensions. The rules were found by experiment on
 * some hundred thousand programs and are kept by comparison with all interleavings; leaving out any
 * of them loses executions. M \ ↑e is M without e and its successors; at(P, t) is everything that
 * thread t can do after P.
 *
 * 1. Race: for e < e' in M on different threads with no event between, at(M \ ↑e, thread of e').
 * 2. If that is empty, and what the thread of e' needs is in P: what blocks it is taken out of P,
 * with its successors, until it can go on (down.c).
 * 3. The same from M itself for each thread that is blocked at the end.
 * 4. What the family adds: for every event that data or a choice of whom to notify decided, what
 * else its operation could have become at M \ ↑e; and rules of its own (extension/condition.c).
 *
 * Families that compute conflicting extensions on their own have these instead. O(races · |M|).
 */
#include "extension/down.h"
#include "extension/extension.h"
#include "extension/reversal.h"
#include "extension/reversing.h"
#include "extension/siblings.h"
#include "extension/site_history.h"
#include "structure/action.h"
#include "structure/cells.h"
#include "structure/cut.h"
#include "structure/effect.h"
#include "structure/event.h"
#include "structure/layer.h"
#include "structure/names.h"
#include "structure/relation.h"
#include "structure/sparse.h"

/* A layer of so many members. */
#ifdef UNF_PLAIN_ARENAS
#define LARGE_LAYER 2u
#else
#define LARGE_LAYER 16u
#endif

bool unfi_reversal_stopped(const struct reversal *r) {
  return r->status != UNF_OK || !r->more;
}

struct cut unfi_reversal_M(const struct reversal *r) {
  return r->M;
}

struct cut unfi_reversal_P(const struct reversal *r) {
  return sparse_cut(&r->P);
}

/* Whether an event comes after nothing that is left out; what comes after others has a greater
 * handle. */
static bool stays(const struct reversal *r, uint32_t event) {
  for (uint32_t i = 0; i < r->outs.count; i++)
    if (r->outs.data[i] <= event && unfi_precedes(r->u, r->outs.data[i], event)) return false;
  return true;
}

/* What the only site has before an event that is left out, if that writes it: whatever came later
 * there came after it. */
static bool below_out(const struct reversal *r, uint32_t out, uint32_t *entry) {
  const unf_unfolding *u = r->u;
  const struct action *a = action_of(u, out);
  if (a->uses == 0 ? a->written != r->single : unfi_access(u, a, r->single) != ACCESS_WRITE)
    return false;
  *entry = a->uses == 0 ? event_at(u, out)->follows : unfi_entry_before(u, out, r->single);
  return true;
}

/* unfi_without() where only one site beside that of the thread counts: everything else of P is left
 * empty. */
static bool without_single(struct reversal *r) {
  uint32_t entry = cut_at(r->M, r->single);
  bool below = r->outs.count == 1 && below_out(r, r->outs.data[0], &entry);
  if (!below && !unfi_entry_without(r->u, &entry, r->single, r->outs.data, r->outs.count)) {
    r->status = unfi_refused(r->u->context);
    return false;
  }
  r->P.entries.data[r->single] = entry;
  r->P.entries.data[r->own] = stays(r, r->before) ? r->before : 0;
  return true;
}

/* Whether P has all that it is to have at a site. */
static bool is_whole(const struct reversal *r, uint32_t site) {
  const struct attempts *a = r->attempts;
  return site < a->whole.capacity && a->whole.data[site] == a->made;
}

/* Gives P at once what it is to have at a site. Returns false when refused. */
static bool make_whole(struct reversal *r, uint32_t site) {
  struct attempts *a = r->attempts;
  uint32_t entry = cut_at(r->M, site);
  if (!vector_reserve_zero(r->u->context, &a->whole, r->u->sites.count) ||
      !unfi_entry_without(r->u, &entry, site, r->outs.data, r->outs.count))
    return false;
  a->whole.data[site] = a->made;
  r->P.entries.data[site] = entry;
  r->some_whole = true;
  return true;
}

/* Enters one use of an event into P. Returns false when refused. */
static bool enter_use(struct reversal *r, uint32_t event, uint32_t thread_site, struct use use) {
  if (is_whole(r, use.site)) return true;
  uint32_t *entry = &r->P.entries.data[use.site];
  held_add(&r->P.held, use.site);
  if (use.access == ACCESS_WRITE) *entry = event;
  if (use.access == ACCESS_WRITE || use.access == ACCESS_END) return true;
  if (!unfi_entry_add(r->u, *entry, use.access, event, thread_site, entry)) return false;
  return entry_size(r->u, *entry) < LARGE_LAYER || make_whole(r, use.site);
}

/* Enters an event into P. Of n reads at a site without one of them the layers of the first two,
 * three and more would be others for each that is left out, n³ words in all: so as soon as a layer
 * is large, the site has at once what is left of it. Returns false when refused. */
static bool enter(struct reversal *r, uint32_t event) {
  const struct action *a = action_of(r->u, event);
  uint32_t count;
  if (!a->layered && !r->some_whole) return unfi_sparse_enter(r->u, &r->P, event);
  const struct use *uses = uses_of(r->u, a, &count);
  held_add(&r->P.held, a->site);
  for (uint32_t i = 0; i < count; i++)
    if (!enter_use(r, event, a->site, uses[i])) return false;
  r->P.entries.data[a->site] = event;
  return true;
}

/* Forgets which sites of the last P were whole. */
static void begin_entering(struct reversal *r) {
  struct attempts *a = r->attempts;
  r->some_whole = false;
  if (++a->made == 0) {
    vector_free(r->u->context, &a->whole);
    a->made = 1;
  }
}

bool unfi_without(struct reversal *r) {
  unf_unfolding *u = r->u;
  r->status = unfi_work(u->context, 1);
  if (r->status != UNF_OK) return false;
  r->attempts->out = r->outs.count == 1 ? r->outs.data[0] : 0;
  if (r->single != NONE) return without_single(r);
  bool enough = sparse_reserve(u, &r->P);
  unfi_sparse_clear(&r->P);
  r->few = false;
  begin_entering(r);
  for (uint32_t i = 0; enough && i < r->count; i++) {
    bool out = false;
    uint64_t steps = steps_from(i, 1 + r->outs.count);
    if (steps > 0) r->status = unfi_work(u->context, steps);
    if (r->status != UNF_OK) return false;
    for (uint32_t j = 0; !out && j < r->outs.count; j++)
      out = unfi_precedes(u, r->outs.data[j], r->events[i]);
    if (!out) enough = enter(r, r->events[i]);
  }
  if (!enough) r->status = unfi_refused(u->context);
  return enough;
}

bool unfi_leave_out(struct reversal *r, uint32_t event) {
  if (vector_reserve(r->u->context, &r->outs, (uint64_t)r->outs.count + 1)) {
    vector_push(&r->outs, event);
    return true;
  }
  r->status = unfi_refused(r->u->context);
  return false;
}

void unfi_refuse_reversal(struct reversal *r, unf_status status) {
  if (r->status == UNF_OK) r->status = status;
}

bool unfi_without_event(struct reversal *r, uint32_t event) {
  r->outs.count = 0;
  return unfi_leave_out(r, event) && unfi_without(r);
}

static bool add(void *user, const unf_action *action) {
  struct reversal *r = user;
  struct causes causes;
  r->status = unfi_causes_of_outcome(r->u, unfi_reversal_P(r), action, &causes);
  r->found = true;
  if (r->status == UNF_OK) r->more = r->visit(r->user, &causes);
  return !unfi_reversal_stopped(r);
}

void unfi_at(struct reversal *r, uint32_t thread, uint32_t before) {
  uint32_t last = cut_last(r->u, unfi_reversal_P(r), thread);
  r->found = false;
  if (last != before) return;
  unf_status status =
      unfi_outcomes(r->u, unfi_reversal_P(r), thread, next_after(r->u, thread, last), add, r);
  if (r->status == UNF_OK) r->status = status;
}

/* The only site beside that of its thread that an operation looks at; NONE: there are others, or
 * none. Returns false when refused. */
static bool single_site(unf_unfolding *u, const unf_operation *operation, uint32_t *out) {
  const struct operation_row *row = &u->effects->operations[operation->kind];
  *out = NONE;
  if (!row->family->only_target || !is_object(row->target) ||
      has_several_cells(u, &u->objects.data[operation->target]))
    return true;
  *out = unfi_object_site(u, operation->target);
  return *out != NONE;
}

/* Looks at an operation of a thread from here on, of which the only site is known. Returns false
 * when refused. */
static bool begin_at(struct reversal *r, uint32_t thread, uint32_t before, uint32_t single) {
  unf_unfolding *u = r->u;
  r->own = u->threads.data[thread].site;
  r->before = before;
  r->single = single;
  if (single == NONE) return true;
  if (!sparse_reserve(u, &r->P)) {
    r->status = unfi_refused(u->context);
    return false;
  }
  if (r->few)
    r->P.entries.data[r->entered[0]] = r->P.entries.data[r->entered[1]] = 0;
  else
    unfi_sparse_clear(&r->P);
  held_add(&r->P.held, r->single);
  held_add(&r->P.held, r->own);
  r->few = true;
  r->entered[0] = r->single;
  r->entered[1] = r->own;
  return true;
}

/* Looks at one operation from here on. */
static bool begin(struct reversal *r, uint32_t thread, uint32_t before) {
  const unf_operation *operation = &r->u->operations.data[next_after(r->u, thread, before)];
  uint32_t single;
  if (single_site(r->u, operation, &single)) return begin_at(r, thread, before, single);
  r->status = unfi_refused(r->u->context);
  return false;
}

/* Whether what the operation of an action looks at is the only site that this uses. Mostly it is.
 */
static inline bool is_shown(const unf_unfolding *u, const struct action *a,
                            const struct action_row *row) {
  return a->count == 1 && a->on_object && row->family->only_target &&
         u->objects.data[a->target].cell == 0;
}

/* Rules 1 and 2 for one race, of an event with `out`. */
static void race_with(struct reversal *r, uint32_t event, uint32_t out) {
  uint32_t thread = action_of(r->u, event)->thread, before = event_at(r->u, event)->before;
  if (!unfi_without_event(r, out)) return;
  unfi_at(r, thread, before);
  if (r->found || unfi_reversal_stopped(r)) return;
  struct keep keep = unfi_keep_of(r, thread, before, event);
  if (unfi_precedes(r->u, out, before) || unfi_precedes(r->u, out, keep.needed)) return;
  unfi_down(r, thread, keep);
}

/* Whether the operation of an event, which is shown, can be performed whatever is there, as the
 * same action. */
static bool is_steady(unf_unfolding *u, const struct event *e, const struct action *a) {
  const unf_operation *operation = &u->operations.data[next_after(u, a->thread, e->before)];
  const struct operation_row *row = &u->effects->operations[operation->kind];
  return row->steady && row->family->only_target;
}

/* Rule 1 for one race of an event that is steady. What the site has without `out` is what is left
 * of what the event follows there: see reversed_once(). What can be asked at no cost is whether it
 * sleeps: then it need not be interned, nor looked at again in any execution that has the race. */
static void race_of_steady(struct reversal *r, const struct event *e, uint32_t out) {
  unf_unfolding *u = r->u;
  struct causes causes = {e->action, e->before, e->follows};
  enum access access = u->actions.data[e->action].first.access;
  r->status = unfi_work(u->context, 1);
  if (r->status != UNF_OK) return;
  r->attempts->out = out;
  if (!below_out(r, out, &causes.follows) &&
      !unfi_entry_without(u, &causes.follows, r->single, &out, 1)) {
    r->status = unfi_refused(u->context);
    return;
  }
  causes.follows = unfi_followed(u, causes.follows, access);
  bool asleep = false;
  if (r->asleep != NULL) r->status = r->asleep(r->explorer, &causes, out, &asleep);
  if (r->status == UNF_OK && !asleep) r->more = r->visit(r->user, &causes);
}

/* The unit of work at hand is done. */
static void settle(struct reversal *r) {
  r->settled = r->attempts->list.count;
  unfi_done(r->u->context);
}

/* Whether an event is in a race with the only one that it follows beside that of its thread. */
static bool has_only_race(const unf_unfolding *u, const struct event *e) {
  uint32_t other = e->follows, before = e->before;
  return other != 0 && other != before && (other > before || !unfi_precedes(u, other, before));
}

/* Lists what an event is in a race with. */
static void list_races(struct reversal *r, uint32_t event) {
  unf_unfolding *u = r->u;
  handle_vector *list = &r->predecessors;
  const struct event *e = event_at(u, event);
  uint32_t before = e->before, kept = 0;
  bool one = u->actions.data[e->action].count <= 1 && (e->follows & ROW_TAG) == 0;
  if (!vector_reserve(u->context, list, one ? 1 : unfi_predecessor_bound(u, event))) {
    r->status = unfi_refused(u->context);
    return;
  }
  list->count = 0;
  if (one && has_only_race(u, e)) vector_push(list, e->follows);
  if (one) return;
  for (uint32_t i = 0, count = unfi_predecessors(u, event, list->data); i < count; i++)
    if (list->data[i] != 0 && list->data[i] != before) list->data[kept++] = list->data[i];
  list->count = kept;
}

/* Rules 1 and 2 for one event, the races of which are listed. */
static void races(struct reversal *r, uint32_t event, bool steady) {
  const handle_vector *list = &r->predecessors;
  const struct event *e = event_at(r->u, event);
  uint32_t *race = &r->attempts->race;
  for (; *race < list->count; ++*race) {
    if (steady)
      race_of_steady(r, e, list->data[*race]);
    else
      race_with(r, event, list->data[*race]);
    if (unfi_reversal_stopped(r)) return;
    settle(r);
  }
}

static bool is_reversed(const struct reversal *r, uint32_t thread, uint32_t before) {
  const unf_unfolding *u = r->u;
  uint32_t next = next_after(r->u, thread, before);
  if (next == 0) return false;
  const struct operation_row *row = &u->effects->operations[u->operations.data[next].kind];
  return !row->ends && (r->all || row->family->conflicting == NULL);
}

void unfi_reverse_in_place(struct reversal *r, uint32_t event) {
  if (unfi_without_event(r, event))
    unfi_at(r, action_of(r->u, event)->thread, event_at(r->u, event)->before);
}

static void visit_sibling(struct reversal *r, uint32_t event, int64_t value) {
  struct causes causes;
  r->attempts->out = 0;
  r->status = unfi_sibling(r->u, event, value, &causes);
  if (r->status == UNF_OK) r->more = r->visit(r->user, &causes);
}

void unfi_reverse_to_siblings(struct reversal *r, uint32_t event) {
  int64_t taken = action_of(r->u, event)->value, value;
  struct siblings siblings;
  if (r->draw != NULL) {
    bool any;
    r->status = r->draw(r->explorer, event, &value, &any);
    if (r->status == UNF_OK && any) visit_sibling(r, event, value);
    return;
  }
  unfi_siblings_of(r->u, event, &siblings);
  for (value = siblings.low; !unfi_reversal_stopped(r); value++) {
    if (value != taken) visit_sibling(r, event, value);
    if (value == siblings.high) return;
  }
}

/*
 * What the operation of an event e' could have become was visited for an earlier configuration, if
 * the event was in it and the operation looks at one site only: M \ ↑e has nothing of that site
 * from behind e', for any e that races with e'. Whatever is there depends on e' or, if it commutes
 * with e', on e, since e and e' do not commute. Of an operation that looks at no object what it
 * could have become follows from its thread.
 */
static bool reversed_once(const struct reversal *r, const struct action_row *row) {
  return r->single != NONE || (row->family->only_target && !is_object(row->target));
}

/* Whether one look shows that nothing comes of an event. */
static inline bool has_nothing(const struct reversal *r, uint32_t event) {
  const struct event *e = event_at(r->u, event);
  const struct action *a = &r->u->actions.data[e->action];
  const struct action_row *row = &r->u->effects->actions[a->kind];
  const struct effect_family *family = row->family;
  if (family->conflicting != NULL && !r->all) return true;
  if (r->at_position == NULL && row->access == ACCESS_END) return true;
  if (r->at_position != NULL || family->reverse != NULL || a->count > 1) return false;
  return (e->follows & ROW_TAG) == 0 && !has_only_race(r->u, e);
}

/* An event that follows the end of something: its operation could not have become anything else, so
 * nobody asks which of what it follows it is in a race with; these can be many. */
static void visit_end(struct reversal *r, uint32_t position, const struct action_row *row) {
  uint32_t event = r->events[position];
  const struct action *a = action_of(r->u, event);
  bool shown = is_shown(r->u, a, row);
  if (!shown && !begin(r, a->thread, event_at(r->u, event)->before)) return;
  r->more = r->at_position(r->user, position, shown || reversed_once(r, row));
}

/* An event at a position of M. */
static void reverse_event(struct reversal *r, uint32_t position) {
  unf_unfolding *u = r->u;
  uint32_t event = r->events[position];
  const struct action *a = action_of(u, event);
  const struct action_row *row = &u->effects->actions[a->kind];
  const struct event *e = event_at(u, event);
  if (row->access == ACCESS_END) {
    visit_end(r, position, row);
    return;
  }
  list_races(r, event);
  bool nothing = row->family->reverse == NULL && r->predecessors.count == 0;
  if (unfi_reversal_stopped(r) || (nothing && r->at_position == NULL)) return;
  bool shown = is_shown(u, a, row);
  if (nothing && shown) {
    r->more = r->at_position(r->user, position, true);
    return;
  }
  bool steady = shown && is_steady(u, e, a);
  if (steady)
    r->single = a->first.site;
  else if (shown ? !begin_at(r, a->thread, e->before, a->first.site)
                 : !begin(r, a->thread, e->before))
    return;
  bool once = reversed_once(r, row);
  if (r->at_position != NULL) r->more = r->at_position(r->user, position, once);
  if ((once && position < r->known) || unfi_reversal_stopped(r)) return;
  if (r->predecessors.count > 0) races(r, event, steady);
  if (row->family->reverse != NULL && !unfi_reversal_stopped(r)) row->family->reverse(u, r, event);
}

/* Rule 3. */
static void reverse_end(struct reversal *r, uint32_t thread, uint32_t last) {
  unf_unfolding *u = r->u;
  r->status = unfi_work(u->context, 1);
  if (unfi_reversal_stopped(r) || !begin(r, thread, last)) return;
  r->outs.count = 0;
  if (unfi_without(r)) unfi_down(r, thread, unfi_keep_of(r, thread, last, NONE));
  const unf_operation *operation = &u->operations.data[next_after(u, thread, last)];
  const struct effect_family *family = u->effects->operations[operation->kind].family;
  if (family->reverse_end != NULL && !unfi_reversal_stopped(r))
    family->reverse_end(u, r, thread, last);
}

static void reverse_events(struct reversal *r) {
  uint32_t *position = &r->attempts->position;
  for (; *position < r->count; ++*position) {
    r->status = unfi_work(r->u->context, 1);
    if (r->status == UNF_OK && !has_nothing(r, r->events[*position])) reverse_event(r, *position);
    if (unfi_reversal_stopped(r)) return;
    r->attempts->race = 0;
    settle(r);
  }
}

static void reverse_ends(struct reversal *r) {
  uint32_t *thread = &r->attempts->thread;
  for (; *thread < r->u->threads.count && !unfi_reversal_stopped(r); ++*thread) {
    uint32_t last = cut_last(r->u, r->M, *thread);
    uint64_t steps = steps_from(*thread, 1);
    if (steps > 0) r->status = unfi_work(r->u->context, steps);
    if (r->status != UNF_OK) return;
    if (last == NONE || !is_reversed(r, *thread, last)) continue;
    reverse_end(r, *thread, last);
    if (unfi_reversal_stopped(r)) return;
    settle(r);
  }
}

static unf_status reverse(unf_unfolding *u, const struct maximal *M, bool all,
                          struct attempts *attempts, position_visitor at_position,
                          causes_visitor visit, void *user) {
  struct reversal r = {.u = u,
                       .M = M->cut,
                       .events = M->events,
                       .count = M->count,
                       .all = all,
                       .known = M->known,
                       .single = NONE,
                       .own = 0,
                       .before = 0,
                       .few = false,
                       .entered = {0, 0},
                       .found = false,
                       .P = attempts->P,
                       .outs = attempts->outs,
                       .predecessors = attempts->predecessors,
                       .tried = attempts->cuts,
                       .attempts = attempts,
                       .settled = attempts->list.count,
                       .at_position = at_position,
                       .draw = M->draw,
                       .asleep = M->asleep,
                       .explorer = M->explorer,
                       .visit = visit,
                       .user = user,
                       .status = UNF_OK,
                       .more = true};
  if (!M->again) {
    attempts->position = M->from;
    attempts->race = attempts->thread = 0;
  }
  reverse_events(&r);
  if (at_position != NULL && !unfi_reversal_stopped(&r)) r.more = at_position(user, r.count, false);
  if (!M->complete) reverse_ends(&r);
  if (unfi_reversal_stopped(&r)) unfi_attempts_back(attempts, r.settled);
  attempts->P = r.P;
  attempts->outs = r.outs;
  attempts->predecessors = r.predecessors;
  attempts->cuts = r.tried;
  return r.status;
}

unf_status unfi_reverse(unf_unfolding *u, const struct maximal *M, struct attempts *attempts,
                        causes_visitor visit, void *user) {
  return reverse(u, M, false, attempts, NULL, visit, user);
}

unf_status unfi_reverse_all(unf_unfolding *u, const struct maximal *M, struct attempts *attempts,
                            position_visitor at_position, causes_visitor visit, void *user) {
  return reverse(u, M, true, attempts, at_position, visit, user);
}
