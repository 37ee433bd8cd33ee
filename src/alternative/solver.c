/*
 * Search by conflict-driven clause learning: clauses.c finds what follows from the values so far,
 * analysis.c makes a clause of a failure, weights.c says which variable is next. It gets the value
 * that it had last, at first the one that most clauses want; where the theory admits variables,
 * false, so that none is true without need.
 *
 * From time to time the search begins again from the start with what it has learned. The times grow
 * (Luby, Sinclair, Zuckerman: Optimal speedup of Las Vegas algorithms, 1993), and so does the
 * number of clauses that are kept; so it ends.
 */
#include "alternative/solver.h"

#include <string.h>

#include "alternative/analysis.h"
#include "alternative/weights.h"

/* Learned clauses that are kept at first, and more after each time that some were forgotten. */
#ifdef UNF_PLAIN_ARENAS
#define FAILURES_BETWEEN_RESTARTS 4u
#define CLAUSES_KEPT              12u
#define CLAUSES_KEPT_MORE         4u
#else
#define FAILURES_BETWEEN_RESTARTS 64u
#define CLAUSES_KEPT              2000u
#define CLAUSES_KEPT_MORE         500u
#endif

void unfi_solver_free(unf_context *context, struct solver *s) {
  vector_free(context, &s->numbers);
  vector_free(context, &s->values);
  vector_free(context, &s->seen);
  vector_free(context, &s->weights);
  vector_free(context, &s->heap);
  vector_free(context, &s->clauses);
  vector_free(context, &s->trail);
  vector_free(context, &s->levels);
  vector_free(context, &s->members);
  vector_free(context, &s->open);
  vector_free(context, &s->marked);
  vector_free(context, &s->admitted);
}

/* ---- beginning ---- */

/* Room for everything but clauses. Returns false when refused. */
static bool reserve(struct solver *s) {
  uint64_t variables = s->variables;
  return vector_reserve(s->context, &s->numbers, 7 * variables + 1) &&
         vector_reserve(s->context, &s->values, 2 * variables) &&
         vector_reserve(s->context, &s->seen, variables) &&
         vector_reserve(s->context, &s->weights, variables) &&
         vector_reserve(s->context, &s->heap, variables) &&
         vector_reserve(s->context, &s->trail, variables) &&
         vector_reserve(s->context, &s->levels, variables) &&
         vector_reserve(s->context, &s->members, variables + 1) &&
         vector_reserve(s->context, &s->open, variables) &&
         vector_reserve(s->context, &s->marked, variables) &&
         vector_reserve(s->context, &s->admitted, variables) &&
         vector_reserve(s->context, &s->clauses, 1);
}

bool unfi_solver_begin(struct solver *s, unf_context *context, uint32_t variables,
                       const struct theory *theory) {
  s->context = context;
  s->theory = theory;
  s->variables = variables;
  if (!reserve(s)) return false;
  uint32_t **parts[] = {&s->level_of, &s->reason, &s->place, &s->was_true};
  uint32_t *at = s->numbers.data;
  for (unsigned i = 0; i < sizeof parts / sizeof *parts; i++, at += variables)
    *parts[i] = at;
  s->watches = at;
  s->stamp = at + 2 * (size_t)variables;
  memset(s->numbers.data, 0, (7 * (size_t)variables + 1) * sizeof *s->numbers.data);
  memset(s->values.data, 0, 2 * (size_t)variables);
  memset(s->seen.data, 0, variables);
  for (uint32_t v = 0; v < variables; v++)
    s->weights.data[v] = 0;
  s->level = s->head = s->asked = s->stamps = s->learned = 0;
  s->over = false;
  s->limit = CLAUSES_KEPT;
  s->trail.count = s->levels.count = s->admitted.count = s->members.count = 0;
  s->clauses.count = 1; /* 0 is no record */
  return true;
}

bool unfi_solver_clause(struct solver *s, const uint32_t *literals, uint32_t count) {
  for (uint32_t i = 0; i < count; i++) {
    /* How often a variable is wanted true, less how often false, while clauses are added. */
    s->was_true[literals[i] / 2] += literals[i] % 2 == 0 ? 1 : UINT32_MAX;
    s->weights.data[literals[i] / 2] += 1;
  }
  if (count >= 2) return unfi_clause_keep(s, literals, count, 0) != 0;
  if (count == 0 || s->values.data[literals[0]] < 0)
    s->over = true;
  else if (s->values.data[literals[0]] == 0)
    solver_assign(s, literals[0], BY_DECISION);
  return true;
}

/* ---- the search ---- */

/* Takes back all values above a level. */
static void go_back(struct solver *s, uint32_t level) {
  if (s->level <= level) return;
  uint32_t kept = s->levels.data[level];
  while (s->trail.count > kept) {
    uint32_t literal = s->trail.data[--s->trail.count];
    s->values.data[literal] = s->values.data[literal ^ 1] = 0;
    s->was_true[literal / 2] = literal % 2 == 0;
    unfi_weight_return(s, literal / 2);
  }
  while (s->admitted.count > 0 &&
         s->values.data[2 * s->admitted.data[s->admitted.count - 1].variable] == 0) {
    s->theory->take_back(s->theory->user);
    s->admitted.count--;
  }
  s->head = kept;
  if (s->asked > kept) s->asked = kept;
  s->levels.count = s->level = level;
}

/* Goes back behind a failure with what it teaches. */
static unf_status learn(struct solver *s, struct failure failure) {
  uint32_t back, spread, record = 0;
  s->over = s->level == 0;
  if (s->over) return UNF_OK;
  unfi_analyse(s, failure, &back, &spread);
  unfi_weights_age(s);
  go_back(s, back);
  if (s->members.count > 1) {
    record = unfi_clause_keep(s, s->members.data, s->members.count, spread);
    if (record == 0) return unfi_refused(s->context);
    s->learned++;
  }
  solver_assign(s, s->members.data[0], BY_CLAUSE(record));
  return UNF_OK;
}

/* A variable that the theory refuses: it does not go with those that were admitted and matter. */
static unf_status refuse(struct solver *s, uint32_t variable, struct failure *failure) {
  s->members.count = 0;
  vector_push(&s->members, 2 * variable + 1);
  for (uint32_t i = s->admitted.count; i > 0; i--) {
    const struct admitted *before = &s->admitted.data[i - 1];
    if (before->matters && s->level_of[before->variable] > 0)
      vector_push(&s->members, 2 * before->variable + 1);
  }
  *failure = (struct failure){2 * variable + 1, BY_DECISION};
  if (s->members.count == 1) return UNF_OK;
  uint32_t record = unfi_clause_keep(s, s->members.data, s->members.count, s->members.count);
  if (record == 0) return unfi_refused(s->context);
  s->learned++;
  failure->reason = BY_CLAUSE(record);
  return UNF_OK;
}

/* Asks the theory about what became true. */
static unf_status ask(struct solver *s, struct failure *failure) {
  if (s->theory->admit == NULL) return UNF_OK;
  for (; s->asked < s->trail.count; s->asked++) {
    uint32_t literal = s->trail.data[s->asked];
    struct admitted now = {literal / 2, false};
    bool admitted;
    if (literal % 2 != 0) continue;
    unf_status status = s->theory->admit(s->theory->user, literal / 2, &admitted, &now.matters);
    if (status != UNF_OK) return status;
    if (!admitted) return refuse(s, literal / 2, failure);
    vector_push(&s->admitted, now);
  }
  return UNF_OK;
}

/* 1 1 2 1 1 2 4 1 1 2 1 1 2 4 8 …, from 1 on. */
static uint32_t luby(uint32_t i) {
  for (uint32_t power = 2;; power *= 2) {
    if (i == power - 1) return power / 2;
    if (i < power - 1) {
      i -= power / 2 - 1;
      power = 1;
    }
  }
}

static void begin_again(struct solver *s) {
  go_back(s, 0);
  if (s->learned < s->limit) return;
  unfi_clauses_forget(s);
  s->limit += CLAUSES_KEPT_MORE;
}

/* Decides a variable; returns false when all have a value. */
static bool decide(struct solver *s) {
  uint32_t variable;
  do
    variable = unfi_weight_take(s);
  while (variable != NONE && s->values.data[2 * variable] != 0);
  if (variable == NONE) return false;
  bool as_true = s->theory->admit == NULL && s->was_true[variable] != 0;
  vector_push(&s->levels, s->trail.count);
  s->level++;
  solver_assign(s, 2 * variable + !as_true, BY_DECISION);
  return true;
}

unf_status unfi_solver_search(struct solver *s, uint64_t *nodes, bool *found) {
  uint32_t restarts = 1, failures = 0;
  s->originals = s->clauses.count;
  for (uint32_t v = 0; v < s->variables; v++)
    s->was_true[v] = s->was_true[v] <= INT32_MAX;
  unfi_weights_begin(s);
  while (!s->over) {
    uint64_t steps = 1;
    struct failure failure = unfi_clauses_propagate(s, &steps);
    unf_status status = unfi_work(s->context, steps);
    if (status == UNF_OK && failure.literal == NONE) status = ask(s, &failure);
    if (status == UNF_OK && failure.literal != NONE) {
      failures++;
      status = learn(s, failure);
      if (status != UNF_OK) return status;
      continue;
    }
    if (status != UNF_OK) return status;
    if (failures >= FAILURES_BETWEEN_RESTARTS * luby(restarts)) {
      begin_again(s);
      restarts++;
      failures = 0;
    }
    if (!decide(s)) {
      *found = true;
      return UNF_OK;
    }
    ++*nodes;
  }
  return UNF_OK;
}
