/*
 * Configurations against the lattice: en(C) and cex(C), membership, extension, conflict with an
 * event, last events and owners; and alternatives, which for U = all events have a definition of
 * their own: an alternative to D after C exists exactly if some maximal configuration above C has,
 * for each event of D, one in conflict with it.
 */
#include "compare.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define MEMBERS_MAX 64u

typedef struct shelf {
  bridge *bridge;
  const lattice *lattice;
  const relations *relations;
  random_source *random;
  report *report;
  unf_configuration *configuration;
  uint32_t number;      /* of the current configuration */
  uint32_t *extensions; /* ex of it */
  bool *enabled;
  uint32_t extension_count;
  unsigned char *seen; /* of each event: visited */
  bool want_enabled, want_conflicting;
  uint32_t visited;
  bool good;
} shelf;

static bool inside(const shelf *s, uint32_t e) {
  const configuration *c = &s->lattice->configurations[s->number];
  for (uint32_t i = 0; i < c->count; i++) {
    if (c->events[i] == e) return true;
  }
  return false;
}

static bool offer(bridge *b, unf_configuration *c, uint32_t configuration_number, uint32_t thread,
                  report *r) {
  operation o = lattice_next(b->lattice, configuration_number, thread);
  if (o.kind == OPERATION_WAITING) return true;
  unf_operation op = bridge_operation(b, &o);
  unf_status s = unf_configuration_offer(c, b->threads[thread], &op);
  return s == UNF_OK || bridge_fail(b, r, "unf_configuration_offer", s);
}

bool relate_build(bridge *b, unf_configuration *c, uint32_t configuration_number,
                  random_source *random, report *r) {
  const lattice *l = b->lattice;
  const configuration *goal = &l->configurations[configuration_number];
  uint32_t at = 0;
  unf_configuration_clear(c);
  for (uint32_t t = 0; t < b->program->thread_count; t++) {
    if (!offer(b, c, 0, t, r)) return false;
  }
  for (uint32_t steps = 0; steps < goal->count; steps++) {
    const configuration *from = &l->configurations[at];
    const edge *chosen = NULL;
    unsigned found = 0;
    for (uint32_t i = 0; i < from->edge_count; i++) {
      const edge *e = &l->edges[from->first_edge + i];
      bool wanted =
          bsearch(&e->event, goal->events, goal->count, sizeof e->event, relate_by_number);
      if (wanted && random_below(random, ++found) == 0) chosen = e;
    }
    if (chosen == NULL) return report_fail(r, "the oracle's lattice has a gap");
    const action *a = &l->events[chosen->event].action;
    unf_action own = bridge_action(b, a);
    unf_event handle;
    unf_status s = unf_configuration_perform(c, &own, &handle);
    if (s != UNF_OK) return bridge_fail(b, r, "unf_configuration_perform", s);
    if (!bridge_match(b, chosen->event, handle)) {
      return report_fail(r, "another handle for event %" PRIu32 " than before", chosen->event);
    }
    at = chosen->to;
    if (!offer(b, c, at, a->thread, r)) return false;
    if (a->kind == ACTION_SPAWN && !offer(b, c, at, a->target, r)) return false;
  }
  return true;
}

/* ---- extensions ---- */

static bool visit_extension(void *user, unf_event handle) {
  shelf *s = user;
  uint32_t e = bridge_event(s->bridge, handle);
  uint32_t i = 0;
  char text[160];
  while (i < s->extension_count && s->extensions[i] != e) {
    i++;
  }
  if (e != ORACLE_NONE) lattice_event_text(s->lattice, e, text, sizeof text);
  if (e == ORACLE_NONE) {
    bridge_text(s->bridge, handle, text, sizeof text);
    s->good = report_fail(s->report, "an extension that is no event: %s", text);
  } else if (s->seen[e] != 0) {
    s->good = report_fail(s->report, "extension %s is given twice", text);
  } else if (i == s->extension_count) {
    s->good = report_fail(s->report, "%s is no extension", text);
  } else if (s->enabled[i] ? !s->want_enabled : !s->want_conflicting) {
    s->good = report_fail(s->report, "%s is on the wrong side of en and cex", text);
  }
  if (e != ORACLE_NONE) s->seen[e] = 1;
  s->visited++;
  return s->good;
}

static bool check_extensions(shelf *s, bool want_enabled, bool want_conflicting) {
  unf_configuration *c = s->configuration;
  s->want_enabled = want_enabled;
  s->want_conflicting = want_conflicting;
  s->visited = 0;
  memset(s->seen, 0, s->lattice->event_count);
  unf_status status = want_enabled && want_conflicting ? unf_extensions_all(c, visit_extension, s)
                      : want_enabled ? unf_extensions_enabled(c, visit_extension, s)
                                     : unf_extensions_conflicting(c, visit_extension, s);
  if (status != UNF_OK) return bridge_fail(s->bridge, s->report, "unf_extensions", status);
  if (!s->good) return false;
  for (uint32_t i = 0; i < s->extension_count; i++) {
    bool wanted = s->enabled[i] ? want_enabled : want_conflicting;
    if (!wanted || s->seen[s->extensions[i]] != 0) continue;
    char text[160];
    lattice_event_text(s->lattice, s->extensions[i], text, sizeof text);
    return report_fail(s->report, "extension %s of configuration %" PRIu32 " is missing from %s",
                       text, s->number, s->enabled[i] ? "en" : "cex");
  }
  return true;
}

/* ---- a configuration and an event ---- */

static bool check_member(shelf *s, uint32_t e) {
  const configuration *c = &s->lattice->configurations[s->number];
  const relations *o = s->relations;
  bool contained = inside(s, e), conflict = false, immediate = false, concurrent = true;
  bool extends = false, seen[5] = {false};
  for (uint32_t i = 0; i < c->count; i++) {
    uint32_t f = c->events[i];
    bool clash = relations_conflict(o, e, f);
    conflict = conflict || clash;
    immediate = immediate || (clash && relations_conflict_immediately(s->lattice, o, e, f));
    concurrent =
        concurrent && !clash && !relations_precedes(o, e, f) && !relations_precedes(o, f, e);
  }
  for (uint32_t i = 0; i < s->extension_count; i++) {
    extends = extends || s->extensions[i] == e;
  }
  const bool expected[5] = {contained, extends, conflict, immediate, concurrent};
  static const char *const names[5] = {"membership", "extension", "conflict", "immediate conflict",
                                       "concurrency"};
  const unf_configuration *k = s->configuration;
  unf_event h = s->bridge->handle_of[e];
  unf_status status = unf_configuration_contains(k, h, &seen[0]);
  if (status == UNF_OK) status = unf_configuration_extends(k, h, &seen[1]);
  if (status == UNF_OK) status = unf_configuration_conflicts(k, h, &seen[2]);
  if (status == UNF_OK) status = unf_configuration_conflicts_immediately(k, h, &seen[3]);
  if (status == UNF_OK) status = unf_configuration_concurrent(k, h, &seen[4]);
  if (status != UNF_OK) return bridge_fail(s->bridge, s->report, "a configuration query", status);
  for (int i = 0; i < 5; i++) {
    if (seen[i] == expected[i]) continue;
    char text[160];
    lattice_event_text(s->lattice, e, text, sizeof text);
    return report_fail(s->report, "%s of %s at configuration %" PRIu32 " is said to be %d",
                       names[i], text, s->number, seen[i]);
  }
  return true;
}

static bool check_members(shelf *s) {
  uint32_t n = (uint32_t)s->lattice->event_count;
  for (uint32_t i = 0; i < n && i < MEMBERS_MAX; i++) {
    if (!check_member(s, n <= MEMBERS_MAX ? i : random_below(s->random, n))) return false;
  }
  return true;
}

/* The values of atomic variables, found by performing the configuration once more. */
static bool check_values(shelf *s) {
  bridge *b = s->bridge;
  const configuration *c = &s->lattice->configurations[s->number];
  uint32_t cells = b->program->counts[SYMBOL_ATOMIC];
  if (cells == 0) return true;
  machine m;
  machine_init(&m, b->program);
  int64_t *state = oracle_allocate(m.words * sizeof *state);
  bool good = machine_start(&m, state);
  for (uint32_t i = 0; i < c->count && good; i++) {
    good = machine_perform(&m, state, &s->lattice->events[c->events[i]].action);
  }
  for (uint32_t x = 0; x < cells && good; x++) {
    int64_t seen, expected = memory_value(&m, state, x);
    unf_object location = bridge_object(b, SYMBOL_ATOMIC, x, 0);
    unf_status status = unf_configuration_value(s->configuration, location, &seen);
    good = status == UNF_OK || bridge_fail(b, s->report, "unf_configuration_value", status);
    if (good && seen != expected) {
      good = report_fail(s->report, "another value of atomic %" PRIu32, x);
    }
  }
  free(state);
  return good;
}

/* Last event and next operation of each thread, owner of each mutex, size. */
static bool check_cut(shelf *s) {
  bridge *b = s->bridge;
  const configuration *c = &s->lattice->configurations[s->number];
  for (uint32_t t = 0; t < b->program->thread_count; t++) {
    unf_event expected = b->program->threads[t].initial ? UNF_EVENT_BOTTOM : UNF_EVENT_NONE, last;
    for (uint32_t i = 0; i < c->count; i++) {
      const action *a = &s->lattice->events[c->events[i]].action;
      bool starts = a->kind == ACTION_SPAWN && a->target == t;
      if (a->thread == t || starts) expected = b->handle_of[c->events[i]];
    }
    unf_status status = unf_configuration_last(s->configuration, b->threads[t], &last);
    if (status != UNF_OK) return bridge_fail(b, s->report, "unf_configuration_last", status);
    if (last != expected) return report_fail(s->report, "another last event of thread %" PRIu32, t);
    operation o = lattice_next(s->lattice, s->number, t);
    unf_operation next, own = bridge_operation(b, &o);
    status = unf_configuration_next(s->configuration, b->threads[t], &next);
    if (o.kind == OPERATION_WAITING
            ? status != UNF_STATE
            : status != UNF_OK || next.kind != own.kind || next.target != own.target ||
                  next.second != own.second || next.low != own.low || next.high != own.high) {
      return report_fail(s->report, "another next operation of thread %" PRIu32, t);
    }
  }
  for (uint32_t m = 0; m < b->program->counts[SYMBOL_MUTEX]; m++) {
    unf_thread owner, expected = UNF_THREAD_NONE;
    for (uint32_t i = 0; i < c->count; i++) {
      const action *a = &s->lattice->events[c->events[i]].action;
      bool waits = a->kind == ACTION_WAIT || a->kind == ACTION_WAKE;
      bool locks = a->kind == ACTION_ACQUIRE || a->kind == ACTION_RELEASE;
      if ((!waits || a->second != m) && (!locks || a->target != m)) continue;
      bool takes = a->kind == ACTION_ACQUIRE || a->kind == ACTION_WAKE;
      expected = takes ? b->threads[a->thread] : UNF_THREAD_NONE;
    }
    unf_status status =
        unf_configuration_owner(s->configuration, bridge_object(b, SYMBOL_MUTEX, m, 0), &owner);
    if (status != UNF_OK) return bridge_fail(b, s->report, "unf_configuration_owner", status);
    if (owner != expected) return report_fail(s->report, "another owner of mutex %" PRIu32, m);
  }
  if (!check_values(s)) return false;
  return unf_configuration_size(s->configuration) == c->count ||
         report_fail(s->report, "another size of configuration %" PRIu32, s->number);
}

/* ---- alternatives ---- */

/* Whether all events of a configuration are in another. */
static bool below(const configuration *a, const configuration *b) {
  uint32_t i = 0;
  for (uint32_t j = 0; j < b->count && i < a->count; j++) {
    if (a->events[i] == b->events[j]) i++;
  }
  return i == a->count;
}

static bool contradicts(const shelf *s, const configuration *c, uint32_t d) {
  for (uint32_t i = 0; i < c->count; i++) {
    if (relations_conflict(s->relations, c->events[i], d)) return true;
  }
  return false;
}

static bool alternative_exists(const shelf *s, const uint32_t *D, uint32_t count) {
  const configuration *c = &s->lattice->configurations[s->number];
  for (size_t i = 0; i < s->lattice->configuration_count; i++) {
    const configuration *m = &s->lattice->configurations[i];
    if (!m->maximal || !below(c, m)) continue;
    uint32_t good = 0;
    while (good < count && contradicts(s, m, D[good])) {
      good++;
    }
    if (good == count) return true;
  }
  return false;
}

typedef struct answer {
  uint32_t k;
  bool singleton, found;
} answer;

/* J after C: no conflict with C, and enough of D contradicted. */
static bool check_answer(shelf *s, unf_configuration *J, const uint32_t *D, uint32_t count,
                         const answer *a) {
  unf_configuration *both = NULL;
  uint32_t contradicted = 0;
  unf_status status = unf_configuration_new(s->bridge->unfolding, &both);
  if (status == UNF_OK) status = unf_configuration_assign(both, s->configuration);
  if (status == UNF_OK) status = unf_configuration_unite(both, J);
  for (uint32_t i = 0; i < count && status == UNF_OK; i++) {
    bool clash = false, contained = false;
    status = unf_configuration_conflicts(both, s->bridge->handle_of[D[i]], &clash);
    if (clash && (!a->singleton || i == count - 1)) contradicted++;
    if (status == UNF_OK) {
      status = unf_configuration_contains(both, s->bridge->handle_of[D[i]], &contained);
    }
    if (contained) report_fail(s->report, "an alternative holds an event of D"), s->good = false;
  }
  unf_configuration_free(both);
  if (status != UNF_OK) return bridge_fail(s->bridge, s->report, "after an alternative", status);
  uint32_t needed = a->singleton ? 1 : a->k == UNF_K_OPTIMAL || a->k > count ? count : a->k;
  if (contradicted < needed)
    return report_fail(s->report, "an alternative that contradicts too little");
  return s->good;
}

/* Up to four extensions of C, each once. */
static uint32_t draw_D(shelf *s, uint32_t *D) {
  uint32_t count = 0;
  for (uint32_t tries = 0; tries < 4 && s->extension_count > 0; tries++) {
    uint32_t e = s->extensions[random_below(s->random, s->extension_count)];
    bool known = false;
    for (uint32_t i = 0; i < count; i++) {
      known = known || D[i] == e;
    }
    if (!known) D[count++] = e;
  }
  return count;
}

/* U is every event, or every event outside of C: what C has is not needed, since it
 * justifies by itself. */
static unf_status ask(shelf *s, const uint32_t *D, uint32_t count, answer *a,
                      unf_configuration *J) {
  uint32_t n = (uint32_t)s->lattice->event_count, known = 0;
  bool all = random_chance(s->random, 50);
  unf_event handles[4], *U = oracle_allocate(n * sizeof *U);
  unf_alternative_options options = UNF_ALTERNATIVE_OPTIONS_INIT;
  unf_alternative_statistics statistics = {0};
  options.k = a->k;
  options.singleton = a->singleton;
  options.spikes = (unf_spike_choice)random_below(s->random, 3);
  options.candidates = (unf_candidate_order)random_below(s->random, 2);
  for (uint32_t i = 0; i < count; i++) {
    handles[i] = s->bridge->handle_of[D[i]];
  }
  for (uint32_t e = 0; e < n; e++) {
    if (all || !inside(s, e)) U[known++] = s->bridge->handle_of[e];
  }
  unf_status status = unf_alternative_find(s->bridge->unfolding, U, known, s->configuration,
                                           handles, count, &options, &a->found, J, &statistics);
  free(U);
  return status;
}

static bool check_alternative(shelf *s) {
  uint32_t D[4], count = draw_D(s, D);
  if (count == 0) return true;
  unf_configuration *J = NULL;
  answer a = {random_below(s->random, 4), random_chance(s->random, 15), false};
  unf_status status = unf_configuration_new(s->bridge->unfolding, &J);
  if (status == UNF_OK) status = ask(s, D, count, &a, J);
  bool exists = alternative_exists(s, D, count), exact = a.k == UNF_K_OPTIMAL && !a.singleton;
  bool good = status == UNF_OK || bridge_fail(s->bridge, s->report, "unf_alternative_find", status);
  if (good && (exact ? a.found != exists : exists && !a.found)) {
    good = report_fail(s->report,
                       "k = %" PRIu32 ": an alternative to %" PRIu32 " events at configuration "
                       "%" PRIu32 " is said to be %d, there is %d",
                       a.k, count, s->number, a.found, exists);
  }
  good = good && (!a.found || check_answer(s, J, D, count, &a));
  unf_configuration_free(J);
  return good;
}

/* ---- all of it ---- */

static bool check_configuration(shelf *s) {
  s->extension_count =
      relations_extensions(s->lattice, s->relations, s->number, s->extensions, s->enabled);
  if (!relate_build(s->bridge, s->configuration, s->number, s->random, s->report)) return false;
  if (random_chance(s->random, 30)) {
    if (!check_extensions(s, true, true)) return false;
  } else if (!check_extensions(s, true, false) || !check_extensions(s, false, true)) {
    return false;
  }
  if (!check_cut(s) || !check_alternative(s)) return false;
  if (random_chance(s->random, 25) && !check_members(s)) return false;
  if (random_chance(s->random, 10)) {
    unf_status status = unf_check_configuration(s->configuration);
    if (status != UNF_OK)
      return bridge_fail(s->bridge, s->report, "unf_check_configuration", status);
  }
  return true;
}

bool relate_configurations(bridge *b, const relations *o, uint32_t most, random_source *random,
                           report *r) {
  const lattice *l = b->lattice;
  shelf s = {
      .bridge = b, .lattice = l, .relations = o, .random = random, .report = r, .good = true};
  unf_status status = unf_configuration_new(b->unfolding, &s.configuration);
  if (status != UNF_OK) return bridge_fail(b, r, "unf_configuration_new", status);
  s.extensions = oracle_allocate((l->event_count + 1) * sizeof *s.extensions);
  s.enabled = oracle_allocate((l->event_count + 1) * sizeof *s.enabled);
  s.seen = oracle_allocate(l->event_count + 1);
  uint32_t n = (uint32_t)l->configuration_count;
  bool good = true;
  for (uint32_t i = 0; i < n && i < most && good; i++) {
    s.number = n <= most ? i : i == 0 ? n - 1 : random_below(random, n);
    good = check_configuration(&s);
  }
  unf_configuration_free(s.configuration);
  free(s.extensions);
  free(s.enabled);
  free(s.seen);
  return good;
}
