#include "states.h"

#include <stdlib.h>
#include <string.h>

#include "machine.h"
#include "moment.h"

/* So many instructions cost more than to keep a state. */
enum { INSTRUCTIONS = 10000 };

void states_begin(struct states *s, struct machine *machine, uint64_t every, uint64_t most) {
  memset(s, 0, sizeof *s);
  cli_slots_begin(&s->slots, sizeof(struct state));
  s->machine = machine;
  s->every = every;
  s->most = most;
}

static struct state *state_of(const struct states *s, uint64_t name) {
  return cli_slot(&s->slots, name);
}

static uint64_t told_bytes_of(const struct state *state) {
  return state->told_count * sizeof *state->told;
}

/* Frees a state that the library does not know and that no other one needs, and so on before it. */
static void release(struct states *s, uint64_t name) {
  while (name != 0) {
    struct state *state = state_of(s, name);
    const uint64_t from = state->from;
    if (state->named || state->states > 0 || name == s->at) return;
    machine_drop(s->machine, state->moment);
    s->told_bytes -= told_bytes_of(state);
    free(state->told);
    cli_slot_give_back(&s->slots, name);
    if (from != 0) state_of(s, from)->states--;
    name = from;
  }
}

void states_free(struct states *s) {
  for (uint64_t name = 1; name <= s->slots.count; name++) {
    machine_drop(s->machine, state_of(s, name)->moment);
    free(state_of(s, name)->told);
  }
  cli_slots_free(&s->slots);
  free(s->told);
  memset(s, 0, sizeof *s);
}

static void go_to(struct states *s, uint64_t name) {
  const uint64_t before = s->at;
  s->at = name;
  s->told_count = 0;
  s->instructions = s->machine->instructions;
  if (before != 0 && before != name) release(s, before);
}

void states_restart(struct states *s) {
  go_to(s, 0);
  s->steps = 0;
}

bool states_tell(struct states *s, const unf_access *access) {
  if (s->told_count == s->told_room) {
    const size_t room = 2 * s->told_room + 64;
    struct told *told = realloc(s->told, room * sizeof *told);
    if (told == NULL) return false;
    s->told = told;
    s->told_room = room;
  }
  s->told[s->told_count++] = (struct told){s->steps, *access};
  return true;
}

/* Lets the moments of states go that were not used for long, until all take less. */
static void make_place(struct states *s) {
  const uint64_t count = s->slots.count;
  for (uint64_t looked = 0; looked < 2 * count; looked++) {
    if (s->machine->pool.bytes + s->told_bytes <= s->most) return;
    struct state *state = state_of(s, 1 + s->next++ % count);
    if (state->moment == NULL) continue;
    if (!state->touched) {
      machine_drop(s->machine, state->moment);
      state->moment = NULL;
      s->gone++;
    }
    state->touched = false;
  }
}

/* That a state cannot be kept costs time later, no more. */
static uint64_t keep(struct states *s) {
  const uint64_t name = cli_slot_take(&s->slots);
  if (name == 0) return 0;
  struct state *state = state_of(s, name);
  struct told *told = malloc((s->told_count + 1) * sizeof *told);
  struct kept_moment *moment = told != NULL ? machine_keep(s->machine) : NULL;
  if (moment == NULL) {
    free(told);
    cli_slot_give_back(&s->slots, name);
    return 0;
  }
  if (s->told_count > 0) memcpy(told, s->told, s->told_count * sizeof *told);
  *state = (struct state){.named = true,
                          .touched = true,
                          .from = s->at,
                          .steps = s->steps,
                          .decisions = s->machine->decided,
                          .moment = moment,
                          .told = told,
                          .told_count = s->told_count};
  if (s->at != 0) state_of(s, s->at)->states++;
  s->told_bytes += told_bytes_of(state);
  s->kept++;
  const uint64_t bytes = s->machine->pool.bytes + s->told_bytes;
  if (s->bytes < bytes) s->bytes = bytes;
  go_to(s, name);
  return name;
}

uint64_t states_step(struct states *s) {
  const uint64_t before = s->at != 0 ? state_of(s, s->at)->steps : 0;
  const uint64_t instructions = s->machine->instructions - s->instructions;
  if (s->every == 0 || (s->steps < before + s->every && instructions < INSTRUCTIONS)) return 0;
  make_place(s);
  if (s->machine->pool.bytes + s->told_bytes > s->most) return 0;
  return keep(s);
}

uint64_t states_last(const struct states *s, uint64_t name) {
  while (name != 0 && state_of(s, name)->moment == NULL)
    name = state_of(s, name)->from;
  return name;
}

bool states_restore(struct states *s, uint64_t name) {
  struct state *state = state_of(s, name);
  if (!machine_restore(s->machine, state->moment)) return false;
  s->machine->decided = state->decisions;
  s->machine->decisions += state->decisions;
  state->touched = true;
  s->steps = state->steps;
  s->restored++;
  go_to(s, name);
  return true;
}

bool states_retell(const struct states *s, bool (*tell)(void *user, const struct told *told),
                   void *user) {
  uint64_t count = 0;
  for (uint64_t name = s->at; name != 0; name = state_of(s, name)->from)
    count++;
  uint64_t *names = malloc((size_t)(count + 1) * sizeof *names);
  bool good = names != NULL;
  uint64_t i = count;
  for (uint64_t name = s->at; good && name != 0; name = state_of(s, name)->from)
    names[--i] = name;
  for (i = 0; good && i < count; i++) {
    const struct state *state = state_of(s, names[i]);
    for (size_t j = 0; good && j < state->told_count; j++)
      good = tell(user, &state->told[j]);
  }
  free(names);
  return good;
}

void states_forget(void *states, uint64_t name) {
  struct states *s = states;
  state_of(s, name)->named = false;
  release(s, name);
}
