/* Races found: one for each unordered pair of places, with the number of executions that have it. A
 * race that was seen is *standing* as long as executions share the steps after which it was seen,
 * since they have it too. */
#include "race/found.h"

#include "race/races.h"

static uint64_t places_hash(uint64_t a, uint64_t b) {
  return a < b ? mix(a, b) : mix(b, a);
}

static uint64_t found_hash(const void *races, uint32_t handle) {
  const unf_races *r = races;
  const unf_race *race = &r->found.data[handle].race;
  return places_hash(race->first.place, race->second.place);
}

static bool same_places(const unf_race *race, uint64_t a, uint64_t b) {
  return (race->first.place == a && race->second.place == b) ||
         (race->first.place == b && race->second.place == a);
}

static uint32_t find(const unf_races *r, uint64_t a, uint64_t b) {
  const struct table *table = &r->found_table;
  table_each(table, places_hash(a, b), found) {
    if (same_places(&r->found.data[found].race, a, b)) return found;
  }
  return 0;
}

/* The first bytes of a word that both touch. */
static struct seen_race seen(const unf_races *r, uint64_t word, const struct access_record *record,
                             uint8_t mask, const unf_access *access) {
  uint64_t low = 0, size = 0;
  mask &= record->mask;
  while ((mask >> low & 1) == 0)
    low++;
  while (low + size < CELL_BYTES && (mask >> (low + size) & 1) != 0)
    size++;
  uint64_t address = (word << CELL_SHIFT) + low;
  return (struct seen_race){{record->thread, record->write, address, size, record->place},
                            {access->thread, access->write, address, size, access->place},
                            r->counts.executions,
                            r->path.count};
}

static uint32_t add(unf_races *r, const struct seen_race *race, uint32_t after_first,
                    uint32_t after_second) {
  unf_context *context = r->u->context;
  if (!vector_reserve(context, &r->found, (uint64_t)r->found.count + 2) ||
      !unfi_table_reserve_dense(context, &r->found_table, found_hash, r))
    return 0;
  if (r->found.count == 0) r->found.count = 1;
  struct found found = {{race->first, race->second, 0, race->execution, race->steps},
                        {after_first, after_second},
                        0,
                        *race};
  vector_push(&r->found, found);
  table_put(&r->found_table, places_hash(race->first.place, race->second.place),
            r->found.count - 1);
  r->counts.races++;
  return r->found.count - 1;
}

bool unfi_race_found(unf_races *r, uint64_t word, const struct access_record *record, uint8_t mask,
                     const unf_access *access) {
  if (!vector_reserve(r->u->context, &r->standing, (uint64_t)r->standing.count + 1)) return false;
  uint32_t race = find(r, record->place, access->place);
  if (race != 0 && r->found.data[race].counted == r->counts.executions) return true;
  const struct seen_race here = seen(r, word, record, mask, access);
  if (race == 0) race = add(r, &here, record->after, r->last.data[access->thread]);
  if (race == 0) return false;
  struct found *found = &r->found.data[race];
  found->last = here;
  found->counted = r->counts.executions;
  found->race.count++;
  struct listed_race standing = {race, r->path.count};
  vector_push(&r->standing, standing);
  return true;
}

/* An event that is freed has no number any more. */
void unfi_races_renumber(unf_races *r, const uint32_t *now) {
  for (uint32_t i = 1; i < r->found.count; i++)
    for (int which = 0; which < 2; which++) {
      uint32_t *after = &r->found.data[i].after[which];
      if (*after == UNF_EVENT_BOTTOM || *after == NONE) continue;
      *after = now[*after] != 0 ? now[*after] : NONE;
    }
}

void unfi_races_standing(unf_races *r, uint64_t steps) {
  while (r->standing.count > 0 && r->standing.data[r->standing.count - 1].steps > steps)
    r->standing.count--;
}

void unfi_races_count_standing(unf_races *r) {
  for (uint32_t i = 0; i < r->standing.count; i++) {
    struct found *found = &r->found.data[r->standing.data[i].race];
    found->counted = r->counts.executions;
    found->race.count++;
  }
}
