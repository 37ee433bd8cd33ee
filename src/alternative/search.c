/*
 * Comb search: a constraint satisfaction problem, one variable for each spike, whose binary
 * constraints are "not in conflict". Deciding it is NP-complete (Theorems 3 and 4 of the CAV 2018
 * paper); what keeps it cheap in practice:
 * - a live set, one bit for each candidate that is compatible with all choices so far (forward
 * checking): an empty spike ends the branch at once;
 * - the spike with the fewest live candidates is decided next;
 * - the rows of the compatibility matrix are made when a candidate is first chosen, after some
 * choices from those of classes of candidates.
 * A search that is not over after more choices goes on by what it learns from its failures
 * (learning.c).
 *
 * Layout of `live`: the live set of each level. `levels`: for each level the spike decided there
 * and the position of the candidate tried; then for each spike whether it is decided.
 */
#include "alternative/search.h"

#include <string.h>

#include "alternative/learning.h"
#include "alternative/matrix.h"

/* Choices of a search that asks for conflicts candidate by candidate, and of one without learning:
 * those of explorations hardly take twenty. In tests with small blocks most searches learn. */
#ifdef UNF_PLAIN_ARENAS
#define CHOICES_BEFORE_CLASSES  2u
#define CHOICES_BEFORE_LEARNING 4u
#else
#define CHOICES_BEFORE_CLASSES  16u
#define CHOICES_BEFORE_LEARNING 128u
#endif

struct search {
  struct matrix m;
  uint64_t *live;
  uint32_t *spike_at, *cursor, *decided;
};

static void clear_range(uint64_t *set, uint32_t first, uint32_t count) {
  for (uint32_t i = first; i < first + count; i++)
    set[i / 64] &= ~((uint64_t)1 << (i % 64));
}

static uint32_t count_range(const uint64_t *set, uint32_t first, uint32_t count) {
  uint32_t live = 0;
  for (uint32_t i = first; i < first + count; i++)
    live += bit(set, i);
  return live;
}

/* Returns false when refused. */
static bool prepare(struct search *s, unf_unfolding *u, struct comb *comb, uint32_t spikes) {
  if (!unfi_matrix_make(&s->m, u, comb, spikes)) return false;
  uint32_t words = s->m.words;
  if (!vector_reserve(u->context, &comb->live, ((uint64_t)spikes + 1) * words) ||
      !vector_reserve(u->context, &comb->levels, 3 * (uint64_t)spikes))
    return false;
  s->live = comb->live.data;
  s->spike_at = comb->levels.data;
  s->cursor = s->spike_at + spikes;
  s->decided = s->cursor + spikes;
  memset(s->decided, 0, spikes * sizeof *s->decided);
  memset(s->live, 0, words * sizeof *s->live);
  for (uint32_t i = 0; i < s->m.candidates; i++)
    s->live[i / 64] |= (uint64_t)1 << (i % 64);
  return true;
}

/* The open spike with the fewest live candidates, *fewest, which is 0 if some spike has none; NONE
 * when all are decided. */
static uint32_t next_spike(const struct search *s, const uint64_t *live, uint32_t *fewest) {
  uint32_t best = NONE;
  *fewest = NONE;
  for (uint32_t i = 0; i<s->m.spikes && * fewest> 0; i++) {
    const struct spike *spike = &s->m.comb->spikes.data[i];
    if (s->decided[i]) continue;
    uint32_t count = count_range(live, spike->first, spike->count);
    if (count < *fewest) {
      *fewest = count;
      best = i;
    }
  }
  return best;
}

/* The live set after deciding `spike` with `candidate`. The bits of decided spikes are cleared. */
static uint64_t *descend(struct search *s, uint32_t level, uint32_t spike, uint32_t candidate) {
  uint32_t words = s->m.words;
  uint64_t *from = s->live + (size_t)level * words, *to = from + words;
  const uint64_t *row = unfi_matrix_row(&s->m, candidate);
  for (uint32_t i = 0; i < words; i++)
    to[i] = from[i] & row[i];
  clear_range(to, s->m.comb->spikes.data[spike].first, s->m.comb->spikes.data[spike].count);
  return to;
}

static void answer(struct search *s, uint32_t level) {
  struct comb *comb = s->m.comb;
  for (uint32_t i = 0; i <= level; i++) {
    uint32_t first = comb->spikes.data[s->spike_at[i]].first;
    vector_push(&comb->chosen, s->m.event[first + s->cursor[i] - 1]);
  }
}

unf_status unfi_comb_search(unf_unfolding *u, struct comb *comb, uint32_t count,
                            unf_alternative_statistics *statistics, bool *found) {
  struct search s;
  if (!prepare(&s, u, comb, count)) return unfi_refused(u->context);
  uint32_t level = 0, fewest, choices = 0;
  s.spike_at[0] = next_spike(&s, s.live, &fewest);
  s.decided[s.spike_at[0]] = 1;
  s.cursor[0] = 0;
  for (;;) {
    uint32_t spike = s.spike_at[level];
    const struct spike *tried = &comb->spikes.data[spike];
    const uint64_t *live = s.live + (size_t)level * s.m.words;
    while (s.cursor[level] < tried->count && !bit(live, tried->first + s.cursor[level]))
      s.cursor[level]++;
    if (s.cursor[level] == tried->count) {
      s.decided[spike] = 0;
      if (level == 0) return UNF_OK;
      level--;
      unfi_admission_pop(&comb->admission);
      continue;
    }
    unf_status status = UNF_OK;
    if (choices == CHOICES_BEFORE_CLASSES) status = unfi_matrix_classify(&s.m);
    if (status != UNF_OK) return status;
    if (choices++ == CHOICES_BEFORE_LEARNING) {
      for (; level > 0; level--)
        unfi_admission_pop(&comb->admission);
      return unfi_comb_learn(&s.m, statistics, found);
    }
    uint32_t candidate = tried->first + s.cursor[level]++;
    status = unfi_work(u->context, 1 + s.m.candidates / (s.m.made[candidate] ? 64 : 1));
    if (status != UNF_OK) return status;
    statistics->nodes++;
    uint64_t *after = descend(&s, level, spike, candidate);
    uint32_t next = next_spike(&s, after, &fewest);
    if (next != NONE && fewest == 0) continue;
    bool admitted;
    status = unfi_admit_choice(u, &comb->admission, s.m.event[candidate], &admitted);
    if (status != UNF_OK) return status;
    if (!admitted) continue;
    if (next == NONE) break;
    s.spike_at[++level] = next;
    s.decided[next] = 1;
    s.cursor[level] = 0;
  }
  answer(&s, level);
  *found = true;
  return UNF_OK;
}
