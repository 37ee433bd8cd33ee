/*
 * --report of a model. What was found is told by a second session of the same program, with values
 * of its inputs: it performs the execution again, step by step.
 */
#include "retell.h"

#include <stdlib.h>
#include <string.h>

#include "again.h"
#include "blocked.h"
#include "describe.h"
#include "events.h"
#include "write.h"

enum { SOURCE_LINES = 20000 };

/* ---- schedules ---- */

struct schedule_text {
  char *bytes;
  size_t size, room;
};

static bool add_text(void *user, const char *bytes, size_t size) {
  struct schedule_text *text = user;
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

char *retell_text(const unf_schedule *schedule) {
  struct schedule_text text = {NULL, 0, 0};
  if (unf_schedule_write(schedule, add_text, &text) == UNF_OK) return text.bytes;
  free(text.bytes);
  return NULL;
}

/* Takes the text over. */
static bool keep(struct session *s, size_t defect, char *text) {
  const size_t count = s->result.defects.count;
  char **schedules = realloc(s->schedules, count * sizeof *schedules);
  if (schedules == NULL) {
    free(text);
    return false;
  }
  while (s->schedule_count < count)
    schedules[s->schedule_count++] = NULL;
  s->schedules = schedules;
  free(schedules[defect]);
  schedules[defect] = text;
  return text != NULL;
}

bool retell_keep_text(struct session *s, size_t defect, const char *text) {
  return keep(s, defect, strdup(text));
}

void retell_keep(struct session *s, size_t defect, const unf_schedule *schedule) {
  keep(s, defect, retell_text(schedule));
}

/* ---- executions ---- */

bool retell_steps(struct session *s, const char *text, unf_action **actions, size_t *count) {
  unf_schedule *schedule = NULL;
  bool good = unf_schedule_read(s->unfolding, text, strlen(text), &schedule) == UNF_OK;
  *actions = good ? malloc((unf_schedule_size(schedule) + 1) * sizeof **actions) : NULL;
  *count = 0;
  good = *actions != NULL;
  for (uint64_t i = 0; good && i < unf_schedule_size(schedule); i++) {
    good = unf_schedule_step(schedule, i, &(*actions)[*count]) == UNF_OK;
    if (good && (*actions)[*count].kind != UNF_DID_BRANCH) ++*count;
  }
  unf_schedule_free(schedule);
  return good;
}

/* Whether a race is that of a defect. */
static bool is_race_of(const struct cli_defect *defect, const unf_race *race) {
  const uint64_t *places = defect->places, a = race->first.place, b = race->second.place;
  if (defect->kind != CLI_RACE || defect->place_count == 0) return false;
  const uint64_t last = places[defect->place_count - 1];
  return (a == places[0] && b == last) || (b == places[0] && a == last);
}

/* Both accesses of a race between the steps; null where there is none. NULL: no memory. */
static json_t *tell_accesses(struct again *again, const struct story *story) {
  struct session *s = &again->session;
  unf_race race;
  json_t *none;
  unf_event first, second;
  if (again->defect->kind != CLI_RACE) return json_null();
  for (uint64_t i = 0; unf_races_get(s->races, i, &race) == UNF_OK; i++) {
    if (!inputs_race(s, &race, NULL, &none) || !is_race_of(again->defect, &race)) continue;
    json_t *list = json_array();
    if (unf_races_after(s->races, i, &first, &second) == UNF_OK &&
        story_access(story, list, first, describe_racing(s, &race.first)) &&
        story_access(story, list, second, describe_racing(s, &race.second)))
      return list;
    json_decref(list);
    return NULL;
  }
  return json_null();
}

/* The threads that are blocked at the end. NULL: no memory. */
static json_t *tell_blocked(struct again *again, const struct story *story) {
  const struct session *s = &again->session;
  json_t *list = json_array();
  for (uint32_t t = 0; list != NULL && t < s->program.count[SYMBOL_THREAD]; t++) {
    char name[NAME_SIZE];
    if (!machine_started(&s->machine, s->state, t)) continue;
    describe_name(s, SYMBOL_THREAD, t, name);
    if (story_blocked_in(story, list, again->events, t, name)) continue;
    json_decref(list);
    list = NULL;
  }
  return list;
}

/* The steps in an object, and all else that is said of an execution. NULL: no memory. */
static json_t *tell(struct again *again, const unf_action *actions, size_t count) {
  struct story story;
  json_t *execution = NULL;
  story_begin(&story);
  if (again_perform(again, actions, count, NULL, &story))
    execution = json_pack("{s:o, s:o, s:o}", "steps", story_steps(&story), "accesses",
                          tell_accesses(again, &story), "blocked", tell_blocked(again, &story));
  story_free(&story);
  return execution;
}

static bool perform(void *user, const unf_action *actions, size_t count, struct run *run) {
  return again_perform(user, actions, count, run, NULL);
}

/* The step that decided, as far as it is found in that time. */
static json_t *find_decision(struct again *again, const unf_action *actions, size_t count,
                             double seconds) {
  struct session *s = &again->session;
  struct decided decided;
  if (s->options.cutoffs.order != UNF_CUTOFFS_NONE)
    return json_pack("{s:s}", "why",
                     "with --cutoffs the deciding step is not looked for: executions need not end");
  s->start = cli_now();
  s->options.max_seconds = seconds;
  const struct run_engine engine = {again, perform, s->start + seconds};
  decide(&engine, actions, count, &decided);
  if (decided.decision == DECIDED && decided.step >= count) decided.decision = DECIDED_NOT;
  s->options.max_seconds = 0;
  json_t *other = NULL;
  if (decided.decision == DECIDED) {
    json_t *execution = tell(again, decided.other.steps, decided.other.count);
    other = json_incref(json_object_get(execution, "steps"));
    json_decref(execution);
  }
  json_t *told = decided_json(&decided, count, other, &s->result.defects,
                              again->complete ? "every thread ends"
                                              : "a thread is stopped by an assumption or a bound");
  decided_free(&decided);
  return told;
}

/* What is reported of a defect; NULL: no memory. */
static json_t *retell_one(const struct session *s, size_t number, double seconds) {
  struct again again;
  unf_action *actions = NULL;
  size_t count;
  const struct cli_defect *defect = &s->result.defects.items[number];
  const char *text = number < s->schedule_count ? s->schedules[number] : NULL;
  if (text == NULL)
    return report_untold(json_is_null(defect->inputs)
                             ? "no values of the inputs are known, so that "
                               "there are no steps to look at"
                             : "there was no memory for its steps");
  bool good = again_open(&again, s, defect) && retell_steps(&again.session, text, &actions, &count);
  json_t *told = good ? tell(&again, actions, count) : NULL;
  if (told != NULL &&
      json_object_set_new(told, "deciding", find_decision(&again, actions, count, seconds)) != 0) {
    json_decref(told);
    told = NULL;
  }
  free(actions);
  again_close(&again);
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
  const size_t count = s->result.defects.count;
  const size_t told = count < REPORT_DEFECTS ? count : REPORT_DEFECTS;
  const double until =
      cli_now() + (s->options.report_seconds > 0 ? s->options.report_seconds : DECIDE_SECONDS);
  report_begin(&report);
  report_source(&report, s->shown, s->program.text, s->program.size, 1, SOURCE_LINES);
  for (uint32_t t = 0; t < s->program.count[SYMBOL_THREAD] && report.threads != NULL; t++) {
    describe_name(s, SYMBOL_THREAD, t, name);
    append(&report.threads, json_string(name));
  }
  for (size_t i = 0; i < told && report.executions != NULL; i++) /* each has its share of time */
    append(&report.executions, retell_one(s, i, (until - cli_now()) / (double)(told - i)));
  for (size_t i = told; i < count && report.executions != NULL; i++)
    append(&report.executions, report_untold_many());
  json_decref(report.unfolding);
  report.unfolding = describe_events(s);
  const enum cli_status saved = report_save(s->options.report, &s->result, &report);
  s->failed |= saved == CLI_USAGE;
  s->refused |= saved == CLI_STOPPED;
  report_free(&report);
}
