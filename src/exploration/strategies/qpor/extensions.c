/*
 * The conflicting extensions of a maximal configuration enter U. What an event could have been
 * depends on its own history alone, so it is computed in the first maximal run that has the event;
 * only the operations that were never performed are looked at in each run.
 */
#include "exploration/strategies/qpor/extensions.h"

#include "exploration/cutoffs.h"
#include "exploration/strategies/qpor/qpor.h"
#include "extension/adds.h"
#include "extension/reversal.h"
#include "structure/effect.h"
#include "structure/event.h"

struct extension_pass {
  unf_explorer *x;
  unf_status status;
};

static bool add_extension(void *user, const struct causes *causes) {
  struct extension_pass *in = user;
  unf_explorer *x = in->x;
  uint32_t event;
  in->status = unfi_work(x->u->context, 1);
  if (in->status == UNF_OK) in->status = unfi_event_intern(x->u, causes, &event);
  if (in->status == UNF_OK && !unfi_discover_reserve(x, event))
    in->status = unfi_refused(x->u->context);
  if (in->status == UNF_OK) unfi_discover(x, event);
  return in->status == UNF_OK;
}

static const struct operation_row *row_after(const unf_explorer *x, uint32_t thread,
                                             uint32_t before) {
  unf_unfolding *u = x->u;
  return &u->effects->operations[u->operations.data[next_after(u, thread, before)].kind];
}

/* Siblings are drawn one by one, where a spike needs another one (spikes.c).
 *
 * *several is set for an operation with several uses, which is left to reversal. With cutoffs it
 * has its exact extensions: a reversal may lead to one event by way of executions with another,
 * which may be left out. */
static unf_status extend(unf_explorer *x, uint32_t thread, uint32_t before, uint32_t event,
                         struct site_uses *uses, bool *several) {
  struct extension_pass in = {x, UNF_OK};
  const struct operation_row *row = row_after(x, thread, before);
  if (row->ends || row->numbers == NUMBERS_RANGE) return UNF_OK;
  if (!unfi_cutoffs_used(x) && row->family->conflicting == NULL) {
    *several = true;
    return UNF_OK;
  }
  unf_status status = unfi_conflicting(x->u, configuration_cut(&x->path.C), thread, before, event,
                                       uses, add_extension, &in);
  return status != UNF_OK ? status : in.status;
}

static unf_status reverse(unf_explorer *x) {
  struct qpor *q = qpor_of(x);
  struct extension_pass in = {x, UNF_OK};
  uint32_t known = unfi_path_common(&x->path, &q->reversed);
  if (!unfi_path_events(x, &q->reversed)) return unfi_refused(x->u->context);
  struct maximal M = {.cut = configuration_cut(&x->path.C),
                      .events = q->reversed.data,
                      .count = q->reversed.count,
                      .known = unfi_cutoffs_used(x) ? 0 : known};
  unf_status status = unfi_reverse(x->u, &M, &q->attempts, add_extension, &in);
  if (status == UNF_OK) status = in.status;
  if (status != UNF_OK) q->reversed.count = known;
  return status;
}

/* Of the events of the run. Those that were extended are not looked at again, so nothing is lost
 * when it is refused on the way. */
static unf_status extend_steps(unf_explorer *x, struct site_uses *uses, bool *several) {
  unf_unfolding *u = x->u;
  struct qpor *q = qpor_of(x);
  bool exact = unfi_cutoffs_used(x);
  uint32_t i = q->extended_steps < x->path.steps.count ? q->extended_steps : x->path.steps.count;
  if (exact) i = 0;
  if (i == 0 || q->reversed_step >= i) q->reversed_step = NONE;
  for (; i < x->path.steps.count; i++) {
    uint32_t event = x->path.steps.data[i].event;
    bool reversed = !has_conflicting(u, action_of(u, event));
    if (reversed && !exact && q->reversed_step == NONE) q->reversed_step = i;
    if (is_extended(q, event) && !(reversed && exact)) continue;
    unf_status status =
        extend(x, action_of(u, event)->thread, event_at(u, event)->before, event, uses, several);
    if (status != UNF_OK) return status;
    set_extended(q, event);
  }
  q->extended_steps = x->path.steps.count;
  *several = *several || q->reversed_step != NONE;
  return UNF_OK;
}

/* Of what the threads did not perform. */
static unf_status extend_threads(unf_explorer *x, struct site_uses *uses, bool *several) {
  struct qpor *q = qpor_of(x);
  if (q->progress.run != x->run.number) {
    q->progress.run = x->run.number;
    q->progress.threads = 0;
  }
  for (uint32_t t = 0; t < x->u->threads.count; t++) {
    uint32_t last = cut_last(x->u, configuration_cut(&x->path.C), t);
    if (last == NONE) continue;
    bool known = t < q->progress.threads && row_after(x, t, last)->family->conflicting != NULL;
    unf_status status = known ? UNF_OK : extend(x, t, last, NONE, uses, several);
    if (status != UNF_OK) return status;
    if (t >= q->progress.threads) q->progress.threads = t + 1;
  }
  return UNF_OK;
}

unf_status unfi_extend_all(unf_explorer *x, bool *fresh) {
  struct site_uses uses = {0};
  bool several = false;
  (void)fresh;
  unf_status status = extend_steps(x, &uses, &several);
  if (status == UNF_OK) status = extend_threads(x, &uses, &several);
  unfi_site_uses_free(x->u->context, &uses);
  return status == UNF_OK && several ? reverse(x) : status;
}
