/*
 * What was sent through channels. The messages of one channel are a path from a root: a node is a
 * message and those before it, so that a state names all of them by one number, whatever other
 * executions sent in their place. Nodes are found again, and never change.
 */
#ifndef MODEL_MESSAGES_H
#define MODEL_MESSAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct message {
  int64_t value;
  uint32_t before;  /* the node before, 0: none */
  uint32_t farther; /* a node further up, see messages.c */
  uint32_t number;  /* of messages up to here */
};

struct messages {
  struct message *nodes; /* from 1 on */
  uint32_t count, room;
  uint32_t *table; /* by node before and value */
  uint32_t table_room;
};

void messages_free(struct messages *messages);
uint64_t messages_bytes(const struct messages *messages);
/* Makes room for one more. False: no memory, or there are too many. */
bool messages_reserve(struct messages *messages);
/* The node of a message behind those of a node; there is room. */
uint32_t messages_add(struct messages *messages, uint32_t behind, int64_t value);
/* Message number `number`, from 0 on, of those up to a node. O(log number). */
int64_t messages_get(const struct messages *messages, uint32_t node, uint64_t number);

#endif
