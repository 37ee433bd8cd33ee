/*
 * The clock of an event e has the last event of each thread in [e]. A cause of e is found on the
 * way back from there, at its position. Jumps make that way logarithmic: each event has one, as far
 * as the two jumps before it when these are as far as each other, else to the event before it
 * (Myers, "An applicative random-access stack", 1983).
 *
 * Events that come directly after the same event of a mutex, or first of it, are siblings: one
 * excludes the other. Two events are in conflict exactly when their histories differ at a position
 * of a thread that both have, or when one has an event that the other does not have, and the other
 * a sibling of that.
 */
#include "reference.h"

#include <stdlib.h>
#include <string.h>

struct event {
  unf_action action;
  uint32_t number;
  uint32_t position; /* on its thread, from 1 on */
  /* The event before it on its thread, or the create; and the one before it on its mutex, or the
   * last one of the thread that it joins. */
  uint32_t causes[2];
  uint32_t jump;        /* an event before it on its thread, itself for the first one */
  uint32_t successor;   /* the first of the siblings that come after it on its mutex */
  uint32_t sibling;     /* the next one of its own siblings */
  struct event *bucket; /* the next one of the same bucket */
  uint32_t clock[];
};

struct reference {
  uint32_t threads, mutexes;
  uint32_t count, room;
  struct event **events; /* by number */
  uint32_t buckets;      /* a power of two */
  struct event **table;
  uint32_t *last;  /* of each thread, or its create, and then of each mutex */
  uint32_t *first; /* for each mutex: the first of those that come before all others */
};

struct reference *reference_new(uint32_t threads, uint32_t mutexes) {
  struct reference *r = calloc(1, sizeof *r);
  if (r == NULL) return NULL;
  *r = (struct reference){.threads = threads, .mutexes = mutexes, .room = 1024, .buckets = 1024};
  r->events = malloc(r->room * sizeof(struct event *));
  r->table = calloc(r->buckets, sizeof(struct event *));
  r->last = calloc(threads + mutexes, sizeof *r->last);
  r->first = calloc(mutexes, sizeof *r->first);
  if (r->events != NULL && r->table != NULL && r->last != NULL && r->first != NULL) return r;
  reference_free(r);
  return NULL;
}

void reference_free(struct reference *r) {
  if (r == NULL) return;
  for (uint32_t e = 1; e <= r->count; e++)
    free(r->events[e]);
  free(r->events);
  free(r->table);
  free(r->last);
  free(r->first);
  free(r);
}

void reference_clear(struct reference *r) {
  memset(r->last, 0, (r->threads + r->mutexes) * sizeof *r->last);
}

uint32_t reference_events(const struct reference *r) {
  return r->count;
}

static uint32_t hash(const unf_action *action, const uint32_t causes[2]) {
  uint64_t h = (uint64_t)action->kind << 32 | action->thread;
  h = (h ^ ((uint64_t)action->target << 32 | causes[0])) * 0x9E3779B97F4A7C15u;
  h = (h ^ (h >> 32) ^ causes[1]) * 0xBF58476D1CE4E5B9u;
  return (uint32_t)(h >> 32);
}

static bool same(const unf_action *a, const unf_action *b) {
  return a->kind == b->kind && a->thread == b->thread && a->target == b->target &&
         a->second == b->second && a->value == b->value;
}

/* Room for one more event, and a table of at most one event for each bucket on average. */
static bool grow(struct reference *r) {
  if (r->count + 1 == r->room) {
    struct event **events = realloc(r->events, 2 * r->room * sizeof(struct event *));
    if (events == NULL) return false;
    r->events = events;
    r->room *= 2;
  }
  if (r->count < r->buckets) return true;
  struct event **table = calloc(2 * r->buckets, sizeof(struct event *));
  if (table == NULL) return false;
  free(r->table);
  r->table = table;
  r->buckets *= 2;
  for (uint32_t e = 1; e <= r->count; e++) {
    struct event *event = r->events[e];
    struct event **bucket = &table[hash(&event->action, event->causes) & (r->buckets - 1)];
    event->bucket = *bucket;
    *bucket = event;
  }
  return true;
}

static bool at_mutex(const unf_action *action) {
  return action->kind == UNF_DID_ACQUIRE || action->kind == UNF_DID_RELEASE;
}

/* Of two events of a thread that one configuration has, the later one has the greater number. */
static void merge(const struct reference *r, struct event *event, uint32_t cause) {
  if (cause == 0) return;
  const struct event *from = r->events[cause];
  for (uint32_t t = 0; t < r->threads; t++)
    if (from->clock[t] > event->clock[t]) event->clock[t] = from->clock[t];
}

static uint32_t jump_from(const struct reference *r, uint32_t before) {
  const struct event *event = r->events[before], *once = r->events[event->jump];
  const struct event *twice = r->events[once->jump];
  bool equal = event->position - once->position == once->position - twice->position;
  return equal ? twice->number : before;
}

/* The event at a position of the thread of an event that is not before it. */
static uint32_t back(const struct reference *r, uint32_t at, uint32_t position) {
  const struct event *event = r->events[at];
  while (event->position > position) {
    const struct event *jump = r->events[event->jump];
    event = jump->position >= position ? jump : r->events[event->causes[0]];
  }
  return event->number;
}

static struct event *add(struct reference *r, const unf_action *action, const uint32_t causes[2],
                         uint32_t bucket) {
  struct event *event = calloc(1, sizeof *event + r->threads * sizeof event->clock[0]);
  if (event == NULL) return NULL;
  event->action = *action;
  event->number = ++r->count;
  event->causes[0] = causes[0];
  event->causes[1] = causes[1];
  r->events[event->number] = event;
  event->bucket = r->table[bucket];
  r->table[bucket] = event;
  merge(r, event, causes[0]);
  merge(r, event, causes[1]);
  uint32_t before = event->clock[action->thread];
  event->position = before == 0 ? 1 : r->events[before]->position + 1;
  event->jump = before == 0 ? event->number : jump_from(r, before);
  event->clock[action->thread] = event->number;
  if (at_mutex(action)) {
    uint32_t *siblings =
        causes[1] == 0 ? &r->first[action->target] : &r->events[causes[1]]->successor;
    event->sibling = *siblings;
    *siblings = event->number;
  }
  return event;
}

uint32_t reference_perform(struct reference *r, const unf_action *action) {
  uint32_t *mutex = &r->last[r->threads + (at_mutex(action) ? action->target : 0)];
  uint32_t causes[2] = {r->last[action->thread], 0};
  if (at_mutex(action)) causes[1] = *mutex;
  if (action->kind == UNF_DID_JOIN) causes[1] = r->last[action->target];
  if (!grow(r)) return 0;
  uint32_t bucket = hash(action, causes) & (r->buckets - 1);
  struct event *event = r->table[bucket];
  while (event != NULL && !(event->causes[0] == causes[0] && event->causes[1] == causes[1] &&
                            same(&event->action, action)))
    event = event->bucket;
  if (event == NULL) event = add(r, action, causes, bucket);
  if (event == NULL) return 0;
  r->last[action->thread] = event->number;
  if (at_mutex(action)) *mutex = event->number;
  if (action->kind == UNF_DID_CREATE) r->last[action->target] = event->number;
  return event->number;
}

bool reference_precedes(const struct reference *r, uint32_t a, uint32_t b) {
  const struct event *first = r->events[a];
  uint32_t last = r->events[b]->clock[first->action.thread];
  if (last == 0 || r->events[last]->position < first->position) return false;
  return back(r, last, first->position) == a;
}

/* Whether an event of a mutex has a sibling that is b or a cause of b. */
static bool excluded(const struct reference *r, const struct event *event, uint32_t b) {
  if (!at_mutex(&event->action)) return false;
  uint32_t before = event->causes[1];
  uint32_t sibling = before == 0 ? r->first[event->action.target] : r->events[before]->successor;
  for (; sibling != 0; sibling = r->events[sibling]->sibling)
    if (sibling != event->number && reference_precedes(r, sibling, b)) return true;
  return false;
}

bool reference_conflicts(const struct reference *r, uint32_t a, uint32_t b) {
  for (uint32_t t = 0; t < r->threads; t++) {
    uint32_t x = r->events[a]->clock[t], y = r->events[b]->clock[t];
    uint32_t reached = y == 0 ? 0 : r->events[y]->position;
    uint32_t position = x == 0 ? 0 : r->events[x]->position;
    for (; position > reached; position--) {
      if (excluded(r, r->events[x], b)) return true;
      x = r->events[x]->causes[0];
    }
    if (position > 0 && x != back(r, y, position)) return true;
  }
  return false;
}
