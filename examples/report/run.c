/* Runs grow by what engines say. */
#include "run.h"

#include <stdlib.h>
#include <string.h>

/* Room for one element more. */
static bool grow(void **items, size_t count, size_t *room, size_t size) {
  if (count < *room) return true;
  const size_t more = 2 * *room + 64;
  void *bigger = realloc(*items, more * size);
  if (bigger == NULL) return false;
  *items = bigger;
  *room = more;
  return true;
}

bool run_choice(void *user, const unf_action *action) {
  struct run *run = user;
  const size_t before = run->end_count > 0 ? run->ends[run->end_count - 1] : 0;
  if (run->choice_count - before == CHOICES_MOST) {
    run->partial = true;
    return false;
  }
  if (grow((void **)&run->choices, run->choice_count, &run->choice_room, sizeof *run->choices))
    run->choices[run->choice_count++] = *action;
  else
    run->failed = true;
  return !run->failed;
}

static bool end_choices(struct run *run) {
  if (!grow((void **)&run->ends, run->end_count, &run->end_room, sizeof *run->ends)) return false;
  run->ends[run->end_count++] = run->choice_count;
  return true;
}

static bool add_causes(struct run *run, const uint64_t *causes, size_t count) {
  for (size_t i = 0; i < count; i++) {
    if (!grow((void **)&run->causes, run->cause_count, &run->cause_room, sizeof *run->causes))
      return false;
    run->causes[run->cause_count++] = causes[i];
  }
  if (!grow((void **)&run->cause_ends, run->cause_end_count, &run->cause_end_room,
            sizeof *run->cause_ends))
    return false;
  run->cause_ends[run->cause_end_count++] = run->cause_count;
  return true;
}

void run_step(struct run *run, const unf_action *action, struct run_event event,
              const uint64_t *causes, size_t count) {
  if (run->count >= run->from && !end_choices(run)) run->failed = true;
  if (run->causes_wanted && !add_causes(run, causes, count)) run->failed = true;
  if (!grow((void **)&run->steps, run->count, &run->room, sizeof *run->steps) ||
      !grow((void **)&run->events, run->event_count, &run->event_room, sizeof *run->events))
    run->failed = true;
  if (run->failed) return;
  run->steps[run->count++] = *action;
  run->events[run->event_count++] = event;
}

void run_free(struct run *run) {
  free(run->steps);
  free(run->events);
  free(run->choices);
  free(run->ends);
  free(run->causes);
  free(run->cause_ends);
  *run = (struct run)RUN_INIT;
}

uint64_t run_switches(const unf_action *steps, size_t count) {
  uint64_t switches = 0;
  for (size_t i = 1; i < count; i++)
    switches += steps[i].thread != steps[i - 1].thread;
  return switches;
}
