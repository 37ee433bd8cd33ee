/*
 * Names of branches and values of sets (content.h) in two processes that make the same terms in
 * another order, the arguments of each term, too: they must be the same. Without an argument there
 * is no solver, and values that only it finds depend on what was asked before: names are compared.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../src/base/random.h"
#include "content.h"
#include "knowledge.h"

enum { INPUTS = 3, FACTS = 200, DEPTH = 3, STEPS = 200000 };

struct said {
  uint64_t name;
  char *values;
};

/* What the number says, from the first argument on or from the last. */
static term expression(struct terms *t, uint64_t number, int depth, bool backwards) {
  static const enum term_operator operators[] = {TERM_ADD, TERM_SUBTRACT, TERM_EQUAL, TERM_LESS,
                                                 TERM_AT_MOST};
  uint64_t state = number;
  const uint64_t drawn = splitmix64(&state), parts[2] = {splitmix64(&state), splitmix64(&state)};
  if (depth == 0) return terms_input(t, (uint32_t)(drawn % INPUTS), -4, 4);
  term arguments[2];
  for (int i = 0; i < 2; i++)
    arguments[backwards ? 1 - i : i] =
        expression(t, parts[backwards ? 1 - i : i], depth - 1, backwards);
  return terms_binary(t, operators[drawn % (sizeof operators / sizeof *operators)], arguments[0],
                      arguments[1]);
}

static bool say(struct knowledge *k, uint64_t number, bool backwards, struct said *said) {
  const term sum = expression(&k->terms, number, DEPTH, backwards);
  const term fact =
      terms_binary(&k->terms, TERM_LESS, sum, terms_constant(&k->terms, (int64_t)(number % 9) - 6));
  const struct outcome outcomes[] = {{.fact = fact}, {.fact = terms_not(&k->terms, fact)}};
  const uint32_t branch = branches_intern(&k->branches, outcomes, 2);
  knowledge_begin_set(k);
  const uint32_t set = knowledge_with(k, knowledge_end_set(k), fact);
  if (branch == UINT32_MAX || set == UINT32_MAX || !content_name(k, branch)) return false;
  json_t *values = content_witness(k, set);
  said->name = k->content.names[branch];
  said->values = values == NULL ? NULL : json_dumps(values, JSON_ENCODE_ANY | JSON_SORT_KEYS);
  json_decref(values);
  return said->values != NULL;
}

static bool say_all(const char *solver, bool backwards, struct said *said) {
  static const char *const names[INPUTS] = {"x", "y", "z"};
  struct knowledge k;
  bool good = knowledge_open(&k);
  k.solver.program = solver;
  k.solver.steps = STEPS;
  for (uint32_t i = 0; good && i < INPUTS; i++)
    good = knowledge_declare(&k, names[i], -4, 4);
  for (uint32_t i = 0; good && i < FACTS; i++) {
    const uint32_t number = backwards ? FACTS - 1 - i : i;
    good = say(&k, number, backwards, &said[number]);
  }
  knowledge_close(&k);
  return good;
}

int main(int argc, char **argv) {
  const char *solver = argc > 1 ? argv[1] : "/nonexistent";
  static struct said one[FACTS], other[FACTS];
  unsigned wrong = 0, known = 0;
  signal(SIGPIPE, SIG_IGN); /* of a solver that is not there */
  if (!say_all(solver, false, one) || !say_all(solver, true, other)) return EXIT_FAILURE;
  for (unsigned i = 0; i < FACTS; i++) {
    const bool same =
        one[i].name == other[i].name && (argc == 1 || strcmp(one[i].values, other[i].values) == 0);
    if (!same)
      printf("%u: %llx %s, and %llx %s\n", i, (unsigned long long)one[i].name, one[i].values,
             (unsigned long long)other[i].name, other[i].values);
    wrong += !same;
    known += strcmp(one[i].values, "null") != 0;
    free(one[i].values);
    free(other[i].values);
  }
  printf("%u facts, %u with values, %u wrong\n", FACTS, known, wrong);
  return wrong == 0 && known > FACTS / 6 ? EXIT_SUCCESS : EXIT_FAILURE;
}
