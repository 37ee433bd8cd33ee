/*
 * Clauses with two watched literals (Moskewicz and others: Chaff, 2001): a clause is looked at only
 * when one of the two becomes false, and nothing is to be undone when values are taken back.
 *
 * The lists of watches go through the clauses, so that moving a watch takes no memory.
 */
#include "alternative/clauses.h"

#include <string.h>

/* Learned clauses of so few levels are kept, those of a few more while they are reasons. */
#define SPREAD_KEPT      2u
#define SPREAD_KEPT_USED 6u
#define SPREAD_MOST      64u

static void watch(struct solver *s, uint32_t record, uint32_t which) {
  uint32_t *words = s->clauses.data + record;
  uint32_t *list = &s->watches[words[CLAUSE_LITERALS + which]];
  words[CLAUSE_NEXT + which] = *list;
  *list = 2 * record + which;
}

uint32_t unfi_clause_keep(struct solver *s, const uint32_t *literals, uint32_t count,
                          uint32_t spread) {
  uint32_t record = s->clauses.count;
  if (!vector_reserve(s->context, &s->clauses, (uint64_t)record + CLAUSE_LITERALS + count))
    return 0;
  uint32_t *words = s->clauses.data + record;
  words[CLAUSE_COUNT] = count;
  words[CLAUSE_SPREAD] = spread;
  memcpy(words + CLAUSE_LITERALS, literals, count * sizeof *literals);
  s->clauses.count = record + CLAUSE_LITERALS + count;
  watch(s, record, 0);
  watch(s, record, 1);
  return record;
}

/* ---- forgetting ---- */

static bool is_dear(uint32_t spread) {
  uint32_t most = spread & USED ? SPREAD_KEPT_USED : SPREAD_KEPT;
  return (spread & ~USED) <= most;
}

static uint32_t rank(uint32_t spread) {
  spread &= ~USED;
  return spread < SPREAD_MOST ? spread : SPREAD_MOST;
}

/* The spread from which on clauses go, and how many with just that, the oldest ones. */
static uint32_t where_to_cut(const struct solver *s, uint32_t *partly) {
  uint32_t counts[SPREAD_MOST + 1] = {0}, excess = s->learned / 2, spread = SPREAD_MOST;
  for (uint32_t r = s->originals; r < s->clauses.count;) {
    const uint32_t *words = s->clauses.data + r;
    if (!is_dear(words[CLAUSE_SPREAD])) counts[rank(words[CLAUSE_SPREAD])]++;
    r += CLAUSE_LITERALS + words[CLAUSE_COUNT];
  }
  for (; spread > 0 && counts[spread] <= excess; spread--)
    excess -= counts[spread];
  *partly = excess;
  return spread;
}

void unfi_clauses_forget(struct solver *s) {
  uint32_t partly, cut = where_to_cut(s, &partly), to = s->originals, size;
  for (uint32_t literal = 0; literal < 2 * s->variables; literal++)
    s->watches[literal] = 0;
  s->learned = 0;
  for (uint32_t r = 1; r < s->clauses.count; r += size) {
    uint32_t *words = s->clauses.data + r, spread = words[CLAUSE_SPREAD], place = r;
    size = CLAUSE_LITERALS + words[CLAUSE_COUNT];
    if (r >= s->originals) {
      uint32_t own = rank(spread);
      bool dear = is_dear(spread);
      if (!dear && (own > cut || (own == cut && partly > 0))) {
        partly -= own == cut;
        continue;
      }
      place = to;
      memmove(s->clauses.data + to, words, size * sizeof *words);
      s->clauses.data[to + CLAUSE_SPREAD] &= ~USED;
      to += size;
      s->learned++;
    }
    watch(s, place, 0);
    watch(s, place, 1);
  }
  s->clauses.count = to;
}

/* ---- propagation ---- */

/* Goes through the clauses that watch a literal which became false. */
static bool follow_clauses(struct solver *s, uint32_t literal, struct failure *failure,
                           uint64_t *steps) {
  const int8_t *values = s->values.data;
  uint32_t *link = &s->watches[literal];
  while (*link != 0) {
    uint32_t record = *link / 2, which = *link % 2, i = 2;
    uint32_t *words = s->clauses.data + record, *literals = words + CLAUSE_LITERALS;
    uint32_t count = words[CLAUSE_COUNT], other = literals[1 - which];
    uint32_t *next = &words[CLAUSE_NEXT + which];
    ++*steps;
    if (values[other] <= 0)
      while (i < count && values[literals[i]] < 0)
        i++;
    if (values[other] <= 0 && i < count) {
      *link = *next;
      literals[which] = literals[i];
      literals[i] = literal;
      watch(s, record, which);
      continue;
    }
    if (values[other] < 0) {
      *failure = (struct failure){other, BY_CLAUSE(record)};
      return false;
    }
    if (values[other] == 0) solver_assign(s, other, BY_CLAUSE(record));
    link = next;
  }
  return true;
}

/* What a variable that became true excludes. */
static bool follow_theory(struct solver *s, uint32_t variable, struct failure *failure,
                          uint64_t *steps) {
  const uint64_t *row = s->theory->excluded(s->theory->user, variable, steps);
  if (row == NULL) return true;
  for (uint32_t w = 0; w <= s->variables / 64; w++)
    for (uint64_t left = row[w]; left != 0; left &= left - 1) {
      uint32_t literal = 2 * (w * 64 + (uint32_t)__builtin_ctzll(left)) + 1;
      ++*steps;
      if (s->values.data[literal] < 0) {
        *failure = (struct failure){literal, BY_LITERAL(2 * variable)};
        return false;
      }
      if (s->values.data[literal] == 0) solver_assign(s, literal, BY_LITERAL(2 * variable));
    }
  return true;
}

struct failure unfi_clauses_propagate(struct solver *s, uint64_t *steps) {
  struct failure failure = {NONE, BY_DECISION};
  while (s->head < s->trail.count) {
    uint32_t literal = s->trail.data[s->head++];
    ++*steps;
    if (literal % 2 == 0 && !follow_theory(s, literal / 2, &failure, steps)) break;
    if (!follow_clauses(s, literal ^ 1, &failure, steps)) break;
  }
  return failure;
}
