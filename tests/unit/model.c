/* Definitions, computed by looking at everything. */
#include "model.h"

#include <string.h>

struct gathering {
  struct model *model;
  uint32_t event;
};

static bool gather(void *user, unf_event predecessor) {
  struct gathering *g = user;
  unite(&g->model->history[g->event], &g->model->history[predecessor]);
  return true;
}

/* [a] without [b] and [b] without [a] have two events that depend on each other. */
static bool in_conflict(const struct model *m, uint32_t a, uint32_t b) {
  for (uint32_t x = 1; x <= a; x++)
    for (uint32_t y = 1; has(&m->history[a], x) && !has(&m->history[b], x) && y <= b; y++)
      if (has(&m->history[b], y) && !has(&m->history[a], y) && has(&m->dependent[x], y))
        return true;
  return false;
}

static bool causes_conflict(const struct model *m, uint32_t a, uint32_t b) {
  for (uint32_t x = 1; x < a; x++)
    if (has(&m->history[a], x) && has(&m->conflict[b], x)) return true;
  return false;
}

bool model_make(struct model *m, unf_unfolding *u) {
  memset(m, 0, sizeof *m);
  m->u = u;
  m->count = unf_unfolding_events(u) + 1;
  if (m->count > MODEL_EVENTS) return false;
  put(&m->history[0], 0);
  for (uint32_t e = 1; e < m->count; e++) {
    struct gathering g = {m, e};
    put(&m->history[e], e);
    if (unf_event_action(u, e, &m->action[e]) != UNF_OK ||
        unf_event_predecessors(u, e, gather, &g) != UNF_OK)
      return false;
  }
  for (uint32_t a = 1; a < m->count; a++)
    for (uint32_t b = 1; b < m->count; b++) {
      bool dependent;
      if (unf_actions_dependent(u, &m->action[a], &m->action[b], &dependent) != UNF_OK)
        return false;
      if (dependent) put(&m->dependent[a], b);
    }
  for (uint32_t a = 1; a < m->count; a++)
    for (uint32_t b = 1; b < a; b++)
      if (in_conflict(m, a, b)) {
        put(&m->conflict[a], b);
        put(&m->conflict[b], a);
      }
  for (uint32_t a = 1; a < m->count; a++)
    for (uint32_t b = 1; b < m->count; b++)
      if (has(&m->conflict[a], b) && !causes_conflict(m, a, b) && !causes_conflict(m, b, a))
        put(&m->immediate[a], b);
  return true;
}

bool model_conflict(const struct model *m, const set *a, const set *b) {
  for (uint32_t e = 1; e < m->count; e++)
    if (has(a, e) && meets(&m->conflict[e], b)) return true;
  return false;
}
