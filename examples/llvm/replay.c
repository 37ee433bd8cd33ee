/*
 * Replaying a schedule: the program is executed once, with the inputs that stand there, and each
 * thread has to be at the operation that the schedule says. Branches are passed over: the inputs
 * decide which way they go.
 */
#include "replay.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "defect.h"
#include "describe.h"
#include "ends.h"
#include "engine.h"
#include "machine.h"
#include "native.h"
#include "options.h"
#include "report.h"
#include "schedule.h"
#include "session.h"
#include "sym.h"
#include "text.h"

enum { TEXT_SIZE = 600, FIRST_STEPS = 64 };

static int no_memory(void) {
  cli_say(stderr, "unfold-sym: no memory for the replay");
  return CLI_STOPPED;
}

/* ---- steps ---- */

static bool add_step(struct sym *s, const unf_action *action) {
  if (s->step_count == s->step_room) {
    const size_t room = 2 * s->step_room + FIRST_STEPS;
    unf_action *steps = realloc(s->steps, room * sizeof *steps);
    if (steps == NULL) return false;
    s->steps = steps;
    s->step_room = room;
  }
  s->steps[s->step_count++] = *action;
  return true;
}

/* Keeps a step for people and for the JSON object. */
static void keep_text(struct sym *s, const struct thread *t, const unf_action *action) {
  char thread[TEXT_SIZE], operation[TEXT_SIZE], place[TEXT_SIZE];
  unf_thread_text(s->unfolding, t->handle, thread, sizeof thread);
  sym_operation_text(s, &t->operation, operation, sizeof operation);
  sym_place_text(s, machine_place(&s->machine, t), place, sizeof place);
  json_t *entry =
      json_pack("{s:s, s:o, s:s, s:o}", "thread", thread, "operation", cli_json_text(operation),
                "event", unf_action_kind_text(action->kind), "place", cli_json_text(place));
  if (json_array_append_new(json_object_get(s->result.more, "trace"), entry) == 0) return;
  if (!s->refused) cli_say(stderr, "unfold-sym: no memory for all of the trace");
  s->refused = true;
}

static const char *text_of(const json_t *entry, const char *key) {
  return json_string_value(json_object_get(entry, key));
}

static void print_steps(const struct sym *s) {
  size_t i;
  json_t *entry;
  if (s->options.json) return;
  json_array_foreach(json_object_get(s->result.more, "trace"), i, entry)
      printf("%4zu  %-10s %s (%s)  %s\n", i + 1, text_of(entry, "thread"),
             text_of(entry, "operation"), text_of(entry, "event"), text_of(entry, "place"));
}

/* ---- what fits ---- */

struct choice {
  const struct sym *s;
  const unf_action *wanted;
  unf_action found;
  bool any, is;
};

/* What a value decides can be known in a replay where the exploration did not know it: a
 * compare-and-swap that fails is a read then. */
static bool alike(const unf_action *a, const unf_action *b) {
  const bool memory = (a->kind == UNF_DID_READ || a->kind == UNF_DID_WRITE) &&
                      (b->kind == UNF_DID_READ || b->kind == UNF_DID_WRITE);
  return a->thread == b->thread && a->target == b->target && (a->kind == b->kind || memory) &&
         a->second == b->second && a->value == b->value;
}

static bool choose(void *user, const unf_action *action) {
  struct choice *c = user;
  c->any = true;
  c->is = alike(action, c->wanted);
  c->found = *action;
  return !c->is;
}

static int misfit(struct sym *s, uint64_t number, const unf_action *action) {
  char expected[TEXT_SIZE], seen[TEXT_SIZE] = "has no such thread at work";
  const struct thread *t =
      action->thread < s->machine.thread_count ? s->machine.threads[action->thread] : NULL;
  unf_action_text(s->unfolding, action, expected, sizeof expected);
  if (t != NULL && t->standing == STANDS_AT_OPERATION) {
    const size_t length = (size_t)snprintf(seen, sizeof seen, "is at ");
    sym_operation_text(s, &t->operation, seen + length, sizeof seen - length);
  } else if (t != NULL && t->standing == STANDS_FAILED) {
    snprintf(seen, sizeof seen, "failed before: %s", t->text);
  } else if (t != NULL && t->standing != STANDS_NOWHERE) {
    snprintf(seen, sizeof seen, "ended that thread before");
  }
  print_steps(s);
  cli_say(stderr, "%s: step %" PRIu64 " does not fit %s: the schedule has %s, the program %s",
          s->options.replay, number, s->shown, expected, seen);
  return CLI_USAGE;
}

/* ---- the execution ---- */

static unf_status offer(struct sym *s, unf_configuration *events, unf_thread thread) {
  const unf_operation operation = sym_operation(s->machine.threads[thread]);
  return unf_configuration_offer(events, thread, &operation);
}

/* Keeps a step, with the names that it is to have. */
static unf_status keep(struct sym *s, const unf_action *action) {
  unf_action named = *action;
  const char *why = NULL;
  if (s->native != NULL && !native_action(s->native, &s->machine, action, &named, &why)) {
    if (why == NULL) return UNF_MEMORY;
    cli_say(stderr, "unfold-sym: %s: no schedule of it: %s", s->options.native, why);
    native_close(s->native);
    s->native = NULL;
    s->failed = true;
  }
  return add_step(s, &named) ? UNF_OK : UNF_MEMORY;
}

static unf_status perform(struct sym *s, unf_configuration *events, const unf_action *action) {
  unf_event event;
  unf_status status = unf_configuration_perform(events, action, &event);
  if (status == UNF_OK) status = keep(s, action);
  if (status != UNF_OK) return status;
  s->machine.threads[action->thread]->action = *action;
  status = sym_go_on(s, action, event);
  if (status == UNF_OK) status = offer(s, events, action->thread);
  if (status == UNF_OK && action->kind == UNF_DID_CREATE) status = offer(s, events, action->target);
  return status;
}

static unf_status begin(struct sym *s, unf_configuration *events) {
  uint64_t resumed = 0;
  unf_thread first;
  unf_status status = unf_races_begin(s->races, 0, &resumed, &s->machine.races_watched);
  if (status == UNF_OK) status = unf_thread_name(s->unfolding, UNF_THREAD_NONE, 0, &first);
  if (status != UNF_OK) return status;
  machine_begin(&s->machine, s->argument_count, s->arguments);
  status = sym_status(s);
  return status == UNF_OK ? offer(s, events, first) : status;
}

static bool is_any(void *user, const unf_action *action) {
  (void)action;
  *(bool *)user = true;
  return false;
}

/* How the execution ended, if it did. */
static unf_verdict verdict_of(const struct sym *s) {
  unf_verdict verdict = {.complete = true};
  bool halted = false;
  for (uint32_t i = 0; i < s->machine.thread_count; i++) {
    const struct thread *t = s->machine.threads[i];
    if (t == NULL || t->standing == STANDS_NOWHERE || t->standing == STANDS_AT_END) continue;
    verdict.complete = false;
    verdict.error |= t->standing == STANDS_FAILED;
    halted |= t->standing != STANDS_AT_OPERATION;
    verdict.blocked += t->standing == STANDS_AT_OPERATION;
  }
  verdict.deadlock = !verdict.complete && !halted;
  return verdict;
}

static void count(struct sym *s, const unf_verdict *verdict) {
  s->result.counts = (unf_counts){.traces = 1,
                                  .executions = 1,
                                  .complete = verdict->complete,
                                  .blocked = !verdict->complete,
                                  .deadlocks = verdict->deadlock,
                                  .errors = verdict->error,
                                  .events = s->step_count,
                                  .steps = s->step_count};
}

static int conclude(struct sym *s, const unf_configuration *events) {
  bool any = false;
  sym_describe_races(s);
  if (unf_configuration_actions(events, is_any, &any) != UNF_OK) return no_memory();
  unf_verdict verdict = verdict_of(s);
  s->result.finished = !any;
  if (!any && sym_describe_end(s, &verdict, false)) verdict.deadlock = false;
  if (any) s->result.stopped = "the schedule ends before the execution does";
  count(s, &verdict);
  if (s->options.json) return cli_result_print(&s->result);
  print_steps(s);
  for (size_t i = 0; i < s->result.defects.count; i++)
    cli_defect_print(&s->result.defects.items[i], cli_colour(stdout), stdout);
  if (any)
    puts(s->result.stopped);
  else if (verdict.complete)
    puts("every thread finished");
  else if (s->result.defects.count == 0)
    puts("the other threads were stopped by assumptions or bounds");
  return cli_result_status(&s->result);
}

/* By a limit, an interrupt, what is not supported, or because there is no memory. */
static int stopped(struct sym *s, unf_status status) {
  if (s->machine.again) return CLI_CLEAN;
  s->result.finished = false;
  sym_stopped(s, status);
  print_steps(s);
  if (s->result.uncontrolled != NULL) return cli_result_print(&s->result);
  cli_say(stderr, "unfold-sym: the replay was stopped: %s", s->result.stopped);
  return CLI_STOPPED;
}

/* Whether several threads join one, which is known from the beginning on. */
static void learn_joins(struct sym *s, const unf_schedule *schedule) {
  for (uint64_t i = 0; i < unf_schedule_size(schedule); i++) {
    unf_action action;
    if (unf_schedule_step(schedule, i, &action) != UNF_OK) continue;
    if (action.kind == UNF_DID_SEM_WAIT || action.kind == UNF_DID_SEM_FAIL)
      s->machine.joins_watched |= ends_is_joins(s->unfolding, action.target);
  }
}

static int follow(struct sym *s, const unf_schedule *schedule, unf_configuration *events) {
  learn_joins(s, schedule);
  unf_status status = begin(s, events);
  for (uint64_t i = 0; status == UNF_OK && i < unf_schedule_size(schedule); i++) {
    unf_action action;
    struct choice choice = {.s = s, .wanted = &action};
    status = unf_schedule_step(schedule, i, &action);
    if (status != UNF_OK || action.kind == UNF_DID_BRANCH) continue;
    status = unf_configuration_actions(events, choose, &choice);
    if (status == UNF_OK && !choice.is) return misfit(s, i + 1, &action);
    if (status != UNF_OK) break;
    keep_text(s, s->machine.threads[action.thread], &choice.found);
    status = perform(s, events, &choice.found);
  }
  return status == UNF_OK ? conclude(s, events) : stopped(s, status);
}

/* Writes what was performed again, with the names that are asked for. */
static void write_again(struct sym *s) {
  char name[64];
  if (s->options.trace_dir == NULL || s->failed) return;
  unf_schedule *schedule = sym_schedule(s, UINT32_MAX);
  if (schedule != NULL &&
      !cli_schedule_save(CLI_SYMBOLIC, schedule, s->options.trace_dir, 1, name, sizeof name))
    sym_not_saved(s);
  unf_schedule_free(schedule);
}

/* Once more from the beginning, if it has shown an atomic that has to be known from there on. */
static int replay_once(struct sym *s) {
  int status = CLI_STOPPED;
  unf_configuration *events = NULL;
  s->step_count = 0;
  json_array_clear(json_object_get(s->result.more, "trace"));
  if (sym_open(s) != UNF_OK || unf_configuration_new(s->unfolding, &events) != UNF_OK)
    return no_memory();
  unf_schedule *schedule =
      cli_schedule_load(CLI_SYMBOLIC, s->unfolding, s->options.replay, &status);
  if (schedule != NULL && !sym_takes_schedule(s, unf_schedule_program(schedule))) {
    status = s->refused ? CLI_STOPPED : CLI_USAGE;
    if (!s->refused)
      cli_say(stderr, "%s:2:9: this is a schedule of %s", s->options.replay,
              unf_schedule_program(schedule));
  } else if (schedule != NULL) {
    status = follow(s, schedule, events);
    if (!s->machine.again) write_again(s);
  }
  unf_schedule_free(schedule);
  unf_configuration_free(events);
  sym_close(s);
  return status;
}

int sym_replay(struct sym *s) {
  int status;
  s->machine.asked.all_given = true;
  s->steps = malloc(FIRST_STEPS * sizeof *s->steps);
  s->step_room = FIRST_STEPS;
  s->result.more = json_pack("{s:o, s:[]}", "replay", cli_json_text(s->options.replay), "trace");
  if (s->steps == NULL || s->result.more == NULL) return no_memory();
  do
    status = replay_once(s);
  while (s->machine.again);
  free(s->steps);
  s->steps = NULL;
  return status;
}
