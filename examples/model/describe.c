/*
 * What is wrong with an execution, thread by thread. The entries are kept by kind and places,
 * so that many executions with the same defect make one entry; its threads and its schedule are
 * those of the one with the least name (least.h).
 */
#include "describe.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "blocked.h"
#include "objects.h"
#include "retell.h"
#include "settings.h"
#include "states.h"
#include "story.h"

static bool remains(const struct session *s, const int64_t *state, uint32_t thread,
                    struct intent *intent) {
  return machine_remains(&s->machine, state, thread, intent);
}

static void no_memory(struct session *s) {
  if (!s->refused) cli_say(stderr, "unfold-model: no memory to list a defect");
  s->refused = true;
}

char *describe_program(const struct session *s, const json_t *inputs) {
  char *values = json_is_object(inputs) ? inputs_text(inputs) : NULL;
  const char *name = session_name(s);
  const size_t room = strlen(name) + (values != NULL ? strlen(values) : 0) + sizeof INPUTS_BEHIND;
  char *text = malloc(room);
  if (text != NULL)
    snprintf(text, room, "%s%s%s", name, values != NULL ? INPUTS_BEHIND : "",
             values != NULL ? values : "");
  free(values);
  return text;
}

static size_t index_of(const struct session *s, const struct cli_defect *defect) {
  return (size_t)(defect - s->result.defects.items);
}

/* Writes a schedule to --trace-dir. */
static void write_schedule(struct session *s, struct cli_defect *defect,
                           const unf_schedule *schedule) {
  char name[64];
  if (!cli_schedule_save(CLI_MODEL, schedule, s->options.trace_dir, index_of(s, defect) + 1, name,
                         sizeof name))
    s->failed = true;
  else if (!cli_defect_set_schedule(defect, name))
    no_memory(s);
}

/* Enters values of the inputs, or NULL, for the current run, and keeps its steps for --trace-dir
 * and
 * --report, unless no such values are known. */
static void save_schedule(struct session *s, struct cli_defect *defect, const unf_explorer *x,
                          json_t *inputs) {
  unf_schedule *schedule = NULL;
  cli_defect_set_inputs(defect, inputs);
  const bool apart = cli_shares(&s->options); /* the coordinator writes files */
  const bool kept = s->options.report != NULL || s->options.shorten || s->options.save != NULL ||
                    (apart && s->options.trace_dir != NULL);
  const bool wanted = s->options.trace_dir != NULL || kept;
  if (!wanted || x == NULL || json_is_null(defect->inputs)) return;
  char *program = describe_program(s, defect->inputs);
  if (program == NULL) {
    no_memory(s);
    return;
  }
  const unf_limits none = {.bytes = 0}; /* what is found at a limit has its schedule, too */
  unf_limits limits = none;
  cli_options_limits(&s->options, &limits);
  unf_context_set_limits(s->context, &none);
  unf_status status = unf_schedule_new(s->unfolding, program, &schedule);
  free(program);
  if (status == UNF_OK)
    status =
        s->probing ? unf_schedule_append_run(schedule, x) : trace_append(schedule, s->unfolding, x);
  unf_context_set_limits(s->context, &limits);
  if (status == UNF_OK && kept) retell_keep(s, index_of(s, defect), schedule);
  if (status != UNF_OK) {
    cli_say(stderr, "unfold-model: the schedule cannot be written: %s",
            unf_context_detail(s->context)->text);
    s->refused = true;
  } else if (s->options.trace_dir != NULL && !apart) {
    write_schedule(s, defect, schedule);
  }
  unf_schedule_free(schedule);
}

typedef bool (*belongs)(const struct session *s, const int64_t *state, uint32_t thread);

static bool is_blocked(const struct session *s, const int64_t *state, uint32_t thread) {
  struct intent intent;
  return remains(s, state, thread, &intent);
}

static bool undefined(const struct session *s, const int64_t *state, uint32_t thread) {
  return machine_started(&s->machine, state, thread) &&
         machine_undefined(&s->machine, state, thread);
}

static bool has_failed(const struct session *s, const int64_t *state, uint32_t thread) {
  struct intent intent;
  return remains(s, state, thread, &intent) && intent.stopped == STOP_ASSERT;
}

static bool is_wrong(const struct session *s, const int64_t *state, uint32_t thread) {
  struct intent intent;
  return remains(s, state, thread, &intent) && intent.stopped == STOP_ERROR;
}

/* The first thread that belongs; or UINT32_MAX. */
static uint32_t find_first(const struct session *s, const int64_t *state, belongs concerns) {
  for (uint32_t t = 0; t < s->program.count[SYMBOL_THREAD]; t++)
    if (concerns(s, state, t)) return t;
  return UINT32_MAX;
}

/* What went wrong in a thread that an error stopped; of an index, in which array. */
static void error_of(const struct session *s, const int64_t *state, uint32_t thread, char *text,
                     size_t size) {
  struct intent intent;
  const int64_t at = state[s->machine.base[thread] + POSITION];
  const struct instruction *in = &s->program.code[at];
  machine_intent(&s->machine, state, thread, &intent);
  snprintf(text, size, "%s", error_text((enum error)intent.element));
  if (intent.element != ERROR_INDEX || in->opcode == DO_WAIT || in->opcode == DO_TIMEDWAIT) return;
  const struct symbol *symbol = &s->program.symbols[in->target];
  snprintf(text, size, "an index of '%.*s' is outside of %" PRId64 " … %" PRId64,
           (int)symbol->length, symbol->name, symbol->low,
           symbol->low + (int64_t)symbol->count - 1);
}

/* The run at hand is counted. */
static struct cli_seen seen_once(const struct session *s) {
  return (struct cli_seen){!s->probing, s->probing};
}

/* Whether the run at hand is to be described: the first with a defect, or less than that which was.
 */
static bool begins(struct session *s, struct cli_defect *defect, const unf_explorer *x,
                   bool fresh) {
  if (x == NULL || s->probing) return cli_defect_begins(defect, TRACE_NAME_NONE, fresh);
  if (!s->named) s->name = trace_name_of(s->unfolding, x);
  s->named = true;
  return cli_defect_begins(defect, s->name, fresh);
}

/* Where the threads that belong stand, into room for one each; their number. */
static size_t places_of(const struct session *s, const int64_t *state, belongs concerns,
                        uint64_t *places) {
  size_t count = 0;
  for (uint32_t t = 0; t < s->program.count[SYMBOL_THREAD]; t++) {
    struct intent intent;
    if (!concerns(s, state, t)) continue;
    machine_intent(&s->machine, state, t, &intent);
    places[count++] = (uint64_t)intent.place.line << 32 | intent.place.column;
  }
  return count;
}

/* Lists a defect of the threads that belong to it. */
static void list(struct session *s, const int64_t *state, enum cli_kind kind, belongs concerns,
                 const unf_explorer *x) {
  uint32_t count = s->program.count[SYMBOL_THREAD];
  bool fresh = false;
  char text[TEXT_SIZE] = "";
  uint64_t *places = malloc(count * sizeof *places);
  const size_t place_count = places != NULL ? places_of(s, state, concerns, places) : 0;
  struct cli_defect *defect = places != NULL ? cli_defects_see(&s->result.defects, kind, places,
                                                               place_count, seen_once(s), &fresh)
                                             : NULL;
  if (defect == NULL) {
    no_memory(s);
  } else if (begins(s, defect, x, fresh)) {
    for (uint32_t t = 0; t < count; t++)
      if (concerns(s, state, t)) cli_defect_add(defect, describe_thread(s, state, t));
    if (kind == CLI_DEADLOCK) describe_cycle(s, state, text, sizeof text);
    if (text[0] != '\0' && !cli_defect_set_text(defect, text)) no_memory(s);
    save_schedule(s, defect, x, inputs_of_run(s, x));
  } else if (json_is_null(defect->inputs)) {
    cli_defect_set_inputs(defect, inputs_of_run(s, x));
  }
  free(places);
}

/* The error of a thread: its text, and what stands for it. At one place there can be several. */
static void places_of_error(const struct session *s, const int64_t *state, uint32_t thread,
                            char text[TEXT_SIZE], uint64_t places[2]) {
  struct intent intent;
  machine_intent(&s->machine, state, thread, &intent);
  error_of(s, state, thread, text, TEXT_SIZE);
  places[0] = (uint64_t)intent.place.line << 32 | intent.place.column;
  places[1] = index_hash(text) | UINT64_C(1) << 63;
}

/* Lists the error of a thread. */
static void list_error(struct session *s, const int64_t *state, uint32_t thread,
                       const unf_explorer *x) {
  char text[TEXT_SIZE];
  uint64_t places[2];
  bool fresh;
  places_of_error(s, state, thread, text, places);
  struct cli_defect *defect =
      cli_defects_see(&s->result.defects, CLI_RUNTIME, places, 2, seen_once(s), &fresh);
  if (defect == NULL) {
    no_memory(s);
  } else if (begins(s, defect, x, fresh)) {
    cli_defect_add(defect, describe_thread(s, state, thread));
    if (!cli_defect_set_text(defect, text)) no_memory(s);
    save_schedule(s, defect, x, inputs_of_run(s, x));
  } else if (json_is_null(defect->inputs)) {
    cli_defect_set_inputs(defect, inputs_of_run(s, x));
  }
}

/* Whether all who are blocked wait for a value that does not come, or for the end of one who does:
 * as loops they would go round for ever. */
static bool is_livelock(const struct session *s, const int64_t *state) {
  bool awaits = false;
  for (uint32_t t = 0; t < s->program.count[SYMBOL_THREAD]; t++) {
    struct intent in;
    if (!remains(s, state, t, &in)) continue;
    bool await = in.opcode == DO_AWAIT || in.opcode == DO_EXCHANGE_AWAIT;
    bool joins = in.opcode == DO_JOIN && machine_started(&s->machine, state, in.element);
    if (!await && !joins) return false;
    awaits |= await;
  }
  return awaits;
}

void describe_end(struct session *s, const int64_t *state, const unf_verdict *verdict,
                  const unf_explorer *x) {
  if (verdict->redundant || verdict->infeasible || verdict->complete) return;
  if (verdict->error && find_first(s, state, has_failed) != UINT32_MAX)
    list(s, state, CLI_ASSERTION, has_failed, x);
  for (uint32_t t = 0; verdict->error && t < s->program.count[SYMBOL_THREAD]; t++)
    if (is_wrong(s, state, t)) list_error(s, state, t, x);
  bool livelock = verdict->deadlock && is_livelock(s, state);
  s->result.livelocks += livelock && !s->probing;
  if (verdict->deadlock) list(s, state, livelock ? CLI_LIVELOCK : CLI_DEADLOCK, is_blocked, x);
  if (find_first(s, state, undefined) != UINT32_MAX) list(s, state, CLI_UNDEFINED, undefined, x);
}

bool describe_problem_is(const struct problem *problem, const struct cli_defect *defect) {
  uint64_t key = (uint64_t)problem->place.line << 32 | problem->place.column;
  return cli_defect_is(defect, CLI_RUNTIME, &key, 1);
}

bool describe_shows(const struct session *s, const int64_t *state, bool whole,
                    const struct cli_defect *defect, uint64_t *room) {
  char text[TEXT_SIZE];
  unf_verdict verdict;
  switch (defect->kind) {
  case CLI_ASSERTION:
    return cli_defect_is(defect, defect->kind, room, places_of(s, state, has_failed, room));
  case CLI_UNDEFINED:
    return cli_defect_is(defect, defect->kind, room, places_of(s, state, undefined, room));
  case CLI_DEADLOCK:
  case CLI_LIVELOCK:
    if (!whole) return false;
    describe_verdict(s, state, &verdict);
    return verdict.deadlock && is_livelock(s, state) == (defect->kind == CLI_LIVELOCK) &&
           cli_defect_is(defect, defect->kind, room, places_of(s, state, is_blocked, room));
  case CLI_RUNTIME:
    for (uint32_t t = 0; t < s->program.count[SYMBOL_THREAD]; t++) {
      if (!is_wrong(s, state, t)) continue;
      places_of_error(s, state, t, text, room);
      if (cli_defect_is(defect, defect->kind, room, 2)) return true;
    }
    return false;
  default:
    return false;
  }
}

/* What an access is: "write of x". */
static void access_text(const struct session *s, const unf_access *a, char *text, size_t size) {
  char variable[NAME_SIZE];
  describe_name(s, SYMBOL_SHARED, (uint32_t)(a->address / a->size), variable);
  snprintf(text, size, "%s of %s", a->write ? "write" : "read", variable);
}

static struct place place_of(const unf_access *a) {
  return (struct place){(uint32_t)(a->place >> 32), (uint32_t)a->place};
}

static void describe_access(const struct session *s, const unf_access *a,
                            struct cli_defect *defect) {
  char name[NAME_SIZE], place[TEXT_SIZE], operation[TEXT_SIZE];
  describe_name(s, SYMBOL_THREAD, a->thread, name);
  access_text(s, a, operation, sizeof operation);
  describe_place(s, place_of(a), place, sizeof place);
  cli_defect_add(defect, cli_thread(name, "racing", operation, place));
}

json_t *describe_racing(const struct session *s, const unf_access *a) {
  char name[NAME_SIZE], place[TEXT_SIZE], operation[TEXT_SIZE];
  describe_name(s, SYMBOL_THREAD, a->thread, name);
  access_text(s, a, operation, sizeof operation);
  describe_place(s, place_of(a), place, sizeof place);
  json_t *access =
      json_pack("{s:s, s:s, s:s}", "thread", name, "operation", operation, "place", place);
  if (access != NULL) story_place(access, 0, place_of(a).line);
  return access;
}

void describe_race(struct session *s, const unf_race *race, const unf_explorer *x, json_t *inputs) {
  uint64_t places[] = {race->first.place, race->second.place};
  bool fresh = false;
  struct cli_defect *defect =
      cli_defects_see(&s->result.defects, CLI_RACE, places, 2, seen_once(s), &fresh);
  s->result.races += fresh;
  if (defect != NULL && inputs == NULL) defect->count = defect->before + race->count;
  if (defect == NULL) {
    no_memory(s);
  } else if (begins(s, defect, x, fresh)) {
    if (!cli_defect_set_text(defect, "nothing orders the two accesses")) no_memory(s);
    describe_access(s, &race->first, defect);
    describe_access(s, &race->second, defect);
    save_schedule(s, defect, x, inputs);
    return;
  } else if (json_is_null(defect->inputs)) {
    cli_defect_set_inputs(defect, inputs);
    return;
  }
  json_decref(inputs);
}

void describe_runtime(struct session *s, const struct problem *problem, const unf_explorer *x) {
  char name[NAME_SIZE], place[TEXT_SIZE];
  uint64_t key = (uint64_t)problem->place.line << 32 | problem->place.column;
  bool fresh;
  describe_name(s, SYMBOL_THREAD, problem->thread, name);
  describe_place(s, problem->place, place, sizeof place);
  struct cli_defect *defect =
      cli_defects_see(&s->result.defects, CLI_RUNTIME, &key, 1, seen_once(s), &fresh);
  if (defect == NULL || !cli_defect_set_text(defect, problem->text)) {
    no_memory(s);
    return;
  }
  if (!fresh) return;
  cli_defect_add(defect, cli_thread(name, "failed", NULL, place));
  save_schedule(s, defect, x, inputs_of_run(s, x));
}

void describe_verdict(const struct session *s, const int64_t *state, unf_verdict *verdict) {
  *verdict = (unf_verdict){.complete = true, .deadlock = true};
  for (uint32_t t = 0; t < s->program.count[SYMBOL_THREAD]; t++) {
    struct intent intent;
    if (!remains(s, state, t, &intent)) continue;
    verdict->complete = false;
    verdict->error |= intent.stopped == STOP_ASSERT || intent.stopped == STOP_ERROR;
    verdict->deadlock &= intent.stopped == STOP_NONE;
    verdict->blocked += intent.stopped == STOP_NONE;
  }
  verdict->deadlock &= !verdict->complete;
}
