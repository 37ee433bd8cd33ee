/*
 * Cuts and read sets. The record of a new event is the elementwise maximum of its causes' cuts,
 * unless all its causes lie in the history of the event before it on its thread: then it shares
 * that event's record, because what it writes itself is answered by cut_entry() before the record
 * is looked at. An unlock after its lock costs no record.
 *
 * A read set holds one read for each thread, the last: those before it on the thread are its
 * causes. It is interned, so equal sets have equal entries, and the events after them equal names.
 */
#include <string.h>

#include "structure/unfolding.h"

uint64_t unfi_reads_hash(const void *unfolding, uint32_t entry) {
  const uint32_t *record = reads_at(unfolding, entry);
  uint64_t hash = mix(record[0], record[1]);
  for (uint32_t i = 0; i < record[1]; i++)
    hash = mix(hash, record[2 + i]);
  return hash;
}

bool unfi_reads_intern(unf_unfolding *u, uint32_t write, const uint32_t *reads, uint32_t count,
                       uint32_t *out) {
  if (count == 0) {
    *out = write;
    return true;
  }
  uint64_t hash = mix(write, count);
  for (uint32_t i = 0; i < count; i++)
    hash = mix(hash, reads[i]);
  struct table *table = &u->reads_table;
  if (!unfi_table_reserve(u->context, table, unfi_reads_hash, u)) return false;
  for (uint32_t i = (uint32_t)hash & table->mask; table->slots[i] != 0; i = (i + 1) & table->mask) {
    const uint32_t *record = arena_at(&u->reads, table->slots[i]);
    if (record[0] == write && record[1] == count &&
        memcmp(record + 2, reads, count * sizeof *reads) == 0) {
      *out = table->slots[i] | READS_TAG;
      return true;
    }
  }
  uint32_t index = unfi_arena_take(u->context, &u->reads, count + 2);
  if (index == 0 || index >= READS_TAG) return false;
  uint32_t *record = arena_at(&u->reads, index);
  record[0] = write;
  record[1] = count;
  memcpy(record + 2, reads, count * sizeof *reads);
  table_put(table, hash, index);
  *out = index | READS_TAG;
  return true;
}

static uint32_t read_site(const unf_unfolding *u, uint32_t read) {
  return action_of(u, read)->site;
}

bool unfi_reads_add(unf_unfolding *u, uint32_t entry, uint32_t read, uint32_t site, uint32_t *out) {
  uint32_t old = entry & READS_TAG ? reads_at(u, entry)[1] : 0;
  if (!vector_reserve(u->context, &u->scratch_reads, old + 1)) return false;
  uint32_t *reads = u->scratch_reads.data;
  uint32_t count = 0, i = 0;
  const uint32_t *from = old > 0 ? reads_at(u, entry) + 2 : NULL;
  while (i < old && read_site(u, from[i]) < site)
    reads[count++] = from[i++];
  if (i < old && read_site(u, from[i]) == site) i++;
  reads[count++] = read;
  while (i < old)
    reads[count++] = from[i++];
  return unfi_reads_intern(u, entry_write(u, entry), reads, count, out);
}

bool unfi_entry_merge(unf_unfolding *u, uint32_t a, uint32_t b, uint32_t *out) {
  uint32_t write_a = entry_write(u, a), write_b = entry_write(u, b);
  if (write_a != write_b || !(a & b & READS_TAG)) {
    /* Reads after the earlier write are in the history of the later one. */
    *out = write_a != write_b ? (write_a > write_b ? a : b) : (a & READS_TAG ? a : b);
    return true;
  }
  uint32_t count_a = reads_at(u, a)[1], count_b = reads_at(u, b)[1], count = 0;
  if (!vector_reserve(u->context, &u->scratch_reads, (uint64_t)count_a + count_b)) return false;
  const uint32_t *reads_a = reads_at(u, a) + 2, *reads_b = reads_at(u, b) + 2;
  uint32_t *reads = u->scratch_reads.data;
  uint32_t i = 0, j = 0;
  while (i < count_a && j < count_b) {
    uint32_t site_a = read_site(u, reads_a[i]), site_b = read_site(u, reads_b[j]);
    if (site_a < site_b) {
      reads[count++] = reads_a[i++];
    } else if (site_b < site_a) {
      reads[count++] = reads_b[j++];
    } else {
      reads[count++] = reads_a[i] > reads_b[j] ? reads_a[i] : reads_b[j];
      i++, j++;
    }
  }
  while (i < count_a)
    reads[count++] = reads_a[i++];
  while (j < count_b)
    reads[count++] = reads_b[j++];
  return unfi_reads_intern(u, write_a, reads, count, out);
}

static bool merge_slot(unf_unfolding *u, uint32_t *entry, uint32_t other) {
  if ((*entry | other) & READS_TAG) return unfi_entry_merge(u, *entry, other, entry);
  if (other > *entry) *entry = other;
  return true;
}

bool unfi_cut_merge(unf_unfolding *u, uint32_t *entries, uint32_t event) {
  if (event == 0) return true;
  const struct event *e = event_at(u, event);
  const struct action *a = &u->actions.data[e->action];
  const uint32_t *record = arena_at(&u->cuts, e->cut);
  uint32_t count = record[0], tags = 0;
  record++;
  for (uint32_t i = 0; i < count; i++)
    tags |= entries[i] | record[i];
  if (tags & READS_TAG) {
    for (uint32_t i = 0; i < count; i++) {
      bool own = i == a->site || i == a->write;
      if (!own && !merge_slot(u, &entries[i], record[i])) return false;
    }
  } else {
    /* What the event wrote itself is larger than the record's older entry for the site. */
    for (uint32_t i = 0; i < count; i++)
      entries[i] = entries[i] > record[i] ? entries[i] : record[i];
  }
  if (!merge_slot(u, &entries[a->site], event)) return false;
  return a->write == NONE || merge_slot(u, &entries[a->write], event);
}

/* Whether the record of the event before, as it stands, gives the right answers for the new event.
 */
static bool can_share(const unf_unfolding *u, const struct causes *causes) {
  const struct action *a = &u->actions.data[causes->action];
  if (causes->before != 0) {
    const struct event *b = event_at(u, causes->before);
    const struct action *c = &u->actions.data[b->action];
    const uint32_t *record = arena_at(&u->cuts, b->cut);
    uint32_t written[2] = {c->site, c->write};
    for (unsigned i = 0; i < 2; i++) {
      uint32_t site = written[i];
      if (site == NONE || site == a->site || site == a->write) continue;
      if (site >= record[0] || record[1 + site] != causes->before) return false;
    }
  }
  if (a->other == NONE) return true;
  if (a->write == NONE && !u->sites.data[a->other].is_thread) return false; /* becomes a read */
  uint32_t seen = causes->before == 0 ? 0 : cut_entry(u, causes->before, a->other);
  bool creates = a->write != NONE && u->sites.data[a->other].is_thread;
  uint32_t follows = causes->reads != 0 && !creates ? causes->reads : causes->other_before;
  return seen == follows;
}

bool unfi_cut_record(unf_unfolding *u, uint32_t event, const struct causes *causes, uint32_t *out) {
  if (can_share(u, causes)) {
    *out = event_at(u, causes->before)->cut;
    return true;
  }
  const struct action *a = &u->actions.data[causes->action];
  uint32_t *entries = u->scratch.data;
  memset(entries, 0, u->sites.count * sizeof *entries);
  bool ok = unfi_cut_merge(u, entries, causes->before) &&
            (a->other == NONE || unfi_cut_merge(u, entries, causes->other_before));
  if (ok && causes->reads & READS_TAG) {
    uint32_t count = reads_at(u, causes->reads)[1];
    for (uint32_t i = 0; ok && i < count; i++)
      ok = unfi_cut_merge(u, entries, reads_at(u, causes->reads)[2 + i]);
  }
  if (!ok) return false;
  if (a->write != NONE) {
    entries[a->write] = event;
  } else if (a->other != NONE && !u->sites.data[a->other].is_thread) {
    if (!unfi_reads_add(u, entries[a->other], event, a->site, &entries[a->other])) return false;
  }
  entries[a->site] = event;
  uint32_t count = u->sites.count;
  while (count > 0 && entries[count - 1] == 0)
    count--;
  uint32_t index = unfi_arena_take(u->context, &u->cuts, count + 1);
  if (index == 0) return false;
  uint32_t *record = arena_at(&u->cuts, index);
  record[0] = count;
  memcpy(record + 1, entries, count * sizeof *entries);
  *out = index;
  return true;
}
