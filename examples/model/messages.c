/*
 * Nodes of messages. Going back one by one would make a receive cost as many steps as messages
 * wait, so each node also names one farther up: the distances are those of a skew binary number,
 * and every node above is reached in O(log number) steps.
 */
#include "messages.h"

#include <stdlib.h>

void messages_free(struct messages *m) {
  free(m->nodes);
  free(m->table);
}

uint64_t messages_bytes(const struct messages *m) {
  return (uint64_t)m->room * sizeof *m->nodes + (uint64_t)m->table_room * sizeof *m->table;
}

/* Where the node of a message stands in the table, or would stand. */
static uint32_t slot_of(const struct messages *m, uint32_t before, int64_t value) {
  uint64_t hash = ((uint64_t)value ^ (uint64_t)before << 32) * UINT64_C(0x9E3779B97F4A7C15);
  hash = (hash ^ hash >> 29 ^ before) * UINT64_C(0xBF58476D1CE4E5B9);
  uint32_t at = (uint32_t)(hash >> 32) & (m->table_room - 1);
  for (; m->table[at] != 0; at = (at + 1) & (m->table_room - 1)) {
    const struct message *node = &m->nodes[m->table[at]];
    if (node->before == before && node->value == value) break;
  }
  return at;
}

bool messages_reserve(struct messages *m) {
  enum { FIRST_ROOM = 64 };
  if (m->room > m->count + 1) return true;
  if (m->room > UINT32_MAX / 4) return false;
  const uint32_t room = m->room == 0 ? FIRST_ROOM : 2 * m->room;
  struct message *nodes = realloc(m->nodes, room * sizeof *nodes);
  if (nodes == NULL) return false;
  m->nodes = nodes;
  uint32_t *table = calloc(2 * (size_t)room, sizeof *table);
  if (table == NULL) return false;
  if (m->room == 0) m->nodes[0] = (struct message){0};
  free(m->table);
  m->table = table;
  m->table_room = 2 * room;
  m->room = room;
  for (uint32_t i = 1; i <= m->count; i++)
    m->table[slot_of(m, m->nodes[i].before, m->nodes[i].value)] = i;
  return true;
}

uint32_t messages_add(struct messages *m, uint32_t before, int64_t value) {
  const uint32_t at = slot_of(m, before, value);
  if (m->table[at] != 0) return m->table[at];
  const struct message *up = &m->nodes[before], *farther = &m->nodes[up->farther];
  const bool doubles =
      up->number - farther->number == farther->number - m->nodes[farther->farther].number;
  m->nodes[++m->count] =
      (struct message){value, before, doubles ? farther->farther : before, up->number + 1};
  m->table[at] = m->count;
  return m->count;
}

int64_t messages_get(const struct messages *m, uint32_t node, uint64_t number) {
  while (m->nodes[node].number > number + 1) {
    const struct message *at = &m->nodes[node];
    node = m->nodes[at->farther].number > number ? at->farther : at->before;
  }
  return m->nodes[node].value;
}
