/* Asking the predicate of an unfolding, and the witnesses that spare calls. */
#include "structure/consistency.h"

#include <string.h>

#include "base/null.h"
#include "base/sort.h"

/* ---- the predicate ---- */

static void renumber(void *user, const uint32_t *now) {
  struct consistency *c = user;
  (void)now;
  unfi_nogoods_drop(&c->nogoods);
  unfi_memo_drop(&c->memo);
}

unf_status unf_unfolding_set_consistency(unf_unfolding *u, const unf_consistency *consistency) {
  RETURN_IF_NULL(u->context, u, consistency);
  if (consistency->size != sizeof *consistency)
    return unfi_wrong_option(u->context, "unf_consistency.size", consistency->size,
                             sizeof *consistency);
  if (consistency->consistent == NULL)
    return unfi_fail(u->context, UNF_INVALID, "unf_consistency.consistent is NULL");
  if (u->consistency != NULL || u->operations.count > 1 || u->fixed > 0)
    return unfi_fail(u->context, UNF_STATE, "a predicate of an unfolding that is in use");
  struct consistency *c = unfi_reallocate(u->context, NULL, 0, sizeof *c);
  if (c == NULL) return unfi_refused(u->context);
  *c = (struct consistency){.predicate = *consistency};
  c->holder = (struct holder){renumber, c, u->holders};
  u->holders = &c->holder;
  u->consistency = c;
  return UNF_OK;
}

void unf_unfolding_consistency_counts(const unf_unfolding *u, unf_consistency_counts *out) {
  if (u == NULL || out == NULL) return;
  *out = u->consistency != NULL ? u->consistency->counts : (unf_consistency_counts){0};
}

/* ---- witnesses ---- */

static void forget(const struct consistency *c, uint64_t witness) {
  if (witness != UNF_WITNESS_NONE && c->predicate.forget != NULL)
    c->predicate.forget(c->predicate.user, witness);
}

/* Keeps a witness in place of the oldest one. */
static void keep(struct consistency *c, uint64_t witness) {
  if (witness == UNF_WITNESS_NONE) return;
  if (c->predicate.holds == NULL) {
    forget(c, witness);
    return;
  }
  forget(c, c->witnesses[c->next]);
  c->witnesses[c->next] = witness;
  c->stamps[c->next] = ++c->kept;
  c->next = (c->next + 1) % WITNESSES;
}

static bool all_hold(const struct consistency *c, uint64_t witness, const uint32_t *events,
                     uint32_t count) {
  /* What is asked about now stands at the end, and fails most. */
  while (count > 0 && c->predicate.holds(c->predicate.user, witness, events[count - 1]))
    count--;
  return count == 0;
}

static bool witnessed(unf_unfolding *u, const uint32_t *events, uint32_t count) {
  const struct consistency *c = u->consistency;
  for (uint32_t i = 1; i <= WITNESSES; i++) {
    uint64_t witness = c->witnesses[(c->next + WITNESSES - i) % WITNESSES];
    if (witness != UNF_WITNESS_NONE && all_hold(c, witness, events, count)) return true;
  }
  return count == 0;
}

bool unfi_witnessed_with(unf_unfolding *u, struct witnessed *known, const uint32_t *events,
                         uint32_t count, uint32_t event) {
  const struct consistency *c = u->consistency;
  for (uint32_t i = 1; i <= WITNESSES; i++) {
    const uint32_t at = (c->next + WITNESSES - i) % WITNESSES;
    const uint64_t witness = c->witnesses[at];
    if (witness == UNF_WITNESS_NONE) continue;
    if (known->items[at].stamp != c->stamps[at]) {
      known->items[at].stamp = c->stamps[at];
      known->items[at].count = 0;
      known->items[at].fails = false;
    }
    if (known->items[at].fails || !all_hold(c, witness, &event, 1)) continue;
    uint32_t *holds = &known->items[at].count;
    while (*holds < count && all_hold(c, witness, events + *holds, 1))
      ++*holds;
    known->items[at].fails = *holds < count;
    if (*holds == count) return true;
  }
  return false;
}

void unfi_witnessed_cut(struct witnessed *known, uint32_t count) {
  for (uint32_t i = 0; i < WITNESSES; i++) {
    if (known->items[i].count < count) continue;
    known->items[i].count = count;
    known->items[i].fails = false;
  }
}

void unfi_consistency_free(unf_unfolding *u) {
  struct consistency *c = u->consistency;
  if (c == NULL) return;
  for (uint32_t i = 0; i < WITNESSES; i++)
    forget(c, c->witnesses[i]);
  vector_free(u->context, &c->core);
  vector_free(u->context, &c->sorted);
  unfi_nogoods_free(u->context, &c->nogoods);
  unfi_memo_free(u->context, &c->memo);
  u->consistency = unfi_reallocate(u->context, c, sizeof *c, 0);
}

/* ---- questions ---- */

/* Sorts the events of a question. Returns false when refused. */
static bool sort_question(unf_unfolding *u, const uint32_t *events, uint32_t count) {
  struct consistency *c = u->consistency;
  if (!vector_reserve(u->context, &c->core, count) ||
      !vector_reserve(u->context, &c->sorted, count))
    return false;
  memcpy(c->sorted.data, events, count * sizeof *events);
  unfi_sort(c->sorted.data, count);
  return true;
}

unf_status unfi_ask(unf_unfolding *u, const uint32_t *events, uint32_t count, uint32_t known,
                    unf_answer *out) {
  struct consistency *c = u->consistency;
  uint64_t witness = UNF_WITNESS_NONE, core = 0;
  *out = UNF_ANSWER_YES;
  if (count == 0) return UNF_OK;
  if (!sort_question(u, events, count)) return unfi_refused(u->context);
  c->counts.questions++;
  if (witnessed(u, events, count)) {
    c->counts.witnessed++;
    return UNF_OK;
  }
  if (unfi_nogood_within(&c->nogoods, c->sorted.data, count)) {
    c->counts.refuted++;
    *out = UNF_ANSWER_NO;
    return UNF_OK;
  }
  if (unfi_memo_has(&c->memo, c->sorted.data, count)) {
    c->counts.remembered++;
    return UNF_OK;
  }
  *out = c->predicate.consistent(c->predicate.user, events, count, known, c->core.data, &core,
                                 &witness);
  c->counts.calls++;
  c->counts.no += *out == UNF_ANSWER_NO;
  c->counts.unknown += *out == UNF_ANSWER_UNKNOWN;
  if (*out == UNF_ANSWER_YES) {
    keep(c, witness);
    unfi_memo_keep(u->context, &c->memo, c->sorted.data, count);
  }
  if (*out == UNF_ANSWER_NO)
    unfi_nogood_keep(u->context, &c->nogoods, c->sorted.data, count, c->core.data, core);
  return UNF_OK;
}
