/*
 * Optimal DPOR with wakeup trees (UNF_ODPOR): "Source Sets" (Abdulla, Aronis, Jonsson, Sagonas,
 * JACM 2017), with the awaits of "Awaiting for Godot" (2022), over events. A step is an event, so
 * that what a thread does at another place is another step. The parts are those of src/wakeup/; the
 * sleep set is that of the path.
 *
 * A reversal of the maximal execution is inserted into the wakeup tree of its node, unless a
 * sleeping event is a weak initial of it: then what begins so was explored. Branches of the tree
 * are taken from the trees from the left; at their leaves the execution goes on freely, with an
 * empty sleep set.
 */
#include "exploration/distribution/way.h"
#include "exploration/explorer.h"
#include "exploration/free_step.h"
#include "exploration/image/nodes.h"
#include "exploration/image/tree.h"
#include "exploration/options.h"
#include "exploration/strategies/strategies.h"
#include "extension/adds.h"
#include "extension/reversal.h"
#include "extension/siblings.h"
#include "structure/event.h"
#include "wakeup/reversals.h"
#include "wakeup/tree.h"

struct odpor {
  struct unf_wakeup_trees trees;
  struct reversals reversals;
  handle_vector learned; /* the last execution whose reversals were visited */
  struct {
    uint64_t run; /* number of the run, 0: none */
    uint32_t known, count;
    uint32_t outcomes; /* branches of so many steps were looked at */
  } learning; /* of a call that was refused: the run is in `learned`, with so many steps, of
                 which so many are those of the execution before */
  struct nodes_in nodes; /* of the trees, while they are read */
};

static struct odpor *odpor_of(const unf_explorer *x) {
  return x->strategy_state;
}

static void begin(unf_explorer *x, const unf_explorer_options *options) {
  (void)options;
  odpor_of(x)->trees.u = x->u;
}

static void end(unf_explorer *x) {
  struct odpor *o = odpor_of(x);
  unfi_wakeup_empty(&o->trees);
  unfi_reversals_free(x->u->context, &o->reversals);
  unfi_nodes_free(x->u->context, &o->nodes);
  vector_free(x->u->context, &o->learned);
}

/* ---- learning ---- */

/* Whether a sleeping event is a weak initial of a rest. It is not in the execution, as it depends
 * on the step there with which it ceased to sleep. */
static bool begins(const struct sleeper *s, const struct rest *rest) {
  if (s->event == rest->event) return true;
  if (s->until >= rest->count) return rest_begins(rest, s->event, rest->count);
  return !remains(rest, s->until) && rest_begins(rest, s->event, s->until + 1);
}

/* Whether what begins with the rest at its position was explored there. The siblings of a head need
 * no look: nothing but steps of their own thread depends on them, so a run from a node where one
 * sleeps performs another one, and what draw() reverses is awake. */
static unf_status explored(unf_explorer *x, const struct rest *rest, bool *out) {
  const struct sleeper *data = x->path.D.entries.data;
  const uint32_t count = x->path.D.entries.count, position = rest->position;
  const uint32_t each = rest->few != NULL ? 1 : 1 + rest->count - position;
  *out = false;
  for (uint32_t i = 0; i < count && data[i].depth <= position; i++) {
    uint64_t steps = steps_from(i, each);
    unf_status status = steps > 0 ? unfi_work(x->u->context, steps) : UNF_OK;
    if (status != UNF_OK) return status;
    if (data[i].until < position) continue;
    *out = begins(&data[i], rest);
    if (*out) return UNF_OK;
  }
  return UNF_OK;
}

/* Of the siblings of a step one is inserted at a time: its run leads to the next. One that is awake
 * and waits in the trees already leads there too. Above the root of an item the
 * ledger, which knows what is asleep there, draws again. */
static unf_status draw(void *user, uint32_t event, int64_t *value, bool *any) {
  unf_explorer *x = user;
  struct siblings siblings;
  uint32_t head = unfi_justified_head(x, step_of(&x->path, event) - 1);
  unfi_siblings_of(x->u, event, &siblings);
  *value = siblings.low;
  return unfi_awake_from(x, head, event, siblings, value, any);
}

/* An event that sleeps was explored there, and sleeps there in every execution that is the same up
 * to then. It depends on what was performed in its place, so it is one of those that ceased to
 * sleep with that step. */
static unf_status asleep(void *user, const struct causes *causes, uint32_t out, bool *sleeps) {
  unf_explorer *x = user;
  const struct sleeper *data = x->path.D.entries.data;
  uint32_t entry = x->path.steps.data[step_of(&x->path, out) - 1].justified;
  for (uint32_t i = 0; entry != NONE; entry = data[entry].chain, i++) {
    uint64_t steps = steps_from(i, 1);
    unf_status status = steps > 0 ? unfi_work(x->u->context, steps) : UNF_OK;
    if (status != UNF_OK) return status;
    if (!is_event(event_at(x->u, data[entry].event), causes)) continue;
    x->counts.reversals++;
    *sleeps = true;
    return UNF_OK;
  }
  return UNF_OK;
}

struct inserting {
  unf_explorer *x;
  unf_status status;
};

/* Lists a rest that belongs above the root of the item, for the ledger. */
static unf_status post(unf_explorer *x, struct rest *rest) {
  struct letter *letter = &x->item.letter;
  handle_vector *sequence = &odpor_of(x)->trees.sequence;
  uint32_t before = letter->body.count;
  if (!vector_reserve(x->u->context, sequence, (uint64_t)rest->count - rest->position + 1))
    return unfi_refused(x->u->context);
  uint32_t count = unfi_rest_list(rest, sequence->data);
  bool good = letter_put(letter, (uint64_t)rest->position + 1);
  for (uint32_t i = 0; good && i < count; i++)
    good = unfi_letter_put_event(letter, sequence->data[i]);
  if (good && letter_put_end(letter)) {
    x->item.sequences++;
    return UNF_OK;
  }
  letter->body.count = before;
  return unfi_refused(x->u->context);
}

/* Has what begins with a rest explored. */
static unf_status enter(unf_explorer *x, struct rest *rest) {
  bool inserted = rest->position < x->floor;
  unf_status status =
      inserted ? post(x, rest) : unfi_wakeup_insert(&odpor_of(x)->trees, rest, &inserted);
  if (status == UNF_OK) x->counts.reversals_inserted += inserted;
  return status;
}

static bool insert(void *user, struct rest *rest) {
  struct inserting *in = user;
  unf_explorer *x = in->x;
  bool known = false;
  if (!unfi_discover_reserve(x, rest->event)) {
    in->status = unfi_refused(x->u->context);
    return false;
  }
  if (!is_discovered(&x->path, rest->event)) unfi_discover(x, rest->event);
  in->status = explored(x, rest, &known);
  if (in->status == UNF_OK && !known) in->status = enter(x, rest);
  if (in->status != UNF_OK) return false;
  x->counts.reversals++;
  return true;
}

/* Leading steps that the run at hand has in common with the one that was learned last. If that was
 * the last run, no step of it that was not taken back since needs a look. */
static uint32_t common_steps(const unf_explorer *x) {
  const struct odpor *o = odpor_of(x);
  if (o->learning.run + 1 != x->run.number) return unfi_path_common(&x->path, &o->learned);
  return x->last.same < o->learned.count ? x->last.same : o->learned.count;
}

/* The run at hand, and what it has in common with the last one. Returns false when refused. */
static bool begin_learning(unf_explorer *x) {
  struct odpor *o = odpor_of(x);
  uint32_t known = common_steps(x);
  if (!unfi_path_events(x, &o->learned, known)) return false;
  o->learning.run = x->run.number;
  o->learning.known = known;
  o->learning.count = o->learned.count;
  o->learning.outcomes = known; /* those of shared steps were looked at */
  return true;
}

/* Another outcome of a branch is inserted alone: of what the execution did elsewhere not all may go
 * together with it, and what does is not one sequence. */
static bool insert_outcome(void *user, const struct causes *causes) {
  struct inserting *in = user;
  unf_explorer *x = in->x;
  struct odpor *o = odpor_of(x);
  unf_answer answer = UNF_ANSWER_NO;
  bool known = false;
  uint32_t event;
  in->status = unfi_event_intern(x->u, causes, &event);
  struct rest rest = rest_of_one(x->u, event, o->learning.outcomes);
  if (in->status == UNF_OK && !unfi_discover_reserve(x, event))
    in->status = unfi_refused(x->u->context);
  if (in->status != UNF_OK) return false;
  unfi_discover(x, event);
  in->status = explored(x, &rest, &known);
  if (in->status == UNF_OK && !known) in->status = unfi_list_ask(x, event, &answer);
  if (in->status == UNF_OK && answer != UNF_ANSWER_NO) in->status = enter(x, &rest);
  if (in->status != UNF_OK) return false;
  x->counts.reversals++;
  return true;
}

/* The branches of the run that were not looked at yet. */
static unf_status learn_outcomes(unf_explorer *x) {
  unf_unfolding *u = x->u;
  struct inserting in = {x, UNF_OK};
  for (uint32_t *i = &odpor_of(x)->learning.outcomes; *i < x->path.steps.count; ++*i) {
    uint32_t event = x->path.steps.data[*i].event;
    unf_status status = unfi_work(u->context, 1);
    if (status != UNF_OK) return status;
    if (!is_branch(u, event)) continue;
    if (!unfi_list_branches(x, *i)) return unfi_refused(u->context);
    status = unfi_conflicting(u, configuration_cut(&x->path.C), action_of(u, event)->thread,
                              event_at(u, event)->before, event, NULL, insert_outcome, &in);
    if (status == UNF_OK) status = in.status;
    if (status != UNF_OK) return status;
    unfi_done(u->context);
  }
  return UNF_OK;
}

/* Enters the reversals of the maximal run at hand into the wakeup trees. */
static unf_status learn(unf_explorer *x, bool *fresh) {
  struct odpor *o = odpor_of(x);
  struct inserting in = {x, UNF_OK};
  bool again = o->learning.run == x->run.number;
  (void)fresh;
  if (!again && !begin_learning(x)) return unfi_refused(x->u->context);
  /* Races of the last execution too, unless they give the same sequence again: it goes on with what
   * comes after the race, and that may be new though the race is not. */
  struct maximal M = {.cut = configuration_cut(&x->path.C),
                      .events = o->learned.data,
                      .count = o->learning.count,
                      .known = o->learning.known,
                      .complete = x->run.verdict.complete,
                      .again = again,
                      .draw = draw,
                      .asleep = asleep,
                      .explorer = x};
  unf_status status = unfi_reversals(x->u, &o->reversals, &M, insert, &in);
  if (status == UNF_OK) status = in.status;
  if (status == UNF_OK && unfi_is_symbolic(x)) status = learn_outcomes(x);
  /* The run may be dropped: then the next one has nothing in common with what was learned. */
  o->learned.count = status == UNF_OK ? o->learning.count : 0;
  if (o->trees.size > x->counts.waiting) {
    x->counts.waiting = o->trees.size;
    x->counts.waiting_bytes = x->counts.waiting * sizeof(struct wakeup_node);
  }
  return status;
}

/* ---- branches ---- */

/* Room for the branch of so many steps at the end of the path. Returns false when refused. */
static bool reserve_branch(unf_explorer *x, uint32_t count) {
  uint32_t depth = x->path.steps.count;
  if (x->item.begun && !unfi_way_reserve(x, depth, count)) return false;
  return count == 0 || (unfi_wakeup_reach(&odpor_of(x)->trees, depth + count) &&
                        vector_reserve(x->u->context, &x->run.clue, count));
}

/* The leftmost branch of the tree there becomes the clue; what is right of it on the way down stays
 * in the trees. */
static void take_branch(unf_explorer *x, uint32_t count) {
  uint32_t depth = x->path.steps.count;
  if (x->item.begun) unfi_way_decided(x, depth, count);
  x->run.clue.count = 0;
  for (uint32_t i = 0; i < count; i++)
    vector_push(&x->run.clue, unfi_wakeup_take(&odpor_of(x)->trees, depth + i));
}

static unf_status another(unf_explorer *x, uint32_t event, bool *found) {
  unf_wakeup_trees *trees = &odpor_of(x)->trees;
  uint32_t depth = x->path.steps.count;
  *found = false;
  if (!way_notes_left(x) && !wakeup_has_branch(trees, depth)) {
    wakeup_leave(trees, depth);
    return UNF_OK;
  }
  uint32_t count = unfi_wakeup_length(trees, depth);
  if (!reserve_branch(x, count)) return unfi_refused(x->u->context);
  if (way_notes_left(x) && !unfi_way_left(x, event)) return unfi_refused(x->u->context);
  *found = count > 0;
  if (count > 0)
    take_branch(x, count);
  else
    unfi_wakeup_take(trees, depth);
  return UNF_OK;
}

/* ---- writing down ---- */

static unf_status write_node(const unf_explorer *x, uint32_t depth, struct bytes_out *out) {
  if (depth == 0) unfi_nodes_write(&odpor_of(x)->trees, out);
  unfi_nodes_write_tree(&odpor_of(x)->trees, depth, out);
  return out->status;
}

static void read_node(unf_explorer *x, struct bytes_in *in) {
  struct odpor *o = odpor_of(x);
  if (x->path.steps.count == 0) unfi_nodes_read(x, in, &o->nodes);
  unfi_nodes_read_tree(x, in, &o->nodes, &o->trees);
}

static void read_end(unf_explorer *x, struct bytes_in *in) {
  (void)in;
  unfi_nodes_free(x->u->context, &odpor_of(x)->nodes);
}

/* ---- items ---- */

struct branches_in {
  unf_explorer *x;
  struct letter_in *letter;
};

static uint32_t read_branch(void *user) {
  const struct branches_in *from = user;
  struct named_step step;
  uint32_t event = 0;
  if (letter_step(from->letter, &step))
    unfi_bytes_note(&from->letter->in, unfi_item_event(from->x, step, &event));
  return event;
}

static unf_status begin_item(unf_explorer *x, struct letter_in *letter) {
  unf_wakeup_trees *trees = &odpor_of(x)->trees;
  struct branches_in from = {x, letter};
  uint32_t depth = x->path.steps.count;
  unf_status status = unfi_tree_read_by(x, &letter->in, trees, read_branch, &from);
  if (status == UNF_OK) status = unfi_letter_finish(letter);
  uint32_t count = status == UNF_OK ? unfi_wakeup_length(trees, depth) : 0;
  bool good = status == UNF_OK && unfi_way_begin(x, count > 0) && reserve_branch(x, count);
  if (good && count > 0) take_branch(x, count);
  if (good) return UNF_OK;
  unfi_wakeup_drop(trees, depth);
  return status == UNF_OK ? unfi_refused(x->u->context) : status;
}

static bool has_branches(const unf_explorer *x, uint32_t depth) {
  return wakeup_has_branch(&odpor_of(x)->trees, depth);
}

struct putting {
  struct letter *letter;
  bool good; /* nothing was refused */
};

static bool put_branch(void *user, uint32_t event) {
  struct putting *in = user;
  in->good = event == 0 ? letter_put_end(in->letter) : unfi_letter_put_event(in->letter, event);
  return in->good;
}

static bool put_branches(const unf_explorer *x, uint32_t depth, struct letter *letter) {
  struct putting in = {letter, true};
  return unfi_tree_walk(&odpor_of(x)->trees, depth, put_branch, &in) == UNF_OK && in.good;
}

static void drop_branches(unf_explorer *x, uint32_t depth) {
  unfi_wakeup_drop(&odpor_of(x)->trees, depth);
}

static const struct sharing odpor_sharing = {.begin = begin_item,
                                             .has_branches = has_branches,
                                             .put_branches = put_branches,
                                             .drop_branches = drop_branches};

/* ---- freeing events ---- */

static void visit(unf_explorer *x, handle_visitor visitor, void *user) {
  unf_wakeup_trees *trees = &odpor_of(x)->trees;
  unfi_wakeup_tidy(trees);
  for (uint32_t i = 0; i < trees->nodes.count; i++)
    visitor(user, &trees->nodes.data[i].event);
}

static void renamed(unf_explorer *x) {
  unfi_reversals_forget(x->u->context, &odpor_of(x)->reversals);
  odpor_of(x)->learned.count = 0;
}

const struct strategy unfi_odpor = {
    .name = "odpor",
    .supports =
        FEATURE_COLLECT | FEATURE_PROBES | FEATURE_BLOCKING | FEATURE_TRACES | FEATURE_ITEMS,
    .state = sizeof(struct odpor),
    .begin = begin,
    .end = end,
    .choose = unfi_free_step,
    .learn = learn,
    .another = another,
    .write_node = write_node,
    .read_node = read_node,
    .read = read_end,
    .sharing = &odpor_sharing,
    .visit = visit,
    .renamed = renamed,
};
