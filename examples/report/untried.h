/* A search through the executions of a program: what was reached, as sets of events, and what is
 * still to be performed. Two beginnings with the same events, whatever their order, go on alike. */
#ifndef REPORT_UNTRIED_H
#define REPORT_UNTRIED_H

#include "run.h"

/* A set of events is known by a hash of 128 bits. */
struct event_set {
  uint64_t hash[2];
};

void event_set_add(struct event_set *set, struct run_event event);

/* A step, and the one before it; 0: none. */
struct untried_node {
  uint32_t before;
  unf_action action;
};

struct untried {
  /* Sets that were reached: open addressing; both halves 0 is an empty place. */
  struct event_set *slots;
  size_t room, count;
  struct untried_node *nodes; /* the first one stands for the beginning */
  size_t node_count, node_room;
  uint32_t *open; /* nodes whose executions are still to be performed */
  size_t open_count, open_room;
  unf_action *prefix; /* the steps up to the node that was taken */
  size_t prefix_count, prefix_room;
  bool failed; /* there was no memory */
};

void untried_begin(struct untried *b);
void untried_free(struct untried *b);
/* Whether there are too many nodes to go on. */
bool untried_full(const struct untried *b);

/* Enters a set; false: it was there, or there is no memory. */
bool untried_enter(struct untried *b, const struct event_set *set);
/* The number of a new node; 0: no memory. */
uint32_t untried_add(struct untried *b, uint32_t before, const unf_action *action);
/* Opens everything else that was possible before a step of a run, which is that of a node. */
void untried_open(struct untried *b, const struct run *run, size_t step, uint32_t before);
/* Enters what a run came to from a node on, and opens what else was possible there, as far as it
 * has at most so many steps. */
void untried_follow(struct untried *b, const struct run *run, uint32_t node, size_t most);
/* Opens the beginning itself, where no execution is known yet. */
void untried_root(struct untried *b);
/* Takes an open node, and puts the steps up to it into the prefix. 0: there is none, or no memory,
 * or it is the beginning. */
uint32_t untried_take(struct untried *b);
/* It stays open. */
void untried_give_back(struct untried *b);

#endif
