/* Items begun, reported and split. */
#include "exploration/distribution/item.h"

#include "base/null.h"
#include "exploration/explorer.h"
#include "exploration/options.h"
#include "exploration/protocol.h"
#include "extension/adds.h"
#include "structure/action.h"
#include "structure/effect.h"
#include "structure/event.h"

bool unfi_item_enter(unf_explorer *x) {
  struct item *item = &x->item;
  if (!item->begun) return true;
  if (!vector_reserve(x->u->context, &item->entered, (uint64_t)item->entered.count + 1))
    return false;
  while (item->entered.count > 0 && item->entered.data[item->entered.count - 1].depth > x->run.base)
    item->entered.count--;
  struct entered entered = {x->run.base + 1, x->counts};
  vector_push(&item->entered, entered);
  return true;
}

void unfi_item_end(struct item *item) {
  if (!item->begun) return;
  vector_free(item->letter.u->context, &item->entered);
  unfi_letter_free(&item->letter);
}

/* ---- beginning ---- */

/* Takes the path back. What is asleep at a node is so for what came after it there. */
static void cut_back(unf_explorer *x, uint32_t depth) {
  while (x->path.steps.count > depth) {
    unfi_path_pop(x);
    unfi_wake(x, x->path.steps.count);
  }
}

/* A thread that is joined has come to its end, which is no step. */
static unf_status offer_end(unf_unfolding *u, struct cut C, uint32_t thread) {
  const unf_operation end = UNF_OP_EXIT();
  uint32_t last = cut_last(u, C, thread);
  return last == NONE ? UNF_DISABLED : unfi_offer(u, thread, last, &end, 0);
}

/* Whether a step is possible at the end of the path, as what its thread was about to do there; its
 * event. */
static unf_status find_event(unf_explorer *x, struct named_step step, uint32_t *event) {
  unf_unfolding *u = x->u;
  struct cut C = configuration_cut(&x->path.C);
  unf_action action = unfi_action(u, step.action);
  struct causes causes;
  uint32_t last = cut_last(u, C, action.thread);
  if (last == NONE) return UNF_DISABLED;
  unf_operation operation = u->operations.data[step.operation];
  unf_status status = unfi_offer(u, action.thread, last, &operation, x->path.steps.count + 1ull);
  if (status == UNF_OK && joins_thread(u, action.kind)) status = offer_end(u, C, action.target);
  if (status == UNF_OK) status = unfi_causes(u, C, &action, &causes);
  if (status == UNF_OK) status = unfi_check_offered(u, C, &action);
  return status == UNF_OK ? unfi_event_intern(u, &causes, event) : status;
}

/* Makes a step the next one of the path. */
static unf_status push_step(unf_explorer *x, struct named_step step) {
  unf_context *context = x->u->context;
  uint32_t event;
  if (!unfi_path_reserve(x)) return unfi_refused(context);
  unf_status status = find_event(x, step, &event);
  if (status == UNF_DISABLED || status == UNF_UNSUPPORTED || status == UNF_DIVERGENCE)
    return unfi_fail(context, UNF_INVALID, "an item whose path is not possible");
  if (status != UNF_OK) return status;
  return unfi_path_reserve(x) && unfi_path_push(x, event) ? UNF_OK : unfi_refused(context);
}

/* Puts the path to the root of the item. Steps that are there stay. */
static unf_status take_path(unf_explorer *x, struct letter_in *letter) {
  uint32_t depth = 0;
  for (struct named_step step; unfi_letter_step(letter, &step); depth++) {
    bool there = depth < x->path.steps.count && x->path.steps.data[depth].action == step.action;
    if (!there) cut_back(x, depth);
    if (!there) unfi_bytes_note(&letter->in, push_step(x, step));
    if (unfi_bytes_note(&letter->in, unfi_work(x->u->context, 1)) != UNF_OK) break;
  }
  if (unfi_letter_finish(letter) == UNF_OK) cut_back(x, depth);
  return letter->in.status;
}

static unf_status check_begin(unf_explorer *x) {
  if (x->state != IDLE) return unfi_wrong_state(x, "begin_item");
  if (x->item.held)
    return unfi_fail(x->u->context, UNF_STATE, "an item before the last one is reported finished");
  if (!x->item.begun && x->counts.executions > 0)
    return unfi_fail(x->u->context, UNF_STATE, "an item in an exploration that began without one");
  return unfi_feature_supported(x, FEATURE_ITEMS, "unf_explorer_begin_item()");
}

unf_status unf_explorer_begin_item(unf_explorer *x, unf_read read, void *user) {
  RETURN_IF_NULL(x->u->context, x, read);
  struct letter_in letter;
  unf_status status = check_begin(x);
  if (status != UNF_OK) return status;
  if (!x->last.left && !unfi_path_keep_last(x)) return unfi_refused(x->u->context);
  x->last.left = true;
  x->item.begun = true;
  x->item.letter.u = x->u;
  x->branch = BRANCH_NONE;
  x->floor = 0;
  status = unfi_letter_open(&letter, x->u, LETTER_ITEM, read, user);
  if (status == UNF_OK) status = take_path(x, &letter);
  unfi_letter_close(&letter);
  if (status != UNF_OK) return status;
  x->floor = x->run.base = x->path.steps.count;
  x->run.shared = x->last.same; /* a call that failed may have gone a part of the way */
  x->run.clue.count = 0;
  x->branch = BRANCH_DECIDED;
  x->item.held = true;
  x->item.entered.count = 0;
  x->strategy->sharing->begin(x);
  return UNF_OK;
}

/* ---- what counts ---- */

/* What was counted when the node of the way at a depth was entered. */
static const unf_counts *counted_at(const unf_explorer *x, uint32_t depth) {
  const struct item *item = &x->item;
  const unf_counts *counts = &item->reported;
  if (x->branch == BRANCH_DECIDED && depth > x->run.base) return &x->counts;
  for (uint32_t i = 0; i < item->entered.count && item->entered.data[i].depth <= depth; i++)
    counts = &item->entered.data[i].counts;
  return counts;
}

static void subtract(const unf_counts *a, const unf_counts *b, unf_counts *out) {
  *out = (unf_counts){.traces = a->traces - b->traces,
                      .complete = a->complete - b->complete,
                      .blocked = a->blocked - b->blocked,
                      .deadlocks = a->deadlocks - b->deadlocks,
                      .errors = a->errors - b->errors,
                      .redundant = a->redundant - b->redundant,
                      .executions = a->executions - b->executions,
                      .undecided = a->undecided - b->undecided,
                      .infeasible = a->infeasible - b->infeasible,
                      .steps = a->steps - b->steps};
}

/* ---- splitting ---- */

/* The way is the path, and what is decided of the next execution behind it. */
static uint32_t way_length(const unf_explorer *x) {
  uint32_t decided = x->branch == BRANCH_DECIDED ? x->run.clue.count : 0;
  return x->path.steps.count + decided;
}

static uint32_t way_at(const unf_explorer *x, uint32_t depth) {
  uint32_t steps = x->path.steps.count;
  return depth < steps ? x->path.steps.data[depth].event : x->run.clue.data[depth - steps];
}

/* The shallowest node of the way at which branches are left, or NONE. */
static uint32_t find_branches(const unf_explorer *x) {
  uint32_t length = x->branch != BRANCH_NONE ? way_length(x) : 0;
  for (uint32_t depth = x->floor; depth < length; depth++)
    if (x->strategy->sharing->has_branches(x, depth)) return depth;
  return NONE;
}

/* The first free node of the way below one. There is one, as a run goes on freely at its end. */
static uint32_t find_free(const unf_explorer *x, uint32_t depth) {
  do
    depth++;
  while (!x->strategy->sharing->is_free(x, depth));
  return depth;
}

/* The branches of a node that are done. */
static bool put_done(const unf_explorer *x, uint32_t depth, struct letter *letter) {
  const struct sleepers *D = &x->path.D;
  bool good = true;
  for (uint32_t i = 0; good && i < D->entries.count; i++)
    if (D->entries.data[i].depth == depth)
      good = unfi_letter_put_event(letter, D->entries.data[i].event);
  for (uint32_t i = 0; good && i < D->siblings.count; i++)
    if (D->siblings.data[i].depth == depth)
      good = unfi_letter_put_event(letter, D->siblings.data[i].event);
  return good && unfi_letter_put_end(letter);
}

/* The nodes from the root of the item to a node of the way, with their branches. Returns false
 * when refused. */
static bool put_split(const unf_explorer *x, uint32_t until, struct letter *letter) {
  bool good = unfi_letter_put(letter, until - x->floor);
  for (uint32_t depth = x->floor; good && depth < until; depth++)
    good = put_done(x, depth, letter) && unfi_letter_put_event(letter, way_at(x, depth)) &&
           x->strategy->sharing->put_branches(x, depth, letter);
  return good;
}

/* ---- reporting ---- */

static unf_status check_report(unf_explorer *x, const unf_report *out) {
  if (out->size != sizeof *out)
    return unfi_wrong_option(x->u->context, "unf_report.size", out->size, sizeof *out);
  if (x->state != IDLE) return unfi_wrong_state(x, "report");
  if (!x->item.held) return unfi_fail(x->u->context, UNF_STATE, "a report without an item");
  return UNF_OK;
}

/* Writes the letter, behind the sequences that it has. */
static unf_status write_report(unf_explorer *x, uint32_t until, bool finished, unf_write write,
                               void *user) {
  struct letter *letter = &x->item.letter;
  uint32_t before = letter->body.count;
  bool good = unfi_letter_put_end(letter) && put_split(x, until, letter) &&
              unfi_letter_put(letter, finished);
  unf_status status =
      good ? unfi_letter_send(letter, LETTER_REPORT, write, user) : unfi_refused(x->u->context);
  if (status != UNF_OK) letter->body.count = before;
  return status;
}

unf_status unf_explorer_report(unf_explorer *x, bool split, unf_write write, void *user,
                               unf_report *out) {
  RETURN_IF_NULL(x->u->context, x, write, out);
  unf_status status = check_report(x, out);
  if (status != UNF_OK) return status;
  struct item *item = &x->item;
  bool finished = x->branch == BRANCH_NONE;
  uint32_t node = split ? find_branches(x) : NONE;
  uint32_t until = node == NONE ? x->floor : find_free(x, node);
  status = write_report(x, until, finished, write, user);
  if (status != UNF_OK) return status;
  const unf_counts counts = finished ? x->counts : *counted_at(x, until);
  *out = (unf_report){.size = sizeof *out,
                      .finished = finished,
                      .split = until > x->floor,
                      .committed = counts.executions,
                      .reversals = item->sequences};
  subtract(&counts, &item->reported, &out->counts);
  item->reported = counts;
  item->held = !finished;
  unfi_letter_empty(&item->letter);
  item->sequences = 0;
  for (uint32_t depth = x->floor; depth < until; depth++)
    x->strategy->sharing->drop_branches(x, depth);
  x->floor = until;
  return UNF_OK;
}
