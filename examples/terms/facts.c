#include "facts.h"
#include "room.h"

#include <stdlib.h>
#include <string.h>

/* A function that returns a node has NONE where there was no memory. */
enum { EMPTY = 0, NONE = UINT32_MAX };

bool facts_make(struct facts *f) {
  memset(f, 0, sizeof *f);
  if (!room_for((void **)&f->nodes, &f->node_room, 1, sizeof *f->nodes)) return false;
  f->nodes[f->node_count++] = (struct facts_node){0};
  return true;
}

void facts_free(struct facts *f) {
  free(f->nodes);
  free(f->table);
  free(f->roots);
}

uint64_t facts_bytes(const struct facts *f) {
  return f->node_room * sizeof *f->nodes + f->table_room * sizeof *f->table +
         f->room * sizeof *f->roots;
}

/* ---- nodes ---- */

static uint32_t *head_of(const struct facts *f, const struct facts_node *n) {
  uint64_t hash = (((uint64_t)n->key << 32 | n->branch) + 1) * UINT64_C(0x9E3779B97F4A7C15);
  hash = (hash ^ hash >> 32 ^ ((uint64_t)n->left << 32 | n->right)) * UINT64_C(0xD6E8FEB86659FD93);
  return &f->table[(hash ^ hash >> 32) & (f->table_room - 1)];
}

static bool make_room(struct facts *f) {
  bool empty;
  if (!room_for((void **)&f->nodes, &f->node_room, (uint64_t)f->node_count + 1, sizeof *f->nodes) ||
      !heads_for(&f->table, &f->table_room, f->node_count, &empty))
    return false;
  for (uint32_t i = 1; empty && i < f->node_count; i++) {
    uint32_t *head = head_of(f, &f->nodes[i]);
    f->nodes[i].next = *head;
    *head = i;
  }
  return true;
}

static uint32_t keep(struct facts *f, struct facts_node n) {
  if (!make_room(f)) return NONE;
  uint32_t *head = head_of(f, &n);
  for (uint32_t at = *head; at != 0; at = f->nodes[at].next) {
    const struct facts_node *o = &f->nodes[at];
    if (o->key == n.key && o->branch == n.branch && o->left == n.left && o->right == n.right)
      return at;
  }
  n.next = *head;
  f->nodes[f->node_count] = n;
  *head = f->node_count;
  return f->node_count++;
}

static uint32_t leaf(struct facts *f, uint32_t key, uint32_t facts) {
  const struct facts_node n = {
      .key = key, .left = facts, .count = (uint32_t)__builtin_popcount(facts)};
  return keep(f, n);
}

static uint32_t inner(struct facts *f, uint32_t key, uint32_t branch, uint32_t left,
                      uint32_t right) {
  if (left == NONE || right == NONE) return NONE;
  const struct facts_node n = {.key = key,
                               .branch = branch,
                               .left = left,
                               .right = right,
                               .count = f->nodes[left].count + f->nodes[right].count};
  return keep(f, n);
}

/* The bits of a key that all below a node have: those above its own, of a leaf all of them. */
static uint32_t above(uint32_t branch) {
  return branch > 0 ? ~(2 * branch - 1) : UINT32_MAX;
}

static uint32_t highest(uint32_t bits) {
  return UINT32_C(1) << (31 - __builtin_clz(bits));
}

/* Two nodes of which neither is in the range of the other. */
static uint32_t beside(struct facts *f, uint32_t a, uint32_t b) {
  const uint32_t x = f->nodes[a].key, y = f->nodes[b].key, branch = highest(x ^ y);
  return (x & branch) == 0 ? inner(f, x & above(branch), branch, a, b)
                           : inner(f, x & above(branch), branch, b, a);
}

static uint32_t join(struct facts *f, uint32_t a, uint32_t b) {
  if (a == b || b == EMPTY) return a;
  if (a == EMPTY) return b;
  const bool swapped = f->nodes[a].branch < f->nodes[b].branch;
  const uint32_t large = swapped ? b : a, small = swapped ? a : b;
  const struct facts_node x = f->nodes[large], y = f->nodes[small];
  if (((x.key ^ y.key) & above(x.branch)) != 0) return beside(f, a, b);
  if (x.branch == 0) return leaf(f, x.key, x.left | y.left);
  if (x.branch == y.branch)
    return inner(f, x.key, x.branch, join(f, x.left, y.left), join(f, x.right, y.right));
  if ((y.key & x.branch) == 0) return inner(f, x.key, x.branch, join(f, x.left, small), x.right);
  return inner(f, x.key, x.branch, x.left, join(f, x.right, small));
}

static uint32_t build(struct facts *f, const term *list, uint32_t count) {
  const uint32_t first = list[0] / FACTS_LEAF, last = list[count - 1] / FACTS_LEAF;
  if (first == last) {
    uint32_t facts = 0;
    for (uint32_t i = 0; i < count; i++)
      facts |= UINT32_C(1) << list[i] % FACTS_LEAF;
    return leaf(f, first, facts);
  }
  const uint32_t branch = highest(first ^ last);
  uint32_t low = 0, high = count - 1; /* where the bit is 0, and 1 */
  while (high - low > 1) {
    const uint32_t middle = low + (high - low) / 2;
    if ((list[middle] / FACTS_LEAF & branch) == 0)
      low = middle;
    else
      high = middle;
  }
  const uint32_t left = build(f, list, high);
  return inner(f, first & above(branch), branch, left, build(f, list + high, count - high));
}

/* ---- sets ---- */

static uint32_t set_of(struct facts *f, uint32_t node) {
  if (node == NONE) return UINT32_MAX;
  if (f->nodes[node].set > 0) return f->nodes[node].set - 1;
  if (!room_for((void **)&f->roots, &f->room, (uint64_t)f->count + 1, sizeof *f->roots))
    return UINT32_MAX;
  f->roots[f->count] = node;
  f->nodes[node].set = ++f->count;
  return f->count - 1;
}

uint32_t facts_intern(struct facts *f, const term *list, uint32_t count) {
  return set_of(f, count > 0 ? build(f, list, count) : EMPTY);
}

uint32_t facts_with(struct facts *f, uint32_t set, term fact) {
  const uint32_t more = leaf(f, fact / FACTS_LEAF, UINT32_C(1) << fact % FACTS_LEAF);
  return more != NONE ? set_of(f, join(f, f->roots[set], more)) : UINT32_MAX;
}

uint32_t facts_union(struct facts *f, uint32_t one, uint32_t other) {
  return set_of(f, join(f, f->roots[one], f->roots[other]));
}

/* ---- what is in them ---- */

/* Which of the facts with a key are below a node. */
static uint32_t with_key(const struct facts *f, uint32_t node, uint32_t key) {
  while (f->nodes[node].branch > 0)
    node = (key & f->nodes[node].branch) == 0 ? f->nodes[node].left : f->nodes[node].right;
  return f->nodes[node].key == key ? f->nodes[node].left : 0;
}

bool facts_has(const struct facts *f, uint32_t set, term fact) {
  const uint32_t facts = with_key(f, f->roots[set], fact / FACTS_LEAF);
  return (facts >> fact % FACTS_LEAF & 1) != 0;
}

static term *list_below(const struct facts *f, uint32_t node, term *at) {
  const struct facts_node *n = &f->nodes[node];
  if (n->branch > 0) return list_below(f, n->right, list_below(f, n->left, at));
  for (uint32_t left = n->left; left != 0; left &= left - 1)
    *at++ = n->key * FACTS_LEAF + (uint32_t)__builtin_ctz(left);
  return at;
}

void facts_list(const struct facts *f, uint32_t set, term *list) {
  list_below(f, f->roots[set], list);
}

struct visit {
  const struct facts *facts;
  bool (*visit)(void *user, term fact);
  void *user;
};

/* Facts below a node that are not below another one. */
static bool visit_beyond(const struct visit *v, uint32_t a, uint32_t b) {
  const struct facts_node *x = &v->facts->nodes[a];
  const struct facts_node *y = &v->facts->nodes[b];
  if (a == b) return true;
  while (y->branch > x->branch) { /* what is in the range of the first one */
    b = (x->key & y->branch) == 0 ? y->left : y->right;
    y = &v->facts->nodes[b];
  }
  if (a == b) return true;
  if (((x->key ^ y->key) & above(x->branch)) != 0) b = EMPTY;
  if (x->branch > 0) {
    const bool same = b != EMPTY && y->branch == x->branch, high = (y->key & x->branch) != 0;
    return visit_beyond(v, x->right,
                        same   ? y->right
                        : high ? b
                               : EMPTY) &&
           visit_beyond(v, x->left,
                        same   ? y->left
                        : high ? EMPTY
                               : b);
  }
  bool goes_on = true;
  for (uint32_t left = x->left & ~(b != EMPTY ? y->left : 0); left != 0 && goes_on;) {
    const uint32_t bit = highest(left);
    left ^= bit;
    goes_on = v->visit(v->user, x->key * FACTS_LEAF + (uint32_t)__builtin_ctz(bit));
  }
  return goes_on;
}

bool facts_beyond(const struct facts *f, uint32_t set, uint32_t other,
                  bool (*visit)(void *user, term fact), void *user) {
  const struct visit v = {f, visit, user};
  return visit_beyond(&v, f->roots[set], other != UINT32_MAX ? f->roots[other] : EMPTY);
}
