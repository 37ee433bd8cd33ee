/*
 * Random executions of loads and stores, by more threads and with more places where one has to wait
 * for another than random programs have, so that the fewest switches have to be searched for. Their
 * fewest switches by definition: over all sets of accesses that contain, with an access, those
 * before it on which it depends, and over the thread of the last one.
 */
#include "switches.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unfold/unfold.h>

#include "program.h"
#include "sketch.h"

enum { THREADS = 6, EACH = 5, PLACES = 6, LENGTH = THREADS * EACH, SETS = 6 * 6 * 6 * 6 * 6 * 6 };

struct access {
  uint32_t thread, place, number; /* of the thread, from 0 */
  bool store;
  unf_event event;
};

struct accesses {
  struct access list[LENGTH];
  uint32_t count, threads;
  uint32_t size[THREADS];
};

static bool dependent(const struct access *a, const struct access *b) {
  return a->thread == b->thread || (a->place == b->place && (a->store || b->store));
}

static void draw(struct accesses *a, random_source *random) {
  const uint32_t places = 1 + random_below(random, PLACES), loads = random_below(random, 60);
  memset(a, 0, sizeof *a);
  a->threads = 2 + random_below(random, THREADS - 1);
  const uint32_t length = 4 + random_below(random, a->threads * EACH - 3);
  for (uint32_t i = 0; i < length; i++) {
    const uint32_t thread = random_below(random, a->threads);
    if (a->size[thread] == EACH) continue;
    a->list[a->count++] = (struct access){thread, random_below(random, places), a->size[thread]++,
                                          !random_chance(random, loads), 0};
  }
}

/* How many accesses of each thread a set has, as digits. */
static bool contains(uint32_t set, const struct access *a) {
  for (uint32_t t = 0; t < a->thread; t++)
    set /= EACH + 1;
  return set % (EACH + 1) > a->number;
}

static uint32_t with(uint32_t set, const struct access *a) {
  uint32_t one = 1;
  for (uint32_t t = 0; t < a->thread; t++)
    one *= EACH + 1;
  return set + one;
}

static bool is_next(const struct accesses *all, uint32_t set, uint32_t which) {
  if (contains(set, &all->list[which])) return false;
  for (uint32_t i = 0; i < which; i++)
    if (dependent(&all->list[i], &all->list[which]) && !contains(set, &all->list[i])) return false;
  return true;
}

/* The least blocks of those in order. Sets are numbered so that a larger one comes later. */
static uint32_t fewest_blocks(const struct accesses *all) {
  static uint8_t blocks[SETS][THREADS];
  uint32_t fewest = LENGTH, whole = 0;
  memset(blocks, 0xff, sizeof blocks);
  for (uint32_t i = 0; i < all->count; i++)
    whole = with(whole, &all->list[i]);
  for (uint32_t set = 0; set <= whole; set++) {
    bool reached = set == 0;
    for (uint32_t t = 0; t < THREADS; t++)
      reached |= blocks[set][t] != 0xff;
    for (uint32_t i = 0; reached && i < all->count; i++) {
      const struct access *a = &all->list[i];
      if (!is_next(all, set, i)) continue;
      uint8_t *to = &blocks[with(set, a)][a->thread];
      if (set == 0) *to = 1;
      for (uint32_t t = 0; t < THREADS; t++)
        if (blocks[set][t] != 0xff && blocks[set][t] + (t != a->thread) < *to)
          *to = (uint8_t)(blocks[set][t] + (t != a->thread));
    }
  }
  for (uint32_t t = 0; t < THREADS; t++)
    if (blocks[whole][t] < fewest) fewest = blocks[whole][t];
  return fewest;
}

/* ---- in the library ---- */

static unf_status perform(unf_unfolding *u, unf_configuration *c, struct accesses *all) {
  unf_thread threads[THREADS];
  unf_object places[PLACES];
  unf_status s = UNF_OK;
  for (uint32_t t = 0; s == UNF_OK && t < THREADS; t++) {
    s = unf_thread_name(u, UNF_THREAD_NONE, t, &threads[t]);
    if (s == UNF_OK) s = unf_thread_start(u, threads[t]);
  }
  for (uint32_t p = 0; s == UNF_OK && p < PLACES; p++)
    s = unf_object_name(u, UNF_LOCATION, UNF_THREAD_NONE, p, &places[p]);
  for (uint32_t i = 0; s == UNF_OK && i < all->count; i++) {
    struct access *a = &all->list[i];
    unf_operation o = a->store ? UNF_OP_STORE(places[a->place], 0) : UNF_OP_LOAD(places[a->place]);
    unf_action action = {a->store ? UNF_DID_WRITE : UNF_DID_READ, threads[a->thread],
                         places[a->place], 0, 0};
    s = unf_configuration_offer(c, threads[a->thread], &o);
    if (s == UNF_OK) s = unf_configuration_perform(c, &action, &a->event);
  }
  return s;
}

struct told {
  const struct accesses *all;
  uint32_t set, last, blocks, count;
  bool wrong;
};

static bool tell(void *user, unf_event event) {
  struct told *t = user;
  uint32_t which = 0;
  while (which < t->all->count && t->all->list[which].event != event)
    which++;
  t->wrong = which == t->all->count || !is_next(t->all, t->set, which);
  if (t->wrong) return false;
  const struct access *a = &t->all->list[which];
  t->blocks += t->count++ == 0 || a->thread != t->last;
  t->last = a->thread;
  t->set = with(t->set, a);
  return true;
}

static const char *compare(const unf_configuration *c, const struct accesses *all, uint64_t steps,
                           struct counts *counts) {
  const uint32_t fewest = fewest_blocks(all);
  struct told told = {all, 0, 0, 0, 0, false};
  unf_switches found;
  if (unf_configuration_fewest_switches(c, steps, tell, &told, &found) != UNF_OK)
    return "the call fails";
  if (told.wrong || told.count != all->count) return "what is visited is no linearisation";
  if (told.blocks - 1 != found.switches) return "another number of switches is said";
  if (found.least > fewest - 1) return "the bound is too high";
  if (told.blocks < fewest) return "the definition is wrong";
  if (steps == UINT64_MAX && told.blocks != fewest) return "it is not the fewest";
  if (steps == UINT64_MAX && found.least != fewest - 1) return "it is not proved";
  counts->configurations += steps == UINT64_MAX;
  counts->searched += steps == 0 && told.blocks != fewest;
  counts->raised += steps == 0 && found.least != fewest - 1;
  return NULL;
}

static void print(const struct accesses *all) {
  for (uint32_t i = 0; i < all->count; i++)
    printf("  thread %" PRIu32 " %s %" PRIu32 "\n", all->list[i].thread,
           all->list[i].store ? "stores" : "loads", all->list[i].place);
}

bool check_accesses(uint64_t seed, struct counts *counts) {
  random_source random = {seed};
  struct accesses all;
  unf_context *context = NULL;
  unf_unfolding *u = NULL;
  unf_configuration *c = NULL;
  draw(&all, &random);
  unf_status s = unf_context_new(NULL, &context);
  if (s == UNF_OK) s = unf_unfolding_new(context, NULL, &u);
  if (s == UNF_OK) s = unf_configuration_new(u, &c);
  if (s == UNF_OK) s = perform(u, c, &all);
  const char *wrong = s == UNF_OK ? NULL : "it cannot be performed";
  if (wrong == NULL) wrong = compare(c, &all, UINT64_MAX, counts);
  if (wrong == NULL) wrong = compare(c, &all, 0, counts);
  if (wrong == NULL) wrong = compare(c, &all, random_below(&random, 1000), counts);
  if (wrong != NULL) {
    printf("FAILED: %s\n", wrong);
    print(&all);
  }
  unf_configuration_free(c);
  unf_unfolding_free(u);
  unf_context_free(context);
  return wrong == NULL;
}
