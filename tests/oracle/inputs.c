/*
 * Programs with inputs, by trying their values. Cost: that of a lattice for each.
 */
#include "inputs.h"

#include <stdlib.h>
#include <string.h>

/* A step of the walk for some values. */
struct triple {
  uint32_t from, event, to;
};

static int compare_numbers(const void *a, const void *b) {
  uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;
  return left < right ? -1 : left > right;
}

static int compare_triples(const void *a, const void *b) {
  const struct triple *left = a, *right = b;
  int from = compare_numbers(&left->from, &right->from);
  return from != 0 ? from : compare_numbers(&left->event, &right->event);
}

static bool fails(symbolic *s, const char *why) {
  s->lattice->status = LATTICE_ERROR;
  strncpy(s->lattice->machine.text, why, ORACLE_ERROR_MAX - 1);
  return false;
}

/* ---- events and configurations by name ---- */

static void has_values(uint64_t **table, size_t *capacity, uint32_t number, uint64_t values) {
  size_t before = *capacity;
  while (number >= *capacity) {
    *table = oracle_reserve(*table, *capacity, capacity, sizeof **table);
  }
  if (*capacity > before) memset(*table + before, 0, (*capacity - before) * sizeof **table);
  (*table)[number] |= values;
}

/* The numbers that ascending events have in all, ascending. */
static uint32_t *renumber(const uint32_t *map, const uint32_t *events, uint32_t count) {
  uint32_t *row = oracle_allocate(count * sizeof *row);
  for (uint32_t i = 0; i < count; i++) {
    row[i] = map[events[i]];
  }
  qsort(row, count, sizeof *row, compare_numbers);
  return row;
}

static uint32_t *merge_events(symbolic *s, const lattice *one, uint64_t value) {
  uint32_t *map = oracle_allocate(one->event_count * sizeof *map);
  for (uint32_t e = 0; e < one->event_count; e++) {
    const event *from = &one->events[e];
    uint32_t *causes = renumber(map, from->causes, from->cause_count);
    map[e] = lattice_intern(s->lattice, &from->action, causes, from->cause_count);
    has_values(&s->of_event, &s->event_capacity, map[e], value);
    free(causes);
  }
  return map;
}

/* ---- operations ---- */

/* The last event of a thread, or that which started it. */
static uint32_t last_event(const lattice *l, const uint32_t *events, uint32_t count, uint32_t t) {
  while (count-- > 0) {
    const action *a = &l->events[events[count]].action;
    if (a->thread == t || (a->kind == ACTION_SPAWN && a->target == t)) return events[count];
  }
  return ORACLE_NONE;
}

static uint32_t point_of(symbolic *s, uint32_t thread, uint32_t last, uint32_t outcomes) {
  size_t at = (size_t)(last + 1) * s->lattice->program->thread_count + thread;
  size_t before = s->point_at_count;
  while (at >= s->point_at_count) {
    s->point_at =
        oracle_reserve(s->point_at, s->point_at_count, &s->point_at_count, sizeof *s->point_at);
  }
  memset(s->point_at + before, 0, (s->point_at_count - before) * sizeof *s->point_at);
  if (s->point_at[at] == 0) {
    s->points = oracle_reserve(s->points, s->point_count, &s->point_capacity, sizeof *s->points);
    branch_point *p = &s->points[s->point_count++];
    *p = (branch_point){thread, last, outcomes, oracle_allocate(outcomes * sizeof *p->values)};
    s->point_at[at] = (uint32_t)s->point_count;
  }
  return s->point_at[at] - 1;
}

static bool compares(operation_kind kind) {
  return kind >= OPERATION_CAS; /* awaits and futexes come after it */
}

/* Whether some operation of the program compares what an atomic has bytes of. */
static bool compared(const program *p, uint32_t atomic) {
  for (size_t i = 0; i < p->code_count; i++) {
    const instruction *c = &p->code[i];
    if (c->kind != INSTRUCTION_OPERATION || !compares(c->operation)) continue;
    const symbol *s = &p->symbols[c->place];
    const byte_range all = {s->address, s->size * s->count};
    if (memory_meet(all, program_range(p, atomic))) return true;
  }
  return false;
}

/* The operation of a thread as it is for all values; false if it is another for other values. */
static bool merge_operation(symbolic *s, uint32_t number, uint32_t thread, operation o, bool fresh,
                            uint64_t value) {
  lattice *l = s->lattice;
  const configuration *c = &l->configurations[number];
  operation *slot = &l->operations[number * l->program->thread_count + thread];
  if (o.kind == OPERATION_BRANCH) {
    uint32_t last = last_event(l, c->events, c->count, thread);
    int64_t taken = o.low >= 0 && o.low < o.high ? o.low : o.high - 1;
    if (o.high > 1000) return fails(s, "a branch with more than 1000 outcomes");
    uint32_t point = point_of(s, thread, last, (uint32_t)o.high);
    if (s->points[point].outcomes == o.high) s->points[point].values[taken] |= value;
    o.low = point;
  }
  bool message = o.kind >= OPERATION_SEND; /* what is sent, and tags, are part of the operation */
  bool unequal = message || (o.kind >= OPERATION_LOAD && compared(l->program, o.target));
  if (o.kind != OPERATION_BRANCH && o.kind != OPERATION_CHOOSE && !unequal) o.low = o.high = 0;
  if (o.kind == OPERATION_FINISHED) o.target = o.second = 0;
  if (fresh) *slot = o;
  if (o.kind == slot->kind && o.target == slot->target && o.second == slot->second &&
      o.low == slot->low && o.high == slot->high)
    return true;
  return fails(s, "an operation depends on inputs");
}

static void reserve_operations(lattice *l) {
  size_t needed = l->configuration_count * l->program->thread_count;
  while (needed > l->operation_capacity) {
    l->operation_capacity = l->operation_capacity == 0 ? 256 : l->operation_capacity * 2;
    l->operations = oracle_grow(l->operations, l->operation_capacity * sizeof *l->operations);
  }
}

/* ---- one lattice among the others ---- */

static void add_triple(symbolic *s, uint32_t from, uint32_t e, uint32_t to) {
  s->triples = oracle_reserve(s->triples, s->triple_count, &s->triple_capacity, sizeof *s->triples);
  s->triples[s->triple_count++] = (struct triple){from, e, to};
}

static void merge_edges(symbolic *s, const lattice *one, const uint32_t *map,
                        const uint32_t *places) {
  for (size_t i = 0; i < one->configuration_count; i++) {
    const configuration *c = &one->configurations[i];
    for (uint32_t j = 0; j < c->edge_count; j++) {
      const edge *e = &one->edges[c->first_edge + j];
      add_triple(s, places[i], map[e->event], places[e->to]);
    }
  }
}

static void merge(symbolic *s, const lattice *one, uint64_t value) {
  lattice *l = s->lattice;
  uint32_t *map = merge_events(s, one, value);
  uint32_t *places = oracle_allocate(one->configuration_count * sizeof *places);
  bool good = true, fresh;
  for (size_t i = 0; i < one->configuration_count && good; i++) {
    const configuration *from = &one->configurations[i];
    uint32_t *row = renumber(map, from->events, from->count);
    places[i] = lattice_add(l, row, from->count, &fresh);
    free(row);
    configuration *c = &l->configurations[places[i]];
    if (!fresh && c->maximal != from->maximal) good = fails(s, "the end depends on inputs");
    c->maximal = from->maximal;
    c->outcome = from->outcome;
    has_values(&s->of_configuration, &s->configuration_capacity, places[i], value);
    reserve_operations(l);
    for (uint32_t t = 0; t < l->program->thread_count && good; t++) {
      operation o = lattice_next(one, (uint32_t)i, t);
      good = merge_operation(s, places[i], t, o, fresh, value);
    }
  }
  if (good) merge_edges(s, one, map, places);
  free(places);
  free(map);
}

/* ---- all together ---- */

static void make_edges(symbolic *s) {
  lattice *l = s->lattice;
  qsort(s->triples, s->triple_count, sizeof *s->triples, compare_triples);
  for (size_t i = 0; i < s->triple_count; i++) {
    const struct triple *t = &s->triples[i];
    if (i > 0 && compare_triples(t, t - 1) == 0) continue;
    configuration *c = &l->configurations[t->from];
    if (c->edge_count++ == 0) c->first_edge = (uint32_t)l->edge_count;
    l->edges = oracle_reserve(l->edges, l->edge_count, &l->edge_capacity, sizeof *l->edges);
    l->edges[l->edge_count++] = (edge){t->event, t->to};
  }
}

static void count(lattice *l) {
  uint32_t longest = 0;
  l->counts.configurations = (uint32_t)l->configuration_count;
  l->counts.events = (uint32_t)l->event_count;
  for (size_t i = 0; i < l->configuration_count; i++) {
    const configuration *c = &l->configurations[i];
    if (c->count > longest) longest = c->count;
    l->counts.maximal += c->maximal;
    l->counts.complete += c->maximal && c->outcome.complete;
    l->counts.blocked += c->maximal && !c->outcome.complete;
    l->counts.deadlocks += c->maximal && c->outcome.deadlock;
    l->counts.errors += c->maximal && c->outcome.error;
  }
  for (uint32_t size = longest + 1; size-- > 0;) {
    for (size_t i = 0; i < l->configuration_count; i++) {
      configuration *c = &l->configurations[i];
      if (c->count != size) continue;
      c->paths = c->edge_count == 0;
      for (uint32_t j = 0; j < c->edge_count; j++) {
        c->paths += l->configurations[l->edges[c->first_edge + j].to].paths;
      }
    }
  }
}

static void walk_one(symbolic *s, program *p, uint32_t limit) {
  lattice *one = lattice_walk(p, limit);
  if (one->status != LATTICE_WHOLE) {
    s->lattice->status = one->status;
    memcpy(s->lattice->machine.text, one->machine.text, sizeof one->machine.text);
  } else {
    merge(s, one, UINT64_C(1) << s->valuations);
  }
  if (s->lattice->status == LATTICE_WHOLE && s->lattice->configuration_count > limit)
    s->lattice->status = LATTICE_LIMIT;
  s->valuations++;
  lattice_free(one);
}

/* The next values, counting up; false after the last, with all at their first again. */
static bool next_values(symbol *const *inputs, size_t number) {
  for (size_t i = 0; i < number; i++) {
    if (inputs[i]->initial < inputs[i]->maximum) {
      inputs[i]->initial++;
      return true;
    }
    inputs[i]->initial = inputs[i]->low;
  }
  return false;
}

symbolic *symbolic_walk(program *p, uint32_t limit) {
  symbolic *s = oracle_allocate(sizeof *s);
  symbol *inputs[INPUTS_MAX];
  size_t number = 0;
  s->lattice = oracle_allocate(sizeof *s->lattice);
  s->lattice->program = p;
  machine_init(&s->lattice->machine, p);
  lattice_reserve(s->lattice);
  for (size_t i = 0; i < p->symbol_count && number < INPUTS_MAX; i++) {
    if (p->symbols[i].input) inputs[number++] = &p->symbols[i];
  }
  bool more = true;
  while (more) {
    if (s->valuations < VALUATIONS_MAX && s->lattice->status == LATTICE_WHOLE)
      walk_one(s, p, limit);
    else if (s->lattice->status == LATTICE_WHOLE)
      fails(s, "the inputs have too many values");
    more = next_values(inputs, number);
  }
  if (s->lattice->status == LATTICE_WHOLE) {
    make_edges(s);
    count(s->lattice);
  }
  return s;
}

void symbolic_free(symbolic *s) {
  if (s == NULL) return;
  for (size_t i = 0; i < s->point_count; i++) {
    free(s->points[i].values);
  }
  lattice_free(s->lattice);
  free(s->of_event);
  free(s->of_configuration);
  free(s->points);
  free(s->point_at);
  free(s->triples);
  free(s);
}
