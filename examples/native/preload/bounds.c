/* --bound: a thread stops for ever when it is about to perform the atomic operation, or to sleep,
 * at one place, come to through the same calls, once more than so many times. So a loop ends that
 * waits for another thread without saying it. Calls are those of functions that are compiled with
 * callbacks.
 *
 * A thread's calls are kept as a number for each, which is made of those around it. */
#include "bounds.h"

#include <stdbool.h>
#include <stdint.h>
#include <unfold/unfold.h>

#include "../control.h"
#include "arena.h"
#include "entry.h"
#include "scheduler.h"

enum { CALLS_MOST = 256, PLACES_FIRST = 64 };

struct visits {
  unsigned depth; /* of calls; beyond CALLS_MOST they are not told apart */
  uint64_t calls[CALLS_MOST];
  uint32_t used, capacity;   /* a power of two */
  struct visit_count *table; /* at most half full */
};

struct visit_count {
  uint64_t key; /* 0: none */
  uint64_t times;
};

static bool bounded(void) {
  return running && control->settings.bound != UINT64_MAX;
}

static struct visits *visits_of(struct thread *t) {
  if (t->visits == NULL) {
    t->visits = private_memory(sizeof *t->visits);
    t->visits->capacity = PLACES_FIRST;
    t->visits->table = private_memory(PLACES_FIRST * sizeof *t->visits->table);
  }
  return t->visits;
}

/* Never 0. */
static uint64_t joined(uint64_t call, uint64_t place) {
  uint64_t x = (call ^ place) * 0x9e3779b97f4a7c15u;
  return (x ^ (x >> 29)) | 1;
}

static uint64_t innermost(const struct visits *v) {
  unsigned depth = v->depth < CALLS_MOST ? v->depth : CALLS_MOST;
  return depth == 0 ? 0 : v->calls[depth - 1];
}

void bound_call(uint64_t place) {
  struct thread *t = thread_self();
  if (!bounded() || t == NULL) return;
  struct visits *v = visits_of(t);
  if (v->depth < CALLS_MOST) v->calls[v->depth] = joined(innermost(v), place);
  v->depth++;
}

void bound_return(void) {
  struct thread *t = thread_self();
  if (bounded() && t != NULL && visits_of(t)->depth > 0) visits_of(t)->depth--;
}

static struct visit_count *find(const struct visits *v, uint64_t key) {
  uint32_t at = (uint32_t)(key >> 32) & (v->capacity - 1);
  while (v->table[at].key != 0 && v->table[at].key != key)
    at = (at + 1) & (v->capacity - 1);
  return &v->table[at];
}

static void grow(struct visits *v) {
  const struct visits old = *v;
  v->capacity *= 2;
  v->table = private_memory(v->capacity * sizeof *v->table);
  for (uint32_t i = 0; i < old.capacity; i++)
    if (old.table[i].key != 0) *find(v, old.table[i].key) = old.table[i];
}

void bound_operation(uint64_t place) {
  if (!bounded()) return;
  struct visits *v = visits_of(thread_self());
  if (2 * v->used >= v->capacity) grow(v);
  struct visit_count *visit = find(v, joined(innermost(v), place));
  v->used += visit->key == 0;
  visit->key = joined(innermost(v), place);
  if (visit->times++ < control->settings.bound) return;
  control->bound_met = true;
  schedule_end(UNF_OP_HALT(UNF_HALT_BOUND), place);
}
