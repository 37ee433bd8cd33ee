/*
 * --report of a model. What was found is told by a second session of the same program, with values
 * of its inputs: it performs the execution again, step by step.
 */
#include "model.h"

#include <stdlib.h>
#include <string.h>

#include "story.h"
#include "write.h"

enum { SOURCE_LINES = 20000 };

/* ---- schedules ---- */

struct text {
  char *bytes;
  size_t size, room;
};

static bool add_text(void *user, const char *bytes, size_t size) {
  struct text *text = user;
  if (size >= text->room - text->size) {
    const size_t room = 2 * (text->size + size) + 256;
    char *bigger = realloc(text->bytes, room);
    if (bigger == NULL) return false;
    text->bytes = bigger;
    text->room = room;
  }
  memcpy(text->bytes + text->size, bytes, size);
  text->size += size;
  text->bytes[text->size] = '\0';
  return true;
}

void retell_keep(struct session *s, const unf_schedule *schedule) {
  const size_t count = s->result.defects.count;
  struct text text = {NULL, 0, 0};
  char **schedules = realloc(s->schedules, count * sizeof *schedules);
  if (schedules == NULL) return;
  while (s->schedule_count < count)
    schedules[s->schedule_count++] = NULL;
  s->schedules = schedules;
  if (unf_schedule_write(schedule, add_text, &text) == UNF_OK)
    schedules[count - 1] = text.bytes;
  else
    free(text.bytes);
}

/* ---- the second session ---- */

/* The values of all inputs, as --input has them; to be freed. NULL: no memory. */
static char *all_inputs(const struct session *s, const struct cli_defect *defect) {
  char *values = json_is_object(defect->inputs) ? inputs_text(defect->inputs) : NULL;
  const char *given = s->options.input != NULL ? s->options.input : "";
  const size_t room = strlen(given) + (values != NULL ? strlen(values) : 0) + 2;
  char *all = malloc(room);
  if (all != NULL)
    snprintf(all, room, "%s%s%s", given, given[0] != '\0' && values != NULL ? "," : "",
             values != NULL ? values : "");
  free(values);
  return all;
}

/* False: no memory. */
static bool open_again(const struct session *s, const char *input, struct session *again) {
  memset(again, 0, sizeof *again);
  again->file = s->file;
  again->options = s->options;
  again->options.input = input;
  again->options.trace_dir = again->options.report = again->options.dot = NULL;
  again->options.max_seconds = 0;
  again->options.max_events = again->options.max_executions = again->options.races_every = 0;
  if (s->options.purity == CLI_PURITY_LIST) again->options.purity = CLI_PURITY_ON;
  again->shown = strdup(s->shown);
  char *text = malloc(s->program.size + 1);
  if (text != NULL) memcpy(text, s->program.text, s->program.size + 1);
  return again->shown != NULL && text != NULL &&
         session_load(again, text, s->program.size) == CLI_CLEAN &&
         session_open_library(again) == UNF_OK && session_open(again) == UNF_OK;
}

/* ---- steps ---- */

static json_t *step_of(const struct session *s, const unf_action *action) {
  bool several;
  const struct place place = machine_place(&s->machine, s->state, action->thread);
  json_t *step = describe_step(s, s->state, action, &several);
  if (step != NULL && several) json_object_set_new(step, "several", json_true());
  if (step != NULL) story_place(step, 0, place.line);
  return step;
}

/* Performs a schedule, and tells its steps; false: it cannot be performed, for want of memory. */
static bool tell(struct session *s, const unf_schedule *schedule, struct story *story) {
  struct walk walk = {.session = s};
  bool good = unf_configuration_new(s->unfolding, &walk.events) == UNF_OK && walk_begin(&walk);
  for (uint64_t i = 0; good && !walk.wrong && i < unf_schedule_size(schedule); i++) {
    unf_action action;
    unf_event event;
    good = unf_schedule_step(schedule, i, &action) == UNF_OK;
    if (!good || action.kind == UNF_DID_BRANCH) continue; /* the inputs decide which way it goes */
    json_t *step = step_of(s, &action);
    good = session_fits(s, s->state, &action) && walk_step(&walk, &action, &event);
    if (good)
      story_step(story, s->unfolding, event, step);
    else
      json_decref(step);
  }
  unf_configuration_free(walk.events);
  return good;
}

/* What is told of a defect; NULL: no memory. */
static json_t *retell_one(const struct session *s, size_t number) {
  struct session again;
  struct story story;
  unf_schedule *schedule = NULL;
  const struct cli_defect *defect = &s->result.defects.items[number];
  const char *text = number < s->schedule_count ? s->schedules[number] : NULL;
  if (text == NULL)
    return json_pack("{s:[], s:s}", "steps", "why",
                     json_is_null(defect->inputs) ? "no values of the inputs are known, so that "
                                                    "there are no steps to look at"
                                                  : "there was no memory for its steps");
  char *input = all_inputs(s, defect);
  bool good = input != NULL && open_again(s, input, &again);
  story_begin(&story);
  good = good && unf_schedule_read(again.unfolding, text, strlen(text), &schedule) == UNF_OK &&
         tell(&again, schedule, &story);
  json_t *steps = good ? story_steps(&story) : NULL;
  json_t *told = steps != NULL ? json_pack("{s:o}", "steps", steps) : NULL;
  story_free(&story);
  unf_schedule_free(schedule);
  if (input != NULL) session_close(&again);
  free(input);
  return told;
}

static bool append(json_t **list, json_t *item) {
  if (json_array_append_new(*list, item) == 0) return true;
  json_decref(*list);
  *list = NULL;
  return false;
}

void retell(struct session *s) {
  struct report report;
  char name[NAME_SIZE];
  report_begin(&report);
  report_source(&report, s->shown, s->program.text, s->program.size, 1, SOURCE_LINES);
  for (uint32_t t = 0; t < s->program.count[SYMBOL_THREAD] && report.threads != NULL; t++) {
    describe_name(s, SYMBOL_THREAD, t, name);
    append(&report.threads, json_string(name));
  }
  for (size_t i = 0; i < s->result.defects.count && report.executions != NULL; i++)
    append(&report.executions, retell_one(s, i));
  json_decref(report.unfolding);
  report.unfolding = describe_events(s);
  const enum cli_status saved = report_save(s->options.report, &s->result, &report);
  s->failed |= saved == CLI_USAGE;
  s->refused |= saved == CLI_STOPPED;
  report_free(&report);
}
