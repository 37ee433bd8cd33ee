/*
 * Reversals of races: from a maximal configuration M, events for U that are enough to explore
 * everything, though fewer than its conflicting extensions. The rules were found by experiment on
 * some hundred thousand programs and are kept by comparison with all interleavings; leaving out any
 * of them loses executions. M \ ↑e is M without e and its successors; at(P, t) is everything that
 * thread t can do after P.
 *
 * 1. Race: for e < e' in M on different threads with no event between, at(M \ ↑e, thread of e').
 * 2. If that is empty, and what the thread of e' needs is in P: what blocks it is taken out of P,
 * with its successors, until it can go on (`down`).
 * 3. The same from M itself for each thread that is blocked at the end.
 * 4. Siblings: at(M \ ↑e, thread of e) for every signal e, which may have notified another, for
 * every choice of data, and for every event of a family of the front-end's own.
 * 5. Lost signal: for every signal e, from M \ ↑e every beginning of a wait that is not notified is
 *    taken out until nobody waits.
 * 6. Waiter taken by another: for every signal e and every w1 in M \ ↑e that something else ended,
 *    that end is taken out too, and the signal notifies this thread.
 * 7. Time-out: for every w2 of a timed wait, and every one that is still to come at the end, the
 *    thread could have timed out before its notification, also where other events stand between.
 * 8. Wait not begun: for every notification e and every time-out before it, the wait that ended so
 *    could have begun after it.
 *
 * Rules 5 and 6 exist because a signal does not depend on other waiters, which yet decide what
 * choices it has. Operations of a family that computes conflicting extensions on its own have these
 * instead. Cost: O(races · |M|).
 */
#include <string.h>

#include "extension/effects.h"
#include "structure/action.h"
#include "structure/cells.h"
#include "structure/cut.h"
#include "structure/effect.h"
#include "structure/event.h"
#include "structure/layer.h"
#include "structure/names.h"
#include "structure/relation.h"

struct reversal {
  unf_unfolding *u;
  struct cut M;
  const uint32_t *events; /* of M, causes first */
  uint32_t count;
  bool all; /* operations too whose family computes conflicting extensions on its own */
  uint32_t known;
  position_visitor place; /* may be NULL */
  uint32_t single;        /* the only site that counts for the operation at hand, or NONE */
  uint32_t own, before;   /* then: site of its thread, and the event that it follows */
  handle_vector cut, outs, predecessors;
  handle_vector tried; /* cuts, one below the other */
  struct attempts *attempts;
  causes_visitor visit;
  void *user;
  bool found; /* something could be done at the cut at hand */
  unf_status status;
  bool more;
};

static bool stopped(const struct reversal *r) {
  return r->status != UNF_OK || !r->more;
}

static struct cut P_of(const struct reversal *r) {
  struct cut P = {r->cut.data, r->cut.count};
  return P;
}

/* The same where only one site beside that of the thread counts: everything else of P is left
 * empty. */
static bool without_single(struct reversal *r) {
  unf_unfolding *u = r->u;
  uint32_t entry = cut_at(r->M, r->single);
  bool stays = true;
  for (uint32_t i = 0; stays && i < r->outs.count; i++)
    stays = !unfi_precedes(u, r->outs.data[i], r->before);
  uint32_t out = r->outs.count == 1 ? r->outs.data[0] : 0;
  if (out != 0 && unfi_access(u, action_of(u, out), r->single) == ACCESS_WRITE) {
    entry = unfi_entry_before(u, out, r->single); /* whatever came later there came after it */
  } else if (!unfi_entry_without(u, &entry, r->single, r->outs.data, r->outs.count)) {
    r->status = unfi_refused(u->context);
    return false;
  }
  r->cut.data[r->single] = entry;
  r->cut.data[r->own] = stays ? r->before : 0;
  return true;
}

/* Makes P the events of M without `outs` and their successors. */
static bool without(struct reversal *r) {
  unf_unfolding *u = r->u;
  if (r->single != NONE) return without_single(r);
  bool enough = vector_reserve(u->context, &r->cut, u->sites.count);
  if (enough) memset(r->cut.data, 0, u->sites.count * sizeof *r->cut.data);
  r->cut.count = u->sites.count;
  for (uint32_t i = 0; enough && i < r->count; i++) {
    bool out = false;
    for (uint32_t j = 0; !out && j < r->outs.count; j++)
      out = unfi_precedes(u, r->outs.data[j], r->events[i]);
    if (!out) enough = unfi_cut_enter(u, r->cut.data, r->events[i], action_of(u, r->events[i]));
  }
  if (!enough) r->status = unfi_refused(u->context);
  return enough;
}

static bool leave_out(struct reversal *r, uint32_t event) {
  if (vector_reserve(r->u->context, &r->outs, (uint64_t)r->outs.count + 1)) {
    vector_push(&r->outs, event);
    return true;
  }
  r->status = unfi_refused(r->u->context);
  return false;
}

/* P = M \ ↑event. */
static bool without_event(struct reversal *r, uint32_t event) {
  r->outs.count = 0;
  return leave_out(r, event) && without(r);
}

static bool add(void *user, const unf_action *action) {
  struct reversal *r = user;
  struct causes causes;
  r->status = unfi_causes_of_outcome(r->u, P_of(r), action, &causes);
  r->found = true;
  if (r->status == UNF_OK) r->more = r->visit(r->user, &causes);
  return !stopped(r);
}

/* Adds at(P, thread), when the thread stands after `before` in P. */
static void at(struct reversal *r, uint32_t thread, uint32_t before) {
  uint32_t last = cut_last(r->u, P_of(r), thread);
  r->found = false;
  if (last != before) return;
  unf_status status = unfi_outcomes(r->u, P_of(r), thread, next_after(r->u, thread, last), add, r);
  if (r->status == UNF_OK) r->status = status;
}

/* What may not be left out for the operation of a thread after `before`: that, and what ended its
 * wait. */
struct keep {
  uint32_t before, notification;
};

static struct keep keep_of(const struct reversal *r, uint32_t thread, uint32_t before,
                           uint32_t event, struct cut cut) {
  const unf_unfolding *u = r->u;
  struct keep keep = {before, 0};
  uint32_t next = *unfi_next_slot(r->u, thread, before);
  const unf_operation *operation = &u->operations.data[next];
  if (operation->kind != UNF_WAKE && operation->kind != UNF_TIMED_WAKE) return keep;
  for (uint32_t i = u->objects.data[operation->target].waiters; i != 0;
       i = u->waiters.data[i - 1].next) {
    const struct waiter *w = &u->waiters.data[i - 1];
    if (w->thread != thread) continue;
    uint32_t entry = event != NONE ? unfi_entry_before(u, event, w->site) : cut_at(cut, w->site);
    keep.notification = entry_write(u, entry);
  }
  return keep;
}

/* Whether this cut was tried already for the thread at hand; it is then remembered. */
static bool tried(struct reversal *r) {
  unf_unfolding *u = r->u;
  uint32_t words = r->cut.count;
  for (uint32_t i = 0; i + words <= r->tried.count; i += words)
    if (memcmp(r->tried.data + i, r->cut.data, words * sizeof *r->cut.data) == 0) return true;
  if (!vector_reserve(u->context, &r->tried, (uint64_t)r->tried.count + words)) {
    r->status = unfi_refused(u->context);
    return true;
  }
  memcpy(r->tried.data + r->tried.count, r->cut.data, words * sizeof *r->cut.data);
  r->tried.count += words;
  return false;
}

static uint64_t attempt_hash(const void *attempts, uint32_t handle) {
  const struct attempt *a = &((const struct attempts *)attempts)->list.data[handle - 1];
  return mix(((uint64_t)a->thread << 32) | a->before, a->entry);
}

void unfi_attempts_forget(unf_context *context, struct attempts *attempts) {
  if (attempts->table.slots == NULL) return;
  vector_free(context, &attempts->list);
  unfi_table_free(context, &attempts->table);
}

void unfi_attempts_free(unf_context *context, struct attempts *attempts) {
  unfi_attempts_forget(context, attempts);
  vector_free(context, &attempts->cut);
  vector_free(context, &attempts->outs);
  vector_free(context, &attempts->predecessors);
  vector_free(context, &attempts->cuts);
}

/* The same for a location, across configurations: what can be done after P depends on what the
 * location has in it. */
static bool attempted(struct reversal *r, uint32_t thread, uint32_t before, uint32_t entry) {
  unf_context *context = r->u->context;
  struct attempts *attempts = r->attempts;
  struct table *table = &attempts->table;
  struct attempt attempt = {thread, before, entry};
  if (!unfi_table_reserve_dense(context, table, attempt_hash, attempts) ||
      !vector_reserve(context, &attempts->list, (uint64_t)attempts->list.count + 1)) {
    r->status = unfi_refused(context);
    return true;
  }
  uint64_t hash = mix(((uint64_t)thread << 32) | before, entry);
  for (uint32_t i = (uint32_t)hash & table->mask; table->slots[i] != 0; i = (i + 1) & table->mask) {
    const struct attempt *a = &attempts->list.data[table->slots[i] - 1];
    if (a->thread == thread && a->before == before && a->entry == entry) return true;
  }
  vector_push(&attempts->list, attempt);
  table_put(table, hash, attempts->list.count);
  return false;
}

/* The last events of P that change what the operation concerns, as far as they may be left out. */
static bool relevant(struct reversal *r, const unf_operation *operation, struct keep keep,
                     handle_vector *out) {
  unf_unfolding *u = r->u;
  const struct effect_family *family = u->effects->operations[operation->kind].family;
  handle_vector history = {0};
  r->status = family->concerns(u, operation);
  if (r->status != UNF_OK) return false;
  bool enough = true;
  for (uint32_t i = 0; enough && i < u->use_room.count; i++)
    enough = unfi_site_history(u, P_of(r), u->use_room.data[i].site, &history);
  enough = enough && vector_reserve(u->context, out, history.count);
  uint32_t kept = 0;
  for (uint32_t i = 0; enough && i < history.count; i++)
    if (action_of(u, history.data[i])->kind != UNF_DID_READ) history.data[kept++] = history.data[i];
  history.count = kept;
  for (uint32_t i = 0; enough && i < history.count; i++) {
    bool last = !unfi_precedes(u, history.data[i], keep.before);
    for (uint32_t j = 0; last && j < history.count; j++)
      last =
          history.data[i] == history.data[j] || !unfi_precedes(u, history.data[i], history.data[j]);
    if (last) vector_push(out, history.data[i]);
  }
  vector_free(u->context, &history);
  if (!enough) r->status = unfi_refused(u->context);
  return enough;
}

static void down_anyhow(struct reversal *r, uint32_t thread, struct keep keep,
                        const unf_operation *operation);

/* Goes on from P without one event more. */
static void down_without(struct reversal *r, uint32_t thread, struct keep keep,
                         const unf_operation *operation, uint32_t event) {
  uint32_t outs = r->outs.count;
  if (leave_out(r, event) && without(r)) at(r, thread, keep.before);
  if (!r->found && !stopped(r)) down_anyhow(r, thread, keep, operation);
  r->outs.count = outs;
}

/* The location's part of `down_anyhow`: tries what stands before the last write; whether leaving
 * out single events is to be tried too. */
static bool below_write(struct reversal *r, uint32_t thread, struct keep keep,
                        const unf_operation *operation) {
  unf_unfolding *u = r->u;
  const struct effect_family *family = u->effects->operations[operation->kind].family;
  uint32_t entry = cut_at(P_of(r), u->objects.data[operation->target].site);
  uint32_t write = entry_write(u, entry);
  if (attempted(r, thread, keep.before, entry)) return false;
  if (entry == write) return true;
  bool help = family->adds_help(u, P_of(r), operation, keep.before);
  if (write != 0 && !unfi_precedes(u, write, keep.before))
    down_without(r, thread, keep, operation, write);
  return help && !stopped(r) && without(r);
}

/* The last writes at the sites of a location, as far as they may be left out. */
static bool last_writes(struct reversal *r, const unf_operation *operation, struct keep keep,
                        handle_vector *out) {
  unf_unfolding *u = r->u;
  r->status = u->effects->operations[operation->kind].family->concerns(u, operation);
  if (r->status == UNF_OK && !vector_reserve(u->context, out, u->use_room.count))
    r->status = unfi_refused(u->context);
  for (uint32_t i = 0; r->status == UNF_OK && i < u->use_room.count; i++) {
    uint32_t write = entry_write(u, cut_at(P_of(r), u->use_room.data[i].site));
    bool found = write == 0 || unfi_precedes(u, write, keep.before);
    for (uint32_t j = 0; !found && j < out->count; j++)
      found = out->data[j] == write;
    if (!found) vector_push(out, write);
  }
  return r->status == UNF_OK;
}

/* Where nothing tells what blocks the operation: each of the relevant events is left out in turn.
 * For a location that cannot help while the value stays out of reach; one of several sites gets
 * there only without one of the last writes. */
static void down_anyhow(struct reversal *r, uint32_t thread, struct keep keep,
                        const unf_operation *operation) {
  const struct effect_family *family = r->u->effects->operations[operation->kind].family;
  handle_vector last = {0};
  bool go_on, writes = false;
  if (family->adds_help != NULL && r->single != NONE) {
    go_on = below_write(r, thread, keep, operation);
  } else {
    go_on = !tried(r);
    writes = go_on && family->adds_help != NULL &&
             !family->adds_help(r->u, P_of(r), operation, keep.before);
  }
  if (go_on &&
      (writes ? last_writes(r, operation, keep, &last) : relevant(r, operation, keep, &last)))
    for (uint32_t i = 0; i < last.count && !stopped(r); i++)
      down_without(r, thread, keep, operation, last.data[i]);
  vector_free(r->u->context, &last);
}

static void down(struct reversal *r, uint32_t thread, struct keep keep) {
  unf_unfolding *u = r->u;
  uint32_t next = next_after(u, thread, keep.before);
  uint32_t *found = u->store.entry_room.data;
  while (!stopped(r)) {
    /* Copied: interning on the way may move the table. */
    unf_operation operation = u->operations.data[next];
    const struct effect_family *family = u->effects->operations[operation.kind].family;
    if (family->blockers == NULL) {
      r->tried.count = 0;
      down_anyhow(r, thread, keep, &operation);
      return;
    }
    if (!vector_reserve(u->context, &u->store.entry_room, u->threads.count)) {
      r->status = unfi_refused(u->context);
      return;
    }
    found = u->store.entry_room.data;
    uint32_t count = family->blockers(u, P_of(r), thread, &operation, found);
    for (uint32_t i = 0; i < count; i++)
      if (unfi_precedes(u, found[i], keep.before) || unfi_precedes(u, found[i], keep.notification))
        return;
    for (uint32_t i = 0; i < count; i++)
      if (!leave_out(r, found[i])) return;
    if (count == 0 || !without(r)) return;
    at(r, thread, keep.before);
    if (r->found) return;
  }
}

/* The only site beside that of its thread that an operation looks at; NONE: there are others. */
static uint32_t single_site(const unf_unfolding *u, const unf_operation *operation) {
  switch (u->effects->operations[operation->kind].target) {
  case TARGET_MUTEX:
  case TARGET_RWLOCK:
  case TARGET_SEMAPHORE:
  case TARGET_LOCATION: {
    const struct object *o = &u->objects.data[operation->target];
    return has_several_cells(u, o) ? NONE : o->site;
  }
  default:
    return NONE;
  }
}

/* Looks at one operation from here on. */
static bool begin(struct reversal *r, uint32_t thread, uint32_t before) {
  unf_unfolding *u = r->u;
  r->single = single_site(u, &u->operations.data[next_after(u, thread, before)]);
  r->own = u->threads.data[thread].site;
  r->before = before;
  if (r->single == NONE) return true;
  if (!vector_reserve(u->context, &r->cut, u->sites.count)) {
    r->status = unfi_refused(u->context);
    return false;
  }
  memset(r->cut.data, 0, u->sites.count * sizeof *r->cut.data);
  r->cut.count = u->sites.count;
  return true;
}

/* Rules 1 and 2 for one event. */
static void races(struct reversal *r, uint32_t event) {
  unf_unfolding *u = r->u;
  uint32_t thread = action_of(u, event)->thread, before = event_at(u, event)->before;
  if (!vector_reserve(u->context, &r->predecessors, unfi_predecessor_bound(u, event))) {
    r->status = unfi_refused(u->context);
    return;
  }
  uint32_t count = unfi_predecessors(u, event, r->predecessors.data);
  struct keep keep = keep_of(r, thread, before, event, r->M);
  for (uint32_t i = 0; i < count && !stopped(r); i++) {
    uint32_t e = r->predecessors.data[i];
    if (e == 0 || e == before || !without_event(r, e)) continue;
    at(r, thread, before);
    if (r->found || unfi_precedes(u, e, keep.before) || unfi_precedes(u, e, keep.notification))
      continue;
    down(r, thread, keep);
  }
}

/* Rule 5. Takes out what waits, round after round, since that may bring others back. */
static void lost(struct reversal *r, uint32_t event) {
  unf_unfolding *u = r->u;
  const struct action *a = action_of(u, event);
  uint32_t condition = a->target, thread = a->thread, before = event_at(u, event)->before;
  if (!without_event(r, event)) return;
  while (!stopped(r) && unfi_anybody_waits(u, P_of(r), condition)) {
    for (uint32_t i = u->objects.data[condition].waiters; i != 0; i = u->waiters.data[i - 1].next) {
      uint32_t last = entry_write(u, cut_at(P_of(r), u->waiters.data[i - 1].site));
      if (last == 0 || action_of(u, last)->kind != UNF_DID_WAIT) continue;
      if (unfi_precedes(u, last, before) || !leave_out(r, last)) return;
    }
    if (!without(r)) return;
  }
  if (!stopped(r)) at(r, thread, before);
}

/* Rule 6. */
static void taken(struct reversal *r, uint32_t event) {
  unf_unfolding *u = r->u;
  const struct action *signal = action_of(u, event);
  uint32_t condition = signal->target, thread = signal->thread;
  uint32_t before = event_at(u, event)->before;
  for (uint32_t i = u->objects.data[condition].waiters; i != 0 && !stopped(r);
       i = u->waiters.data[i - 1].next) {
    uint32_t site = u->waiters.data[i - 1].site;
    /* The ends of waits in M, the last one first. */
    for (uint32_t x = entry_write(u, cut_at(r->M, site)); x != 0 && !stopped(r);) {
      uint32_t wait = entry_write(u, unfi_entry_before(u, x, site));
      bool ends = wait != 0 && action_of(u, wait)->kind == UNF_DID_WAIT && x != event &&
                  !unfi_precedes(u, x, before) && !unfi_precedes(u, event, wait);
      if (ends) {
        if (!without_event(r, event) || !leave_out(r, x) || !without(r)) return;
        at(r, thread, before);
      }
      x = wait;
    }
  }
}

static bool is_reversed(const struct reversal *r, uint32_t thread, uint32_t before) {
  const unf_unfolding *u = r->u;
  uint32_t next = next_after(r->u, thread, before);
  if (next == 0) return false;
  const struct operation_row *row = &u->effects->operations[u->operations.data[next].kind];
  return !row->ends && (r->all || row->family->conflicting == NULL);
}

/* Rule 8. */
static void not_begun(struct reversal *r, uint32_t event) {
  unf_unfolding *u = r->u;
  uint32_t condition = action_of(u, event)->target, thread = action_of(u, event)->thread;
  uint32_t before = event_at(u, event)->before;
  for (uint32_t i = u->objects.data[condition].waiters; i != 0 && !stopped(r);
       i = u->waiters.data[i - 1].next) {
    uint32_t site = u->waiters.data[i - 1].site;
    for (uint32_t x = entry_write(u, cut_at(r->M, site)); x != 0 && !stopped(r);) {
      uint32_t wait = entry_write(u, unfi_entry_before(u, x, site));
      bool ends = action_of(u, x)->kind == UNF_DID_TIMEOUT && unfi_precedes(u, x, event) &&
                  !unfi_precedes(u, wait, before);
      if (ends) {
        if (!without_event(r, event) || !leave_out(r, wait) || !without(r)) return;
        at(r, thread, before);
      }
      x = wait;
    }
  }
}

/* Rule 7: the operation of a thread that its notification took to be a wake-up. */
static void timeout(struct reversal *r, uint32_t thread, struct keep keep) {
  uint32_t next = next_after(r->u, thread, keep.before);
  if (r->u->operations.data[next].kind != UNF_TIMED_WAKE) return;
  if (without_event(r, keep.notification)) at(r, thread, keep.before);
}

/*
 * What the operation of an event e' could have become was told for a configuration before, if the
 * event was in it and the operation looks at one site only: M \ ↑e has nothing of that site from
 * behind e', for any e that races with e'. Whatever is there depends on e' or, if it commutes with
 * e', on e, since e and e' do not commute. Of some kinds it never could have been anything else: a
 * pass has all arrivals of its round as causes.
 */
static bool reversed_once(const struct reversal *r, uint32_t kind) {
  return r->single != NONE || kind == UNF_DID_LOCAL || kind == UNF_DID_CREATE ||
         kind == UNF_DID_JOIN || kind == UNF_DID_PASS;
}

/* An event at a position of M. */
static void reverse_event(struct reversal *r, uint32_t position) {
  uint32_t event = r->events[position];
  const struct action *a = action_of(r->u, event);
  uint32_t thread = a->thread, before = event_at(r->u, event)->before;
  uint32_t kind = a->kind;
  if ((!r->all && has_conflicting(r->u, a)) || !begin(r, thread, before)) return;
  bool once = reversed_once(r, kind);
  if (r->place != NULL) r->more = r->place(r->user, position, once);
  if ((once && position < r->known) || stopped(r)) return;
  if (kind == UNF_DID_PASS || kind == UNF_DID_JOIN) return;
  races(r, event);
  if (kind == UNF_DID_WAKE && !stopped(r))
    timeout(r, thread, keep_of(r, thread, before, event, r->M));
  if ((kind == UNF_DID_SIGNAL || kind == UNF_DID_BROADCAST) && !stopped(r)) not_begun(r, event);
  bool chooses = kind == UNF_DID_SIGNAL || kind == UNF_DID_CUSTOM || kind == UNF_DID_LOCAL;
  if (!chooses || stopped(r) || !without_event(r, event)) return;
  at(r, thread, before);
  if (kind != UNF_DID_SIGNAL) return;
  if (!stopped(r)) lost(r, event);
  if (!stopped(r)) taken(r, event);
}

/* Rule 3. */
static void reverse_end(struct reversal *r, uint32_t thread) {
  uint32_t last = cut_last(r->u, r->M, thread);
  if (last == NONE || !is_reversed(r, thread, last)) return;
  if (!begin(r, thread, last)) return;
  struct keep keep = keep_of(r, thread, last, NONE, r->M);
  r->outs.count = 0;
  if (without(r)) down(r, thread, keep);
  if (!stopped(r)) timeout(r, thread, keep);
}

static unf_status reverse(unf_unfolding *u, const struct maximal *M, bool all,
                          struct attempts *attempts, position_visitor place, causes_visitor visit,
                          void *user) {
  struct reversal r = {.u = u,
                       .M = M->cut,
                       .events = M->events,
                       .count = M->count,
                       .all = all,
                       .known = M->known,
                       .cut = attempts->cut,
                       .outs = attempts->outs,
                       .predecessors = attempts->predecessors,
                       .tried = attempts->cuts,
                       .attempts = attempts,
                       .place = place,
                       .visit = visit,
                       .user = user,
                       .status = UNF_OK,
                       .more = true};
  for (uint32_t i = M->from; i < r.count && !stopped(&r); i++)
    reverse_event(&r, i);
  if (place != NULL && !stopped(&r)) r.more = place(user, r.count, false);
  for (uint32_t t = 0; t < u->threads.count && !stopped(&r); t++)
    reverse_end(&r, t);
  /* Of a call that is made again nothing counts as tried. */
  if (stopped(&r)) unfi_attempts_forget(u->context, attempts);
  attempts->cut = r.cut;
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
                            position_visitor place, causes_visitor visit, void *user) {
  return reverse(u, M, true, attempts, place, visit, user);
}
