#include "uses.h"

#include <stdlib.h>
#include <string.h>

#include "answers.h"
#include "slices.h"

void uses_make(struct uses *u, struct knowledge *k, const uint32_t *inputs) {
  memset(u, 0, sizeof *u);
  u->knowledge = k;
  u->inputs = inputs;
}

void uses_free(struct uses *u) {
  free(u->events);
  free(u->list);
  free(u->initial);
  for (uint32_t i = 0; i < u->behind_room; i++)
    free(u->behind[i].sums);
  free(u->behind);
  free(u->marks);
  free(u->stack);
}

uint64_t uses_bytes(const struct uses *u) {
  uint64_t bytes = u->event_room * sizeof *u->events + u->room * sizeof *u->list +
                   u->initial_room * sizeof *u->initial + u->behind_room * sizeof *u->behind +
                   u->mark_room * sizeof *u->marks + u->stack_room * sizeof *u->stack;
  for (uint32_t i = 0; i < u->behind_room; i++)
    bytes += u->behind[i].room * sizeof *u->behind[i].sums;
  return bytes;
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
  const uint32_t inputs = *u->inputs;
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

/* ---- sums ---- */

static void add_event(const struct uses *u, struct event_sums *to, unf_event event, int sign) {
  static const struct event_uses unknown;
  const struct event_uses *e = event < u->event_room ? &u->events[event] : &unknown;
  for (uint32_t i = 0; i < e->count; i++) {
    const struct use *use = &u->list[e->first - 1 + i];
    to->sums[use->input] += sign * (int64_t)use->more;
  }
}

/* What becomes known of an event belongs to the sums that have it. */
static void tell_sums(struct uses *u, unf_event event) {
  const uint32_t inputs = *u->inputs;
  for (uint32_t i = 0; i < u->behind_room; i++) {
    struct event_sums *s = &u->behind[i];
    bool precedes = false;
    if (!s->begun || unf_event_precedes(u->knowledge->unfolding, event, s->event, &precedes) != 0)
      continue;
    if (precedes && make_room(u, &s->sums, &s->room, inputs, sizeof *s->sums))
      add_event(u, s, event, 1);
  }
}

bool uses_keep(struct uses *u, unf_event event) {
  if (!make_room(u, &u->events, &u->event_room, event + 1, sizeof *u->events)) return false;
  struct event_uses *e = &u->events[event];
  const bool fresh = e->first == 0;
  if (fresh) {
    *e = (struct event_uses){u->first + 1, u->count - u->first};
    u->first = u->count;
    if (e->count > 0) tell_sums(u, event);
  }
  u->count = u->first;
  return fresh;
}

static bool push(void *user, unf_event event) {
  struct uses *u = user;
  if (!make_room(u, &u->stack, &u->stack_room, u->stack_count + 1, sizeof *u->stack)) return false;
  u->stack[u->stack_count++] = event;
  return true;
}

/* Adds or takes away what an event and its causes have that another one has not. */
static bool add_between(struct uses *u, struct event_sums *to, unf_event event, unf_event other,
                        int sign) {
  const unf_unfolding *unfolding = u->knowledge->unfolding;
  u->stack_count = 0;
  u->mark++;
  bool good = push(u, event);
  while (good && u->stack_count > 0) {
    const unf_event at = u->stack[--u->stack_count];
    bool is_in = false;
    good = unf_event_precedes(unfolding, at, other, &is_in) == UNF_OK &&
           make_room(u, &u->marks, &u->mark_room, at + 1, sizeof *u->marks);
    if (!good || is_in || u->marks[at] == u->mark) continue;
    u->marks[at] = u->mark;
    add_event(u, to, at, sign);
    good = unf_event_predecessors(unfolding, at, push, u) == UNF_OK && !u->failed;
  }
  return good;
}

/* Where the sums of a thread's events are kept; NULL: no memory. */
static struct event_sums *sums_of(struct uses *u, unf_event event) {
  unf_action action = {.thread = 0};
  uint32_t number = 0; /* of the beginning */
  if (event != UNF_EVENT_BOTTOM) {
    if (unf_event_action(u->knowledge->unfolding, event, &action) != UNF_OK) return NULL;
    number = action.thread + 1;
  }
  if (!make_room(u, &u->behind, &u->behind_room, number + 1, sizeof *u->behind)) return NULL;
  return &u->behind[number];
}

bool uses_sum(struct uses *u, unf_event event) {
  const uint32_t inputs = *u->inputs;
  struct event_sums *s = u->failed ? NULL : sums_of(u, event);
  if (s == NULL || !make_room(u, &s->sums, &s->room, inputs, sizeof *s->sums)) return false;
  u->sums = s->sums;
  if (!s->begun || event == UNF_EVENT_BOTTOM) {
    for (uint32_t i = 0; i < inputs; i++)
      s->sums[i] = i < u->initial_room ? u->initial[i] : 0;
    s->event = UNF_EVENT_BOTTOM;
  }
  const unf_event before = s->event;
  s->event = event;
  s->begun = add_between(u, s, before, event, -1) && add_between(u, s, event, before, 1);
  return s->begun;
}
