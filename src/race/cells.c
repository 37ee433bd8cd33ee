/* Cells and their records: comparing, recording, forgetting, and going back. */
#include "race/cells.h"

#include <string.h>

#include "race/found.h"
#include "race/races.h"

enum { TOGETHER_SHIFT = 4, TOGETHER = 1 << TOGETHER_SHIFT };

/* Words that lie side by side have slots side by side, in one line of the cache: programs go
 * through memory in its order. The bits that a slot holds tell them apart. */
static uint64_t word_hash(uint64_t word) {
  const uint64_t hash = mix(word >> TOGETHER_SHIFT, 0), one = word & (TOGETHER - 1);
  return ((hash & ~(uint64_t)(TOGETHER - 1)) | one) ^ one << (64 - TOGETHER_SHIFT);
}

static uint64_t cell_hash(const void *races, uint32_t handle) {
  const unf_races *r = races;
  return word_hash(r->cells.data[handle].word);
}

uint32_t unfi_cell_find(const unf_races *r, uint64_t word) {
  const struct table *table = &r->cell_table;
  table_each(table, word_hash(word), cell) {
    if (r->cells.data[cell].word == word) return cell;
  }
  return 0;
}

uint32_t unfi_cell_add(unf_races *r, uint64_t word) {
  unf_context *context = r->u->context;
  if (r->cells.count == 0) {
    if (!vector_reserve(context, &r->cells, 1)) return 0;
    r->cells.count = 1;
  }
  if (r->cells.count >= OF_RECORD ||
      !vector_reserve(context, &r->cells, (uint64_t)r->cells.count + 1) ||
      !unfi_table_reserve_dense(context, &r->cell_table, cell_hash, r))
    return 0;
  struct cell cell = {word, 0, 0, 0};
  vector_push(&r->cells, cell);
  table_put(&r->cell_table, word_hash(word), r->cells.count - 1);
  return r->cells.count - 1;
}

static bool log_room(unf_races *r) {
  return vector_reserve(r->u->context, &r->changes, (uint64_t)r->changes.count + 1);
}

static void log_change(unf_races *r, uint32_t index, uint32_t old) {
  struct change change = {index, old};
  vector_push(&r->changes, change);
}

void unfi_cells_undo(unf_races *r, uint32_t changes, uint32_t records) {
  while (r->changes.count > changes) {
    struct change change = r->changes.data[--r->changes.count];
    if (change.index & OF_RECORD)
      r->records.data[change.index & ~OF_RECORD].after = change.old;
    else
      r->cells.data[change.index].first = change.old;
  }
  r->records.count = records;
}

void unfi_cells_clear(unf_races *r) {
  struct table *table = &r->cell_table;
  if (table->slots != NULL && table->count > 0)
    memset(table->slots, 0, ((size_t)table->mask + 1) * sizeof *table->slots);
  table->count = 0;
  if (r->cells.count > 1) r->cells.count = 1;
  r->records.count = r->changes.count = 0;
}

bool unfi_cell_record(unf_races *r, uint32_t cell, struct access_record record) {
  unf_context *context = r->u->context;
  if (r->records.count == 0) {
    if (!vector_reserve(context, &r->records, 1)) return false;
    r->records.count = 1;
  }
  if (r->records.count >= OF_RECORD ||
      !vector_reserve(context, &r->records, (uint64_t)r->records.count + 1) || !log_room(r))
    return false;
  record.next = r->cells.data[cell].first;
  log_change(r, cell, r->cells.data[cell].first);
  r->cells.data[cell].first = r->records.count;
  vector_push(&r->records, record);
  return true;
}

static bool comes_before(const struct clock *clock, const struct access_record *record) {
  return record->thread < clock->entries.count &&
         clock->entries.data[record->thread] > record->after;
}

bool unfi_cell_compare(unf_races *r, uint32_t cell, uint64_t word, uint8_t mask,
                       const unf_access *access, uint32_t *own) {
  for (uint32_t i = r->cells.data[cell].first; i != 0;) {
    const struct access_record *record = &r->records.data[i];
    if (record->thread == access->thread) {
      if (record->place == access->place && record->write == access->write && record->mask == mask)
        *own = i;
    } else if ((record->write || access->write) && (record->mask & mask) != 0 &&
               race_unchecked(r)) {
      if (!unfi_race_clock(r, access->thread)) return false;
      if (!comes_before(&r->clocks.data[access->thread], record) &&
          !unfi_race_found(r, word, record, mask, access))
        return false;
    }
    i = record->next;
  }
  return true;
}

bool unfi_cell_note(unf_races *r, uint32_t cell, uint32_t own, uint8_t mask,
                    const unf_access *access) {
  const uint32_t after = r->last.data[access->thread];
  if (own == 0) {
    const struct access_record record = {access->place, 0,    access->thread,
                                         after,         mask, access->write};
    return unfi_cell_record(r, cell, record);
  }
  if (r->records.data[own].after == after) return true;
  if (!log_room(r)) return false;
  log_change(r, own | OF_RECORD, r->records.data[own].after);
  r->records.data[own].after = after;
  return true;
}

/* What they say of the cell's other bytes is recorded again. */
bool unfi_cell_forget(unf_races *r, uint32_t cell, uint8_t mask) {
  uint32_t first = r->cells.data[cell].first;
  if (first == 0) return true;
  if (!log_room(r)) return false;
  log_change(r, cell, first);
  r->cells.data[cell].first = 0;
  for (uint32_t i = first; i != 0; i = r->records.data[i].next) {
    struct access_record left = r->records.data[i];
    left.mask &= (uint8_t)~mask;
    if (left.mask == 0) continue;
    if (!vector_reserve(r->u->context, &r->records, (uint64_t)r->records.count + 1) ||
        !log_room(r)) {
      r->cells.data[cell].first = first;
      return false;
    }
    left.next = r->cells.data[cell].first;
    log_change(r, cell, left.next);
    r->cells.data[cell].first = r->records.count;
    vector_push(&r->records, left);
  }
  return true;
}
