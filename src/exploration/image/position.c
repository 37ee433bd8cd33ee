/*
 * Where an exploration stands: the path from the root, at each of its nodes what was added to D
 * there and what the strategy has, and the clue that leads on. Going along it makes everything
 * again that is kept by step.
 */
#include "exploration/image/position.h"

#include "exploration/explorer.h"
#include "exploration/finish.h"
#include "exploration/image/image.h"
#include "exploration/image/sequence.h"
#include "extension/adds.h"
#include "structure/cut.h"
#include "structure/event.h"

/* The counts, all of which are numbers of 64 bits but one. */
#define COUNTS(ROW)                                                                                \
  ROW(traces)                                                                                      \
  ROW(complete)                                                                                    \
  ROW(blocked)                                                                                     \
  ROW(deadlocks)                                                                                   \
  ROW(errors)                                                                                      \
  ROW(redundant) ROW(truncated) ROW(executions) ROW(probes) ROW(events) ROW(steps) ROW(resumed)    \
      ROW(extensions) ROW(collections) ROW(collected) ROW(waiting) ROW(waiting_bytes)              \
          ROW(reversals) ROW(reversals_inserted) ROW(turns_tested) ROW(turns) ROW(undecided)       \
              ROW(infeasible) ROW(alternatives.searches) ROW(alternatives.found)                   \
                  ROW(alternatives.spikes) ROW(alternatives.read) ROW(alternatives.kept)           \
                      ROW(alternatives.nodes)

/* ---- writing ---- */

static void write_counts(const unf_counts *counts, struct bytes_out *out) {
#define COUNT_WRITTEN(name) unfi_bytes_put(out, counts->name);
  COUNTS(COUNT_WRITTEN)
#undef COUNT_WRITTEN
  unfi_bytes_put(out, counts->bounds);
}

static void write_probes(const struct probes *p, struct bytes_out *out) {
  unfi_bytes_put(out, p->count);
  unfi_bytes_put(out, p->lost);
  unfi_bytes_put_double(out, p->mean);
  unfi_bytes_put_double(out, p->squares);
}

/* The events of D that were added at a node, from *entry and *sibling on: heads before the others
 * of their siblings. */
static void write_sleepers(const struct sleepers *D, uint32_t node, uint32_t *entry,
                           uint32_t *sibling, struct bytes_out *out) {
  for (; *entry < D->entries.count && D->entries.data[*entry].depth == node; ++*entry)
    unfi_bytes_put(out, D->entries.data[*entry].event);
  for (; *sibling < D->siblings.count && D->siblings.data[*sibling].depth == node; ++*sibling)
    unfi_bytes_put(out, D->siblings.data[*sibling].event);
  unfi_bytes_put(out, 0);
}

/* With how the run ended from which not all is learned. */
static void write_branch(const unf_explorer *x, struct bytes_out *out) {
  unsigned ended = x->run.unlearned ? x->run.step.kind : UNF_STEP_ACTION;
  unfi_bytes_put(out, (unsigned)x->branch + (BRANCH_NONE + 1) * ended);
}

/* A step is an event of the path, or of the clue behind it. */
static uint32_t step_at(const unf_explorer *x, uint32_t step) {
  uint32_t steps = x->path.steps.count;
  return step < steps ? x->path.steps.data[step].event : x->run.clue.data[step - steps];
}

unf_status unfi_position_write(const unf_explorer *x, struct bytes_out *out) {
  uint32_t steps = x->path.steps.count, entry = 0, sibling = 0;
  uint32_t all = steps + (x->branch == BRANCH_DECIDED ? x->run.clue.count : 0);
  unf_status status = UNF_OK;
  write_counts(&x->counts, out);
  write_probes(&x->probes, out);
  write_branch(x, out);
  unfi_bytes_put(out, x->run.drawn);
  unfi_bytes_put(out, x->last.left);
  unfi_bytes_put(out, x->collecting.left);
  unfi_bytes_put(out, x->collecting.dropped);
  unfi_bytes_put(out, steps);
  unfi_bytes_put(out, all - steps);
  for (uint32_t i = 0; status == UNF_OK && i <= all; i++) {
    if (i <= steps) write_sleepers(&x->path.D, i, &entry, &sibling, out);
    if (x->strategy->write_node != NULL) status = x->strategy->write_node(x, i, out);
    if (i < all) unfi_bytes_put(out, (uint64_t)step_at(x, i) << 1 | unfi_bounds_preempted(x, i));
    if (status == UNF_OK) status = out->status;
  }
  if (status == UNF_OK && x->order->write != NULL) x->order->write(x, out);
  if (status == UNF_OK && x->strategy->write != NULL) x->strategy->write(x, out);
  return status == UNF_OK ? out->status : status;
}

/* ---- reading ---- */

static void read_counts(unf_counts *counts, struct bytes_in *in) {
#define COUNT_READ(name) counts->name = unfi_bytes_get(in);
  COUNTS(COUNT_READ)
#undef COUNT_READ
  counts->bounds = unfi_bytes_get_below(in, 4, "bounds");
}

static void read_probes(struct probes *p, struct bytes_in *in) {
  p->count = unfi_bytes_get(in);
  p->lost = unfi_bytes_get_below(in, 2, "a lost probe");
  p->mean = unfi_bytes_get_double(in);
  p->squares = unfi_bytes_get_double(in);
}

static unf_status read_sleepers(unf_explorer *x, struct bytes_in *in) {
  uint32_t event = unfi_bytes_get_below(in, x->u->store.count, "an event of D");
  for (; in->status == UNF_OK && event != 0;
       event = unfi_bytes_get_below(in, x->u->store.count, "an event of D")) {
    if (!unfi_path_reserve(x)) return unfi_bytes_note(in, unfi_refused(x->u->context));
    unfi_enabled_check(x, in, event);
    if (in->status == UNF_OK) unfi_sleep(x, event);
    unfi_bytes_note(in, unfi_work(x->u->context, 1));
  }
  return in->status;
}

/* A step of the path, or of the clue: with what it spends of bounds. */
static unf_status read_step(unf_explorer *x, struct bytes_in *in) {
  uint64_t number = unfi_bytes_get(in);
  uint32_t event = (uint32_t)(number >> 1);
  if (in->status == UNF_OK && (number >> 33 != 0 || event == 0 || !known_event(x->u, event)))
    unfi_bytes_malformed(in, "a step that is no event");
  unfi_enabled_check(x, in, event);
  if (in->status == UNF_OK && !bounds_reserve(x->u->context, &x->bounds, x->path.steps.count))
    unfi_bytes_note(in, unfi_refused(x->u->context));
  if (in->status == UNF_OK) unfi_bounds_again(x, event, number & 1);
  return unfi_image_push(x, in, event);
}

/* Goes along the path and the clue, and back to the end of the path. */
static unf_status read_nodes(unf_explorer *x, struct bytes_in *in) {
  uint64_t steps = unfi_bytes_get_below(in, MAX_STEPS, "steps");
  uint64_t clue = unfi_bytes_get_below(in, MAX_STEPS, "steps of the clue");
  if (clue > 0 && x->branch != BRANCH_DECIDED) unfi_bytes_malformed(in, "steps of a clue");
  for (uint64_t i = 0; in->status == UNF_OK && i <= steps + clue; i++) {
    if (i <= steps && read_sleepers(x, in) != UNF_OK) break;
    if (x->strategy->read_node != NULL) x->strategy->read_node(x, in);
    if (in->status == UNF_OK && i < steps + clue) read_step(x, in);
  }
  if (in->status != UNF_OK) return in->status;
  if (!vector_reserve(x->u->context, &x->run.clue, clue))
    return unfi_bytes_note(in, unfi_refused(x->u->context));
  x->run.clue.count = (uint32_t)clue;
  for (uint64_t left = clue; left > 0; left--)
    x->run.clue.data[left - 1] = unfi_path_pop(x);
  return UNF_OK;
}

static void read_branch(unf_explorer *x, struct bytes_in *in) {
  const uint32_t branches = BRANCH_NONE + 1;
  uint32_t number = unfi_bytes_get_below(in, branches * (UNF_STEP_TRUNCATED + 1), "a branch");
  x->branch = (enum branch_state)(number % branches);
  x->run.step.kind = (unf_step_kind)(number / branches);
  x->run.unlearned = x->run.step.kind != UNF_STEP_ACTION;
  if (x->run.step.kind == UNF_STEP_REDUNDANT) unfi_bytes_malformed(in, "a branch");
}

/* With the path at the end of a run: what it came to, and from where it is learned again. */
static void take_unlearned(unf_explorer *x, struct bytes_in *in) {
  unf_unfolding *u = x->u;
  bool known = x->strategy->learn != NULL && !x->strategy->names_traces;
  for (uint32_t t = 0; known && t < u->threads.count; t++) {
    uint32_t last = cut_last(u, configuration_cut(&x->path.C), t);
    known = last == NONE || next_after(u, t, last) != 0;
  }
  if (!known) unfi_bytes_malformed(in, "a run that did not come to its end");
  if (known) unfi_judge_again(x);
  x->run.number = 1;
}

unf_status unfi_position_read(unf_explorer *x, struct bytes_in *in) {
  unf_counts counts = {0};
  if (!unfi_path_reserve(x)) return unfi_bytes_note(in, unfi_refused(x->u->context));
  read_counts(&counts, in);
  read_probes(&x->probes, in);
  read_branch(x, in);
  x->run.drawn = unfi_bytes_get_below(in, 2, "a drawn sibling");
  x->last.left = unfi_bytes_get_below(in, 2, "a leaf that was left");
  x->collecting.left = unfi_bytes_get_below(in, (uint64_t)x->u->store.count + 1, "events left");
  x->collecting.dropped = unfi_bytes_get_below(in, 2, "a run that was dropped");
  read_nodes(x, in);
  x->counts = counts;
  if (in->status == UNF_OK && x->order->read != NULL) x->order->read(x, in);
  if (in->status == UNF_OK && x->strategy->read != NULL) x->strategy->read(x, in);
  if (in->status == UNF_OK && x->run.unlearned) take_unlearned(x, in);
  x->run.base = x->path.steps.count;
  x->run.shared = x->probes.shared = 0; /* this process has performed nothing yet */
  return in->status;
}
