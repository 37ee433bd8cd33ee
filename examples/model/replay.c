/*
 * Replaying a schedule: the machine alone decides whether a step fits, since it knows for each
 * thread what that is about to do and whether it can.
 */
#include "replay.h"

#include <inttypes.h>
#include <string.h>

#include "blocked.h"
#include "states.h"
#include "std.h"
#include "steps.h"
#include "translate.h"
#include "walk.h"

static void print_names(const json_t *names) {
  size_t i;
  json_t *name;
  fputs(json_array_size(names) > 0 ? ", notifies" : ", notifies nobody", stdout);
  json_array_foreach(names, i, name) printf("%s %s", i > 0 ? "," : "", json_string_value(name));
}

/* Prints a step, or keeps it for the JSON object. */
static void show(struct session *s, uint64_t number, const int64_t *state,
                 const unf_action *action) {
  bool several;
  json_t *step = describe_step(s, state, action, &several);
  if (s->options.json || step == NULL) {
    if (json_array_append_new(json_object_get(s->result.more, "trace"), step) == 0) return;
    if (!s->refused) cli_say(stderr, "unfold-model: no memory for all of the trace");
    s->refused = true;
    return;
  }
  const json_t *names = json_object_get(step, "notified");
  const char *result = json_string_value(json_object_get(step, "result"));
  printf("%4" PRIu64 "  %-10s %s", number, json_string_value(json_object_get(step, "thread")),
         json_string_value(json_object_get(step, "operation")));
  if (several) printf(" (%s)", json_string_value(json_object_get(step, "event")));
  if (names != NULL) print_names(names);
  printf("%s%s  %s\n", result != NULL ? " = " : "", result != NULL ? result : "",
         json_string_value(json_object_get(step, "place")));
  json_decref(step);
}

static void count(struct session *s, const unf_verdict *verdict, uint64_t steps) {
  unf_counts *c = &s->result.counts;
  c->traces = c->executions = 1;
  c->complete = verdict->complete;
  c->blocked = !verdict->complete;
  c->deadlocks = verdict->deadlock;
  c->errors = verdict->error;
  c->events = c->steps = steps;
}

static int conclude(struct session *s, const struct walk *walk, uint64_t steps) {
  const unf_verdict *verdict = &walk->verdict;
  s->result.finished = walk->whole;
  if (!walk->wrong && walk->whole) count(s, verdict, steps);
  if (!s->result.finished) s->result.stopped = "the schedule ends before the execution does";
  if (s->options.json) return cli_result_print(&s->result);
  for (size_t i = 0; i < s->result.defects.count; i++)
    cli_defect_print(&s->result.defects.items[i], cli_colour(stdout), stdout);
  if (!s->result.finished)
    puts("the schedule ends before the execution does");
  else if (verdict->complete)
    puts("every thread finished");
  else if (s->result.defects.count == 0)
    puts("the other threads were stopped by assumptions or bounds");
  return cli_result_status(&s->result);
}

/* By a limit, or because there is no memory. */
static int stopped(const struct session *s) {
  cli_say(stderr, "unfold-model: the replay was stopped: %s",
          s->result.stopped != NULL ? s->result.stopped : "out of memory");
  return CLI_STOPPED;
}

/* Says what the program is at instead of the step that comes next. */
static int misfit(const struct session *s, uint64_t step, const unf_action *action) {
  char expected[200], seen[600] = "has no such thread at work";
  struct intent intent;
  unf_action_text(s->unfolding, action, expected, sizeof expected);
  if (action->thread < s->program.count[SYMBOL_THREAD] &&
      machine_started(&s->machine, s->state, action->thread)) {
    machine_intent(&s->machine, s->state, action->thread, &intent);
    size_t length = (size_t)snprintf(seen, sizeof seen, "is at ");
    describe_intent(s, &intent, seen + length, sizeof seen - length);
  }
  cli_say(stderr, "%s: step %" PRIu64 " does not fit %s: the schedule has %s, the program %s\n",
          s->options.replay, step, s->shown, expected, seen);
  return CLI_USAGE;
}

static int follow(struct session *s, const unf_schedule *schedule, unf_configuration *events) {
  struct walk walk = {.session = s, .events = events};
  unf_action action;
  uint64_t steps = 0;
  const unf_status opened = std_open(s);
  if (opened == UNF_INVALID) return CLI_USAGE;
  if (opened != UNF_OK || session_open(s) != UNF_OK || !walk_begin(&walk)) return stopped(s);
  for (; !walk.wrong && steps < unf_schedule_size(schedule); steps++) {
    if (unf_schedule_step(schedule, steps, &action) != UNF_OK) return stopped(s);
    if (action.kind == UNF_DID_BRANCH) continue; /* the inputs decide which way it goes */
    if (!session_fits(s, s->state, &action)) return misfit(s, steps + 1, &action);
    show(s, steps + 1, s->state, &action);
    std_step(s, &action);
    if (!walk_step(&walk, &action, NULL)) return stopped(s);
  }
  return walk_end(&walk) ? conclude(s, &walk, steps) : stopped(s);
}

/* Whether the schedule is of this program; its inputs have the values there then. */
static bool takes_schedule(struct session *s, const char *program) {
  const size_t length = strlen(session_name(s)), behind = strlen(INPUTS_BEHIND);
  if (strncmp(program, session_name(s), length) != 0) return false;
  program += length;
  if (*program != '\0' && strncmp(program, INPUTS_BEHIND, behind) != 0) return false;
  return *program == '\0' || inputs_fix(s, program + behind);
}

int session_replay(struct session *s) {
  int status;
  unf_schedule *schedule = cli_schedule_load(CLI_MODEL, s->unfolding, s->options.replay, &status);
  if (schedule == NULL) return status;
  if (!takes_schedule(s, unf_schedule_program(schedule))) {
    cli_say(stderr, "%s:2:9: this is a schedule of %s", s->options.replay,
            unf_schedule_program(schedule));
    unf_schedule_free(schedule);
    return CLI_USAGE;
  }
  if (inputs_unknown(s)) {
    cli_say(stderr, "%s: it does not say what the inputs are (--input NAME=VALUE,…)",
            s->options.replay);
    unf_schedule_free(schedule);
    return CLI_USAGE;
  }
  json_t *purity = s->result.more;
  s->result.more = json_pack("{s:o, s:[]}", "replay", cli_json_text(s->options.replay), "trace");
  bool enough =
      s->result.more != NULL && (purity == NULL || json_object_update(s->result.more, purity) == 0);
  json_decref(purity);
  unf_configuration *events = NULL;
  status = enough && unf_configuration_new(s->unfolding, &events) == UNF_OK
               ? follow(s, schedule, events)
               : stopped(s);
  std_close(s);
  unf_configuration_free(events);
  unf_schedule_free(schedule);
  return status;
}
