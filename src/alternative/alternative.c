/*
 * Alternatives for given U, C and D, straight from the definitions: the spike of d holds the events
 * of U that are in conflict with d, compatible with C and whose histories avoid D. The explorer
 * fills its combs from indices instead (exploration/strategies/qpor/spikes.c); the search is the
 * same.
 */
#include <unfold/alternative.h>

#include "alternative/candidates.h"
#include "base/null.h"
#include "structure/cut.h"
#include "structure/relation.h"

struct problem {
  unf_unfolding *u;
  const unf_event *U, *D;
  uint32_t U_count, D_count;
  struct cut C;
  const unf_alternative_options *options;
  unf_alternative_statistics *statistics;
};

static bool fill_spike(const struct problem *p, struct candidates *candidates, uint32_t i,
                       struct comb *comb) {
  uint32_t before = comb->candidates.count;
  if (!unfi_comb_begin(p->u->context, comb, p->D[i]) ||
      !unfi_candidates_add(candidates, i, comb, &p->statistics->read))
    return false;
  p->statistics->spikes++;
  p->statistics->kept += comb->candidates.count - before;
  unfi_comb_end(comb, p->options->candidates);
  return true;
}

static unf_status fill(const struct problem *p, struct comb *comb) {
  struct candidates candidates;
  unf_status status =
      unfi_candidates_make(&candidates, p->u, p->U, p->U_count, p->C, p->D, p->D_count);
  uint32_t first = p->options->singleton && p->D_count > 0 ? p->D_count - 1 : 0;
  for (uint32_t i = first; status == UNF_OK && i < p->D_count; i++) {
    if (unfi_conflict_cut(p->u, p->C, p->D[i])) continue;
    status = fill_spike(p, &candidates, i, comb) ? unfi_work(p->u->context, 1)
                                                 : unfi_refused(p->u->context);
  }
  unfi_candidates_free(&candidates);
  return status;
}

static unf_status check(const struct problem *p) {
  unf_context *context = p->u->context;
  for (uint32_t i = 0; i < p->U_count; i++)
    if (!known_event(p->u, p->U[i])) return unfi_fail(context, UNF_UNKNOWN, "event of U");
  for (uint32_t i = 0; i < p->D_count; i++) {
    if (!known_event(p->u, p->D[i])) return unfi_fail(context, UNF_UNKNOWN, "event of D");
    if (unfi_in_cut(p->u, p->C, p->D[i]))
      return unfi_fail(context, UNF_INVALID, "an event of D is in C");
  }
  return unfi_alternative_options_check(context, p->options);
}

static unf_status answer(const struct comb *comb, unf_configuration *alternative) {
  unf_configuration_clear(alternative);
  for (uint32_t i = 0; i < comb->chosen.count; i++) {
    unf_status status = unf_configuration_add(alternative, comb->chosen.data[i]);
    if (status != UNF_OK) return status;
  }
  return UNF_OK;
}

unf_status unf_alternative_find(unf_unfolding *u, const unf_event *U, uint32_t U_count,
                                const unf_configuration *C, const unf_event *D, uint32_t D_count,
                                const unf_alternative_options *options, bool *found,
                                unf_configuration *alternative,
                                unf_alternative_statistics *statistics) {
  RETURN_IF_NULL(u->context, u, C, found, alternative);
  RETURN_IF_NULL_ARRAY(u->context, U, U_count);
  RETURN_IF_NULL_ARRAY(u->context, D, D_count);
  static const unf_alternative_options defaults = UNF_ALTERNATIVE_OPTIONS_INIT;
  unf_alternative_statistics ignored = {0};
  struct problem p = {u,
                      U,
                      D,
                      U_count,
                      D_count,
                      configuration_cut(C),
                      options != NULL ? options : &defaults,
                      statistics != NULL ? statistics : &ignored};
  struct comb comb = {0};
  if (C->u != u || alternative->u != u)
    return unfi_fail(u->context, UNF_INVALID, "configurations of different unfoldings");
  unf_status status = check(&p);
  if (status != UNF_OK) return status;
  p.statistics->searches++;
  status = fill(&p, &comb);
  if (status == UNF_OK) status = unfi_comb_solve(u, &comb, p.C, p.options, p.statistics, found);
  if (status == UNF_OK && *found) status = answer(&comb, alternative);
  if (status == UNF_OK && *found) p.statistics->found++;
  unfi_comb_free(u->context, &comb);
  return status;
}
