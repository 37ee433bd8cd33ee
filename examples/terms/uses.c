#include "uses.h"

#include <stdlib.h>
#include <string.h>

#include "answers.h"
#include "slices.h"

void uses_make(struct uses *u, struct knowledge *k) {
  memset(u, 0, sizeof *u);
  u->knowledge = k;
}

void uses_free(struct uses *u) {
  free(u->events);
  free(u->list);
  free(u->initial);
  free(u->sums);
}

uint64_t uses_bytes(const struct uses *u) {
  return u->event_room * sizeof *u->events + u->room * sizeof *u->list +
         u->initial_room * sizeof *u->initial + u->sum_room * sizeof *u->sums;
}

/* Makes room in a list of elements, with 0 in what is new. False: no memory. */
static bool make_room(struct uses *u, void *list, uint32_t *room, uint32_t wanted, size_t size) {
  void **items = list;
  if (wanted <= *room) return true;
  const uint32_t more = 2 * wanted + 64;
  char *larger = realloc(*items, more * size);
  u->failed |= larger == NULL;
  if (larger == NULL) return false;
  memset(larger + *room * size, 0, (more - *room) * size);
  *items = larger;
  *room = more;
  return true;
}

void uses_initially(struct uses *u) {
  const uint32_t inputs = u->knowledge->input_count;
  if (!make_room(u, &u->initial, &u->initial_room, inputs, sizeof *u->initial)) return;
  for (uint32_t i = u->first; i < u->count; i++)
    u->initial[u->list[i].input] += u->list[i].more;
  u->count = u->first;
}

void uses_add(struct uses *u, uint32_t input, int32_t more) {
  uint32_t i = u->first;
  while (i < u->count && u->list[i].input != input)
    i++;
  if (!make_room(u, &u->list, &u->room, i + 1, sizeof *u->list)) return;
  if (i == u->count) u->list[u->count++] = (struct use){input, 0};
  u->list[i].more += more;
}

void uses_add_term(struct uses *u, term a, int32_t more) {
  const uint32_t *inputs = a != TERM_NONE ? slices_inputs(u->knowledge, a) : NULL;
  u->failed |= a != TERM_NONE && inputs == NULL;
  for (uint32_t i = 1; inputs != NULL && i <= inputs[0]; i++)
    uses_add(u, inputs[i], more);
}

bool uses_keep(struct uses *u, unf_event event) {
  if (!make_room(u, &u->events, &u->event_room, event + 1, sizeof *u->events)) return false;
  struct event_uses *e = &u->events[event];
  const bool fresh = e->first == 0;
  if (fresh) {
    *e = (struct event_uses){u->first + 1, u->count - u->first};
    u->first = u->count;
  }
  u->count = u->first;
  return fresh;
}

static bool add_event(void *user, unf_event event) {
  struct uses *u = user;
  static const struct event_uses unknown;
  const struct event_uses *e = event < u->event_room ? &u->events[event] : &unknown;
  for (uint32_t i = 0; i < e->count; i++)
    u->sums[u->list[e->first - 1 + i].input] += u->list[e->first - 1 + i].more;
  return true;
}

bool uses_sum(struct uses *u, unf_event event) {
  const uint32_t inputs = u->knowledge->input_count;
  if (u->failed || !make_room(u, &u->sums, &u->sum_room, inputs, sizeof *u->sums)) return false;
  for (uint32_t i = 0; i < inputs; i++)
    u->sums[i] = i < u->initial_room ? u->initial[i] : 0;
  return event == UNF_EVENT_BOTTOM ||
         unf_event_history(u->knowledge->unfolding, event, add_event, u) == UNF_OK;
}
