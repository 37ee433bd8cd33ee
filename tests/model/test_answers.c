/*
 * Sets of facts against trying all values: random facts over inputs with few values, in sets that
 * grow out of others, are asked for as programs do; what is answered, the values that come with it,
 * and facts that are said to exclude each other have to be right. Without an argument there is no
 * solver, and unknown is an answer; with its program there are few.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../src/base/random.h"
#include "answers.h"
#include "knowledge.h"

enum {
  INPUTS = 4,
  ROUNDS = 1000,
  ROUNDS_WITH_SOLVER = 8,
  SETS = 30,
  DEPTH = 3,
  FACTS_MAX = 64,
  STEPS = 200000
};

static const struct { int64_t low, high; } ranges[INPUTS] = {{0, 2}, {-3, 3}, {-1, 1}, {5, 9}};

static uint64_t state = 1;

static uint64_t draw(uint64_t below) {
  return splitmix64(&state) % below;
}

static term expression(struct terms *t, int depth) {
  static const enum term_operator frequent[] = {
      TERM_ADD, TERM_SUBTRACT, TERM_EQUAL, TERM_LESS, TERM_ITE, TERM_AND, TERM_OR, TERM_SHIFT_LEFT};
  if (depth == 0 || draw(4) == 0) {
    const unsigned input = (unsigned)draw(INPUTS);
    if (draw(3) == 0) return terms_constant(t, (int64_t)draw(12) - 4);
    return terms_input(t, input, ranges[input].low, ranges[input].high);
  }
  const term a = expression(t, depth - 1), b = expression(t, depth - 1);
  const enum term_operator op = draw(2) == 0
                                    ? (enum term_operator)(TERM_ADD + draw(TERM_ITE - TERM_ADD + 1))
                                    : frequent[draw(sizeof frequent / sizeof *frequent)];
  return op == TERM_ITE ? terms_ite(t, a, b, expression(t, depth - 1)) : terms_binary(t, op, a, b);
}

/* What programs ask about is mostly a comparison. */
static term fact(struct terms *t) {
  static const enum term_operator comparisons[] = {TERM_EQUAL, TERM_LESS, TERM_AT_MOST};
  if (draw(5) == 0) return terms_truth(t, expression(t, DEPTH));
  const term a = expression(t, DEPTH - 1), b = expression(t, DEPTH - 1);
  const term made = terms_binary(t, comparisons[draw(3)], a, b);
  return draw(3) == 0 ? terms_not(t, made) : made;
}

static bool all_hold(struct knowledge *k, const term *facts, uint32_t count,
                     const int64_t *values) {
  int64_t value = 1;
  for (uint32_t i = 0; i < count && value != 0; i++)
    if (!terms_evaluate(&k->terms, facts[i], values, &value)) exit(EXIT_FAILURE);
  return value != 0;
}

/* Whether some values of the inputs make all facts true. */
static bool possible(struct knowledge *k, const term *facts, uint32_t count) {
  int64_t values[INPUTS];
  for (unsigned i = 0; i < INPUTS; i++)
    values[i] = ranges[i].low;
  for (unsigned i = 0; i < INPUTS;) {
    if (all_hold(k, facts, count, values)) return true;
    for (i = 0; i < INPUTS && values[i] == ranges[i].high; i++)
      values[i] = ranges[i].low;
    if (i < INPUTS) values[i]++;
  }
  return false;
}

static uint64_t asked[3], cores;

static const char *name(void *user, uint32_t input) {
  (void)user;
  return (const char *[]){"x", "y", "z", "w"}[input];
}

static int differ(struct knowledge *k, const term *facts, uint32_t count, const char *what) {
  char text[2000];
  printf("%s:\n", what);
  for (uint32_t i = 0; i < count; i++) {
    terms_text(&k->terms, facts[i], name, NULL, text, sizeof text);
    printf("  %s\n", text);
  }
  return EXIT_FAILURE;
}

static int check(struct knowledge *k, uint32_t set, uint32_t like) {
  term facts[FACTS_MAX], excluded[FACTS_MAX];
  uint32_t core[FACTS_MAX], core_count = 0;
  const uint32_t count = k->facts.items[set].count;
  for (uint32_t i = 0; i < count; i++)
    facts[i] = branches_outcomes(&k->facts, set)[i].fact;
  const enum solver_answer answer =
      knowledge_look_up(k, set, like, draw(2) == 0 ? core : NULL, &core_count);
  asked[answer]++;
  if (answer == SOLVER_UNKNOWN) return EXIT_SUCCESS;
  if ((answer == SOLVER_YES) != possible(k, facts, count))
    return differ(k, facts, count, answer == SOLVER_YES ? "is not possible" : "is possible");
  if (answer == SOLVER_YES && !all_hold(k, facts, count, knowledge_values(k, k->sets[set].model)))
    return differ(k, facts, count, "values that do not make it true");
  for (uint32_t i = 0; answer == SOLVER_NO && i < core_count; i++)
    excluded[i] = facts[core[i]];
  cores += answer == SOLVER_NO && core_count > 0;
  if (answer == SOLVER_NO && core_count > 0 && possible(k, excluded, core_count))
    return differ(k, excluded, core_count, "a core that is possible");
  return EXIT_SUCCESS;
}

int main(int argc, char **argv) {
  signal(SIGPIPE, SIG_IGN); /* of a solver that is not there */
  const unsigned rounds = argc > 1 ? ROUNDS_WITH_SOLVER : ROUNDS;
  for (unsigned round = 0; round < rounds; round++) {
    struct knowledge k;
    uint32_t sets[SETS + 1];
    int status = knowledge_open(&k) ? EXIT_SUCCESS : EXIT_FAILURE;
    k.solver.steps = STEPS;
    k.solver.program = argc > 1 ? argv[1] : "/nonexistent";
    for (uint32_t i = 0; i < INPUTS; i++)
      if (!knowledge_declare(&k, name(NULL, i), ranges[i].low, ranges[i].high)) return EXIT_FAILURE;
    knowledge_begin_set(&k);
    sets[0] = knowledge_end_set(&k);
    for (unsigned i = 1; status == EXIT_SUCCESS && i <= SETS; i++) {
      const uint32_t like = sets[draw(i)];
      sets[i] = knowledge_with(&k, like, fact(&k.terms));
      if (sets[i] == UINT32_MAX) return EXIT_FAILURE;
      status = check(&k, sets[i], draw(4) == 0 ? UINT32_MAX : like);
    }
    knowledge_close(&k);
    if (status != EXIT_SUCCESS) return status;
  }
  printf("%u rounds: %llu sets no, %llu yes, %llu unknown, %llu cores\n", rounds,
         (unsigned long long)asked[SOLVER_NO], (unsigned long long)asked[SOLVER_YES],
         (unsigned long long)asked[SOLVER_UNKNOWN], (unsigned long long)cores);
  const uint64_t known = asked[SOLVER_NO] + asked[SOLVER_YES];
  const bool enough = asked[SOLVER_NO] > rounds && asked[SOLVER_YES] > rounds &&
                      cores > rounds / 3 && known > (argc > 1 ? 4 : 1) * asked[SOLVER_UNKNOWN];
  return enough ? EXIT_SUCCESS : EXIT_FAILURE;
}
