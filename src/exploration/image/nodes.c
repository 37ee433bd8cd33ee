/*
 * Wakeup trees as chains. They are written in the order in which their nodes lie in memory: there
 * can be as many nodes as events, and to go through the trees would wait for memory at each second
 * branch. What is read is looked up by the numbers of its nodes, and each chain may stand in one
 * place only, so that there are no cycles. It may stand in none: of an execution that was dropped
 * while its reversals were inserted, some lie further down than the path leads; that execution is
 * performed again, and they are inserted again.
 */
#include "exploration/image/nodes.h"

#include "exploration/explorer.h"
#include "exploration/image/sequence.h"
#include "exploration/image/tree.h"
#include "extension/adds.h"
#include "wakeup/tree.h"

/* What a number says beside the length of a chain: of its last node, whether there are nodes below
 * it, and one beside it; and whether nodes before it are not in use. */
enum { CHAIN_BELOW = 1, CHAIN_BESIDE = 2, CHAIN_APART = 4, CHAIN_BITS = 3 };

/* ---- writing ---- */

/* Numbers of a chain. */
enum { NUMBERS = 5 };

/* How far a number is from another, the sign in the lowest bit. */
static uint64_t distance_of(uint32_t number, uint32_t from) {
  return number >= from ? (uint64_t)(number - from) << 1 : (uint64_t)(from - number) << 1 | 1;
}

/* The place of the last node of the chain that begins at a place. */
static uint32_t last_of_chain(const struct wakeup_node *nodes, uint32_t at) {
  while (nodes[at].first == at + 2 && nodes[at].next == 0 &&
         nodes[at + 1].event == nodes[at].event + 1)
    at++;
  return at;
}

void unfi_nodes_write(const unf_wakeup_trees *trees, struct bytes_out *out) {
  const struct wakeup_node *nodes = trees->nodes.data;
  const uint32_t count = trees->nodes.count;
  uint32_t last_event = 0, end = 0; /* of the chain before */
  for (uint32_t at = 0; out->status == UNF_OK && at < count; at++) {
    if (nodes[at].event == 0) continue;
    const uint32_t last = last_of_chain(nodes, at), apart = at - end;
    const struct wakeup_node n = nodes[last];
    uint8_t *to = bytes_room(out, NUMBERS * BYTES_LONGEST);
    to = bytes_at(to, (uint64_t)(last - at + 1) << CHAIN_BITS | (apart > 0 ? CHAIN_APART : 0u) |
                          (n.first != 0 ? CHAIN_BELOW : 0u) | (n.next != 0 ? CHAIN_BESIDE : 0u));
    if (apart > 0) to = bytes_at(to, apart);
    to = bytes_at(to, distance_of(nodes[at].event, last_event));
    if (n.first != 0) to = bytes_at(to, distance_of(n.first, last + 1));
    if (n.next != 0) to = bytes_at(to, distance_of(n.next, last + 1));
    bytes_end(out, to);
    last_event = n.event;
    at = last;
    end = last + 1;
  }
  unfi_bytes_put(out, 0);
}

void unfi_nodes_write_tree(const unf_wakeup_trees *trees, uint32_t depth, struct bytes_out *out) {
  unfi_bytes_put(out, depth < trees->pending.count ? trees->pending.data[depth] : 0);
}

/* ---- reading ---- */

/* A number by how far it is from another; one that is none, or too large, is malformed. */
static uint32_t read_from(struct bytes_in *in, uint32_t from, const char *what) {
  const uint64_t distance = unfi_bytes_get(in), far = distance >> 1;
  const uint64_t number = distance & 1 ? from - far : from + far;
  if (in->status == UNF_OK && (number == 0 || number >= UINT32_MAX)) unfi_bytes_malformed(in, what);
  return in->status == UNF_OK ? (uint32_t)number : 0;
}

/* A chain behind the one before, of which the number that begins it was read. */
static struct chain read_chain(const unf_unfolding *u, struct bytes_in *in, uint64_t number,
                               const struct chain *before) {
  const uint32_t last_event = before != NULL ? before->event + before->count - 1 : 0;
  const uint32_t end = before != NULL ? before->start + before->count : 1;
  const uint64_t count = number >> CHAIN_BITS;
  const uint64_t apart = number & CHAIN_APART ? unfi_bytes_get(in) : 0;
  struct chain c = {.event = read_from(in, last_event, "an event of a wakeup tree")};
  if (in->status != UNF_OK) return c;
  if (count == 0 || count > u->store.count || c.event + count > u->store.count)
    unfi_bytes_malformed(in, "events of a wakeup tree");
  else if (apart >= UINT32_MAX || end + apart + count >= UINT32_MAX)
    unfi_bytes_malformed(in, "numbers of nodes of wakeup trees");
  if (in->status != UNF_OK) return c;
  c.start = end + (uint32_t)apart;
  c.count = (uint32_t)count;
  const uint32_t last = c.start + c.count - 1;
  if (number & CHAIN_BELOW) c.first = read_from(in, last, "a node below another one");
  if (number & CHAIN_BESIDE) c.next = read_from(in, last, "a node beside another one");
  return c;
}

unf_status unfi_nodes_read(unf_explorer *x, struct bytes_in *in, struct nodes_in *nodes) {
  unf_context *context = x->u->context;
  for (uint64_t number = unfi_bytes_get(in); in->status == UNF_OK && number != 0;
       number = unfi_bytes_get(in)) {
    const uint32_t count = nodes->all.count;
    if (!vector_reserve(context, &nodes->all, (uint64_t)count + 1))
      return unfi_bytes_note(in, unfi_refused(context));
    const struct chain chain =
        read_chain(x->u, in, number, count > 0 ? &nodes->all.data[count - 1] : NULL);
    vector_push(&nodes->all, chain);
    unfi_bytes_note(in, unfi_work(context, 1));
  }
  return in->status;
}

/* The node with a number, which must begin a chain: what is inside of one has its place there. */
static struct chain_node find(const struct nodes_in *nodes, struct bytes_in *in, uint32_t number) {
  uint32_t low = 0, high = nodes->all.count;
  if (number == 0) return (struct chain_node){0, 0};
  while (low < high) {
    const uint32_t middle = low + (high - low) / 2;
    if (nodes->all.data[middle].start < number)
      low = middle + 1;
    else
      high = middle;
  }
  if (low < nodes->all.count && nodes->all.data[low].start == number)
    return (struct chain_node){low + 1, 0};
  unfi_bytes_malformed(in, "a node of a wakeup tree that is not there");
  return (struct chain_node){0, 0};
}

struct node_reader {
  unf_explorer *x;
  struct bytes_in *in;
  struct nodes_in *nodes;
};

/* The next node of the last list, below which the list of what is there is begun. Room was made. */
static uint32_t take_node(struct node_reader *from) {
  struct nodes_in *nodes = from->nodes;
  const struct chain_node node = nodes->way.data[nodes->way.count - 1];
  struct chain *chain = &nodes->all.data[node.chain - 1];
  const bool ends = node.place == chain->count - 1;
  const struct chain_node inside = {node.chain, node.place + 1}, none = {0, 0};
  const uint32_t event = chain->event + node.place;
  if (node.place == 0 && chain->taken) {
    unfi_bytes_malformed(from->in, "a node that stands twice in wakeup trees");
    return 0;
  }
  chain->taken = true;
  if (unfi_enabled_check(from->x, from->in, event) != UNF_OK) return 0;
  nodes->way.data[nodes->way.count - 1] = ends ? find(nodes, from->in, chain->next) : none;
  vector_push(&nodes->way, ends ? find(nodes, from->in, chain->first) : inside);
  return from->in->status == UNF_OK ? event : 0;
}

static uint32_t next_node(void *user) {
  struct node_reader *from = user;
  struct nodes_in *nodes = from->nodes;
  unf_context *context = from->x->u->context;
  if (!vector_reserve(context, &nodes->way, (uint64_t)nodes->way.count + 1)) {
    unfi_bytes_note(from->in, unfi_refused(context));
    return 0;
  }
  if (nodes->way.data[nodes->way.count - 1].chain != 0) return take_node(from);
  nodes->way.count--;
  return 0;
}

unf_status unfi_nodes_read_tree(unf_explorer *x, struct bytes_in *in, struct nodes_in *nodes,
                                unf_wakeup_trees *trees) {
  struct node_reader from = {x, in, nodes};
  const uint64_t root = unfi_bytes_get(in);
  if (in->status == UNF_OK && root >= UINT32_MAX) unfi_bytes_malformed(in, "a wakeup tree");
  if (in->status != UNF_OK) return in->status;
  if (!vector_reserve(x->u->context, &nodes->way, 1))
    return unfi_bytes_note(in, unfi_refused(x->u->context));
  nodes->way.count = 0;
  vector_push(&nodes->way, find(nodes, in, (uint32_t)root));
  return unfi_tree_read_by(x, in, trees, next_node, &from);
}

void unfi_nodes_free(unf_context *context, struct nodes_in *nodes) {
  vector_free(context, &nodes->all);
  vector_free(context, &nodes->way);
}
