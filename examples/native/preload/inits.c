/* Initialisations while other threads run. In most programs whoever uses an object comes after the
 * thread that initialised it, by an order that is seen (it was created later, or got the object
 * under a lock): then an initialisation is no event. That is looked at with every use: causality
 * between the use and the next event of the initialising thread decides it, whichever of the two
 * came first. When an execution shows the contrary, the exploration begins again from the start,
 * and knows the object by its place.
 *
 * From then on that place is a location beside the object's own uses: to initialise the object
 * writes it, to use the object reads it first. A use that comes before is misuse, and its thread
 * stops; one that comes after gets the very object that was initialised, which is named by the
 * thread that did so. An initialisation of what is initialised already looks whether that is held,
 * by an operation on it, as a destruction does. What the only thread does that has run so far is in
 * no need of an order. */
#include "inits.h"

#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "../control.h"
#include "../control/findings.h"
#include "../control/learned.h"
#include "../control/object_kinds.h"
#include "../control/texts.h"
#include "engine.h"
#include "entry.h"
#include "findings.h"
#include "heap.h"
#include "objects.h"
#include "refuse.h"
#include "scheduler.h"

enum { WRITTEN = 1, KNOWN_THREADS = 64 };

static bool alone(void) {
  return threads->next == NULL;
}

/* ---- places that are known ---- */

static void describe(const struct object *place, char creator[NAME_SIZE], uint64_t *key) {
  unf_thread thread = UNF_THREAD_NONE;
  engine_must(unf_object_describe(engine_unfolding(), place->name, NULL, &thread, key));
  engine_thread(creator, NAME_SIZE, thread);
}

static bool is_listed(const char *creator, uint64_t key) {
  for (uint32_t i = 0; i < control->init_count; i++)
    if (control->inits[i].key == key && strcmp(control->inits[i].creator, creator) == 0)
      return true;
  return false;
}

static void note(const char *creator, uint64_t key, uint64_t place) {
  if (control->init_count == INITS_MAX)
    refuse("more objects that are used before they are initialised than there is room for", place);
  struct initialised *entry = &control->inits[control->init_count++];
  snprintf(entry->creator, sizeof entry->creator, "%s", creator);
  entry->key = key;
}

/* NULL: an initialisation there is no operation. */
static struct object *place_of(uint64_t address) {
  char creator[NAME_SIZE];
  uint64_t key;
  struct object *place = control->init_count == 0 ? NULL : object_place(address);
  if (place == NULL) return NULL;
  if (!place->initial_known) {
    describe(place, creator, &key);
    place->operation = is_listed(creator, key);
    object_initial(place, 0);
  }
  return place->operation ? place : NULL;
}

/* Other threads may use an object before it is initialised. A block of the heap may be another one
 * by now, as long as it is not known when it was allocated. */
static void watch(const struct object *o, uint64_t at) {
  static const char unordered[] = "an object that is used and initialised in no order";
  char creator[NAME_SIZE];
  uint64_t key;
  if (control->settings.replay || control->inits_off) return;
  const struct object *place = object_place(o->address);
  const bool known = place != NULL && heap_owner(o->address) == NULL;
  if (place == NULL && control->inits_watched) return;
  if (place != NULL && (known || control->inits_watched)) {
    describe(place, creator, &key);
    note(creator, key, at);
  }
  control->inits_watched = true;
  control->init_restarts++;
  give_up(OUTCOME_AGAIN, "%s", unordered);
}

void inits_learn(const unf_schedule *schedule) {
  for (uint64_t i = 0; i < unf_schedule_size(schedule); i++) {
    unf_action action;
    char creator[NAME_SIZE];
    uint64_t key;
    if (unf_schedule_step(schedule, i, &action) != UNF_OK) continue;
    if (action.kind != UNF_DID_READ && action.kind != UNF_DID_WRITE) continue;
    if (!object_is_place(action.target)) continue;
    const struct object place = {.name = action.target};
    describe(&place, creator, &key);
    if (!is_listed(creator, key)) note(creator, key, 0);
    control->inits_watched = true;
  }
}

bool inits_give_up(void) {
  if (control->init_count == 0 || control->settings.replay) return false;
  for (uint32_t i = 0; i < control->finding_count; i++)
    if (control->findings[i].kind != FINDING_REORDERED) return false;
  control->inits_watched = false;
  control->inits_off = true;
  control->init_count = 0;
  control->init_restarts++;
  return true;
}

/* ---- objects whose initialisation is no event ---- */

void inits_step(struct thread *t) {
  for (; t->initialised != NULL; t->initialised = t->initialised->next_initialised)
    t->initialised->initialised_before = t->last;
}

/* The next event of the calling thread is to come after this. */
static void mark(struct object *o) {
  struct thread *me = thread_self();
  const bool listed = o->initialised_by == me && o->initialised_before == UNF_EVENT_NONE;
  o->initialised_by = me;
  o->initialised_before = UNF_EVENT_NONE;
  o->after_initialised = 0;
  if (listed) return;
  o->next_initialised = me->initialised;
  me->initialised = o;
}

/* Whether the calling thread has an event that the initialisation comes before. */
static bool is_after(struct object *o) {
  const struct thread *me = thread_self();
  const uint64_t bit = me->number_here < KNOWN_THREADS ? (uint64_t)1 << me->number_here : 0;
  if (o->initialised_by == NULL || o->initialised_by == me) return true;
  if ((o->after_initialised & bit) != 0) return true;
  if (o->initialised_before == UNF_EVENT_NONE) return false;
  const bool after = engine_precedes(o->initialised_before, me->last);
  if (after) o->after_initialised |= bit;
  return after;
}

struct use_search {
  const struct object *object;
  const struct thread *by;
  bool found;
};

static bool uses(const struct object *o, const unf_action *action) {
  for (; o != NULL; o = o->next_round)
    if (action->target == o->name || (action->kind == UNF_DID_WAIT && action->second == o->name))
      return o->kind != OBJECT_BARRIER || action->kind == UNF_DID_ARRIVE;
  return false;
}

static bool look_at(void *user, unf_event event) {
  struct use_search *search = user;
  unf_action action;
  engine_must(unf_event_action(engine_unfolding(), event, &action));
  search->found = action.thread != search->by->name && uses(search->object, &action) &&
                  !engine_precedes(event, search->by->last);
  return !search->found;
}

/* Whether another thread stands at an operation on it that was not performed yet. */
static bool is_wanted(const struct object *o) {
  for (const struct thread *t = threads; t != NULL; t = t->next) {
    const bool waits = t->operation.kind == UNF_WAIT || t->operation.kind == UNF_WAKE ||
                       t->operation.kind == UNF_TIMED_WAKE;
    if (t == thread_self() || t->object == NULL || t->operation.kind == UNF_PASS) continue;
    if (t->object->address == o->address && t->object->kind == o->kind) return true;
    if (waits && t->mutex == o) return true;
  }
  return false;
}

/* Whether another thread used it in no order with the one that calls. */
static bool used_elsewhere(const struct object *o) {
  struct use_search search = {o, thread_self(), false};
  if (pending->reorder.running) return false; /* the events of its order are not reported */
  if (o->halted_user) return true;
  if (o->user == NULL || (o->user == search.by && !o->several_users)) return false;
  if (is_wanted(o)) return true;
  engine_path(look_at, &search);
  return search.found;
}

static void order(struct object *o, uint64_t place) {
  const struct thread *me = thread_self();
  if (!is_after(o)) watch(o, place);
  o->several_users |= o->user != NULL && o->user != me;
  o->user = me;
}

static void begin(const void *address, enum object_kind kind, uint64_t place) {
  struct object *o = object_found((uint64_t)(uintptr_t)address, kind);
  if (o != NULL && !alone() && used_elsewhere(o)) watch(o, place);
  object_initialise(address, kind);
  o = object_found((uint64_t)(uintptr_t)address, kind);
  o->user = NULL;
  o->several_users = o->halted_user = false;
  if (!alone()) mark(o);
}

/* ---- places ---- */

struct object *object_use(const void *address, enum object_kind kind, uint64_t place) {
  struct object *where = place_of((uint64_t)(uintptr_t)address);
  if (where == NULL) {
    struct object *o = object_at(address, kind);
    order(o, place);
    return o;
  }
  if (!alone()) schedule(UNF_OP_LOAD(where->name), where, place);
  if (where->present == NULL && alone()) {
    where->present = object_at(address, kind); /* has its initial value without a call */
    where->present->initialisation = where;
  }
  if (where->present == NULL) misused(MISUSE_EARLY, &(struct object){.kind = kind}, place);
  return where->present;
}

struct object *object_begin(const void *address, enum object_kind kind, uint64_t place,
                            struct object **replaced) {
  struct object *where = place_of((uint64_t)(uintptr_t)address);
  *replaced = NULL;
  if (where == NULL) {
    begin(address, kind, place);
    return NULL;
  }
  if (alone())
    where->present = NULL;
  else
    schedule(UNF_OP_STORE(where->name, WRITTEN), where, place);
  *replaced = where->present;
  where->present = object_instance((uint64_t)(uintptr_t)address, kind);
  where->present->initialisation = where;
  return where->present;
}

void object_replaced(struct object *o, bool held, enum misuse how, uint64_t place) {
  if (held) misused(how, o, place);
  o->replaced = o->destroyed = true;
}

_Noreturn void object_early(struct object *o, uint64_t place) {
  o->halted_user = true;
  misused(MISUSE_EARLY, o, place);
}

int before_main(int *held, int error, int change) {
  if (error == 0) *held += change;
  return error;
}

/* Who destroys a barrier after a round need not wait until all have left it. */
void object_waits(struct object *barrier, struct object *round, uint64_t place) {
  struct object *where = barrier->initialisation;
  if (where == NULL || alone()) return;
  schedule(UNF_OP_LOAD(where->name), where, place);
  if (round->round < barrier->ended) return;
  if (where->present != barrier) misused(MISUSE_EARLY, barrier, place);
  object_alive(barrier, place);
  round->waiting++;
}

void object_ends(struct object *barrier, uint32_t over, uint64_t place) {
  struct object *where = barrier->initialisation;
  if (where == NULL) {
    if (alone()) return;
    if (used_elsewhere(barrier)) watch(barrier, place);
    mark(barrier);
  } else if (!alone()) {
    schedule(UNF_OP_STORE(where->name, 0), where, place);
  }
  barrier->ended = over;
}
