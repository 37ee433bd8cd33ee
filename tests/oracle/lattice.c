/*
 * Walk of the lattice of configurations (definitions: Section 2 of the CAV 2018 paper on
 * quasi-optimal partial order reduction). From a configuration C every possible action a gives the
 * event ⟨a, H⟩, where H is every event of C that a depends on, and their causes; C ∪ {⟨a, H⟩} is a
 * configuration. Each configuration is extended once, recognised by its set of events.
 *
 * Invariants: a cause has a smaller number than its effect, so any ascending list of events that is
 * closed under causes is a linearisation; the state after a configuration does not depend on the
 * order (else the program has a race, which the walk finds). Cost: O(configurations · actions ·
 * their events).
 */
#include "lattice.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t mix(uint64_t h, uint64_t v) {
  h = (h ^ v) * UINT64_C(0x9E3779B97F4A7C15);
  return h ^ h >> 32;
}

static uint64_t hash_list(uint64_t h, const uint32_t *list, uint32_t count) {
  for (uint32_t i = 0; i < count; i++) {
    h = mix(h, list[i] + 1u);
  }
  return h;
}

static bool same_list(const uint32_t *a, uint32_t a_count, const uint32_t *b, uint32_t b_count) {
  return a_count == b_count && (a_count == 0 || memcmp(a, b, a_count * sizeof *a) == 0);
}

static uint32_t *copy_list(const uint32_t *list, uint32_t count) {
  uint32_t *copy = oracle_allocate(count * sizeof *copy);
  if (count != 0) memcpy(copy, list, count * sizeof *copy);
  return copy;
}

static uint64_t element_hash(const lattice *l, const uint32_t *table, uint32_t number) {
  return table == l->event_table ? l->events[number].hash : l->configurations[number].hash;
}

/* Keeps a table at most half full. */
static void grow_table(lattice *l, uint32_t **table, size_t *size, size_t count) {
  if ((count + 1) * 2 <= *size) return;
  size_t bigger = *size == 0 ? 256 : *size * 2;
  uint32_t *fresh = oracle_allocate(bigger * sizeof *fresh);
  for (size_t i = 0; i < *size; i++) {
    if ((*table)[i] == 0) continue;
    size_t at = element_hash(l, *table, (*table)[i] - 1) & (bigger - 1);
    while (fresh[at] != 0) {
      at = (at + 1) & (bigger - 1);
    }
    fresh[at] = (*table)[i];
  }
  free(*table);
  *table = fresh;
  *size = bigger;
}

static bool same_action(const action *a, const action *b) {
  return a->kind == b->kind && a->thread == b->thread && a->target == b->target &&
         a->second == b->second && a->value == b->value;
}

/* The maximal ones of the causes: those that are in the causes of no other. */
static void find_maximal(const lattice *l, event *e) {
  e->maximal = oracle_allocate(e->cause_count * sizeof *e->maximal);
  for (uint32_t i = 0; i < e->cause_count; i++) {
    bool below = false;
    for (uint32_t j = i + 1; j < e->cause_count && !below; j++) {
      const event *other = &l->events[e->causes[j]];
      for (uint32_t k = 0; k < other->cause_count && !below; k++) {
        below = other->causes[k] == e->causes[i];
      }
    }
    if (!below) e->maximal[e->maximal_count++] = e->causes[i];
  }
}

/* The number of the event of an action with these causes. */
uint32_t lattice_intern(lattice *l, const action *a, const uint32_t *causes, uint32_t count) {
  grow_table(l, &l->event_table, &l->event_table_size, l->event_count);
  uint64_t h = mix(mix(mix(1, a->kind), a->thread), a->target);
  h = mix(mix(h, a->second), (uint64_t)a->value);
  h = hash_list(h, causes, count);
  size_t at = h & (l->event_table_size - 1);
  for (; l->event_table[at] != 0; at = (at + 1) & (l->event_table_size - 1)) {
    const event *e = &l->events[l->event_table[at] - 1];
    if (e->hash == h && same_action(&e->action, a) &&
        same_list(e->causes, e->cause_count, causes, count)) {
      return l->event_table[at] - 1;
    }
  }
  l->events = oracle_reserve(l->events, l->event_count, &l->event_capacity, sizeof *l->events);
  uint32_t number = (uint32_t)l->event_count++;
  event *e = &l->events[number];
  memset(e, 0, sizeof *e);
  e->action = *a;
  e->causes = copy_list(causes, count);
  e->cause_count = count;
  e->hash = h;
  find_maximal(l, e);
  l->event_table[at] = number + 1;
  l->counts.operations[a->kind]++;
  return number;
}

static void mark(lattice *l, uint32_t e) {
  l->marks[e / 64] |= UINT64_C(1) << (e % 64);
}

/* Room for one more event than there are. */
void lattice_reserve(lattice *l) {
  if (l->event_count + 1 >= l->scratch_capacity) {
    l->scratch_capacity = l->scratch_capacity == 0 ? 256 : l->scratch_capacity * 2;
    l->scratch = oracle_grow(l->scratch, l->scratch_capacity * sizeof *l->scratch);
  }
  size_t words = l->scratch_capacity / 64;
  if (words > l->mark_words) {
    l->marks = oracle_grow(l->marks, words * sizeof *l->marks);
    memset(l->marks + l->mark_words, 0, (words - l->mark_words) * sizeof *l->marks);
    l->mark_words = words;
  }
}

/* The event of an action after a configuration: its causes are what it depends on, and theirs. */
static uint32_t event_after(lattice *l, const uint32_t *events, uint32_t count, const action *a) {
  lattice_reserve(l);
  for (uint32_t i = 0; i < count; i++) {
    const event *e = &l->events[events[i]];
    if (!actions_dependent(&e->action, a)) continue;
    mark(l, events[i]);
    for (uint32_t j = 0; j < e->cause_count; j++) {
      mark(l, e->causes[j]);
    }
  }
  uint32_t causes = 0;
  for (uint32_t i = 0; i < count; i++) {
    if ((l->marks[events[i] / 64] >> (events[i] % 64) & 1) != 0) l->scratch[causes++] = events[i];
  }
  memset(l->marks, 0, l->mark_words * sizeof *l->marks);
  return lattice_intern(l, a, l->scratch, causes);
}

static size_t configuration_slot(const lattice *l, const uint32_t *events, uint32_t count,
                                 uint64_t h) {
  size_t at = h & (l->configuration_table_size - 1);
  for (; l->configuration_table[at] != 0; at = (at + 1) & (l->configuration_table_size - 1)) {
    const configuration *c = &l->configurations[l->configuration_table[at] - 1];
    if (c->hash == h && same_list(c->events, c->count, events, count)) break;
  }
  return at;
}

uint32_t lattice_find(const lattice *l, const uint32_t *events, uint32_t count) {
  size_t at = configuration_slot(l, events, count, hash_list(2, events, count));
  return l->configuration_table[at] == 0 ? ORACLE_NONE : l->configuration_table[at] - 1;
}

/* The configuration of these ascending events; *fresh says whether it is new; then the caller has
 * to fill in its state. */
uint32_t lattice_add(lattice *l, const uint32_t *events, uint32_t count, bool *fresh) {
  grow_table(l, &l->configuration_table, &l->configuration_table_size, l->configuration_count);
  uint64_t h = hash_list(2, events, count);
  size_t at = configuration_slot(l, events, count, h);
  *fresh = l->configuration_table[at] == 0;
  if (!*fresh) return l->configuration_table[at] - 1;
  l->configurations = oracle_reserve(l->configurations, l->configuration_count,
                                     &l->configuration_capacity, sizeof *l->configurations);
  configuration *c = &l->configurations[l->configuration_count++];
  memset(c, 0, sizeof *c);
  c->events = copy_list(events, count);
  c->count = count;
  c->hash = h;
  l->configuration_table[at] = (uint32_t)l->configuration_count;
  return l->configuration_table[at] - 1;
}

static void add_edge(lattice *l, size_t from, uint32_t e, uint32_t to) {
  l->edges = oracle_reserve(l->edges, l->edge_count, &l->edge_capacity, sizeof *l->edges);
  l->edges[l->edge_count].event = e;
  l->edges[l->edge_count++].to = to;
  l->configurations[from].edge_count++;
}

/* Extends a configuration by one action; false when the walk must end. */
static bool extend(lattice *l, size_t number, const action *a) {
  const configuration *from = &l->configurations[number];
  uint32_t e = event_after(l, from->events, from->count, a);
  uint32_t before = 0;
  while (before < from->count && from->events[before] < e) {
    before++;
  }
  lattice_reserve(l);
  memcpy(l->scratch, from->events, before * sizeof *l->scratch);
  l->scratch[before] = e;
  memcpy(l->scratch + before + 1, from->events + before,
         (from->count - before) * sizeof *l->scratch);
  bool fresh;
  uint32_t to = lattice_add(l, l->scratch, from->count + 1, &fresh);
  add_edge(l, number, e, to);
  if (!fresh) return true;
  int64_t *after = oracle_allocate(l->machine.words * sizeof *after);
  l->configurations[to].state = after;
  const int64_t *state = l->configurations[number].state;
  memcpy(after, state, l->machine.words * sizeof *state);
  if (!machine_perform(&l->machine, after, a)) {
    l->status = LATTICE_ERROR;
  } else if (machine_racy(&l->machine, after)) {
    l->status = LATTICE_RACE;
  } else if (machine_contended(&l->machine, after)) {
    l->status = LATTICE_CONTENDED;
  } else if (l->configuration_count > l->limit) {
    l->status = LATTICE_LIMIT;
  }
  return l->status == LATTICE_WHOLE;
}

const edge *lattice_step(const lattice *l, uint32_t configuration_number, const action *a) {
  const configuration *c = &l->configurations[configuration_number];
  for (uint32_t i = 0; i < c->edge_count; i++) {
    const edge *e = &l->edges[c->first_edge + i];
    if (same_action(&l->events[e->event].action, a)) return e;
  }
  return NULL;
}

/* How a maximal execution counts (model-language.md, section Counts). */
static void judge(lattice *l, configuration *c) {
  bool stopped = false;
  c->maximal = true;
  c->outcome.complete = true;
  for (uint32_t t = 0; t < l->program->thread_count; t++) {
    operation o = machine_next(&l->machine, c->state, t);
    if (o.kind != OPERATION_WAITING && o.kind != OPERATION_FINISHED) c->outcome.complete = false;
    if (o.kind == OPERATION_STOPPED) {
      stopped = true;
      if (o.target == STOP_ASSERT) c->outcome.error = true;
    }
  }
  c->outcome.deadlock = !c->outcome.complete && !stopped;
  l->counts.maximal++;
  if (c->outcome.complete) l->counts.complete++;
  if (!c->outcome.complete) l->counts.blocked++;
  if (c->outcome.deadlock) l->counts.deadlocks++;
  if (c->outcome.error) l->counts.errors++;
}

/* Notes what every thread does next after a configuration. */
static void note_operations(lattice *l, size_t number) {
  size_t threads = l->program->thread_count;
  while ((number + 1) * threads > l->operation_capacity) {
    l->operation_capacity = l->operation_capacity == 0 ? 256 : l->operation_capacity * 2;
    l->operations = oracle_grow(l->operations, l->operation_capacity * sizeof *l->operations);
  }
  for (uint32_t t = 0; t < threads; t++) {
    l->operations[number * threads + t] =
        machine_next(&l->machine, l->configurations[number].state, t);
  }
}

static void expand(lattice *l, size_t number) {
  action a;
  note_operations(l, number);
  l->configurations[number].first_edge = (uint32_t)l->edge_count;
  for (uint32_t t = 0; t < l->program->thread_count; t++) {
    for (uint64_t i = 0; machine_action(&l->machine, l->configurations[number].state, t, i, &a);
         i++) {
      if (!extend(l, number, &a)) return;
    }
  }
  configuration *c = &l->configurations[number];
  if (c->edge_count == 0) judge(l, c);
  free(c->state);
  c->state = NULL;
}

/* An edge leads to a larger number. */
static void count_paths(lattice *l) {
  for (size_t i = l->configuration_count; i-- > 0;) {
    configuration *c = &l->configurations[i];
    c->paths = c->edge_count == 0;
    for (uint32_t j = 0; j < c->edge_count; j++) {
      uint64_t more = l->configurations[l->edges[c->first_edge + j].to].paths;
      c->paths = c->paths > UINT64_MAX - more ? UINT64_MAX : c->paths + more;
    }
  }
}

lattice *lattice_walk(const program *p, uint32_t limit) {
  lattice *l = oracle_allocate(sizeof *l);
  bool fresh;
  l->program = p;
  l->limit = limit;
  machine_init(&l->machine, p);
  lattice_reserve(l);
  uint32_t root = lattice_add(l, l->scratch, 0, &fresh);
  l->configurations[root].state = oracle_allocate(l->machine.words * sizeof(int64_t));
  if (!machine_start(&l->machine, l->configurations[root].state)) {
    l->status = LATTICE_ERROR;
  } else if (machine_racy(&l->machine, l->configurations[root].state)) {
    l->status = LATTICE_RACE;
  } else if (machine_contended(&l->machine, l->configurations[root].state)) {
    l->status = LATTICE_CONTENDED;
  }
  for (size_t i = 0; i < l->configuration_count && l->status == LATTICE_WHOLE; i++) {
    expand(l, i);
  }
  if (l->status == LATTICE_WHOLE) count_paths(l);
  l->counts.configurations = (uint32_t)l->configuration_count;
  l->counts.events = (uint32_t)l->event_count;
  return l;
}

void lattice_free(lattice *l) {
  if (l == NULL) return;
  for (size_t i = 0; i < l->event_count; i++) {
    free(l->events[i].causes);
    free(l->events[i].maximal);
  }
  for (size_t i = 0; i < l->configuration_count; i++) {
    free(l->configurations[i].events);
    free(l->configurations[i].state);
  }
  free(l->events);
  free(l->configurations);
  free(l->edges);
  free(l->operations);
  free(l->event_table);
  free(l->configuration_table);
  free(l->scratch);
  free(l->marks);
  free(l);
}

void lattice_event_text(const lattice *l, uint32_t number, char *buffer, size_t size) {
  const event *e = &l->events[number];
  char who[ORACLE_NAME_MAX + 24];
  program_thread_name(l->program, e->action.thread, who, sizeof who);
  action_kind kind = e->action.kind;
  int64_t object =
      kind == ACTION_CHOOSE || kind == ACTION_BRANCH ? e->action.value : (int64_t)e->action.target;
  int length =
      snprintf(buffer, size, "%" PRIu32 ": %s %s %" PRId64, number, who, action_name(kind), object);
  size_t used = length < 0 ? 0 : (size_t)length;
  bool notifies = kind == ACTION_SIGNAL || kind == ACTION_BROADCAST || kind == ACTION_FUTEX_WAKE ||
                  kind == ACTION_FUTEX_WAKE_ALL;
  if (notifies && used < size) {
    length = snprintf(buffer + used, size - used, " %" PRId64, e->action.value);
    used += length < 0 ? 0 : (size_t)length;
  }
  length = used < size ? snprintf(buffer + used, size - used, " {") : 0;
  used += length < 0 ? 0 : (size_t)length;
  for (uint32_t i = 0; i < e->maximal_count && used < size; i++) {
    length = snprintf(buffer + used, size - used, "%s%" PRIu32, i == 0 ? "" : ", ", e->maximal[i]);
    used += length < 0 ? 0 : (size_t)length;
  }
  if (used < size) snprintf(buffer + used, size - used, "}");
}
