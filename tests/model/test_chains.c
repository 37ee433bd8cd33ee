/*
 * Many facts that all share inputs with others, so that a question looks at a part of them: chains,
 * in which each fact is about two inputs that follow each other, and some about one more that many
 * have. What is answered is compared with what goes from one input to the next for each value. With
 * an argument that is the solver.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../src/base/random.h"
#include "answers.h"
#include "knowledge.h"

enum { LINKS = 60, VALUES = 4, SHARED_VALUES = 3, FACTS = 240, STEPS = 200000 };
enum { ROUNDS = 30, FACTS_WITH_SOLVER = 90 };

static uint64_t state = 1;

static uint64_t draw(uint64_t below) {
  return splitmix64(&state) % below;
}

/* By link, shared value, and the values of its two inputs: whether all facts of it hold. */
static bool table[LINKS][SHARED_VALUES][VALUES][VALUES];

static term input(struct terms *t, uint32_t number) {
  return terms_input(t, number, 0, number > 0 ? VALUES - 1 : SHARED_VALUES - 1);
}

static term multiple(struct terms *t, term a, uint64_t most) {
  return terms_binary(t, TERM_MULTIPLY, a, terms_constant(t, (int64_t)draw(most) + 1));
}

/* Inputs 1 to LINKS + 1 are a chain, input 0 is shared. */
static term fact(struct terms *t, uint32_t link) {
  static const enum term_operator comparisons[] = {TERM_EQUAL, TERM_LESS, TERM_AT_MOST, TERM_LESS};
  term a = multiple(t, input(t, link + 1), 3), b = multiple(t, input(t, link + 2), 3);
  if (draw(12) == 0) a = terms_binary(t, TERM_ADD, a, input(t, 0));
  if (draw(6) == 0) b = terms_binary(t, TERM_MULTIPLY, b, b);
  b = terms_binary(t, TERM_ADD, b, terms_constant(t, (int64_t)draw(4) - 1));
  const term made = terms_binary(t, comparisons[draw(4)], a, b);
  return draw(3) == 0 ? terms_not(t, made) : made;
}

static void restrict_link(struct knowledge *k, uint32_t link, term a) {
  int64_t values[LINKS + 2] = {0}, truth = 0;
  for (int shared = 0; shared < SHARED_VALUES; shared++)
    for (int x = 0; x < VALUES; x++)
      for (int y = 0; y < VALUES; y++) {
        values[0] = shared;
        values[link + 1] = x;
        values[link + 2] = y;
        if (!terms_evaluate(&k->terms, a, values, &truth)) exit(EXIT_FAILURE);
        table[link][shared][x][y] &= truth != 0;
      }
}

static bool goes_through(int shared) {
  bool reached[VALUES] = {true, true, true, true}, any = true;
  for (uint32_t link = 0; link < LINKS && any; link++) {
    bool next[VALUES] = {false};
    any = false;
    for (int x = 0; x < VALUES; x++)
      for (int y = 0; y < VALUES; y++)
        next[y] |= reached[x] && table[link][shared][x][y];
    for (int y = 0; y < VALUES; y++)
      any |= reached[y] = next[y];
  }
  return any;
}

static bool possible(void) {
  bool any = false;
  for (int shared = 0; shared < SHARED_VALUES; shared++)
    any |= goes_through(shared);
  return any;
}

static bool all_hold(struct knowledge *k, uint32_t set) {
  static term list[FACTS];
  const int64_t *values = knowledge_values(k, k->sets[set].model);
  int64_t truth = values != NULL;
  facts_list(&k->facts, set, list);
  for (uint32_t i = 0; i < knowledge_count(k, set) && truth != 0; i++)
    if (!terms_evaluate(&k->terms, list[i], values, &truth)) exit(EXIT_FAILURE);
  return truth != 0;
}

static uint64_t asked[3];

/* A fact comes to a set that is possible, and stays if it can. False: a wrong answer. */
static bool add(struct knowledge *k, uint32_t *set, uint32_t link) {
  static bool before[SHARED_VALUES][VALUES][VALUES];
  term core[FACTS];
  uint32_t core_count = 0;
  const term more = fact(&k->terms, link);
  const uint32_t next = knowledge_with(k, *set, more);
  memcpy(before, table[link], sizeof before);
  restrict_link(k, link, more);
  const enum solver_answer answer =
      knowledge_look_up(k, next, *set, draw(2) == 0 ? core : NULL, &core_count);
  asked[answer]++;
  if (answer == SOLVER_YES) *set = next;
  if (answer == SOLVER_YES && !all_hold(k, next)) return false;
  const bool good = answer == SOLVER_UNKNOWN || (answer == SOLVER_YES) == possible();
  if (answer != SOLVER_YES) memcpy(table[link], before, sizeof before);
  for (uint32_t i = 0; i < core_count; i++)
    if (!facts_has(&k->facts, next, core[i])) return false;
  return good;
}

/* Most facts are about links in the order of the chain, as programs read one input after another.
 */
static bool chain(const char *solver, uint32_t facts) {
  struct knowledge k;
  char name[16];
  bool good = knowledge_open(&k);
  k.solver.steps = STEPS;
  k.solver.program = solver;
  memset(table, true, sizeof table);
  for (uint32_t i = 0; good && i < LINKS + 2; i++) {
    snprintf(name, sizeof name, "x%u", (unsigned)i);
    good = knowledge_declare(&k, name, 0, i > 0 ? VALUES - 1 : SHARED_VALUES - 1);
  }
  knowledge_begin_set(&k);
  uint32_t set = knowledge_end_set(&k);
  for (uint32_t i = 0; good && i < facts; i++)
    good = add(&k, &set, i < LINKS || draw(3) == 0 ? i % LINKS : (uint32_t)draw(LINKS));
  knowledge_close(&k);
  return good;
}

int main(int argc, char **argv) {
  signal(SIGPIPE, SIG_IGN); /* of a solver that is not there */
  const unsigned rounds = argc > 1 ? 1 : ROUNDS;
  for (unsigned round = 0; round < rounds; round++)
    if (argc > 1 ? !chain(argv[1], FACTS_WITH_SOLVER) : !chain("/nonexistent", FACTS)) {
      printf("round %u: a wrong answer\n", round);
      return EXIT_FAILURE;
    }
  printf("%u chains: %llu facts no, %llu yes, %llu unknown\n", rounds,
         (unsigned long long)asked[SOLVER_NO], (unsigned long long)asked[SOLVER_YES],
         (unsigned long long)asked[SOLVER_UNKNOWN]);
  return asked[SOLVER_NO] > 3 * rounds && asked[SOLVER_YES] > 40 * rounds ? EXIT_SUCCESS
                                                                          : EXIT_FAILURE;
}
