/*
 * The linearisation with the fewest switches, of random programs in every order of their threads.
 * All linearisations of a configuration are the ways to it in the lattice, so the fewest switches
 * of each one are found by going through the lattice once: the least over its last steps, by the
 * thread that made them. For small programs every way is gone instead, one by one. Each
 * configuration of the library must have a linearisation with as many, which is said to be proved;
 * and with few steps of the search one that is none better, with a bound that holds.
 *
 *   random_switches [--programs N] [--seed S] [--only SEED]
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bridge.h"
#include "permutation.h"
#include "sketch.h"
#include "switches.h"

enum { LONGEST = 512, WAYS = 3000, FAMILIES = 127 - FAMILY_RANGE };

static uint32_t less(uint32_t a, uint32_t b) {
  return a < b ? a : b;
}

/* By configuration and last thread, the fewest blocks; ORACLE_NONE: it does not end so. */
static uint32_t *through_the_lattice(const lattice *l) {
  const size_t threads = l->program->thread_count;
  uint32_t *blocks = oracle_allocate(l->configuration_count * threads * sizeof *blocks);
  memset(blocks, 0xff, l->configuration_count * threads * sizeof *blocks);
  for (size_t c = 0; c < l->configuration_count; c++) {
    const configuration *from = &l->configurations[c];
    for (uint32_t i = 0; i < from->edge_count; i++) {
      const edge *e = &l->edges[from->first_edge + i];
      const uint32_t thread = l->events[e->event].action.thread;
      uint32_t *to = &blocks[e->to * threads + thread];
      if (from->count == 0) *to = 1;
      for (uint32_t t = 0; t < threads; t++)
        if (blocks[c * threads + t] != ORACLE_NONE)
          *to = less(*to, blocks[c * threads + t] + (t != thread));
    }
  }
  return blocks;
}

static uint32_t *fewest_of_all(const lattice *l) {
  uint32_t *blocks = through_the_lattice(l);
  uint32_t *fewest = oracle_allocate(l->configuration_count * sizeof *fewest);
  for (size_t c = 0; c < l->configuration_count; c++) {
    fewest[c] = l->configurations[c].count == 0 ? 1 : ORACLE_NONE;
    for (size_t t = 0; t < l->program->thread_count; t++)
      fewest[c] = less(fewest[c], blocks[c * l->program->thread_count + t]);
  }
  free(blocks);
  return fewest;
}

/* Every way, one by one. */
static void go_every_way(const lattice *l, uint32_t c, uint32_t last, uint32_t blocks,
                         uint32_t *fewest) {
  const configuration *from = &l->configurations[c];
  fewest[c] = less(fewest[c], from->count == 0 ? 1 : blocks);
  for (uint32_t i = 0; i < from->edge_count; i++) {
    const edge *e = &l->edges[from->first_edge + i];
    const uint32_t thread = l->events[e->event].action.thread;
    go_every_way(l, e->to, thread, blocks + (thread != last), fewest);
  }
}

/* A linearisation as the library gives it. */
struct told {
  const bridge *b;
  uint32_t at, last, blocks; /* the configuration reached */
  bool wrong;
};

static bool tell(void *user, unf_event handle) {
  struct told *t = user;
  unf_action read;
  action a;
  const edge *e = NULL;
  if (unf_event_action(t->b->unfolding, handle, &read) == UNF_OK && bridge_read(t->b, &read, &a))
    e = lattice_step(t->b->lattice, t->at, &a);
  t->wrong = e == NULL;
  if (t->wrong) return false;
  t->blocks += a.thread != t->last;
  t->last = a.thread;
  t->at = e->to;
  return true;
}

static bool ask(const bridge *b, const unf_configuration *c, uint32_t number, uint64_t steps,
                uint32_t fewest, struct counts *counts, report *r) {
  struct told told = {b, 0, ORACLE_NONE, 0, false};
  unf_switches found;
  unf_status s = unf_configuration_fewest_switches(c, steps, tell, &told, &found);
  if (s != UNF_OK) return bridge_fail(b, r, "unf_configuration_fewest_switches", s);
  if (told.wrong) return report_fail(r, "no linearisation of configuration %" PRIu32, number);
  if (told.at != number) return report_fail(r, "not all of configuration %" PRIu32, number);
  const uint32_t switches = told.blocks == 0 ? 0 : told.blocks - 1;
  if (switches != found.switches)
    return report_fail(r, "%" PRIu64 " switches said, %" PRIu32 " made, of configuration %" PRIu32,
                       found.switches, switches, number);
  const bool whole = steps == UINT64_MAX;
  if (found.least > fewest - 1 || switches < fewest - 1 ||
      (whole && (switches != fewest - 1 || found.least != fewest - 1)))
    return report_fail(r,
                       "%" PRIu64 " switches, at least %" PRIu64 ", where %" PRIu32
                       " are the fewest, of configuration %" PRIu32,
                       found.switches, found.least, fewest - 1, number);
  counts->configurations += whole;
  counts->searched += steps == 0 && switches != fewest - 1;
  counts->raised += steps == 0 && found.least != fewest - 1;
  return true;
}

/* What each thread is about to do after a configuration of the lattice. */
static bool offer_all(const bridge *b, unf_configuration *c, uint32_t at, report *r) {
  for (uint32_t t = 0; t < b->program->thread_count; t++) {
    operation o = lattice_next(b->lattice, at, t);
    if (o.kind == OPERATION_WAITING) continue;
    unf_operation op = bridge_operation(b, &o);
    unf_status s = unf_configuration_offer(c, b->threads[t], &op);
    if (s != UNF_OK) return bridge_fail(b, r, "unf_configuration_offer", s);
  }
  return true;
}

/* Performs a configuration of the lattice in the library. */
static bool perform(const bridge *b, unf_configuration *c, const configuration *from, report *r) {
  uint32_t at = 0;
  unf_configuration_clear(c);
  for (uint32_t i = 0; i < from->count; i++) {
    const action *next = &b->lattice->events[from->events[i]].action;
    unf_action a = bridge_action(b, next);
    if (!offer_all(b, c, at, r)) return false;
    unf_status s = unf_configuration_perform(c, &a, NULL);
    if (s != UNF_OK) return bridge_fail(b, r, "unf_configuration_perform", s);
    at = lattice_step(b->lattice, at, next)->to;
  }
  return true;
}

static bool compare_all(const bridge *b, const uint32_t *fewest, random_source *random,
                        struct counts *counts, report *r) {
  const lattice *l = b->lattice;
  unf_configuration *c;
  unf_status s = unf_configuration_new(b->unfolding, &c);
  if (s != UNF_OK) return bridge_fail(b, r, "unf_configuration_new", s);
  bool good = true;
  for (uint32_t i = 0; good && i < l->configuration_count; i++) {
    if (!l->configurations[i].maximal && !random_chance(random, 20)) continue;
    good = perform(b, c, &l->configurations[i], r) &&
           ask(b, c, i, UINT64_MAX, fewest[i], counts, r) &&
           ask(b, c, i, 0, fewest[i], counts, r) &&
           ask(b, c, i, random_below(random, 300), fewest[i], counts, r);
  }
  unf_configuration_free(c);
  return good;
}

static bool in_every_order(const lattice *l, uint64_t seed, struct counts *counts, report *r) {
  uint32_t order[SKETCH_THREADS_MAX] = {0, 1, 2, 3, 4};
  random_source random = {seed};
  uint32_t *fewest = fewest_of_all(l);
  bool good = true;
  if (l->configurations[0].paths <= WAYS) {
    uint32_t *gone = oracle_allocate(l->configuration_count * sizeof *gone);
    memset(gone, 0xff, l->configuration_count * sizeof *gone);
    go_every_way(l, 0, ORACLE_NONE, 0, gone);
    good = memcmp(gone, fewest, l->configuration_count * sizeof *gone) == 0 ||
           report_fail(r, "the two ways to find the fewest differ");
    free(gone);
  }
  for (bool more = true; good && more; more = next_permutation(order, l->program->thread_count)) {
    bridge b;
    good =
        bridge_open(&b, l->program, l, order, 8, r) && compare_all(&b, fewest, &random, counts, r);
    bridge_close(&b);
  }
  free(fewest);
  return good;
}

/* False when it failed, with the program and what is wrong printed. */
static bool check(const char *text, int64_t bound, bool commuting, uint64_t seed,
                  uint64_t *programs, struct counts *counts) {
  report r = {{0}};
  program_options options = {.bound = bound, .commuting = commuting, .saturating = true};
  program *p = program_read(text, &options, r.text);
  bool good = p != NULL;
  lattice *l = good ? lattice_walk(p, 3000) : NULL;
  r.text[0] = '\0';
  if (l != NULL && l->status == LATTICE_WHOLE) {
    good = in_every_order(l, seed, counts, &r);
    ++*programs;
  }
  if (!good) printf("FAILED:\n%s%s\n", text, r.text);
  if (l != NULL) lattice_free(l);
  if (p != NULL) program_free(p);
  return good;
}

int main(int argc, char **argv) {
  uint64_t programs = 300, seed = 1, only = 0, done = 0;
  struct counts counts = {0, 0, 0};
  for (int i = 1; i + 1 < argc; i += 2) {
    uint64_t value = strtoull(argv[i + 1], NULL, 10);
    if (strcmp(argv[i], "--programs") == 0) programs = value;
    if (strcmp(argv[i], "--seed") == 0) seed = value;
    if (strcmp(argv[i], "--only") == 0) only = value;
  }
  for (uint64_t i = 0; i < 20 * programs; i++) {
    const uint64_t drawn = only != 0 ? only : seed * UINT64_C(1000000000) + i;
    if (check_accesses(drawn, &counts)) continue;
    printf("--only %" PRIu64 "\n", drawn);
    return 1;
  }
  for (uint64_t i = 0; done < programs; i++) {
    uint64_t drawn = only != 0 ? only : seed * UINT64_C(1000000000) + i;
    random_source random = {drawn};
    sketch *s = sketch_generate(&random, drawn % 2 == 0 ? 0 : FAMILIES);
    char *text = sketch_text(s);
    bool good = check(text, s->bound, s->commuting, drawn, &done, &counts);
    if (!good) printf("--only %" PRIu64 "\n", drawn);
    free(text);
    sketch_free(s);
    if (!good) return 1;
    if (only != 0) break;
  }
  printf("%" PRIu64 " programs in every order of their threads: %" PRIu64
         " configurations; of %" PRIu64 " the fewest had to be searched for, of %" PRIu64
         " the bound had to be raised\n",
         done, counts.configurations, counts.searched, counts.raised);
  if (only != 0 || programs < 100) return 0;
  return counts.searched > programs / 10 && counts.raised > programs ? 0 : 1;
}
