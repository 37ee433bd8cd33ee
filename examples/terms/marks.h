/* Marks of what has numbers, which all go at once. */
#ifndef TERMS_MARKS_H
#define TERMS_MARKS_H

#include <string.h>

#include "room.h"

struct marks {
  uint32_t *rounds; /* by number: the last round in which it was marked */
  uint32_t room, round;
};

/* Nothing is marked from here on, and there is room for numbers below `count`. False: no memory,
 * and all is as it was. */
static inline bool marks_clear(struct marks *m, uint32_t count) {
  if (m->room < count || m->round == UINT32_MAX) {
    if (!room_for((void **)&m->rounds, &m->room, count, sizeof *m->rounds)) return false;
    memset(m->rounds, 0, m->room * sizeof *m->rounds);
    m->round = 0;
  }
  m->round++;
  return true;
}

static inline bool marks_has(const struct marks *m, uint32_t number) {
  return m->rounds[number] == m->round;
}

static inline void marks_put(struct marks *m, uint32_t number) {
  m->rounds[number] = m->round;
}

#endif
