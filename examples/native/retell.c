/* Each defect is replayed without being seen, and its steps told: operations by the names of the
 * variables that they are about, places as lines of the source. What follows what, the library says
 * of the actions alone. */
#include "retell.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <decide.h>
#include <story.h>
#include <string.h>
#include <text.h>
#include <write.h>

#include "action.h"
#include "control.h"
#include "control/findings.h"
#include "control/races.h"
#include "control/steps.h"
#include "control/texts.h"
#include "deciding.h"
#include "events.h"
#include "labels.h"
#include "lines.h"
#include "report_races.h"
#include "telling.h"

static const double replay_seconds = 10;

/* ---- sources ---- */

/* The number of the source of a place, and its line; false: not known. */
static bool find_source(struct telling *t, const struct control *control, uint64_t place,
                        size_t *number, uint32_t *line) {
  const char *text = source_of(control, place), *colon = text != NULL ? strrchr(text, ':') : NULL;
  if (colon == NULL) return false;
  const size_t length = (size_t)(colon - text);
  *line = (uint32_t)strtoul(colon + 1, NULL, 10);
  size_t i = 0;
  while (i < t->source_count &&
         (strncmp(t->sources[i].path, text, length) != 0 || t->sources[i].path[length] != '\0'))
    i++;
  if (i == t->source_count) {
    struct source *sources = realloc(t->sources, (i + 1) * sizeof *sources);
    char *path = strndup(text, length);
    if (sources != NULL) t->sources = sources;
    if (sources == NULL || path == NULL) {
      free(path);
      return false;
    }
    t->sources[t->source_count++] = (struct source){path, *line, *line};
  }
  struct source *s = &t->sources[i];
  s->first = *line < s->first ? *line : s->first;
  s->last = *line > s->last ? *line : s->last;
  *number = i;
  return true;
}

void say_place(struct telling *t, const struct control *control, uint64_t place, json_t *entry) {
  size_t source;
  uint32_t line;
  json_object_set_new(entry, "place", cli_json_text(line_of(control, place)));
  if (entry != NULL && find_source(t, control, place, &source, &line))
    story_place(entry, source, line);
}

static void add_sources(struct telling *t) {
  for (size_t i = 0; i < t->source_count && t->report.sources != NULL; i++) {
    const struct source *source = &t->sources[i];
    report_source_file(&t->report, source->path, source->first, source->last);
  }
}

/* ---- steps ---- */

static size_t name_object(void *user, unf_object object, char *text, size_t size) {
  const struct telling *t = user;
  return object_label(t->named, t->unfolding, object, text, size);
}

static json_t *describe(struct telling *t, const struct control *control,
                        const struct reported_step *step, const unf_action *action) {
  unf_names names = UNF_NAMES_INIT;
  names.user = t;
  names.object = name_object;
  t->named = control;
  json_t *entry = story_action(t->unfolding, &names, action);
  say_place(t, control, step->place, entry);
  return entry;
}

/* What the thread begins with that the step creates. */
static void note_function(struct telling *t, const struct control *control,
                          const struct reported_step *step, const unf_action *action) {
  char thread[NAME_SIZE];
  /* Addresses are those behind a call. */
  const char *function = step->start != 0 ? function_of(control, step->start + 1) : NULL;
  if (action->kind != UNF_DID_CREATE || function == NULL) return;
  unf_thread_text(t->unfolding, action->target, thread, sizeof thread);
  report_function(&t->report, thread, function);
}

/* ---- executions ---- */

/* A schedule is made of them, and read. */
unf_schedule *read_actions(const struct telling *t, const char *const *texts, size_t count) {
  static const char head[] = "unfold-schedule 1\nprogram report\n";
  size_t room = sizeof head + 64;
  for (size_t i = 0; i < count; i++)
    room += strlen(texts[i]) + 1;
  char *text = malloc(room);
  unf_schedule *schedule = NULL;
  uint64_t hash = 0xcbf29ce484222325u;
  if (text == NULL) return NULL;
  size_t size = (size_t)snprintf(text, room, "%s", head);
  for (size_t i = 0; i < count; i++)
    size += (size_t)snprintf(text + size, room - size, "%s\n", texts[i]);
  for (size_t i = 0; i < size; i++)
    hash = (hash ^ (unsigned char)text[i]) * 0x100000001b3u;
  size += (size_t)snprintf(text + size, room - size, "checksum %016" PRIx64 "\n", hash);
  unf_schedule_read(t->unfolding, text, size, &schedule);
  free(text);
  return schedule;
}

unf_schedule *actions_of(const struct telling *t, const struct performed *performed) {
  const char **texts = malloc((performed->count + 1) * sizeof *texts);
  unf_schedule *schedule = NULL;
  for (size_t i = 0; texts != NULL && i < performed->count; i++)
    texts[i] = performed->steps[i].action;
  if (texts != NULL) schedule = read_actions(t, texts, performed->count);
  free(texts);
  return schedule;
}

/* Both accesses of a race between the steps; null where there is none. NULL: no memory. */
static json_t *tell_accesses(struct telling *t, const struct performed *performed,
                             const struct cli_defect *defect, const struct story *story) {
  const struct control *control = performed->control;
  const struct reported_race *race = race_of(control, defect);
  json_t *list = race != NULL ? json_array() : json_null();
  char text[TEXT_SIZE + NAME_SIZE];
  for (unsigned i = 0; race != NULL && list != NULL && i < 2; i++) {
    race_access_text(control, race, i, text, sizeof text);
    json_t *access =
        json_pack("{s:s, s:o}", "thread", race->access[i].thread, "operation", cli_json_text(text));
    say_place(t, control, race->access[i].place, access);
    if (story_access(story, list, race->access[i].after, access)) continue;
    json_decref(list);
    list = NULL;
  }
  return list;
}

/* The threads that are blocked at the end. NULL: no memory. */
static json_t *tell_blocked(const struct performed *performed, const struct story *story) {
  const struct control *control = performed->control;
  json_t *list = json_array();
  for (uint32_t i = 0; i < control->finding_count; i++)
    for (uint32_t j = 0; list != NULL && j < control->findings[i].involved_count; j++) {
      const struct involved *v = &control->findings[i].involved[j];
      if (v->behind_count == 0) continue;
      if (story_blocked(story, list, v->name, v->behind, v->behind_count)) {
        json_t *last = json_array_get(list, json_array_size(list) - 1);
        if (v->behind_left) json_object_set_new(last, "left", json_true());
        continue;
      }
      json_decref(list);
      list = NULL;
    }
  return list;
}

json_t *execution_of(struct telling *t, const struct performed *performed,
                     const struct cli_defect *defect) {
  struct story story;
  unf_schedule *schedule = actions_of(t, performed);
  bool good = schedule != NULL;
  story_begin(&story);
  for (size_t i = 0; good && i < performed->count; i++) {
    const struct reported_step *step = &performed->steps[i];
    unf_action action;
    good = unf_schedule_step(schedule, i, &action) == UNF_OK;
    if (good && !step->choice && !step->ordered) {
      json_t *said = describe(t, performed->control, step, &action);
      if (step->causes_left) json_object_set_new(said, "left", json_true());
      story_add(&story, step->event[0], step->causes, step->cause_count, said);
    }
    if (good) note_function(t, performed->control, step, &action);
  }
  json_t *execution = NULL;
  if (good)
    execution = json_pack("{s:o, s:o, s:o}", "steps", story_steps(&story), "accesses",
                          tell_accesses(t, performed, defect, &story), "blocked",
                          tell_blocked(performed, &story));
  story_free(&story);
  unf_schedule_free(schedule);
  return execution;
}

/* What is reported of a defect, with so many seconds for the step that decided; NULL: no memory. */
static json_t *tell(struct telling *t, const struct cli_defect *defect, double seconds) {
  const json_t *shorter = json_object_get(json_object_get(defect->shortened, "steps"), "after");
  struct manner manner = MANNER_INIT;
  struct performed performed;
  json_t *told = NULL;
  if (shorter != NULL) manner.most_steps = (uint64_t)json_integer_value(shorter);
  if (defect->schedule == NULL) return report_untold("its schedule could not be written");
  if (!again_perform(t->again, defect->schedule, replay_seconds, &manner, &performed)) {
    told = NULL;
  } else if (!performed.ended) {
    told = report_untold("its replay did not come to the end");
  } else {
    told = execution_of(t, &performed, defect);
    if (told != NULL &&
        json_object_set_new(told, "deciding", deciding_step(t, defect, &performed, seconds)) != 0) {
      json_decref(told);
      told = NULL;
    }
  }
  again_free(&performed);
  return told;
}

/* ---- the page ---- */

static bool append(json_t **list, json_t *item) {
  if (json_array_append_new(*list, item) == 0) return true;
  json_decref(*list);
  *list = NULL;
  return false;
}

bool telling_open(struct telling *t) {
  unf_thread first;
  return unf_context_new(NULL, &t->context) == UNF_OK &&
         unf_unfolding_new(t->context, NULL, &t->unfolding) == UNF_OK &&
         unf_thread_name(t->unfolding, UNF_THREAD_NONE, 0, &first) == UNF_OK &&
         unf_thread_start(t->unfolding, first) == UNF_OK;
}

void telling_close(struct telling *t) {
  unf_unfolding_free(t->unfolding);
  unf_context_free(t->context);
}

enum cli_status retell(const struct again *again, const struct cli_result *result) {
  struct telling t = {.again = again};
  char name[NAME_SIZE];
  const size_t count = result->defects.count;
  const size_t told = count < REPORT_DEFECTS ? count : REPORT_DEFECTS;
  const double given = again->options->report_seconds;
  const double until = cli_now() + (given > 0 ? given : DECIDE_SECONDS);
  report_begin(&t.report);
  report_function(&t.report, "0", "main");
  if (!telling_open(&t)) append(&t.report.executions, NULL);
  for (size_t i = 0; i < told && t.report.executions != NULL; i++) /* each has its share of time */
    append(&t.report.executions,
           tell(&t, &result->defects.items[i], (until - cli_now()) / (double)(told - i)));
  for (size_t i = told; i < count && t.report.executions != NULL; i++)
    append(&t.report.executions, report_untold_many());
  json_decref(t.report.unfolding);
  t.report.unfolding = t.unfolding != NULL ? events_of(&t) : NULL;
  add_sources(&t);
  for (uint32_t i = 0; t.unfolding != NULL && i < unf_unfolding_threads(t.unfolding); i++) {
    unf_thread_text(t.unfolding, i, name, sizeof name);
    if (t.report.threads != NULL) append(&t.report.threads, json_string(name));
  }
  const enum cli_status saved = report_save(again->options->report, result, &t.report);
  report_free(&t.report);
  for (size_t i = 0; i < t.source_count; i++)
    free(t.sources[i].path);
  free(t.sources);
  telling_close(&t);
  return saved;
}
