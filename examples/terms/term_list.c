#include "term_list.h"

#include <stdlib.h>

#include "room.h"

/* Where handles lie so close, marks are looked through instead of sorting. */
enum { CLOSE = 16 };

void term_list_free(struct term_list *l) {
  free(l->list);
  free(l->marks.rounds);
}

uint64_t term_list_bytes(const struct term_list *l) {
  return ((uint64_t)l->room + l->marks.room) * sizeof(uint32_t);
}

static void add(struct term_list *l, term a) {
  if (a == TERM_NONE || marks_has(&l->marks, a)) return;
  marks_put(&l->marks, a);
  l->list[l->count++] = a;
}

static int compare(const void *a, const void *b) {
  const term x = *(const term *)a, y = *(const term *)b;
  return (x > y) - (x < y);
}

static void order(struct term_list *l) {
  term low = UINT32_MAX, high = 0;
  for (uint32_t i = 0; i < l->count; i++) {
    if (l->list[i] < low) low = l->list[i];
    if (l->list[i] > high) high = l->list[i];
  }
  if (l->count == 0 || (high - low) / CLOSE > l->count) {
    qsort(l->list, l->count, sizeof *l->list, compare);
    return;
  }
  l->count = 0;
  for (term a = low; a <= high; a++)
    if (marks_has(&l->marks, a)) l->list[l->count++] = a;
}

bool term_list_make(struct term_list *l, const struct terms *t, const term *of, uint32_t count,
                    uint32_t most, term_list_leaf *leaf, const void *user) {
  if (!room_for((void **)&l->list, &l->room, t->count, sizeof *l->list) ||
      !marks_clear(&l->marks, t->count))
    return false;
  l->count = 0;
  for (uint32_t i = 0; i < count; i++)
    add(l, of[i]);
  for (uint32_t i = 0; i < l->count && l->count <= most; i++)
    for (unsigned j = 0; j < 3 && (leaf == NULL || !leaf(user, l->list[i])); j++)
      add(l, terms_node(t, l->list[i])->argument[j]);
  if (l->count <= most) order(l);
  return true;
}
