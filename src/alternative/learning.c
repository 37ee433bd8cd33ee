/*
 * Comb search that learns from its failures: a comb as clauses, for solver.c.
 *
 * Variables are classes of candidates (classes.c): true, candidates of the class may be chosen. The
 * clauses are the spikes: one of its classes is true. Classes that are in conflict exclude each
 * other, which is asked of the unfolding when a class first becomes true, and kept as a row of
 * bits. A spike then takes its first candidate whose class is true.
 *
 * Where configurations must be consistent, a class is one event, and the solver asks for each that
 * becomes true whether it goes with those before (admission.c). One that is refused is a clause
 * with those before it that brought events which consistency depends on.
 */
#include "alternative/learning.h"

#include <string.h>

#include "structure/relation.h"

static const uint64_t *excluded(void *user, uint32_t variable, uint64_t *steps) {
  struct matrix *m = user;
  if (m->classes->all.data[variable].paired) return NULL;
  *steps += m->classes->all.count / (m->classes->made.data[variable] ? 64 : 1);
  return unfi_classes_row(m->classes, m, variable);
}

static unf_status admit(void *user, uint32_t variable, bool *admitted, bool *matters) {
  const struct matrix *m = user;
  struct admission *admission = &m->comb->admission;
  uint32_t known = admission->events.count, event = m->event[m->classes->all.data[variable].member];
  unf_status status = unfi_admit_choice(m->u, admission, event, admitted);
  *matters = admission->events.count > known;
  return status;
}

static void take_back(void *user) {
  unfi_admission_pop(&((const struct matrix *)user)->comb->admission);
}

/* Whether a class goes with whatever is chosen. */
static bool is_free(const struct class *class) {
  return class->count == 0;
}

/* Adds the clause of a spike, unless it is always true. Returns false when refused. */
static bool add_spike(const struct matrix *m, struct solver *solver, const struct spike *spike) {
  uint32_t *literals = solver->members.data, count = 0;
  for (uint32_t i = spike->first; i < spike->first + spike->count; i++) {
    const struct class *class = &m->classes->all.data[m->classes->of.data[i]];
    if (is_free(class)) return true;
    bool known = false;
    for (uint32_t j = 0; j < count; j++) {
      if (literals[j] == (class->literal ^ 1)) return true;
      known = known || literals[j] == class->literal;
    }
    if (!known) literals[count++] = class->literal;
  }
  return unfi_solver_clause(solver, literals, count);
}

static bool encode(const struct matrix *m, struct solver *solver, const struct theory *theory) {
  if (!unfi_solver_begin(solver, m->u->context, m->classes->all.count, theory)) return false;
  for (uint32_t s = 0; s < m->spikes; s++)
    if (!add_spike(m, solver, &m->comb->spikes.data[s])) return false;
  return true;
}

static void answer(const struct matrix *m, const struct solver *solver) {
  for (uint32_t s = 0; s < m->spikes; s++)
    for (uint32_t i = m->comb->spikes.data[s].first;; i++) {
      const struct class *class = &m->classes->all.data[m->classes->of.data[i]];
      if (!is_free(class) && !literal_is_true(solver, class->literal)) continue;
      vector_push(&m->comb->chosen, m->event[i]);
      break;
    }
}

unf_status unfi_comb_learn(struct matrix *m, unf_alternative_statistics *statistics, bool *found) {
  struct solver *solver = &m->comb->solver;
  struct theory theory = {m, excluded, m->comb->admission.on ? admit : NULL, take_back};
  unf_status status = unfi_matrix_classify(m);
  if (status != UNF_OK) return status;
  if (!encode(m, solver, &theory)) return unfi_refused(m->u->context);
  status = unfi_solver_search(solver, &statistics->nodes, found);
  if (status == UNF_OK && *found) answer(m, solver);
  return status;
}
