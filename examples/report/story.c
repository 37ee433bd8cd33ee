#include "story.h"

#include <stdlib.h>
#include <string.h>

#include "keys.h"

void story_begin(struct story *story) {
  memset(story, 0, sizeof *story);
  story->steps = json_array();
  story->failed = story->steps == NULL;
}

void story_free(struct story *story) {
  json_decref(story->steps);
  free(story->keys);
  memset(story, 0, sizeof *story);
}

static bool remember(struct story *story, uint64_t key) {
  if (story->count == story->room) {
    const size_t room = 2 * story->room + 64;
    uint64_t *keys = realloc(story->keys, room * sizeof *keys);
    if (keys == NULL) return false;
    story->keys = keys;
    story->room = room;
  }
  story->keys[story->count++] = key;
  return true;
}

/* The number of a step from 1; 0: it is none of these. Causes are mostly among the last steps. */
static size_t find(const struct story *story, uint64_t key) {
  size_t at = story->count;
  while (at > 0 && story->keys[at - 1] != key)
    at--;
  return at;
}

void story_add(struct story *story, uint64_t key, const uint64_t *causes, size_t count,
               json_t *step) {
  json_t *after = json_array();
  bool good = after != NULL;
  for (size_t i = 0; i < count && good; i++) {
    const size_t at = find(story, causes[i]);
    if (at > 0) good = json_array_append_new(after, json_integer((json_int_t)at - 1)) == 0;
  }
  good &= json_object_set_new(step, "after", after) == 0;
  if (json_array_append_new(story->steps, step) != 0 || !remember(story, key) || !good)
    story->failed = true;
}

bool story_access(const struct story *story, json_t *list, uint64_t key, json_t *access) {
  json_object_set_new(access, "behind", json_integer((json_int_t)find(story, key)));
  return json_array_append_new(list, access) == 0;
}

static bool among(const uint64_t *keys, size_t count, uint64_t key) {
  while (count > 0 && keys[count - 1] != key)
    count--;
  return count > 0;
}

bool story_blocked(const struct story *story, json_t *list, const char *thread,
                   const uint64_t *keys, size_t count) {
  json_t *behind = json_array();
  bool good = behind != NULL;
  for (size_t i = 0; i < count && good; i++) {
    const size_t step = among(keys, i, keys[i]) ? 0 : find(story, keys[i]);
    if (step > 0) good = json_array_append_new(behind, json_integer((json_int_t)step)) == 0;
  }
  json_t *entry = json_pack("{s:s, s:o}", "thread", thread, "behind", behind);
  if (good) return json_array_append_new(list, entry) == 0;
  json_decref(entry);
  return false;
}

bool story_blocked_in(const struct story *story, json_t *list, unf_configuration *c,
                      unf_thread thread, const char *name) {
  struct keys behind = {.count = 0};
  bool blocked = false, good = true;
  if (unf_configuration_blocked(c, thread, &blocked, keys_add, &behind) == UNF_OK && blocked)
    good = !behind.failed && story_blocked(story, list, name, behind.data, behind.count);
  keys_free(&behind);
  return good;
}

void story_step(struct story *story, const unf_unfolding *unfolding, unf_event event,
                json_t *step) {
  struct keys causes = {.count = 0};
  if (unf_event_predecessors(unfolding, event, keys_add, &causes) != UNF_OK || causes.failed)
    story->failed = true;
  story_add(story, event, causes.data, causes.count, step);
  keys_free(&causes);
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
