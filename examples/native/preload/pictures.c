/* The unfolding as a file, and as a list of events that the launcher makes a page of: each a line,
 * with numbers of events from 0 (../events.c reads it). */
#include "pictures.h"

#include <save.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unfold/unfold.h>

#include "../control.h"
#include "../control/settings.h"
#include "../control/steps.h"
#include "../control/texts.h"
#include "../labels.h"
#include "engine.h"
#include "entry.h"

static size_t name_object(void *unfolding, unf_object object, char *text, size_t size) {
  return object_label(control, unfolding, object, text, size);
}

static unf_status produce_dot(void *unfolding, unf_write write, void *file) {
  unf_names names = UNF_NAMES_INIT;
  names.user = unfolding;
  names.object = name_object;
  return unf_dot_unfolding_named(unfolding, &names, write, file);
}

static void draw(unf_unfolding *unfolding) {
  int reason = 0;
  if (control->settings.dot[0] == '\0') return;
  unf_status status = save_through(control->settings.dot, produce_dot, unfolding, &reason);
  if (status != UNF_OK)
    engine_explain(control->dot_because, sizeof control->dot_because, status, reason);
}

/* ---- the list ---- */

/* A line that is being written; it is part of the list when there was room for all of it. */
struct line {
  char *text;
  size_t room, used;
  const char *before; /* what comes in front of the next number */
};

static void put(struct line *line, const char *text) {
  const size_t size = strlen(text);
  if (size >= line->room - line->used) {
    line->used = line->room - 1;
    return;
  }
  memcpy(line->text + line->used, text, size);
  line->used += size;
}

static bool put_number(void *user, unf_event event) {
  struct line *line = user;
  char number[32];
  if (event == UNF_EVENT_BOTTOM) return true;
  snprintf(number, sizeof number, "%s%u", line->before, (unsigned)event - 1);
  line->before = ",";
  put(line, number);
  return line->used < line->room - 1;
}

static bool put_conflicts(struct line *line, const unf_unfolding *unfolding, unf_event event) {
  for (unf_event other = 1; other < event; other++) {
    bool immediate = false;
    if (unf_event_conflicts_immediately(unfolding, other, event, &immediate) != UNF_OK ||
        (immediate && !put_number(line, other)))
      return false;
  }
  return true;
}

/* PLACE after AFTER,… against CONFLICT,… is ACTION. False: there is no room for it. */
static bool list_event(struct line *line, const unf_unfolding *unfolding, unf_event event) {
  char text[8 * NAME_SIZE];
  uint64_t place = 0;
  unf_action action;
  if (unf_event_cookie(unfolding, event, &place) != UNF_OK ||
      unf_event_action(unfolding, event, &action) != UNF_OK)
    return false;
  snprintf(text, sizeof text, "%llx", (unsigned long long)place);
  put(line, text);
  line->before = " after ";
  if (unf_event_predecessors(unfolding, event, put_number, line) != UNF_OK) return false;
  line->before = " against ";
  if (!put_conflicts(line, unfolding, event)) return false;
  put(line, " is ");
  if (unf_action_text(unfolding, &action, text, sizeof text) >= sizeof text) return false;
  put(line, text);
  put(line, "\n");
  return line->used < line->room - 1;
}

static void list(const unf_unfolding *unfolding) {
  struct events *events = &control->events;
  struct line line = {.text = events->text, .room = sizeof events->text};
  events->total = unf_unfolding_events(unfolding);
  events->count = 0;
  for (unf_event e = 1; e <= events->total && e <= EVENTS_LISTED; e++) {
    const size_t before = line.used;
    if (!list_event(&line, unfolding, e)) {
      line.used = before;
      break;
    }
    events->count++;
  }
  events->text[line.used] = '\0';
  events->listed = true;
}

void pictures_write(void) {
  const struct settings *settings = &control->settings;
  const unf_limits none = {.bytes = 0};
  unf_unfolding *unfolding = engine_unfolding();
  if (settings->dot[0] == '\0' && !settings->list_events) return;
  unf_context_set_limits(unf_unfolding_context(unfolding), &none);
  control->drawing = true;
  draw(unfolding);
  if (settings->list_events) list(unfolding);
  control->drawing = false;
  control->pictures_tried = true;
}
