/* Where what a thread does depends on the inputs. What follows from the thread's own past is done;
 * else it performs a branch, an event of its own, and goes on with the outcome. */
#include "decide.h"

#include <stdlib.h>

#include "arith.h"
#include "branches.h"
#include "builtin.h"
#include "code.h"
#include "defect.h"
#include "knowledge.h"
#include "lattice.h"
#include "machine.h"
#include "solver.h"
#include "terms.h"

uint32_t machine_history(struct machine *m, struct thread *t) {
  if (!t->has_history) {
    t->history = knowledge_history(m->knowledge, t->cause);
    t->has_history = t->history != UINT32_MAX;
    if (!t->has_history) machine_stop(m, UNF_MEMORY);
  }
  return t->history;
}

void machine_list(struct machine *m, term fact, int64_t value) {
  if (fact == TERM_NONE ||
      !outcomes_append(&m->outcomes, (struct outcome){.fact = fact, .value = value}))
    machine_stop(m, UNF_MEMORY);
}

enum { OPEN = OUTCOMES_OPEN };
/* Where a thread is, for is_possible(). */
struct standpoint {
  struct machine *m;
  struct thread *t;
};

static enum possible is_possible(void *user, term fact, term wanted, int64_t *value) {
  const struct standpoint *at = user;
  return knowledge_possible(at->m->knowledge, machine_history(at->m, at->t), fact, wanted, value);
}

/* The outcome that is the case whatever the inputs are, or OPEN. */
static int32_t find_certain(const struct machine *m) {
  for (size_t i = 0; i < m->outcomes.count; i++) {
    int64_t truth;
    if (terms_is_constant(&m->knowledge->terms, m->outcomes.items[i].fact, &truth) && truth != 0)
      return (int32_t)i;
  }
  return OPEN;
}

/* The only outcome that is possible after what the thread did, or OPEN. */
static int32_t find_only(struct machine *m, struct thread *t) {
  if (m->by_terms) return find_certain(m);
  struct standpoint at = {m, t};
  const int64_t only = outcomes_only(&m->knowledge->terms, &m->outcomes, is_possible, &at);
  if (only == OUTCOMES_REFUSED) machine_stop(m, UNF_MEMORY);
  return (int32_t)only;
}

void machine_remember(struct machine *m, struct thread *t, int64_t value) {
  if (t->decided_count == t->decided_room) {
    const size_t room = 2 * t->decided_room + 8;
    int64_t *decided = realloc(t->decided, room * sizeof *decided);
    if (decided == NULL) {
      machine_stop(m, UNF_MEMORY);
      return;
    }
    t->decided = decided;
    t->decided_room = room;
  }
  t->decided[t->decided_count++] = value;
}

bool machine_decided(struct machine *m, struct thread *t, int64_t *value) {
  if (t->decision == t->decided_count) {
    m->decisions++;
    m->decided++;
    return false;
  }
  *value = t->decided[t->decision++];
  return true;
}

/* The thread is to perform a branch. */
static void stand(struct machine *m, struct thread *t) {
  if (t->branches++ >= m->max_branches) {
    machine_bound(m, t, "branches");
    return;
  }
  const uint32_t branch =
      branches_intern(&m->knowledge->branches, m->outcomes.items, (uint32_t)m->outcomes.count);
  if (branch == UINT32_MAX) {
    machine_stop(m, UNF_MEMORY);
    return;
  }
  t->operation = UNF_OP_BRANCH(branch, m->outcomes.count);
  t->standing = STANDS_AT_BRANCH;
}

bool machine_decide(struct machine *m, struct thread *t, int64_t *value) {
  const int32_t only = m->status == UNF_OK ? find_only(m, t) : OPEN;
  if (m->status != UNF_OK) return false;
  if (only == OPEN) {
    stand(m, t);
    return false;
  }
  *value = m->outcomes.items[only].value;
  machine_remember(m, t, *value);
  t->decision++;
  return m->status == UNF_OK;
}

int machine_test(struct machine *m, struct thread *t, struct value truth) {
  struct terms *terms = &m->knowledge->terms;
  int64_t value;
  if (value_known(truth)) return truth.number != 0;
  if (machine_decided(m, t, &value)) return value != 0;
  const term yes = terms_truth(terms, truth.term);
  m->outcomes.count = 0;
  machine_list(m, terms_not(terms, yes), 0);
  machine_list(m, yes, 1);
  return machine_decide(m, t, &value) ? value != 0 : OPEN;
}

bool machine_check(struct machine *m, struct thread *t, struct value wrong, enum cli_kind kind,
                   const char *text) {
  const int is = machine_test(m, t, wrong);
  if (is == 1) machine_fail(m, t, kind, "%s", text);
  return is == 0;
}

bool machine_beyond_values(struct thread *t) {
  t->standing = STANDS_BOUND;
  return false;
}

/* Whether all values that the term can have by itself are few enough to be outcomes. */
static bool are_few(const struct machine *m, struct lattice l) {
  return l.span != SPAN_ALL && (l.stride == 0 || l.span / l.stride < m->max_values);
}

static bool is_listed(const struct machine *m, int64_t value) {
  for (size_t i = 0; i < m->outcomes.count; i++)
    if (m->outcomes.items[i].value == value) return true;
  return false;
}

static struct value is_value(struct machine *m, struct value value, int64_t number) {
  return arith_compare(&m->knowledge->terms, COMPARE_EQUAL, 64, value, value_number(number));
}

/* Each of these values is an outcome, but for those that are listed. */
static bool list_lattice(struct machine *m, struct value value, struct lattice l) {
  const uint64_t count = l.stride == 0 ? 0 : l.span / l.stride;
  for (uint64_t i = 0; i <= count && m->status == UNF_OK; i++) {
    const int64_t number = (int64_t)(l.base + i * l.stride);
    if (!is_listed(m, number))
      machine_list(m, value_term(&m->knowledge->terms, is_value(m, value, number)), number);
  }
  return m->status == UNF_OK;
}

/* Each value that the term can have by itself is an outcome. */
static bool list_by_term(struct machine *m, struct thread *t, struct value value) {
  struct lattice l;
  m->outcomes.count = 0;
  if (!lattice_in_range(&m->lattices, &m->knowledge->terms, value.term, &l))
    return machine_stop(m, UNF_MEMORY) == FLOW_NEXT;
  if (are_few(m, l)) return list_lattice(m, value, l);
  machine_refuse(m, t,
                 "with --cutoffs, a number that must be known and depends on inputs, and "
                 "has more than %llu values by its term (--max-values)",
                 (unsigned long long)m->max_values);
  return false;
}

/* That it is none of the listed values. */
static term rest_of(struct machine *m) {
  struct terms *terms = &m->knowledge->terms;
  term rest = terms_constant(terms, 1);
  for (size_t i = 0; i < m->outcomes.count; i++)
    rest = terms_binary(terms, TERM_AND, rest, terms_not(terms, m->outcomes.items[i].fact));
  return rest;
}

/* Values that the term can have after what the thread did are found one by one. Where it is not
 * known whether there are more, each that its term can have is an outcome; if these are too many,
 * the last outcome is that there are more, which are not explored, and that is said. */
static bool list_values(struct machine *m, struct thread *t, struct value value) {
  if (m->by_terms) return list_by_term(m, t, value);
  struct terms *terms = &m->knowledge->terms;
  const struct term_node node = *terms_node(terms, value.term);
  struct standpoint at = {m, t};
  struct lattice all;
  m->outcomes.count = 0;
  if (!lattice_in_range(&m->lattices, terms, value.term, &all))
    return machine_stop(m, UNF_MEMORY) == FLOW_NEXT;
  const enum outcomes_found found = outcomes_values(terms, &m->outcomes, value.term, node.low,
                                                    node.high, m->max_values, is_possible, &at);
  if (found == OUTCOMES_NO_MEMORY) return machine_stop(m, UNF_MEMORY) == FLOW_NEXT;
  if (found == OUTCOMES_ALL && m->outcomes.count > 0) return m->status == UNF_OK;
  if (found == OUTCOMES_MAYBE_MORE && are_few(m, all)) return list_lattice(m, value, all);
  if (found != OUTCOMES_ALL) {
    m->over_values = true;
    machine_list(m, rest_of(m), DECIDED_MORE);
  }
  return found != OUTCOMES_ALL && m->status == UNF_OK;
}

bool machine_resolve(struct machine *m, struct thread *t, struct value value, int64_t *number) {
  *number = value.number;
  if (value_known(value)) return true;
  if (!machine_decided(m, t, number) &&
      (!list_values(m, t, value) || !machine_decide(m, t, number)))
    return false;
  return *number != DECIDED_MORE || machine_beyond_values(t);
}
