#include "story.h"

#include <stdlib.h>
#include <string.h>

void story_begin(struct story *story) {
  memset(story, 0, sizeof *story);
  story->steps = json_array();
  story->failed = story->steps == NULL;
}

void story_free(struct story *story) {
  json_decref(story->steps);
  free(story->step_of);
  memset(story, 0, sizeof *story);
}

static bool remember(struct story *story, unf_event event) {
  if (event >= story->room) {
    const size_t room = 2 * (size_t)event + 64;
    uint32_t *bigger = realloc(story->step_of, room * sizeof *bigger);
    if (bigger == NULL) return false;
    memset(bigger + story->room, 0, (room - story->room) * sizeof *bigger);
    story->step_of = bigger;
    story->room = room;
  }
  story->step_of[event] = (uint32_t)json_array_size(story->steps);
  return true;
}

struct causes {
  const struct story *story;
  json_t *steps;
  bool failed;
};

static bool add_cause(void *user, unf_event cause) {
  struct causes *c = user;
  const uint32_t step = cause < c->story->room ? c->story->step_of[cause] : 0;
  if (step > 0) c->failed |= json_array_append_new(c->steps, json_integer(step - 1)) != 0;
  return !c->failed;
}

void story_step(struct story *story, const unf_unfolding *unfolding, unf_event event,
                json_t *step) {
  struct causes causes = {story, json_array(), false};
  const unf_status status = unf_event_predecessors(unfolding, event, add_cause, &causes);
  const bool whole = status == UNF_OK && !causes.failed;
  if (json_object_set_new(step, "after", causes.steps) != 0 || !whole) story->failed = true;
  if (json_array_append_new(story->steps, step) != 0 || !remember(story, event))
    story->failed = true;
}

json_t *story_steps(const struct story *story) {
  return story->failed ? NULL : json_incref(story->steps);
}

struct numbers {
  json_t *list;
  bool failed;
};

static bool add_number(void *user, unf_event event) {
  struct numbers *n = user;
  if (event != UNF_EVENT_BOTTOM)
    n->failed |= json_array_append_new(n->list, json_integer(event - 1)) != 0;
  return !n->failed;
}

json_t *story_event(const unf_unfolding *unfolding, unf_event event, json_t *entry) {
  struct numbers after = {json_array(), false}, conflicts = {json_array(), false};
  bool good = unf_event_predecessors(unfolding, event, add_number, &after) == UNF_OK;
  for (unf_event other = 1; good && other < event; other++) {
    bool immediate = false;
    good = unf_event_conflicts_immediately(unfolding, other, event, &immediate) == UNF_OK;
    if (immediate) add_number(&conflicts, other);
  }
  good &= !after.failed && !conflicts.failed;
  good &= json_object_set_new(entry, "after", after.list) == 0;
  good &= json_object_set_new(entry, "conflicts", conflicts.list) == 0;
  if (good) return entry;
  json_decref(entry);
  return NULL;
}

void story_place(json_t *step, size_t source, uint32_t line) {
  json_object_set_new(step, "at", json_pack("[I, I]", (json_int_t)source, (json_int_t)line));
}
