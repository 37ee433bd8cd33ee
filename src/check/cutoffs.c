/* Whether what a table of cutoffs says about its events follows from their histories: sizes, layers
 * and states from the events one by one, and verdicts from those of the predecessors. */
#include "base/null.h"
#include "check/check.h"
#include "cutoff/cutoff.h"
#include "structure/event.h"

/* What the walks over a history or the predecessors of one event find. */
struct seen {
  const unf_cutoffs *c;
  uint32_t count, layer;
  unf_fingerprint state;
  bool after, missing;
};

static const struct record *record_of(struct seen *s, uint32_t event) {
  const unf_cutoffs *c = s->c;
  uint32_t record = event < c->record_of.capacity ? c->record_of.data[event] : 0;
  if (event != 0 && record == 0) s->missing = true;
  return &c->records.data[record];
}

static bool add_predecessor(void *user, unf_event event) {
  struct seen *s = user;
  const struct record *r = record_of(s, event);
  if (r->layer > s->layer) s->layer = r->layer;
  if (r->verdict != UNF_CUTOFF_KEPT) s->after = true;
  return !s->missing;
}

/* Adds what an event changed: what its thread changed up to it, minus what it changed before. */
static bool add_event(void *user, unf_event event) {
  struct seen *s = user;
  const unf_unfolding *u = s->c->u;
  uint32_t before = event_at(u, event)->before;
  s->count++;
  unf_fingerprint_combine(&s->state, &record_of(s, event)->own);
  if (before != 0 && action_of(u, before)->thread == action_of(u, event)->thread)
    unf_fingerprint_remove(&s->state, &record_of(s, before)->own);
  return !s->missing;
}

static unf_status check_record(const unf_cutoffs *c, uint32_t number) {
  unf_unfolding *u = c->u;
  const struct record *r = &c->records.data[number];
  struct seen s = {.c = c};
  unf_status status = unf_event_history(u, r->event, add_event, &s);
  if (status == UNF_OK) status = unf_event_predecessors(u, r->event, add_predecessor, &s);
  if (status != UNF_OK) return status;
  if (c->conditional) unf_fingerprint_combine(&s.state, &c->conditions.data[number]);
  if (s.missing) return unfi_broken(u, r->event, "a cause was not performed", NONE);
  if (r->size != s.count)
    return unfi_broken(u, r->event, "another size of its local configuration than", s.count);
  if (r->layer != s.layer + 1)
    return unfi_broken(u, r->event, "not in the layer of its Foata normal form,", s.layer + 1);
  if (!unf_fingerprint_equal(&s.state, &c->states.data[r->state].fingerprint))
    return unfi_broken(u, r->event, "another state than what its history changed", NONE);
  if ((r->verdict == UNF_CUTOFF_AFTER) != s.after)
    return unfi_broken(u, r->event, "the verdict does not follow from those of its predecessors",
                       NONE);
  if (c->order == UNF_CUTOFFS_ERV && r->verdict == UNF_CUTOFF_KEPT &&
      c->states.data[r->state].best != number + 1)
    return unfi_broken(u, r->event, "kept, but not the least event of its state", NONE);
  return UNF_OK;
}

unf_status unf_check_cutoffs(const unf_cutoffs *c) {
  RETURN_IF_NULL(c->u->context, c);
  uint64_t counts[UNF_CUTOFF_AFTER + 1] = {0};
  unf_status status = UNF_OK;
  for (uint32_t i = 1; status == UNF_OK && i < c->records.count; i++) {
    counts[c->records.data[i].verdict]++;
    status = check_record(c, i);
  }
  for (unsigned i = UNF_CUTOFF_KEPT; status == UNF_OK && i <= UNF_CUTOFF_AFTER; i++)
    if (counts[i] != c->counts[i])
      status = unfi_broken(c->u, NONE, "the counts of verdicts do not add up", NONE);
  return status;
}
