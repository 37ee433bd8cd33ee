/* The ledger, written down and read, with what somebody has. */
#include <string.h>

#include "base/null.h"
#include "exploration/distribution/tail.h"
#include "exploration/distribution/explored.h"
#include "exploration/distribution/ledger.h"
#include "extension/adds.h"

/* Behind the step of a node: its state, whether sequences wait there, whether it is free; of an
 * item that somebody has its number. */
enum { FREE = 1, LATE = 2, STATE = 4 };

/* Notes by node which item somebody has. Returns false when refused. */
static bool list_given(unf_ledger *ledger) {
  if (!vector_reserve(ledger->u->context, &ledger->above, ledger->tree.nodes.count)) return false;
  for (uint32_t i = 0; i < ledger->given.count; i++)
    ledger->above.data[ledger->given.data[i].node - 1] = i;
  return true;
}

static uint64_t number_at(const unf_ledger *ledger, uint32_t node) {
  return ledger->given.data[ledger->above.data[node - 1]].number;
}

static bool put_state(unf_ledger *ledger, enum node_state state, bool late, bool is_free) {
  return letter_put(&ledger->letter, (unsigned)state * (unsigned)STATE + late * (unsigned)LATE +
                                         is_free * (unsigned)FREE);
}

/* How many steps wait at a node, with an end behind each sequence, and these. */
static bool put_late(unf_ledger *ledger, uint32_t node) {
  const struct shared_tree *tree = &ledger->tree;
  struct letter *letter = &ledger->letter;
  bool good = letter_put(letter, unfi_shared_late_room(tree, node));
  struct tail_at at = {0, 0};
  struct tail_in in;
  while (good && unfi_tail_next(tree, node, &at, &in)) {
    while (good && in.left > 0)
      good = letter_put_step(letter, tail_step(tree, &in));
    good = good && letter_put_end(letter);
  }
  return good;
}

static bool put_inner(unf_ledger *ledger, struct named_step step, bool leaf,
                      enum node_state state) {
  return letter_put_step(&ledger->letter, step) && put_state(ledger, state, false, leaf);
}

/* Puts the tail of a node as though there were nodes. */
static bool put_tail(unf_ledger *ledger, uint32_t tail) {
  struct tail_in in = tail_open(&ledger->tree, tail);
  const uint32_t count = in.left;
  bool good = true;
  while (good && in.left > 0) {
    struct named_step step = tail_step(&ledger->tree, &in);
    good = put_inner(ledger, step, in.left == 0, NODE_INNER);
  }
  for (uint32_t i = 0; good && i < count; i++)
    good = letter_put_end(&ledger->letter);
  return good;
}

/* Puts what is below a node of which there is a part of a list, as though there were nodes. A list
 * has each branch behind all that are below it: so the last one right below it is that in front of
 * it, and the one before that is in front of all that are below the last. */
static bool put_explored(unf_ledger *ledger, struct stretch part) {
  struct shared_tree *tree = &ledger->tree;
  if (!vector_reserve(tree->u->context, &tree->asleep, 2ull * part.count)) return false;
  uint32_t *stack = tree->asleep.data, height = 0; /* branches, from 1; 0: the end of one */
  bool good = true;
  for (uint32_t at = part.count; at > 0; at -= explored_at(tree, part, at - 1).below + 1)
    stack[height++] = at;
  while (good && height > 0) {
    uint32_t at = stack[--height];
    if (at == 0) {
      good = letter_put_end(&ledger->letter);
      continue;
    }
    const struct explored_branch branch = explored_at(tree, part, at - 1);
    bool leaf = branch.below == 0;
    good = put_inner(ledger, step_numbered(&tree->numbers, branch.number), leaf,
                     leaf ? NODE_DONE : NODE_INNER);
    stack[height++] = 0;
    for (uint32_t child = at - 1; child > at - 1 - branch.below;
         child -= explored_at(tree, part, child - 1).below + 1)
      stack[height++] = child;
  }
  return good;
}

static bool put_node(void *user, uint32_t node) {
  unf_ledger *ledger = user;
  if (node == 0) return letter_put_end(&ledger->letter);
  const struct shared_node *n = shared_node_at(&ledger->tree, node);
  bool late = n->late != 0;
  return (n->parent == 0 || letter_put_step(&ledger->letter, n->step)) &&
         put_state(ledger, (enum node_state)n->state, late, n->free) &&
         (n->state != NODE_GIVEN || letter_put(&ledger->letter, number_at(ledger, node))) &&
         (!late || put_late(ledger, node)) && (n->tail == 0 || put_tail(ledger, n->tail)) &&
         (n->explored.count == 0 || put_explored(ledger, n->explored));
}

unf_status unf_ledger_write(unf_ledger *ledger, unf_write write, void *user) {
  RETURN_IF_NULL(ledger->u->context, ledger, write);
  struct letter *letter = &ledger->letter;
  unfi_letter_forget(letter);
  bool good = list_given(ledger) && letter_put(letter, ledger->numbers) &&
              letter_put(letter, ledger->finished) && letter_put(letter, ledger->lost) &&
              put_node(ledger, 1) && unfi_shared_walk(&ledger->tree, 1, put_node, ledger);
  return good ? unfi_letter_send(letter, LETTER_LEDGER, write, user)
              : unfi_refused(ledger->u->context);
}

/* ---- reading ---- */

struct ledger_in {
  unf_ledger *ledger;
  struct letter_in *letter;
  uint32_t item;  /* the node at hand is below this one, of whose wakeup tree nobody has a part, or
                     is  it; 0: there is none */
  uint32_t given; /* as that, of an item that somebody has */
  bool reported;  /* of which something is known; else below it is its wakeup tree, */
  bool tree;      /* if that is one */
};

/* Reads sequences that wait at a node. */
static void read_late(struct ledger_in *from, uint32_t node) {
  struct letter_in *letter = from->letter;
  struct report_in *report = &from->ledger->report;
  uint64_t steps = unfi_bytes_get(&letter->in), count = 0;
  while (letter->in.status == UNF_OK && steps > 0) {
    struct named_step step = {0, 0};
    for (report->steps.count = 0; steps-- > 0 && letter_step(letter, &step);) {
      if (!vector_reserve(letter->u->context, &report->steps, report->steps.count + 1ull))
        unfi_bytes_note(&letter->in, unfi_refused(letter->u->context));
      if (letter->in.status != UNF_OK) return;
      vector_push(&report->steps, step);
      step = (struct named_step){0, 0};
    }
    count = report->steps.count;
    if (letter->in.status == UNF_OK && (count == 0 || step.action != 0))
      unfi_bytes_malformed(&letter->in, "an empty sequence");
    if (letter->in.status != UNF_OK) return;
    if (!unfi_tail_wait(&from->ledger->tree, node, report->steps.data, (uint32_t)count))
      unfi_bytes_note(&letter->in, unfi_refused(letter->u->context));
  }
}

/* Whether a node can have a state: in an item that nobody has there is nothing but its wakeup tree,
 * and in one that somebody has no other. */
static bool is_possible(const struct ledger_in *from, uint32_t above, uint32_t state,
                        uint32_t flags) {
  bool is_free = flags & FREE;
  if ((flags & LATE) && (is_free || (state != NODE_GIVEN && state != NODE_OPEN))) return false;
  if (from->item != 0) return state == NODE_INNER;
  if (from->given != 0 && (state == NODE_OPEN || state == NODE_GIVEN)) return false;
  if (from->given == 0 && state == NODE_HELD) return false;
  if (above == 0) return is_free;
  enum node_state over = (enum node_state)shared_node_at(&from->ledger->tree, above)->state;
  return over == NODE_INNER || above == from->given;
}

/* Reads the number of an item that somebody has. */
static void read_given(struct ledger_in *from, uint32_t node) {
  unf_ledger *ledger = from->ledger;
  struct bytes_in *in = &from->letter->in;
  uint64_t number = unfi_bytes_get(in);
  uint32_t at = ledger->given.count;
  while (at > 0 && ledger->given.data[at - 1].number > number)
    at--;
  bool other = at == 0 || ledger->given.data[at - 1].number != number;
  if (number == 0 || number > ledger->numbers || !other)
    unfi_bytes_malformed(in, "number of an item");
  if (in->status == UNF_OK &&
      !vector_reserve(ledger->u->context, &ledger->given, (uint64_t)ledger->given.count + 1))
    unfi_bytes_note(in, unfi_refused(ledger->u->context));
  if (in->status != UNF_OK) return;
  struct given *given = &ledger->given.data[at];
  memmove(given + 1, given, (ledger->given.count++ - at) * sizeof *given);
  *given = (struct given){number, node};
}

/* Reads the state of a node, and appends it. */
static uint32_t read_node(struct ledger_in *from, uint32_t above, struct named_step step) {
  struct bytes_in *in = &from->letter->in;
  struct shared_tree *tree = &from->ledger->tree;
  uint32_t flags = unfi_bytes_get_below(in, STATE * (NODE_DONE + 1), "state of a node");
  uint32_t state = flags / STATE;
  if (in->status == UNF_OK && !is_possible(from, above, state, flags))
    unfi_bytes_malformed(in, "state of a node");
  if (in->status == UNF_OK && !unfi_shared_reserve(tree, 1))
    unfi_bytes_note(in, unfi_refused(tree->u->context));
  if (in->status != UNF_OK) return above;
  uint32_t node = unfi_shared_append(tree, above, step, (enum node_state)state, flags & FREE);
  if (state == NODE_GIVEN) {
    read_given(from, node);
    from->given = node;
    from->reported = false;
    from->tree = true;
  }
  if (flags & LATE) read_late(from, node);
  if (state == NODE_OPEN || state == NODE_HELD) from->item = node;
  if (state == NODE_HELD) from->reported = true;
  if (state == NODE_DONE) from->tree = false;
  return node;
}

/* All below a node was read. The leaves of a wakeup tree are free, and nothing else in it is. */
static void leave_node(struct ledger_in *from, uint32_t node) {
  const struct shared_node *n = shared_node_at(&from->ledger->tree, node);
  bool right = n->free == (n->first == 0);
  from->tree &= right;
  if ((from->item != 0 && !right) || (from->given == node && !from->reported && !from->tree))
    unfi_bytes_malformed(&from->letter->in, "a node of an item");
  if (from->item == node) from->item = 0;
  if (from->given == node) from->given = 0;
}

static void read_tree(struct ledger_in *from) {
  const struct shared_tree *tree = &from->ledger->tree;
  struct bytes_in *in = &from->letter->in;
  uint32_t node = read_node(from, 0, (struct named_step){0, 0});
  while (in->status == UNF_OK && node != 0) {
    struct named_step step;
    if (letter_step(from->letter, &step)) {
      node = read_node(from, node, step);
    } else if (in->status == UNF_OK) {
      leave_node(from, node);
      node = shared_node_at(tree, node)->parent;
    }
    unfi_bytes_note(in, unfi_work(tree->u->context, 1));
  }
}

/* What somebody has is open. Returns false when refused. */
static bool open_all(unf_ledger *ledger) {
  struct shared_tree *tree = &ledger->tree;
  for (uint32_t i = 0; i < ledger->given.count; i++) {
    uint32_t node = ledger->given.data[i].node;
    if (!unfi_shared_reserve_late(tree, node, 0)) return false;
    unfi_shared_open_again(tree, node);
    unfi_shared_insert_late(tree, node);
  }
  ledger->given.count = 0;
  return true;
}

unf_status unf_ledger_resume(unf_unfolding *u, unf_read read, void *user, unf_ledger **out) {
  RETURN_IF_NULL(u->context, u, read, out);
  struct letter_in letter = {.u = NULL};
  unf_ledger *ledger;
  unf_status status = unfi_ledger_make(u, &ledger);
  if (status != UNF_OK) return status;
  status = unfi_letter_open(&letter, u, LETTER_LEDGER, read, user);
  if (status == UNF_OK) {
    struct ledger_in from = {.ledger = ledger, .letter = &letter};
    ledger->numbers = unfi_bytes_get(&letter.in);
    ledger->finished = unfi_bytes_get(&letter.in);
    ledger->lost = unfi_bytes_get(&letter.in);
    if (ledger->numbers >> 63 != 0) unfi_bytes_malformed(&letter.in, "number of items");
    read_tree(&from);
    status = unfi_letter_finish(&letter);
  }
  unfi_letter_close(&letter);
  if (status == UNF_OK)
    *out = ledger;
  else
    unf_ledger_free(ledger);
  return status;
}

unf_status unf_ledger_read(unf_unfolding *u, unf_read read, void *user, unf_ledger **out) {
  unf_ledger *ledger;
  RETURN_IF_NULL(u->context, u, read, out);
  unf_status status = unf_ledger_resume(u, read, user, &ledger);
  if (status != UNF_OK) return status;
  if (open_all(ledger)) {
    *out = ledger;
    return UNF_OK;
  }
  unf_ledger_free(ledger);
  return unfi_refused(u->context);
}
