/* Findings. An execution writes down what it saw; the worker keeps it when the execution has come
 * to its end and was no repetition, merges it with what is the same (kind and places), and writes a
 * schedule for what is new. Probes are counted apart: the exploration comes to the same traces. */
#include "findings.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unfold/unfold.h>

#include "../control.h"
#include "../control/findings.h"
#include "../control/object_kinds.h"
#include "../control/texts.h"
#include "crash.h"
#include "engine.h"
#include "entry.h"
#include "locations.h"
#include "objects.h"
#include "rwlock.h"
#include "scheduler.h"

struct pending *pending;

bool pending_new(void) {
  void *block =
      mmap(NULL, sizeof *pending, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (block == MAP_FAILED) return false;
  pending = block;
  return true;
}

static void add_held(struct involved *v, const struct object *o, uint64_t place) {
  if (v->held_count == HELD_MAX) return;
  struct held *held = &v->held[v->held_count++];
  held->kind = o->kind;
  object_text(held->name, sizeof held->name, o);
  held->address = o->address;
  held->place = place;
}

static void describe(struct involved *v, const struct thread *t, uint64_t place) {
  memset(v, 0, sizeof *v);
  engine_thread(v->name, sizeof v->name, t->name);
  v->place = place;
  for (const struct object *o = t->held; o != NULL; o = o->next_held)
    add_held(v, o, o->place);
  for (const struct read_hold *r = t->readings; r != NULL; r = r->next)
    add_held(v, r->object, r->place);
}

/* Addresses read better in base 16. */
static int number_text(char *text, size_t size, int64_t value) {
  const bool far = value > UINT32_MAX || value < INT32_MIN;
  return far ? snprintf(text, size, "0x%" PRIx64, (uint64_t)value)
             : snprintf(text, size, "%" PRId64, value);
}

/* What an await waits for: the condition, and what it writes then. */
static void condition_text(char *text, size_t size, const struct thread *t) {
  static const char *const signs[] = {"==", "!=", "<", "<=", ">", ">="};
  const unf_operation *operation = &t->operation;
  char value[NAME_SIZE / 2], desired[NAME_SIZE / 2];
  number_text(value, sizeof value, operation->low);
  number_text(desired, sizeof desired, operation->high);
  bool exchanges = operation->kind == UNF_EXCHANGE_AWAIT;
  snprintf(text, size, "%s(%s %s%s%s)", exchanges ? "exchange await" : "await",
           signs[operation->second], value, exchanges ? ", " : "", exchanges ? desired : "");
}

/* A lock, whatever it is made of. */
static bool acquires(const struct thread *t) {
  return t->acquires != NULL || t->acquiring.slow;
}

static bool awaits(const struct thread *t) {
  if (acquires(t)) return false;
  return t->operation.kind == UNF_AWAIT || t->operation.kind == UNF_EXCHANGE_AWAIT;
}

static const char *operation_text(const struct thread *t) {
  if (t->object != NULL && t->object == t->signals) return "wait for a signal";
  if (acquires(t)) return "acquire";
  switch (t->operation.kind) {
  case UNF_WAKE:
    return "wait";
  case UNF_FUTEX_RETURN:
    return "futex wait";
  case UNF_PASS:
    return "barrier wait";
  case UNF_SEM_WAIT:
    return "semaphore wait";
  case UNF_RDLOCK:
    return "read lock";
  case UNF_WRLOCK:
    return "write lock";
  default:
    return unf_operation_kind_text(t->operation.kind);
  }
}

/* What a blocked thread waits at: of one that was notified, the mutex. */
static const struct object *object_of(const struct thread *t) {
  return t->operation.kind == UNF_WAKE && t->notified ? t->mutex : t->object;
}

/* Who holds it: of several readers, one that the thread itself is not, if possible. */
static struct thread *holder_of(const struct object *o, const struct thread *waiting) {
  struct thread *found = o->owner;
  for (struct thread *t = threads; t != NULL && o->kind == OBJECT_RWLOCK; t = t->next)
    if (read_hold_of(t, o) != NULL && (found == NULL || found == waiting)) found = t;
  return found;
}

static uint64_t held_since(const struct object *o, const struct thread *holder) {
  const struct read_hold *r = read_hold_of(holder, o);
  return r != NULL ? r->place : o->place;
}

static void describe_operation(struct involved *v, const struct thread *t) {
  const struct object *o = object_of(t);
  if (awaits(t)) {
    condition_text(v->operation, sizeof v->operation, t);
    number_text(v->value, sizeof v->value, location_value(o));
  } else {
    snprintf(v->operation, sizeof v->operation, "%s", operation_text(t));
  }
  if (o != NULL && o->address != 0) {
    object_text(v->target, sizeof v->target, o);
    v->kind = o->kind;
    v->address = o->address;
    v->lost_place = o->lost_place;
    v->arrived = o->arrived;
    v->needed = o->needed;
    const struct thread *owner = holder_of(o, t);
    if (owner == NULL) return;
    engine_thread(v->owner, sizeof v->owner, owner->name);
    if (owner->finished) v->owner_place = held_since(o, owner);
  } else if (t->operation.kind == UNF_JOIN || t->operation.kind == UNF_CREATE) {
    engine_thread(v->target, sizeof v->target, t->operation.target);
  }
}

/* A finding about one thread; NULL when there is no room for another. */
struct finding *finding_new(enum finding_kind kind, struct thread *t, uint64_t place) {
  if (pending->count == INVOLVED_MAX) {
    control->findings_dropped++;
    return NULL;
  }
  struct finding *f = &pending->findings[pending->count++];
  memset(f, 0, sizeof *f);
  f->kind = kind;
  f->step = engine_performed();
  if (t != NULL) {
    f->involved_count = f->involved_total = 1;
    describe(&f->involved[0], t, program_place(place));
  }
  return f;
}

_Noreturn void halt(uint64_t place) {
  schedule_end(UNF_OP_HALT(UNF_HALT_ASSERT), place);
}

/* The calling thread did with an object what must not be done, and stops. */
_Noreturn void misused(enum misuse how, const struct object *o, uint64_t place) {
#define MISUSE_TEXT(name, text) text,
  static const char *const formats[] = {MISUSE_TABLE(MISUSE_TEXT)};
#undef MISUSE_TEXT
#define OBJECT_KIND_TEXT(name, text) text,
  static const char *const kinds[] = {OBJECT_KIND_TABLE(OBJECT_KIND_TEXT)};
#undef OBJECT_KIND_TEXT
  struct finding *f = finding_new(FINDING_MISUSE, thread_self(), place);
  if (f != NULL) {
    f->number = (int)how;
    snprintf(f->text, sizeof f->text, formats[how], kinds[o->kind]);
  }
  halt(place);
}

/* The explorer does not take the operation of the calling thread, which stops. */
_Noreturn void undefined(const char *text, uint64_t place) {
  struct finding *f = finding_new(FINDING_UNDEFINED, thread_self(), place);
  if (f != NULL)
    snprintf(f->text, sizeof f->text, "the operation is not possible here: %.400s", text);
  halt(place);
}

/* Who a blocked thread waits for; NULL if nobody in particular. */
static struct thread *waits_for(const struct thread *t) {
  if (t->operation.kind == UNF_JOIN) return thread_named(t->operation.target);
  const struct object *o = object_of(t);
  return o != NULL ? holder_of(o, t) : NULL;
}

static bool blocked(const struct thread *t) {
  return !t->finished && t->operation.kind != UNF_HALT;
}

/* A thread on a cycle of waiting, if there is one. */
static struct thread *find_cycle(uint32_t total) {
  for (struct thread *t = threads; t != NULL; t = t->next) {
    struct thread *slow = t;
    for (uint32_t i = 0; slow != NULL && i < total; i++) {
      slow = blocked(slow) ? waits_for(slow) : NULL;
      if (slow == t) return t;
    }
  }
  return NULL;
}

static void add_involved(struct finding *f, const struct thread *t, bool in_cycle) {
  f->involved_total++;
  if (f->involved_count == INVOLVED_MAX) return;
  struct involved *v = &f->involved[f->involved_count++];
  describe(v, t, t->place);
  describe_operation(v, t);
  v->behind_count = engine_blocked(t->name, v->behind, BEHIND_MAX, &v->behind_left);
  v->in_cycle = in_cycle;
}

static bool on_cycle(const struct thread *t, struct thread *start) {
  if (start == NULL) return false;
  const struct thread *at = start;
  do {
    if (at == t) return true;
    at = waits_for(at);
  } while (at != start);
  return false;
}

/* Whether all who are blocked wait for a value that does not come, or for the end of one who does:
 * as loops they would go round for ever. */
static bool is_livelock(void) {
  bool found = false;
  for (const struct thread *t = threads; t != NULL; t = t->next) {
    if (!blocked(t)) continue;
    if (!awaits(t) && t->operation.kind != UNF_JOIN) return false;
    found |= awaits(t);
  }
  return found;
}

/* At the end of an execution: threads that wait for ever, those of a cycle first and
 * in its order. */
void findings_blocked(void) {
  uint32_t total = 0;
  bool halted = false;
  for (const struct thread *t = threads; t != NULL; t = t->next) {
    halted |= t->operation.kind == UNF_HALT;
    total += blocked(t);
    pending->waits |= t->acquires != NULL && blocked(t);
    pending->given_up |= t->tries && blocked(t);
  }
  if (total == 0 || halted || pending->given_up || pending->exiting) return;
  struct finding *f = finding_new(is_livelock() ? FINDING_LIVELOCK : FINDING_DEADLOCK, NULL, 0);
  if (f == NULL) return;
  f->learned = pending->waits;
  struct thread *start = find_cycle(total);
  struct thread *at = start;
  if (start != NULL) do {
      add_involved(f, at, true);
      at = waits_for(at);
    } while (at != start);
  for (const struct thread *t = threads; t != NULL; t = t->next)
    if (blocked(t) && !on_cycle(t, start)) add_involved(f, t, false);
}

bool findings_error(void) {
  for (uint32_t i = 0; i < pending->count; i++)
    if (pending->findings[i].kind != FINDING_DEADLOCK &&
        pending->findings[i].kind != FINDING_LIVELOCK)
      return true;
  return false;
}

static uint64_t mix(uint64_t x) {
  x = (x ^ (x >> 31)) * 0x9e3779b97f4a7c15u;
  return x ^ (x >> 29);
}

/* A number that is equal for findings of equal kind and places, whatever the order of threads. */
static uint64_t key_of(const struct finding *f) {
  uint64_t key = mix((uint64_t)f->kind * 1000 + (uint64_t)(uint32_t)f->number);
  bool cycle = f->involved_count > 0 && f->involved[0].in_cycle;
  for (uint32_t i = 0; i < f->involved_count; i++)
    if (f->involved[i].in_cycle == cycle) key += mix(control_place(control, f->involved[i].place));
  return key;
}

/* An execution that has it several times has it once. */
static bool is_repeated(uint32_t number) {
  for (uint32_t i = 0; i < number; i++)
    if (key_of(&pending->findings[i]) == key_of(&pending->findings[number])) return true;
  return false;
}

/* Whether nothing else has the schedule of a finding or race, so that its file can get another one.
 * The launcher of a worker may be reading it. */
static bool is_only_its(unsigned number) {
  uint64_t count = 0;
  for (uint32_t i = 0; i < control->finding_count; i++) {
    count += control->findings[i].schedule == number;
    count += control->findings[i].other == number;
  }
  for (uint64_t i = 0; i < control->races_found && i < RACES_MAX && count < 2; i++)
    count += control->races[i].schedule == number;
  return count < 2 && number > control->schedules_fixed && control->settings.items_socket < 0;
}

unsigned findings_schedule(unsigned before) {
  const bool written = engine_run_written() != 0;
  return engine_run_schedule(!written && is_only_its(before) ? before : 0);
}

bool findings_less(const uint64_t name[2], const uint64_t other[2]) {
  return name[0] != other[0] ? name[0] < other[0] : name[1] < other[1];
}

/* The launcher looks at it meanwhile. */
void findings_change(uint32_t *version) {
  __atomic_store_n(version, *version + 1, __ATOMIC_SEQ_CST);
}

/* The finding is told as this execution has it, which is then tested if it may be there because of
 * what was learned. */
static void describe_by(struct finding *kept, const struct finding *f, bool schedule_wanted,
                        const uint64_t name[2]) {
  const uint64_t key = kept->key, count = kept->count, probes = kept->probes;
  const bool learned = kept->learned && f->learned;
  const unsigned schedule = schedule_wanted ? findings_schedule(kept->schedule) : 0;
  findings_change(&kept->version);
  const uint32_t version = kept->version;
  *kept = *f;
  kept->version = version;
  kept->key = key;
  kept->count = count;
  kept->probes = probes;
  kept->learned = learned;
  kept->schedule = schedule;
  memcpy(kept->name, name, sizeof kept->name);
  findings_change(&kept->version);
  pending->fresh = true;
}

/* Of what two orders of a trace come to, both are told as they were performed. */
static bool is_less(const struct finding *f, const struct finding *kept, uint64_t name[2]) {
  if (f->kind == FINDING_REORDERED || engine_probes()) return false;
  engine_run_name(name);
  return findings_less(name, kept->name);
}

static void keep(const struct finding *f, bool schedule_wanted) {
  const uint64_t key = key_of(f), probe = engine_probes();
  if (probe && f->learned) return; /* probes are not performed without what was learned */
  uint64_t name[2] = {UINT64_MAX, UINT64_MAX};
  control->findings_total += !probe;
  control->livelocks += f->kind == FINDING_LIVELOCK && !probe;
  for (uint32_t i = 0; i < control->finding_count; i++)
    if (control->findings[i].key == key) {
      struct finding *kept = &control->findings[i];
      kept->count += !probe;
      kept->probes += probe;
      if (schedule_wanted && is_less(f, kept, name)) describe_by(kept, f, true, name);
      return;
    }
  if (control->finding_count == FINDINGS_MAX) {
    control->findings_dropped++;
    return;
  }
  struct finding *kept = &control->findings[control->finding_count];
  memset(kept, 0, sizeof *kept);
  kept->learned = true;
  kept->key = key;
  kept->count = !probe;
  kept->probes = probe;
  if (schedule_wanted && f->kind != FINDING_REORDERED) engine_run_name(name);
  describe_by(kept, f, schedule_wanted, name);
  control->finding_count++;
}

void findings_in_order(const unf_event *events, uint64_t count) {
  const unsigned number = engine_run_written();
  if (!engine_order_again(number, events, count)) return;
  for (uint32_t i = 0; i < control->finding_count; i++)
    if (control->findings[i].schedule == number) control->findings[i].version += 2;
  for (uint64_t i = 0; i < control->races_found && i < RACES_MAX; i++)
    if (control->races[i].schedule == number) control->races[i].version += 2;
}

void findings_learned(bool wrong) {
  uint32_t kept = 0;
  for (uint32_t i = 0; i < control->finding_count; i++) {
    struct finding *f = &control->findings[i];
    if (wrong && f->learned && f->schedule != 0) engine_drop_schedule(f->schedule);
    if (wrong && f->learned) continue;
    f->learned = false;
    control->findings[kept++] = *f;
  }
  control->finding_count = kept;
}

uint64_t findings_sum(void) {
  uint64_t sum = 0;
  for (uint32_t i = 0; i < pending->count; i++)
    if (!is_repeated(i)) sum += mix(key_of(&pending->findings[i]));
  return sum;
}

void findings_keep_reordered(const struct finding *f, const unf_event *events, uint64_t count) {
  const uint32_t before = control->finding_count;
  keep(f, true);
  if (control->finding_count > before)
    control->findings[before].other = engine_order_schedule(events, count);
}

/* Findings of one execution share its schedule. */
void findings_keep(bool schedule_wanted) {
  if (pending->reorder.running) return;
  for (uint32_t i = 0; i < pending->count; i++)
    if (!is_repeated(i)) keep(&pending->findings[i], schedule_wanted);
}
