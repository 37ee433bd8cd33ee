/*
 * Comb search: a constraint satisfaction problem, one variable for each spike, whose binary
 * constraints are "not in conflict". Deciding it is NP-complete (Theorems 3 and 4 of the CAV 2018
 * paper); what keeps it cheap in practice:
 * - a live set, one bit for each candidate that is compatible with all choices so far (forward
 * checking): an empty spike ends the branch at once;
 * - the spike with the fewest live candidates is decided next;
 * - the rows of the compatibility matrix are made when a candidate is first chosen;
 * - live sets that failed are remembered: what follows depends only on them and on the spikes that
 * are still open. Where a candidate was refused because it was not consistent with the choices
 * before (admission.h), more matters than that, and nothing is remembered.
 *
 * Layout of `bits`: a row of W words for each candidate, then the live set of each level. `levels`:
 * for each level the spike decided there and the position of the candidate tried; then a flag for
 * each row; then the level at which each spike was decided; then for each level whether a candidate
 * was refused there or below.
 */
#include <string.h>

#include "alternative/comb.h"
#include "structure/relation.h"

struct search {
  unf_unfolding *u;
  struct comb *comb;
  uint32_t spikes, candidates, words;
  uint32_t *event; /* candidates of the spikes to solve, spike by spike */
  uint64_t *rows, *live;
  uint32_t *spike_at, *cursor, *made, *decided, *refused;
};

static uint64_t failed_hash_of(const uint64_t *set, uint32_t words) {
  uint64_t hash = words;
  for (uint32_t i = 0; i < words; i++)
    hash = mix(hash, set[i]);
  return hash;
}

/* The table of failed sets holds positions plus one; the first word at a position is the length
 * of the set. */
static uint64_t failed_hash(const void *comb, uint32_t handle) {
  const uint64_t *record = ((const struct comb *)comb)->failed.data + handle - 1;
  return failed_hash_of(record + 1, (uint32_t)record[0]);
}

static bool bit(const uint64_t *set, uint32_t i) {
  return set[i / 64] >> (i % 64) & 1;
}

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

/* Makes room for everything but the failed sets, and the flat array of candidates, to which the
 * spikes' positions then refer. Returns false when refused. */
static bool prepare(struct search *s) {
  unf_context *context = s->u->context;
  struct comb *comb = s->comb;
  uint32_t total = 0;
  for (uint32_t i = 0; i < s->spikes; i++)
    total += comb->spikes.data[i].count;
  s->candidates = total;
  s->words = total / 64 + 1;
  uint32_t filled = comb->candidates.count;
  if (!vector_reserve(context, &comb->candidates, (uint64_t)filled + total) ||
      !vector_reserve(context, &comb->bits, ((uint64_t)total + s->spikes + 1) * s->words) ||
      !vector_reserve(context, &comb->levels, (uint64_t)total + 4 * (uint64_t)s->spikes))
    return false;
  s->event = comb->candidates.data + filled;
  uint32_t at = 0;
  for (uint32_t i = 0; i < s->spikes; i++) {
    struct spike *spike = &comb->spikes.data[i];
    memcpy(s->event + at, comb->candidates.data + spike->first, spike->count * sizeof *s->event);
    spike->first = at;
    at += spike->count;
  }
  s->rows = comb->bits.data;
  s->live = s->rows + (size_t)total * s->words;
  s->spike_at = comb->levels.data;
  s->cursor = s->spike_at + s->spikes;
  s->decided = s->cursor + s->spikes;
  s->refused = s->decided + s->spikes;
  s->made = s->refused + s->spikes;
  memset(s->made, 0, total * sizeof *s->made);
  memset(s->decided, 0, s->spikes * sizeof *s->decided);
  memset(s->live, 0, s->words * sizeof *s->live);
  for (uint32_t i = 0; i < total; i++)
    s->live[i / 64] |= (uint64_t)1 << (i % 64);
  return true;
}

static const uint64_t *row_of(struct search *s, uint32_t candidate) {
  uint64_t *row = s->rows + (size_t)candidate * s->words;
  if (s->made[candidate]) return row;
  memset(row, 0, s->words * sizeof *row);
  for (uint32_t i = 0; i < s->candidates; i++) {
    bool compatible = s->made[i] ? bit(s->rows + (size_t)i * s->words, candidate)
                                 : !unfi_conflict(s->u, s->event[candidate], s->event[i]);
    if (compatible) row[i / 64] |= (uint64_t)1 << (i % 64);
  }
  s->made[candidate] = 1;
  return row;
}

/* The open spike with the fewest live candidates, *fewest, which is 0 if some spike has none; NONE
 * when all are decided. */
static uint32_t next_spike(const struct search *s, const uint64_t *live, uint32_t *fewest) {
  uint32_t best = NONE;
  *fewest = NONE;
  for (uint32_t i = 0; i<s->spikes && * fewest> 0; i++) {
    const struct spike *spike = &s->comb->spikes.data[i];
    if (s->decided[i]) continue;
    uint32_t count = count_range(live, spike->first, spike->count);
    if (count < *fewest) {
      *fewest = count;
      best = i;
    }
  }
  return best;
}

static bool has_failed(const struct search *s, const uint64_t *live) {
  const struct table *table = &s->comb->failed_table;
  if (table->count == 0) return false;
  uint64_t hash = failed_hash_of(live, s->words);
  table_each(table, hash, handle) {
    const uint64_t *record = s->comb->failed.data + handle - 1;
    if (record[0] == s->words && memcmp(record + 1, live, s->words * sizeof *live) == 0)
      return true;
  }
  return false;
}

static bool remember(struct search *s, const uint64_t *live) {
  unf_context *context = s->u->context;
  struct comb *comb = s->comb;
  if (!unfi_table_reserve(context, &comb->failed_table, failed_hash, comb) ||
      !vector_reserve(context, &comb->failed, (uint64_t)comb->failed.count + s->words + 1))
    return false;
  uint32_t at = comb->failed.count;
  comb->failed.data[at] = s->words;
  memcpy(comb->failed.data + at + 1, live, s->words * sizeof *live);
  comb->failed.count += s->words + 1;
  table_put(&comb->failed_table, failed_hash_of(live, s->words), at + 1);
  return true;
}

/* The live set after deciding `spike` with `candidate`. The bits of decided spikes are cleared, so
 * that two sets that leave the same choices are equal. */
static uint64_t *descend(struct search *s, uint32_t level, uint32_t spike, uint32_t candidate) {
  uint64_t *from = s->live + (size_t)level * s->words, *to = from + s->words;
  const uint64_t *row = row_of(s, candidate);
  for (uint32_t i = 0; i < s->words; i++)
    to[i] = from[i] & row[i];
  clear_range(to, s->comb->spikes.data[spike].first, s->comb->spikes.data[spike].count);
  return to;
}

unf_status unfi_comb_search(unf_unfolding *u, struct comb *comb, uint32_t count,
                            unf_alternative_statistics *statistics, bool *found) {
  struct search s = {.u = u, .comb = comb, .spikes = count};
  if (!prepare(&s)) return unfi_refused(u->context);
  unfi_table_free(u->context, &comb->failed_table);
  comb->failed.count = 0;
  uint32_t level = 0, fewest;
  s.spike_at[0] = next_spike(&s, s.live, &fewest);
  s.decided[s.spike_at[0]] = 1;
  s.cursor[0] = s.refused[0] = 0;
  for (;;) {
    uint32_t spike = s.spike_at[level];
    const struct spike *tried = &comb->spikes.data[spike];
    const uint64_t *live = s.live + (size_t)level * s.words;
    while (s.cursor[level] < tried->count && !bit(live, tried->first + s.cursor[level]))
      s.cursor[level]++;
    if (s.cursor[level] == tried->count) {
      s.decided[spike] = 0;
      if (level == 0) return UNF_OK;
      if (!s.refused[level] && !remember(&s, live)) return unfi_refused(u->context);
      s.refused[level - 1] |= s.refused[level];
      level--;
      unfi_admission_pop(&comb->admission);
      continue;
    }
    uint32_t candidate = tried->first + s.cursor[level]++;
    unf_status status = unfi_work(u->context, 1 + s.candidates / (s.made[candidate] ? 64 : 1));
    if (status != UNF_OK) return status;
    statistics->nodes++;
    uint64_t *after = descend(&s, level, spike, candidate);
    uint32_t next = next_spike(&s, after, &fewest);
    if (next != NONE && (fewest == 0 || has_failed(&s, after))) continue;
    bool admitted;
    status = unfi_admit_choice(u, &comb->admission, s.event[candidate], &admitted);
    if (status != UNF_OK) return status;
    if (!admitted) s.refused[level] = 1;
    if (!admitted) continue;
    if (next == NONE) break;
    s.spike_at[++level] = next;
    s.decided[next] = 1;
    s.cursor[level] = s.refused[level] = 0;
  }
  for (uint32_t i = 0; i <= level; i++)
    vector_push(&comb->chosen, s.event[comb->spikes.data[s.spike_at[i]].first + s.cursor[i] - 1]);
  *found = true;
  return UNF_OK;
}
