/* Items begun, reported and split. */
#include "exploration/distribution/item.h"

#include "base/null.h"
#include "configuration/offer.h"
#include "exploration/distribution/way.h"
#include "exploration/explorer.h"
#include "exploration/options.h"
#include "exploration/protocol.h"
#include "extension/adds.h"
#include "structure/action.h"
#include "structure/effect.h"
#include "structure/event.h"

void unfi_item_end(struct item *item) {
  if (!item->begun) return;
  unf_context *context = item->letter.u->context;
  vector_free(context, &item->decided);
  unfi_branches_free(context, &item->finished);
  unfi_step_numbers_end(&item->numbers);
  vector_free(context, &item->levels);
  vector_free(context, &item->asleep);
  unfi_letter_free(&item->letter);
  unfi_letter_close(&item->read);
}

/* ---- beginning ---- */

/* Takes the path back to a node, and what sleeps there. What is asleep at a node is so for what
 * came after it there; at the end of the path something may be if a call failed. */
static void cut_back(unf_explorer *x, uint32_t depth) {
  unfi_wake(x, x->path.steps.count);
  while (x->path.steps.count > depth) {
    unfi_path_pop(x);
    unfi_wake(x, x->path.steps.count);
  }
}

/* What sleeps, as far as it was compared with what is to sleep. */
struct compared {
  uint32_t entries, siblings;
};

/* Whether what sleeps at the next node, from there on, is that which is listed. */
static bool same_sleep(const unf_explorer *x, uint32_t depth, struct compared *at) {
  const struct sleepers *D = &x->path.D;
  const struct item *item = &x->item;
  uint32_t i = 0;
  for (bool any = true; any;) {
    uint32_t next = i < item->asleep.count ? item->asleep.data[i].action : 0;
    bool entry = at->entries < D->entries.count && D->entries.data[at->entries].depth == depth;
    bool sibling =
        at->siblings < D->siblings.count && D->siblings.data[at->siblings].depth == depth;
    if (entry && event_at(x->u, D->entries.data[at->entries].event)->action == next)
      at->entries++;
    else if (sibling && event_at(x->u, D->siblings.data[at->siblings].event)->action == next)
      at->siblings++;
    else if (entry || sibling || next != 0)
      return false;
    any = next != 0;
    i++;
  }
  return true;
}

/* A thread that is joined has come to its end, which is no step. */
static unf_status offer_end(unf_unfolding *u, struct cut C, uint32_t thread) {
  const unf_operation end = UNF_OP_EXIT();
  uint32_t last = cut_last(u, C, thread);
  return last == NONE ? UNF_DISABLED : unfi_offer(u, thread, last, &end, 0);
}

/* The event of a step, where what it follows decides whether it can happen and the event is known:
 * so is then what its thread was about to do. NONE: that has to be asked. */
static uint32_t known_event_of(unf_unfolding *u, struct cut C, struct named_step step) {
  const struct action *a = &u->actions.data[step.action];
  if (!a->decided) return NONE;
  struct causes causes = {step.action, cut_last(u, C, a->thread), follow_one(u, C, a)};
  uint32_t event = causes.before != NONE ? event_find(u, &causes) : NONE;
  bool same = event != NONE && next_after(u, a->thread, causes.before) == step.operation;
  return same ? event : NONE;
}

/* As what its thread was about to do there. */
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

unf_status unfi_item_event(unf_explorer *x, struct named_step step, uint32_t *event) {
  unf_context *context = x->u->context;
  if (!unfi_path_reserve(x)) return unfi_refused(context);
  *event = known_event_of(x->u, configuration_cut(&x->path.C), step);
  if (*event != NONE) return UNF_OK;
  unf_status status = find_event(x, step, event);
  if (status == UNF_DISABLED || status == UNF_UNSUPPORTED || status == UNF_DIVERGENCE)
    return unfi_fail(context, UNF_INVALID, "an item with a step that is not possible");
  if (status == UNF_OK && !unfi_path_reserve(x)) status = unfi_refused(context);
  return status;
}

/* Makes a step the next one of the path. */
static unf_status push_step(unf_explorer *x, struct named_step step) {
  uint32_t event;
  unf_status status = unfi_item_event(x, step, &event);
  if (status != UNF_OK) return status;
  return unfi_path_push(x, event) ? UNF_OK : unfi_refused(x->u->context);
}

/* Reads what is left of the way at a node, where it sleeps. */
static void read_sleepers(unf_explorer *x, struct letter_in *letter) {
  struct item *item = &x->item;
  struct named_step step;
  item->asleep.count = 0;
  if (!unfi_bytes_get_below(&letter->in, 2, "whether something sleeps")) return;
  while (letter->in.status == UNF_OK && letter_step(letter, &step)) {
    if (vector_reserve(x->u->context, &item->asleep, (uint64_t)item->asleep.count + 1))
      vector_push(&item->asleep, step);
    else
      unfi_bytes_note(&letter->in, unfi_refused(x->u->context));
    unfi_bytes_note(&letter->in, unfi_work(x->u->context, 1));
  }
}

/* Has what was read sleep at the node of the path's end. */
static void take_sleepers(unf_explorer *x, struct letter_in *letter) {
  uint32_t event;
  for (uint32_t i = 0; letter->in.status == UNF_OK && i < x->item.asleep.count; i++) {
    unf_status status = unfi_item_event(x, x->item.asleep.data[i], &event);
    if (unfi_bytes_note(&letter->in, status) == UNF_OK) unfi_sleep(x, event);
  }
}

/* Puts the path to the root of the item. Steps that are there stay, up to the first node where
 * something else sleeps. */
static unf_status take_path(unf_explorer *x, struct letter_in *letter) {
  struct bytes_in *in = &letter->in;
  uint32_t depth = unfi_bytes_get_below(in, MAX_STEPS, "length of a path");
  struct compared at = {0, 0};
  bool there = true;
  for (uint32_t i = 0; in->status == UNF_OK && i < depth; i++) {
    struct named_step step = {0, 0};
    read_sleepers(x, letter);
    there = there && i < x->path.steps.count && same_sleep(x, i, &at);
    if (!there) {
      cut_back(x, i);
      take_sleepers(x, letter);
    }
    if (!letter_step(letter, &step)) unfi_bytes_malformed(in, "a path that ends early");
    if (there && x->path.steps.data[i].action != step.action) {
      there = false;
      cut_back(x, i);
    }
    if (!there && in->status == UNF_OK) unfi_bytes_note(in, push_step(x, step));
    unfi_bytes_note(in, unfi_work(x->u->context, 1));
  }
  if (in->status == UNF_OK) cut_back(x, depth);
  return in->status;
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
  struct letter_in *letter = &x->item.read;
  unf_status status = check_begin(x);
  if (status != UNF_OK) return status;
  if (!x->last.left && !unfi_path_keep_last(x)) return unfi_refused(x->u->context);
  x->last.left = true;
  x->item.begun = true;
  x->item.letter.u = x->item.numbers.u = x->u;
  x->branch = BRANCH_NONE;
  x->floor = 0;
  x->run.clue.count = 0;
  status = unfi_letter_open(letter, x->u, LETTER_ITEM, read, user);
  if (status == UNF_OK) {
    x->item.closed = unfi_bytes_get_below(&letter->in, 2, "whether an item is closed");
    status = take_path(x, letter);
  }
  if (status == UNF_OK) status = x->strategy->sharing->begin(x, letter);
  if (status != UNF_OK) return status;
  x->floor = x->run.base = x->path.steps.count;
  x->run.shared = x->last.same; /* a call that failed may have gone a part of the way */
  x->branch = BRANCH_DECIDED;
  x->item.held = true;
  return UNF_OK;
}

/* ---- what counts ---- */

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

/* ---- reporting ---- */

static unf_status check_report(unf_explorer *x, const unf_report *out) {
  if (out->size != sizeof *out)
    return unfi_wrong_option(x->u->context, "unf_report.size", out->size, sizeof *out);
  if (x->state != IDLE) return unfi_wrong_state(x, "report");
  if (!x->item.held) return unfi_fail(x->u->context, UNF_STATE, "a report without an item");
  return UNF_OK;
}

/* How many nodes from the root of the item on are shared if it is split: down to the first at which
 * branches are left; 0: there is none. */
static uint32_t find_shared(const unf_explorer *x) {
  uint32_t end = unfi_way_length(x);
  for (uint32_t depth = x->floor; depth < end; depth++)
    if (x->strategy->sharing->has_branches(x, depth)) return depth - x->floor + 1;
  return 0;
}

/* Writes the letter, behind the sequences that it has. `whole`: what is done and what is left. */
static unf_status write_report(unf_explorer *x, bool whole, uint32_t shared, unf_write write,
                               void *user) {
  struct letter *letter = &x->item.letter;
  uint32_t before = letter->body.count;
  bool finished = x->branch == BRANCH_NONE;
  bool good = letter_put_end(letter) && letter_put(letter, whole) &&
              (!whole || unfi_way_put(x, shared, letter)) && letter_put(letter, finished) &&
              (!finished || unfi_way_put_finished(x, letter));
  unf_status status =
      good ? unfi_letter_send(letter, LETTER_REPORT, write, user) : unfi_refused(x->u->context);
  if (status != UNF_OK) letter->body.count = before;
  return status;
}

unf_status unf_explorer_report(unf_explorer *x, bool split, unf_write write, void *user,
                               unf_report *out) {
  RETURN_IF_NULL(x->u->context, x, write, out);
  unf_status status = check_report(x, out);
  /* With the next execution decided, what is done and what is left are two halves of the tree. */
  if (status == UNF_OK && split && x->branch == BRANCH_LEAF) status = unfi_leave_leaf(x);
  if (status != UNF_OK) return status;
  struct item *item = &x->item;
  bool finished = x->branch == BRANCH_NONE, whole = split && !finished;
  uint32_t shared = whole ? find_shared(x) : 0;
  status = write_report(x, whole, shared, write, user);
  if (status != UNF_OK) return status;
  unf_counts counts = finished || whole ? x->counts : item->reported;
  *out = (unf_report){.size = sizeof *out,
                      .finished = finished,
                      .split = shared > 0,
                      .committed = counts.executions,
                      .reversals = item->sequences};
  subtract(&counts, &item->reported, &out->counts);
  item->reported = counts;
  item->held = !finished;
  unfi_letter_empty(&item->letter);
  item->sequences = 0;
  for (uint32_t i = 0; i < shared; i++)
    x->strategy->sharing->drop_branches(x, x->floor + i);
  unfi_way_advance(x, x->floor + shared);
  return UNF_OK;
}
