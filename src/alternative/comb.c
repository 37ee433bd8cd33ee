/*
 * Filling combs and choosing the spikes that count.
 *
 * An empty spike proves that there is no alternative at all, so all spikes are looked at before the
 * k are chosen, whatever k is; this and the choice of the k with the fewest candidates make k = 1
 * about as good as larger k with the usual choice of recent ones.
 */
#include "alternative/comb.h"
#include "alternative/search.h"
#include "base/sort.h"
#include "structure/relation.h"

void unfi_comb_clear(struct comb *comb) {
  comb->spikes.count = comb->candidates.count = comb->chosen.count = 0;
}

void unfi_comb_free(unf_context *context, struct comb *comb) {
  vector_free(context, &comb->spikes);
  vector_free(context, &comb->candidates);
  vector_free(context, &comb->chosen);
  vector_free(context, &comb->rows);
  vector_free(context, &comb->made);
  vector_free(context, &comb->live);
  vector_free(context, &comb->levels);
  unfi_classes_free(context, &comb->classes);
  unfi_solver_free(context, &comb->solver);
  unfi_admission_free(context, &comb->admission);
}

bool unfi_comb_add(unf_context *context, struct comb *comb, uint32_t candidate) {
  if (!vector_reserve(context, &comb->candidates, (uint64_t)comb->candidates.count + 1))
    return false;
  vector_push(&comb->candidates, candidate);
  comb->spikes.data[comb->spikes.count - 1].count++;
  return true;
}

void unfi_comb_order(struct comb *comb, unf_candidate_order order) {
  struct spike *spike = &comb->spikes.data[comb->spikes.count - 1];
  uint32_t *candidates = comb->candidates.data + spike->first;
  unfi_sort(candidates, spike->count);
  /* An event that shares several sites with the event of D was added once for each. */
  uint32_t kept = 1;
  for (uint32_t i = 1; i < spike->count; i++)
    if (candidates[i] != candidates[kept - 1]) candidates[kept++] = candidates[i];
  comb->candidates.count -= spike->count - kept;
  spike->count = kept;
  if (order == UNF_CANDIDATES_OLDEST) return;
  for (uint32_t i = 0, j = spike->count - 1; i < j; i++, j--) {
    uint32_t swap = candidates[i];
    candidates[i] = candidates[j];
    candidates[j] = swap;
  }
}

unf_status unfi_alternative_options_check(unf_context *context, const unf_alternative_options *o) {
  if (o->size != sizeof *o)
    return unfi_wrong_option(context, "unf_alternative_options.size", o->size, sizeof *o);
  if ((unsigned)o->spikes > UNF_SPIKES_FIRST)
    return unfi_wrong_option(context, "unf_alternative_options.spikes", (unsigned)o->spikes, 0);
  if ((unsigned)o->candidates > UNF_CANDIDATES_OLDEST)
    return unfi_wrong_option(context, "unf_alternative_options.candidates", (unsigned)o->candidates,
                             0);
  return UNF_OK;
}

static void reverse(struct comb *comb) {
  for (uint32_t i = 0, j = comb->spikes.count; i + 1 < j; i++) {
    struct spike swap = comb->spikes.data[i];
    comb->spikes.data[i] = comb->spikes.data[--j];
    comb->spikes.data[j] = swap;
  }
}

/* Spikes with fewest candidates first; of equals, the one whose event was added to D last. */
static void sort_by_count(struct comb *comb) {
  reverse(comb);
  for (uint32_t i = 1; i < comb->spikes.count; i++) {
    struct spike spike = comb->spikes.data[i];
    uint32_t j = i;
    for (; j > 0 && comb->spikes.data[j - 1].count > spike.count; j--)
      comb->spikes.data[j] = comb->spikes.data[j - 1];
    comb->spikes.data[j] = spike;
  }
}

static bool compatible(const unf_unfolding *u, const struct comb *comb, uint32_t candidate) {
  for (uint32_t i = 0; i < comb->chosen.count; i++)
    if (unfi_conflict(u, comb->chosen.data[i], candidate)) return false;
  return true;
}

/* Chooses the first candidate of a spike that goes with what was chosen, if there is one. */
static unf_status choose_first(unf_unfolding *u, struct comb *comb, const struct spike *spike,
                               bool *found) {
  const uint32_t *candidates = comb->candidates.data + spike->first;
  *found = false;
  for (uint32_t i = 0; i < spike->count; i++) {
    if (!compatible(u, comb, candidates[i])) continue;
    unf_status status = unfi_admit_choice(u, &comb->admission, candidates[i], found);
    if (status == UNF_OK && *found) vector_push(&comb->chosen, candidates[i]);
    if (status != UNF_OK || *found) return status;
  }
  return UNF_OK;
}

/* Chooses a candidate of each spike beyond the k, where there is one that needs no other choice to
 * be undone. Their candidates are not moved in matrix.c. */
static unf_status complete(unf_unfolding *u, struct comb *comb, uint32_t count) {
  for (uint32_t i = count; i < comb->spikes.count; i++) {
    bool found;
    unf_status status = choose_first(u, comb, &comb->spikes.data[i], &found);
    if (status != UNF_OK) return status;
  }
  return UNF_OK;
}

unf_status unfi_comb_solve(unf_unfolding *u, struct comb *comb, struct cut C,
                           const unf_alternative_options *options,
                           unf_alternative_statistics *statistics, bool *found) {
  comb->chosen.count = 0;
  *found = false;
  for (uint32_t i = 0; i < comb->spikes.count; i++)
    if (comb->spikes.data[i].count == 0) return UNF_OK;
  uint32_t count = comb->spikes.count;
  if (options->k != UNF_K_OPTIMAL && options->k < count) count = options->k;
  if (options->spikes == UNF_SPIKES_FEWEST)
    sort_by_count(comb);
  else if (options->spikes == UNF_SPIKES_RECENT)
    reverse(comb);
  if (!vector_reserve(u->context, &comb->chosen, comb->spikes.count))
    return unfi_refused(u->context);
  unf_status status = unfi_admission_begin(u, &comb->admission, C);
  if (status != UNF_OK) return status;
  *found = count == 0;
  statistics->nodes += count == 1;
  if (count == 1) status = choose_first(u, comb, &comb->spikes.data[0], found);
  if (count > 1) status = unfi_comb_search(u, comb, count, statistics, found);
  if (status == UNF_OK && *found && options->greedy) status = complete(u, comb, count);
  return status;
}
