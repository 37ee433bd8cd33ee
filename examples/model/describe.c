/*
 * What is wrong with an execution, told thread by thread. The entries are kept by kind and places,
 * so that many executions with the same defect make one entry; its threads and its schedule are
 * those of the first.
 */
#include "model.h"

#include <stdlib.h>
#include <string.h>

enum { NAME_SIZE = 300, TEXT_SIZE = 600 };

static void thread_name(const struct session *s, uint32_t thread, char *buffer) {
  program_name(&s->program, SYMBOL_THREAD, thread, buffer, NAME_SIZE);
}

void describe_place(const struct session *s, struct place place, char *buffer, size_t size) {
  snprintf(buffer, size, "%s:%u:%u", s->file, place.line, place.column);
}

void describe_intent(const struct session *s, const struct intent *in, char *buffer, size_t size) {
  static const struct {
    enum opcode opcode;
    const char *name;
    enum symbol_kind kind;
  } rows[] = {{DO_LOCK, "lock", SYMBOL_MUTEX},
              {DO_UNLOCK, "unlock", SYMBOL_MUTEX},
              {DO_TRYLOCK, "trylock", SYMBOL_MUTEX},
              {DO_SPAWN, "spawn", SYMBOL_THREAD},
              {DO_JOIN, "join", SYMBOL_THREAD}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    char name[NAME_SIZE];
    if (rows[i].opcode != in->opcode) continue;
    program_name(&s->program, rows[i].kind, in->element, name, sizeof name);
    snprintf(buffer, size, "%s(%s)", rows[i].name, name);
    return;
  }
  if (in->opcode == DO_CHOOSE)
    snprintf(buffer, size, "choose(%lld, %lld)", (long long)in->low, (long long)in->high);
  else
    snprintf(buffer, size, "%s",
             in->opcode == DO_ASSUME   ? "assume"
             : in->opcode == DO_ASSERT ? "assert"
             : in->opcode == DO_LOOP   ? "while"
                                       : "exit");
}

/* Whether a thread was started and did not finish. */
static bool remains(const struct session *s, const int64_t *state, uint32_t thread,
                    struct intent *intent) {
  if (!machine_started(&s->machine, state, thread)) return false;
  machine_intent(&s->machine, state, thread, intent);
  return intent->opcode != DO_EXIT;
}

static bool undefined(const struct session *s, const int64_t *state, uint32_t thread) {
  struct intent intent;
  if (!remains(s, state, thread, &intent) || intent.stopped != STOP_NONE) return false;
  return (intent.opcode == DO_UNLOCK || intent.opcode == DO_SPAWN) &&
         !machine_ready(&s->machine, state, thread);
}

static void describe_wait(const struct session *s, const int64_t *state, uint32_t thread,
                          const struct intent *intent, json_t *entry) {
  char name[NAME_SIZE], owner[NAME_SIZE];
  uint32_t holder = 0;
  struct place place;
  struct intent other;
  bool held = false;
  if (intent->opcode == DO_LOCK || intent->opcode == DO_UNLOCK) {
    held = machine_holder(&s->machine, state, intent->element, &holder, &place);
    if (held) thread_name(s, holder, owner);
    program_name(&s->program, SYMBOL_MUTEX, intent->element, name, sizeof name);
  }
  if (intent->opcode == DO_LOCK) {
    cli_thread_waits(entry, name, held ? owner : NULL);
    if (held && holder == thread) cli_thread_note(entry, "it holds this mutex itself");
  } else if (intent->opcode == DO_UNLOCK) {
    cli_thread_note(entry, held ? "undefined behaviour: another thread holds the mutex"
                                : "undefined behaviour: no thread holds the mutex");
  } else if (intent->opcode == DO_SPAWN) {
    cli_thread_note(entry, "undefined behaviour: that thread was started before");
  } else if (intent->opcode == DO_JOIN) {
    program_name(&s->program, SYMBOL_THREAD, intent->element, name, sizeof name);
    cli_thread_waits(entry, name, NULL);
    if (!machine_started(&s->machine, state, intent->element))
      cli_thread_note(entry, "that thread was never started");
    else if (intent->element == thread)
      cli_thread_note(entry, "a thread cannot wait for its own end");
    else if (remains(s, state, intent->element, &other) && other.stopped != STOP_NONE)
      cli_thread_note(entry, "that thread was stopped");
  }
}

static void describe_thread(const struct session *s, const int64_t *state, uint32_t thread,
                            struct cli_defect *defect) {
  static const char *const states[] = {"blocked", "stopped", "stopped", "failed"};
  struct intent intent;
  char name[NAME_SIZE], operation[TEXT_SIZE], place[TEXT_SIZE];
  if (!remains(s, state, thread, &intent)) return;
  thread_name(s, thread, name);
  describe_intent(s, &intent, operation, sizeof operation);
  describe_place(s, intent.place, place, sizeof place);
  json_t *entry = cli_thread(name, states[intent.stopped], operation, place);
  for (uint32_t m = 0; m < s->program.count[SYMBOL_MUTEX]; m++) {
    struct place since;
    uint32_t holder;
    if (!machine_holder(&s->machine, state, m, &holder, &since) || holder != thread) continue;
    program_name(&s->program, SYMBOL_MUTEX, m, name, sizeof name);
    describe_place(s, since, place, sizeof place);
    cli_thread_holds(entry, name, place);
  }
  if (intent.stopped == STOP_NONE) describe_wait(s, state, thread, &intent, entry);
  cli_defect_add(defect, entry);
}

/* The thread that another one waits for, or UINT32_MAX. */
static uint32_t waits_for(const struct session *s, const int64_t *state, uint32_t thread) {
  struct intent intent;
  struct place place;
  uint32_t holder;
  if (!remains(s, state, thread, &intent) || intent.stopped != STOP_NONE) return UINT32_MAX;
  if (intent.opcode == DO_JOIN) return intent.element;
  if (intent.opcode == DO_LOCK &&
      machine_holder(&s->machine, state, intent.element, &holder, &place))
    return holder;
  return UINT32_MAX;
}

/* A cycle of threads that wait for each other, as text; empty if there is none. Follows each thread
 * as long as it takes to come back to it. */
static void describe_cycle(const struct session *s, const int64_t *state, char *buffer,
                           size_t size) {
  uint32_t count = s->program.count[SYMBOL_THREAD];
  buffer[0] = '\0';
  for (uint32_t first = 0; first < count; first++) {
    uint32_t at = first, steps = 0;
    do
      at = waits_for(s, state, at);
    while (at != first && at != UINT32_MAX && ++steps <= count);
    if (at != first) continue;
    steps = 0;
    char name[NAME_SIZE];
    thread_name(s, first, name);
    size_t length = (size_t)snprintf(buffer, size, "%s", name);
    do {
      at = waits_for(s, state, at);
      thread_name(s, at, name);
      length += (size_t)snprintf(buffer + length, size - length, "%s waits for %s",
                                 steps++ > 0 ? ", which" : "", name);
    } while (at != first && length + NAME_SIZE < size);
    return;
  }
}

static void no_memory(struct session *s) {
  if (!s->failed) fputs("unfold-model: no memory to list a defect\n", stderr);
  s->failed = true;
}

/* Writes the steps of the run at hand to --trace-dir. */
static void save_schedule(struct session *s, struct cli_defect *defect, const unf_explorer *x) {
  char name[64];
  unf_schedule *schedule = NULL;
  if (s->options.trace_dir == NULL || x == NULL) return;
  unf_status status = unf_schedule_new(s->unfolding, session_name(s), &schedule);
  if (status == UNF_OK) status = unf_schedule_append_run(schedule, x);
  if (status != UNF_OK) {
    fprintf(stderr, "unfold-model: the schedule cannot be written: %s\n",
            unf_context_detail(s->context)->text);
    s->failed = true;
  } else if (!cli_schedule_save(CLI_MODEL, schedule, s->options.trace_dir, s->result.defects.count,
                                name, sizeof name)) {
    s->failed = true;
  } else if (!cli_defect_set_schedule(defect, name)) {
    no_memory(s);
  }
  unf_schedule_free(schedule);
}

typedef bool (*belongs)(const struct session *s, const int64_t *state, uint32_t thread);

static bool is_blocked(const struct session *s, const int64_t *state, uint32_t thread) {
  struct intent intent;
  return remains(s, state, thread, &intent);
}

static bool has_failed(const struct session *s, const int64_t *state, uint32_t thread) {
  struct intent intent;
  return remains(s, state, thread, &intent) && intent.stopped == STOP_ASSERT;
}

/* Lists a defect of the threads that belong to it. */
static void list(struct session *s, const int64_t *state, enum cli_kind kind, belongs concerns,
                 const unf_explorer *x) {
  uint32_t count = s->program.count[SYMBOL_THREAD];
  size_t place_count = 0;
  bool fresh = false;
  char text[TEXT_SIZE] = "";
  uint64_t *places = malloc(count * sizeof *places);
  for (uint32_t t = 0; places != NULL && t < count; t++) {
    struct intent intent;
    if (!concerns(s, state, t)) continue;
    machine_intent(&s->machine, state, t, &intent);
    places[place_count++] = (uint64_t)intent.place.line << 32 | intent.place.column;
  }
  struct cli_defect *defect =
      places != NULL ? cli_defects_see(&s->result.defects, kind, places, place_count, &fresh)
                     : NULL;
  if (defect == NULL) {
    no_memory(s);
  } else if (fresh) {
    for (uint32_t t = 0; t < count; t++)
      if (concerns(s, state, t)) describe_thread(s, state, t, defect);
    if (json_array_size(defect->threads) != place_count) no_memory(s);
    if (kind == CLI_DEADLOCK) describe_cycle(s, state, text, sizeof text);
    if (text[0] != '\0' && !cli_defect_set_text(defect, text)) no_memory(s);
    save_schedule(s, defect, x);
  }
  free(places);
}

void describe_end(struct session *s, const int64_t *state, const unf_verdict *verdict,
                  const unf_explorer *x) {
  if (verdict->redundant || verdict->complete) return;
  if (verdict->error) list(s, state, CLI_ASSERTION, has_failed, x);
  if (verdict->deadlock) list(s, state, CLI_DEADLOCK, is_blocked, x);
  for (uint32_t t = 0; t < s->program.count[SYMBOL_THREAD]; t++) {
    if (!undefined(s, state, t)) continue;
    list(s, state, CLI_UNDEFINED, undefined, x);
    return;
  }
}

static void describe_access(const struct session *s, const struct access *a,
                            struct cli_defect *defect) {
  char name[NAME_SIZE], variable[NAME_SIZE], place[TEXT_SIZE], operation[TEXT_SIZE];
  thread_name(s, a->thread, name);
  program_name(&s->program, SYMBOL_SHARED, a->variable, variable, sizeof variable);
  snprintf(operation, sizeof operation, "%s of %s", a->write ? "write" : "read", variable);
  describe_place(s, a->place, place, sizeof place);
  cli_defect_add(defect, cli_thread(name, "racing", operation, place));
}

void describe_race(struct session *s, const struct access *a, const struct access *b,
                   const unf_explorer *x) {
  uint64_t places[] = {(uint64_t)a->place.line << 32 | a->place.column,
                       (uint64_t)b->place.line << 32 | b->place.column};
  bool fresh;
  struct cli_defect *defect = cli_defects_see(&s->result.defects, CLI_RACE, places, 2, &fresh);
  if (defect == NULL) {
    no_memory(s);
  } else if (fresh) {
    s->result.races++;
    if (!cli_defect_set_text(defect, "nothing orders the two accesses")) no_memory(s);
    describe_access(s, a, defect);
    describe_access(s, b, defect);
    if (json_array_size(defect->threads) != 2) no_memory(s);
    save_schedule(s, defect, x);
  }
}

void describe_runtime(struct session *s, const struct problem *problem, const unf_explorer *x) {
  char name[NAME_SIZE], place[TEXT_SIZE];
  uint64_t key = (uint64_t)problem->place.line << 32 | problem->place.column;
  bool fresh;
  thread_name(s, problem->thread, name);
  describe_place(s, problem->place, place, sizeof place);
  struct cli_defect *defect = cli_defects_see(&s->result.defects, CLI_RUNTIME, &key, 1, &fresh);
  if (defect == NULL || !cli_defect_set_text(defect, problem->text)) {
    no_memory(s);
    return;
  }
  cli_defect_add(defect, cli_thread(name, "failed", NULL, place));
  save_schedule(s, defect, x);
}

void describe_verdict(const struct session *s, const int64_t *state, unf_verdict *verdict) {
  *verdict = (unf_verdict){false, true, true, false, 0};
  for (uint32_t t = 0; t < s->program.count[SYMBOL_THREAD]; t++) {
    struct intent intent;
    if (!remains(s, state, t, &intent)) continue;
    verdict->complete = false;
    verdict->error |= intent.stopped == STOP_ASSERT;
    verdict->deadlock &= intent.stopped == STOP_NONE;
    verdict->blocked += intent.stopped == STOP_NONE;
  }
  verdict->deadlock &= !verdict->complete;
}
