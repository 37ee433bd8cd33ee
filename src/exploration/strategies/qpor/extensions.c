/*
 * The conflicting extensions of a maximal configuration enter U. What an event could have been
 * depends on its own history alone, so it is computed in the first maximal run that has the event;
 * only the operations that were never performed are looked at in each run.
 */
#include "exploration/strategies/qpor/extensions.h"

#include "exploration/cutoffs.h"
#include "exploration/strategies/qpor/qpor.h"
#include "extension/adds.h"
#include "extension/exact.h"
#include "extension/reversal.h"
#include "structure/effect.h"
#include "structure/event.h"

struct extension_pass {
  unf_explorer *x;
  uint32_t passed; /* those that a call before this one entered */
  unf_status status;
};

static unf_status enter_extension(unf_explorer *x, const struct causes *causes) {
  uint32_t event;
  unf_status status = unfi_event_intern(x->u, causes, &event);
  if (status == UNF_OK && !unfi_discover_reserve(x, event)) status = unfi_refused(x->u->context);
  if (status == UNF_OK) unfi_discover(x, event);
  return status;
}

/* What an operation could have become: an extension that is entered stays so. */
static bool add_extension(void *user, const struct causes *causes) {
  struct extension_pass *in = user;
  struct learning *learning = &qpor_of(in->x)->learning;
  if (in->passed < learning->visited) {
    in->passed++;
    return true;
  }
  in->status = enter_extension(in->x, causes);
  if (in->status != UNF_OK) return false;
  in->passed = ++learning->visited;
  unfi_done(in->x->u->context);
  in->status = unfi_work(in->x->u->context, 1);
  return in->status == UNF_OK;
}

static bool add_reversal(void *user, const struct causes *causes) {
  struct extension_pass *in = user;
  in->status = enter_extension(in->x, causes);
  return in->status == UNF_OK;
}

/* Siblings are drawn one by one, where a spike needs another one (spikes.c).
 *
 * An operation with several uses is left to reversal. With cutoffs it has its exact extensions: a
 * reversal may lead to one event by way of executions with another, which may be left out. */
static unf_status extend(unf_explorer *x, uint32_t thread, uint32_t before, uint32_t event,
                         struct site_uses *uses) {
  unf_unfolding *u = x->u;
  struct extension_pass in = {x, 0, UNF_OK};
  struct cut C = configuration_cut(&x->path.C);
  /* Copied: interning on the way may move the table. */
  unf_operation operation = u->operations.data[next_after(u, thread, before)];
  const struct operation_row *row = &u->effects->operations[operation.kind];
  const struct effect_family *family = row->family;
  unf_status status = UNF_OK;
  if (row->ends || row->numbers == NUMBERS_RANGE) return UNF_OK;
  if (family->conflicting != NULL)
    status = family->conflicting(u, C, thread, before, &operation, event, add_extension, &in);
  else if (x->cutoffs.table != NULL)
    status = unfi_exact(u, C, thread, before, &operation, event, uses, add_extension, &in);
  else
    qpor_of(x)->learning.several = true;
  return status != UNF_OK ? status : in.status;
}

static unf_status reverse(unf_explorer *x) {
  struct qpor *q = qpor_of(x);
  struct learning *learning = &q->learning;
  struct extension_pass in = {x, 0, UNF_OK};
  bool again = learning->reversing;
  if (!again) {
    uint32_t known = unfi_path_common(&x->path, &q->reversed);
    if (!unfi_path_events(x, &q->reversed)) return unfi_refused(x->u->context);
    learning->known = unfi_cutoffs_used(x) ? 0 : known;
    learning->count = q->reversed.count;
    learning->reversing = true;
  }
  struct maximal M = {.cut = configuration_cut(&x->path.C),
                      .events = q->reversed.data,
                      .count = learning->count,
                      .known = learning->known,
                      .again = again};
  unf_status status = unfi_reverse(x->u, &M, &q->attempts, add_reversal, &in);
  if (status == UNF_OK) status = in.status;
  /* The run may be dropped: then the next one has in common with it what this one had. */
  q->reversed.count = status == UNF_OK ? learning->count : learning->known;
  return status;
}

/* What an event of the run could have been. */
static unf_status extend_step(unf_explorer *x, uint32_t step, bool exact, struct site_uses *uses) {
  unf_unfolding *u = x->u;
  struct qpor *q = qpor_of(x);
  uint32_t event = x->path.steps.data[step].event;
  bool reversed = !has_conflicting(u, action_of(u, event));
  if (reversed && !exact && q->reversed_step == NONE) q->reversed_step = step;
  if (is_extended(q, event) && !(reversed && exact)) return UNF_OK;
  unf_status status =
      extend(x, action_of(u, event)->thread, event_at(u, event)->before, event, uses);
  if (status != UNF_OK) return status;
  set_extended(q, event);
  q->learning.visited = 0;
  unfi_done(u->context);
  return UNF_OK;
}

/* Of the events of the run. Those that were extended are not looked at again, so nothing is lost
 * when it is refused on the way. */
static unf_status extend_steps(unf_explorer *x, struct site_uses *uses) {
  struct qpor *q = qpor_of(x);
  bool exact = unfi_cutoffs_used(x);
  uint32_t *i = exact ? &q->learning.steps : &q->extended_steps;
  if (*i > x->path.steps.count) *i = x->path.steps.count;
  if (*i == 0 || q->reversed_step >= *i) q->reversed_step = NONE;
  for (; *i < x->path.steps.count; ++*i) {
    uint64_t counted = steps_from(*i, 1);
    unf_status status = counted > 0 ? unfi_work(x->u->context, counted) : UNF_OK;
    if (status == UNF_OK) status = extend_step(x, *i, exact, uses);
    if (status != UNF_OK) return status;
  }
  q->learning.several = q->learning.several || q->reversed_step != NONE;
  return UNF_OK;
}

/* Of what the threads did not perform. */
static unf_status extend_threads(unf_explorer *x, struct site_uses *uses) {
  struct learning *learning = &qpor_of(x)->learning;
  for (; learning->threads < x->u->threads.count; learning->threads++) {
    uint32_t t = learning->threads, last = cut_last(x->u, configuration_cut(&x->path.C), t);
    uint64_t counted = steps_from(t, 1);
    unf_status status = counted > 0 ? unfi_work(x->u->context, counted) : UNF_OK;
    if (status == UNF_OK && last != NONE) status = extend(x, t, last, NONE, uses);
    if (status != UNF_OK) return status;
    learning->visited = 0;
    unfi_done(x->u->context);
  }
  return UNF_OK;
}

unf_status unfi_extend_all(unf_explorer *x, bool *fresh) {
  struct learning *learning = &qpor_of(x)->learning;
  struct site_uses uses = {0};
  (void)fresh;
  if (learning->run != x->run.number) *learning = (struct learning){.run = x->run.number};
  unf_status status = extend_steps(x, &uses);
  if (status == UNF_OK) status = extend_threads(x, &uses);
  unfi_site_uses_free(x->u->context, &uses);
  return status == UNF_OK && learning->several ? reverse(x) : status;
}
