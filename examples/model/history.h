/*
 * What steps changed in the state of a program, so that they can be taken back: there is one state,
 * and for each step the words that it changed, as they were before.
 */
#ifndef MODEL_HISTORY_H
#define MODEL_HISTORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct history {
  /* Of each range of words what they were; then where it begins, in the upper half, and how many
   * they are. */
  int64_t *log;
  size_t count, room;
  size_t *marks; /* by step: `count` before it */
  uint64_t marks_room;
  uint64_t *entered; /* by item: the number of the last step that entered it */
  uint64_t step;     /* number of the current step, never given again */
  bool failed;       /* there was no memory for a range */
};

/* A history of a state with items that are entered as a whole, each once in a step. False: no
 * memory. */
bool history_make(struct history *h, uint64_t items);
void history_free(struct history *h);
uint64_t history_bytes(const struct history *h, uint64_t items);

/* The state is at its beginning: nothing can be taken back. */
void history_begin(struct history *h);
/* The step after `steps` steps begins. False: no memory. */
bool history_step(struct history *h, uint64_t steps);
/* Room for so many words more of the log. False: no memory. */
bool history_enlarge(struct history *h, uint32_t count);
/* Words are about to be changed. */
static inline void history_enter(struct history *h, const int64_t *state, uint32_t first,
                                 uint32_t count) {
  if (h->room - h->count <= count && !history_enlarge(h, count)) return;
  int64_t *to = h->log + h->count;
  if (count == 1)
    *to = state[first];
  else
    memcpy(to, state + first, count * sizeof *state);
  to[count] = (int64_t)((uint64_t)first << 32 | count);
  h->count += (size_t)count + 1;
}
/* Enters the words of an item; false: it was entered in this step before. */
static inline bool history_enter_item(struct history *h, uint64_t item, const int64_t *state,
                                      uint32_t first, uint32_t count) {
  if (h->entered[item] == h->step) return false;
  h->entered[item] = h->step;
  history_enter(h, state, first, count);
  return true;
}
/* Makes the state what it was after so many steps, which are no more than were performed. */
void history_back(struct history *h, int64_t *state, uint64_t steps);

/* The range whose entry ends at `end`, 0 < end <= count: what its words were. Returns where the
 * entry begins. */
static inline size_t history_range(const struct history *h, size_t end, uint32_t *first,
                                   uint32_t *count, const int64_t **were) {
  const uint64_t range = (uint64_t)h->log[end - 1];
  *first = (uint32_t)(range >> 32);
  *count = (uint32_t)range;
  *were = h->log + (end - 1 - *count);
  return end - 1 - *count;
}

#endif
