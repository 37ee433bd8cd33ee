/* Data races on shared ints. Each is a word of memory to the detector, and a place is
 * line and column. */
#include "races.h"

#include <stdlib.h>
#include <string.h>

#include "describe.h"
#include "std.h"

enum { WORD = 8 };

static void access_made(void *user, uint32_t thread, uint32_t variable, bool write,
                        struct place place) {
  struct session *s = user;
  unf_access access = {thread, write, (uint64_t)variable * WORD, WORD,
                       (uint64_t)place.line << 32 | place.column};
  checkpoints_access(&s->checkpoints, s->steps, &access);
  std_access(s, &access);
  if (s->races_watched && s->race_status == UNF_OK)
    s->race_status = unf_races_access(s->races, &access);
}

unf_status races_open(struct session *s) {
  unf_races_options options = UNF_RACES_OPTIONS_INIT;
  const struct cli_options *o = &s->options;
  if (o->races_every > 0) options.every = o->races_every;
  if (o->races_every > 0 && o->seed != CLI_NUMBER_NONE) options.seed = (uint64_t)o->seed;
  options.before = s->result.before.executions;
  s->machine.watcher.user = s;
  return unf_races_new(s->unfolding, &options, &s->races);
}

/* Where states are kept, the journal has the accesses of all runs, because one that is watched can
 * begin at a state of one that was not. Without shared ints there is nothing to watch. */
unf_status races_begin(struct session *s, uint64_t shared, uint64_t *resumed) {
  s->race_status = UNF_OK;
  if (s->program.count[SYMBOL_SHARED] == 0) return UNF_OK;
  unf_status status = unf_races_begin(s->races, shared, resumed, &s->races_watched);
  bool wanted = s->races_watched || s->checkpoints.interval > 0;
  s->machine.watcher.access = status == UNF_OK && wanted ? access_made : NULL;
  return status;
}

void races_step(struct session *s, unf_event event) {
  if (!s->races_watched || s->race_status != UNF_OK) return;
  s->race_status = unf_races_step(s->races, event);
}

struct catching {
  struct session *s;
  uint64_t from, step; /* steps that the detector knows; the current step */
  size_t next;         /* entry of the journal */
  unf_status status;
};

/* The accesses up to the next step. */
static bool report_accesses(struct catching *c) {
  const struct journal *j = &c->s->checkpoints.journal;
  for (; c->next < j->count && j->entries[c->next].step <= c->step; c->next++) {
    const struct entry *e = &j->entries[c->next];
    if (c->status == UNF_OK && (e->step > c->from || c->from == 0))
      c->status = unf_races_access(c->s->races, &e->access);
  }
  return c->status == UNF_OK;
}

static bool report_step(void *user, unf_event event) {
  struct catching *c = user;
  if (++c->step > c->from) c->status = unf_races_step(c->s->races, event);
  return c->status == UNF_OK && report_accesses(c) && c->step < c->s->steps;
}

unf_status races_catch_up(struct session *s, const unf_explorer *x, uint64_t steps) {
  struct catching c = {s, steps, 0, 0, UNF_OK};
  if (s->races_watched && s->steps > steps && report_accesses(&c))
    unf_explorer_path(x, report_step, &c);
  return c.status;
}

/* Lists those of the current execution. */
static void describe_here(struct session *s, const unf_explorer *x) {
  const uint64_t count = unf_races_here_count(s->races);
  uint64_t index;
  unf_race race;
  json_t *none;
  for (uint64_t i = 0; i < count && unf_races_here(s->races, i, &index, &race) == UNF_OK; i++)
    if (inputs_race(s, &race, NULL, &none)) describe_race(s, &race, x, NULL);
}

/* With inputs: a race as the detector has it, of elements that are accessed under conditions. */
struct raced {
  uint64_t run; /* the last one in which they can hold together */
  uint64_t places[2];
};

static bool make_room(struct session *s, uint64_t count) {
  if (count <= s->raced_room) return true;
  const size_t room = 2 * (size_t)count + 16;
  struct raced *raced = realloc(s->raced, room * sizeof *raced);
  if (raced == NULL) return false;
  memset(raced + s->raced_room, 0, (room - s->raced_room) * sizeof *raced);
  s->raced = raced;
  s->raced_room = room;
  return true;
}

/* Whether another race with this pair of places was met in the same run before. */
static bool is_listed(const struct session *s, uint64_t count, uint64_t index) {
  const struct raced *mine = &s->raced[index];
  for (uint64_t i = 0; i < count; i++)
    if (i != index && s->raced[i].run == mine->run && s->raced[i].places[0] == mine->places[0] &&
        s->raced[i].places[1] == mine->places[1])
      return true;
  return false;
}

/* The races of this run that inputs can lead to, each pair of places once. */
static bool describe_run(struct session *s, const unf_explorer *x, bool *here) {
  const uint64_t count = unf_races_here_count(s->races);
  unf_races_counts counts;
  uint64_t index;
  unf_race race;
  json_t *inputs;
  unf_races_counts_get(s->races, &counts);
  if (!make_room(s, counts.races)) return false;
  for (uint64_t i = 0; i < count && unf_races_here(s->races, i, &index, &race) == UNF_OK; i++) {
    struct raced *r = &s->raced[index];
    if (!inputs_race(s, &race, x, &inputs)) continue;
    *here = true;
    r->run = counts.executions;
    r->places[0] = race.first.place < race.second.place ? race.first.place : race.second.place;
    r->places[1] = race.first.place + race.second.place - r->places[0];
    if (is_listed(s, counts.races, index))
      json_decref(inputs);
    else
      describe_race(s, &race, x, inputs);
  }
  return true;
}

unf_status races_list(struct session *s, const unf_explorer *x, bool *here) {
  *here = false;
  if (!s->inputs.open)
    describe_here(s, x);
  else if (!describe_run(s, x, here))
    return UNF_MEMORY;
  return s->race_status;
}
