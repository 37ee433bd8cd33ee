/*
 * Sets of facts as they are kept (facts.h) against lists that are kept as they are: random sets
 * that grow out of others, lose facts and are joined. Two are one set if they have the same facts,
 * and a set has the facts that it was made of. Many sets, each with a fact more than the one
 * before, take O(log) places for each.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../src/base/random.h"
#include "facts.h"

enum { ROUNDS = 40, SETS = 120, FACTS = 400, CHAIN = 4000, DEPTH = 14 };

struct list {
  bool has[FACTS + 1];
  uint32_t set;
};

static uint64_t state = 7;

static uint64_t draw(uint64_t below) {
  return splitmix64(&state) % below;
}

static uint32_t write_out(const struct list *l, term *facts) {
  uint32_t count = 0;
  for (term i = 1; i <= FACTS; i++)
    if (l->has[i]) facts[count++] = i;
  return count;
}

static int fail(const char *what, uint32_t set) {
  fprintf(stderr, "set %u: %s\n", set, what);
  return EXIT_FAILURE;
}

static bool take(void *user, term fact) {
  struct list *l = user;
  const bool descends = fact < l->set && l->has[fact];
  l->has[fact] = false;
  l->set = fact;
  return descends;
}

/* What one has beside another, and nothing else, is visited, from the last on. */
static bool is_beyond(const struct facts *f, const struct list *one, const struct list *other) {
  struct list left = {.set = UINT32_MAX};
  for (unsigned i = 1; i <= FACTS; i++)
    left.has[i] = one->has[i] && !other->has[i];
  bool good = facts_beyond(f, one->set, other->set, take, &left);
  for (unsigned i = 1; i <= FACTS; i++)
    good &= !left.has[i];
  return good;
}

static int check(const struct facts *f, const struct list *lists, unsigned count) {
  term facts[FACTS + 1], listed[FACTS + 1];
  for (unsigned i = 0; i < count; i++) {
    const uint32_t set = lists[i].set, size = write_out(&lists[i], facts);
    if (facts_count(f, set) != size) return fail("another number of facts", set);
    facts_list(f, set, listed);
    if (memcmp(listed, facts, size * sizeof *facts) != 0) return fail("other facts", set);
    for (term fact = 1; fact <= FACTS; fact++)
      if (facts_has(f, set, fact) != lists[i].has[fact]) return fail("another fact", set);
    if (!is_beyond(f, &lists[i], &lists[draw(count)])) return fail("beyond another one", set);
    for (unsigned j = 0; j < i; j++)
      if ((lists[j].set == set) != (memcmp(lists[j].has, lists[i].has, sizeof lists[i].has) == 0))
        return fail("one of two, or two of one", set);
  }
  return EXIT_SUCCESS;
}

/* One like another one, with facts more and less, or with all of a third one. Returns the set that
 * is made of theirs, if no fact is left out. */
static uint32_t change(struct facts *f, struct list *l, const struct list *lists, unsigned count) {
  const struct list *from = &lists[draw(count)], *with = &lists[draw(count)];
  const bool joined = draw(4) == 0;
  *l = *from;
  if (joined) l->set = facts_union(f, from->set, with->set);
  for (unsigned i = 1; i <= FACTS; i++)
    l->has[i] |= joined && with->has[i];
  for (uint64_t more = draw(draw(3) == 0 ? 60 : 3); more > 0; more--) {
    const term fact = 1 + (term)draw(FACTS);
    l->has[fact] = true;
    l->set = facts_with(f, l->set, fact);
  }
  uint64_t less = draw(5) == 0 ? draw(20) : 0;
  const uint32_t set = less == 0 ? l->set : UINT32_MAX;
  for (; less > 0; less--)
    l->has[1 + draw(FACTS)] = false;
  return set;
}

static int round_of_sets(void) {
  static struct list lists[SETS];
  struct facts f;
  term facts[FACTS + 1];
  if (!facts_make(&f)) return fail("no memory", 0);
  memset(lists, 0, sizeof lists);
  int status = EXIT_SUCCESS;
  for (unsigned i = 0; i < SETS && status == EXIT_SUCCESS; i++) {
    const uint32_t made = i > 0 ? change(&f, &lists[i], lists, i) : UINT32_MAX;
    lists[i].set = facts_intern(&f, facts, write_out(&lists[i], facts));
    if (lists[i].set == UINT32_MAX) status = fail("no memory", i);
    if (made != UINT32_MAX && made != lists[i].set) status = fail("two of one", made);
  }
  if (status == EXIT_SUCCESS) status = check(&f, lists, SETS);
  facts_free(&f);
  return status;
}

static int chain(void) {
  static term list[CHAIN];
  struct facts f;
  if (!facts_make(&f)) return fail("no memory", 0);
  for (uint32_t i = 0; i < CHAIN; i++) {
    list[i] = 40 * i + 1;
    facts_intern(&f, list, i + 1);
  }
  const bool small = f.node_count < DEPTH * CHAIN;
  facts_free(&f);
  return small ? EXIT_SUCCESS : fail("a chain of sets takes too much", 0);
}

int main(void) {
  int status = chain();
  for (unsigned i = 0; i < ROUNDS && status == EXIT_SUCCESS; i++)
    status = round_of_sets();
  return status;
}
