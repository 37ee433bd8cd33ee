/* Records with names that are given again. */
#include "slots.h"

#include <stdlib.h>
#include <string.h>

void cli_slots_begin(struct cli_slots *s, size_t size) {
  memset(s, 0, sizeof *s);
  s->size = size;
}

void cli_slots_free(struct cli_slots *s) {
  free(s->list);
  free(s->free);
  memset(s, 0, sizeof *s);
}

uint64_t cli_slot_take(struct cli_slots *s) {
  if (s->free_count > 0) return s->free[--s->free_count];
  if (s->count == s->room) {
    const uint64_t room = 2 * s->room + 64;
    void *list = realloc(s->list, room * s->size);
    if (list == NULL) return 0;
    s->list = list;
    uint64_t *names = realloc(s->free, room * sizeof *names);
    if (names == NULL) return 0;
    s->free = names;
    s->room = room;
  }
  s->count++;
  memset(cli_slot(s, s->count), 0, s->size);
  return s->count;
}

void cli_slot_give_back(struct cli_slots *s, uint64_t name) {
  memset(cli_slot(s, name), 0, s->size);
  s->free[s->free_count++] = name;
}
