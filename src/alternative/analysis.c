/*
 * Failures are traced back (Marques-Silva, Sakallah: GRASP, 1999): a literal that is true for a
 * reason is replaced by its reason, the last one first, until one of the level of the failure is
 * left (the first unique implication point). What follows from the others of the clause is then
 * left out (Sörensson, Biere: Minimizing learned clauses, 2009).
 *
 * What is true at level 0 is no part of any clause.
 */
#include "alternative/analysis.h"

#include "alternative/weights.h"

/* The literals of a reason; one of them can be the literal that it is the reason of. */
struct reason {
  const uint32_t *literals;
  uint32_t count, single;
};

static void read_reason(struct solver *s, uint32_t by, struct reason *out) {
  if (by % 2 != 0) {
    out->single = by / 2 ^ 1;
    out->literals = &out->single;
    out->count = 1;
    return;
  }
  out->literals = NULL;
  out->count = 0;
  if (by == BY_DECISION) return;
  out->literals = s->clauses.data + by / 2 + CLAUSE_LITERALS;
  out->count = s->clauses.data[by / 2 + CLAUSE_COUNT];
}

static bool is_new(const struct solver *s, uint32_t variable) {
  return !s->seen.data[variable] && s->level_of[variable] > 0;
}

static void mark(struct solver *s, uint32_t variable) {
  s->seen.data[variable] = 1;
  vector_push(&s->marked, variable);
}

/* Sees the literals of a reason, but the one of a variable. Returns how many were new and are of
 * the last level; the others become members. */
static uint32_t see(struct solver *s, uint32_t by, uint32_t but) {
  struct reason reason;
  uint32_t here = 0;
  read_reason(s, by, &reason);
  if (by % 2 == 0 && by / 2 >= s->originals) s->clauses.data[by / 2 + CLAUSE_SPREAD] |= USED;
  for (uint32_t i = 0; i < reason.count; i++) {
    uint32_t literal = reason.literals[i], variable = literal / 2;
    if (variable == but || !is_new(s, variable)) continue;
    mark(s, variable);
    unfi_weight_add(s, variable);
    if (s->level_of[variable] == s->level)
      here++;
    else
      vector_push(&s->members, literal);
  }
  return here;
}

/* The members of the clause, and all that was seen for them marked. */
static void trace_back(struct solver *s, struct failure failure) {
  s->members.count = 1;
  s->marked.count = 0;
  uint32_t last = failure.literal / 2, i = s->trail.count;
  uint32_t open = see(s, failure.reason, last);
  /* The literal that failed is false for reasons of its own. */
  if (is_new(s, last)) {
    mark(s, last);
    unfi_weight_add(s, last);
    if (s->level_of[last] == s->level)
      open++;
    else
      vector_push(&s->members, failure.literal);
  }
  for (;;) {
    do
      i--;
    while (!s->seen.data[s->trail.data[i] / 2]);
    uint32_t literal = s->trail.data[i], variable = literal / 2;
    if (--open == 0) {
      s->members.data[0] = literal ^ 1;
      return;
    }
    open += see(s, s->reason[variable], variable);
  }
}

static void unmark(struct solver *s, uint32_t from) {
  while (s->marked.count > from)
    s->seen.data[s->marked.data[--s->marked.count]] = 0;
}

/* Whether a member follows from others: its reasons, traced back, end among them. Levels of which
 * there is no member, those without the present stamp, are no place to end. */
static bool follows(struct solver *s, uint32_t variable) {
  uint32_t known = s->marked.count;
  if (s->reason[variable] == BY_DECISION) return false;
  s->open.count = 0;
  vector_push(&s->open, variable);
  while (s->open.count > 0) {
    uint32_t at = s->open.data[--s->open.count];
    struct reason reason;
    read_reason(s, s->reason[at], &reason);
    for (uint32_t i = 0; i < reason.count; i++) {
      uint32_t other = reason.literals[i] / 2;
      if (other == at || !is_new(s, other)) continue;
      if (s->reason[other] == BY_DECISION || s->stamp[s->level_of[other]] != s->stamps) {
        unmark(s, known);
        return false;
      }
      mark(s, other);
      vector_push(&s->open, other);
    }
  }
  return true;
}

/* Stamps the levels of the members; returns how many there are. */
static uint32_t stamp_levels(struct solver *s) {
  uint32_t levels = 0;
  s->stamps++;
  for (uint32_t i = 0; i < s->members.count; i++) {
    uint32_t *stamp = &s->stamp[s->level_of[s->members.data[i] / 2]];
    levels += *stamp != s->stamps;
    *stamp = s->stamps;
  }
  return levels;
}

void unfi_analyse(struct solver *s, struct failure failure, uint32_t *back, uint32_t *spread) {
  uint32_t kept = 1, *members = s->members.data;
  trace_back(s, failure);
  stamp_levels(s);
  for (uint32_t i = 1; i < s->members.count; i++)
    if (!follows(s, members[i] / 2)) members[kept++] = members[i];
  s->members.count = kept;
  unmark(s, 0);
  *spread = stamp_levels(s);
  *back = 0;
  for (uint32_t i = 1; i < kept; i++) {
    uint32_t level = s->level_of[members[i] / 2];
    if (level <= *back) continue;
    *back = level;
    uint32_t swap = members[1];
    members[1] = members[i];
    members[i] = swap;
  }
}
