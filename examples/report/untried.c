/* The tree of what was performed is kept by its steps; a set of events by a sum of their hashes,
 * which does not depend on their order. */
#include "untried.h"

#include <stdlib.h>
#include <string.h>

enum { NODES_MOST = 1 << 22 };

static uint64_t mix(uint64_t x) {
  x = (x ^ (x >> 31)) * 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 29)) * 0xbf58476d1ce4e5b9u;
  return x ^ (x >> 32);
}

void event_set_add(struct event_set *set, struct run_event event) {
  set->hash[0] += mix(event.key[0]);
  set->hash[1] += mix(event.key[1] ^ 0xd6e8feb86659fd93u);
}

static struct event_set *slot_of(const struct untried *b, const struct event_set *set) {
  size_t at = (size_t)set->hash[0] & (b->room - 1);
  while ((b->slots[at].hash[0] | b->slots[at].hash[1]) != 0 &&
         memcmp(&b->slots[at], set, sizeof *set) != 0)
    at = (at + 1) & (b->room - 1);
  return &b->slots[at];
}

static bool grow(struct untried *b) {
  struct untried bigger = {.room = b->room == 0 ? 1024 : 2 * b->room};
  bigger.slots = calloc(bigger.room, sizeof *bigger.slots);
  if (bigger.slots == NULL) return false;
  for (size_t i = 0; i < b->room; i++)
    if ((b->slots[i].hash[0] | b->slots[i].hash[1]) != 0)
      *slot_of(&bigger, &b->slots[i]) = b->slots[i];
  free(b->slots);
  b->slots = bigger.slots;
  b->room = bigger.room;
  return true;
}

bool untried_enter(struct untried *b, const struct event_set *set) {
  if (2 * b->count >= b->room && !grow(b)) b->failed = true;
  if (b->failed) return false;
  struct event_set *slot = slot_of(b, set);
  if ((slot->hash[0] | slot->hash[1]) != 0) return false;
  *slot = *set;
  b->count++;
  return true;
}

uint32_t untried_add(struct untried *b, uint32_t before, const unf_action *action) {
  if (b->node_count == b->node_room) {
    const size_t room = 2 * b->node_room + 64;
    struct untried_node *nodes = realloc(b->nodes, room * sizeof *nodes);
    if (nodes == NULL) b->failed = true;
    if (nodes == NULL) return 0;
    b->nodes = nodes;
    b->node_room = room;
  }
  b->nodes[b->node_count] = (struct untried_node){before, *action};
  return (uint32_t)b->node_count++;
}

static void push_open(struct untried *b, uint32_t node) {
  if (b->open_count == b->open_room) {
    const size_t room = 2 * b->open_room + 64;
    uint32_t *open = realloc(b->open, room * sizeof *open);
    if (open == NULL) b->failed = true;
    if (open == NULL) return;
    b->open = open;
    b->open_room = room;
  }
  b->open[b->open_count++] = node;
}

static void open_node(struct untried *b, uint32_t before, const unf_action *action) {
  push_open(b, untried_add(b, before, action));
}

void untried_root(struct untried *b) {
  push_open(b, 0);
}

static bool same(const unf_action *a, const unf_action *b) {
  return a->kind == b->kind && a->thread == b->thread && a->target == b->target &&
         a->second == b->second && a->value == b->value;
}

void untried_open(struct untried *b, const struct run *run, size_t step, uint32_t before) {
  const size_t row = step - run->from, low = row > 0 ? run->ends[row - 1] : 0;
  for (size_t i = run->ends[row]; i-- > low && !b->failed;)
    if (!same(&run->choices[i], &run->steps[step])) open_node(b, before, &run->choices[i]);
}

void untried_follow(struct untried *b, const struct run *run, uint32_t node, size_t most) {
  struct event_set set = {{0, 0}};
  for (size_t i = 0; i < run->from; i++)
    event_set_add(&set, run->events[i]);
  for (size_t i = run->from; !b->failed && untried_enter(b, &set) && i < run->count && i < most;
       i++) {
    untried_open(b, run, i, node);
    event_set_add(&set, run->events[i]);
    node = untried_add(b, node, &run->steps[i]);
  }
}

static bool push_action(struct untried *b, const unf_action *action) {
  if (b->prefix_count == b->prefix_room) {
    const size_t room = 2 * b->prefix_room + 64;
    unf_action *prefix = realloc(b->prefix, room * sizeof *prefix);
    if (prefix == NULL) return false;
    b->prefix = prefix;
    b->prefix_room = room;
  }
  b->prefix[b->prefix_count++] = *action;
  return true;
}

uint32_t untried_take(struct untried *b) {
  if (b->open_count == 0 || b->failed) return 0;
  const uint32_t node = b->open[--b->open_count];
  b->prefix_count = 0;
  for (uint32_t at = node; at != 0 && !b->failed; at = b->nodes[at].before)
    b->failed = !push_action(b, &b->nodes[at].action);
  for (size_t i = 0, j = b->prefix_count; i + 1 < j; i++) {
    const unf_action action = b->prefix[i];
    b->prefix[i] = b->prefix[--j];
    b->prefix[j] = action;
  }
  return b->failed ? 0 : node;
}

void untried_give_back(struct untried *b) {
  b->open_count++;
}

bool untried_full(const struct untried *b) {
  return b->node_count > NODES_MOST;
}

void untried_begin(struct untried *b) {
  const unf_action none = {.thread = 0};
  memset(b, 0, sizeof *b);
  untried_add(b, 0, &none);
}

void untried_free(struct untried *b) {
  free(b->slots);
  free(b->nodes);
  free(b->open);
  free(b->prefix);
}
