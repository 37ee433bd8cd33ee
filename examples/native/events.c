/* The events of the unfolding, for --report. The process under test listed them as lines of text
 * (preload/pictures.c), which are not believed: numbers are those of lines before. */
#include "events.h"

#include <stdlib.h>
#include <story.h>
#include <string.h>
#include <text.h>

#include "action.h"
#include "control.h"
#include "control/steps.h"
#include "control/texts.h"
#include "labels.h"
#include "telling.h"

struct reader {
  struct telling *telling;
  const struct control *control;
  unf_schedule *actions;
  unf_names names;
};

static size_t name_object(void *user, unf_object object, char *text, size_t size) {
  const struct reader *r = user;
  return object_label(r->control, r->telling->unfolding, object, text, size);
}

/* Reads "WORD NUMBER,NUMBER… " of numbers below a bound; an empty list where there is no such word.
 * *at goes behind it. NULL: no memory. */
static json_t *read_numbers(const char **at, const char *word, unsigned long bound) {
  json_t *list = json_array();
  const size_t length = strlen(word);
  if (strncmp(*at, word, length) != 0) return list;
  *at += length;
  for (char *end; list != NULL; *at = end + 1) {
    const unsigned long number = strtoul(*at, &end, 10);
    if (end == *at) break;
    if (number < bound && json_array_append_new(list, json_integer((json_int_t)number)) != 0) {
      json_decref(list);
      list = NULL;
    }
    if (*end != ',') {
      *at = end + (*end == ' ');
      break;
    }
  }
  return list;
}

/* NULL: no memory. */
static json_t *describe(struct reader *r, const char *line, unsigned long number) {
  char thread[NAME_SIZE], label[TEXT_SIZE], object[TEXT_SIZE];
  const unf_unfolding *u = r->telling->unfolding;
  char *end;
  unf_action action;
  if (unf_schedule_step(r->actions, number, &action) != UNF_OK) return NULL;
  const uint64_t place = strtoull(line, &end, 16);
  const char *at = end + (*end == ' ');
  json_t *after = read_numbers(&at, "after ", number);
  json_t *conflicts = read_numbers(&at, "against ", number);
  unf_thread_text(u, action.thread, thread, sizeof thread);
  unf_action_label(u, &r->names, &action, label, sizeof label);
  json_t *entry = json_pack("{s:s, s:o, s:o, s:o}", "thread", thread, "label", cli_json_text(label),
                            "after", after, "conflicts", conflicts);
  if (entry == NULL) return NULL;
  if (story_has_object(action.kind)) {
    object_label(r->control, u, action.target, object, sizeof object);
    json_object_set_new(entry, "object", cli_json_text(object));
  }
  if (place != 0) say_place(r->telling, r->control, place, entry);
  return entry;
}

/* The lines, each terminated, and where in them the actions begin. *count: how many are whole. */
static bool split(const struct events *events, char *text, char **lines, const char **actions,
                  size_t *count) {
  size_t size = strnlen(events->text, sizeof events->text);
  memcpy(text, events->text, size);
  text[size] = '\0';
  *count = 0;
  for (char *line = text, *end; *count < events->count && *count < EVENTS_LISTED; line = end + 1) {
    end = strchr(line, '\n');
    if (end == NULL) break;
    *end = '\0';
    const char *action = strstr(line, " is ");
    if (action == NULL) return false;
    lines[*count] = line;
    actions[(*count)++] = action + 4;
  }
  return true;
}

/* NULL: no memory, or the list is none. */
static json_t *read_events(struct reader *r, const struct events *events) {
  char *text = malloc(sizeof events->text + 1);
  char **lines = malloc(EVENTS_LISTED * sizeof *lines);
  const char **actions = malloc(EVENTS_LISTED * sizeof *actions);
  json_t *list = NULL;
  size_t count = 0;
  if (text != NULL && lines != NULL && actions != NULL &&
      split(events, text, lines, actions, &count))
    r->actions = read_actions(r->telling, actions, count);
  if (r->actions != NULL) list = json_array();
  for (size_t i = 0; list != NULL && i < count; i++)
    if (json_array_append_new(list, describe(r, lines[i], i)) != 0) {
      json_decref(list);
      list = NULL;
    }
  unf_schedule_free(r->actions);
  free(text);
  free(lines);
  free(actions);
  return list;
}

json_t *events_of(struct telling *t) {
  static const char lost[] = "The exploration ended so that its events are not known.";
  const struct control *control = t->again->explored;
  struct reader reader = {.telling = t, .control = control, .names = UNF_NAMES_INIT};
  reader.names.user = &reader;
  reader.names.object = name_object;
  json_t *events = control->events.listed ? read_events(&reader, &control->events) : NULL;
  json_t *unfolding =
      json_pack("{s:o, s:I, s:I}", "events", events != NULL ? events : json_array(), "total",
                (json_int_t)control->events.total, "freed", (json_int_t)control->counts.collected);
  const bool shared = cli_shares(t->again->options);
  if (events == NULL)
    json_object_set_new(unfolding, "why",
                        json_string(shared ? "Each process has events of its own." : lost));
  return unfolding;
}
