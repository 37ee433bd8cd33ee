#include "history.h"

#include <stdlib.h>
#include <string.h>

bool history_make(struct history *h, uint64_t items) {
  memset(h, 0, sizeof *h);
  h->entered = calloc((size_t)items + 1, sizeof *h->entered);
  return h->entered != NULL;
}

void history_free(struct history *h) {
  free(h->log);
  free(h->marks);
  free(h->entered);
}

uint64_t history_bytes(const struct history *h, uint64_t items) {
  return h->room * sizeof *h->log + h->marks_room * sizeof *h->marks + items * sizeof *h->entered;
}

void history_begin(struct history *h) {
  h->count = 0;
  h->step++;
}

bool history_step(struct history *h, uint64_t steps) {
  if (steps >= h->marks_room) {
    uint64_t room = 2 * steps + 64;
    size_t *marks = realloc(h->marks, (size_t)room * sizeof *marks);
    if (marks == NULL) return false;
    h->marks = marks;
    h->marks_room = room;
  }
  h->marks[steps] = h->count;
  h->step++;
  return true;
}

bool history_enlarge(struct history *h, uint32_t count) {
  const size_t needed = h->count + count + 1;
  const size_t room = needed + needed / 2 + 64;
  int64_t *log = realloc(h->log, room * sizeof *log);
  if (log == NULL) {
    h->failed = true;
    return false;
  }
  h->log = log;
  h->room = room;
  return true;
}

void history_back(struct history *h, int64_t *state, uint64_t steps) {
  while (h->count > h->marks[steps]) {
    uint32_t first, count;
    const int64_t *were;
    h->count = history_range(h, h->count, &first, &count, &were);
    if (count == 1)
      state[first] = *were;
    else
      memcpy(state + first, were, count * sizeof *state);
  }
}
