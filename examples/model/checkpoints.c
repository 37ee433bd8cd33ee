#include "checkpoints.h"

#include <stdlib.h>
#include <string.h>

void checkpoints_begin(struct checkpoints *c, uint64_t interval, size_t words) {
  memset(c, 0, sizeof *c);
  cli_slots_begin(&c->kept, sizeof(struct checkpoint));
  c->interval = interval;
  c->words = words;
}

void checkpoints_free(struct checkpoints *c) {
  for (uint64_t name = 1; name <= c->kept.count; name++) {
    struct checkpoint *kept = cli_slot(&c->kept, name);
    free(kept->state);
    free(kept->journal.entries);
  }
  cli_slots_free(&c->kept);
  free(c->journal.entries);
}

static void add(struct checkpoints *c, const struct entry *entry) {
  struct journal *j = &c->journal;
  if (c->interval == 0 || c->failed) return;
  if (j->count == j->room) {
    size_t room = 2 * j->room + 64;
    struct entry *entries = realloc(j->entries, room * sizeof *entries);
    if (entries == NULL) {
      c->failed = true;
      return;
    }
    j->entries = entries;
    j->room = room;
  }
  j->entries[j->count++] = *entry;
}

void checkpoints_access(struct checkpoints *c, uint64_t step, const unf_access *access) {
  const struct entry entry = {step, *access};
  add(c, &entry);
}

void checkpoints_cut(struct checkpoints *c, uint64_t steps) {
  struct journal *j = &c->journal;
  while (j->count > 0 && j->entries[j->count - 1].step > steps)
    j->count--;
}

static uint64_t bytes_of(const struct checkpoints *c, const struct checkpoint *kept) {
  return (c->words + 1) * sizeof *kept->state + kept->journal.count * sizeof *kept->journal.entries;
}

uint64_t checkpoints_keep(struct checkpoints *c, const int64_t *state) {
  uint64_t name = c->failed ? 0 : cli_slot_take(&c->kept);
  size_t size = c->words * sizeof *state, journal = c->journal.count * sizeof(struct entry);
  if (name == 0) return 0;
  struct checkpoint *kept = cli_slot(&c->kept, name);
  kept->state = malloc(size + sizeof *state);
  kept->journal.entries = malloc(journal + 1);
  if (kept->state == NULL || kept->journal.entries == NULL) {
    free(kept->state);
    free(kept->journal.entries);
    cli_slot_give_back(&c->kept, name);
    return 0;
  }
  if (size > 0) memcpy(kept->state, state, size);
  if (journal > 0) memcpy(kept->journal.entries, c->journal.entries, journal);
  kept->journal.count = kept->journal.room = c->journal.count;
  c->bytes += bytes_of(c, kept);
  return name;
}

void checkpoints_forget(void *checkpoints, uint64_t name) {
  struct checkpoints *c = checkpoints;
  struct checkpoint *kept = cli_slot(&c->kept, name);
  c->bytes -= bytes_of(c, kept);
  free(kept->state);
  free(kept->journal.entries);
  cli_slot_give_back(&c->kept, name);
}
