/*
 * What a random program has in it: facts that the run counts, so that it shows when the programs
 * are not varied enough.
 */
#include "program_check.h"

#include <stdlib.h>

static uint32_t events_of(const lattice *l, const configuration *c, uint32_t thread) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < c->count; i++) {
    if (l->events[c->events[i]].action.thread == thread) count++;
  }
  return count;
}

static bool same_operation(const operation *a, const operation *b) {
  return a->kind == b->kind && a->target == b->target && a->second == b->second &&
         a->low == b->low && a->high == b->high;
}

/* Compares each thread's next operation with the one first seen after as many events. */
static bool data_dependent(const lattice *l, uint32_t longest) {
  uint32_t threads = (uint32_t)l->program->thread_count;
  operation *first = oracle_allocate((size_t)threads * (longest + 1) * sizeof *first);
  bool found = false;
  for (uint32_t i = 0; i < l->configuration_count && !found; i++) {
    for (uint32_t t = 0; t < threads && !found; t++) {
      operation o = lattice_next(l, i, t);
      operation *f = &first[t * (longest + 1) + events_of(l, &l->configurations[i], t)];
      if (o.kind == OPERATION_WAITING) continue;
      if (f->kind == OPERATION_WAITING) *f = o;
      found = !same_operation(f, &o);
    }
  }
  free(first);
  return found;
}

/* Whether a post comes at the maximum, where it changes nothing: what is before it at the semaphore
 * is among its causes, in order. */
static bool posts_at_maximum(const lattice *l, const event *post) {
  const symbol *s = program_semaphore(l->program, post->action.target);
  int64_t value = s->initial;
  for (uint32_t i = 0; i < post->cause_count; i++) {
    const action *a = &l->events[post->causes[i]].action;
    if (a->target != post->action.target) continue;
    value += a->kind == ACTION_POST_ALONE && value < s->maximum;
    value -= a->kind == ACTION_SEM_ACQUIRE;
  }
  return value == s->maximum;
}

/* What is seen at an event alone. */
static void look_at_event(const lattice *l, size_t number, program_facts *f) {
  const action *a = &l->events[number].action;
  if (a->kind == ACTION_SIGNAL && a->value < 0) f->lost = true;
  if (a->kind == ACTION_BROADCAST && a->value == 0) f->lost = true;
  if (a->kind == ACTION_BROADCAST && (a->value & (a->value - 1)) != 0) f->many_notified = true;
  bool wakes = a->kind == ACTION_FUTEX_WAKE || a->kind == ACTION_FUTEX_WAKE_ALL;
  if (wakes && (a->value & (a->value - 1)) != 0) f->many_woken = true;
  if (a->kind == ACTION_PASS && a->second > 0) f->many_rounds = true;
  if (a->kind == ACTION_POST_ALONE && posts_at_maximum(l, &l->events[number])) {
    f->at_maximum = true;
  }
  for (size_t i = 0; i < number && a->kind == ACTION_SPAWN; i++) {
    const action *b = &l->events[i].action;
    if (b->kind == ACTION_SPAWN && b->target == a->target && b->thread != a->thread) {
      f->started_twice = true;
    }
  }
}

static bool about_to_wake(const operation *o) {
  return o->kind == OPERATION_WAKE || o->kind == OPERATION_TIMED_WAKE;
}

/* What is seen at two threads that are about to do something. */
static void look_at_pair(const operation *a, const operation *b, program_facts *f) {
  if (a->target != b->target) return;
  if (about_to_wake(a) && about_to_wake(b) && a->second != b->second) f->different = true;
}

/* What is seen at the ways to go on from a configuration. */
static void look_at_edges(const lattice *l, const configuration *c, program_facts *f) {
  for (uint32_t i = 1; i < c->edge_count; i++) {
    const action *a = &l->events[l->edges[c->first_edge + i].event].action;
    const action *b = &l->events[l->edges[c->first_edge + i - 1].event].action;
    if (a->kind == ACTION_SIGNAL && b->kind == ACTION_SIGNAL && a->thread == b->thread) {
      f->many_waiting = true;
    }
    if (a->kind == ACTION_FUTEX_WAKE && b->kind == a->kind && a->thread == b->thread) {
      f->many_queued = true;
    }
    for (uint32_t j = 0; j < i; j++) {
      b = &l->events[l->edges[c->first_edge + j].event].action;
      bool accesses = a->range.size > 0 && b->range.size > 0;
      bool same = a->range.first == b->range.first && a->range.size == b->range.size;
      if (accesses && !same && memory_meet(a->range, b->range)) f->overlaps = true;
      if (b->kind != a->kind || b->target != a->target) continue;
      if (a->kind == ACTION_RDACQUIRE) f->readers_together = true;
      if (a->kind == ACTION_ADD) f->adds_together = true;
    }
  }
}

static bool can_be_undefined(operation_kind kind) {
  return kind == OPERATION_UNLOCK || kind == OPERATION_SPAWN || kind == OPERATION_WAIT ||
         kind == OPERATION_TIMED_WAIT || kind == OPERATION_RWUNLOCK;
}

void program_find_facts(const lattice *l, program_facts *f) {
  uint32_t longest = 0;
  f->threads = (uint32_t)l->program->thread_count;
  f->counts = l->counts;
  for (size_t i = 0; i < l->configuration_count; i++) {
    const configuration *c = &l->configurations[i];
    if (c->count > longest) longest = c->count;
    look_at_edges(l, c, f);
    for (uint32_t t = 0; t < f->threads; t++) {
      operation o = lattice_next(l, (uint32_t)i, t);
      if (c->maximal && can_be_undefined(o.kind)) f->undefined = true;
      if (c->maximal && (o.kind == OPERATION_AWAIT || o.kind == OPERATION_EXCHANGE_AWAIT)) {
        f->awaits_for_ever = true;
        if (!memory_undivided(l->program, o.target)) f->divided_awaits = true;
      }
      if (o.kind >= OPERATION_FETCH_AND && o.kind <= OPERATION_FETCH_NAND) f->bits = true;
      for (uint32_t u = 0; u < t; u++) {
        operation other = lattice_next(l, (uint32_t)i, u);
        look_at_pair(&o, &other, f);
      }
    }
  }
  for (size_t i = 0; i < l->event_count; i++) {
    look_at_event(l, i, f);
  }
  f->data_dependent = data_dependent(l, longest);
}
