#include "again.h"

#include <stdlib.h>
#include <string.h>

#include "describe.h"
#include "keys.h"
#include "open.h"
#include "races.h"
#include "states.h"
#include "steps.h"
#include "translate.h"
#include "walk.h"

/* Steps beyond those that are given: an execution with more is thought not to end. */
enum { STEPS_MOST = 1000000 };

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

bool again_open(struct again *again, const struct session *s, const struct cli_defect *defect) {
  struct session *own = &again->session;
  memset(again, 0, sizeof *again);
  again->defect = defect;
  again->input = all_inputs(s, defect);
  own->file = s->file;
  own->options = s->options;
  own->options.input = again->input;
  own->options.trace_dir = own->options.report = own->options.dot = NULL;
  own->options.max_seconds = 0;
  own->options.jobs = CLI_NUMBER_NONE;
  own->options.mpi = false;
  own->options.max_events = own->options.max_executions = own->options.races_every = 0;
  if (s->options.purity == CLI_PURITY_LIST) own->options.purity = CLI_PURITY_ON;
  own->shown = strdup(s->shown);
  char *text = malloc(s->program.size + 1);
  if (text != NULL) memcpy(text, s->program.text, s->program.size + 1);
  again->room = malloc((s->program.count[SYMBOL_THREAD] + 1) * sizeof *again->room);
  if (again->input == NULL || again->room == NULL || own->shown == NULL || text == NULL) {
    free(text);
    return false;
  }
  return session_load(own, text, s->program.size) == CLI_CLEAN &&
         session_open_library(own) == UNF_OK && session_open(own) == UNF_OK &&
         unf_configuration_new(own->unfolding, &again->events) == UNF_OK;
}

void again_close(struct again *again) {
  unf_configuration_free(again->events);
  session_close(&again->session);
  free(again->input);
  free(again->room);
}

static json_t *step_of(const struct session *s, const unf_action *action) {
  bool several;
  const struct place place = machine_place(&s->machine, s->state, action->thread);
  json_t *step = describe_step(s, s->state, action, &several);
  if (step != NULL && several) json_object_set_new(step, "several", json_true());
  if (step != NULL) story_place(step, 0, place.line);
  return step;
}

/* What the executions before found is forgotten. */
static bool forget(struct session *s) {
  cli_defects_free(&s->result.defects);
  s->result.races = 0;
  if (s->program.count[SYMBOL_SHARED] == 0) return true;
  unf_races_free(s->races);
  s->races = NULL;
  return races_open(s) == UNF_OK;
}

struct next {
  unf_thread last; /* that made a step */
  unf_action action;
  bool found;
};

/* Rather the thread that made the last step than another one. */
static bool choose(void *user, const unf_action *action) {
  struct next *next = user;
  const bool goes_on = action->thread == next->last;
  if (!next->found || goes_on) next->action = *action;
  next->found = true;
  return !goes_on;
}

/* The steps that are given, as far as they were performed. */
struct given {
  const unf_action *actions;
  size_t count, at;
};

/* The next one, or the next one that is possible; false: there is none. */
static bool take_given(struct again *again, struct given *given, const struct run *run,
                       unf_action *action) {
  const struct session *s = &again->session;
  while (given->at < given->count) {
    *action = given->actions[given->at++];
    if (run == NULL || !run->lenient || session_fits(s, s->state, action)) return true;
  }
  return false;
}

/* The step of this number; false: there is none, or *failed. */
static bool find_step(struct again *again, struct given *given, const struct walk *walk,
                      uint64_t number, struct run *run, unf_action *action, bool *failed) {
  struct next next = {.last = UNF_THREAD_NONE};
  *failed = number > given->count + STEPS_MOST || (run != NULL && run->failed);
  if (*failed || walk->wrong || (run != NULL && number >= run->most)) return false;
  if (run != NULL && number >= run->from)
    *failed = unf_configuration_actions(again->events, run_choice, run) != UNF_OK;
  if (take_given(again, given, run, action)) return true;
  if (run == NULL) return false;
  if (run->count > 0) next.last = run->steps[run->count - 1].thread;
  *failed |= unf_configuration_actions(again->events, choose, &next) != UNF_OK;
  *action = next.action;
  return next.found && !*failed;
}

/* Says in the run what was done. */
static bool note_step(const struct again *again, struct run *run, const unf_action *action,
                      unf_event event) {
  struct keys causes = {.count = 0};
  const unf_unfolding *u = again->session.unfolding;
  const bool good =
      !run->causes_wanted ||
      (unf_event_predecessors(u, event, keys_add, &causes) == UNF_OK && !causes.failed);
  if (good) run_step(run, action, (struct run_event){{event, event}}, causes.data, causes.count);
  keys_free(&causes);
  return good;
}

/* Whether the defect is there now. False: no memory. */
static bool watch(struct again *again, const struct walk *walk, struct run *run) {
  struct session *s = &again->session;
  bool raced, shown = false;
  if (run->shown != RUN_NONE) return true;
  if (again->defect->kind == CLI_RACE) {
    if (races_list(s, NULL, &raced) != UNF_OK) return false;
    shown = cli_defects_have(&s->result.defects, again->defect);
  } else if (walk->wrong) {
    shown = describe_problem_is(&walk->problem, again->defect);
  } else {
    shown = describe_shows(s, s->state, session_ended(s, s->state), again->defect, again->room);
  }
  if (shown) run->shown = run->count;
  return true;
}

bool again_perform(struct again *again, const unf_action *actions, size_t count, struct run *run,
                   struct story *story) {
  struct session *s = &again->session;
  struct walk walk = {.session = s, .events = again->events};
  struct given given = {actions, count, 0};
  const bool watched = run != NULL && run->watched;
  unf_action action;
  bool failed = !forget(s) || !walk_begin(&walk) || (watched && !watch(again, &walk, run));
  for (uint64_t i = 0; !failed && find_step(again, &given, &walk, i, run, &action, &failed); i++) {
    unf_event event;
    if (!session_fits(s, s->state, &action)) return false;
    json_t *step = story != NULL ? step_of(s, &action) : NULL;
    failed = !walk_step(&walk, &action, &event);
    if (run != NULL && !failed) failed = !note_step(again, run, &action, event);
    if (watched && !failed) failed = !watch(again, &walk, run);
    if (story != NULL && !failed) story_step(story, s->unfolding, event, step);
    if (failed) json_decref(step);
  }
  if (failed || !walk_end(&walk)) return false;
  again->complete = !walk.wrong && walk.verdict.complete;
  if (run != NULL) run->defect = cli_defects_have(&s->result.defects, again->defect);
  return true;
}
