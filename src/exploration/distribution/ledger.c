/* The ledger: who has which item, and what reports change. */
#include "exploration/distribution/ledger.h"

#include <string.h>

#include "base/null.h"
#include "exploration/distribution/tail.h"
#include "exploration/distribution/explored.h"
#include "exploration/distribution/report.h"
#include "extension/adds.h"
#include "extension/siblings.h"

/* Of so many workers the names that the last letter of each had are known. */
enum { SENDERS_MOST = 64 };

/* ---- made and freed ---- */

unf_status unfi_ledger_make(unf_unfolding *u, unf_ledger **out) {
  if (u->store.count > 1)
    return unfi_fail(u->context, UNF_STATE, "a ledger in an unfolding with events");
  unf_ledger *ledger = unfi_reallocate(u->context, NULL, 0, sizeof *ledger);
  if (ledger == NULL) return unfi_refused(u->context);
  memset(ledger, 0, sizeof *ledger);
  ledger->u = ledger->tree.u = ledger->tree.numbers.u = ledger->letter.u = u;
  ledger->read.keeps = SENDERS_MOST - 1;
  *out = ledger;
  return UNF_OK;
}

unf_status unf_ledger_new(unf_unfolding *u, unf_ledger **out) {
  RETURN_IF_NULL(u->context, u, out);
  unf_ledger *ledger = NULL;
  unf_status status = unfi_ledger_make(u, &ledger);
  if (status != UNF_OK) return status;
  if (!unfi_shared_begin(&ledger->tree)) {
    unf_ledger_free(ledger);
    return unfi_refused(u->context);
  }
  *out = ledger;
  return UNF_OK;
}

void unf_ledger_free(unf_ledger *ledger) {
  if (ledger == NULL) return;
  unf_context *context = ledger->u->context;
  unfi_shared_end(&ledger->tree);
  unfi_letter_free(&ledger->letter);
  unfi_letter_close(&ledger->read);
  vector_free(context, &ledger->given);
  vector_free(context, &ledger->report.sequences);
  vector_free(context, &ledger->report.steps);
  vector_free(context, &ledger->report.levels);
  unfi_branches_free(context, &ledger->report.done);
  vector_free(context, &ledger->report.left);
  vector_free(context, &ledger->above);
  unfi_reallocate(context, ledger, sizeof *ledger, 0);
}

/* ---- items ---- */

/* Puts a step of the path to an item, behind what is left of it, if that can sleep further on. */
static bool put_way(unf_ledger *ledger, uint32_t node, bool sleeps) {
  const struct shared_tree *tree = &ledger->tree;
  struct letter *letter = &ledger->letter;
  uint32_t left = shared_node_at(tree, shared_node_at(tree, node)->parent)->first;
  sleeps = sleeps && left != node;
  bool good = letter_put(letter, sleeps);
  for (; good && sleeps && left != node; left = shared_node_at(tree, left)->next)
    good = letter_put_step(letter, shared_node_at(tree, left)->step);
  if (good && sleeps) good = letter_put_end(letter);
  return good && letter_put_step(letter, shared_node_at(tree, node)->step);
}

/* The path to an item; beyond the last free node it is known what is left of it. */
static bool put_path(unf_ledger *ledger, uint32_t node) {
  const struct shared_tree *tree = &ledger->tree;
  uint32_t depth = shared_node_at(tree, node)->depth, free_at = node;
  if (!vector_reserve(ledger->u->context, &ledger->above, depth)) return false;
  while (!shared_node_at(tree, free_at)->free)
    free_at = shared_node_at(tree, free_at)->parent;
  for (uint32_t at = node, i = depth; i > 0; at = shared_node_at(tree, at)->parent)
    ledger->above.data[--i] = at;
  bool good = letter_put(&ledger->letter, depth);
  for (uint32_t i = 0; good && i < depth; i++)
    good = put_way(ledger, ledger->above.data[i], i >= shared_node_at(tree, free_at)->depth);
  return good;
}

/* The steps of a node's tail, and their ends. */
static bool put_tail(unf_ledger *ledger, uint32_t node) {
  uint32_t tail = shared_node_at(&ledger->tree, node)->tail;
  bool good = true;
  if (tail == 0) return true;
  struct tail_in in = tail_open(&ledger->tree, tail);
  const uint32_t count = in.left;
  while (good && in.left > 0)
    good = letter_put_step(&ledger->letter, tail_step(&ledger->tree, &in));
  for (uint32_t i = 0; good && i < count; i++)
    good = letter_put_end(&ledger->letter);
  return good;
}

static bool put_one(void *user, uint32_t node) {
  unf_ledger *ledger = user;
  if (node == 0) return letter_put_end(&ledger->letter);
  return letter_put_step(&ledger->letter, shared_node_at(&ledger->tree, node)->step) &&
         put_tail(ledger, node);
}

unf_status unf_ledger_give(unf_ledger *ledger, unf_write write, void *user, uint64_t *item) {
  RETURN_IF_NULL(ledger->u->context, ledger, write, item);
  unf_context *context = ledger->u->context;
  uint32_t node = unfi_shared_leftmost(&ledger->tree);
  *item = 0;
  if (node == 0) return UNF_OK;
  if (!vector_reserve(context, &ledger->given, (uint64_t)ledger->given.count + 1) ||
      !unfi_shared_reserve_late(&ledger->tree, node, 0))
    return unfi_refused(context);
  ledger->inserted += unfi_shared_insert_late(&ledger->tree, node);
  unfi_letter_empty(&ledger->letter);
  bool good = letter_put(&ledger->letter, unfi_shared_is_closed(&ledger->tree, node)) &&
              put_path(ledger, node) && put_tail(ledger, node) &&
              unfi_shared_walk(&ledger->tree, node, put_one, ledger);
  unf_status status =
      good ? unfi_letter_send(&ledger->letter, LETTER_ITEM, write, user) : unfi_refused(context);
  if (status != UNF_OK) return status;
  struct given given = {++ledger->numbers, node};
  vector_push(&ledger->given, given);
  unfi_shared_set_state(&ledger->tree, node, NODE_GIVEN);
  *item = given.number;
  return UNF_OK;
}

/* The index of an item that somebody has, or NONE. */
static uint32_t find_given(const unf_ledger *ledger, uint64_t number) {
  uint32_t from = 0, to = ledger->given.count;
  while (from < to) {
    uint32_t middle = from + (to - from) / 2;
    if (ledger->given.data[middle].number == number) return middle;
    if (ledger->given.data[middle].number < number)
      from = middle + 1;
    else
      to = middle;
  }
  return NONE;
}

static void forget_given(unf_ledger *ledger, uint32_t index) {
  struct given *given = &ledger->given.data[index];
  memmove(given, given + 1, (--ledger->given.count - index) * sizeof *given);
}

unf_status unf_ledger_take_back(unf_ledger *ledger, uint64_t item) {
  RETURN_IF_NULL(ledger->u->context, ledger);
  struct shared_tree *tree = &ledger->tree;
  uint32_t index = find_given(ledger, item);
  if (index == NONE) return unfi_fail(ledger->u->context, UNF_UNKNOWN, "item");
  uint32_t node = ledger->given.data[index].node;
  if (!unfi_shared_reserve_late(tree, node, unfi_shared_listed(tree, node)))
    return unfi_refused(ledger->u->context);
  unfi_shared_open_again(tree, node);
  ledger->inserted += unfi_shared_insert_late(tree, node);
  forget_given(ledger, index);
  ledger->lost++;
  return UNF_OK;
}

/* ---- what it says ---- */

/* The node of the way to an item at a depth. */
static uint32_t above_at(const struct shared_tree *tree, uint32_t node, uint32_t depth) {
  while (shared_node_at(tree, node)->depth > depth)
    node = shared_node_at(tree, node)->parent;
  return node;
}

/* A sequence for the child of a node. Its last step may stand for all other values that its
 * operation can have: then one is drawn that was not explored. */
static unf_status insert_one(unf_ledger *ledger, uint32_t from, struct named_step *steps,
                             uint32_t count, bool *inserted) {
  struct shared_tree *tree = &ledger->tree;
  uint32_t node = shared_node_at(tree, from)->parent;
  struct named_step *last = &steps[count - 1];
  const unf_operation *operation = &ledger->u->operations.data[last->operation];
  struct siblings siblings;
  bool any = true;
  unf_status status = UNF_OK;
  bool uses = ledger->u->actions.data[last->action].count > 0;
  if (!uses && unfi_siblings(ledger->u, operation, &siblings))
    status = unfi_shared_draw(tree, node, from, last, &any);
  if (status != UNF_OK || !any) return status;
  return unfi_shared_insert(tree, node, from, steps, count, inserted);
}

/* Inserting a sequence again, when the report is given again, changes nothing. What was inserted
 * before a call failed stays and counts; so the sequences are counted at the end. */
static unf_status insert_all(unf_ledger *ledger, uint32_t node) {
  struct report_in *report = &ledger->report;
  for (uint32_t i = 0; i < report->sequences.count; i++) {
    const struct sequence *s = &report->sequences.data[i];
    uint32_t from = above_at(&ledger->tree, node, s->depth + 1);
    bool inserted = false;
    unf_status status =
        insert_one(ledger, from, report->steps.data + s->first, s->count, &inserted);
    if (status != UNF_OK) return status;
    ledger->inserted += inserted;
    unfi_done(ledger->u->context);
  }
  ledger->sequences += report->sequences.count;
  return UNF_OK;
}

/* Steps one below the other: each of the stem is a node; behind it there is a chain of at least one
 * that has nothing beside what is below, of which the first is a node, and the others its tail. */
struct twig {
  uint32_t stem, chain;
};

static struct twig twig_at(const uint32_t *left) {
  uint32_t steps = 0, ends = 0;
  while (left[steps] != 0)
    steps++;
  while (ends < steps && left[steps + ends] == 0)
    ends++;
  return (struct twig){steps - ends, ends};
}

/* Appends a twig below a node, the first step with a state. Returns what is above its chain. There
 * is room. */
static uint32_t append_twig(struct shared_tree *tree, uint32_t node, const uint32_t *left,
                            struct twig twig, enum node_state state) {
  for (uint32_t i = 0; i <= twig.stem; i++) {
    const bool leaf = i == twig.stem && twig.chain == 1;
    const struct named_step step = step_numbered(&tree->numbers, left[i]);
    node = unfi_shared_append(tree, node, step, i == 0 ? state : NODE_INNER, leaf);
  }
  if (twig.chain > 1) {
    const uint32_t *below = left + twig.stem + 1;
    unfi_tail_hang(tree, node, unfi_tail_of_numbers(tree, below, twig.chain - 1));
  }
  return shared_node_at(tree, node)->parent;
}

/* Appends those that are left, with what is below them. There is room. */
static void append_left(unf_ledger *ledger, uint32_t node, uint32_t at, enum node_state state) {
  struct shared_tree *tree = &ledger->tree;
  const uint32_t *left = ledger->report.left.data;
  for (uint32_t above = node; above != node || left[at] != 0;) {
    if (left[at] == 0) {
      above = shared_node_at(tree, above)->parent;
      at++;
      continue;
    }
    const struct twig twig = twig_at(left + at);
    above = append_twig(tree, above, left + at, twig, above == node ? state : NODE_INNER);
    at += twig.stem + 2 * twig.chain;
  }
}

/* How many nodes, and elements of the list of tails, those that are left make. */
struct made {
  uint64_t nodes, elements;
};

static struct made count_left(const struct report_in *report) {
  const uint32_t *left = report->left.data;
  struct made made = {0, 0};
  for (uint32_t at = 0; at < report->left.count;) {
    if (left[at] == 0) {
      at++;
      continue;
    }
    const struct twig twig = twig_at(left + at);
    const uint32_t *below = left + at + twig.stem + 1;
    made.nodes += twig.stem + 1ull;
    if (twig.chain > 1) made.elements += unfi_tail_elements(below, twig.chain - 1);
    at += twig.stem + 2 * twig.chain;
  }
  return made;
}

/* An item is split: what is below its root is as the report says; where it goes on. There is room.
 */
static uint32_t apply_levels(unf_ledger *ledger, uint32_t root) {
  struct shared_tree *tree = &ledger->tree;
  struct report_in *report = &ledger->report;
  uint32_t node = root;
  uint32_t list = unfi_explored_begin(tree, &report->done);
  unfi_shared_clear(tree, root);
  for (uint32_t i = 0; i < report->levels.count; i++) {
    const struct level *level = &report->levels.data[i];
    bool shared = i < report->shared, last = i + 1 == report->levels.count;
    unfi_explored_append(tree, node, (struct stretch){list, level->done, level->done_count});
    uint32_t below =
        unfi_shared_append(tree, node, level->way, last ? NODE_HELD : NODE_INNER, level->free);
    append_left(ledger, node, level->left, shared ? NODE_OPEN : NODE_HELD);
    node = below;
    if (i + 1 != report->shared) continue;
    unfi_shared_set_state(tree, node, NODE_GIVEN);
    unfi_shared_set_state(tree, root, NODE_INNER);
    root = node;
  }
  unfi_explored_end(tree, list);
  return root;
}

/* All below the root of an item is explored. There is room. */
static void apply_finished(unf_ledger *ledger, uint32_t node) {
  struct shared_tree *tree = &ledger->tree;
  bool is_free = shared_node_at(tree, node)->free;
  uint32_t count = is_free ? 0 : branches_count(&ledger->report.done);
  uint32_t list = count > 0 ? unfi_explored_begin(tree, &ledger->report.done) : 0;
  unfi_shared_clear(tree, node);
  unfi_shared_set_state(tree, node, is_free ? NODE_DONE : NODE_INNER);
  unfi_explored_keep(tree, node, (struct stretch){list, 0, count});
  unfi_explored_end(tree, list);
}

/* Nodes that a report makes of what is done in an item: all of it if something comes late, else
 * those right below the levels. */
static uint64_t count_done(const unf_ledger *ledger, bool late) {
  const struct report_in *report = &ledger->report;
  uint64_t count = 0;
  if (late) return branches_count(&report->done);
  for (uint32_t i = 0; i < report->levels.count; i++) {
    const struct level *level = &report->levels.data[i];
    count += unfi_explored_roots(&report->done, level->done, level->done_count);
  }
  return count;
}

/* Room for what a report makes of an item. Returns false when refused. */
static bool reserve_report(unf_ledger *ledger, uint32_t node) {
  const struct report_in *report = &ledger->report;
  struct shared_tree *tree = &ledger->tree;
  bool insert = report->finished || report->shared > 0;
  bool late = insert && shared_node_at(tree, node)->late != 0;
  const struct made left = count_left(report);
  const uint64_t more = report->levels.count + count_done(ledger, late) + left.nodes;
  tree->promised = 0;
  return unfi_explored_reserve(tree, &report->done) &&
         (late ? unfi_shared_reserve_late(tree, node, more) : unfi_shared_reserve(tree, more)) &&
         unfi_tail_reserve_more(tree, left.elements);
}

unf_status unf_ledger_report(unf_ledger *ledger, uint64_t item, unf_read read, void *user) {
  RETURN_IF_NULL(ledger->u->context, ledger, read);
  struct shared_tree *tree = &ledger->tree;
  uint32_t index = find_given(ledger, item);
  if (index == NONE) return unfi_fail(ledger->u->context, UNF_UNKNOWN, "item");
  uint32_t node = ledger->given.data[index].node;
  unf_status status = unfi_report_read(ledger, shared_node_at(tree, node)->depth, read, user);
  if (status == UNF_OK) status = insert_all(ledger, node);
  if (status == UNF_OK && !reserve_report(ledger, node)) status = unfi_refused(ledger->u->context);
  if (status != UNF_OK) return status;
  if (ledger->report.whole) ledger->given.data[index].node = apply_levels(ledger, node);
  if (ledger->report.shared > 0) ledger->inserted += unfi_shared_insert_late(tree, node);
  ledger->splits += ledger->report.shared > 0;
  if (!ledger->report.finished) return UNF_OK;
  apply_finished(ledger, node);
  ledger->inserted += unfi_shared_insert_late(tree, node);
  unfi_shared_settle(tree, node);
  forget_given(ledger, index);
  ledger->finished++;
  return UNF_OK;
}

/* ---- looking ---- */

unf_status unf_ledger_look(const unf_ledger *ledger, unf_ledger_state *out) {
  RETURN_IF_NULL(ledger->u->context, ledger, out);
  const struct shared_tree *tree = &ledger->tree;
  if (out->size != sizeof *out)
    return unfi_wrong_option(ledger->u->context, "unf_ledger_state.size", out->size, sizeof *out);
  *out = (unf_ledger_state){.size = sizeof *out,
                            .open = shared_node_at(tree, 1)->open,
                            .given = ledger->given.count,
                            .finished = ledger->finished,
                            .lost = ledger->lost,
                            .nodes = shared_count(tree),
                            .most = tree->most,
                            .bytes = (uint64_t)tree->nodes.capacity * sizeof *tree->nodes.data +
                                     tree->held * sizeof(uint32_t) +
                                     (uint64_t)tree->tails.capacity * sizeof *tree->tails.data,
                            .sequences = ledger->sequences,
                            .inserted = ledger->inserted,
                            .splits = ledger->splits};
  return UNF_OK;
}
