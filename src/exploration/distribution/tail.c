/* Tails: steps are taken away from the front of each. What is next to a tail stays small, and is
 * used again for one of the same size: a ledger makes and drops them all the time. */
#include "exploration/distribution/tail.h"

#include <stddef.h>
#include <string.h>

#include "base/bytes.h"

/* Bytes of a block of sequences that wait, of which the next one is twice as large, up to that. */
enum { BLOCK_MOST = 4096 };

/* ---- elements ---- */

/* How many elements a tail of so many bytes has; *size: which list has unused ones. */
static uint64_t elements_of(uint64_t bytes, uint32_t *size) {
  uint64_t elements = 1 + (bytes + sizeof(struct tail) - 1) / sizeof(struct tail);
  uint64_t room = TAIL_SIZES_EACH;
  *size = (uint32_t)elements;
  if (elements < TAIL_SIZES_EACH) return elements;
  for (*size = TAIL_SIZES_EACH; room < elements; room *= 2)
    ++*size;
  return room;
}

/* Whether there is one of so many bytes without taking from what is promised to others. */
static bool has_spare(const struct shared_tree *tree, uint64_t bytes) {
  uint32_t size;
  const uint64_t elements = elements_of(bytes, &size);
  return tree->tails_unused[size] != 0 || tree->promised == 0 ||
         tree->tails.count + elements + tree->promised <= tree->tails.capacity;
}

/* One with room for so many bytes, from 1; 0: refused. */
static uint32_t take(struct shared_tree *tree, uint64_t bytes) {
  uint32_t size;
  const uint64_t elements = elements_of(bytes, &size);
  uint32_t *unused = &tree->tails_unused[size], number = *unused;
  if (number == 0) {
    if (!vector_reserve(tree->u->context, &tree->tails, tree->tails.count + elements)) return 0;
    number = tree->tails.count + 1;
    tree->tails.count += (uint32_t)elements;
  } else {
    *unused = tail_at(tree, number)->next;
  }
  *tail_at(tree, number) = (struct tail){.elements = (uint32_t)elements};
  return number;
}

static void drop(struct shared_tree *tree, uint32_t number) {
  uint32_t size;
  struct tail *tail = tail_at(tree, number);
  elements_of((tail->elements - 1ull) * sizeof *tail, &size);
  tail->next = tree->tails_unused[size];
  tree->tails_unused[size] = number;
}

/* ---- steps as bytes ---- */

static uint32_t length_of(uint32_t number) {
  uint32_t length = 1;
  for (; number >= 128; number >>= 7)
    length++;
  return length;
}

/* Room for the bytes of so many steps, and of how many these are. Returns false when refused. */
static bool reserve_bytes(struct shared_tree *tree, uint32_t count) {
  return vector_reserve(tree->u->context, &tree->bytes, (count + 1ull) * BYTES_LONGEST);
}

/* Puts steps into `bytes`, with their number in front where they wait. Returns false when refused.
 */
static bool put_steps(struct shared_tree *tree, const struct named_step *steps, uint32_t count,
                      bool waits) {
  if (!reserve_bytes(tree, count)) return false;
  uint8_t *to = tree->bytes.data;
  if (waits) to = bytes_at(to, count);
  for (uint32_t i = 0; i < count; i++) {
    const uint32_t number = step_number(&tree->numbers, steps[i]);
    if (number == 0) return false;
    to = bytes_at(to, number);
  }
  tree->bytes.count = (uint32_t)(to - tree->bytes.data);
  return true;
}

/* ---- below nodes ---- */

uint32_t unfi_tail_make(struct shared_tree *tree, const struct named_step *steps, uint32_t count) {
  if (!put_steps(tree, steps, count, false)) return 0;
  const uint32_t number = take(tree, tree->bytes.count);
  if (number == 0) return 0;
  tail_at(tree, number)->count = count;
  memcpy(tail_bytes(tail_at(tree, number)), tree->bytes.data, tree->bytes.count);
  return number;
}

static uint64_t bytes_of(const uint32_t *numbers, uint32_t count) {
  uint64_t bytes = 0;
  for (uint32_t i = 0; i < count; i++)
    bytes += length_of(numbers[i]);
  return bytes;
}

uint64_t unfi_tail_elements(const uint32_t *numbers, uint32_t count) {
  uint32_t size;
  return elements_of(bytes_of(numbers, count), &size);
}

bool unfi_tail_reserve_more(struct shared_tree *tree, uint64_t elements) {
  const uint64_t all = tree->tails.count + tree->promised + elements;
  return vector_reserve(tree->u->context, &tree->tails, all);
}

uint32_t unfi_tail_of_numbers(struct shared_tree *tree, const uint32_t *numbers, uint32_t count) {
  const uint32_t number = take(tree, bytes_of(numbers, count));
  uint8_t *to = tail_bytes(tail_at(tree, number));
  tail_at(tree, number)->count = count;
  for (uint32_t i = 0; i < count; i++)
    to = bytes_at(to, numbers[i]);
  return number;
}

void unfi_tail_hang(struct shared_tree *tree, uint32_t node, uint32_t tail) {
  shared_node_at(tree, node)->tail = tail;
  tree->in_tails += tail_at(tree, tail)->count;
  shared_note_most(tree);
}

/* Takes it from a node. */
static uint32_t take_off(struct shared_tree *tree, uint32_t node) {
  uint32_t number = shared_node_at(tree, node)->tail;
  shared_node_at(tree, node)->tail = 0;
  tree->in_tails -= tail_at(tree, number)->count;
  return number;
}

void unfi_tail_cut(struct shared_tree *tree, uint32_t node) {
  drop(tree, take_off(tree, node));
}

uint32_t unfi_tail_unfold(struct shared_tree *tree, uint32_t node, uint32_t count) {
  uint32_t number = take_off(tree, node);
  struct tail *tail = tail_at(tree, number);
  struct tail_in in = tail_open(tree, number);
  for (uint32_t i = 0; i < count; i++)
    node = unfi_shared_append(tree, node, tail_step(tree, &in), NODE_INNER, false);
  tail->first = (uint32_t)(in.at - tail_bytes(tail));
  tail->count = in.left;
  if (in.left > 0) {
    unfi_tail_hang(tree, node, number);
    return node;
  }
  shared_node_at(tree, node)->free = true;
  drop(tree, number);
  return node;
}

/* ---- waiting ---- */

static uint64_t room_of(const struct tail *block) {
  return (block->elements - 1ull) * sizeof *block;
}

/* Makes a block behind the last one of a node, with room for so many bytes. A node knows the last
 * one, which knows the first. 0: refused. */
static uint32_t add_block(struct shared_tree *tree, uint32_t node, uint64_t bytes) {
  struct shared_node *n = shared_node_at(tree, node);
  uint64_t wanted = n->late != 0 ? 2 * room_of(tail_at(tree, n->late)) : bytes;
  if (wanted > BLOCK_MOST) wanted = BLOCK_MOST;
  if (wanted < bytes || !has_spare(tree, wanted)) wanted = bytes;
  const uint32_t number = take(tree, wanted);
  if (number == 0) return 0;
  struct tail *block = tail_at(tree, number), *last = n->late != 0 ? tail_at(tree, n->late) : block;
  block->next = n->late != 0 ? last->next : number;
  last->next = number;
  return n->late = number;
}

bool unfi_tail_wait(struct shared_tree *tree, uint32_t node, const struct named_step *steps,
                    uint32_t count) {
  if (!put_steps(tree, steps, count, true)) return false;
  const uint32_t bytes = tree->bytes.count;
  uint32_t number = shared_node_at(tree, node)->late;
  if (number == 0 || room_of(tail_at(tree, number)) - tail_at(tree, number)->count < bytes)
    number = add_block(tree, node, bytes);
  if (number == 0) return false;
  struct tail *block = tail_at(tree, number);
  memcpy(tail_bytes(block) + block->count, tree->bytes.data, bytes);
  block->count += bytes;
  return true;
}

/* Reads one from a block. */
static struct tail_in open_one(const struct shared_tree *tree, struct tail_at at) {
  struct tail_in in = {tail_bytes(tail_at(tree, at.block)) + at.at, 0};
  in.left = tail_number(&in.at);
  return in;
}

/* The byte behind a sequence of the block. */
static uint32_t end_of(const struct shared_tree *tree, uint32_t block, struct tail_in in) {
  while (in.left-- > 0)
    tail_number(&in.at);
  return (uint32_t)(in.at - tail_bytes(tail_at(tree, block)));
}

bool unfi_tail_next(const struct shared_tree *tree, uint32_t node, struct tail_at *at,
                    struct tail_in *in) {
  const uint32_t late = shared_node_at(tree, node)->late;
  if (late == 0) return false;
  if (at->block == 0 || at->at == tail_at(tree, at->block)->count) {
    if (at->block == late) return false;
    at->block = tail_at(tree, at->block != 0 ? at->block : late)->next;
    at->at = tail_at(tree, at->block)->first;
  }
  *in = open_one(tree, *at);
  at->at = end_of(tree, at->block, *in);
  return true;
}

/* Elements for a sequence with so many bytes and steps, wherever it goes. */
static uint64_t most_elements(ptrdiff_t bytes, uint32_t count) {
  uint32_t size;
  return elements_of((uint64_t)bytes + length_of(count), &size);
}

bool unfi_tail_reserve(struct shared_tree *tree, uint32_t node) {
  unf_context *context = tree->u->context;
  struct tail_at at = {0, 0};
  struct tail_in in;
  uint64_t elements = tree->tails.count;
  uint32_t longest = 0;
  while (unfi_tail_next(tree, node, &at, &in)) {
    elements += most_elements(tail_bytes(tail_at(tree, at.block)) + at.at - in.at, in.left);
    if (in.left > longest) longest = in.left;
  }
  if (!vector_reserve(context, &tree->tails, elements) ||
      !vector_reserve(context, &tree->rest, longest) || !reserve_bytes(tree, longest))
    return false;
  tree->promised = elements - tree->tails.count;
  return true;
}

uint32_t unfi_tail_awaken(struct shared_tree *tree, uint32_t node) {
  struct shared_node *n = shared_node_at(tree, node);
  if (n->late == 0) return 0;
  const uint32_t number = tail_at(tree, n->late)->next;
  struct tail *block = tail_at(tree, number);
  const uint8_t *begin = tail_bytes(block) + block->first;
  struct tail_in in = open_one(tree, (struct tail_at){number, block->first});
  const uint8_t *steps = in.at;
  tree->rest.count = 0;
  while (in.left > 0)
    vector_push(&tree->rest, tail_step(tree, &in));
  tree->promised -= most_elements(in.at - steps, tree->rest.count);
  block->first += (uint32_t)(in.at - begin);
  if (block->first < block->count) return tree->rest.count;
  if (number == n->late)
    n->late = 0;
  else
    tail_at(tree, n->late)->next = block->next;
  drop(tree, number);
  return tree->rest.count;
}
