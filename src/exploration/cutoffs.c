/*
 * Exploring with cutoffs (Section 3.8 of the symbolic paper, CAV 2020).
 *
 * A cutoff is found out when it has been performed, so it is an ordinary step of that execution,
 * and only what depends on it is not enabled any more: the execution goes on with everything else
 * and ends when all that is left is cut off. To end it right there would lose what other threads
 * could still do. Its conflicting extensions enter U like those of any other, and as everything
 * that an event could have been is a matter of its causes, those of the part before the cutoff are
 * among them. Events that are known to be cut off are never steps of choice, and never candidates
 * of a spike. They stay in D: a configuration of kept events that is compatible with such an event
 * d was covered below d, all others conflict with it.
 *
 * Outcomes of branches are the exception: where one of them is a cutoff d that was performed here,
 * a configuration can exclude it by its literals alone, and what it has in conflict with d may be
 * another outcome that is a cutoff, too. So an outcome that is known to be a cutoff is chosen
 * again, and is a candidate; only what is after a cutoff is not. Then a configuration M of kept
 * events and outcomes that are cutoffs, maximal as such, has an outcome of every branch that it
 * comes to, as the outcomes cover all inputs, and an event in conflict with each event of D: for a
 * d without a literal, that is no outcome, as above.
 *
 * When everything is explored the table is settled. Events that were cut off for the sake of others
 * which are not kept themselves come back; all that was missed contains one of them, so it is
 * enough to explore what includes the history of each, with an empty D, and to settle again. That
 * ends, because no event that is performed has two causes with the same state one above the other,
 * of which there are finitely many, and each time the least wrong verdict becomes right.
 */
#include "exploration/cutoffs.h"

#include "base/null.h"
#include "configuration/walk.h"
#include "cutoff/cutoff.h"
#include "exploration/explorer.h"
#include "exploration/image/image.h"
#include "exploration/image/sequence.h"
#include "exploration/protocol.h"
#include "extension/adds.h"
#include "structure/cut.h"
#include "structure/consistency.h"
#include "structure/event.h"
#include "structure/relation.h"

unf_status unfi_cutoffs_begin(unf_explorer *x, unf_cutoff_order order) {
  if (order == UNF_CUTOFFS_NONE) return UNF_OK;
  return unf_cutoffs_new(x->u, order, &x->cutoffs.table);
}

void unfi_cutoffs_end(unf_explorer *x) {
  unf_cutoffs_free(x->cutoffs.table);
  vector_free(x->u->context, &x->cutoffs.restored);
}

bool unfi_cutoffs_used(const unf_explorer *x) {
  return x->cutoffs.table != NULL;
}

unf_status unfi_event_cut_off(unf_explorer *x, uint32_t event, bool *out) {
  unf_cutoff_verdict verdict;
  *out = false;
  if (x->cutoffs.table == NULL) return UNF_OK;
  unf_status status = unf_cutoffs_verdict(x->cutoffs.table, event, &verdict);
  *out = status == UNF_OK &&
         (verdict == UNF_CUTOFF_AFTER || (verdict == UNF_CUTOFF_IS && !is_branch(x->u, event)));
  return status;
}

unf_status unfi_action_cut_off(unf_explorer *x, const unf_action *action, bool *out) {
  struct causes causes;
  uint32_t event;
  *out = false;
  if (x->cutoffs.table == NULL) return UNF_OK;
  unf_status status = unfi_causes(x->u, configuration_cut(&x->path.C), action, &causes);
  if (status == UNF_OK) status = unfi_event_intern(x->u, &causes, &event);
  return status == UNF_OK ? unfi_event_cut_off(x, event, out) : status;
}

unf_status unf_explorer_changed(unf_explorer *x, const unf_fingerprint *change) {
  RETURN_IF_NULL(x->u->context, x, change);
  if (x->state != RUNNING || x->run.unsaid == 0) return unfi_wrong_state(x, "changed");
  unf_status status = unf_cutoffs_add(x->cutoffs.table, x->run.unsaid, change, NULL);
  if (status == UNF_OK) x->run.unsaid = 0;
  return status;
}

unf_status unf_explorer_changed_under(unf_explorer *x, const unf_fingerprint *change,
                                      const unf_fingerprint *condition) {
  RETURN_IF_NULL(x->u->context, x, change, condition);
  if (x->state != RUNNING || x->run.unsaid == 0) return unfi_wrong_state(x, "changed_under");
  unf_status status =
      unf_cutoffs_add_under(x->cutoffs.table, x->run.unsaid, change, condition, NULL);
  if (status == UNF_OK) x->run.unsaid = 0;
  return status;
}

unf_cutoffs *unf_explorer_cutoffs(unf_explorer *x) {
  return x == NULL ? NULL : x->cutoffs.table;
}

static bool restore(void *user, unf_event event) {
  unf_explorer *x = user;
  vector_push(&x->cutoffs.restored, event);
  return true;
}

static unf_status settle(unf_explorer *x) {
  unf_cutoff_counts counts;
  unf_cutoffs_counts(x->cutoffs.table, &counts);
  uint64_t performed = counts.kept + counts.cutoffs + counts.after;
  if (!vector_reserve(x->u->context, &x->cutoffs.restored, performed))
    return unfi_refused(x->u->context);
  x->cutoffs.restored.count = x->cutoffs.next_restored = 0;
  unf_status status = unf_cutoffs_settle(x->cutoffs.table, restore, x);
  if (status != UNF_OK) return status;
  if (x->strategy->settled != NULL) x->strategy->settled(x);
  return UNF_OK;
}

/* Whether what follows a restored event is explored with another one, or cut off again. */
static unf_status covered(unf_explorer *x, uint32_t index, bool *out) {
  uint32_t event = x->cutoffs.restored.data[index];
  unf_status status = unfi_cut_off(x->cutoffs.table, event, out);
  for (uint32_t i = 0; status == UNF_OK && !*out && i < index; i++)
    *out = unfi_precedes(x->u, x->cutoffs.restored.data[i], event);
  return status;
}

static unf_status begin_at(unf_explorer *x, uint32_t event) {
  x->run.clue.count = 0;
  if (!unfi_history_events(x->u, event, &x->run.clue)) return unfi_refused(x->u->context);
  x->run.base = x->run.shared = 0;
  x->floor = x->run.clue.count;
  x->branch = BRANCH_DECIDED;
  if (x->order->restart != NULL) x->order->restart(x);
  return UNF_OK;
}

unf_status unfi_restore(unf_explorer *x) {
  if (x->cutoffs.table == NULL) return UNF_OK;
  while (x->path.steps.count > 0)
    unfi_path_pop(x);
  for (;;) {
    while (x->cutoffs.next_restored < x->cutoffs.restored.count) {
      bool done;
      unf_status status = covered(x, x->cutoffs.next_restored, &done);
      if (status == UNF_OK && !done)
        status = begin_at(x, x->cutoffs.restored.data[x->cutoffs.next_restored]);
      if (status != UNF_OK) return status;
      x->cutoffs.next_restored++;
      if (!done) return UNF_OK;
    }
    unf_status status = settle(x);
    if (status != UNF_OK || x->cutoffs.restored.count == 0) return status;
  }
}

void unfi_explorer_cutoffs_write(const unf_explorer *x, struct bytes_out *out) {
  const struct cutoffs *cutoffs = &x->cutoffs;
  if (cutoffs->table == NULL) return;
  unfi_cutoffs_write(cutoffs->table, out);
  unfi_bytes_put(out, x->floor);
  unfi_bytes_put(out, cutoffs->restored.count);
  for (uint32_t i = 0; i < cutoffs->restored.count; i++)
    unfi_bytes_put(out, cutoffs->restored.data[i]);
  unfi_bytes_put(out, cutoffs->next_restored);
}

unf_status unfi_explorer_cutoffs_read(unf_explorer *x, struct bytes_in *in) {
  struct cutoffs *cutoffs = &x->cutoffs;
  if (cutoffs->table == NULL || unfi_cutoffs_read(cutoffs->table, in) != UNF_OK) return in->status;
  x->floor = unfi_bytes_get_below(in, MAX_STEPS, "steps that are never taken back");
  uint32_t count = unfi_bytes_get_below(in, x->u->store.count, "events that came back");
  if (!vector_reserve(x->u->context, &cutoffs->restored, count))
    return unfi_bytes_note(in, unfi_refused(x->u->context));
  for (uint32_t i = 0; in->status == UNF_OK && i < count; i++)
    vector_push(&cutoffs->restored, unfi_event_read(x->u, in));
  cutoffs->next_restored = unfi_bytes_get_below(in, (uint64_t)count + 1, "events that came back");
  return in->status;
}
