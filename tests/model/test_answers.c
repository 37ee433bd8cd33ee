/*
 * Sets of facts against trying all values: random facts over inputs with few values, in sets that
 * grow out of others, are asked for as programs do; what is answered, the values that come with it,
 * and facts that are said to exclude each other have to be right. In some rounds facts say that the
 * values are few, and the inputs have many; in others one input has as many as are tried, or one
 * more. Without an argument there is no solver, and unknown is an answer, but not where all inputs
 * have few values; with its program there are few.
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
  ROUNDS_WITH_SOLVER = 4,
  SETS = 30,
  DEPTH = 3,
  FACTS_MAX = 64,
  STEPS = 200000
};

struct range {
  int64_t low, high;
};
static const struct range few[INPUTS] = {{0, 2}, {-3, 3}, {-1, 1}, {5, 9}};
static const struct range many = {-(INT64_C(1) << 40), INT64_C(1) << 40};
/* What values the inputs can have, and as what they are declared. */
static struct range ranges[INPUTS], declared[INPUTS];

/* For a round, and whether everything is to be decided in it. With a solver facts alone bound the
 * inputs, so that it is asked. */
static bool choose_ranges(unsigned round, bool with_solver) {
  const bool by_facts = with_solver || round % 4 == 1, most = round % 200 == 10,
             more = round % 200 == 110;
  memcpy(ranges, few, sizeof ranges);
  if (most || more) ranges[3] = (struct range){-100, DOMAIN_VALUES - (most ? 101 : 100)};
  for (unsigned i = 0; i < INPUTS; i++)
    declared[i] = by_facts ? many : ranges[i];
  return !by_facts && !more;
}

static uint64_t state = 1;

static uint64_t draw(uint64_t below) {
  return splitmix64(&state) % below;
}

/* The input that an expression is about; INPUTS: any. */
static unsigned about = INPUTS;

static term expression(struct terms *t, int depth) {
  static const enum term_operator frequent[] = {
      TERM_ADD, TERM_SUBTRACT, TERM_EQUAL, TERM_LESS, TERM_ITE, TERM_AND, TERM_OR, TERM_SHIFT_LEFT};
  if (depth == 0 || draw(4) == 0) {
    const unsigned input = about < INPUTS ? about : (unsigned)draw(INPUTS);
    if (draw(40) == 0) return terms_constant(t, draw(2) == 0 ? INT64_MAX - 1 : INT64_MIN + 1);
    if (draw(3) == 0) return terms_constant(t, (int64_t)draw(12) - 4);
    return terms_input(t, input, declared[input].low, declared[input].high);
  }
  const term a = expression(t, depth - 1), b = expression(t, depth - 1);
  const enum term_operator op = draw(2) == 0
                                    ? (enum term_operator)(TERM_ADD + draw(TERM_ITE - TERM_ADD + 1))
                                    : frequent[draw(sizeof frequent / sizeof *frequent)];
  return op == TERM_ITE ? terms_ite(t, a, b, expression(t, depth - 1)) : terms_binary(t, op, a, b);
}

/* What programs ask about is mostly a comparison, and often of one input. */
static term fact(struct terms *t) {
  static const enum term_operator comparisons[] = {TERM_EQUAL, TERM_LESS, TERM_AT_MOST};
  about = (unsigned)draw(2 * INPUTS);
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

static uint64_t asked[3], cores, tried;

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
  term facts[FACTS_MAX], core[FACTS_MAX];
  uint32_t core_count = 0;
  const uint32_t count = facts_count(&k->facts, set);
  facts_list(&k->facts, set, facts);
  const enum solver_answer answer =
      knowledge_look_up(k, set, like, draw(2) == 0 ? core : NULL, &core_count);
  asked[answer]++;
  if (answer == SOLVER_UNKNOWN) return EXIT_SUCCESS;
  if ((answer == SOLVER_YES) != possible(k, facts, count))
    return differ(k, facts, count, answer == SOLVER_YES ? "is not possible" : "is possible");
  if (answer == SOLVER_YES && !all_hold(k, facts, count, knowledge_values(k, k->sets[set].model)))
    return differ(k, facts, count, "values that do not make it true");
  for (uint32_t i = 0; answer == SOLVER_NO && i < core_count; i++)
    if (!facts_has(&k->facts, set, core[i])) return differ(k, core, core_count, "another core");
  cores += answer == SOLVER_NO && core_count > 0;
  if (answer == SOLVER_NO && core_count > 0 && possible(k, core, core_count))
    return differ(k, core, core_count, "a core that is possible");
  return EXIT_SUCCESS;
}

static uint32_t set_of(struct knowledge *k, term a, term b, term c) {
  const uint32_t none = (knowledge_begin_set(k), knowledge_end_set(k));
  return knowledge_with(k, knowledge_with(k, knowledge_with(k, none, a), b), c);
}

/* Two parts of which values are known, each from another question: together they are possible, with
 * values of all inputs of each. A product is nothing that values are found for by changing some. */
static int join_parts(struct knowledge *k) {
  struct terms *t = &k->terms;
  const term x = terms_input(t, 0, declared[0].low, declared[0].high);
  const term y = terms_input(t, 1, declared[1].low, declared[1].high);
  const term z = terms_input(t, 2, declared[2].low, declared[2].high);
  const term zero = terms_constant(t, 0), one = terms_constant(t, 1), four = terms_constant(t, 4);
  const term large = terms_binary(t, TERM_LESS, one, x);
  const term sum = terms_binary(t, TERM_EQUAL, terms_binary(t, TERM_ADD, x, y), four);
  const term product = terms_binary(t, TERM_EQUAL, terms_binary(t, TERM_MULTIPLY, z, z), zero);
  const term other = terms_binary(t, TERM_EQUAL, z, one);
  const term before[][3] = {
      {product, product, product},
      {large, sum, other},
      {large, sum, sum},
      {terms_binary(t, TERM_EQUAL, x, zero), terms_binary(t, TERM_EQUAL, y, zero), other}};
  for (unsigned i = 0; i < sizeof before / sizeof *before; i++)
    if (check(k, set_of(k, before[i][0], before[i][1], before[i][2]), UINT32_MAX) != EXIT_SUCCESS)
      return EXIT_FAILURE;
  const uint32_t all = set_of(k, large, sum, product);
  if (check(k, all, UINT32_MAX) != EXIT_SUCCESS) return EXIT_FAILURE;
  if (k->sets[all].answer == SOLVER_YES) return EXIT_SUCCESS;
  puts("two parts that are possible are not");
  return EXIT_FAILURE;
}

/* A product that only the last of many values make what it is to be. */
static int last_values(struct knowledge *k) {
  struct terms *t = &k->terms;
  const term w = terms_input(t, 3, declared[3].low, declared[3].high);
  const term x = terms_input(t, 1, declared[1].low, declared[1].high);
  const int64_t number = ranges[3].high * ranges[3].high * ranges[1].high;
  const term product = terms_binary(t, TERM_MULTIPLY, terms_binary(t, TERM_MULTIPLY, w, w), x);
  const term is = terms_binary(t, TERM_EQUAL, product, terms_constant(t, number));
  return check(k, set_of(k, is, is, is), UINT32_MAX);
}

/* A term of one input with so many terms in it, another one for each number. */
static term chain(struct terms *t, unsigned length, unsigned number) {
  term a = terms_input(t, 1, declared[1].low, declared[1].high);
  for (unsigned i = 0; i < length; i += 2)
    a = terms_binary(t, i % 4 == 0 ? TERM_XOR : TERM_MULTIPLY, a,
                     terms_constant(t, 2 * i + number));
  return a;
}

/* Facts of more terms than are computed for all values at once, and of more than are tried. */
static int many_terms(struct knowledge *k) {
  struct terms *t = &k->terms;
  for (unsigned length = 5000; length < 500000; length *= 20) {
    const term a = chain(t, length, 3), b = chain(t, length, 7), zero = terms_constant(t, 0);
    const term odd = terms_binary(t, TERM_AND, a, terms_constant(t, 1));
    const term less = terms_binary(t, TERM_LESS, a, zero);
    const term differs = terms_not(t, terms_binary(t, TERM_EQUAL, a, odd));
    const term more = terms_binary(t, TERM_LESS, a, b);
    const uint64_t unknown = asked[SOLVER_UNKNOWN];
    if (check(k, set_of(k, more, more, more), UINT32_MAX) != EXIT_SUCCESS ||
        check(k, set_of(k, terms_not(t, more), less, less), UINT32_MAX) != EXIT_SUCCESS ||
        check(k, set_of(k, terms_truth(t, odd), less, differs), UINT32_MAX) != EXIT_SUCCESS ||
        check(k, set_of(k, terms_not(t, terms_truth(t, odd)), less, less), UINT32_MAX) !=
            EXIT_SUCCESS ||
        check(k, set_of(k, terms_binary(t, TERM_EQUAL, a, odd), less, odd), UINT32_MAX) !=
            EXIT_SUCCESS)
      return EXIT_FAILURE;
    printf("%u terms: %llu unknown\n", length,
           (unsigned long long)(asked[SOLVER_UNKNOWN] - unknown));
    if (length == 5000 && asked[SOLVER_UNKNOWN] > unknown) return EXIT_FAILURE;
  }
  return EXIT_SUCCESS;
}

/* The facts that bound the inputs, in a set. */
static uint32_t bounds_of(struct knowledge *k) {
  struct terms *t = &k->terms;
  knowledge_begin_set(k);
  for (uint32_t i = 0; i < INPUTS; i++) {
    const term x = terms_input(t, i, declared[i].low, declared[i].high);
    const term low = terms_constant(t, ranges[i].low), high = terms_constant(t, ranges[i].high);
    knowledge_add(k, terms_binary(t, TERM_AT_MOST, low, x));
    knowledge_add(k, terms_binary(t, TERM_AT_MOST, x, high));
  }
  return knowledge_end_set(k);
}

int main(int argc, char **argv) {
  signal(SIGPIPE, SIG_IGN); /* of a solver that is not there */
  const unsigned rounds = argc > 1 ? ROUNDS_WITH_SOLVER : ROUNDS;
  for (unsigned round = 0; round < rounds; round++) {
    struct knowledge k;
    uint32_t sets[SETS + 1];
    const bool decides = choose_ranges(round, argc > 1);
    int status = knowledge_open(&k) ? EXIT_SUCCESS : EXIT_FAILURE;
    k.solver.steps = STEPS;
    k.solver.program = argc > 1 ? argv[1] : "/nonexistent";
    for (uint32_t i = 0; i < INPUTS; i++)
      if (!knowledge_declare(&k, name(NULL, i), declared[i].low, declared[i].high))
        return EXIT_FAILURE;
    if (round == 0) status = join_parts(&k);
    if (round == 0 && status == EXIT_SUCCESS && argc == 1) status = many_terms(&k);
    const uint64_t unknown = asked[SOLVER_UNKNOWN];
    if (status == EXIT_SUCCESS) status = last_values(&k);
    sets[0] = bounds_of(&k);
    for (unsigned i = 1; status == EXIT_SUCCESS && i <= SETS; i++) {
      const uint32_t like = sets[draw(i)];
      sets[i] = knowledge_with(&k, like, fact(&k.terms));
      if (sets[i] == UINT32_MAX) return EXIT_FAILURE;
      status = check(&k, sets[i], draw(4) == 0 ? UINT32_MAX : like);
    }
    tried += k.answers.domains.answers;
    knowledge_close(&k);
    if (decides && asked[SOLVER_UNKNOWN] > unknown) {
      puts("not decided by trying all values");
      status = EXIT_FAILURE;
    }
    if (status != EXIT_SUCCESS) return status;
  }
  printf("%u rounds: %llu sets no, %llu yes, %llu unknown, %llu cores, %llu by trying\n", rounds,
         (unsigned long long)asked[SOLVER_NO], (unsigned long long)asked[SOLVER_YES],
         (unsigned long long)asked[SOLVER_UNKNOWN], (unsigned long long)cores,
         (unsigned long long)tried);
  const uint64_t known = asked[SOLVER_NO] + asked[SOLVER_YES];
  const bool enough = asked[SOLVER_NO] > rounds && asked[SOLVER_YES] > rounds &&
                      cores > rounds / 3 && (argc > 1 || tried > rounds) &&
                      known > (argc > 1 ? 4 : 1) * asked[SOLVER_UNKNOWN];
  return enough ? EXIT_SUCCESS : EXIT_FAILURE;
}
