/*
 * Replaying a schedule: the machine alone decides whether a step fits, since it knows for each
 * thread what that is about to do and whether it can.
 */
#include <inttypes.h>
#include <string.h>

#include "model.h"

static int misfit(const struct session *s, uint64_t step, const char *expected, const char *seen) {
  cli_say(stderr, "%s: step %" PRIu64 " does not fit %s: the schedule has %s, the program %s\n",
          s->options.replay, step, s->shown, expected, seen);
  return CLI_USAGE;
}

/* The result of the step's operation, if it has one and this is its last event; `notified` are
 * those that it wakes, if it is a wake. */
static void result_text(const struct session *s, const int64_t *state, const struct intent *in,
                        const unf_action *action, const json_t *notified, char *buffer,
                        size_t size) {
  buffer[0] = '\0';
  if (!opcode_has_result(in->opcode)) return;
  if (in->opcode == DO_FUTEX_WAKE) {
    snprintf(buffer, size, "%zu", json_array_size(notified));
  } else if (futexes_waits(in->opcode)) {
    int64_t result = futexes_result(&s->machine, state, in);
    if (result >= 0) snprintf(buffer, size, "%" PRId64, result);
  } else if (opcode_on_atomic(in->opcode)) {
    snprintf(buffer, size, "%" PRId64, atomics_result(&s->machine, state, in));
  } else if (action->kind == UNF_DID_LOCAL) {
    snprintf(buffer, size, "%" PRId64, action->value);
  } else if (in->opcode != DO_TIMEDWAIT) {
    snprintf(buffer, size, "%d", session_result(action) != 0);
  } else if (action->kind == UNF_DID_WAKE || action->kind == UNF_DID_ACQUIRE) {
    snprintf(buffer, size, "%d", action->kind == UNF_DID_WAKE);
  }
}

struct naming {
  const struct session *session;
  json_t *names;
};

static bool add_name(void *user, unf_thread thread) {
  struct naming *naming = user;
  char name[NAME_SIZE];
  describe_name(naming->session, SYMBOL_THREAD, thread, name);
  return json_array_append_new(naming->names, json_string(name)) == 0;
}

/* The threads that a notification notified. */
static json_t *notified(const struct session *s, const unf_action *action) {
  struct naming naming = {s, json_array()};
  if (action->kind == UNF_DID_SIGNAL) {
    if (action->value != UNF_LOST) add_name(&naming, (unf_thread)action->value);
  } else {
    unf_thread_set_members(s->unfolding, action->value, add_name, &naming);
  }
  return naming.names;
}

static void print_names(const json_t *names) {
  size_t i;
  json_t *name;
  fputs(json_array_size(names) > 0 ? ", notifies" : ", notifies nobody", stdout);
  json_array_foreach(names, i, name) printf("%s %s", i > 0 ? "," : "", json_string_value(name));
}

/* Prints a step, or keeps it for the JSON object. */
static void show(struct session *s, uint64_t number, const int64_t *state,
                 const unf_action *action) {
  struct intent in;
  char thread[NAME_SIZE], operation[TEXT_SIZE], place[TEXT_SIZE], result[32];
  machine_intent(&s->machine, state, action->thread, &in);
  describe_name(s, SYMBOL_THREAD, action->thread, thread);
  describe_intent(s, &in, operation, sizeof operation);
  describe_place(s, in.place, place, sizeof place);
  const char *event = unf_action_kind_text(action->kind);
  bool several = in.opcode == DO_WAIT || in.opcode == DO_TIMEDWAIT || in.opcode == DO_ARRIVE ||
                 futexes_waits(in.opcode);
  bool notifies = in.opcode == DO_SIGNAL || in.opcode == DO_BROADCAST || in.opcode == DO_FUTEX_WAKE;
  json_t *names = notifies ? notified(s, action) : NULL;
  result_text(s, state, &in, action, names, result, sizeof result);
  if (!s->options.json) {
    printf("%4" PRIu64 "  %-10s %s", number, thread, operation);
    if (several) printf(" (%s)", event);
    if (notifies) print_names(names);
    printf("%s%s  %s\n", result[0] != '\0' ? " = " : "", result, place);
    json_decref(names);
    return;
  }
  json_t *entry = json_pack("{s:s, s:s, s:s, s:s}", "thread", thread, "operation", operation,
                            "event", event, "place", place);
  bool whole = true;
  if (result[0] != '\0') whole = json_object_set_new(entry, "result", json_string(result)) == 0;
  if (notifies) whole &= json_object_set_new(entry, "notified", names) == 0;
  whole &= json_array_append_new(json_object_get(s->result.more, "trace"), entry) == 0;
  if (!whole && !s->refused) cli_say(stderr, "unfold-model: no memory for all of the trace");
  s->refused |= !whole;
}

static bool is_maximal(const struct session *s, const int64_t *state) {
  for (uint32_t t = 0; t < s->program.count[SYMBOL_THREAD]; t++)
    if (machine_started(&s->machine, state, t) && machine_ready(&s->machine, state, t))
      return false;
  return true;
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

static int conclude(struct session *s, bool wrong, uint64_t steps) {
  const int64_t *state = s->state;
  unf_verdict verdict = {.redundant = false};
  s->result.finished = wrong || is_maximal(s, state);
  if (!wrong && s->result.finished) {
    describe_verdict(s, state, &verdict);
    describe_end(s, state, &verdict, NULL);
    count(s, &verdict, steps);
  }
  if (!s->result.finished) s->result.stopped = "the schedule ends before the execution does";
  if (s->options.json) return cli_result_print(&s->result);
  for (size_t i = 0; i < s->result.defects.count; i++)
    cli_defect_print(&s->result.defects.items[i], cli_colour(stdout), stdout);
  if (!s->result.finished)
    puts("the schedule ends before the execution does");
  else if (verdict.complete)
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

/* Says what a thread is about to do. */
static bool offer(const struct session *s, unf_configuration *events, uint32_t thread) {
  unf_operation operation;
  return session_operation(s, s->state, thread, &operation) == UNF_OK &&
         unf_configuration_offer(events, thread, &operation) == UNF_OK;
}

static int follow(struct session *s, const unf_schedule *schedule, unf_configuration *events) {
  struct problem problem;
  uint64_t steps = 0;
  if (session_open(s) != UNF_OK || races_begin(s, 0, &steps) != UNF_OK) return stopped(s);
  bool good = session_begin(s, &problem);
  if (s->result.stopped != NULL) return stopped(s);
  for (uint32_t t = 0; good && t < s->program.count[SYMBOL_THREAD]; t++)
    if (machine_initial(&s->machine, t) && !offer(s, events, t)) return stopped(s);
  for (; good && steps < unf_schedule_size(schedule); steps++) {
    unf_action action;
    char expected[200], seen[600] = "has no such thread at work";
    struct intent intent;
    if (unf_schedule_step(schedule, steps, &action) != UNF_OK) return stopped(s);
    if (action.kind == UNF_DID_BRANCH) continue; /* the inputs decide which way it goes */
    if (session_step(s) != UNF_OK) return stopped(s);
    const int64_t *state = s->state;
    if (!session_fits(s, state, &action)) {
      unf_action_text(s->unfolding, &action, expected, sizeof expected);
      if (action.thread < s->program.count[SYMBOL_THREAD] &&
          machine_started(&s->machine, state, action.thread)) {
        machine_intent(&s->machine, state, action.thread, &intent);
        size_t length = (size_t)snprintf(seen, sizeof seen, "is at ");
        describe_intent(s, &intent, seen + length, sizeof seen - length);
      }
      return misfit(s, steps + 1, expected, seen);
    }
    show(s, steps + 1, state, &action);
    unf_event event;
    if (unf_configuration_perform(events, &action, &event) != UNF_OK) return stopped(s);
    races_step(s, event);
    good = session_perform(s, &action, &problem);
    if (good && !offer(s, events, action.thread)) return stopped(s);
    if (good && action.kind == UNF_DID_CREATE && !offer(s, events, action.target))
      return stopped(s);
  }
  if (races_list(s, NULL) != UNF_OK) return stopped(s);
  if (!good) describe_runtime(s, &problem, NULL);
  return conclude(s, !good, steps);
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
  unf_configuration_free(events);
  unf_schedule_free(schedule);
  return status;
}
