/* Names of traces, and their canonical linearisation: Kahn's algorithm with a heap. */
#include "least.h"

#include <stdlib.h>
#include <string.h>

bool trace_name_less(struct trace_name a, struct trace_name b) {
  return a.words[0] != b.words[0] ? a.words[0] < b.words[0] : a.words[1] < b.words[1];
}

struct trace_sum {
  unf_unfolding *unfolding;
  struct trace_name sum;
  bool good;
};

static bool add_event(void *user, unf_event event) {
  struct trace_sum *n = user;
  uint64_t print[2];
  n->good = unf_event_fingerprint(n->unfolding, event, print) == UNF_OK;
  if (!n->good) return false;
  n->sum.words[0] += print[0];
  n->sum.words[1] += print[1];
  return true;
}

struct trace_name trace_name_of(unf_unfolding *unfolding, const unf_explorer *explorer) {
  struct trace_sum n = {unfolding, {{0, 0}}, true};
  unf_explorer_path(explorer, add_event, &n);
  return n.good ? n.sum : TRACE_NAME_NONE;
}

/* ---- the order ---- */

/* A step, and which others wait for it: a list of edges. */
struct node {
  unf_event event;
  struct trace_name print;
  uint32_t missing; /* causes that are not appended yet */
  uint32_t edges;   /* the first of its list, from 1; 0: none */
};

struct wait_edge {
  uint32_t to, next;
};

struct linearisation {
  unf_unfolding *unfolding;
  struct node *nodes;
  struct wait_edge *edges;
  uint32_t *heap;
  uint32_t count, room, edge_count, edge_room, heap_count, at;
  unf_status status;
};

static bool add_node(void *user, unf_event event) {
  struct linearisation *o = user;
  if (o->count == o->room) {
    o->room = 2 * o->room + 64;
    struct node *bigger = realloc(o->nodes, o->room * sizeof *bigger);
    if (bigger == NULL) o->status = UNF_MEMORY;
    if (bigger == NULL) return false;
    o->nodes = bigger;
  }
  struct node *node = &o->nodes[o->count++];
  *node = (struct node){.event = event};
  o->status = unf_event_fingerprint(o->unfolding, event, node->print.words);
  return o->status == UNF_OK;
}

static int by_event(const void *a, const void *b) {
  const struct node *one = a, *other = b;
  return (one->event > other->event) - (one->event < other->event);
}

/* An event comes before the node at hand. */
static bool add_edge(void *user, unf_event event) {
  struct linearisation *o = user;
  const struct node key = {.event = event};
  struct node *from = bsearch(&key, o->nodes, o->count, sizeof *o->nodes, by_event);
  if (from == NULL) return true; /* ⊥ */
  if (o->edge_count == o->edge_room) {
    o->edge_room = 2 * o->edge_room + 64;
    struct wait_edge *bigger = realloc(o->edges, o->edge_room * sizeof *bigger);
    if (bigger == NULL) o->status = UNF_MEMORY;
    if (bigger == NULL) return false;
    o->edges = bigger;
  }
  o->edges[o->edge_count++] = (struct wait_edge){o->at, from->edges};
  from->edges = o->edge_count;
  o->nodes[o->at].missing++;
  return true;
}

static bool comes_before(const struct linearisation *o, uint32_t a, uint32_t b) {
  return trace_name_less(o->nodes[a].print, o->nodes[b].print);
}

static void push(struct linearisation *o, uint32_t node) {
  uint32_t at = o->heap_count++;
  for (; at > 0 && comes_before(o, node, o->heap[(at - 1) / 2]); at = (at - 1) / 2)
    o->heap[at] = o->heap[(at - 1) / 2];
  o->heap[at] = node;
}

static uint32_t pop(struct linearisation *o) {
  const uint32_t first = o->heap[0], last = o->heap[--o->heap_count];
  uint32_t at = 0;
  for (;;) {
    uint32_t child = 2 * at + 1;
    if (child >= o->heap_count) break;
    if (child + 1 < o->heap_count && comes_before(o, o->heap[child + 1], o->heap[child])) child++;
    if (!comes_before(o, o->heap[child], last)) break;
    o->heap[at] = o->heap[child];
    at = child;
  }
  o->heap[at] = last;
  return first;
}

static void append_all(struct linearisation *o, unf_schedule *schedule) {
  for (uint32_t i = 0; i < o->count; i++)
    if (o->nodes[i].missing == 0) push(o, i);
  while (o->heap_count > 0 && o->status == UNF_OK) {
    const struct node *node = &o->nodes[pop(o)];
    unf_action action;
    o->status = unf_event_action(o->unfolding, node->event, &action);
    if (o->status == UNF_OK) o->status = unf_schedule_append(schedule, &action);
    for (uint32_t edge = node->edges; edge != 0; edge = o->edges[edge - 1].next)
      if (--o->nodes[o->edges[edge - 1].to].missing == 0) push(o, o->edges[edge - 1].to);
  }
}

unf_status trace_append(unf_schedule *schedule, unf_unfolding *unfolding,
                        const unf_explorer *explorer) {
  struct linearisation o = {.unfolding = unfolding, .status = UNF_OK};
  unf_explorer_path(explorer, add_node, &o);
  if (o.status == UNF_OK && o.count > 0) {
    qsort(o.nodes, o.count, sizeof *o.nodes, by_event);
    o.heap = malloc(o.count * sizeof *o.heap);
    if (o.heap == NULL) o.status = UNF_MEMORY;
  }
  for (; o.at < o.count && o.status == UNF_OK; o.at++) {
    const unf_status status = unf_event_predecessors(unfolding, o.nodes[o.at].event, add_edge, &o);
    if (o.status == UNF_OK) o.status = status;
  }
  if (o.status == UNF_OK) append_all(&o, schedule);
  free(o.nodes);
  free(o.edges);
  free(o.heap);
  return o.status;
}
