#include "union.h"

#include <string.h>

#include "../control.h"
#include "../control/findings.h"
#include "../control/learned.h"
#include "../control/modules.h"
#include "../control/races.h"
#include "../control/stuck.h"
#include "state.h"

/* ---- known ---- */

/* An entry of a list that is not there is appended, if there is room. */
#define ADD_ALL(list, count, most, same)                                                           \
  for (uint32_t i = 0; i < worker->count; i++) {                                                   \
    uint32_t at = 0;                                                                               \
    while (at < sum->count && !same(&sum->list[at], &worker->list[i]))                             \
      at++;                                                                                        \
    if (at == sum->count && at < most) sum->list[sum->count++] = worker->list[i];                  \
  }

static bool same_range(const struct byte_range *a, const struct byte_range *b) {
  return a->word == b->word && a->first == b->first && a->size == b->size &&
         strcmp(a->creator, b->creator) == 0;
}

static bool same_word(const struct shared_word *a, const struct shared_word *b) {
  return a->where == b->where && a->at == b->at && a->size == b->size && a->pages == b->pages &&
         strcmp(a->owner, b->owner) == 0;
}

static bool same_quiet(const struct quiet_place *a, const struct quiet_place *b) {
  return a->offset == b->offset && strcmp(a->module, b->module) == 0;
}

static bool same_init(const struct initialised *a, const struct initialised *b) {
  return a->key == b->key && strcmp(a->creator, b->creator) == 0;
}

static bool same_acquire(const struct acquire *a, const struct acquire *b) {
  return a->module == b->module && a->offset == b->offset;
}

void union_know(struct control *sum, const struct control *worker) {
  ADD_ALL(ranges, range_count, RANGES_MAX, same_range)
  ADD_ALL(words, word_count, WORDS_MAX, same_word)
  ADD_ALL(quiet, quiet_count, QUIET_MAX, same_quiet)
  ADD_ALL(inits, init_count, INITS_MAX, same_init)
  ADD_ALL(acquires, acquire_count, ACQUIRES_MAX, same_acquire)
  for (uint32_t i = 0; i < worker->quiet_count; i++)
    for (uint32_t at = 0; at < sum->quiet_count; at++)
      if (same_quiet(&sum->quiet[at], &worker->quiet[i])) {
        sum->quiet[at].learned |= worker->quiet[i].learned;
        sum->quiet[at].met |= worker->quiet[i].met;
      }
  for (uint32_t i = 0; i < worker->acquire_count; i++)
    for (uint32_t at = 0; at < sum->acquire_count; at++)
      if (same_acquire(&sum->acquires[at], &worker->acquires[i]))
        sum->acquires[at].refuted |= worker->acquires[i].refuted;
  for (uint32_t at = 0; at < sum->acquire_count; at++)
    sum->acquires[at].tested = false;
  sum->quiet_lines |= worker->quiet_lines;
  sum->compares |= worker->compares;
  sum->joins_watched |= worker->joins_watched;
  sum->inits_watched |= worker->inits_watched;
  sum->inits_off |= worker->inits_off;
  if (worker->raced > sum->raced) sum->raced = worker->raced;
}

/* ---- seen ---- */

static void greatest(uint64_t *sum, uint64_t value) {
  if (value > *sum) *sum = value;
}

static void greatest_number(uint32_t *sum, uint32_t value) {
  if (value > *sum) *sum = value;
}

static void first_place(struct control *sum, const struct control *worker, uint64_t *to,
                        uint64_t place) {
  if (*to == 0) *to = state_address(sum, worker, place);
}

static void first_text(char *to, const char *text, size_t size) {
  if (to[0] == '\0') memcpy(to, text, size);
}

static void see_modules(struct control *sum, const struct control *worker) {
  if (sum->module_count == 0) {
    sum->module_count = worker->module_count;
    sum->modules_sum = worker->modules_sum;
    memcpy(sum->modules, worker->modules, sizeof sum->modules);
  }
  for (uint32_t i = 0; i < SITES_SEEN_MAX; i++) {
    sum->sites_met += worker->sites_seen[i] && !sum->sites_seen[i];
    sum->sites_seen[i] |= worker->sites_seen[i];
  }
}

static void see_busiest(struct control *sum, const struct control *worker) {
  for (uint32_t i = 0; i < BUSIEST_SLOTS; i++) {
    const struct busy_place *b = &worker->busiest[i];
    const uint64_t place = state_address(sum, worker, b->place);
    uint32_t at = i, tried = 0;
    while (tried < BUSIEST_SLOTS && sum->busiest[at].events > 0 && sum->busiest[at].place != place)
      at = (at + 1) % BUSIEST_SLOTS, tried++;
    if (b->events == 0 || tried == BUSIEST_SLOTS) continue;
    sum->busiest[at].place = place;
    sum->busiest[at].events += b->events;
  }
}

static void see_imports(struct control *sum, const struct control *worker) {
  for (uint32_t i = 0; i < worker->import_count; i++) {
    const struct import *import = &worker->imports[i];
    uint32_t at = 0;
    if (import->place == 0) continue;
    while (at < sum->import_count && strcmp(sum->imports[at].name, import->name) != 0)
      at++;
    if (at == IMPORTS_MAX) continue;
    if (at == sum->import_count) sum->imports[sum->import_count++] = (struct import){0};
    memcpy(sum->imports[at].name, import->name, sizeof import->name);
    first_place(sum, worker, &sum->imports[at].place, import->place);
  }
}

#define SEEN_ANY(X)                                                                                \
  X(attached)                                                                                      \
  X(operations_seen)                                                                               \
  X(callbacks_seen)                                                                                \
  X(bound_met)                                                                                     \
  X(weaker_orders)                                                                                 \
  X(imports_unwatched)                                                                             \
  X(learned)                                                                                       \
  X(no_room) X(stored_plainly) X(timeouts_bounded) X(code_later) X(modules_later) X(in_main)
#define SEEN_SUM(X)                                                                                \
  X(waits)                                                                                         \
  X(waits_bounded)                                                                                 \
  X(apart) X(reordered) X(differences) X(unlearned) X(unwritten_count) X(findings_dropped)
#define SEEN_PLACE(X)                                                                              \
  X(wide_place) X(callback_place) X(wait_place) X(bounded_place) X(apart_place) X(difference_place)
#define SEEN_TEXT(X) X(sites_off) X(apart_call) X(fallback) X(unwritten_because)

/* Not put together: what reports count (found.c) or the coordinator says itself; what a process has
 * for itself, or is told of with its report; what there is none of with several, as pictures and
 * estimates. tests/lint/united.py: each field that a program writes is somewhere. */
#define SEEN_APART(X)                                                                              \
  X(counts)                                                                                        \
  X(left_behind)                                                                                   \
  X(given_up) X(livelocks) X(findings_total) X(findings_before) X(saves) X(saved)                  \
      X(unsaved_because) X(switches) X(last_event) X(reorder_number) X(races_met) X(race_at)       \
          X(steps) X(task) X(execution) X(touched_count) X(touched) X(words_told) X(dot_because)   \
              X(pictures_tried) X(drawing) X(estimate) X(sampling)
#define IS_FIELD(field)                                                                            \
  _Static_assert(sizeof((struct control *)0)->field > 0, "a field of the block");
SEEN_APART(IS_FIELD)
#undef IS_FIELD

void union_see(struct control *sum, const struct control *worker) {
  const bool first = !sum->attached;
  see_modules(sum, worker);
  see_busiest(sum, worker);
  see_imports(sum, worker);
#define SEE_ANY(field)   sum->field |= worker->field;
#define SEE_SUM(field)   sum->field += worker->field;
#define SEE_PLACE(field) first_place(sum, worker, &sum->field, worker->field);
#define SEE_TEXT(field)  first_text(sum->field, worker->field, sizeof sum->field);
  SEEN_ANY(SEE_ANY)
  SEEN_SUM(SEE_SUM)
  SEEN_PLACE(SEE_PLACE)
  SEEN_TEXT(SEE_TEXT)
#undef SEE_ANY
#undef SEE_SUM
#undef SEE_PLACE
#undef SEE_TEXT
  sum->calls_seen = (first || sum->calls_seen) && worker->calls_seen;
  greatest_number(&sum->sites_in_callbacks, worker->sites_in_callbacks);
  greatest_number(&sum->wide_accesses, worker->wide_accesses);
  greatest_number(&sum->threads_most, worker->threads_most);
  greatest_number(&sum->modules_unlisted, worker->modules_unlisted);
  greatest(&sum->timeouts_most, worker->timeouts_most);
  greatest(&sum->races_seen, worker->races_seen);
  sum->bytes += worker->bytes;
  if (sum->unwritten == 0) sum->unwritten = worker->unwritten;
}

/* ---- a number for that ---- */

static uint64_t mix(uint64_t sum, uint64_t value) {
  return (sum ^ value) * UINT64_C(0x100000001b3);
}

uint64_t union_number(const struct control *worker) {
  uint64_t sum = UINT64_C(0xcbf29ce484222325);
  const uint64_t more[] = {worker->calls_seen,    worker->sites_met,    worker->sites_in_callbacks,
                           worker->wide_accesses, worker->threads_most, worker->modules_unlisted,
                           worker->timeouts_most, worker->races_seen,   worker->unwritten,
                           worker->import_count,  worker->module_count, worker->range_count,
                           worker->word_count,    worker->init_count,   worker->inits_watched,
                           worker->inits_off,     worker->quiet_lines,  worker->joins_watched,
                           worker->raced,         worker->compares};
  for (size_t i = 0; i < sizeof more / sizeof more[0]; i++)
    sum = mix(sum, more[i]);
#define NUMBER_OF(field)      sum = mix(sum, worker->field);
#define NUMBER_OF_SUM(field)  sum = mix(sum, worker->field != 0);
#define NUMBER_OF_TEXT(field) sum = mix(sum, (unsigned char)worker->field[0]);
  SEEN_ANY(NUMBER_OF)
  SEEN_SUM(NUMBER_OF_SUM)
  SEEN_PLACE(NUMBER_OF)
  SEEN_TEXT(NUMBER_OF_TEXT)
#undef NUMBER_OF_TEXT
#undef NUMBER_OF_SUM
#undef NUMBER_OF
  for (uint32_t i = 0; i < worker->quiet_count; i++)
    sum = mix(sum, 2u * worker->quiet[i].learned + worker->quiet[i].met);
  for (uint32_t i = 0; i < worker->acquire_count; i++)
    sum = mix(sum, 1u + worker->acquires[i].refuted);
  return sum;
}

/* ---- the end ---- */

#define END_COPY(field) memcpy(sum->field, worker->field, sizeof sum->field)

void union_end(struct control *sum, const struct control *worker) {
  sum->outcome = worker->outcome;
  END_COPY(message);
  END_COPY(refused_call);
  END_COPY(refused_name);
  END_COPY(repeated);
  sum->stuck = worker->stuck;
  sum->execution_steps = worker->execution_steps;
  sum->execution_ended = worker->execution_ended;
  sum->deciding = worker->deciding;
  sum->stop = worker->stop;
  sum->init_restarts = worker->init_restarts;
  sum->learn_restarts = worker->learn_restarts;
  sum->place = state_address(sum, worker, worker->place);
  sum->last_place = state_address(sum, worker, worker->last_place);
  sum->refused_object = state_address(sum, worker, worker->refused_object);
  sum->stuck.place = state_address(sum, worker, worker->stuck.place);
  for (int i = 0; i < REPEATED_MAX; i++)
    sum->repeated[i].place = state_address(sum, worker, worker->repeated[i].place);
}

/* ---- found ---- */

/* Of the same trace it is the later version. */
static bool is_greater(const uint64_t name[2], const uint64_t other[2]) {
  return name[0] != other[0] ? name[0] > other[0] : name[1] > other[1];
}

uint32_t union_finding(struct control *sum, const struct control *worker, const struct finding *f,
                       bool *described) {
  struct finding before = {.count = 0};
  uint32_t at = 0;
  while (at < sum->finding_count && sum->findings[at].key != f->key)
    at++;
  const bool fresh = at == sum->finding_count;
  *described = fresh ? at < FINDINGS_MAX : !is_greater(f->name, sum->findings[at].name);
  if (!*described) return at;
  struct finding *own = &sum->findings[at];
  if (!fresh) before = *own;
  sum->finding_count += fresh;
  *own = *f;
  own->count = before.count;
  own->schedule = before.schedule;
  own->other = before.other;
  for (uint32_t i = 0; i < own->involved_count; i++) {
    struct involved *v = &own->involved[i];
    v->place = state_address(sum, worker, v->place);
    v->address = state_address(sum, worker, v->address);
    v->owner_place = state_address(sum, worker, v->owner_place);
    v->lost_place = state_address(sum, worker, v->lost_place);
    for (uint32_t j = 0; j < v->held_count; j++) {
      v->held[j].address = state_address(sum, worker, v->held[j].address);
      v->held[j].place = state_address(sum, worker, v->held[j].place);
    }
  }
  return at;
}

uint64_t union_race(struct control *sum, const struct control *worker,
                    const struct reported_race *race, bool *described) {
  struct reported_race own = *race, before = {.count = 0};
  uint64_t at = 0;
  for (int i = 0; i < 2; i++)
    own.access[i].place = state_address(sum, worker, race->access[i].place);
  const uint64_t a = own.access[0].place, b = own.access[1].place;
  for (; at < sum->races_found && at < RACES_MAX; at++) {
    const struct reported_access *access = sum->races[at].access;
    if (access[0].place == a && access[1].place == b) break;
    if (access[0].place == b && access[1].place == a) break;
  }
  const bool fresh = at == sum->races_found;
  sum->races_found += fresh;
  *described = at < RACES_MAX && (fresh || !is_greater(race->name, sum->races[at].name));
  if (!*described) return at;
  if (!fresh) before = sum->races[at];
  own.address = state_address(sum, worker, race->address);
  own.count = before.count;
  own.before = 0;
  own.schedule = before.schedule;
  sum->races[at] = own;
  return at;
}
