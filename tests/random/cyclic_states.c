/* Plain breadth-first search over the states of the oracle's machine. */
#include "cyclic_states.h"

#include <stdlib.h>
#include <string.h>

#define MOST_STATES 1500u

/* ---- a set of rows of words ---- */

static uint64_t row_hash(const rows *r, const int64_t *row) {
  uint64_t hash = 1;
  for (size_t i = 0; i < r->words; i++)
    hash = (hash ^ (uint64_t)row[i]) * 0x9E3779B97F4A7C15u + (hash >> 29);
  return hash ^ hash >> 32;
}

static const int64_t *row_at(const rows *r, size_t i) {
  return r->data + i * r->words;
}

void rows_free(rows *r) {
  free(r->data);
  free(r->slots);
  memset(r, 0, sizeof *r);
}

static void rows_grow(rows *r) {
  r->size = r->size == 0 ? 64 : 2 * r->size;
  free(r->slots);
  r->slots = oracle_allocate(r->size * sizeof *r->slots);
  for (size_t i = 0; i < r->count; i++) {
    size_t at = row_hash(r, row_at(r, i)) & (r->size - 1);
    while (r->slots[at] != 0)
      at = (at + 1) & (r->size - 1);
    r->slots[at] = (uint32_t)i + 1;
  }
}

/* Whether the row was not there; *index is where it is now. */
bool rows_add(rows *r, const int64_t *row, size_t *index) {
  if (2 * (r->count + 1) > r->size) rows_grow(r);
  size_t at = row_hash(r, row) & (r->size - 1);
  for (; r->slots[at] != 0; at = (at + 1) & (r->size - 1)) {
    *index = r->slots[at] - 1;
    if (memcmp(row_at(r, *index), row, r->words * sizeof *row) == 0) return false;
  }
  *index = r->count;
  r->slots[at] = (uint32_t)r->count + 1;
  r->data = oracle_reserve(r->data, r->count * r->words, &r->capacity, sizeof *row);
  while (r->capacity < (r->count + 1) * r->words)
    r->data = oracle_reserve(r->data, r->capacity, &r->capacity, sizeof *row);
  memcpy(r->data + r->count++ * r->words, row, r->words * sizeof *row);
  return true;
}

/* ---- states ---- */

static void find_ignored(subject *s) {
  const program *p = s->program;
  const machine *m = &s->machine;
  s->ignored = oracle_allocate((m->words + 1) * sizeof *s->ignored);
  for (size_t t = 0; t < p->thread_count; t++) {
    bool *own = s->ignored + m->thread_base + t * m->thread_words + THREAD_MASKS;
    for (size_t i = 0; i < 2 * m->mask_words; i++)
      own[i] = true;
    size_t end = p->code_count;
    for (size_t u = 0; u < p->thread_count; u++)
      if (p->threads[u].entry > p->threads[t].entry && p->threads[u].entry < end)
        end = p->threads[u].entry;
    for (size_t i = p->threads[t].entry; i < end; i++)
      if (p->code[i].kind == INSTRUCTION_ITERATE) own[2 * m->mask_words + p->code[i].place] = true;
  }
}

void subject_open(subject *s, const program *p) {
  memset(s, 0, sizeof *s);
  s->program = p;
  machine_init(&s->machine, p);
  find_ignored(s);
}

void subject_close(subject *s) {
  rows_free(&s->states);
  free(s->ignored);
  free(s->stuck);
}

/* Counts the rounds of each barrier such that it is in the one after the first. */
static void renew(const machine *m, int64_t *state) {
  for (uint32_t b = 0; b < m->program->counts[SYMBOL_BARRIER]; b++) {
    int64_t *arrived = machine_object(m, state, SYMBOL_BARRIER, b);
    int64_t count = machine_barrier_count(m, b), past = *arrived / count - 1;
    *arrived -= past * count;
    for (uint32_t t = 0; t < m->program->thread_count; t++) {
      int64_t *own = machine_thread(m, state, t);
      bool there = own[THREAD_KIND] == OPERATION_ARRIVE || own[THREAD_KIND] == OPERATION_PASS;
      if (there && own[THREAD_TARGET] == (int64_t)b) own[THREAD_SECOND] -= past;
    }
  }
  for (uint32_t t = 0; t < m->program->thread_count; t++) {
    int64_t *own = machine_thread(m, state, t);
    if (own[THREAD_KIND] == OPERATION_STOPPED || own[THREAD_KIND] == OPERATION_FINISHED)
      own[THREAD_SECOND] = 0;
  }
}

void subject_essence(const subject *s, const int64_t *state, int64_t *out) {
  memcpy(out, state, s->machine.words * sizeof *out);
  renew(&s->machine, out);
  for (size_t i = 0; i < s->machine.words; i++)
    if (s->ignored[i]) out[i] = 0;
}

/* Counters of loops are no part of what is searched. */
static void drop_counters(const subject *s, int64_t *state) {
  const machine *m = &s->machine;
  for (size_t w = m->thread_base; w < m->words; w++)
    if (s->ignored[w] && (w - m->thread_base) % m->thread_words >= THREAD_MASKS + 2 * m->mask_words)
      state[w] = 0;
}

fate subject_search(subject *s) {
  machine *m = &s->machine;
  rows whole = {.words = m->words}; /* with what was accessed, so that races show */
  int64_t *state = oracle_allocate(m->words * sizeof *state);
  int64_t *bare = oracle_allocate(m->words * sizeof *bare);
  size_t index, capacity = 0;
  fate result = GOOD;
  s->states.words = m->words;
  if (!machine_start(m, state)) result = RACY;
  renew(m, state);
  subject_essence(s, state, bare);
  rows_add(&s->states, bare, &index);
  rows_add(&whole, state, &index);
  for (size_t i = 0; result == GOOD && i < whole.count; i++) {
    bool stuck = true;
    if (machine_racy(m, row_at(&whole, i)) || machine_contended(m, row_at(&whole, i)))
      result = RACY;
    for (uint32_t t = 0; result == GOOD && t < s->program->thread_count; t++) {
      action a;
      for (uint64_t n = 0; machine_action(m, row_at(&whole, i), t, n, &a); n++) {
        stuck = false;
        memcpy(state, row_at(&whole, i), m->words * sizeof *state);
        if (!machine_perform(m, state, &a)) result = RACY;
        drop_counters(s, state);
        renew(m, state);
        rows_add(&whole, state, &index);
      }
    }
    subject_essence(s, row_at(&whole, i), bare);
    rows_add(&s->states, bare, &index);
    while (capacity <= index)
      s->stuck = oracle_reserve(s->stuck, capacity, &capacity, sizeof *s->stuck);
    s->stuck[index] = stuck;
    if (whole.count > MOST_STATES) result = LARGE;
  }
  free(state);
  free(bare);
  rows_free(&whole);
  return result;
}
