/* Branches, in a table by their outcomes. */
#include "branches.h"
#include "room.h"

#include <stdlib.h>
#include <string.h>

bool outcomes_append(struct outcomes *list, struct outcome outcome) {
  if (list->count == list->room) {
    const size_t room = 2 * list->room + 16;
    struct outcome *items = realloc(list->items, room * sizeof *items);
    if (items == NULL) return false;
    list->items = items;
    list->room = room;
  }
  list->items[list->count++] = outcome;
  return true;
}

int64_t outcomes_only(const struct terms *terms, const struct outcomes *list,
                      possible_function *possible, void *user) {
  int64_t only = OUTCOMES_OPEN, value;
  for (size_t i = 0; i < list->count; i++)
    if (terms_is_constant(terms, list->items[i].fact, &value) && value != 0) return (int64_t)i;
  for (size_t i = 0; i < list->count; i++) {
    if (terms_is_constant(terms, list->items[i].fact, &value)) continue;
    const enum possible answer = possible(user, list->items[i].fact, TERM_NONE, NULL);
    if (answer == POSSIBLE_REFUSED) return OUTCOMES_REFUSED;
    if (answer == POSSIBLE_NO) continue;
    if (only != OUTCOMES_OPEN) return OUTCOMES_OPEN;
    only = (int64_t)i;
  }
  return only;
}

static uint32_t *head_of(const struct branches *b, const struct outcome *outcomes, uint32_t count) {
  uint64_t hash = count;
  for (uint32_t i = 0; i < count; i++) {
    hash = (hash ^ outcomes[i].fact) * 0x9E3779B97F4A7C15u;
    hash = (hash ^ (uint64_t)outcomes[i].value ^ hash >> 29) * 0x9E3779B97F4A7C15u;
  }
  return &b->table[(uint32_t)(hash >> 32) & (b->table_room - 1)];
}

static bool same(const struct outcome *a, const struct outcome *b) {
  return a->fact == b->fact && a->value == b->value && a->position == b->position &&
         a->error == b->error;
}

static bool is_branch(const struct branches *b, uint32_t branch, const struct outcome *outcomes,
                      uint32_t count) {
  if (b->items[branch].count != count) return false;
  const struct outcome *mine = branches_outcomes(b, branch);
  uint32_t i = 0;
  while (i < count && same(&mine[i], &outcomes[i]))
    i++;
  return i == count;
}

static bool make_room(struct branches *b, uint32_t count) {
  bool empty;
  if (!room_for((void **)&b->outcomes, &b->outcome_room, (uint64_t)b->outcome_count + count,
                sizeof *b->outcomes) ||
      !room_for((void **)&b->items, &b->room, (uint64_t)b->count + 1, sizeof *b->items) ||
      !heads_for(&b->table, &b->table_room, b->count, &empty))
    return false;
  for (uint32_t i = 0; empty && i < b->count; i++) {
    uint32_t *head = head_of(b, branches_outcomes(b, i), b->items[i].count);
    b->items[i].next = *head;
    *head = i + 1;
  }
  return true;
}

uint32_t branches_intern(struct branches *b, const struct outcome *outcomes, uint32_t count) {
  if (!make_room(b, count)) return UINT32_MAX;
  uint32_t *head = head_of(b, outcomes, count);
  for (uint32_t at = *head; at != 0; at = b->items[at - 1].next)
    if (is_branch(b, at - 1, outcomes, count)) return at - 1;
  if (count > 0) memcpy(b->outcomes + b->outcome_count, outcomes, count * sizeof *outcomes);
  b->items[b->count] = (struct branch){b->outcome_count, count, *head};
  b->outcome_count += count;
  *head = ++b->count;
  return b->count - 1;
}

void branches_free(struct branches *b) {
  free(b->outcomes);
  free(b->items);
  free(b->table);
}

uint64_t branches_bytes(const struct branches *b) {
  return b->outcome_room * sizeof *b->outcomes + b->room * sizeof *b->items +
         b->table_room * sizeof *b->table;
}
