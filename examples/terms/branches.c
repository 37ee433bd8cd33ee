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

/* ---- the values of a term ---- */

enum { KNOWN_MAX = 16 };

/* Numbers, of which the possible ones that were found are known. A question about more values is
 * one about the two halves of such a block, so that none becomes large. */
struct values_block {
  int64_t low, high;
  unsigned count;
  int64_t known[KNOWN_MAX];
};

struct values_blocks {
  struct values_block *items; /* the last one is next */
  uint32_t count, room;
};

/* That the term has a value of the block which is not known. */
static term other_value(struct terms *t, const struct values_block *b, term a) {
  term fact = terms_binary(t, TERM_AND, terms_binary(t, TERM_AT_MOST, terms_constant(t, b->low), a),
                           terms_binary(t, TERM_AT_MOST, a, terms_constant(t, b->high)));
  for (unsigned i = 0; i < b->count; i++) {
    const term is = terms_binary(t, TERM_EQUAL, a, terms_constant(t, b->known[i]));
    fact = terms_binary(t, TERM_AND, fact, terms_not(t, is));
  }
  return fact;
}

/* Adds a value to the last block, among those below and above; one that is full becomes two. */
static bool add_value(struct values_blocks *blocks, int64_t value) {
  struct values_block *b = &blocks->items[blocks->count - 1];
  unsigned at = b->count++;
  for (; at > 0 && b->known[at - 1] > value; at--)
    b->known[at] = b->known[at - 1];
  b->known[at] = value;
  if (b->count < KNOWN_MAX) return true;
  const struct values_block whole = *b;
  const unsigned half = KNOWN_MAX / 2;
  if (!room_for((void **)&blocks->items, &blocks->room, (uint64_t)blocks->count + 1, sizeof *b))
    return false;
  struct values_block *upper = &blocks->items[blocks->count - 1], *lower = upper + 1;
  *lower = (struct values_block){.low = whole.low, .high = whole.known[half] - 1, .count = half};
  *upper = (struct values_block){.low = whole.known[half], .high = whole.high, .count = half};
  memcpy(lower->known, whole.known, half * sizeof *whole.known);
  memcpy(upper->known, whole.known + half, half * sizeof *whole.known);
  blocks->count++;
  return true;
}

/* Lists the values of the last block, which is done. */
static bool list_block(struct terms *t, struct outcomes *list, struct values_blocks *blocks,
                       term a) {
  const struct values_block *b = &blocks->items[--blocks->count];
  for (unsigned i = 0; i < b->count; i++) {
    const term is = terms_binary(t, TERM_EQUAL, a, terms_constant(t, b->known[i]));
    if (is == TERM_NONE ||
        !outcomes_append(list, (struct outcome){.fact = is, .value = b->known[i]}))
      return false;
  }
  return true;
}

enum outcomes_found outcomes_values(struct terms *t, struct outcomes *list, term a, int64_t low,
                                    int64_t high, uint64_t most, possible_function *possible,
                                    void *user) {
  struct values_blocks blocks = {.items = NULL};
  enum outcomes_found found = OUTCOMES_ALL;
  bool good = room_for((void **)&blocks.items, &blocks.room, 1, sizeof *blocks.items);
  if (good && low <= high)
    blocks.items[blocks.count++] = (struct values_block){.low = low, .high = high};
  for (uint64_t values = 0; good && blocks.count > 0;) {
    int64_t value;
    const term other = other_value(t, &blocks.items[blocks.count - 1], a);
    const enum possible answer = found != OUTCOMES_ALL ? POSSIBLE_NO
                                 : other != TERM_NONE  ? possible(user, other, a, &value)
                                                       : POSSIBLE_REFUSED;
    if (answer == POSSIBLE_UNKNOWN) found = OUTCOMES_MAYBE_MORE;
    if (answer == POSSIBLE_YES && values == most) found = OUTCOMES_MORE;
    if (answer == POSSIBLE_NO)
      good = list_block(t, list, &blocks, a);
    else if (answer == POSSIBLE_YES && values++ < most)
      good = add_value(&blocks, value);
    good &= answer != POSSIBLE_REFUSED;
  }
  free(blocks.items);
  return good ? found : OUTCOMES_NO_MEMORY;
}

/* ---- the table ---- */

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
