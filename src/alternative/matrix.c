/* Candidates laid out flat, and the rows that say which go together. */
#include "alternative/matrix.h"

#include <string.h>

#include "structure/relation.h"

bool unfi_matrix_make(struct matrix *m, unf_unfolding *u, struct comb *comb, uint32_t spikes) {
  uint32_t total = 0, filled = comb->candidates.count;
  for (uint32_t i = 0; i < spikes; i++)
    total += comb->spikes.data[i].count;
  *m = (struct matrix){u, comb, spikes, total, total / 64 + 1, NULL, NULL, NULL, NULL};
  if (!vector_reserve(u->context, &comb->candidates, (uint64_t)filled + total) ||
      !vector_reserve(u->context, &comb->rows, (uint64_t)total * m->words) ||
      !vector_reserve(u->context, &comb->made, total))
    return false;
  m->event = comb->candidates.data + filled;
  m->rows = comb->rows.data;
  m->made = comb->made.data;
  uint32_t at = 0;
  for (uint32_t i = 0; i < spikes; i++) {
    struct spike *spike = &comb->spikes.data[i];
    memcpy(m->event + at, comb->candidates.data + spike->first, spike->count * sizeof *m->event);
    spike->first = at;
    at += spike->count;
  }
  memset(m->made, 0, total);
  return true;
}

unf_status unfi_matrix_classify(struct matrix *m) {
  struct classes *classes = &m->comb->classes;
  if (m->classes != NULL) return UNF_OK;
  unf_status status = unfi_classes_make(classes, m);
  if (status == UNF_OK) m->classes = classes;
  return status;
}

/* What goes with a candidate, by its class. */
static void copy_row(struct matrix *m, uint32_t candidate, uint64_t *row) {
  const uint32_t *class = m->classes->of.data;
  const uint64_t *excluded = unfi_classes_row(m->classes, m, class[candidate]);
  for (uint32_t i = 0; i < m->candidates; i++)
    if (!bit(excluded, class[i])) row[i / 64] |= (uint64_t)1 << (i % 64);
}

static void ask_row(struct matrix *m, uint32_t candidate, uint64_t *row) {
  for (uint32_t i = 0; i < m->candidates; i++) {
    bool compatible = m->made[i] ? bit(m->rows + (size_t)i * m->words, candidate)
                                 : !unfi_conflict(m->u, m->event[candidate], m->event[i]);
    if (compatible) row[i / 64] |= (uint64_t)1 << (i % 64);
  }
}

const uint64_t *unfi_matrix_row(struct matrix *m, uint32_t candidate) {
  uint64_t *row = m->rows + (size_t)candidate * m->words;
  if (m->made[candidate]) return row;
  memset(row, 0, m->words * sizeof *row);
  if (m->classes != NULL)
    copy_row(m, candidate, row);
  else
    ask_row(m, candidate, row);
  m->made[candidate] = 1;
  return row;
}
