/* Data races on shared ints. Each is a word of memory to the detector, and a place is line and
 * column. */
#include "model.h"

enum { WORD = 8 };

static void access_made(void *user, uint32_t thread, uint32_t variable, bool write,
                        struct place place) {
  struct session *s = user;
  unf_access access = {thread, write, (uint64_t)variable * WORD, WORD,
                       (uint64_t)place.line << 32 | place.column};
  checkpoints_access(&s->checkpoints, s->steps, &access);
  if (s->race_status == UNF_OK) s->race_status = unf_races_access(s->races, &access);
}

unf_status races_open(struct session *s) {
  s->machine.watcher.user = s;
  return unf_races_new(s->unfolding, NULL, &s->races);
}

unf_status races_begin(struct session *s, uint64_t shared, uint64_t *resumed) {
  bool watched;
  s->race_status = UNF_OK;
  unf_status status = unf_races_begin(s->races, shared, resumed, &watched);
  s->machine.watcher.access = status == UNF_OK && watched ? access_made : NULL;
  return status;
}

void races_step(struct session *s, unf_event event) {
  if (s->machine.watcher.access == NULL || s->race_status != UNF_OK) return;
  checkpoints_step(&s->checkpoints, s->steps, event);
  s->race_status = unf_races_step(s->races, event);
}

unf_status races_catch_up(struct session *s, uint64_t steps) {
  const struct journal *j = &s->checkpoints.journal;
  unf_status status = UNF_OK;
  for (size_t i = 0; status == UNF_OK && i < j->count; i++) {
    const struct entry *e = &j->entries[i];
    if (e->step <= steps && steps > 0) continue;
    status =
        e->is_access ? unf_races_access(s->races, &e->access) : unf_races_step(s->races, e->event);
  }
  return status;
}

/* Lists those found from a number on; returns how many there are. */
static uint64_t describe_from(struct session *s, uint64_t index, const unf_explorer *x) {
  unf_races_counts counts;
  unf_race race;
  unf_races_counts_get(s->races, &counts);
  for (; index < counts.races && unf_races_get(s->races, index, &race) == UNF_OK; index++)
    describe_race(s, &race, x);
  return counts.races;
}

unf_status races_list(struct session *s, const unf_explorer *x) {
  s->races_listed = describe_from(s, s->races_listed, x);
  return s->race_status;
}

void races_count(struct session *s) {
  if (s->races != NULL) describe_from(s, 0, NULL);
}
