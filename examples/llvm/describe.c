#include "describe.h"

#include <inttypes.h>
#include <stdlib.h>

#include "access.h"
#include "array.h"
#include "asked.h"
#include "defect.h"
#include "ends.h"
#include "index.h"
#include "knowledge.h"
#include "leaks.h"
#include "machine.h"
#include "memory.h"
#include "racing.h"
#include "retell.h"
#include "schedule.h"
#include "solver.h"
#include "sym.h"
#include "sync.h"
#include "text.h"
#include "witness.h"

enum { NAME_SIZE = 200, TEXT_SIZE = 400 };

static void no_memory(struct sym *s) {
  if (!s->refused) cli_say(stderr, "unfold-sym: no memory to list a defect");
  s->refused = true;
}

void sym_place_text(const struct sym *s, uint64_t place, char *buffer, size_t size) {
  const uint32_t line = (uint32_t)place;
  const char *file = s->code.texts[place >> 32];
  if (line > 0)
    snprintf(buffer, size, "%s:%" PRIu32, file, line);
  else
    snprintf(buffer, size, "?");
}

/* A thread's copy of a variable that each has one of. */
static const char *own_name(const struct sym *s, uint64_t address) {
  for (uint32_t i = 0; i < s->machine.thread_count; i++) {
    const struct thread *t = s->machine.threads[i];
    for (uint32_t g = 0; t != NULL && t->copies != NULL && g < s->code.global_count; g++)
      if (t->copies[g] == address) return s->code.globals[g].name;
  }
  return "?";
}

/* A global by its name, another object by where it was made. */
void sym_address_text(struct sym *s, uint64_t address, char *buffer, size_t size) {
  char place[NAME_SIZE / 2];
  struct machine *m = &s->machine;
  const struct object *o = memory_find(&m->memory, address);
  uint32_t global = 0;
  if (o == NULL) {
    snprintf(buffer, size, "0x%" PRIx64, address);
    return;
  }
  while (global < s->code.global_count && m->globals[global] != o->address)
    global++;
  const uint64_t offset = address - o->address;
  char behind[32] = "";
  if (offset > 0) snprintf(behind, sizeof behind, "+%" PRIu64, offset);
  if (global < s->code.global_count) {
    snprintf(buffer, size, "%s%s", s->code.globals[global].name, behind);
    return;
  }
  if (o->kind == OBJECT_OWN) {
    snprintf(buffer, size, "%s%s", own_name(s, o->address), behind);
    return;
  }
  if (o->kind == OBJECT_STACK) {
    snprintf(buffer, size, "variable %s%s", s->code.texts[o->place >> 32], behind);
    return;
  }
  sym_place_text(s, o->place, place, sizeof place);
  snprintf(buffer, size, "%s of %s%s", o->kind == OBJECT_HEAP ? "memory" : "variable", place,
           behind);
}

void sym_operation_text(struct sym *s, const unf_operation *operation, char *buffer, size_t size) {
  unf_object_class kind;
  uint64_t address;
  char name[NAME_SIZE];
  const char *what = unf_operation_kind_text(operation->kind);
  const bool threads = operation->kind == UNF_JOIN || operation->kind == UNF_CREATE;
  if (threads)
    unf_thread_text(s->unfolding, operation->target, name, sizeof name);
  else if (ends_is_joins(s->unfolding, operation->target))
    snprintf(name, sizeof name, "the right to join a thread");
  else if (unf_object_describe(s->unfolding, operation->target, &kind, NULL, &address) == UNF_OK)
    sym_address_text(s, address & ((UINT64_C(1) << MACHINE_KEY_BITS) - 1), name, sizeof name);
  else
    name[0] = '\0';
  snprintf(buffer, size, "%s %s", what, name);
}

static json_t *describe_thread(struct sym *s, const struct thread *t) {
  char name[NAME_SIZE], place[TEXT_SIZE], operation[TEXT_SIZE], held[TEXT_SIZE];
  const struct machine *m = &s->machine;
  const bool failed = t->standing == STANDS_FAILED;
  unf_thread_text(s->unfolding, t->handle, name, sizeof name);
  sym_place_text(s, failed ? t->place : machine_place(m, t), place, sizeof place);
  if (!failed) sym_operation_text(s, &t->operation, operation, sizeof operation);
  json_t *thread =
      cli_thread(name, failed ? "failed" : "blocked", failed ? NULL : operation, place);
  for (uint64_t i = 0; i < m->now.syncs.count; i++) {
    const struct sync *sync = array_read(&syncs_kind, &m->now.syncs, i);
    if (!sync->used || sync->kind != UNF_MUTEX || sync->owner != t->handle) continue;
    sym_address_text(s, sync->address, held, sizeof held);
    sym_place_text(s, sync->place, place, sizeof place);
    cli_thread_holds(thread, held, place);
  }
  return thread;
}

static bool is_failed(const struct thread *t) {
  return t->standing == STANDS_FAILED;
}

static bool is_blocked(const struct thread *t) {
  return t->standing == STANDS_AT_OPERATION;
}

static const struct thread *thread_at(const struct sym *s, uint32_t i) {
  const struct thread *t = s->machine.threads[i];
  return t != NULL && t->standing != STANDS_NOWHERE ? t : NULL;
}

/* Enters values of the inputs, and writes the schedule, if there are such values. The set has the
 * facts of the execution. */
static void set_inputs(struct sym *s, struct cli_defect *defect, uint32_t set) {
  json_t *inputs = asked_values(&s->machine.asked, &s->knowledge, set);
  if (inputs == NULL) {
    no_memory(s);
    return;
  }
  const bool known = !json_is_null(inputs);
  if (s->machine.has_inputs)
    cli_defect_set_inputs(defect, inputs);
  else
    json_decref(inputs);
  if (known && s->steps == NULL) sym_save_schedule(s, set, defect);
}

/* What is known of the inputs in the execution at hand; of a replay nothing is asked. */
static uint32_t facts_of_run(struct sym *s) {
  return s->steps != NULL ? UINT32_MAX : knowledge_run(&s->knowledge, s->explorer);
}

/* Stands for a text among the places of a defect: at one place there can be several. */
static uint64_t number_of(const char *text) {
  return index_hash(text) | UINT64_C(1) << 63;
}

/* Lists the threads for which that is so as one defect. */
static void list(struct sym *s, enum cli_kind kind, bool (*concerns)(const struct thread *),
                 const char *text) {
  const uint32_t count = s->machine.thread_count;
  uint64_t *places = malloc(((size_t)count + 1) * sizeof *places);
  size_t place_count = 0;
  bool fresh = false;
  if (places != NULL && text != NULL) places[place_count++] = number_of(text);
  for (uint32_t i = 0; places != NULL && i < count; i++) {
    const struct thread *t = thread_at(s, i);
    if (t == NULL || !concerns(t) || (is_failed(t) && t->kind != kind)) continue;
    places[place_count++] = is_failed(t) ? t->place : machine_place(&s->machine, t);
  }
  struct cli_defect *defect = places != NULL
                                  ? cli_defects_see(&s->result.defects, kind, places, place_count,
                                                    (struct cli_seen){1, 0}, &fresh)
                                  : NULL;
  free(places);
  if (defect == NULL) {
    no_memory(s);
    return;
  }
  if (!fresh) return;
  if (text != NULL && !cli_defect_set_text(defect, text)) no_memory(s);
  for (uint32_t i = 0; i < count; i++) {
    const struct thread *t = thread_at(s, i);
    if (t != NULL && concerns(t) && (!is_failed(t) || t->kind == kind))
      cli_defect_add(defect, describe_thread(s, t));
  }
  const uint32_t set = facts_of_run(s);
  set_inputs(s, defect, set);
  if (kind == CLI_ASSERTION) sym_witness_assertion(s, set);
  sym_retell_keep(s, NULL, 0);
}

/* Each kind of failure once. */
static void list_failures(struct sym *s) {
  unsigned seen = 0;
  for (uint32_t i = 0; i < s->machine.thread_count; i++) {
    const struct thread *t = thread_at(s, i);
    if (t == NULL || !is_failed(t) || (seen & 1U << t->kind) != 0) continue;
    seen |= 1U << t->kind;
    list(s, t->kind, is_failed, t->text);
  }
}

/* What all who are blocked wait for: a value that does not come, or the end of one who does. As
 * loops they would go round for ever. */
enum waiting { WAITS_OTHERWISE, WAITS_FOR_VALUES, WAITS_IN_TRIES, WAITS_OUTSIDE };

static enum waiting waiting_of(const struct sym *s) {
  enum waiting waiting = WAITS_FOR_VALUES;
  for (uint32_t i = 0; i < s->machine.thread_count; i++) {
    const struct thread *t = thread_at(s, i);
    if (t != NULL && is_blocked(t) && t->outside) return WAITS_OUTSIDE;
  }
  for (uint32_t i = 0; i < s->machine.thread_count; i++) {
    const struct thread *t = thread_at(s, i);
    if (t == NULL || !is_blocked(t) || t->operation.kind == UNF_JOIN) continue;
    if ((t->operation.kind != UNF_AWAIT && t->operation.kind != UNF_EXCHANGE_AWAIT) || t->blocks)
      return WAITS_OTHERWISE;
    if (t->tries) waiting = WAITS_IN_TRIES;
  }
  return waiting;
}

/* ---- leaks ---- */

/* What is lost of what was made at one place. */
struct leak {
  uint64_t place, bytes, objects;
  uint32_t thread;
};

struct leaks {
  struct leak *items;
  size_t count, room;
};

static bool note_leak(void *user, const struct object *o) {
  struct leaks *leaks = user;
  size_t i = 0;
  while (i < leaks->count && leaks->items[i].place != o->place)
    i++;
  if (i == leaks->room) {
    const size_t room = 2 * leaks->room + 8;
    struct leak *items = realloc(leaks->items, room * sizeof *items);
    if (items == NULL) return false;
    leaks->items = items;
    leaks->room = room;
  }
  if (i == leaks->count)
    leaks->items[leaks->count++] =
        (struct leak){.place = o->place, .thread = memory_region(o->address) - 1};
  leaks->items[i].bytes += o->size;
  leaks->items[i].objects++;
  return true;
}

static void describe_leak(struct sym *s, const struct leak *leak) {
  static const char lost[] = "no pointer to it is left at the end";
  char text[TEXT_SIZE], name[NAME_SIZE], place[TEXT_SIZE];
  uint64_t places[] = {leak->place, number_of(lost)};
  bool fresh;
  struct cli_defect *defect =
      cli_defects_see(&s->result.defects, CLI_MEMORY, places, 2, (struct cli_seen){1, 0}, &fresh);
  if (defect == NULL) no_memory(s);
  if (defect == NULL || !fresh) return;
  snprintf(text, sizeof text, "leak of %" PRIu64 " bytes in %" PRIu64 " object%s: %s", leak->bytes,
           leak->objects, leak->objects == 1 ? "" : "s", lost);
  if (!cli_defect_set_text(defect, text)) no_memory(s);
  unf_thread_text(s->unfolding, leak->thread, name, sizeof name);
  sym_place_text(s, leak->place, place, sizeof place);
  cli_defect_add(defect, cli_thread(name, "leaked", NULL, place));
  set_inputs(s, defect, facts_of_run(s));
  sym_retell_keep(s, NULL, 0);
}

/* Whether threads are where the process ends: all of them, or it was ended by one. */
static bool is_whole(const struct sym *s) {
  bool whole = true;
  for (uint32_t i = 0; whole && i < s->machine.thread_count; i++) {
    const struct thread *t = thread_at(s, i);
    whole = t == NULL || t->standing == STANDS_AT_END || (s->machine.now.exited && is_blocked(t));
  }
  return whole;
}

static void describe_leaks(struct sym *s) {
  struct leaks leaks = {0};
  bool unsure = false;
  if (!is_whole(s)) return;
  if (!leaks_find(&s->machine, note_leak, &leaks, &unsure)) no_memory(s);
  for (size_t i = 0; i < leaks.count; i++)
    describe_leak(s, &leaks.items[i]);
  if (unsure) s->machine.bounded = "leaks";
  free(leaks.items);
}

/* ---- the end ---- */

bool sym_describe_end(struct sym *s, const unf_verdict *verdict, bool raced) {
  if (verdict->redundant || verdict->infeasible) return false;
  if (!raced) list_failures(s);
  if (!raced && s->options.leaks) describe_leaks(s);
  if (!verdict->deadlock) return false;
  const enum waiting waiting = waiting_of(s);
  if (s->machine.now.exited || waiting == WAITS_OUTSIDE) {
    s->machine.left_behind++;
    return true;
  }
  if (raced) return false;
  s->result.livelocks += waiting == WAITS_FOR_VALUES;
  if (waiting != WAITS_IN_TRIES)
    list(s, waiting == WAITS_OTHERWISE ? CLI_DEADLOCK : CLI_LIVELOCK, is_blocked, NULL);
  return false;
}

/* ---- races ---- */

/* Whether both accesses can be made in this execution for some inputs, as far as is known; *set has
 * the facts of the execution, and those under which they are made. */
static bool is_possible(struct sym *s, unf_race *race, uint32_t *set) {
  uint32_t one, other;
  race->first.place = machine_access_place(&s->machine, race->first.place, &one);
  race->second.place = machine_access_place(&s->machine, race->second.place, &other);
  *set = facts_of_run(s);
  if (*set != UINT32_MAX && one != UINT32_MAX) *set = knowledge_union(&s->knowledge, *set, one);
  if (*set != UINT32_MAX && other != UINT32_MAX) *set = knowledge_union(&s->knowledge, *set, other);
  return *set == UINT32_MAX || knowledge_ask(&s->knowledge, *set) != SOLVER_NO;
}

void sym_access_text(struct sym *s, const unf_access *a, char *buffer, size_t size) {
  char object[NAME_SIZE];
  sym_address_text(s, a->address, object, sizeof object);
  snprintf(buffer, size, "%s of %s", a->write ? "write" : "read", object);
}

static void describe_access(struct sym *s, const unf_access *a, struct cli_defect *defect) {
  char name[NAME_SIZE], place[TEXT_SIZE], operation[TEXT_SIZE];
  unf_thread_text(s->unfolding, a->thread, name, sizeof name);
  sym_access_text(s, a, operation, sizeof operation);
  sym_place_text(s, a->place, place, sizeof place);
  cli_defect_add(defect, cli_thread(name, "racing", operation, place));
}

static void describe_race(struct sym *s, const unf_race *race, uint64_t index, uint32_t set) {
  uint64_t places[] = {race->first.place, race->second.place};
  bool fresh;
  struct cli_defect *defect =
      cli_defects_see(&s->result.defects, CLI_RACE, places, 2, (struct cli_seen){0, 0}, &fresh);
  if (defect == NULL) {
    no_memory(s);
    return;
  }
  defect->count += defect->met != s->run + 1; /* places can race under several conditions */
  defect->met = s->run + 1;
  if (!fresh) return;
  s->result.races++;
  if (!cli_defect_set_text(defect, "nothing orders the two accesses")) no_memory(s);
  describe_access(s, &race->first, defect);
  describe_access(s, &race->second, defect);
  set_inputs(s, defect, set);
  sym_retell_keep(s, race, index);
  sym_witness_race(s, set, race);
}

/* What both accesses meet is performed by operations from now on. Nothing new: an access of
 * them is none that can be. */
static void enter_race(struct sym *s, const unf_race *race) {
  const unf_access *a = &race->first, *b = &race->second;
  const uint64_t first = a->address > b->address ? a->address : b->address;
  const uint64_t ends[] = {a->address + a->size, b->address + b->size};
  const int entered =
      racing_enter(&s->machine, first, (ends[0] < ends[1] ? ends[0] : ends[1]) - first);
  if (entered < 0) machine_stop(&s->machine, UNF_MEMORY);
  if (entered > 0)
    s->machine.again = true;
  else
    s->races_remain = true;
}

bool sym_describe_races(struct sym *s) {
  const uint64_t count = unf_races_here_count(s->races);
  unf_race race;
  uint64_t index;
  uint32_t set;
  bool here = false;
  for (uint64_t i = 0; i < count && unf_races_here(s->races, i, &index, &race) == UNF_OK; i++) {
    if ((race.first.place & race.second.place & RACING_ORDERED) != 0) continue;
    race.first.place &= ~RACING_ORDERED;
    race.second.place &= ~RACING_ORDERED;
    if (is_possible(s, &race, &set)) {
      here = true;
      describe_race(s, &race, index, set);
      if (s->options.races_as_atomics) enter_race(s, &race);
      continue;
    }
    machine_note_apart(&s->machine, race.first.place);
    machine_note_apart(&s->machine, race.second.place);
  }
  return here;
}
