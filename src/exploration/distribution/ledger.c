/* The ledger: who has which item, and what reports say. */
#include <string.h>
#include <unfold/distribute.h>

#include "base/null.h"
#include "exploration/distribution/letter.h"
#include "exploration/distribution/shared_tree.h"
#include "extension/adds.h"
#include "extension/siblings.h"

struct given {
  uint64_t number;
  uint32_t node;
};

/* To be inserted at a node of the way to an item. */
struct sequence {
  uint32_t depth, first, count;
};

/* What a report says, until all of it is read. */
struct report_in {
  VECTOR(struct sequence) sequences;
  VECTOR(struct named_step) steps; /* of the sequences, one after the other */
  VECTOR(struct named_step)
  split;                  /* by levels: steps that are done, an end; that of the way; a tree: each
                             step, what is below it, an end; an end, which has no action */
  uint32_t levels, nodes; /* of the split */
  bool finished;
};

struct unf_ledger {
  unf_unfolding *u;
  struct shared_tree tree;
  VECTOR(struct given) given; /* by ascending number */
  uint64_t numbers;           /* that were used */
  uint64_t finished, lost, sequences, inserted, splits;
  struct letter letter;
  struct report_in told;
};

/* ---- made and freed ---- */

static unf_status make(unf_unfolding *u, unf_ledger **out) {
  if (u->store.count > 1)
    return unfi_fail(u->context, UNF_STATE, "a ledger in an unfolding with events");
  unf_ledger *ledger = unfi_reallocate(u->context, NULL, 0, sizeof *ledger);
  if (ledger == NULL) return unfi_refused(u->context);
  memset(ledger, 0, sizeof *ledger);
  ledger->u = ledger->tree.u = ledger->letter.u = u;
  *out = ledger;
  return UNF_OK;
}

unf_status unf_ledger_new(unf_unfolding *u, unf_ledger **out) {
  RETURN_IF_NULL(u->context, u, out);
  unf_ledger *ledger;
  unf_status status = make(u, &ledger);
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
  vector_free(context, &ledger->given);
  vector_free(context, &ledger->told.sequences);
  vector_free(context, &ledger->told.steps);
  vector_free(context, &ledger->told.split);
  unfi_reallocate(context, ledger, sizeof *ledger, 0);
}

/* ---- items ---- */

static unf_status put_path(unf_ledger *ledger, uint32_t node) {
  struct shared_tree *tree = &ledger->tree;
  uint32_t depth = shared_node_at(tree, node)->depth;
  if (!vector_reserve(ledger->u->context, &tree->way, depth))
    return unfi_refused(ledger->u->context);
  for (uint32_t at = node, i = depth; i > 0; at = shared_node_at(tree, at)->parent)
    tree->way.data[--i] = shared_node_at(tree, at)->step;
  bool good = true;
  for (uint32_t i = 0; good && i < depth; i++)
    good = unfi_letter_put_step(&ledger->letter, tree->way.data[i]);
  return good && unfi_letter_put_end(&ledger->letter) ? UNF_OK : unfi_refused(ledger->u->context);
}

unf_status unf_ledger_give(unf_ledger *ledger, unf_write write, void *user, uint64_t *item) {
  RETURN_IF_NULL(ledger->u->context, ledger, write, item);
  unf_context *context = ledger->u->context;
  uint32_t node = unfi_shared_leftmost(&ledger->tree);
  *item = 0;
  if (node == 0) return UNF_OK;
  if (!vector_reserve(context, &ledger->given, (uint64_t)ledger->given.count + 1))
    return unfi_refused(context);
  unfi_letter_empty(&ledger->letter);
  unf_status status = put_path(ledger, node);
  if (status == UNF_OK) status = unfi_letter_send(&ledger->letter, LETTER_ITEM, write, user);
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
  uint32_t index = find_given(ledger, item);
  if (index == NONE) return unfi_fail(ledger->u->context, UNF_UNKNOWN, "item");
  unfi_shared_set_state(&ledger->tree, ledger->given.data[index].node, NODE_OPEN);
  forget_given(ledger, index);
  ledger->lost++;
  return UNF_OK;
}

/* ---- reading a report ---- */

/* Appends something to what a report says. */
#define TELL(letter, list, value)                                                                  \
  (vector_reserve((letter)->u->context, (list), (uint64_t)(list)->count + 1)                       \
       ? (void)vector_push((list), (value))                                                        \
       : (void)unfi_bytes_note(&(letter)->in, unfi_refused((letter)->u->context)))

/* Sequences for nodes above the root of an item, which is so deep. */
static void read_sequences(struct letter_in *letter, struct report_in *told, uint32_t depth) {
  for (;;) {
    uint32_t node = unfi_bytes_get_below(&letter->in, (uint64_t)depth + 1, "depth of a sequence");
    if (letter->in.status != UNF_OK || node == 0) return;
    struct sequence sequence = {node - 1, told->steps.count, 0};
    for (struct named_step step; unfi_letter_step(letter, &step); sequence.count++)
      TELL(letter, &told->steps, step);
    if (sequence.count == 0) unfi_bytes_malformed(&letter->in, "an empty sequence");
    if (letter->in.status == UNF_OK) TELL(letter, &told->sequences, sequence);
  }
}

/* Steps up to the end that is not that of what is below one of them. */
static void read_steps(struct letter_in *letter, struct report_in *told, bool nested) {
  static const struct named_step end = {0, 0};
  uint64_t below = 0;
  while (letter->in.status == UNF_OK) {
    struct named_step step;
    bool any = unfi_letter_step(letter, &step);
    TELL(letter, &told->split, any ? step : end);
    told->nodes += any;
    if (!any && below == 0) return;
    if (nested) below = any ? below + 1 : below - 1;
  }
}

static void read_split(struct letter_in *letter, struct report_in *told) {
  struct named_step step;
  told->levels = unfi_bytes_get_below(&letter->in, UINT32_MAX, "depth of a split");
  for (uint32_t i = 0; letter->in.status == UNF_OK && i < told->levels; i++) {
    read_steps(letter, told, false);
    if (!unfi_letter_step(letter, &step)) {
      unfi_bytes_malformed(&letter->in, "a split without its way");
      return;
    }
    TELL(letter, &told->split, step);
    told->nodes++;
    read_steps(letter, told, true);
  }
}

static unf_status read_report(unf_ledger *ledger, uint32_t depth, unf_read read, void *user) {
  struct report_in *told = &ledger->told;
  struct letter_in letter;
  told->sequences.count = told->steps.count = told->split.count = told->nodes = 0;
  unf_status status = unfi_letter_open(&letter, ledger->u, LETTER_REPORT, read, user);
  if (status == UNF_OK) {
    read_sequences(&letter, told, depth);
    read_split(&letter, told);
    told->finished = unfi_bytes_get_below(&letter.in, 2, "whether an item is finished");
    if (told->finished && told->levels > 0)
      unfi_bytes_malformed(&letter.in, "an item that is split and finished");
    status = unfi_letter_finish(&letter);
  }
  unfi_letter_close(&letter);
  return status;
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
  struct report_in *told = &ledger->told;
  for (uint32_t i = 0; i < told->sequences.count; i++) {
    const struct sequence *s = &told->sequences.data[i];
    uint32_t from = above_at(&ledger->tree, node, s->depth + 1);
    bool inserted = false;
    unf_status status = insert_one(ledger, from, told->steps.data + s->first, s->count, &inserted);
    if (status != UNF_OK) return status;
    ledger->inserted += inserted;
    unfi_done(ledger->u->context);
  }
  ledger->sequences += told->sequences.count;
  return UNF_OK;
}

/* Appends the children of a node that are done; returns where the list goes on. */
static uint32_t append_done(unf_ledger *ledger, uint32_t node, uint32_t at) {
  const struct named_step *split = ledger->told.split.data;
  for (; split[at].action != 0; at++)
    unfi_shared_append(&ledger->tree, node, split[at], NODE_DONE, true);
  return at + 1;
}

/* The same of those that are left, with what is below them: leaves become items. */
static uint32_t append_left(unf_ledger *ledger, uint32_t node, uint32_t at) {
  struct shared_tree *tree = &ledger->tree;
  const struct named_step *split = ledger->told.split.data;
  for (uint32_t above = node;; at++) {
    if (split[at].action != 0) {
      bool leaf = split[at + 1].action == 0;
      above = unfi_shared_append(tree, above, split[at], leaf ? NODE_OPEN : NODE_INNER, leaf);
    } else if (above != node) {
      above = shared_node_at(tree, above)->parent;
    } else {
      return at + 1;
    }
  }
}

/* The worker goes on at the end of the way. There is room. Returns that node. */
static uint32_t apply_split(unf_ledger *ledger, uint32_t node) {
  struct shared_tree *tree = &ledger->tree;
  uint32_t at = 0;
  unfi_shared_set_state(tree, node, NODE_INNER);
  for (uint32_t i = 0; i < ledger->told.levels; i++) {
    bool last = i + 1 == ledger->told.levels;
    at = append_done(ledger, node, at);
    uint32_t below = unfi_shared_append(tree, node, ledger->told.split.data[at],
                                        last ? NODE_GIVEN : NODE_INNER, last);
    at = append_left(ledger, node, at + 1);
    node = below;
  }
  return node;
}

unf_status unf_ledger_report(unf_ledger *ledger, uint64_t item, unf_read read, void *user) {
  RETURN_IF_NULL(ledger->u->context, ledger, read);
  struct shared_tree *tree = &ledger->tree;
  uint32_t index = find_given(ledger, item);
  if (index == NONE) return unfi_fail(ledger->u->context, UNF_UNKNOWN, "item");
  uint32_t node = ledger->given.data[index].node;
  unf_status status = read_report(ledger, shared_node_at(tree, node)->depth, read, user);
  if (status == UNF_OK && !unfi_shared_reserve(tree, ledger->told.nodes))
    status = unfi_refused(ledger->u->context);
  if (status == UNF_OK) status = insert_all(ledger, node);
  if (status == UNF_OK && !unfi_shared_reserve(tree, ledger->told.nodes))
    status = unfi_refused(ledger->u->context);
  if (status != UNF_OK) return status;
  if (ledger->told.levels > 0) ledger->given.data[index].node = apply_split(ledger, node);
  ledger->splits += ledger->told.levels > 0;
  if (!ledger->told.finished) return UNF_OK;
  unfi_shared_done(tree, node);
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
                            .nodes = tree->count,
                            .most = tree->most,
                            .bytes = (uint64_t)tree->nodes.capacity * sizeof *tree->nodes.data,
                            .sequences = ledger->sequences,
                            .inserted = ledger->inserted,
                            .splits = ledger->splits};
  return UNF_OK;
}

/* ---- written down ---- */

/* A node behind its action: its state, the nodes below it, and an end. */
static bool put_node(unf_ledger *ledger, const struct shared_node *n) {
  enum node_state state = n->state == NODE_GIVEN ? NODE_OPEN : (enum node_state)n->state;
  return (n->parent == 0 || unfi_letter_put_step(&ledger->letter, n->step)) &&
         unfi_letter_put(&ledger->letter, (unsigned)state << 1 | n->free);
}

static bool put_tree(unf_ledger *ledger) {
  const struct shared_tree *tree = &ledger->tree;
  bool good = put_node(ledger, shared_node_at(tree, 1));
  for (uint32_t node = 1; good && node != 0;) {
    const struct shared_node *n = shared_node_at(tree, node);
    if (n->first != 0) {
      node = n->first;
      good = put_node(ledger, shared_node_at(tree, node));
      continue;
    }
    /* Back up to a node with a sibling. */
    uint32_t next = 0;
    for (; good && node != 0 && next == 0; node = next != 0 ? next : n->parent) {
      n = shared_node_at(tree, node);
      good = unfi_letter_put_end(&ledger->letter);
      next = n->next;
    }
    if (good && next != 0) good = put_node(ledger, shared_node_at(tree, next));
  }
  return good;
}

unf_status unf_ledger_write(unf_ledger *ledger, unf_write write, void *user) {
  RETURN_IF_NULL(ledger->u->context, ledger, write);
  struct letter *letter = &ledger->letter;
  unfi_letter_empty(letter);
  bool good = unfi_letter_put(letter, ledger->numbers) &&
              unfi_letter_put(letter, ledger->finished) && unfi_letter_put(letter, ledger->lost) &&
              put_tree(ledger);
  return good ? unfi_letter_send(letter, LETTER_LEDGER, write, user)
              : unfi_refused(ledger->u->context);
}

/* Reads the state of a node, and appends it. */
static uint32_t read_node(unf_ledger *ledger, struct letter_in *letter, uint32_t above,
                          struct named_step step) {
  uint32_t state = unfi_bytes_get_below(&letter->in, 2 * (NODE_DONE + 1), "state of a node");
  bool is_free = state & 1;
  state >>= 1;
  bool right = state != NODE_GIVEN && (above != 0 || is_free) && (state != NODE_OPEN || is_free);
  if (!right) unfi_bytes_malformed(&letter->in, "state of a node");
  if (letter->in.status == UNF_OK && !unfi_shared_reserve(&ledger->tree, 1))
    unfi_bytes_note(&letter->in, unfi_refused(ledger->u->context));
  if (letter->in.status != UNF_OK) return above;
  return unfi_shared_append(&ledger->tree, above, step, (enum node_state)state, is_free);
}

static void read_tree(unf_ledger *ledger, struct letter_in *letter) {
  const struct shared_tree *tree = &ledger->tree;
  uint32_t node = read_node(ledger, letter, 0, (struct named_step){0, 0});
  while (letter->in.status == UNF_OK && node != 0) {
    struct named_step step;
    if (!unfi_letter_step(letter, &step))
      node = shared_node_at(tree, node)->parent;
    else if (shared_node_at(tree, node)->state != NODE_INNER)
      unfi_bytes_malformed(&letter->in, "something below an item");
    else
      node = read_node(ledger, letter, node, step);
    unfi_bytes_note(&letter->in, unfi_work(ledger->u->context, 1));
  }
}

unf_status unf_ledger_read(unf_unfolding *u, unf_read read, void *user, unf_ledger **out) {
  RETURN_IF_NULL(u->context, u, read, out);
  struct letter_in letter;
  unf_ledger *ledger;
  unf_status status = make(u, &ledger);
  if (status != UNF_OK) return status;
  status = unfi_letter_open(&letter, u, LETTER_LEDGER, read, user);
  if (status == UNF_OK) {
    ledger->numbers = unfi_bytes_get(&letter.in);
    ledger->finished = unfi_bytes_get(&letter.in);
    ledger->lost = unfi_bytes_get(&letter.in);
    if (ledger->numbers >> 63 != 0) unfi_bytes_malformed(&letter.in, "number of items");
    read_tree(ledger, &letter);
    status = unfi_letter_finish(&letter);
  }
  unfi_letter_close(&letter);
  if (status == UNF_OK)
    *out = ledger;
  else
    unf_ledger_free(ledger);
  return status;
}
