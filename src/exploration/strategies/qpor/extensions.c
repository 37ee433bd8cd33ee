/*
 * The conflicting extensions of a maximal configuration enter U. What an event could have been
 * depends on its own history alone, so it is computed in the first maximal run that has the event;
 * only the operations that were never performed are looked at in each run.
 *
 * Each lock of a mutex that is taken n times could have been at up to n places. So the events of a
 * long run are extended one by one as they are taken back, and only those that are. Nothing is
 * missed by that: what an event of C could have been follows the same event of its thread, so it is
 * in conflict with C and in no alternative there. With cutoffs all are extended at once, by which
 * verdicts may change.
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
  bool nested;     /* see struct operation_row */
  unf_status status;
};

static unf_status enter_extension(unf_explorer *x, const struct causes *causes, uint32_t *event) {
  unf_status status = unfi_event_intern(x->u, causes, event);
  if (status != UNF_OK) return status;
  if (by_event_has(&x->path.marks, *event) && is_discovered(&x->path, *event)) return UNF_OK;
  if (!unfi_discover_reserve(x, *event)) return unfi_refused(x->u->context);
  unfi_discover(x, *event);
  return UNF_OK;
}

/* What an operation could have become: an extension that is entered stays so. */
static bool add_extension(void *user, const struct causes *causes) {
  struct extension_pass *in = user;
  unf_context *context = in->x->u->context;
  struct qpor *q = qpor_of(in->x);
  struct learning *learning = &q->learning;
  uint32_t event;
  if (in->passed < learning->visited) {
    in->passed++;
    return true;
  }
  if (in->nested && !vector_reserve(context, &q->nested, (uint64_t)q->nested.count + 1))
    in->status = unfi_refused(context);
  else
    in->status = enter_extension(in->x, causes, &event);
  if (in->status != UNF_OK) return false;
  in->passed = ++learning->visited;
  unfi_done(context);
  in->status = unfi_work(context, 1);
  if (in->nested && is_extended(q, event)) return false;
  if (in->nested) vector_push(&q->nested, event);
  return in->status == UNF_OK;
}

/* All that an operation could have become is in U. */
static void end_operation(struct qpor *q) {
  for (uint32_t i = 0; i < q->nested.count; i++)
    set_extended(q, q->nested.data[i]);
  q->nested.count = 0;
  q->learning.visited = 0;
}

static bool add_reversal(void *user, const struct causes *causes) {
  struct extension_pass *in = user;
  uint32_t event;
  in->status = enter_extension(in->x, causes, &event);
  return in->status == UNF_OK;
}

/* Siblings are drawn one by one, where a spike needs another one (spikes.c).
 *
 * An operation with several uses is left to reversal. With cutoffs it has its exact extensions: a
 * reversal may lead to one event by way of executions with another, which may be left out. */
static unf_status extend(unf_explorer *x, uint32_t thread, uint32_t before, uint32_t event,
                         struct site_uses *uses) {
  unf_unfolding *u = x->u;
  struct cut C = configuration_cut(&x->path.C);
  uint32_t next = next_after(u, thread, before);
  const struct operation_row *row = &u->effects->operations[u->operations.data[next].kind];
  const struct effect_family *family = row->family;
  if (row->numbers == NUMBERS_RANGE) return UNF_OK;
  if (family->conflicting == NULL && x->cutoffs.table == NULL) {
    qpor_of(x)->learning.several = true;
    return UNF_OK;
  }
  struct extension_pass in = {x, 0, row->nested, UNF_OK};
  /* Copied: interning on the way may move the table. */
  unf_operation operation = u->operations.data[next];
  unf_status status =
      family->conflicting != NULL
          ? family->conflicting(u, C, thread, before, &operation, event, add_extension, &in)
          : unfi_exact(u, C, thread, before, &operation, event, uses, add_extension, &in);
  return status != UNF_OK ? status : in.status;
}

static unf_status reverse(unf_explorer *x) {
  struct qpor *q = qpor_of(x);
  struct learning *learning = &q->learning;
  struct extension_pass in = {x, 0, false, UNF_OK};
  bool again = learning->reversing;
  if (!again) {
    uint32_t known = unfi_path_common(&x->path, &q->reversed);
    if (!unfi_path_events(x, &q->reversed, known)) return unfi_refused(x->u->context);
    learning->known = unfi_cutoffs_used(x) ? 0 : known;
    learning->count = q->reversed.count;
    learning->reversing = true;
  }
  struct maximal M = {.cut = configuration_cut(&x->path.C),
                      .events = q->reversed.data,
                      .count = learning->count,
                      .known = learning->known,
                      .complete = x->run.verdict.complete,
                      .again = again};
  unf_status status = unfi_reverse(x->u, &M, &q->attempts, add_reversal, &in);
  if (status == UNF_OK) status = in.status;
  /* The run may be dropped: then the next one has in common with it what this one had. */
  q->reversed.count = status == UNF_OK ? learning->count : learning->known;
  return status;
}

static unf_status extend_event(unf_explorer *x, uint32_t event, struct site_uses *uses) {
  struct qpor *q = qpor_of(x);
  uint32_t thread = action_of(x->u, event)->thread;
  unf_status status = extend(x, thread, event_at(x->u, event)->before, event, uses);
  if (status != UNF_OK) return status;
  set_extended(q, event);
  end_operation(q);
  unfi_done(x->u->context);
  return UNF_OK;
}

static inline bool has_none(const struct action *a, const struct event *e) {
  return a->sole && !(e->follows & ROW_TAG);
}

unf_status unfi_extend_left(unf_explorer *x, uint32_t event) {
  struct qpor *q = qpor_of(x);
  const struct action *a = action_of(x->u, event);
  if (!a->conflicting || has_none(a, event_at(x->u, event)) || is_extended(q, event)) return UNF_OK;
  if (q->learning.left != event) {
    q->learning.left = event;
    q->learning.visited = 0;
    q->nested.count = 0;
  }
  unf_status status = extend_event(x, event, NULL);
  if (status == UNF_OK) q->learning.left = 0;
  return status;
}

/* What an event of the run could have been. */
static unf_status extend_step(unf_explorer *x, uint32_t step, bool exact, struct site_uses *uses) {
  unf_unfolding *u = x->u;
  struct qpor *q = qpor_of(x);
  const struct frame *frame = &x->path.steps.data[step];
  const struct action *a = &u->actions.data[frame->action];
  uint32_t event = frame->event;
  if (has_none(a, event_at(u, event))) return UNF_OK;
  if (!a->conflicting && !exact) {
    if (q->reversed_step == NONE) q->reversed_step = step;
    return UNF_OK;
  }
  if (a->conflicting && (is_extended(q, event) || extended_later(x, step))) return UNF_OK;
  return extend_event(x, event, uses);
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

/* The first thread from a number on that has started and not come to its end, or NONE. */
static uint32_t next_live(const unf_explorer *x, uint32_t from) {
  unf_unfolding *u = x->u;
  if (x->run.ready.made) return unfi_ready_live(&x->run.ready, from);
  for (uint32_t t = from; t < u->threads.count; t++) {
    uint32_t last = cut_last(u, configuration_cut(&x->path.C), t);
    if (last == NONE) continue;
    const unf_operation *next = &u->operations.data[next_after(u, t, last)];
    if (!u->effects->operations[next->kind].ends) return t;
  }
  return NONE;
}

/* Of what the threads did not perform. */
static unf_status extend_threads(unf_explorer *x, struct site_uses *uses) {
  unf_unfolding *u = x->u;
  struct learning *learning = &qpor_of(x)->learning;
  for (;; learning->threads++) {
    uint32_t t = next_live(x, learning->threads);
    if (t == NONE) return UNF_OK;
    learning->threads = t;
    unf_status status = unfi_work(u->context, 1);
    uint32_t last = cut_last(u, configuration_cut(&x->path.C), t);
    if (status == UNF_OK) status = extend(x, t, last, NONE, uses);
    if (status != UNF_OK) return status;
    end_operation(qpor_of(x));
    unfi_done(u->context);
  }
}

unf_status unfi_extend_all(unf_explorer *x, bool *fresh) {
  struct learning *learning = &qpor_of(x)->learning;
  struct site_uses *uses = &qpor_of(x)->uses;
  (void)fresh;
  unfi_site_uses_clear(uses);
  if (learning->run != x->run.number) {
    *learning = (struct learning){.run = x->run.number};
    qpor_of(x)->nested.count = 0;
  }
  unf_status status = extend_steps(x, uses);
  if (status == UNF_OK) status = extend_threads(x, uses);
  return status == UNF_OK && learning->several ? reverse(x) : status;
}
