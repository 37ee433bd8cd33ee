/*
 * The table of cutoffs.
 *
 * The state after a local configuration [e] is what its events changed, and the changes of one
 * thread are kept as one sum with its last event in [e] (the per-thread deltas of appendix H). What
 * a create changed in the thread that it made is counted with the create.
 *
 * While events come in, verdicts only grow: kept, then cutoff, then after a cutoff. A kept event
 * becomes a cutoff when a smaller event with the same state comes, which then represents the state;
 * its successors are after a cutoff from then on, and no longer represent their states. An event
 * stays a cutoff until the table is settled, even if the event that made it one is itself after a
 * cutoff by then. That loses no state (the argument of Esparza, Römer and Vogler only needs a
 * smaller configuration with the same state), but which events are kept would depend on the order
 * of the search. So settling decides again in the order of sizes, where only kept events count: the
 * definition of Khomenko, Koutny and Vogler (Acta Informatica 2003), by induction along the order.
 * An event that becomes kept by settling was cut off because of an event that is not kept.
 *
 * Invariants outside of settling: in the total order a state has at most one kept event, and `best`
 * is that event; the predecessors of a kept event or a cutoff are kept.
 */
#include <string.h>

#include "base/null.h"
#include "cutoff/cutoff.h"
#include "cutoff/order.h"
#include "structure/cut.h"
#include "structure/event.h"
#include "structure/names.h"

static uint64_t fingerprint_hash(const unf_fingerprint *f) {
  return mix(f->bits[0] + f->sums[0], f->bits[1] ^ f->sums[1]);
}

static uint64_t state_hash(const void *owner, uint32_t state) {
  const unf_cutoffs *c = owner;
  return fingerprint_hash(&c->states.data[state].fingerprint);
}

static uint32_t state_find(const unf_cutoffs *c, const unf_fingerprint *f) {
  const struct table *table = &c->state_table;
  table_each(table, fingerprint_hash(f), state) {
    if (unf_fingerprint_equal(&c->states.data[state].fingerprint, f)) return state;
  }
  return 0;
}

/* Room was reserved. */
static uint32_t state_add(unf_cutoffs *c, const unf_fingerprint *f) {
  uint32_t state = state_find(c, f);
  if (state != 0) return state;
  struct state fresh = {*f, 0};
  state = c->states.count;
  vector_push(&c->states, fresh);
  table_put(&c->state_table, fingerprint_hash(f), state);
  return state;
}

/* Makes room for one more record with so many predecessors, and for comparing; returns
 * false when refused. */
static bool reserve(unf_cutoffs *c, uint32_t predecessors) {
  unf_context *context = c->u->context;
  uint64_t records = (uint64_t)c->records.count + 1;
  return vector_reserve(context, &c->records, records) &&
         (!c->conditional || vector_reserve(context, &c->conditions, records)) &&
         vector_reserve_zero(context, &c->record_of, c->u->store.count) &&
         vector_reserve(context, &c->edges, c->edges.count + (uint64_t)predecessors + 1) &&
         vector_reserve(context, &c->states, (uint64_t)c->states.count + 2) &&
         unfi_table_reserve(context, &c->state_table, state_hash, c) &&
         vector_reserve(context, &c->work, records + predecessors);
}

unf_status unf_cutoffs_new(unf_unfolding *u, unf_cutoff_order order, unf_cutoffs **out) {
  RETURN_IF_NULL(u->context, u, out);
  if (order <= UNF_CUTOFFS_NONE || order >= UNF_CUTOFF_ORDER_COUNT)
    return unfi_fail(u->context, UNF_INVALID, "order of a table of cutoffs");
  unf_cutoffs *c = unfi_reallocate(u->context, NULL, 0, sizeof *c);
  if (c == NULL) return unfi_refused(u->context);
  memset(c, 0, sizeof *c);
  c->u = u;
  c->order = order;
  c->conditional = u->consistency != NULL;
  unf_status status = unfi_fix(u, false);
  if (status != UNF_OK) {
    unfi_reallocate(u->context, c, sizeof *c, 0);
    return status;
  }
  if (!reserve(c, 0)) {
    unf_cutoffs_free(c);
    return unfi_refused(u->context);
  }
  static const unf_fingerprint start = UNF_FINGERPRINT_INIT;
  static const struct record bottom = {.verdict = UNF_CUTOFF_KEPT};
  c->edges.count = c->states.count = 1;
  vector_push(&c->records, bottom);
  if (c->conditional) vector_push(&c->conditions, start);
  c->records.data[0].state = state_add(c, &start);
  c->states.data[c->records.data[0].state].best = 1;
  *out = c;
  return UNF_OK;
}

void unf_cutoffs_free(unf_cutoffs *c) {
  if (c == NULL) return;
  unf_context *context = c->u->context;
  c->u->fixed--;
  vector_free(context, &c->records);
  vector_free(context, &c->conditions);
  vector_free(context, &c->record_of);
  vector_free(context, &c->edges);
  vector_free(context, &c->states);
  unfi_table_free(context, &c->state_table);
  vector_free(context, &c->work);
  vector_free(context, &c->starts);
  unfi_compare_free(c);
  unfi_reallocate(context, c, sizeof *c, 0);
}

/* The record of an event, or NONE if it was not performed. */
static uint32_t record_at(const unf_cutoffs *c, uint32_t event) {
  if (event == 0) return 0;
  uint32_t record = event < c->record_of.capacity ? c->record_of.data[event] : 0;
  return record != 0 ? record : NONE;
}

static void set_verdict(unf_cutoffs *c, uint32_t record, unf_cutoff_verdict verdict) {
  struct record *r = &c->records.data[record];
  c->counts[r->verdict]--;
  c->counts[verdict]++;
  r->verdict = (uint8_t)verdict;
}

/* Makes a kept event a cutoff; what follows it is then after one. */
static void make_cutoff(unf_cutoffs *c, uint32_t record) {
  set_verdict(c, record, UNF_CUTOFF_IS);
  c->work.count = 0;
  vector_push(&c->work, record);
  while (c->work.count > 0) {
    uint32_t edge = c->records.data[c->work.data[--c->work.count]].successors;
    for (; edge != 0; edge = c->edges.data[edge].next) {
      uint32_t next = c->edges.data[edge].record;
      struct record *r = &c->records.data[next];
      bool kept = r->verdict == UNF_CUTOFF_KEPT;
      if (r->verdict == UNF_CUTOFF_AFTER) continue;
      set_verdict(c, next, UNF_CUTOFF_AFTER);
      if (c->states.data[r->state].best == next + 1) c->states.data[r->state].best = 0;
      if (kept) vector_push(&c->work, next);
    }
  }
}

/* The record with what the thread of an event changed before it, or NULL if it changed nothing. */
static const struct record *own_before(const unf_cutoffs *c, uint32_t event) {
  const unf_unfolding *u = c->u;
  uint32_t before = event_at(u, event)->before;
  if (before == 0 || action_of(u, before)->site != action_of(u, event)->site) return NULL;
  return &c->records.data[record_at(c, before)];
}

/* What a thread changed up to an event, by what the event changed. */
static unf_fingerprint own_after(const unf_cutoffs *c, uint32_t event,
                                 const unf_fingerprint *change) {
  const struct record *before = own_before(c, event);
  unf_fingerprint own = *change;
  if (before != NULL) unf_fingerprint_combine(&own, &before->own);
  return own;
}

/* Fills in size and ordinal of a record that has its changes; returns the state after its local
 * configuration. */
static unf_fingerprint fill(unf_cutoffs *c, struct record *r) {
  const unf_unfolding *u = c->u;
  const struct record *before = own_before(c, r->event);
  uint32_t site = action_of(u, r->event)->site;
  r->ordinal = before != NULL ? before->ordinal + 1 : 1;
  r->size = r->ordinal;
  unf_fingerprint state = r->own;
  for (uint32_t t = 0; t < u->threads.count; t++) {
    uint32_t other = u->threads.data[t].site;
    uint32_t last = other != site ? cut_entry(u, r->event, other) : 0;
    if (last == 0 || action_of(u, last)->site != other) continue;
    const struct record *there = &c->records.data[record_at(c, last)];
    unf_fingerprint_combine(&state, &there->own);
    r->size += there->ordinal;
  }
  return state;
}

/* The verdict on a new record whose predecessors are kept; another record may become a
 * cutoff by it. */
static unf_cutoff_verdict judge(unf_cutoffs *c, uint32_t record) {
  uint32_t state = c->records.data[record].state, best = c->states.data[state].best;
  int order = best != 0 ? unfi_compare(c, best - 1, record) : 1;
  if (order < 0) return UNF_CUTOFF_IS;
  if (order == 0) return UNF_CUTOFF_KEPT;
  if (best != 0) make_cutoff(c, best - 1);
  c->states.data[state].best = record + 1;
  return UNF_CUTOFF_KEPT;
}

/* Finds the predecessors of an event, which it leaves in `work`, and from them the event's layer
 * and whether it is after a cutoff. UNF_MISSING: one of them was not performed. */
static unf_status look_back(unf_cutoffs *c, struct record *r, uint32_t *count) {
  unf_unfolding *u = c->u;
  *count = unfi_predecessors(u, r->event, c->work.data);
  r->layer = 0;
  r->verdict = UNF_CUTOFF_KEPT;
  for (uint32_t i = 0; i < *count; i++) {
    uint32_t before = record_at(c, c->work.data[i]);
    if (before == NONE)
      return unfi_fail(u->context, UNF_MISSING, "the change made by a cause is not known");
    const struct record *p = &c->records.data[before];
    if (p->layer > r->layer) r->layer = p->layer;
    if (p->verdict != UNF_CUTOFF_KEPT) r->verdict = UNF_CUTOFF_AFTER;
  }
  r->layer++;
  return UNF_OK;
}

/* Appends a record, with its condition or NULL; the predecessors of its event are in `work`. */
static void append(unf_cutoffs *c, const struct record *r, uint32_t predecessors,
                   const unf_fingerprint *condition) {
  uint32_t number = c->records.count;
  vector_push(&c->records, *r);
  if (condition != NULL) vector_push(&c->conditions, *condition);
  c->record_of.data[r->event] = number;
  c->counts[r->verdict]++;
  if (r->size > c->largest) c->largest = r->size;
  for (uint32_t i = 0; i < predecessors; i++) {
    struct record *before = &c->records.data[record_at(c, c->work.data[i])];
    struct successor edge = {number, before->successors};
    before->successors = c->edges.count;
    vector_push(&c->edges, edge);
  }
}

static unf_status add_new(unf_cutoffs *c, uint32_t event, const unf_fingerprint *change,
                          const unf_fingerprint *condition) {
  unf_context *context = c->u->context;
  struct record r = {.event = event};
  uint32_t predecessors;
  if (!reserve(c, unfi_predecessor_bound(c->u, event))) return unfi_refused(context);
  unf_status status = look_back(c, &r, &predecessors);
  if (status != UNF_OK) return status;
  r.own = own_after(c, event, change);
  unf_fingerprint state = fill(c, &r);
  if (condition != NULL) unf_fingerprint_combine(&state, condition);
  if (!unfi_compare_reserve(c, r.size > c->largest ? r.size : c->largest))
    return unfi_refused(context);
  r.state = state_add(c, &state);
  append(c, &r, predecessors, condition);
  uint32_t record = c->records.count - 1;
  if (r.verdict == UNF_CUTOFF_KEPT) set_verdict(c, record, judge(c, record));
  return UNF_OK;
}

/* Whether a record is what an event changed, with its condition or NULL. */
static bool is_same(const unf_cutoffs *c, uint32_t record, const unf_fingerprint *change,
                    const unf_fingerprint *condition) {
  const struct record *r = &c->records.data[record];
  const unf_fingerprint own = own_after(c, r->event, change);
  return unf_fingerprint_equal(&own, &r->own) &&
         (condition == NULL || unf_fingerprint_equal(condition, &c->conditions.data[record]));
}

static unf_status add(unf_cutoffs *c, unf_event event, const unf_fingerprint *change,
                      const unf_fingerprint *condition, unf_cutoff_verdict *verdict) {
  unf_context *context = c->u->context;
  if (!known_event(c->u, event)) return unfi_fail(context, UNF_UNKNOWN, "event");
  if (event == 0) return unfi_fail(context, UNF_INVALID, "change made by an event");
  uint32_t record = record_at(c, event);
  if (record == NONE) {
    unf_status status = add_new(c, event, change, condition);
    if (status != UNF_OK) return status;
    record = record_at(c, event);
  } else if (!is_same(c, record, change, condition)) {
    return unfi_fail(context, UNF_NONDETERMINISM, "two different changes made by one event");
  }
  if (verdict != NULL) *verdict = (unf_cutoff_verdict)c->records.data[record].verdict;
  return UNF_OK;
}

unf_status unf_cutoffs_add(unf_cutoffs *c, unf_event event, const unf_fingerprint *change,
                           unf_cutoff_verdict *verdict) {
  RETURN_IF_NULL(c->u->context, c, change);
  if (c->conditional)
    return unfi_fail(c->u->context, UNF_UNSUPPORTED,
                     "a change without a condition, with unf_unfolding_set_consistency()");
  return add(c, event, change, NULL, verdict);
}

unf_status unf_cutoffs_add_under(unf_cutoffs *c, unf_event event, const unf_fingerprint *change,
                                 const unf_fingerprint *condition, unf_cutoff_verdict *verdict) {
  RETURN_IF_NULL(c->u->context, c, change, condition);
  if (!c->conditional)
    return unfi_fail(c->u->context, UNF_UNSUPPORTED,
                     "a change with a condition, without unf_unfolding_set_consistency()");
  return add(c, event, change, condition, verdict);
}

unf_status unf_cutoffs_verdict(unf_cutoffs *c, unf_event event, unf_cutoff_verdict *out) {
  RETURN_IF_NULL(c->u->context, c, out);
  unf_unfolding *u = c->u;
  if (!known_event(u, event)) return unfi_fail(u->context, UNF_UNKNOWN, "event");
  uint32_t record = record_at(c, event);
  if (record != NONE) {
    *out = (unf_cutoff_verdict)c->records.data[record].verdict;
    return UNF_OK;
  }
  if (!vector_reserve(u->context, &c->work, unfi_predecessor_bound(u, event)))
    return unfi_refused(u->context);
  uint32_t count = unfi_predecessors(u, event, c->work.data);
  *out = UNF_CUTOFF_UNKNOWN;
  for (uint32_t i = 0; i < count; i++) {
    uint32_t before = record_at(c, c->work.data[i]);
    if (before != NONE && c->records.data[before].verdict != UNF_CUTOFF_KEPT)
      *out = UNF_CUTOFF_AFTER;
  }
  return UNF_OK;
}

unf_status unfi_cut_off(unf_cutoffs *c, uint32_t event, bool *out) {
  unf_cutoff_verdict verdict;
  unf_status status = unf_cutoffs_verdict(c, event, &verdict);
  *out = status == UNF_OK && verdict >= UNF_CUTOFF_IS;
  return status;
}

static unf_status performed(const unf_cutoffs *c, uint32_t event, uint32_t *record) {
  unf_context *context = c->u->context;
  if (!known_event(c->u, event)) return unfi_fail(context, UNF_UNKNOWN, "event");
  *record = record_at(c, event);
  if (*record != NONE) return UNF_OK;
  return unfi_fail(context, UNF_MISSING, "the event was not performed");
}

unf_status unf_cutoffs_state(const unf_cutoffs *c, unf_event event, unf_fingerprint *out) {
  RETURN_IF_NULL(c->u->context, c, out);
  uint32_t record;
  unf_status status = performed(c, event, &record);
  if (status == UNF_OK) *out = c->states.data[c->records.data[record].state].fingerprint;
  return status;
}

unf_status unf_cutoffs_compare(unf_cutoffs *c, unf_event a, unf_event b, int *out) {
  RETURN_IF_NULL(c->u->context, c, out);
  uint32_t x, y;
  unf_status status = performed(c, a, &x);
  if (status == UNF_OK) status = performed(c, b, &y);
  if (status != UNF_OK) return status;
  if (!unfi_compare_reserve(c, c->largest)) return unfi_refused(c->u->context);
  *out = unfi_compare(c, x, y);
  return UNF_OK;
}

/* Puts the records into `work`, by size; `starts` has the index where each size begins. */
static void sort_by_size(unf_cutoffs *c) {
  uint32_t *starts = c->starts.data, sum = 0;
  memset(starts, 0, ((size_t)c->largest + 2) * sizeof *starts);
  for (uint32_t i = 1; i < c->records.count; i++)
    starts[c->records.data[i].size]++;
  for (uint32_t size = 0; size <= c->largest + 1; size++) {
    uint32_t number = starts[size];
    starts[size] = sum;
    sum += number;
  }
  for (uint32_t i = 1; i < c->records.count; i++)
    c->work.data[starts[c->records.data[i].size]++] = i;
  for (uint32_t size = c->largest + 1; size > 0; size--)
    starts[size] = starts[size - 1];
}

/* Decides about a record, when all smaller sizes are decided. */
static void decide(unf_cutoffs *c, uint32_t record) {
  const struct record *r = &c->records.data[record];
  if (r->verdict == UNF_CUTOFF_AFTER) return;
  uint32_t *best = &c->states.data[r->state].best;
  int order = *best != 0 ? unfi_compare(c, *best - 1, record) : 1;
  if (order < 0) set_verdict(c, record, UNF_CUTOFF_IS);
  if (order <= 0) return;
  if (*best != 0) set_verdict(c, *best - 1, UNF_CUTOFF_IS);
  *best = record + 1;
}

static void mark_successors(unf_cutoffs *c, uint32_t record) {
  const struct record *r = &c->records.data[record];
  if (r->verdict == UNF_CUTOFF_KEPT) return;
  for (uint32_t edge = r->successors; edge != 0; edge = c->edges.data[edge].next)
    set_verdict(c, c->edges.data[edge].record, UNF_CUTOFF_AFTER);
}

unf_status unf_cutoffs_settle(unf_cutoffs *c, unf_event_visitor visit, void *user) {
  RETURN_IF_NULL(c->u->context, c, visit);
  if (!reserve(c, 0) || !unfi_compare_reserve(c, c->largest) ||
      !vector_reserve(c->u->context, &c->starts, (uint64_t)c->largest + 2))
    return unfi_refused(c->u->context);
  for (uint32_t i = 1; i < c->states.count; i++)
    c->states.data[i].best = i == c->records.data[0].state;
  for (uint32_t i = 1; i < c->records.count; i++) {
    c->records.data[i].before = c->records.data[i].verdict;
    set_verdict(c, i, UNF_CUTOFF_KEPT);
  }
  sort_by_size(c);
  for (uint32_t size = 1; size <= c->largest; size++) {
    uint32_t begin = c->starts.data[size], end = c->starts.data[size + 1];
    for (uint32_t i = begin; i < end; i++)
      decide(c, c->work.data[i]);
    for (uint32_t i = begin; i < end; i++)
      mark_successors(c, c->work.data[i]);
  }
  bool more = true;
  for (uint32_t i = 1; more && i < c->records.count; i++) {
    const struct record *r = &c->records.data[i];
    if (r->before == UNF_CUTOFF_IS && r->verdict == UNF_CUTOFF_KEPT) more = visit(user, r->event);
  }
  return UNF_OK;
}

void unf_cutoffs_counts(const unf_cutoffs *c, unf_cutoff_counts *out) {
  if (c == NULL || out == NULL) return;
  out->kept = c->counts[UNF_CUTOFF_KEPT];
  out->cutoffs = c->counts[UNF_CUTOFF_IS];
  out->after = c->counts[UNF_CUTOFF_AFTER];
  out->states = 0;
  for (uint32_t i = 1; i < c->states.count; i++)
    out->states += c->states.data[i].best != 0;
}

/* ---- written down, without a predicate of consistency ---- */

enum { FINGERPRINT_WORDS = 6 };

static void list_words(const unf_fingerprint *f, uint64_t words[FINGERPRINT_WORDS]) {
  memcpy(words, f->bits, sizeof f->bits);
  memcpy(words + 4, f->sums, sizeof f->sums);
}

void unfi_cutoffs_write(const unf_cutoffs *c, struct bytes_out *out) {
  uint64_t words[FINGERPRINT_WORDS];
  unfi_bytes_put(out, c->records.count - 1);
  for (uint32_t i = 1; i < c->records.count; i++) {
    const struct record *r = &c->records.data[i];
    list_words(&r->own, words);
    unfi_bytes_put(out, r->event);
    unfi_bytes_put(out, r->verdict);
    for (unsigned j = 0; j < FINGERPRINT_WORDS; j++)
      unfi_bytes_put(out, words[j]);
  }
  for (uint32_t i = 1; i < c->states.count; i++)
    unfi_bytes_put(out, c->states.data[i].best);
}

static void read_fingerprint(struct bytes_in *in, unf_fingerprint *f) {
  uint64_t words[FINGERPRINT_WORDS];
  for (unsigned i = 0; i < FINGERPRINT_WORDS; i++)
    words[i] = unfi_bytes_get(in);
  memcpy(f->bits, words, sizeof f->bits);
  memcpy(f->sums, words + 4, sizeof f->sums);
}

/* A record behind those of its causes, so that its verdict fits theirs or does not. */
static unf_status read_record(unf_cutoffs *c, struct bytes_in *in) {
  struct record r = {.event = unfi_bytes_get_below(in, c->u->store.count, "a performed event")};
  uint32_t predecessors = 0;
  unf_cutoff_verdict verdict =
      unfi_bytes_get_below(in, UNF_CUTOFF_AFTER + 1, "a verdict of a cutoff");
  read_fingerprint(in, &r.own);
  if (in->status != UNF_OK) return in->status;
  if (r.event == 0 || record_at(c, r.event) != NONE || verdict == UNF_CUTOFF_UNKNOWN)
    return unfi_bytes_malformed(in, "a performed event");
  if (!reserve(c, unfi_predecessor_bound(c->u, r.event)))
    return unfi_bytes_note(in, unfi_refused(c->u->context));
  if (look_back(c, &r, &predecessors) != UNF_OK ||
      (r.verdict == UNF_CUTOFF_AFTER) != (verdict == UNF_CUTOFF_AFTER))
    return unfi_bytes_malformed(in, "a verdict that does not fit those of the causes");
  r.verdict = (uint8_t)verdict;
  unf_fingerprint state = fill(c, &r);
  if (!unfi_compare_reserve(c, r.size > c->largest ? r.size : c->largest))
    return unfi_bytes_note(in, unfi_refused(c->u->context));
  r.state = state_add(c, &state);
  append(c, &r, predecessors, NULL);
  return unfi_bytes_note(in, unfi_work(c->u->context, 1));
}

unf_status unfi_cutoffs_read(unf_cutoffs *c, struct bytes_in *in) {
  uint32_t count = unfi_bytes_get_below(in, c->u->store.count, "performed events");
  for (uint32_t i = 0; in->status == UNF_OK && i < count; i++)
    read_record(c, in);
  for (uint32_t i = 1; in->status == UNF_OK && i < c->states.count; i++) {
    uint32_t best = unfi_bytes_get_below(in, (uint64_t)c->records.count + 1, "a kept event");
    const struct record *r = best != 0 ? &c->records.data[best - 1] : NULL;
    if (r != NULL && (r->state != i || r->verdict != UNF_CUTOFF_KEPT))
      unfi_bytes_malformed(in, "a kept event of another state");
    c->states.data[i].best = best;
  }
  return in->status;
}
