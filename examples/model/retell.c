/*
 * --report of a model. What was found is told by a second session of the same program, with values
 * of its inputs: it performs the execution again, step by step.
 */
#include "model.h"

#include <stdlib.h>
#include <string.h>

#include "again.h"
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

/* ---- executions ---- */

/* The steps of a schedule; the inputs decide which way branches on them go. False: no memory. */
static bool read_steps(struct session *s, const char *text, unf_action **actions, size_t *count) {
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

static json_t *tell(struct again *again, const unf_action *actions, size_t count) {
  struct story story;
  story_begin(&story);
  json_t *steps = again_perform(again, actions, count, NULL, &story) ? story_steps(&story) : NULL;
  story_free(&story);
  return steps;
}

static bool perform(void *user, const unf_action *actions, size_t count, struct run *run) {
  return again_perform(user, actions, count, run, NULL);
}

/* The step that decided, as far as so much time tells. */
static json_t *find_decision(struct again *again, const unf_action *actions, size_t count,
                             double seconds) {
  struct session *s = &again->session;
  struct decided decided;
  if (s->options.cutoffs.order != UNF_CUTOFFS_NONE)
    return json_pack("{s:s}", "why",
                     "with --cutoffs the deciding step is not looked for: executions need not end");
  s->start = cli_now();
  s->options.max_seconds = seconds;
  const struct decide_engine engine = {again, perform, s->start + seconds};
  decide(&engine, actions, count, &decided);
  if (decided.decision == DECIDED && decided.step >= count) decided.decision = DECIDED_NOT;
  s->options.max_seconds = 0;
  json_t *other =
      decided.decision == DECIDED ? tell(again, decided.other.steps, decided.other.count) : NULL;
  json_t *told = decided_json(&decided, count, other, &s->result.defects,
                              again->complete ? "every thread ends"
                                              : "a thread is stopped by an assumption or a bound");
  decided_free(&decided);
  return told;
}

/* What is told of a defect; NULL: no memory. */
static json_t *retell_one(const struct session *s, size_t number, double seconds) {
  struct again again;
  unf_action *actions = NULL;
  size_t count;
  const struct cli_defect *defect = &s->result.defects.items[number];
  const char *text = number < s->schedule_count ? s->schedules[number] : NULL;
  if (text == NULL)
    return json_pack("{s:[], s:s}", "steps", "why",
                     json_is_null(defect->inputs) ? "no values of the inputs are known, so that "
                                                    "there are no steps to look at"
                                                  : "there was no memory for its steps");
  bool good = again_open(&again, s, defect) && read_steps(&again.session, text, &actions, &count);
  json_t *steps = good ? tell(&again, actions, count) : NULL;
  json_t *deciding = steps != NULL ? find_decision(&again, actions, count, seconds) : NULL;
  json_t *told = json_pack("{s:o, s:o}", "steps", steps, "deciding", deciding);
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
  const double until =
      cli_now() + (s->options.report_seconds > 0 ? s->options.report_seconds : DECIDE_SECONDS);
  report_begin(&report);
  report_source(&report, s->shown, s->program.text, s->program.size, 1, SOURCE_LINES);
  for (uint32_t t = 0; t < s->program.count[SYMBOL_THREAD] && report.threads != NULL; t++) {
    describe_name(s, SYMBOL_THREAD, t, name);
    append(&report.threads, json_string(name));
  }
  for (size_t i = 0; i < count && report.executions != NULL; i++) /* each has its share of time */
    append(&report.executions, retell_one(s, i, (until - cli_now()) / (double)(count - i)));
  json_decref(report.unfolding);
  report.unfolding = describe_events(s);
  const enum cli_status saved = report_save(s->options.report, &s->result, &report);
  s->failed |= saved == CLI_USAGE;
  s->refused |= saved == CLI_STOPPED;
  report_free(&report);
}
