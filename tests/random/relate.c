/*
 * Events and relations against the oracle: every event of the unfolding is performed after its
 * history and interned from its maximal causes, which must give one handle; then causality,
 * conflict, immediate conflict, concurrency and dependence on the pairs.
 */
#include "compare.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define ALL_PAIRS_EVENTS 160u
#define SAMPLED_PAIRS    20000u

typedef struct gathered {
  const bridge *bridge;
  uint32_t *events;
  uint32_t count, capacity;
  bool good;
} gathered;

/* Gathers the oracle's numbers of the events visited, ⊥ left out. */
static bool gather(void *user, unf_event handle) {
  gathered *g = user;
  if (handle == UNF_EVENT_BOTTOM) return true;
  uint32_t e = bridge_event(g->bridge, handle);
  g->good = g->good && e != ORACLE_NONE && g->count < g->capacity;
  if (g->good) g->events[g->count++] = e;
  return g->good;
}

int relate_by_number(const void *a, const void *b) {
  uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  return x < y ? -1 : x > y;
}

/* Whether the events gathered are those of an ascending list, each once. */
static bool gathered_is(gathered *g, const uint32_t *list, uint32_t count) {
  if (!g->good || g->count != count) return false;
  qsort(g->events, g->count, sizeof *g->events, relate_by_number);
  return count == 0 || memcmp(g->events, list, count * sizeof *list) == 0;
}

static bool check_event(bridge *b, uint32_t number, uint32_t *room, report *r) {
  const event *e = &b->lattice->events[number];
  unf_event handle = b->handle_of[number];
  unf_action seen, expected = bridge_action(b, &e->action);
  unf_status s = unf_event_action(b->unfolding, handle, &seen);
  if (s != UNF_OK) return bridge_fail(b, r, "unf_event_action", s);
  if (seen.kind != expected.kind || seen.thread != expected.thread ||
      seen.target != expected.target || seen.second != expected.second ||
      seen.value != expected.value) {
    return report_fail(r, "the action of event %" PRIu32 " is another", number);
  }
  gathered g = {b, room, 0, (uint32_t)b->lattice->event_count, true};
  s = unf_event_predecessors(b->unfolding, handle, gather, &g);
  if (s != UNF_OK) return bridge_fail(b, r, "unf_event_predecessors", s);
  if (!gathered_is(&g, e->maximal, e->maximal_count)) {
    return report_fail(r, "the predecessors of event %" PRIu32 " are not its maximal causes",
                       number);
  }
  g.count = 0;
  s = unf_event_history(b->unfolding, handle, gather, &g);
  if (s != UNF_OK) return bridge_fail(b, r, "unf_event_history", s);
  if (g.count == 0 || g.events[g.count - 1] != number) {
    return report_fail(r, "the history of event %" PRIu32 " does not end with it", number);
  }
  g.count--;
  if (!gathered_is(&g, e->causes, e->cause_count)) {
    return report_fail(r, "the history of event %" PRIu32 " is not its causes and itself", number);
  }
  return true;
}

static bool intern_from_causes(bridge *b, uint32_t number, random_source *random, unf_event *handle,
                               report *r) {
  const event *e = &b->lattice->events[number];
  unf_action a = bridge_action(b, &e->action);
  bool all = random_chance(random, 30);
  uint32_t count = all ? e->cause_count : e->maximal_count;
  unf_event *causes = oracle_allocate(count * sizeof *causes);
  for (uint32_t i = 0; i < count; i++) {
    causes[count - 1 - i] = b->handle_of[all ? e->causes[i] : e->maximal[i]];
  }
  unf_status s = unf_event_intern(b->unfolding, &a, causes, count, handle);
  free(causes);
  return s == UNF_OK || bridge_fail(b, r, "unf_event_intern", s);
}

/* Brings the configuration to the history of an event, so that every operation on the
 * way is known. */
static bool build_history(bridge *b, unf_configuration *c, uint32_t number, random_source *random,
                          report *r) {
  const event *e = &b->lattice->events[number];
  uint32_t before = lattice_find(b->lattice, e->causes, e->cause_count);
  if (before == ORACLE_NONE) return report_fail(r, "the oracle has no history of an event");
  return relate_build(b, c, before, random, r);
}

static bool perform(bridge *b, unf_configuration *c, uint32_t number, unf_event *handle,
                    report *r) {
  unf_action a = bridge_action(b, &b->lattice->events[number].action);
  unf_status s = unf_configuration_perform(c, &a, handle);
  return s == UNF_OK || bridge_fail(b, r, "unf_configuration_perform", s);
}

/* Causes have smaller numbers, so their handles are known when an event comes. */
static bool check_events(bridge *b, unf_configuration *c, random_source *random, report *r) {
  uint32_t *room = oracle_allocate(b->lattice->event_count * sizeof *room);
  bool good = true;
  for (uint32_t i = 0; i < b->lattice->event_count && good; i++) {
    unf_event first = 0, second = 0;
    bool interned = random_chance(random, 50);
    good = build_history(b, c, i, random, r);
    if (good && interned) good = intern_from_causes(b, i, random, &first, r);
    good = good && perform(b, c, i, &second, r);
    if (good && !interned) good = intern_from_causes(b, i, random, &first, r);
    if (good && (first != second || !bridge_match(b, i, first))) {
      char text[160];
      lattice_event_text(b->lattice, i, text, sizeof text);
      good =
          report_fail(r, "event %s has the handles %" PRIu32 " and %" PRIu32, text, first, second);
    }
    good = good && check_event(b, i, room, r);
  }
  if (good && unf_unfolding_events(b->unfolding) != b->lattice->event_count) {
    good = report_fail(r, "the unfolding holds %" PRIu32 " events, expected %zu",
                       unf_unfolding_events(b->unfolding), b->lattice->event_count);
  }
  free(room);
  return good;
}

static bool differs(const bridge *b, report *r, const char *relation, uint32_t x, uint32_t y,
                    bool seen) {
  char first[160], second[160];
  lattice_event_text(b->lattice, x, first, sizeof first);
  lattice_event_text(b->lattice, y, second, sizeof second);
  return report_fail(r, "%s of %s and %s is said to be %s", relation, first, second,
                     seen ? "true" : "false");
}

static bool check_pair(bridge *b, const relations *o, uint32_t x, uint32_t y, report *r) {
  unf_event h = b->handle_of[x], i = b->handle_of[y];
  unf_unfolding *u = b->unfolding;
  bool seen, conflict = relations_conflict(o, x, y);
  bool below = relations_precedes(o, x, y), above = relations_precedes(o, y, x);
  unf_status s = unf_event_precedes(u, h, i, &seen);
  if (s != UNF_OK) return bridge_fail(b, r, "unf_event_precedes", s);
  if (seen != below) return differs(b, r, "causality", x, y, seen);
  s = unf_event_conflicts(u, h, i, &seen);
  if (s != UNF_OK) return bridge_fail(b, r, "unf_event_conflicts", s);
  if (seen != conflict) return differs(b, r, "conflict", x, y, seen);
  s = unf_event_conflicts_immediately(u, h, i, &seen);
  if (s != UNF_OK) return bridge_fail(b, r, "unf_event_conflicts_immediately", s);
  if (seen != relations_conflict_immediately(b->lattice, o, x, y)) {
    return differs(b, r, "immediate conflict", x, y, seen);
  }
  s = unf_event_concurrent(u, h, i, &seen);
  if (s != UNF_OK) return bridge_fail(b, r, "unf_event_concurrent", s);
  if (seen != (!conflict && !below && !above)) return differs(b, r, "concurrency", x, y, seen);
  const action *first = &b->lattice->events[x].action, *second = &b->lattice->events[y].action;
  unf_action a = bridge_action(b, first), c = bridge_action(b, second);
  s = unf_actions_dependent(u, &a, &c, &seen);
  if (s != UNF_OK) return bridge_fail(b, r, "unf_actions_dependent", s);
  return seen == actions_dependent(first, second) || differs(b, r, "dependence", x, y, seen);
}

static bool check_pairs(bridge *b, const relations *o, random_source *random, report *r) {
  uint32_t n = (uint32_t)b->lattice->event_count;
  if (n > ALL_PAIRS_EVENTS) {
    for (uint32_t i = 0; i < SAMPLED_PAIRS; i++) {
      if (!check_pair(b, o, random_below(random, n), random_below(random, n), r)) return false;
    }
    return true;
  }
  for (uint32_t x = 0; x < n; x++) {
    for (uint32_t y = 0; y < n; y++) {
      if (!check_pair(b, o, x, y, r)) return false;
    }
  }
  return true;
}

bool relate_compare(bridge *b, const relations *o, uint32_t configurations, random_source *random,
                    report *r) {
  unf_configuration *c = NULL;
  unf_status s = unf_configuration_new(b->unfolding, &c);
  if (s != UNF_OK) return bridge_fail(b, r, "unf_configuration_new", s);
  bool good = check_events(b, c, random, r) && check_pairs(b, o, random, r);
  unf_configuration_free(c);
  good = good && relate_configurations(b, o, configurations, random, r);
  if (good && b->lattice->event_count <= ALL_PAIRS_EVENTS && random_chance(random, 20)) {
    s = unf_check_unfolding(b->unfolding);
    good = s == UNF_OK || bridge_fail(b, r, "unf_check_unfolding", s);
  }
  return good;
}
